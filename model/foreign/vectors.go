package foreign

import (
	"fmt"
	"io"
	"slices"
)

// ReadMATVectors lists every real numeric vector of a MATLAB MAT-file or HDF5 file, in the order of the file; of a
// matrix, the columns (rows, where there are fewer of them) as name_1, name_2, …. Vectors inside structures and cells are
// called as MATLAB does: out.time, c{2}. Scalars and texts are left out, and so are tables, timetables and other
// objects. A file without vectors is an error that lists what it holds. name is for errors.
func ReadMATVectors(r io.ReaderAt, size int64, name string) (*Columns, error) {
	f, err := openMAT(r, size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	out := &Columns{Left: f.Left}
	var parts []vectors
	for _, v := range f.Vars {
		if !isVectors(v) {
			if why := whyNone(v); why != "" {
				out.Left = append(out.Left, LeftOut{v.Name, why})
			}
			continue
		}
		p := vectors{of: []Variable{v}, first: len(out.List)}
		if k := len(parts) - 1; k >= 0 && v.array != nil && parts[k].of[0].array == v.array && v.inBands() {
			parts[k].of = append(parts[k].of, v)
		} else {
			parts = append(parts, p)
		}
		out.List = append(out.List, v.columns()...)
	}
	out.read = func(put func(int, []float64) error) error {
		for _, p := range parts {
			err := p.read(f, func(i int, values []float64) error { return put(p.first+i, values) })
			if err != nil {
				return fmt.Errorf("%s: %s: %w", name, p.of[0].Place(), err)
			}
		}
		return nil
	}
	if len(out.List) == 0 {
		hint := ""
		if len(out.Left) > 0 {
			hint = "; " + ListLeft(out.Left, "")
		}
		if slices.ContainsFunc(f.Vars, func(v Variable) bool { return v.Class == mxOPAQUE }) {
			hint = ": " + fromTable
		}
		return nil, fmt.Errorf("%s: no real numeric vectors; the file holds %s%s", name, ListVariables(f.Vars), hint)
	}
	return out, nil
}

// vectors are variables that are read together: several only of one dataset.
type vectors struct {
	of    []Variable
	first int // column
}

// read reads the columns.
func (p vectors) read(f *MATFile, put func(column int, values []float64) error) error {
	v := p.of[0]
	if v.inBands() {
		fields := make([]field5, len(p.of))
		for i, v := range p.of {
			fields[i] = v.field
		}
		return v.array.signals(fields, put)
	}
	data, err := f.Values(v, maxVector)
	if err != nil {
		return err
	}
	for i, values := range split(v, data) {
		if err := put(i, values); err != nil {
			return err
		}
	}
	return nil
}

// inBands tells whether the columns of a dataset go on in the direction in which it is read.
func (v Variable) inBands() bool {
	return v.array != nil && (v.field.count == 1 || v.Dims[1] >= v.Dims[0])
}

// columns are the vectors of an array.
func (v Variable) columns() (out []Column) {
	n, count := max(v.Dims[0], v.Dims[1]), min(v.Dims[0], v.Dims[1])
	if count == 1 {
		return []Column{{Name: v.Name, Unit: v.Unit, N: n}}
	}
	for i := range count {
		out = append(out, Column{Name: fmt.Sprintf("%s_%d", v.Name, i+1), Unit: v.Unit, N: n})
	}
	return out
}

// A matrix is split into at most so many signals, of so many numbers in all.
const (
	maxSignals = 1000
	maxVector  = 1 << 24
)

// isVectors tells whether the array is vectors of two or more numbers.
func isVectors(v Variable) bool {
	return v.Numeric() && max(v.Dims[0], v.Dims[1]) >= 2 && min(v.Dims[0], v.Dims[1]) >= 1 &&
		min(v.Dims[0], v.Dims[1]) <= maxSignals
}

// whyNone is why an array of numbers is no vectors; "" of a scalar, and of what holds no numbers.
func whyNone(v Variable) string {
	switch {
	case v.Complex:
		return "complex numbers: want real and imag apart"
	case v.Class == mxSPARSE:
		return "a sparse matrix: want full of it"
	case v.Class >= 6 && v.Class <= 15 && len(v.Dims) > 2:
		return fmt.Sprintf("numbers of %d dimensions: want one or two, as by squeeze", len(v.Dims))
	case v.Numeric() && min(v.Dims[0], v.Dims[1]) > maxSignals:
		return fmt.Sprintf("a matrix of %d by %d: want at most %d columns", v.Dims[0], v.Dims[1], maxSignals)
	}
	return ""
}

// split separates a column-major array along its longer side.
func split(v Variable, data []float64) [][]float64 {
	rows, columns := v.Dims[0], v.Dims[1]
	n, count, next, along := rows, columns, rows, 1
	if columns > rows {
		n, count, next, along = columns, rows, 1, rows
	}
	if count == 1 {
		return [][]float64{data}
	}
	out := make([][]float64, count)
	for i := range out {
		out[i] = make([]float64, n)
		for k := range n {
			out[i][k] = data[i*next+k*along]
		}
	}
	return out
}
