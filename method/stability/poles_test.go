package stability

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"rths/kit/rthstest"
	"rths/model/structure"
)

// instants are n + 1 from 0 to the end.
func instants(end float64, n int) []float64 {
	out := make([]float64, n+1)
	for i := range out {
		out[i] = end * float64(i) / float64(n)
	}
	return out
}

// Without delay the response is the undivided structure's, Σ φ_d² e^{−ζωt} sin(ω_d t)/ω_d, also where a mode has its
// node at the interface (the middle of three equal masses).
func TestImpulseWithoutDelayIsModal(t *testing.T) {
	chain := rthstest.Must((&structure.Matrices{
		Mass:      structure.Rows([][]float64{{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}),
		Stiffness: structure.Rows([][]float64{{800, -300, 0}, {-300, 800, -300}, {0, -300, 800}}),
		Damping:   structure.Damping{ModalRatio: []float64{0.03}},
	}).Make())
	node := rthstest.Must(NewHybrid(rthstest.Must(chain.Divide(1, 0.3, 0.2, 150)), 0.3, 0.2, 150))
	for name, h := range map[string]*Hybrid{"case 1": benchmark(t, 1), "case 4": benchmark(t, 4), "node": node,
		"one": galmez(100, 2, 0.03, 0.1, 0.4, 0.4)} {
		at := instants(1, 300)
		got := rthstest.Must(h.Impulse(0, rthstest.Must(h.Poles(0)), at))
		modes := rthstest.Must(h.Whole().Modes())
		most := 0.0
		want := make([]float64, len(at))
		for i, tt := range at {
			for _, m := range modes {
				phi, damped := m.Shape[h.DOF], m.Omega*math.Sqrt(1-m.Ratio*m.Ratio)
				want[i] += phi * phi * math.Exp(-m.Ratio*m.Omega*tt) * math.Sin(damped*tt) / damped
			}
			most = max(most, math.Abs(want[i]))
		}
		for i := range at {
			rthstest.Near(t, fmt.Sprintf("%s at %g s", name, at[i]), got[i], want[i], 1e-9*most)
		}
	}
}

// Until the first delay is over no force has come back: the numerical part moves alone. The sum over poles up to a
// frequency is short of an impulse's jump in the velocity, less and less with time.
func TestImpulseBeforeTheFirstDelay(t *testing.T) {
	h := galmez(100, 2, 0.03, 0.1, 0.4, 0.4)
	const tau = 0.1 // beyond the critical delay, too
	at := instants(tau, 40)
	got := rthstest.Must(h.Impulse(tau, rthstest.Must(h.Poles(tau)), at))
	m, c, k := h.M.At(0, 0), h.C.At(0, 0), h.K.At(0, 0)
	decay, w := c/(2*m), math.Sqrt(k/m-c*c/(4*m*m))
	peak := 1 / (m * w)
	for i := 20; i < 40; i++ {
		want := math.Exp(-decay*at[i]) * math.Sin(w*at[i]) / (m * w)
		rthstest.Near(t, fmt.Sprintf("displacement at %g s", at[i]), got[i], want, 5e-3*peak)
	}
}

// delayed integrates m ẍ + c ẋ + kn x + ke x(t − τ) = δ(t) from rest by RK4 with n steps to a delay; the past is
// Hermite's cubic between steps. It gives the displacement at every step.
func delayed(m, c, kn, ke, tau float64, n, steps int) []float64 {
	d := tau / float64(n)
	x, v := []float64{0}, []float64{1 / m}
	past := func(i int, part float64) float64 {
		if i < 0 {
			return 0
		}
		s, r := part, 1-part
		if part == 0 {
			return x[i]
		}
		return r*r*(1+2*s)*x[i] + s*s*(3-2*s)*x[i+1] + d*s*r*(r*v[i]-s*v[i+1])
	}
	for i := range steps {
		rate := func(dx, dv, part float64) (float64, float64) {
			late := past(i-n, part)
			if part == 1 {
				late = past(i-n+1, 0)
			}
			return v[i] + dv, -(c*(v[i]+dv) + kn*(x[i]+dx) + ke*late) / m
		}
		x1, v1 := rate(0, 0, 0)
		x2, v2 := rate(d/2*x1, d/2*v1, 0.5)
		x3, v3 := rate(d/2*x2, d/2*v2, 0.5)
		x4, v4 := rate(d*x3, d*v3, 1)
		x, v = append(x, x[i]+d/6*(x1+2*x2+2*x3+x4)), append(v, v[i]+d/6*(v1+2*v2+2*v3+v4))
	}
	return x
}

// The response is that of the delay equation integrated step by step, and its envelope grows as the rightmost pole
// says.
func TestImpulseSolvesTheDelayEquation(t *testing.T) {
	const m, c, kn, ke, n = 2.0, 0.8, 200.0, 120.0, 100
	h := SDOF(m, c, kn, 0, 0, ke)
	critical := rthstest.Must(h.Critical()).Delay
	for _, part := range []float64{0.5, 1.5, 12} {
		tau := part * critical
		steps := int(8 * n / tau)
		x := delayed(m, c, kn, ke, tau, n, steps)
		at := instants(tau/n*float64(steps), steps)
		poles := rthstest.Must(h.Poles(tau))
		got := rthstest.Must(h.Impulse(tau, poles, at))
		peak := 0.0
		for _, v := range x {
			peak = max(peak, math.Abs(v))
		}
		for i := 2 * n; i < len(x); i += 7 {
			rthstest.Near(t, fmt.Sprintf("delay %g s, displacement at %g s", tau, at[i]), got[i], x[i], 1e-4*peak)
		}
		s := Rightmost(poles)
		if (real(s) > 0) != (part > 1) {
			t.Errorf("%g times the critical delay: rightmost pole %g", part, s)
		}
		// tops of the last swings
		var tops, when []float64
		for i := len(x) / 2; i < len(x)-1; i++ {
			if math.Abs(x[i]) > math.Abs(x[i-1]) && math.Abs(x[i]) >= math.Abs(x[i+1]) {
				tops, when = append(tops, math.Abs(x[i])), append(when, at[i])
			}
		}
		last := len(tops) - 1
		rate := math.Log(tops[last]/tops[0]) / (when[last] - when[0])
		rthstest.Near(t, fmt.Sprintf("growth with %g s", tau), rate, real(s), 0.02*math.Abs(real(s))+0.01)
	}
}

// count is the number of roots of 1 + L e^{−sτ} with |s| < r: the turns of its value along the circle, and the poles
// of L inside. clear is false where a root is near the circle.
func count(h *Hybrid, tau, r float64) (n int, clear bool) {
	l := rthstest.Must(h.Loop())
	value := func(s complex128) complex128 { return 1 + l.At(s)*cmplx.Exp(-s*complex(tau, 0)) }
	turn, steps := 0.0, 20_000
	before := value(complex(r, 0))
	for i := 1; i <= steps; i++ {
		now := value(cmplx.Rect(r, 2*math.Pi*float64(i)/float64(steps)))
		step := cmplx.Phase(now / before)
		if math.Abs(step) > 1 {
			return 0, false
		}
		turn, before = turn+step, now
	}
	n = int(math.Round(turn / (2 * math.Pi)))
	for _, p := range l.Poles {
		if cmplx.Abs(p) < r {
			n++
		}
	}
	return n, true
}

// Within |s| τ = 10 there is no pole but those that Poles gives, each of which solves the equation once.
func TestPolesAreAllOfTheDisc(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 5))
	tried := 0
	for range rthstest.Draws(60, 600) {
		h := random(rng)
		if rng.IntN(3) == 0 {
			h.Me = 0
		}
		tau := math.Pow(10, -2+2.3*rng.Float64())
		r := polesUpTo / tau * (0.5 + 0.49*rng.Float64())
		poles := rthstest.Must(h.Poles(tau))
		want, clear := count(h, tau, r)
		if !clear {
			continue
		}
		tried++
		got := 0
		for _, s := range poles {
			if v := characteristic(h, s, tau); !(cmplx.Abs(v) <= 1e-7) {
				t.Errorf("1 + g E e^{−sτ} = %g at pole %g", v, s)
			}
			switch {
			case imag(s) < 0:
				t.Errorf("pole %g: want it in the upper half plane", s)
			case cmplx.Abs(s) > r:
			case imag(s) == 0:
				got++
			default:
				got += 2
			}
		}
		if got != want {
			t.Errorf("delay %g s, |s| < %g: %d poles of %d: %g", tau, r, got, want, poles)
		}
	}
	if tried < 20 {
		t.Errorf("%d systems: want 20 or more", tried)
	}
}

