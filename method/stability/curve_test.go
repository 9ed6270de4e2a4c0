package stability

import (
	"math"
	"math/cmplx"
	"testing"

	"rths/kit/rthstest"
	"rths/maths/lti"
)

// sampled wants a curve that runs strictly upwards between its two ends and shows L.
func sampled(t *testing.T, l lti.Response, from, to float64, resonances []float64) Curve {
	t.Helper()
	c := rthstest.Must(NewCurve(l, from, to, resonances))
	if last := len(c.Hz) - 1; c.Hz[0] != from || c.Hz[last] != to || len(c.L) != len(c.Hz) {
		t.Fatalf("%d frequencies from %g to %g and %d values: want %g to %g", len(c.Hz), c.Hz[0], c.Hz[last], len(c.L), from,
			to)
	}
	for i, f := range c.Hz {
		if i > 0 && !(f > c.Hz[i-1]) {
			t.Fatalf("%g Hz after %g Hz", f, c.Hz[i-1])
		}
		if c.L[i] != l(f) {
			t.Fatalf("L at %g Hz is %g: want %g", f, c.L[i], l(f))
		}
	}
	return c
}

// Where L does not move there are 40 points a decade and no more, and about a resonance
// points at half the distance each, from 0.3 of its frequency down to 1e-5.
func TestCurveOfAConstant(t *testing.T) {
	still := func(float64) complex128 { return 0.5 }
	c := sampled(t, still, 0.02, 20.001, nil)
	if len(c.Hz) != 3*40+2 { // 0, 1, … 120 of them, and the end
		t.Errorf("%d points of three decades: want 122", len(c.Hz))
	}
	for i, f := range c.Hz[:121] {
		rthstest.Near(t, "frequency", f, 0.02*math.Pow(10, float64(i)/40), 1e-12*f)
	}
	about := map[float64]bool{}
	for _, f := range c.Hz {
		about[f] = true
	}
	var extra []float64
	for _, f := range sampled(t, still, 0.02, 20.001, []float64{1.7}).Hz {
		if !about[f] {
			extra = append(extra, f)
		}
	}
	const halvings = 15 // 0.3/2¹⁴ is the last above 1e-5
	if len(extra) != 2*halvings+1 || extra[halvings] != 1.7 {
		t.Fatalf("%d points about a resonance, %g the middle one: want 31 and 1.7", len(extra), extra[halvings])
	}
	for i := range halvings {
		d := 0.3 * 1.7 / math.Pow(2, float64(i))
		rthstest.Near(t, "below", extra[i], 1.7-d, 1e-12)
		rthstest.Near(t, "above", extra[2*halvings-i], 1.7+d, 1e-12)
	}
}

// A curve stays between its ends, also where a resonance stands at one of them.
func TestCurveAtAnEnd(t *testing.T) {
	sampled(t, func(hz float64) complex128 { return complex(1, hz) }, 1, 10, []float64{1, 10, 30})
}

// A circle of radius r about −1 is refined until neighbours are closer than
// 0.08 (0.1 + r), and then no more: half a step is at least half of that apart.
func TestCurveIsAsDenseAsItHasToBe(t *testing.T) {
	for _, r := range []float64{0.05, 0.4, 3} {
		turn := func(hz float64) complex128 { return -1 + complex(r, 0)*cmplx.Exp(complex(0, 25*math.Log(hz))) }
		c := sampled(t, turn, 1, 100, nil)
		limit, least := 0.08*(0.1+r), math.Inf(1)
		for i := 1; i < len(c.L); i++ {
			d := cmplx.Abs(c.L[i] - c.L[i-1])
			if !(d < limit) {
				t.Fatalf("radius %g: neighbours at %g Hz are %g apart: want less than %g", r, c.Hz[i], d, limit)
			}
			if c.Hz[i] < 99 { // the last interval is cut by the end
				least = min(least, d)
			}
		}
		// The circle's points are equally far apart at equal ratios of frequency: each
		// interval of 10^(1/40) is halved as often as it has to be.
		whole := 25 * math.Log(10) / 40
		halvings := 0
		for 2*r*math.Sin(whole/2) >= limit {
			whole /= 2
			halvings++
		}
		rthstest.Near(t, "distance of neighbours", least, 2*r*math.Sin(whole/2), 1e-9)
		if halvings == 0 {
			t.Errorf("radius %g: nothing to refine", r)
		}
	}
}

