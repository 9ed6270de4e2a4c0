package ground

import (
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"rths/maths/words"
	"rths/model/foreign"
)

// Format is one row of Formats: a file format of ground motions, known by the
// extension of the file.
type Format struct {
	Name, Doc, Ref string
	Extensions     []string // lower case, with the dot
	// of Conditioning, those that mean something for the file: unit, column, time, skip, dt_s, variable, channel
	Keys      []string
	Begins    func() *regexp.Regexp // what the first 2 kB have, where the extension does not tell; nil: nothing
	Component bool                  // the extension is the component, which a named record has to give

	// Read reads to the end and allocates nothing because a number in the file says
	// so. Its errors begin with name and say the line or place.
	// Read looks only at the parts of want that Keys name.
	Read func(r io.Reader, name string, want Want) (Motion, error)
}

// Want has the settings of a scenario or command for a file.
type Want struct {
	Format string  // name in Formats; "" is found by extension and beginning
	Part   string  // channel or array, where a file holds several; "" is the only one
	Column string  // of a text with several: its title or position from 1; "" is the only one beside the times
	Time   string  // column of the times of a text: its title or position from 1; "" is found by its title and numbers
	Skip   int     // lines of a text that are not read, from the first on
	Unit   string  // such as g, gal, m/s2 or cm/s2; "" is the file's own
	Dt     float64 // time step of accelerations without times, s; 0: the file says it
}

// textKeys mean something for columns of text.
var textKeys = []string{"unit", "column", "time", "skip", "dt_s"}

// Formats is the table of file formats. A named record is looked for in this order of
// extensions.
var Formats = []Format{
	{Name: "csv",
		Doc: "columns of text, time and acceleration, in the units of titles or heading, else in s and m/s²; UTF-8, " +
			"or UTF-16 with its mark; or accelerations alone, with dt_s or a heading of count and step",
		Ref:        "separated by semicolons, commas, tabs or blanks; accelerations alone as the Path series of OpenSees",
		Extensions: []string{".csv"}, Keys: textKeys, Read: ReadCSV},
	{Name: "at2", Begins: words.Pattern(`^PEER `), Doc: "PEER AT2 record, in the unit of its heading, else in g",
		Ref: "PEER NGA strong-motion database", Extensions: []string{".at2"}, Keys: []string{"unit"}, Read: ReadAT2},
	{Name: "mat", Begins: words.Pattern(`^MATLAB 5\.0 MAT`),
		Doc: "MATLAB file (save -v4, -v6, -v7, -v7.3) with a 2×N or N×2 array of time in s and acceleration in " +
			"m/s², a structure with time, a cell array of both, or a vector beside one called time",
		Ref: "MathWorks, MAT-File Format, chapter 1", Extensions: []string{".mat"}, Keys: []string{"unit", "variable"},
		Read: ReadMAT},
	{Name: "hdf5", Begins: words.Pattern(`^\x{FFFD}HDF`),
		Doc: "HDF5 file with an array as of mat, or a group with time; arrays are called as in the file, with /",
		Ref: "HDF Group, HDF5 File Format Specification 3.0", Extensions: []string{".h5", ".hdf5"},
		Keys: []string{"unit", "variable"}, Read: ReadMAT},
	{Name: "tdms", Begins: words.Pattern(`^TDS[mh]`),
		Doc: "TDMS file of LabVIEW, a channel of accelerations with the unit of its property unit_string, else in m/s²; " +
			"with a channel of times, or the step of its waveform",
		Ref: "National Instruments, TDMS File Format Internal Structure", Extensions: []string{".tdms", ".tdms_index"},
		Keys: []string{"unit", "channel", "dt_s"}, Read: ReadTDMS},
	{Name: "txt", Doc: "the text of csv under another extension",
		Ref: "as csv", Extensions: []string{".txt", ".dat", ".tsv", ".thf", ".g3", ".lvm"}, Keys: textKeys, Read: ReadCSV},
	{Name: "geonet", Begins: words.Pattern(`(?i)^(?:un)?corrected accelerogram.*\bGNS`),
		Doc: "GeoNet (New Zealand), volumes 1 and 2, three components a file; mm/s²",
		Ref: "GNS Science, Accelerogram Data File Format (2012)", Extensions: []string{".v1a", ".v2a"},
		Keys: []string{"channel"}, Read: ReadGeoNet},
	{Name: "cosmos", Begins: words.Pattern(`(?i)^(?:un)?corrected accelerogram|^.*\(format v\d`),
		Doc: "COSMOS V1.20 and CSMIP, volumes 1 and 2, also pairs of time and acceleration; the unit is stated in the file",
		Ref: "COSMOS Strong Motion Programs Board (2001)", Extensions: []string{".v2", ".v2c", ".v1", ".v1c", ".cosmos"},
		Keys: []string{"channel"}, Read: ReadCOSMOS},
	{Name: "knet", Begins: words.Pattern(`^Origin Time`),
		Doc: "K-NET and KiK-net ASCII, 1 in the borehole and 2 at the surface; the unit is stated in the file",
		Ref: "NIED, K-NET ASCII format", Extensions: []string{".ns", ".ew", ".ud", ".ns2", ".ew2", ".ud2", ".ns1", ".ew1",
			".ud1"}, Component: true, Read: ReadKNET},
	{Name: "asc", Begins: words.Pattern(`^\x{FEFF}?EVENT_NAME:`),
		Doc: "ASCII of ESM, ITACA and AFAD, a component a file; the unit is stated in the file",
		Ref: "ESM, DYNA 1.2", Extensions: []string{".asc"}, Read: ReadASC},
	{Name: "asa", Begins: words.Pattern(`ARCHIVO ESTANDAR DE ACELERACION`),
		Doc:        "standard file of accelerations (ASA) of Mexican networks, a column a channel; gal",
		Ref:        "Instituto de Ingeniería, UNAM, ASA 2.0",
		Extensions: []string{".asa"}, Keys: []string{"channel"}, Read: ReadASA},
	{Name: "smc", Begins: words.Pattern(`(?i)^\d \s*(?:un)?corrected accelerogram`),
		Doc: "SMC of the USGS, a corrected or uncorrected accelerogram in cm/s²",
		Ref: "USGS National Strong-Motion Project, SMC format", Extensions: []string{".smc"}, Read: ReadSMC},
}

