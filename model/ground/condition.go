package ground

import (
	"fmt"
	"math"
	"slices"

	"rths"
)

// Scaled returns the motion multiplied by factor (1 leaves it as it is).
func (m Motion) Scaled(factor float64) Motion {
	a := make([]float64, len(m.A))
	for i, v := range m.A {
		a[i] = factor * v
	}
	m.A = a
	return m
}

// ToPGA returns the motion scaled so that its peak is mps2 (m/s², above 0).
// Multiply a peak in g by StandardGravity. A motion that is zero throughout
// cannot be scaled to a peak and is an error.
func (m Motion) ToPGA(mps2 float64) (Motion, error) {
	if !(mps2 > 0) || math.IsInf(mps2, 0) {
		return Motion{}, fmt.Errorf("%s: PGA %g m/s²: want more than 0", m.Name, mps2)
	}
	factor := mps2 / m.PGA()
	if !rths.Finite(factor) {
		return Motion{}, fmt.Errorf("%s: zero throughout: want a motion with a peak, to scale it to %g m/s²", m.Name, mps2)
	}
	return m.Scaled(factor), nil
}

// Window returns the samples with from ≤ t ≤ to, in seconds from the first
// sample; T0 moves along. Both ends have to lie inside the motion and at least
// two samples between them. The cut is sharp: no taper is applied.
func (m Motion) Window(from, to float64) (Motion, error) {
	end := m.Duration()
	first, last := math.Ceil(snap(from/m.Dt)), math.Floor(snap(to/m.Dt))
	if !(first >= 0 && last < float64(len(m.A)) && from < to) {
		return Motion{}, fmt.Errorf("%s: window %g to %g s: want two increasing times within 0 to %g s", m.Name, from, to,
			end)
	}
	if last-first < 1 {
		return Motion{}, fmt.Errorf("%s: window %g to %g s: want at least one step of %g s", m.Name, from, to, m.Dt)
	}
	m.T0 += first * m.Dt
	m.A = slices.Clone(m.A[int(first) : int(last)+1])
	return m, nil
}

// Padded returns the motion with before and after seconds of zeros around it,
// rounded up to whole steps; T0 moves along. A length of 0 or less adds nothing.
func (m Motion) Padded(before, after float64) Motion {
	nb, na := m.steps(before), m.steps(after)
	a := make([]float64, nb+len(m.A)+na)
	copy(a[nb:], m.A)
	m.T0 -= float64(nb) * m.Dt
	m.A = a
	return m
}

// steps is the number of whole steps that cover the given seconds.
func (m Motion) steps(seconds float64) int {
	if !(seconds > 0) {
		return 0
	}
	return int(math.Ceil(snap(seconds / m.Dt)))
}
