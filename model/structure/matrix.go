package structure

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
)

// FromFile names the file that a matrix or a vector is read from.
type FromFile struct {
	File     string `yaml:"file" doc:"path of a file in place of the numbers: .csv, .txt or .dat, rows of text; .mtx, Matrix Market; .mat, MATLAB version 5; a relative one starts at the scenario's folder"`
	Variable string `yaml:"variable,omitempty" doc:"array to take from a .mat file of several; left out: the only one of the right shape"`

	read *Table // what Read has found
}

// Matrix is a square matrix that a scenario gives by rows or in a file.
type Matrix struct {
	Rows     [][]float64 `yaml:"-"`
	FromFile `yaml:",inline"`
}

// Rows is a matrix by rows.
func Rows(rows [][]float64) Matrix { return Matrix{Rows: rows} }

// List is where the numbers of a scenario go.
func (m *Matrix) List() any { return &m.Rows }

// Given reports whether the scenario has the matrix.
func (m *Matrix) Given() bool { return m.Rows != nil || m.File != "" }

// Vector is a list of numbers that a scenario gives as it is or in a file of one row or one column.
type Vector struct {
	Values   []float64 `yaml:"-"`
	FromFile `yaml:",inline"`
}

// List is where the numbers of a scenario go.
func (v *Vector) List() any { return &v.Values }

// Files is how structures get at files: this package opens none itself.
type Files interface {
	Open(path string, atMost int64) (io.ReadCloser, error) // a plain file of at most so many bytes
}

// At tells a structure where its files are.
type At struct {
	Files   Files
	BaseDir string // folder of the scenario file; a relative file starts here

	// Recall, if given, may keep what read finds under a key, and give that again. It says who opens the file.
	Recall func(key string, read func(Files) (*Table, error)) (*Table, error)
}

// FileReader is a Maker whose matrices may stand in files. Read reads them, before Make; the
// error of a file is a *KeyError.
type FileReader interface{ Read(at At) error }

// KeyError is an error in the file of a key of the block structure, as in mass or damping.matrix.
type KeyError struct {
	Key string
	Err error
}

// Error says the key first.
func (e *KeyError) Error() string { return e.Key + ": " + e.Err.Error() }

// Unwrap is the error of the file.
func (e *KeyError) Unwrap() error { return e.Err }

// Read reads the file, if the vector has one, unless it was read before.
func (v *Vector) Read(key string, at At) error { return v.FromFile.load(key, at, true) }

// load reads the file, if there is one and it was not read.
func (f *FromFile) load(key string, at At, vector bool) (err error) {
	switch {
	case f.read != nil:
		return nil
	case f.File == "" && f.Variable != "":
		return &KeyError{key, errors.New("variable without file: want the path of a .mat file too")}
	case f.File == "":
		return nil
	}
	path := f.File
	if !filepath.IsAbs(path) {
		path = filepath.Join(at.BaseDir, path)
	}
	read := func(from Files) (*Table, error) { return readTable(from, path, f.Variable, vector) }
	if at.Recall == nil {
		f.read, err = read(at.Files)
	} else {
		f.read, err = at.Recall(fmt.Sprintf("%q %q %t", path, f.Variable, vector), read)
	}
	if err != nil {
		return &KeyError{key, err}
	}
	return nil
}

// loaded are keys with what may stand in their files.
type loaded []struct {
	key string
	of  *FromFile
}

func (l loaded) read(at At) error {
	for _, k := range l {
		if err := k.of.load(k.key, at, k.key == "influence"); err != nil {
			return err
		}
	}
	return nil
}

// Read reads the matrices that stand in files.
func (p *Matrices) Read(at At) error {
	return loaded{{"mass", &p.Mass.FromFile}, {"stiffness", &p.Stiffness.FromFile},
		{"damping.matrix", &p.Damping.Matrix.FromFile}, {"influence", &p.Influence.FromFile}}.read(at)
}

// Read reads a damping matrix that stands in a file.
func (p *Shear) Read(at At) error {
	return loaded{{"damping.matrix", &p.Damping.Matrix.FromFile}}.read(at)
}

// errNotRead is a mistake of a caller.
func errNotRead(name, file string) error {
	return fmt.Errorf("%s matrix: the file %s has not been read", name, file)
}

// Numbers are the numbers of a vector, a copy; nil: it is not given. A file has to be read before.
func (v *Vector) Numbers() ([]float64, error) {
	switch {
	case v.File == "":
		return slices.Clone(v.Values), nil
	case v.read == nil:
		return nil, errNotRead("influence", v.File)
	}
	return v.read.dense(), nil
}

// size is the number of rows.
func (m *Matrix) size() int {
	if m.read != nil {
		return m.read.rows
	}
	return len(m.Rows)
}

