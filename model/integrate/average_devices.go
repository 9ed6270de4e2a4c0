package integrate

import (
	"fmt"
	"math"

	"rths"
	"rths/model/structure"
)

// deviceAverage is average acceleration with devices. The linear step gives deformations δ_lin, and the excess r of the
// devices at the end of the step changes them by −G r:
//
//	δ − δ_lin + G r(δ) = 0,  r = f(δ, δ̇, z(δ)) − k δ − c δ̇,  δ̇ = 2/h (δ − δ₀) − δ̇₀
//
// as many equations as there are devices, where G is the flexibility of K + 4/h² M + 2/h C between their degrees of
// freedom. Newton's method solves them with tangents dr/dδ by differences; z(δ) follows the line from the deformation
// at the start of the step (device.Path).
type deviceAverage struct {
	*Average
	*devices
	forces     int         // of the interface
	g          [][]float64 // G, m/N
	from, rate []float64   // deformations at the start of the step and their rates
	linear     []float64   // δ_lin
	to         []float64   // δ
	over       []float64   // r, N
	tangent    []float64   // dr/dδ, N/m
	trial      [][]float64 // z(δ)
	near       []float64   // z beside it
	nearest    []float64   // δ of the least residual of the step
	least      float64     // that residual, over its size
	newton     [][]float64 // I + G dr/dδ and, as last column, the residual
	err        error       // of a step that did not converge: no step after it
}

// A step takes at most mostIterations of Newton's method, until the residual of every deformation is below closeEnough
// of it, or of 1 mm; after them nearEnough will do. Rounding is some 1e-15 of them. Tangents are differences over aside of it.
const (
	mostIterations = 20
	closeEnough    = 1e-12
	nearEnough     = 1e-6
	aside          = 1e-7
)

func newDeviceAverage(p *structure.Partition, h float64) (*deviceAverage, error) {
	s, err := newDevices(p, h)
	if err != nil {
		return nil, fmt.Errorf("average-acceleration: %w", err)
	}
	linear, err := newAverage(withDevices(p), h)
	if err != nil {
		return nil, err
	}
	m, most := len(s.list), 0
	y := &deviceAverage{
		Average: linear, devices: s, forces: len(p.Interface), from: make([]float64, m), rate: make([]float64, m),
		linear: make([]float64, m), to: make([]float64, m), over: make([]float64, m), tangent: make([]float64, m), nearest: make([]float64, m),
	}
	for i := range m {
		y.g, y.newton = append(y.g, make([]float64, m)), append(y.newton, make([]float64, m+1))
		y.trial = append(y.trial, make([]float64, len(s.Each[i])))
		most = max(most, len(s.Each[i]))
	}
	y.near = make([]float64, most)
	for j := range m { // columns of G, from a unit excess
		clear(linear.in)
		s.pull(y.ofDevices(), j, 1)
		linear.step.Apply(linear.d, linear.in)
		for i := range m {
			y.g[i][j] = -s.list[i].Deformation(linear.d)
		}
	}
	clear(linear.in)
	return y, nil
}

// ofDevices are the inputs of the linear step for forces of devices.
func (y *deviceAverage) ofDevices() []float64 { return y.f[y.forces:] }

// Step advances from t_k−1 to t_k. After a step that did not converge the target is not a
// number, and Err says why.
func (y *deviceAverage) Step(target *rths.Motion, ground []float64, felt *rths.Reading) {
	take(y.Average.g, ground)
	take(y.f[:y.forces], felt.F)
	if y.err == nil {
		y.err = y.advanceDevices()
	}
	for i := range target.X {
		if target.X[i] = y.sign[i] * y.u[y.Average.at[i]]; y.err != nil {
			target.X[i] = math.NaN()
		}
	}
}

func (y *deviceAverage) advanceDevices() error {
	on := y.ofDevices()
	clear(on)
	y.step.Apply(y.Average.d, y.in)
	for i := range y.list {
		of := &y.list[i]
		y.from[i], y.rate[i] = of.Deformation(y.u), of.Deformation(y.v)
		y.linear[i] = y.from[i] + of.Deformation(y.Average.d)
		y.to[i] = y.linear[i]
	}
	if err := y.solve(); err != nil {
		return err
	}
	for i, r := range y.over {
		y.pull(on, i, r)
		copy(y.Each[i], y.trial[i])
	}
	y.step.Apply(y.Average.d, y.in)
	y.move()
	for i := range y.list {
		y.show(i, y.list[i].Deformation(y.u), y.list[i].Deformation(y.v))
	}
	return nil
}

// solve finds the deformations at the end of the step, and excess and states there.
func (y *deviceAverage) solve() error {
	y.least = math.Inf(1)
	for range mostIterations {
		for i, to := range y.to {
			by := math.Copysign(aside*y.size(i), to-y.from[i]) // onward
			y.over[i] = y.ahead(i, to, y.trial[i])
			y.tangent[i] = (y.ahead(i, to+by, y.near[:len(y.Each[i])]) - y.over[i]) / by
		}
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

// best takes the iterate whose largest residual was the least, where that is nearEnough: a force that jumps, as in a
// blow, may have no balance, and a test must not end for a nanometre.
func (y *deviceAverage) best() bool {
	if !(y.least <= nearEnough) {
		return false
	}
	for i, to := range y.nearest {
		y.to[i] = to
		y.over[i] = y.ahead(i, to, y.trial[i])
	}
	return true
}

// ahead is the excess of device i at the deformation δ, whose states it leaves in z.
func (y *deviceAverage) ahead(i int, to float64, z []float64) float64 {
	if copy(z, y.Each[i]); !y.ideal {
		y.Paths[i].Advance(z, y.from[i], to)
	}
	_, excess := y.devices.at(i, to, 2/y.h*(to-y.from[i])-y.rate[i], z)
	return excess
}

// size is what a residual of deformation i is compared with, m.
func (y *deviceAverage) size(i int) float64 {
	return max(math.Abs(y.to[i]), math.Abs(y.linear[i]), 1e-3)
}

// off is how far the deformation i is from the one that the forces give.
func (y *deviceAverage) off(i int) float64 {
	r := y.to[i] - y.linear[i]
	for j, g := range y.g[i] {
		r += g * y.over[j]
	}
	return r
}

// residual sets up Newton's equations, and says whether they are solved.
func (y *deviceAverage) residual() bool {
	largest := 0.0
	for i, row := range y.newton {
		r := y.off(i)
		largest = max(largest, math.Abs(r)/y.size(i))
		for j, g := range y.g[i] {
			row[j] = g * y.tangent[j]
		}
		row[i]++
		row[len(row)-1] = r
	}
	if largest < y.least {
		y.least = largest
		copy(y.nearest, y.to)
	}
	return largest <= closeEnough
}

func (y *deviceAverage) notConverged() error {
	if y.why != nil {
		return y.why
	}
	if y.best() {
		return nil
	}
	worst, residual := 0, 0.0
	for i := range y.list {
		if r := math.Abs(y.off(i)); !(r <= residual) {
			worst, residual = i, r
		}
	}
	return fmt.Errorf(
		"average-acceleration: the force of %s has not converged in %d iterations of Newton's method: the deformation is "+
			"%.4g m off: want a smaller step (a higher rate_hz), or a law that yields less suddenly", y.list[worst].Name(),
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
func (y *deviceAverage) Err() error { return y.err }

// VisitState visits the state of the linear method, then the devices'.
func (y *deviceAverage) VisitState(v *rths.StateVisitor) {
	y.Average.VisitState(v)
	v.Floats(y.Z)
	if v.Restoring() {
		y.err = nil
	}
}
