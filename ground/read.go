package ground

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rths/files"
)

// extensions of the formats that Read knows, in the order Find prefers them.
var extensions = slices.Concat([]string{".csv", ".at2", ".mat", ".txt", ".dat"}, cosmosExtensions, knetExtensions)

// textExtensions belong to columns of text from other programs.
var textExtensions = []string{".csv", ".txt", ".dat"}

// cosmosExtensions belong to COSMOS and CSMIP files; c is for one channel.
var cosmosExtensions = []string{".v2", ".v2c", ".v1", ".v1c", ".cosmos"}

// Read reads a motion from a file, by its extension: .csv, .txt, .dat (see
// ReadCSV), .at2 (ReadAT2), .mat (ReadMAT), .v1, .v2, .v1c, .v2c, .cosmos
// (ReadCOSMOS), .ew, .ns, .ud, .ew1 to .ud2 (ReadKNET). channel is a channel
// of a COSMOS file or an array of a MAT-file; "" is the only one. unit is g, gal, m/s2 or
// cm/s2; "" is the file's own: g for AT2, the title's or m/s² for text, m/s² for MAT.
// COSMOS and K-NET files state their unit and take no other. The motion's name is the
// file's name without folder and extension; K-NET names keep the extension, which is the
// component.
//
// dtS is the time step, s, of a text file of accelerations alone (ReadValues), else 0.
func Read(path, channel, unit string, dtS float64) (Motion, error) {
	in := inside{channel: channel, step: dtS}
	if strings.EqualFold(filepath.Ext(path), ".mat") {
		in.variable, in.channel = channel, ""
	}
	return readFile(path, in, unit)
}

// inside selects a motion in a file that may hold several.
type inside struct {
	variable string  // array of a MAT-file
	channel  string  // channel of a COSMOS file
	step     float64 // of a text of accelerations alone, s; 0 = it has times
}

// check refuses to choose where there is nothing to choose from.
func (in inside) check(ext string) error {
	if in.variable != "" && ext != ".mat" {
		return &KeyError{"variable", in.variable, "none, because only .mat files have variables"}
	}
	if in.channel != "" && !slices.Contains(cosmosExtensions, ext) {
		return &KeyError{"channel", in.channel, "none, because only COSMOS files (" + strings.Join(cosmosExtensions, " ") + ") have channels"}
	}
	if in.step != 0 && !slices.Contains(textExtensions, ext) {
		return &KeyError{"dt_s", in.step, "none, because only text files (" + strings.Join(textExtensions, " ") + ") may lack times"}
	}
	return nil
}

// readFile is Read with what to take from the file.
func readFile(path string, in inside, unit string) (Motion, error) {
	ext := filepath.Ext(path)
	kind := strings.ToLower(ext)
	if !slices.Contains(extensions, kind) {
		return Motion{}, fmt.Errorf("%s: extension %q: want one of %s", path, ext, strings.Join(extensions, " "))
	}
	if err := in.check(kind); err != nil {
		return Motion{}, err
	}
	f, err := files.OpenAtMost(path, maxFile)
	if err != nil {
		return Motion{}, err
	}
	defer f.Close()
	m, err := readFormat(f, kind, path, in, unit)
	if err != nil {
		return Motion{}, err
	}
	if m.Name = stem(path); isKNET(kind) {
		m.Name = filepath.Base(path)
	}
	return m, nil
}

// readFormat calls the reader of the extension.
func readFormat(r io.Reader, ext, name string, in inside, unit string) (Motion, error) {
	ownUnit := isKNET(ext) || slices.Contains(cosmosExtensions, ext)
	switch {
	case ext == ".at2":
		if factor, err := unitFactor(unit); unit != "" && (err != nil || factor != StandardGravity) {
			return Motion{}, fmt.Errorf("%s: unit %q: want g or none, because AT2 files are in g", name, unit)
		}
		return ReadAT2(r, name)
	case ext == ".mat":
		return ReadMAT(r, name, in.variable, unit)
	case ownUnit && unit != "":
		return Motion{}, fmt.Errorf("%s: unit %q: want none, because %s files hold accelerations and state their unit", name, unit, ext)
	case isKNET(ext):
		return ReadKNET(r, name)
	case ownUnit:
		return ReadCOSMOS(r, name, in.channel)
	}
	if in.step != 0 {
		return ReadValues(r, name, in.step, unit)
	}
	return ReadCSV(r, name, unit)
}

// Find returns the path of the record of the given name in the folder dir:
// name.csv, else .at2, .mat, .txt, .dat and so on (see Read), or the file of
// exactly that name. Upper and lower case are the same, in name and extension.
// A K-NET name without component is an error if there are several components. A missing
// name is an error that lists the records in the folder.
func Find(dir, name string) (path string, err error) {
	if dir == "" {
		return "", fmt.Errorf("record %q: the folder of records is not known: set RTHS_RECORDS or --records", name)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("record %q: %w: set RTHS_RECORDS or --records to the folder of records", name, err)
	}
	var names, alike []string
	for _, e := range entries {
		if e.IsDir() || rank(e.Name()) < 0 {
			continue
		}
		names = append(names, e.Name())
		switch {
		case strings.EqualFold(e.Name(), name):
			return filepath.Join(dir, e.Name()), nil
		case strings.EqualFold(stem(e.Name()), name):
			alike = append(alike, e.Name())
		}
	}
	if len(alike) == 0 {
		return "", fmt.Errorf("record %q: want one of those in %s: %s", name, dir, listNames(names))
	}
	slices.SortStableFunc(alike, func(a, b string) int { return rank(a) - rank(b) })
	if len(alike) > 1 && isKNET(strings.ToLower(filepath.Ext(alike[0]))) {
		return "", fmt.Errorf("record %q: want one of its components: %s", name, strings.Join(alike, ", "))
	}
	return filepath.Join(dir, alike[0]), nil
}

// rank is the place of a file's extension in the order of preference, -1 if it
// is none of ours.
func rank(name string) int { return slices.Index(extensions, strings.ToLower(filepath.Ext(name))) }

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