// dense is the matrix as it is given, with all numbers.
func (m *Matrix) dense(name string) (*mat.Dense, error) {
	switch {
	case m.File == "":
		return dense(name, m.Rows)
	case m.read == nil:
		return nil, errNotRead(name, m.File)
	}
	return mat.NewDense(m.read.rows, m.read.cols, m.read.dense()), nil
}

// isSparse reports whether the file of the matrix has entries alone.
func (m *Matrix) isSparse() bool { return m.read != nil && m.read.full == nil }

// definite is a symmetric matrix without negative eigenvalues, by its entries. A band that takes too much room is
// refused before the matrix is factorised.
func (m *Matrix) definite(name string, n int) (*lti.CSR, error) {
	a, err := m.csr(name, n)
	if err != nil {
		return nil, err
	}
	if band := a.HalfBandwidth(); n*(band+1) > mostNumbers {
		return nil, fmt.Errorf("%s matrix of %d rows has a band of %d on each side of the diagonal (%s), %.3g numbers: "+
			"want at most %d; number the degrees of freedom so that neighbours have near numbers, as symrcm does in MATLAB",
			name, n, band, farthest(a), float64(n)*float64(band+1), mostNumbers)
	}
	_, err = semidefinite(name, a, asymmetry)
	return a, err
}

// farthest says which entry is farthest from the diagonal.
func farthest(a *lti.CSR) string {
	row, col := 0, 0
	a.Each(func(i, j int, v float64) {
		if v != 0 && i-j > row-col {
			row, col = i, j
		}
	})
	return fmt.Sprintf("entry (%d,%d)", row+1, col+1)
}

// lumpedSparse is the diagonal of a mass matrix with mass at every degree of freedom and no mass beside the
// diagonal. For any other matrix it says which condition fails.
func lumpedSparse(m *lti.CSR) (masses []float64, why string) {
	masses = make([]float64, m.Rows())
	m.Each(func(i, j int, v float64) {
		switch {
		case i == j:
			masses[i] = v
		case v != 0 && why == "":
			why = fmt.Sprintf("the mass matrix is not lumped: entry (%d,%d) is %g kg", i+1, j+1, v)
		}
	})
	if at := slices.IndexFunc(masses, func(v float64) bool { return !(v > 0) }); at >= 0 && why == "" {
		why = fmt.Sprintf("degree of freedom %d has no mass", at+1)
	}
	return masses, why
}

// denseOf is a sparse matrix with all numbers.
func denseOf(a *lti.CSR) *mat.Dense {
	out := mat.NewDense(a.Rows(), a.Rows(), nil)
	a.Each(out.Set)
	return out
}

// entries are those of a matrix, in any order.
func (m *Matrix) entries() []lti.Entry {
	if m.read != nil {
		return m.read.list()
	}
	var out []lti.Entry
	for i, row := range m.Rows {
		for j, v := range row {
			if v != 0 {
				out = append(out, lti.Entry{Row: i, Col: j, V: v})
			}
		}
	}
	return out
}

// csr is a symmetric matrix by its entries; mirrored ones get the same value.
func (m *Matrix) csr(name string, n int) (*lti.CSR, error) {
	if m.File != "" && m.read == nil {
		return nil, errNotRead(name, m.File)
	}
	if rows := m.size(); rows != n {
		return nil, fmt.Errorf("%s matrix of %d × %d: want %d × %d", name, rows, rows, n, n)
	}
	for i, row := range m.Rows {
		if len(row) != n {
			return nil, ragged(name, i, len(row), n)
		}
	}
	entries, largest := m.entries(), 0.0
	for _, e := range entries {
		if !rths.Finite(e.V) {
			return nil, fmt.Errorf("%s matrix has an entry %g: want finite numbers", name, e.V)
		}
		largest = max(largest, math.Abs(e.V))
	}
	given := lti.NewCSR(n, entries)
	both := make([]lti.Entry, 0, 2*len(entries))
	for _, e := range entries {
		mirrored := given.At(e.Col, e.Row)
		if math.Abs(e.V-mirrored) > asymmetry*largest {
			return nil, asymmetric(name, e.Row, e.Col, e.V, mirrored)
		}
		both = append(both, lti.Entry{Row: e.Row, Col: e.Col, V: e.V / 2}, lti.Entry{Row: e.Col, Col: e.Row, V: e.V / 2})
	}
	return lti.NewCSR(n, both), nil
}

// ragged is the error of row i (from 0) that has not n numbers.
func ragged(name string, i, found, n int) error {
	return fmt.Errorf("%s matrix: row %d has %d entries: want %d", name, i+1, found, n)
}

// asymmetric is the error of two mirrored entries that differ; indices count from 0.
func asymmetric(name string, i, j int, v, mirrored float64) error {
	if i < j {
		i, j, v, mirrored = j, i, mirrored, v
	}
	return fmt.Errorf("%s matrix is not symmetric: entry (%d,%d) is %g, (%d,%d) is %g", name, i+1, j+1, v, j+1, i+1,
		mirrored)
}
