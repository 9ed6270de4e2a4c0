package device

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
)

// Slopes are AtRest (N/m) and Steepest (N/m, N·s/m, 1/s) of a law that does not say them, as Measure finds them.
type Slopes struct{ AtRest, K, C, Rate float64 }

// A law is measured up to farthest, and up to fastSpeed. Differences go over aside of both. A ride has steps of longest
// at most, or 1/rate of the states where that is less, and mostSteps in each direction.
const (
	farthest  = 0.1 // m
	aside     = 1e-6
	longest   = 2e-3 // s
	mostSteps = 20_000
)

// Measure finds the slopes of a law by differences: at points of a grid of x and v with the states at 0, and of a law
// with states on a ride at 0.5 m/s to 0.1 m, to −0.1 m and back to 0. A stiffness has the part of the states that move
// with x. Narrow peaks between the points stay unseen. The force of a law at rest must be 0, and so the rate of its
// states.
func Measure(l Law) (Slopes, error) {
	n := l.States()
	m := &measured{Law: l, stages: NewStages(l), z: make([]float64, n), near: make([]float64, n),
		size: make([]float64, n), dz: make([]float64, n), still: make([]float64, n), jacobian: mat.NewDense(max(n, 1), max(n, 1), nil)}
	if f := l.Force(0, 0, m.z); f != 0 {
		return Slopes{}, fmt.Errorf("a force of %g N at rest: want 0 without deformation and speed; subtract it", f)
	}
	l.Rate(m.dz, m.z, 0)
	for i, dz := range m.dz {
		if dz != 0 {
			return Slopes{}, fmt.Errorf("state %d moves by %g 1/s at rest: want 0 without speed and states", i+1, dz)
		}
	}
	m.found.AtRest = m.stiffness(0, 0)
	speeds := grid(fastSpeed)
	for _, x := range grid(farthest) {
		for _, v := range speeds {
			m.look(x, v)
		}
	}
	if n > 0 {
		if err := m.ride(); err != nil {
			return Slopes{}, err
		}
	}
	if !rths.Finite(m.found.AtRest + m.found.K + m.found.C + m.found.Rate) {
		return Slopes{}, fmt.Errorf("slopes of %g N/m, %g N·s/m and %g 1/s: want finite ones", m.found.K, m.found.C, m.found.Rate)
	}
	return m.found, nil
}

// grid has points up to far on both sides of 0: tenths of it, and halves of halves towards 0.
func grid(far float64) []float64 {
	out := []float64{0}
	for i := range 10 {
		x := far * float64(i+1) / 10
		out = append(out, x, -x)
	}
	for x := far / 16; x > far/5000; x /= 2 {
		out = append(out, x, -x)
	}
	return out
}

// measured is a law with the states that it is measured at.
type measured struct {
	Law
	found     Slopes
	stages    *Stages
	z, near   []float64
	dz, still []float64 // rates; rates without speed
	size      []float64 // of z, as far as it has come
	jacobian  *mat.Dense
}

// stiffness is ∂f/∂x with the states moving along.
func (m *measured) stiffness(x, v float64) float64 {
	along := v
	if v == 0 {
		along = fastSpeed
	}
	m.Rate(m.dz, m.z, along)
	m.Rate(m.still, m.z, 0)
	const d = aside * farthest
	at := func(d float64) float64 {
		for i, z := range m.z {
			m.near[i] = z + (m.dz[i]-m.still[i])/along*d
		}
		return m.Force(x+d, v, m.near)
	}
	return (at(d) - at(-d)) / (2 * d)
}

// look takes the slopes at a point into account.
func (m *measured) look(x, v float64) {
	const d = aside * fastSpeed
	m.found.K = max(m.found.K, m.stiffness(x, v))
	m.found.C = max(m.found.C, (m.Force(x, v+d, m.z)-m.Force(x, v-d, m.z))/(2*d))
}

// ride looks at a law along a path whose states follow.
func (m *measured) ride() error {
	m.Rate(m.dz, m.z, fastSpeed)
	for i, dz := range m.dz {
		m.size[i] = max(math.Abs(dz)*longest, aside)
	}
	x := 0.0
	for _, to := range []float64{farthest, -farthest, 0} {
		v := math.Copysign(fastSpeed, to-x)
		m.look(x, v) // where it turns
		for step, left := 0, (to-x)/v; left > 0 && step < mostSteps; step++ {
			rate, err := m.rate(v)
			if err != nil || !rths.Finite(rate) {
				return fmt.Errorf("a state is not finite at %.3g m and %g m/s: want states that stay finite", x, v)
			}
			m.found.Rate = max(m.found.Rate, rate)
			h := min(left, longest, 1/rate)
			m.stages.Step(m.z, v, h)
			left -= h
			x = to - v*left
			m.Commit(m.z, x)
			m.look(x, v)
		}
	}
	return nil
}

// rate is the spectral radius of ∂ż/∂z.
func (m *measured) rate(v float64) (float64, error) {
	m.Rate(m.still, m.z, v)
	copy(m.near, m.z)
	sum := 0.0
	for j, z := range m.z {
		m.size[j] = max(m.size[j], math.Abs(z))
		by := aside * m.size[j]
		m.near[j] = z + by
		m.Rate(m.dz, m.near, v)
		m.near[j] = z
		for i := range m.z {
			slope := (m.dz[i] - m.still[i]) / by
			m.jacobian.Set(i, j, slope)
			sum += slope
		}
	}
	if len(m.z) == 1 || !rths.Finite(sum) {
		return math.Abs(sum), nil
	}
	return lti.SpectralRadius(m.jacobian)
}
