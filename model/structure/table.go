package structure

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"rths/maths/lti"
	"rths/model/foreign"
)

// Table is what a file of numbers holds: all numbers, or the entries of a sparse matrix. Nobody changes one.
type Table struct {
	rows, cols int
	full       []float64 // by rows; nil: entries
	entries    []lti.Entry
}

// Bounds of files.
const (
	mostFile = 2 << 30    // bytes
	mostFull = 25_000_000 // numbers of a matrix that is held with all of them: 5000 × 5000, 200 MB
	mostRows = 1_000_000  // of a sparse matrix
)

var errFull = fmt.Errorf(
	"at most %d numbers are held one by one: want a sparse matrix, as a Matrix Market file (coordinate) or a .mat "+
		"file may have", mostFull)

// readTable reads a file by its extension, for a square matrix or for a vector.
func readTable(f Files, path, variable string, vector bool) (*Table, error) {
	extension := strings.ToLower(filepath.Ext(path))
	read := map[string]func(io.Reader) (*Table, error){
		".csv": readRows, ".txt": readRows, ".dat": readRows, ".mtx": readMatrixMarket,
		".mat": func(r io.Reader) (*Table, error) { return readMAT(r, variable, vector) },
	}[extension]
	switch {
	case read == nil:
		return nil, fmt.Errorf("file %s: extension %q: want .csv, .txt, .dat, .mtx or .mat", path, extension)
	case variable != "" && extension != ".mat":
		return nil, fmt.Errorf("variable %q: want none, because only .mat files have names for their arrays", variable)
	}
	file, err := f.Open(path, mostFile)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	t, err := read(file)
	if err == nil {
		err = t.wanted(vector)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// Size is the count of numbers that the table takes room for.
func (t *Table) Size() int { return len(t.full) + 3*len(t.entries) }

// wanted refuses another shape.
func (t *Table) wanted(vector bool) error {
	switch {
	case vector && t.rows != 1 && t.cols != 1:
		return fmt.Errorf("found %d rows and %d columns: want one row or one column", t.rows, t.cols)
	case !vector && t.rows != t.cols:
		return fmt.Errorf("found %d rows and %d columns: want a square matrix", t.rows, t.cols)
	}
	return nil
}

// dense are all numbers by rows, in new memory.
func (t *Table) dense() []float64 {
	out := make([]float64, t.rows*t.cols)
	copy(out, t.full)
	for _, e := range t.entries {
		out[e.Row*t.cols+e.Col] = e.V
	}
	return out
}

// list are the entries that are not zero, in new memory.
func (t *Table) list() (out []lti.Entry) {
	for i, v := range t.full {
		if v != 0 {
			out = append(out, lti.Entry{Row: i / t.cols, Col: i % t.cols, V: v})
		}
	}
	return append(out, t.entries...)
}

// readMAT reads a matrix or vector of a MATLAB v5 file, full or sparse.
func readMAT(r io.Reader, variable string, vector bool) (*Table, error) {
	f, err := foreign.OpenMAT(r)
	if err != nil {
		return nil, err
	}
	v, err := chooseArray(f.Vars, variable, vector)
	if err != nil {
		return nil, err
	}
	t := &Table{rows: v.Dims[0], cols: v.Dims[1]}
	if v.Sparse() {
		err = t.fillSparse(f, v)
	} else {
		err = t.fillFull(f, v)
	}
	if err != nil {
		return nil, fmt.Errorf("variable %s: %w", v.Name, err)
	}
	return t, nil
}

// chooseArray is the array of the name, or the only one of the right shape.
func chooseArray(vars []foreign.Variable, name string, vector bool) (foreign.Variable, error) {
	want, fits := "a square matrix of real numbers", func(v foreign.Variable) bool { return v.Dims[0] == v.Dims[1] }
	if vector {
		want, fits = "a vector of real numbers", func(v foreign.Variable) bool { return min(v.Dims[0], v.Dims[1]) == 1 }
	}
	var found []foreign.Variable
	for _, v := range vars {
		suits := (v.Numeric() || v.Sparse()) && fits(v) && v.Dims[0]*v.Dims[1] > 0
		if name == "" && suits {
			found = append(found, v)
		}
		if name != "" && name == v.Name {
			if !suits {
				return v, fmt.Errorf("variable %s: want %s", v, want)
			}
			return v, nil
		}
	}
	switch {
	case name != "":
		return foreign.Variable{}, fmt.Errorf("no variable %q; the file holds %s", name, foreign.ListVariables(vars))
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0:
		return foreign.Variable{}, fmt.Errorf("want %s; the file holds %s", want, foreign.ListVariables(vars))
	}
	return foreign.Variable{},
		fmt.Errorf("found %d arrays that could be meant: want the name of one in the key variable; the file holds %s",
			len(found), foreign.ListVariables(vars))
}

// fillFull takes a full array, which the file has column by column.
func (t *Table) fillFull(f *foreign.MATFile, v foreign.Variable) error {
	values, err := f.Values(v, mostFull)
	if err != nil {
		return err
	}
	t.full = make([]float64, len(values))
	for j := range t.cols {
		for i := range t.rows {
			t.full[i*t.cols+j] = values[j*t.rows+i]
		}
	}
	return nil
}

// fillSparse takes a sparse array.
func (t *Table) fillSparse(f *foreign.MATFile, v foreign.Variable) error {
	if t.rows > mostRows || t.cols > mostRows {
		return fmt.Errorf("found %s: want at most %d rows", v, mostRows)
	}
	got, err := f.Triplets(v, mostFull)
	if err != nil {
		return err
	}
	for p, value := range got.V {
		t.entries = append(t.entries, lti.Entry{Row: got.Row[p], Col: got.Col[p], V: value})
	}
	return nil
}

var errNoNumbers = errors.New("found no numbers: want a matrix, a row of it in a line")
