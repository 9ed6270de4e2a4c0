package integrate

import (
	"fmt"
	"math"

	"rths"
	"rths/model/structure"
)

// yieldingAverage is average acceleration with yielding storeys. The linear step gives
// drifts δ_lin, and the excess r of the storeys at the end of the step changes them by −G r:
//
//	δ − δ_lin + G r(δ) = 0,  r = f(δ, z(δ)) − k₀ δ
//
// as many equations as storeys yield, where G is the flexibility of K + 4/h² M + 2/h C
// between their floors. Newton's method solves them with the tangents of the laws; z(δ)
// follows the line from the drift at the start of the step (device.Path).
type yieldingAverage struct {
	*Average
	*storeys
	forces  int         // of the interface
	g       [][]float64 // G, m/N
	from    []float64   // drifts at the start of the step
	linear  []float64   // δ_lin
	to      []float64   // δ
	excess  []float64   // r, N
	tangent []float64   // dr/dδ, N/m
	trial   [][]float64 // z(δ)
	newton  [][]float64 // I + G dr/dδ and, as last column, the residual
	err     error       // of a step that did not converge: no step after it
}

// A step takes at most mostIterations of Newton's method, until the residual of every drift
// is below closeEnough of drift and yield drift. Rounding is some 1e-15 of them.
const (
	mostIterations = 20
	closeEnough    = 1e-12
)

func newYieldingAverage(p *structure.Partition, h float64) (*yieldingAverage, error) {
	s, err := newStoreys(p, h)
	if err != nil {
		return nil, fmt.Errorf("average-acceleration: %w", err)
	}
	linear, err := newAverage(withFloors(p), h)
	if err != nil {
		return nil, err
	}
	m := len(s.list)
	y := &yieldingAverage{
		Average: linear, storeys: s, forces: len(p.Interface), from: make([]float64, m), linear: make([]float64, m),
		to: make([]float64, m), excess: make([]float64, m), tangent: make([]float64, m),
	}
	for i := range m {
		y.g, y.newton = append(y.g, make([]float64, m)), append(y.newton, make([]float64, m+1))
		y.trial = append(y.trial, make([]float64, len(s.z[i])))
	}
	for j := range m { // columns of G, from a unit excess
		clear(linear.in)
		s.pull(y.onFloors(), j, 1)
		linear.step.Apply(linear.d, linear.in)
		for i := range m {
			y.g[i][j] = -s.list[i].Drift(linear.d)
		}
	}
	clear(linear.in)
	return y, nil
}

// onFloors are the inputs of the linear step for forces on the floors.
func (y *yieldingAverage) onFloors() []float64 { return y.f[y.forces:] }

// Step advances from t_k−1 to t_k. After a step that did not converge the target is not a
// number, and Err says why.
func (y *yieldingAverage) Step(target *rths.Motion, ground []float64, felt *rths.Reading) {
	take(y.Average.g, ground)
	take(y.f[:y.forces], felt.F)
	if y.err == nil {
		y.err = y.advanceYielding()
	}
	for i := range target.X {
		if target.X[i] = y.sign[i] * y.u[y.Average.at[i]]; y.err != nil {
			target.X[i] = math.NaN()
		}
	}
}

func (y *yieldingAverage) advanceYielding() error {
	floors := y.onFloors()
	clear(floors)
	y.step.Apply(y.d, y.in)
	if !y.elastic {
		if err := y.solve(); err != nil {
			return err
		}
		for i, r := range y.excess {
			y.pull(floors, i, r)
			copy(y.z[i], y.trial[i])
		}
		y.step.Apply(y.d, y.in)
	}
	y.move()
	for i := range y.list {
		y.drift[i] = y.list[i].Drift(y.u)
		y.force[i] = y.list[i].Law.Stiffness() * y.drift[i]
		if !y.elastic {
			y.force[i] = y.list[i].Law.Force(y.drift[i], 0, y.z[i])
		}
	}
	return nil
}

// solve finds the drifts at the end of the step, and excess and states there.
func (y *yieldingAverage) solve() error {
	for i := range y.list {
		y.from[i] = y.list[i].Drift(y.u)
		y.linear[i] = y.from[i] + y.list[i].Drift(y.d)
		y.to[i] = y.linear[i]
	}
	for range mostIterations {
		y.yield()
		if y.residual() {
			return nil
		}
		if !eliminate(y.newton) {
			break
		}
		for i, row := range y.newton {
			y.to[i] -= row[len(row)-1]
		}
	}
	return y.notConverged()
}

// yield evaluates the laws at the drifts δ.
func (y *yieldingAverage) yield() {
	for i, path := range y.paths {
		z := y.trial[i]
		copy(z, y.z[i])
		k0 := path.Stiffness()
		y.tangent[i] = path.Advance(z, y.from[i], y.to[i]) - k0
		y.excess[i] = path.Force(y.to[i], 0, z) - k0*y.to[i]
	}
}

// off is how far the drift i is from the one that the forces give.
func (y *yieldingAverage) off(i int) float64 {
	r := y.to[i] - y.linear[i]
	for j, g := range y.g[i] {
		r += g * y.excess[j]
	}
	return r
}

// residual sets up Newton's equations, and says whether they are solved.
func (y *yieldingAverage) residual() bool {
	solved := true
	for i, row := range y.newton {
		r := y.off(i)
		for j, g := range y.g[i] {
			row[j] = g * y.tangent[j]
		}
		row[i]++
		row[len(row)-1] = r
		size := max(math.Abs(y.to[i]), math.Abs(y.linear[i]), y.list[i].Law.YieldDisplacement())
		solved = solved && math.Abs(r) <= closeEnough*size
	}
	return solved
}

func (y *yieldingAverage) notConverged() error {
	worst, residual := 0, 0.0
	for i := range y.list {
		if r := math.Abs(y.off(i)); !(r <= residual) {
			worst, residual = i, r
		}
	}
	return fmt.Errorf(
		"average-acceleration: the force of storey %d has not converged in %d iterations of Newton's method: the drift is "+
			"%.4g m off: want a smaller step (a higher rate_hz), or a law that yields less suddenly", y.list[worst].Storey,
		mostIterations, residual)
}

// eliminate solves a square system whose right side is the last column, by Gauss's method
// with pivots; the solution takes the place of the right side. It reports whether there is
// one of finite numbers.
func eliminate(a [][]float64) bool {
	n := len(a)
	for k := range n {
		p := k
		for i := k + 1; i < n; i++ {
			if math.Abs(a[i][k]) > math.Abs(a[p][k]) {
				p = i
			}
		}
		a[k], a[p] = a[p], a[k]
		if !(math.Abs(a[k][k]) > 0) {
			return false
		}
		for i := k + 1; i < n; i++ {
			f := a[i][k] / a[k][k]
			for j := k; j <= n; j++ {
				a[i][j] -= f * a[k][j]
			}
		}
	}
	for k := n - 1; k >= 0; k-- {
		for j := k + 1; j < n; j++ {
			a[k][n] -= a[k][j] * a[j][n]
		}
		if a[k][n] /= a[k][k]; !rths.Finite(a[k][n]) {
			return false
		}
	}
	return true
}

// Err is why the last step did not converge; nil: it did. See rths.Failer.
func (y *yieldingAverage) Err() error { return y.err }

// VisitState visits the state of the linear method, then the storeys'.
func (y *yieldingAverage) VisitState(v *rths.StateVisitor) {
	y.Average.VisitState(v)
	v.Floats(y.state)
	if v.Restoring() {
		y.err = nil
	}
}
