// Package catalogue is the list of the runs and studies in a folder, in a file beside them: Add
// puts a run in, List filters, Rebuild makes the file from the folders.
//
// The folders of the runs are the truth, and the catalogue is only their index: whatever
// happens to the file, no run is lost, and Rebuild makes it again. Nothing else is kept in it.
//
// A run is found by its folder, which stands in the folder of the catalogue: both can be moved
// together. Every number of a run (rate_hz, criteria, indicators) is a float64 to the last bit;
// NaN stands for a number that is not finite.
//
// The file is a log: a run is written to its end, under a lock that network file systems have as
// well (store.go). Conditions are evaluated over all entries, which takes some 0.1 s for 50 000.
package catalogue

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// File is the name of the catalogue in the folder that holds the folders of the runs.
const File = "catalogue.rths"

// Of is the folder of the catalogue that a run belongs to, and the run's name in it.
func Of(run string) (dir, name string, err error) {
	run = filepath.Clean(run)
	if name = filepath.Base(run); name == "." || name == ".." {
		run, err = filepath.Abs(run)
	}
	return filepath.Dir(run), filepath.Base(run), err
}

// Add puts the run or study in a folder into the catalogue beside the folder, which it makes
// if there is none. The entry of the same folder is replaced. It waits at most 2 s for other
// programs. A file that is no catalogue of this version is an error and stays as it is.
func Add(run string) error {
	e, err := Read(run)
	if err != nil {
		return err
	}
	dir, _, err := Of(run)
	if err != nil {
		return err
	}
	return locked(dir, func(path string) error { return put(path, &e) })
}

// Fresh is a folder for a run of this name, now, that does not exist yet: in the folder runs of another one.
func Fresh(folder, name string) string {
	slug := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, name)
	for strings.Contains(slug, "--") {
		slug = strings.ReplaceAll(slug, "--", "-")
	}
	if slug = strings.Trim(slug, "-"); slug == "" {
		slug = "run"
	}
	base := filepath.Join(folder, Default, slug+time.Now().Format("-20060102-150405"))
	dir := base
	for i := 2; ; i++ {
		if _, err := os.Stat(dir); err != nil {
			return dir
		}
		dir = fmt.Sprintf("%s-%d", base, i)
	}
}
