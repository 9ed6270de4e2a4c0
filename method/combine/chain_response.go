package combine

import (
	"fmt"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
)

// partResponse is a frozen part of one actuator as a linear system, u = F r + B x, from
// target r and reading x.
type partResponse struct {
	system lti.SS
	sweep  *lti.Sweep // nil: no states
	rateHz float64
}

// mostStates is how many states of a part are looked at.
const mostStates = 2000

// linearised steps the part once from every unit state and with every unit input. What it
// remembers stays as it was.
func linearised(c rths.Compensator, rateHz float64) (*partResponse, error) {
	before := rths.AppendState(nil, c)
	defer rths.SetState(before, c)
	defer still(c)()
	n := len(before)
	if n > mostStates {
		return nil, fmt.Errorf("%d states: want at most %d", n, mostStates)
	}
	m := mat.NewDense(n+1, n+2, nil)
	step := tickOf(c, n)
	in := make([]float64, n+2)
	for j := range in {
		in[j] = 1
		m.SetCol(j, step(in))
		in[j] = 0
	}
	kept := seen(m, n)
	if !isLinear(m, kept, step) {
		return nil, fmt.Errorf("it is not linear")
	}
	return newPartResponse(m, kept, rateHz), nil
}

// still freezes and idealises a part, and returns what undoes it.
func still(c rths.Compensator) (undo func()) {
	set := func(on bool) {
		if a, ok := rths.As[rths.Adaptive](c); ok {
			a.Freeze(on)
		}
		if i, ok := rths.As[rths.Idealiser](c); ok {
			i.Idealise(on)
		}
	}
	set(true)
	return func() { set(false) }
}

// tickOf is the map of a tick: n states, target and reading to n states and the command.
func tickOf(c rths.Compensator, n int) func(in []float64) []float64 {
	target, read, command := rths.NewMotion(1), rths.NewReading(1, 1), make([]float64, 1)
	return func(in []float64) []float64 {
		rths.SetState(in[:n], c)
		target.X[0], read.X[0] = in[n], in[n+1]
		c.Step(command, &target, &read)
		return append(rths.AppendState(nil, c), command[0])
	}
}

// seen are the states that reach the command, by the zeros of the map.
func seen(m *mat.Dense, n int) (kept []int) {
	reaches, next := make([]bool, n), []int{n}
	for len(next) > 0 {
		row := m.RawRowView(next[0])
		next = next[1:]
		for j := range n {
			if row[j] != 0 && !reaches[j] {
				reaches[j], next = true, append(next, j)
			}
		}
	}
	for j, yes := range reaches {
		if yes {
			kept = append(kept, j)
		}
	}
	return kept
}

// isLinear compares a step from some state with the map.
func isLinear(m *mat.Dense, kept []int, step func([]float64) []float64) bool {
	rows, columns := m.Dims()
	in := make([]float64, columns)
	for _, j := range append(append([]int{}, kept...), rows-1, rows) {
		in[j] = math.Sin(1 + float64(j))
	}
	out := step(in)
	for _, i := range append(append([]int{}, kept...), rows-1) {
		want, size := 0.0, 0.0
		for j, v := range m.RawRowView(i) {
			want, size = want+v*in[j], size+math.Abs(v*in[j])
		}
		if !(math.Abs(out[i]-want) <= 1e-9*size) {
			return false
		}
	}
	return true
}

func newPartResponse(m *mat.Dense, kept []int, rateHz float64) *partResponse {
	n, k := m.RawMatrix().Rows-1, len(kept)
	r := &partResponse{rateHz: rateHz}
	r.system = lti.SS{D: mat.NewDense(1, 2, []float64{m.At(n, n), m.At(n, n+1)}), Dt: 1 / rateHz}
	if k == 0 {
		return r
	}
	a, b, c := mat.NewDense(k, k, nil), mat.NewDense(k, 2, nil), mat.NewDense(1, k, nil)
	for i, from := range kept {
		for j, to := range kept {
			a.Set(i, j, m.At(from, to))
		}
		b.SetRow(i, []float64{m.At(from, n), m.At(from, n+1)})
		c.Set(0, i, m.At(n, from))
	}
	r.system.A, r.system.B, r.system.C = a, b, c
	r.sweep = r.system.Sweep()
	return r
}

// at is F and B at a frequency.
func (r *partResponse) at(hz float64) (f, b complex128, err error) {
	if r.sweep == nil {
		return complex(r.system.D.At(0, 0), 0), complex(r.system.D.At(0, 1), 0), nil
	}
	g, err := r.sweep.At(cmplx.Exp(complex(0, 2*math.Pi*hz/r.rateHz)))
	if err != nil {
		return 0, 0, err
	}
	return g.At(0, 0), g.At(0, 1), nil
}

// feedsBack reports whether the reading reaches the command.
func (r *partResponse) feedsBack() bool {
	if r.system.D.At(0, 1) != 0 {
		return true
	}
	if r.sweep == nil {
		return false
	}
	n, _ := r.system.B.Dims()
	for i := range n {
		if r.system.B.At(i, 1) != 0 {
			return true
		}
	}
	return false
}
