package foreign

import (
	"fmt"
	"io"
	"slices"
)

// Vector is a named list of numbers of a MAT-file.
type Vector struct {
	Name   string
	Values []float64
	Unit   string // "" where the file states none
}

// ReadMATVectors reads every real numeric vector of a MATLAB v5 MAT-file, in the
// order of the file; of a matrix, the columns (rows, where there are fewer of
// them) as name_1, name_2, …. Vectors inside structures and cells are called as MATLAB
// does: out.time, c{2}. Scalars and texts are left out, and so are tables, timetables and other
// objects; left says which datasets of an HDF5 file are, and why. A file without vectors is an error that lists what it holds.
func ReadMATVectors(r io.Reader, name string) (list []Vector, left []string, err error) {
	f, err := OpenMAT(r)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	for _, v := range f.Vars {
		if !isVectors(v) {
			continue
		}
		data, err := f.Values(v, maxVector)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: byte %d: variable %s: %w", name, v.Offset, v.Name, err)
		}
		list = append(list, split(v, data)...)
	}
	if len(list) == 0 {
		hint := ""
		if slices.ContainsFunc(f.Vars, func(v Variable) bool { return v.Class == mxOPAQUE }) {
			hint = ": want the numbers of a table or timetable T, saved in MATLAB by s = table2struct(timetable2table(T), " +
				"'ToScalar', true); save('numbers.mat', '-struct', 's')"
		}
		return nil, nil, fmt.Errorf("%s: no real numeric vectors; the file holds %s%s", name, ListVariables(f.Vars), hint)
	}
	return list, f.Left, nil
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

// split separates a column-major array along its longer side.
func split(v Variable, data []float64) []Vector {
	rows, columns := v.Dims[0], v.Dims[1]
	n, count, next, along := rows, columns, rows, 1
	if columns > rows {
		n, count, next, along = columns, rows, 1, rows
	}
	if count == 1 {
		return []Vector{{v.Name, data, v.Unit}}
	}
	out := make([]Vector, count)
	for i := range out {
		out[i] = Vector{fmt.Sprintf("%s_%d", v.Name, i+1), make([]float64, n), v.Unit}
		for k := range n {
			out[i].Values[k] = data[i*next+k*along]
		}
	}
	return out
}
