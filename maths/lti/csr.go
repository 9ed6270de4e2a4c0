package lti

import (
	"cmp"
	"fmt"
	"slices"
)

// CSR is a square sparse matrix stored by rows, for finite-element models. It does not
// change once made; its products allocate nothing.
type CSR struct {
	n     int
	start []int32 // row i is start[i] to start[i+1] of col and v
	col   []int32 // ascending within a row
	v     []float64
}

// Entry is one contribution to a sparse matrix.
type Entry struct {
	Row, Col int
	V        float64
}

// NewCSR assembles an n × n matrix: entries at the same place add up, in the
// order given, so that mirrored entries of a symmetric matrix get the same bits.
// Diagonal places exist even where nothing was added.
func NewCSR(n int, entries []Entry) *CSR {
	sorted := slices.Clone(entries)
	for i := range n {
		sorted = append(sorted, Entry{Row: i, Col: i})
	}
	slices.SortStableFunc(sorted, func(a, b Entry) int {
		if c := cmp.Compare(a.Row, b.Row); c != 0 {
			return c
		}
		return cmp.Compare(a.Col, b.Col)
	})
	a := &CSR{n: n, start: make([]int32, n+1)}
	row, col := -1, -1
	for _, e := range sorted {
		if e.Row < 0 || e.Row >= n || e.Col < 0 || e.Col >= n {
			panic(fmt.Sprintf("lti: entry at row %d, column %d of a sparse matrix of %d rows", e.Row, e.Col, n))
		}
		if e.Row == row && e.Col == col {
			a.v[len(a.v)-1] += e.V
			continue
		}
		row, col = e.Row, e.Col
		a.v, a.col = append(a.v, e.V), append(a.col, int32(col))
		a.start[row+1]++
	}
	for i := range n {
		a.start[i+1] += a.start[i]
	}
	return a
}

// Rows is the number of rows and columns.
func (a *CSR) Rows() int { return a.n }

// At is the entry of row i and column j, from 0.
func (a *CSR) At(i, j int) float64 {
	from, to := a.start[i], a.start[i+1]
	if at, ok := slices.BinarySearch(a.col[from:to], int32(j)); ok {
		return a.v[int(from)+at]
	}
	return 0
}

// Each visits the entries row by row, columns ascending; indices count from 0.
func (a *CSR) Each(visit func(i, j int, v float64)) {
	for i := range a.n {
		for p := a.start[i]; p < a.start[i+1]; p++ {
			visit(i, int(a.col[p]), a.v[p])
		}
	}
}

// MulVec sets y = A x; y and x must not overlap.
func (a *CSR) MulVec(y, x []float64) {
	y, x = y[:a.n], x[:a.n]
	from := a.start[0]
	for i, to := range a.start[1:] {
		v, col := a.v[from:to], a.col[from:to]
		sum := 0.0
		for j, c := range col[:len(v)] {
			sum += v[j] * x[c]
		}
		y[i], from = sum, to
	}
}

// Shifted returns s A + diag(d) in new memory.
func (a *CSR) Shifted(s float64, d []float64) *CSR {
	out := &CSR{n: a.n, start: a.start, col: a.col, v: make([]float64, len(a.v))}
	for i := range a.n {
		for j := a.start[i]; j < a.start[i+1]; j++ {
			out.v[j] = s * a.v[j]
			if int(a.col[j]) == i {
				out.v[j] += d[i]
			}
		}
	}
	return out
}

// HalfBandwidth is the number of diagonals below the main one that hold the
// entries other than zero.
func (a *CSR) HalfBandwidth() int {
	most := 0
	for i := range a.n {
		for j := a.start[i]; j < a.start[i+1]; j++ {
			if a.v[j] != 0 {
				most = max(most, i-int(a.col[j]), int(a.col[j])-i)
			}
		}
	}
	return most
}

// Without is A without some rows and the columns of the same numbers, in new memory.
func (a *CSR) Without(drop []int) *CSR {
	to, n := make([]int32, a.n), int32(0) // new numbers
	for i := range to {
		if to[i] = -1; !slices.Contains(drop, i) {
			to[i], n = n, n+1
		}
	}
	out := &CSR{n: int(n), start: make([]int32, 1, n+1)}
	for i := range a.n {
		if to[i] < 0 {
			continue
		}
		for p := a.start[i]; p < a.start[i+1]; p++ {
			if j := to[a.col[p]]; j >= 0 {
				out.v, out.col = append(out.v, a.v[p]), append(out.col, j)
			}
		}
		out.start = append(out.start, int32(len(out.v)))
	}
	return out
}
