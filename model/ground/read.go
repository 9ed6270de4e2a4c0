package ground

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"rths/maths/words"
)

// Files is how sources get at files: this package opens none itself.
type Files interface {
	Open(path string, atMost int64) (io.ReadCloser, error) // a plain file of at most so many bytes
	Names(folder string) ([]string, error)                 // of the files in a folder
}

// Read reads a motion from a file (see Formats). The motion's name is the file's without folder and extension, but with
// the extension where it is the component.
func (at At) Read(path string, want Want) (Motion, error) {
	r, format, err := at.open(path, want.Format)
	if err != nil {
		return Motion{}, err
	}
	defer r.Close()
	c := Conditioning{Chan: want.Part, Columns: Columns{want.Column, want.Time, want.Skip}, Unit: want.Unit, Dt: want.Dt}
	if format.takes("variable") {
		c.Var, c.Chan = want.Part, ""
	}
	return c.take(r, format, path)
}

// file reads the motion as it stands in the file.
func (c Conditioning) file(at At, path string) (Motion, error) {
	r, format, err := at.open(path, c.Format)
	if err != nil {
		return Motion{}, err
	}
	defer r.Close()
	return c.take(r, format, path)
}

// opened is a file whose beginning has been looked at.
type opened struct {
	*bufio.Reader
	io.Closer
}

// open opens a file and finds its format: by its name, else by the extension; what the file begins with counts more
// than an extension of text, and alone where the extension says nothing.
func (at At) open(path, name string) (io.ReadCloser, Format, error) {
	f, err := at.Files.Open(path, maxFile)
	if err != nil {
		return nil, Format{}, err
	}
	r := opened{bufio.NewReader(f), f}
	head, _ := r.Peek(headOfFormat) // an error of f comes again
	format, err := formatOf(path, name, string(head))
	if err != nil {
		f.Close()
		return nil, Format{}, err
	}
	return r, format, nil
}

// headOfFormat is the number of bytes in which a format is looked for.
const headOfFormat = 2048

// take reads a file of a format.
func (c Conditioning) take(r io.Reader, format Format, path string) (Motion, error) {
	switch {
	case c.Var != "" && !format.takes("variable"):
		return Motion{}, refuse("variable", c.Var)
	case c.Chan != "" && !format.takes("channel"):
		return Motion{}, refuse("channel", c.Chan)
	case c.Col != "" && !format.takes("column"):
		return Motion{}, refuse("column", c.Col)
	case c.Time != "" && !format.takes("time"):
		return Motion{}, refuse("time", c.Time)
	case c.Skip != 0 && !format.takes("skip"):
		return Motion{}, refuse("skip", c.Skip)
	case c.Dt != 0 && !format.takes("dt_s"):
		return Motion{}, refuse("dt_s", c.Dt)
	case c.Unit != "" && !format.takes("unit"):
		return Motion{}, fmt.Errorf("%s: unit %q: want none, because %s files hold accelerations and state their unit", path,
			c.Unit, extension(path))
	}
	m, err := format.Read(r, path, Want{Part: cmp.Or(c.Var, c.Chan), Column: c.Col, Time: c.Time, Skip: c.Skip,
		Unit: c.Unit,
		Dt:   c.Dt})
	if err != nil {
		return Motion{}, err
	}
	if c.Unit != asIs {
		m.Notes = append(m.Notes, m.doubt()...)
	}
	if m.Name = stem(path); format.Component {
		m.Name = filepath.Base(path)
	}
	return m, nil
}

// Find returns the path of the record of the given name in the folder of records:
// the file of exactly that name, else the name with the first extension of Formats.
// Upper and lower case are the same, in name and extension. A name that several
// components share is an error, and so is one that is not there: the error lists the
// records there are.
func (at At) Find(name string) (path string, err error) {
	dir := at.RecordsDir
	if dir == "" {
		return "", fmt.Errorf("record %q: the folder of records is not known: set RTHS_RECORDS or --records", name)
	}
	files, err := at.Files.Names(dir)
	if err != nil {
		return "", fmt.Errorf("record %q: %w: set RTHS_RECORDS or --records to the folder of records", name, err)
	}
	ranks := extensions()
	rank := func(file string) int { return slices.Index(ranks, extension(file)) }
	var names, alike []string
	for _, file := range files {
		if rank(file) < 0 {
			continue
		}
		names = append(names, file)
		switch {
		case strings.EqualFold(file, name):
			return filepath.Join(dir, file), nil
		case strings.EqualFold(stem(file), name):
			alike = append(alike, file)
		}
	}
	if len(alike) == 0 {
		hint := ""
		if near := words.Nearest(name, stems(names)); near != "" {
			hint = fmt.Sprintf(" (did you mean %s?)", near)
		}
		return "", fmt.Errorf("record %q%s: want one of those in %s: %s", name, hint, dir,
			cmp.Or(listNames(names), "no file "+strings.Join(ranks, " ")))
	}
	slices.SortStableFunc(alike, func(a, b string) int { return rank(a) - rank(b) })
	if f, ok := byExtension(alike[0]); ok && f.Component && len(alike) > 1 {
		return "", fmt.Errorf("record %q: want one of its components: %s", name, strings.Join(alike, ", "))
	}
	return filepath.Join(dir, alike[0]), nil
}

// listNames is for errors: the first of the names.
func listNames(names []string) string {
	if more := len(names) - 40; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:40], ", "), more)
	}
	return strings.Join(names, ", ")
}

// stems are the names of files without extension.
func stems(files []string) (out []string) {
	for _, file := range files {
		out = append(out, stem(file))
	}
	return out
}

// stem is a file's name without folder and extension.
func stem(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}
