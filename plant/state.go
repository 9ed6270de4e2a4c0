package plant

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/lti"
)

// held is a linear plant under a held command: [z'; …] = M [z; u], behind z' the
// outputs that are no states, at the end of the sample and with the command still
// on. Exact, so a finer step changes nothing.
type held struct {
	*lti.Recursion
	x, v, a, f int // places in Out
}

// newHeld discretises ż = A z + B u with one output row each for displacement,
// velocity, acceleration and force over [z; u], in continuous time.
func newHeld(a, b *mat.Dense, x, v, acc, f []float64, h float64) (*held, error) {
	phi, gamma, err := lti.ZOHInputs(a, b, h)
	if err != nil {
		return nil, fmt.Errorf("transfer system: %w", err)
	}
	nz, _ := phi.Dims()
	_, nu := gamma.Dims()
	next := mat.NewDense(nz, nz+nu, nil)
	next.Augment(phi, gamma)
	// An output row c z(t_k+1) + d u_k over [z_k; u_k] is c [Φ Γ] + [0 d].
	rows := [][]float64{}
	for i := range nz {
		rows = append(rows, next.RawRowView(i))
	}
	p := &held{}
	place := func(c []float64) int {
		if i := onlyState(c, nz); i >= 0 {
			return i
		}
		out := make([]float64, nz+nu)
		copy(out[nz:], c[nz:])
		for i := range nz {
			for j := range out {
				out[j] += c[i] * next.At(i, j)
			}
		}
		rows = append(rows, out)
		return len(rows) - 1
	}
	p.x, p.v, p.f, p.a = place(x), place(v), place(f), place(acc)
	m := mat.NewDense(len(rows), nz+nu, nil)
	for i, row := range rows {
		m.SetRow(i, row)
	}
	for _, v := range m.RawMatrix().Data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, errors.New("transfer system: its numbers are too large or too small to compute with: want time constants and stiffnesses of a real actuator")
		}
	}
	p.Recursion = lti.NewRecursion(m, nz)
	return p, nil
}

// onlyState is the state that a row over [z; u] picks, or −1.
func onlyState(c []float64, nz int) int {
	at := -1
	for i, v := range c {
		switch {
		case v == 0:
		case v == 1 && at < 0 && i < nz:
			at = i
		default:
			return -1
		}
	}
	return at
}

func (p *held) Step(now *rths.Reading, command []float64) {
	p.U[0] = command[0]
	p.Recursion.Step()
	p.read(now)
}

func (p *held) read(now *rths.Reading) {
	now.X[0], now.F[0] = p.Out[p.x], p.Out[p.f]
	if len(now.V) > 0 {
		now.V[0] = p.Out[p.v]
	}
	if len(now.A) > 0 {
		now.A[0] = p.Out[p.a]
	}
}

func (p *held) AppendState(dst []float64) []float64 { return append(dst, p.State()...) }

func (p *held) SetState(src []float64) []float64 { return src[copy(p.State(), src):] }
