package ground

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// extensions of the formats that Read knows, in the order Find prefers them.
var extensions = []string{".csv", ".at2", ".mat", ".txt", ".dat"}

// Read reads a motion from a file, by its extension: .csv, .txt, .dat (see
// ReadCSV), .at2 (ReadAT2), .mat (ReadMAT, with the only array of times and
// accelerations). unit is g, gal, m/s2 or cm/s2; "" is the file's own: g for
// AT2, what the title states or m/s² for text, m/s² for MAT.
// The motion's name is the file's without folder and extension.
func Read(path, unit string) (Motion, error) { return readFile(path, "", unit) }

// readFile is Read with the name of the array to take from a MAT-file.
func readFile(path, variable, unit string) (Motion, error) {
	ext := filepath.Ext(path)
	kind := strings.ToLower(ext)
	if !slices.Contains(extensions, kind) {
		return Motion{}, fmt.Errorf("%s: extension %q: want one of %s", path, ext, strings.Join(extensions, " "))
	}
	if variable != "" && kind != ".mat" {
		return Motion{}, &KeyError{"variable", variable, "none, because only .mat files have variables"}
	}
	f, err := os.Open(path)
	if err != nil {
		return Motion{}, err
	}
	defer f.Close()
	m, err := readFormat(f, kind, path, variable, unit)
	if err != nil {
		return Motion{}, err
	}
	m.Name = stem(path)
	return m, nil
}

// readFormat calls the reader of the extension.
func readFormat(r io.Reader, ext, name, variable, unit string) (Motion, error) {
	switch ext {
	case ".at2":
		if factor, err := unitFactor(unit); unit != "" && (err != nil || factor != StandardGravity) {
			return Motion{}, fmt.Errorf("%s: unit %q: want g or none, because AT2 files are in g", name, unit)
		}
		return ReadAT2(r, name)
	case ".mat":
		return ReadMAT(r, name, variable, unit)
	}
	return ReadCSV(r, name, unit)
}

// Find returns the path of the record of the given name in the folder dir:
// name.csv, else .at2, .mat, .txt, .dat. Upper and lower case are the same, in
// name and extension. An error lists the records there are.
func Find(dir, name string) (path string, err error) {
	if dir == "" {
		return "", fmt.Errorf("record %q: the folder of records is not known: set RTHS_RECORDS or --records", name)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("record %q: %w: set RTHS_RECORDS or --records to the folder of records", name, err)
	}
	best := len(extensions)
	var names []string
	for _, e := range entries {
		rank := slices.Index(extensions, strings.ToLower(filepath.Ext(e.Name())))
		if rank < 0 || e.IsDir() {
			continue
		}
		names = append(names, e.Name())
		if strings.EqualFold(stem(e.Name()), name) && rank < best {
			best, path = rank, filepath.Join(dir, e.Name())
		}
	}
	if path == "" {
		return "", fmt.Errorf("record %q: want one of those in %s: %s", name, dir, listNames(names))
	}
	return path, nil
}

// listNames is for errors: the first of the names.
func listNames(names []string) string {
	if len(names) == 0 {
		return "no file " + strings.Join(extensions, " ")
	}
	if more := len(names) - 40; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:40], ", "), more)
	}
	return strings.Join(names, ", ")
}

// stem is a file's name without folder and extension.
func stem(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}