// What runs away from −1 may be coarser than what passes near it: the distance counts from
// the point before.
func TestCurveIsDenseNearMinusOne(t *testing.T) {
	line := func(hz float64) complex128 { return complex(-1, 0) + complex(20*(hz-2), 0.01) }
	c := sampled(t, line, 1, 3, nil)
	for i := 1; i < len(c.L); i++ {
		if d, limit := cmplx.Abs(c.L[i]-c.L[i-1]), 0.08*(0.1+cmplx.Abs(1+c.L[i-1])); !(d < limit) {
			t.Fatalf("neighbours at %g Hz are %g apart: want less than %g", c.Hz[i], d, limit)
		}
	}
}

// A jump is looked for in 12 halvings of its interval and then left alone.
func TestCurveWithAJump(t *testing.T) {
	jump := func(hz float64) complex128 {
		if hz < math.E {
			return 1
		}
		return -3i
	}
	c := sampled(t, jump, 1, 10, nil)
	for i, f := range c.Hz {
		if i > 0 && c.L[i] != c.L[i-1] {
			rthstest.Near(t, "ratio of the frequencies about the jump", math.Log10(f/c.Hz[i-1]), 1.0/40/4096, 1e-12)
		}
	}
	if len(c.Hz) > 42+12 {
		t.Errorf("%d points: want at most 12 more than the 42 of the grid", len(c.Hz))
	}
}

// Limits on the frequencies.
func TestCurveRefusesFrequencies(t *testing.T) {
	still := func(float64) complex128 { return 0 }
	for _, ends := range [][2]float64{{0, 1}, {-1, 1}, {1, 1}, {2, 1}, {math.NaN(), 1}, {1, math.NaN()}} {
		if _, err := NewCurve(still, ends[0], ends[1], nil); err == nil {
			t.Errorf("from %g Hz to %g Hz: want an error", ends[0], ends[1])
		}
	}
}

// L = K(s+1)²/s³: s³ + K(s² + 2s + 1) is stable above K = 1/2 by Routh, on the verge with
// a root at 1 rad/s: the force may fall to 1/(2K) and grow without end.
func TestGainMayFall(t *testing.T) {
	g := rthstest.Must(lti.NewTF(lti.PolyMul([]float64{2}, []float64{1, 2, 1}), []float64{1, 0, 0, 0}, 0))
	m := curve(t, g).Margins()
	rthstest.Near(t, "lower gain margin", m.GainDown, 0.25, 1e-8)
	rthstest.Near(t, "its frequency", m.GainDownHz, 1/(2*math.Pi), 1e-8)
	if !math.IsInf(m.GainUp, 1) {
		t.Errorf("upper gain margin %g: want none", m.GainUp)
	}
}

// Both: L = K (s+1)²/(s³ (1 + s/a)²) is real and negative twice. At those frequencies the
// factor 1/|L| makes 1 + L vanish; the nearest above 1 and the nearest below count.
func TestGainMayFallAndGrow(t *testing.T) {
	num, den := lti.PolyMul([]float64{2}, []float64{1, 2, 1}),
		lti.PolyMul([]float64{1, 0, 0, 0}, lti.PolyMul([]float64{0.02, 1}, []float64{0.02, 1}))
	g := rthstest.Must(lti.NewTF(num, den, 0))
	m := curve(t, g).Margins()
	if !(m.GainDown > 0 && m.GainDown < 1 && m.GainUp > 1 && !math.IsInf(m.GainUp, 1)) {
		t.Fatalf("margins %+v: want a factor below 1 and one above", m)
	}
	for factor, hz := range map[float64]float64{m.GainDown: m.GainDownHz, m.GainUp: m.GainUpHz} {
		if v := 1 + complex(factor, 0)*g.At(complex(0, 2*math.Pi*hz)); !(cmplx.Abs(v) <= 1e-8) {
			t.Errorf("1 + %g L = %g at %g Hz: want 0", factor, v, hz)
		}
	}
}

