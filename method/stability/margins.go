package stability

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"rths/maths/lti"
)

// Curve is a Nyquist curve: a loop's frequency response L, for which 1 + L has the
// roots of the closed loop, at frequencies dense enough to draw.
type Curve struct {
	Hz []float64
	L  []complex128
	of lti.Response
}

// NewCurve samples L between two frequencies: 40 a decade, some about each of the
// resonances that are given (Hz), and more wherever the curve bends or runs.
func NewCurve(l lti.Response, from, to float64, resonances []float64) (Curve, error) {
	if !(from > 0) || !(from < to) {
		return Curve{}, fmt.Errorf("curve of Nyquist from %g Hz to %g Hz: want 0 < from < to", from, to)
	}
	grid := []float64{from, to}
	for f := from; f < to; f *= math.Pow(10, 1.0/40) {
		grid = append(grid, f)
	}
	for _, f := range resonances {
		for d := 0.3; d > 1e-5; d /= 2 {
			grid = append(grid, f, f*(1-d), f*(1+d))
		}
	}
	slices.Sort(grid)
	grid = slices.DeleteFunc(slices.Compact(grid), func(f float64) bool { return f < from || f > to })
	c := Curve{of: l}
	for i, f := range grid {
		v := l(f)
		if i > 0 {
			c.refine(f, v, 12)
		}
		c.add(f, v)
	}
	return c, nil
}

func (c *Curve) add(hz float64, v complex128) { c.Hz, c.L = append(c.Hz, hz), append(c.L, v) }

// closeness is how far neighbours of a curve are apart at most, so far from −1.
func closeness(away float64) float64 { return 0.08 * (0.1 + away) }

// refine adds points before hz until neighbours are close.
func (c *Curve) refine(hz float64, v complex128, depth int) {
	last := len(c.Hz) - 1
	f, before := c.Hz[last], c.L[last]
	if depth == 0 || cmplx.Abs(v-before) < closeness(cmplx.Abs(1+before)) {
		return
	}
	middle := math.Sqrt(f * hz)
	between := c.of(middle)
	c.refine(middle, between, depth-1)
	c.add(middle, between)
	c.refine(hz, v, depth-1)
}

// Margins of a stable loop: how much may change until it is on the verge.
type Margins struct {
	GainUp, GainUpHz     float64 // factor above 1 on the force; +Inf: none
	GainDown, GainDownHz float64 // factor below 1; 0: none
	Delay, DelayHz       float64 // further delay, a pure lag of any fraction of a sample, s; +Inf: none
	PhaseDeg             float64 // further lag at the frequency where |L| = 1 that allows least, °; +Inf: none
	Distance, DistanceHz float64 // smallest |1 + L|: how far the curve stays from −1
}

// Margins reads the curve: gain where L is real and negative, phase and delay where
// |L| = 1, each by bisection. Use it for stable loops only. A loop with |L| above 1 at half its sampling rate grows
// with parts of a sample, whatever Delay says.
func (c Curve) Margins() Margins {
	m := Margins{GainUp: math.Inf(1), Delay: math.Inf(1), PhaseDeg: math.Inf(1), Distance: math.Inf(1)}
	for i, v := range c.L {
		if i == 0 {
			continue
		}
		if before := c.L[i-1]; imag(before)*imag(v) < 0 && min(real(before), real(v)) < 0 {
			m.gain(c.bisect(i, func(v complex128) float64 { return imag(v) }))
		}
		unit := func(v complex128) float64 { return cmplx.Abs(v) - 1 }
		if unit(c.L[i-1])*unit(v) < 0 {
			m.phase(c.bisect(i, unit))
		}
	}
	// The ends may lie on the axis: of any loop that of no frequency, of a sampled one z = −1, as where a gain makes an
	// explicit integrator's step too long.
	for _, hz := range []float64{c.Hz[0] * 1e-6, c.Hz[len(c.Hz)-1]} {
		if v := c.of(hz); cmplx.Abs(v) > leastEnd && cmplx.Abs(v) < 1/leastEnd {
			m.gain(hz, v)
		}
	}
	m.Distance, m.DistanceHz = c.nearest()
	return m
}

// leastEnd and its inverse bound ends of a curve that count: a margin of a million is none.
const leastEnd = 1e-6

// nearest is the smallest |1 + L| and its frequency, Hz, sought about each point of the curve that may be next to it.
func (c Curve) nearest() (d, hz float64) {
	away := make([]float64, len(c.L))
	d = math.Inf(1)
	for i, v := range c.L {
		if away[i] = cmplx.Abs(1 + v); away[i] < d {
			d, hz = away[i], c.Hz[i]
		}
	}
	for i := 1; i < len(away)-1; i++ {
		if away[i] > min(away[i-1], away[i+1]) || away[i]-closeness(away[i]) > d {
			continue
		}
		f := lti.Minimum(func(f float64) float64 { return cmplx.Abs(1 + c.of(f)) }, c.Hz[i-1], c.Hz[i+1])
		if least := cmplx.Abs(1 + c.of(f)); least < d {
			d, hz = least, f
		}
	}
	return d, hz
}

// bisect finds the zero of a function of L between points i − 1 and i.
func (c Curve) bisect(i int, of func(complex128) float64) (hz float64, v complex128) {
	low, high := c.Hz[i-1], c.Hz[i]
	start := of(c.L[i-1])
	for range 40 {
		hz = (low + high) / 2
		if v = c.of(hz); of(v)*start > 0 {
			low = hz
		} else {
			high = hz
		}
	}
	return hz, v
}

// gain takes a point on the real axis. A curve that jumps over the axis has none.
func (m *Margins) gain(hz float64, v complex128) {
	if math.Abs(imag(v)) > 1e-6*cmplx.Abs(v) {
		return
	}
	switch factor := -1 / real(v); {
	case factor > 1 && factor < m.GainUp:
		m.GainUp, m.GainUpHz = factor, hz
	case factor > 0 && factor <= 1 && factor > m.GainDown:
		m.GainDown, m.GainDownHz = factor, hz
	}
}

func (m *Margins) phase(hz float64, v complex128) {
	lag := math.Mod(cmplx.Phase(-v)+2*math.Pi, 2*math.Pi)
	m.PhaseDeg = min(m.PhaseDeg, 180/math.Pi*lag)
	if tau := lag / (2 * math.Pi * hz); tau < m.Delay {
		m.Delay, m.DelayHz = tau, hz
	}
}

// Weight bounds the error of the model: the true loop is L (1 + W Δ) with any stable
// |Δ| ≤ 1 and
//
//	|W| = Low √(1 + (f/Corner)²)
//
// the relative uncertainty Low at low frequencies, growing with frequency above the
// corner (Hz), as it does for actuators whose higher modes are not modelled.
type Weight struct{ Low, CornerHz float64 }

// At is |W|.
func (w Weight) At(hz float64) float64 { return w.Low * math.Hypot(1, hz/w.CornerHz) }

// Robust is the largest |W T| over the curve, T = L/(1 + L), with its frequency (Hz). A
// stable loop stays stable with every such Δ if and only if Robust < 1: the circles of
// radius |W L| about the Nyquist curve leave out −1. The uncertainty may grow by 1/Robust.
func (c Curve) Robust(w Weight) (most, hz float64) {
	for i, v := range c.L {
		if wt := w.At(c.Hz[i]) * cmplx.Abs(v/(1+v)); wt > most {
			most, hz = wt, c.Hz[i]
		}
	}
	return most, hz
}
