package stability

import (
	"math"
	"math/cmplx"
	"testing"

	"rths/kit/rthstest"
	"rths/maths/lti"
)

func curve(t *testing.T, g lti.TF) Curve {
	t.Helper()
	l := func(hz float64) complex128 { return g.At(complex(0, 2*math.Pi*hz)) }
	return rthstest.Must(NewCurve(l, 1e-3, 1e3, nil))
}

// L = K/(s(s+1)(s+2)): phase −180° at √2 rad/s with |L| = K/6. The factor that may
// still come is 6/K.
func TestGainMargin(t *testing.T) {
	g := rthstest.Must(lti.NewTF([]float64{1.5}, []float64{1, 3, 2, 0}, 0))
	m := curve(t, g).Margins()
	rthstest.Near(t, "gain margin", m.GainUp, 4, 1e-8)
	rthstest.Near(t, "its frequency", m.GainUpHz, math.Sqrt2/(2*math.Pi), 1e-8)
	rthstest.Near(t, "lower gain margin", m.GainDown, 0, 0)
}

// L = K/s: |L| = 1 at K rad/s with 90° left, π/2K of delay.
func TestDelayMargin(t *testing.T) {
	g := rthstest.Must(lti.NewTF([]float64{3}, []float64{1, 0}, 0))
	m := curve(t, g).Margins()
	rthstest.Near(t, "delay margin", m.Delay, math.Pi/6, 1e-8)
	rthstest.Near(t, "phase margin", m.PhaseDeg, 90, 1e-6)
	rthstest.Near(t, "distance", m.Distance, 1, 1e-2) // |1 + 3/jω| comes down to 1
	if !math.IsInf(m.GainUp, 1) {
		t.Errorf("gain margin %g: want none", m.GainUp)
	}
}

// A sampled loop may reach −1 at z = −1: L = 0.2 (z − 1)/z² is −0.4 there. L = −0.5/(s + 1) is
// −0.5 at rest.
func TestGainMarginAtTheEnds(t *testing.T) {
	c := rthstest.Must(NewCurve(func(hz float64) complex128 {
		z := cmplx.Exp(complex(0, 2*math.Pi*hz))
		return 0.2 * (z - 1) / (z * z)
	}, 1e-3, 0.5, nil))
	m := c.Margins()
	rthstest.Near(t, "gain margin at z = −1", m.GainUp, 2.5, 1e-9)
	rthstest.Near(t, "its frequency", m.GainUpHz, 0.5, 0)
	g := rthstest.Must(lti.NewTF([]float64{-0.5}, []float64{1, 1}, 0))
	rthstest.Near(t, "gain margin at rest", curve(t, g).Margins().GainUp, 2, 1e-9)
}

// L = 4/((s − 2)(1 + s/20)) stabilises an unstable part. Its phase is −180° at ω = 0
// only, where L = −2: no gain is too high.
func TestMarginsOfAnUnstablePart(t *testing.T) {
	g := rthstest.Must(lti.NewTF([]float64{4}, lti.PolyMul([]float64{1, -2}, []float64{0.05, 1}), 0))
	c := curve(t, g)
	rthstest.Near(t, "L at low frequency", real(c.L[0]), -2, 1e-4)
	m := c.Margins()
	rthstest.Near(t, "lower gain margin", m.GainDown, 0.5, 1e-9)
	if !math.IsInf(m.GainUp, 1) || math.IsInf(m.Delay, 1) {
		t.Errorf("margins %+v: want no upper gain margin, and a delay margin", m)
	}
	// The delay margin is where 1 + L e^{−sτ} has a root on the axis.
	w := 2 * math.Pi * m.DelayHz
	if v := 1 + g.At(complex(0, w))*cmplx.Exp(complex(0, -w*m.Delay)); cmplx.Abs(v) > 1e-6 {
		t.Errorf("1 + L e^{−jωτ} = %g at the delay margin", v)
	}
}

// T of L = 1/s is 1/(1 + s): |W T| of a weight that turns at the same frequency is
// constant, of one that turns earlier it rises towards Low·(1/(2π))/Corner.
func TestRobust(t *testing.T) {
	g := rthstest.Must(lti.NewTF([]float64{1}, []float64{1, 0}, 0))
	c := curve(t, g)
	most, _ := c.Robust(Weight{0.3, 1 / (2 * math.Pi)})
	rthstest.Near(t, "|W T|", most, 0.3, 1e-9)
	most, _ = c.Robust(Weight{0.3, 0.1 / (2 * math.Pi)})
	rthstest.Near(t, "|W T| of a weight that turns earlier", most, 3, 1e-3)
}

// The exact critical delay of a partition is the delay margin of its L.
func TestCriticalDelayIsTheDelayMargin(t *testing.T) {
	for i := 1; i <= 4; i++ {
		h := benchmark(t, i)
		l := rthstest.Must(h.Loop())
		c := rthstest.Must(NewCurve(func(hz float64) complex128 { return l.At(complex(0, 2*math.Pi*hz)) }, 0.01, 100, nil))
		rthstest.Near(t, "delay margin", c.Margins().Delay, exact(t, h), 1e-9)
	}
}

func TestCurveRefuses(t *testing.T) {
	if _, err := NewCurve(nil, 2, 1, nil); err == nil {
		t.Error("from 2 Hz to 1 Hz: want an error")
	}
}

// The distance from −1 is a minimum between the points of the curve: here in closed form, at 2.3456789 Hz, and not at
// the second, slightly longer one, at 7 Hz.
func TestDistanceBetweenPoints(t *testing.T) {
	dip := func(hz, at, deep float64) float64 { return deep * math.Exp(-30*math.Pow(math.Log(hz/at), 2)) }
	c, err := NewCurve(func(hz float64) complex128 {
		return complex(1-dip(hz, 2.3456789, 0.7)-dip(hz, 7, 0.69)-1, 0)
	}, 0.1, 100, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := c.Margins()
	if math.Abs(m.Distance-0.3) > 1e-9 || math.Abs(m.DistanceHz-2.3456789) > 1e-5 {
		t.Errorf("%.10g from −1 at %.8g Hz: want 0.3 at 2.3456789 Hz", m.Distance, m.DistanceHz)
	}
}