// L turns about 0 with a magnitude that falls: of the many times it is real and negative
// the one just above 1 and the one just below count.
func TestNearestGainCounts(t *testing.T) {
	spiral := func(hz float64) complex128 { // real and negative at ln hz = 1/4, 5/4, … with |L| = e^(2 − ln hz)
		u := math.Log(hz)
		return cmplx.Rect(math.Exp(2-u), 2*math.Pi*(u+0.25))
	}
	m := rthstest.Must(NewCurve(spiral, 1, math.Exp(4), nil)).Margins()
	rthstest.Near(t, "factor above 1", m.GainUp, math.Exp(0.25), 1e-9)
	rthstest.Near(t, "its ln frequency", math.Log(m.GainUpHz), 2.25, 1e-9)
	rthstest.Near(t, "factor below 1", m.GainDown, math.Exp(-0.75), 1e-9)
	rthstest.Near(t, "its ln frequency", math.Log(m.GainDownHz), 1.25, 1e-9)
}

// A delayed spring's |L| is 1 at the roots of a quadratic in ω² (TestDelayedSpringClosedForm),
// and the phase that is missed there is atan2(cω, mω² − kn) of both: the delay margin and
// the phase margin are the least, each of its own.
func TestPhaseAndDelayMarginOfTwoCrossings(t *testing.T) {
	const m, c, kn, ke = 1.0, 0.3, 10.0, 6.0
	b := c*c/(m*m) - 2*kn/m
	root := math.Sqrt(b*b - 4*(kn*kn-ke*ke)/(m*m))
	delay, phase, at := math.Inf(1), math.Inf(1), 0.0
	for _, w2 := range []float64{(-b - root) / 2, (-b + root) / 2} {
		w := math.Sqrt(w2)
		lag := math.Mod(math.Atan2(c*w, m*w2-kn)+2*math.Pi, 2*math.Pi)
		phase = min(phase, lag*180/math.Pi)
		if lag/w < delay {
			delay, at = lag/w, w/(2*math.Pi)
		}
	}
	g := rthstest.Must(lti.NewTF([]float64{ke}, []float64{m, c, kn}, 0))
	got := curve(t, g).Margins()
	rthstest.Near(t, "delay margin", got.Delay, delay, 1e-9)
	rthstest.Near(t, "its frequency", got.DelayHz, at, 1e-9)
	rthstest.Near(t, "phase margin", got.PhaseDeg, phase, 1e-7)
}

// The smallest distance from −1 is where the line L = −1 + jd + (f − f₀) comes nearest,
// also at the curve's beginning and end.
func TestDistance(t *testing.T) {
	for _, f0 := range []float64{1, 3, 5, 9} {
		line := func(hz float64) complex128 { return -1 + complex(hz-f0, 0.2) }
		m := rthstest.Must(NewCurve(line, 1, 5, nil)).Margins()
		best := min(max(f0, 1), 5)
		rthstest.Near(t, "distance", m.Distance, math.Hypot(0.2, best-f0), 0.01)
		rthstest.Near(t, "its frequency", m.DistanceHz, best, 0.03)
	}
}

// T = 1/(s² + 2ζs + 1) has its peak 1/(2ζ√(1 − ζ²)) at ω² = 1 − 2ζ²; a weight that hardly
// grows leaves it there. At its corner a weight is √2 of what it is at low frequencies.
func TestRobustAtAPeak(t *testing.T) {
	const zeta = 0.05
	g := rthstest.Must(lti.NewTF([]float64{1}, []float64{1, 2 * zeta, 0}, 0))
	peak := math.Sqrt(1-2*zeta*zeta) / (2 * math.Pi)
	c := rthstest.Must(NewCurve(func(hz float64) complex128 { return g.At(complex(0, 2*math.Pi*hz)) }, 1e-3, 1e3,
		[]float64{peak}))
	most, hz := c.Robust(Weight{0.2, 1e9})
	rthstest.Near(t, "largest |W T|", most, 0.2/(2*zeta*math.Sqrt(1-zeta*zeta)), 1e-9)
	rthstest.Near(t, "its frequency", hz, peak, 1e-9)
	rthstest.Near(t, "weight at its corner", Weight{0.2, 7}.At(7), 0.2*math.Sqrt2, 1e-15)
	rthstest.Near(t, "weight far beyond", Weight{0.2, 7}.At(7e6), 0.2e6, 1e-6)
}
