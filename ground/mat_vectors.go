package ground

import (
	"fmt"
	"io"
)

// Vector is a named list of numbers of a MAT-file.
type Vector struct {
	Name   string
	Values []float64
}

// ReadMATVectors reads every real numeric vector of a MATLAB v5 MAT-file, in the
// order of the file; of a matrix, the columns (rows, where there are fewer of
// them) as name_1, name_2, …. Scalars, texts, and what stands inside structures
// and cells are left out. A file without vectors is an error that lists what it
// holds.
func ReadMATVectors(r io.Reader, name string) ([]Vector, error) {
	f, err := openMAT(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var out []Vector
	for _, v := range f.vars {
		if !v.isNumeric() {
			continue
		}
		data, err := f.values(v)
		if err != nil {
			return nil, fmt.Errorf("%s: byte %d: variable %s: %w", name, v.offset, v.name, err)
		}
		out = append(out, split(v, data)...)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no real numeric vectors; the file holds %s", name, listVariables(f.vars))
	}
	return out, nil
}

// most signals a matrix may be split into.
const maxSignals = 1000

// isNumeric tells whether the array is vectors of two or more real numbers.
func (v matVariable) isNumeric() bool {
	return v.class >= 6 && v.class <= 15 && !v.complex && len(v.dims) == 2 &&
		max(v.dims[0], v.dims[1]) >= 2 && min(v.dims[0], v.dims[1]) >= 1 && min(v.dims[0], v.dims[1]) <= maxSignals
}

// split separates a column-major array along its longer side.
func split(v matVariable, data []float64) []Vector {
	rows, columns := v.dims[0], v.dims[1]
	n, count, next, along := rows, columns, rows, 1
	if columns > rows {
		n, count, next, along = columns, rows, 1, rows
	}
	if count == 1 {
		return []Vector{{v.name, data}}
	}
	out := make([]Vector, count)
	for i := range out {
		out[i] = Vector{fmt.Sprintf("%s_%d", v.name, i+1), make([]float64, n)}
		for k := range n {
			out[i].Values[k] = data[i*next+k*along]
		}
	}
	return out
}