// Paths go from the roots of the undivided structure to poles; without delay they stay. A delay below 0 is refused.
func TestPathsEndAtPoles(t *testing.T) {
	h := benchmark(t, 1)
	poles := rthstest.Must(h.Poles(0.02))
	first := rthstest.Must(h.Poles(0))
	paths := rthstest.Must(h.Paths(0.02))
	if len(paths) != 3 || len(first) != 3 {
		t.Fatalf("%d paths, %d poles: want three", len(paths), len(first))
	}
	near := func(list []complex128, s complex128) bool {
		return slices.ContainsFunc(list, func(p complex128) bool { return cmplx.Abs(p-s) < 1e-6*cmplx.Abs(s) })
	}
	for _, p := range paths {
		if !near(first, p[0]) || !near(poles, p[len(p)-1]) {
			t.Errorf("path from %g to %g: want it from a pole without delay to one with it", p[0], p[len(p)-1])
		}
	}
	for _, p := range rthstest.Must(h.Paths(0)) {
		if p[0] != p[len(p)-1] && cmplx.Abs(p[0]-p[len(p)-1]) > 1e-9*cmplx.Abs(p[0]) {
			t.Errorf("without delay a root moves from %g to %g", p[0], p[len(p)-1])
		}
	}
	if _, err := h.Poles(-1e-3); err == nil {
		t.Error("delay below 0: want an error")
	}
	if s := Rightmost(nil); !math.IsNaN(real(s)) {
		t.Errorf("rightmost of none: %g", s)
	}
}

// The zeros of the displacement per force are where the numerical part held at the interface moves by itself: there
// g vanishes, whatever the delay.
func TestZerosHoldTheInterface(t *testing.T) {
	h := benchmark(t, 2)
	zeros := rthstest.Must(h.Zeros())
	if len(zeros) != 4 {
		t.Fatalf("zeros %g: want two pairs", zeros)
	}
	l := rthstest.Must(h.Loop())
	for _, z := range zeros {
		if v := l.At(z); cmplx.Abs(v) > 1e-9 {
			t.Errorf("L = %g at zero %g", v, z)
		}
	}
	if z := rthstest.Must(galmez(100, 2, 0.03, 0.1, 0.4, 0.4).Zeros()); len(z) != 0 {
		t.Errorf("zeros of one degree of freedom: %g", z)
	}
}