// formatOf finds the format of a file by its name in Formats, else by extension and beginning, or says which there are.
func formatOf(path, name, head string) (Format, error) {
	if name != "" {
		var names []string
		for _, f := range Formats {
			if f.Name == name {
				return f, nil
			}
			names = append(names, f.Name)
		}
		return Format{}, &KeyError{"format", name, "one of " + strings.Join(names, ", ")}
	}
	own, known := byExtension(path)
	if known && !own.text() {
		return own, nil
	}
	for _, f := range Formats {
		if f.Begins != nil && f.Begins().MatchString(head) {
			return f, nil
		}
	}
	if _, err := foreign.Text(strings.NewReader(head)); !known && err == nil && strings.ContainsAny(head, "0123456789") {
		return Formats[0], nil
	}
	if !known {
		return Format{}, fmt.Errorf("%s: extension %q: want one of %s", path, filepath.Ext(path),
			strings.Join(extensions(), " "))
	}
	return own, nil
}

// byExtension is the format of a file's extension.
func byExtension(path string) (Format, bool) {
	i := slices.IndexFunc(Formats, func(f Format) bool { return slices.Contains(f.Extensions, extension(path)) })
	if i < 0 {
		return Format{}, false
	}
	return Formats[i], true
}

// text tells whether the format is any columns of text.
func (f Format) text() bool { return f.takes("column") }

// extension is the extension of a file in lower case.
func extension(path string) string { return strings.ToLower(filepath.Ext(path)) }

// extensions are the extensions of all formats, in the order that a record is looked for.
func extensions() (list []string) {
	for _, f := range Formats {
		list = append(list, f.Extensions...)
	}
	return list
}

// takes tells whether a key means something for the format.
func (f Format) takes(key string) bool { return slices.Contains(f.Keys, key) }

// refuse is the error of a key that the format does not take: it says which formats do.
func refuse(key string, value any) error {
	var takers []string
	for _, f := range Formats {
		if f.takes(key) {
			takers = append(takers, fmt.Sprintf("%s files (%s)", strings.ToUpper(f.Name), strings.Join(f.Extensions, " ")))
		}
	}
	return &KeyError{key, value, fmt.Sprintf("none, because only %s take the key %s", strings.Join(takers, ", "), key)}
}
