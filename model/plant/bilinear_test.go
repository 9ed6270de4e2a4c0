package plant

import (
	"math"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// along takes a specimen from point to point in n straight sub-steps each, and
// gives x and the force without inertia at their ends.
func along(s Specimen, points []float64, n int, seconds float64) (x, f []float64) {
	p := newFollower(s)
	h, at := seconds/float64(n), 0.0
	for _, to := range points {
		v := (to - at) / seconds
		for i := range n {
			for stage := range p.m {
				p.m[stage].X[0], p.m[stage].V[0] = at+v*h*(float64(i)+float64(stage)/2), v
			}
			p.advance(h)
			p.rate(p.trial, p.y, end)
			x, f = append(x, p.m[end].X[0]), append(f, p.f[0])
		}
		at = to
	}
	return x, f
}

// A cycle of amplitude A dissipates 4 (k₀ − k₂) d_y (A − d_y), to rounding where
// the corners lie between sub-steps, and nothing below yielding.
func TestBilinearLoopArea(t *testing.T) {
	const k0, dy, n = 200e3, 6e-3, 400
	for _, k2 := range []float64{0, 20e3, 100e3, 200e3} {
		s := rthstest.Must((&Bilinear{Stiffness: k0, PostStiffness: k2, YieldDisplacement: dy}).Make())
		for _, a := range []float64{0.005, 0.006, 0.0075, 0.015, 0.03} {
			x, f := along(s, []float64{a, -a, a, -a}, n, 1)
			want := 4 * (k0 - k2) * dy * max(a-dy, 0)
			rthstest.Near(t, "energy of a cycle", work(f, x, 2*n), want, 1e-12*k0*a*a)
		}
	}
}

// The loop through its corners: yield, unloading over 2 d_y, the hardening line
// k₂ x ± (k₀ − k₂) d_y.
func TestBilinearLoop(t *testing.T) {
	const k0, k2, dy, c = 200e3, 100e3, 6e-3, 50.0
	s := rthstest.Must((&Bilinear{Stiffness: k0, PostStiffness: k2, YieldDisplacement: dy, Damping: c}).Make())
	points := []float64{0.006, 0.016, 0.004, -0.01, 0.002, 0.016}
	want := []float64{1200, 2200, -200, -1600, 800, 2200}
	x, f := along(s, points, 100, 1)
	from := 0.0
	for i, p := range points {
		at := 100*(i+1) - 1
		rthstest.Near(t, "place", x[at], p, 1e-15)
		rthstest.Near(t, "force", f[at]-c*(p-from), want[i], 1e-9)
		from = p
	}
}

// Trying a stage moves nothing, and small motion is the linear specimen that a
// scenario takes out of the structure.
func TestBilinearInitial(t *testing.T) {
	p := Bilinear{Stiffness: 200e3, PostStiffness: 100e3, YieldDisplacement: 6e-3, Damping: 2000, Mass: 20}
	s := rthstest.Must(p.Make())
	m, c, k, ok := Within(s)
	if m != 20 || c != 2000 || k != 200e3 || !ok {
		t.Errorf("within the structure %g, %g, %g, %v: want 20, 2000, 2e5", m, c, k, ok)
	}
	z, f := []float64{0}, []float64{0}
	s.Rate([]float64{1}, f, z, &rths.Motion{X: []float64{0.02}, V: []float64{0}})
	if z[0] != 0 {
		t.Errorf("trying a stage: plastic displacement %g: want none", z[0])
	}
	u := wander(70, 1500, 1e-3)
	for _, k := range oneAxis() {
		want := drive(rthstest.Must(k.Defaults().Make(At{RateHz: rate, Specimen: &linear{m: 20, c: 2000, k: 200e3}})), u)
		same(t, k.Name, drive(rthstest.Must(k.Defaults().Make(At{RateHz: rate, Specimen: s})), u), want, 1e-7)
	}
}

func TestBilinearErrors(t *testing.T) {
	for _, c := range []struct {
		p    Bilinear
		want string
	}{
		{Bilinear{0, 0, 1, 0, 0}, "bilinear specimen: stiffness 0 N/m: want more than 0"},
		{Bilinear{1, -1, 1, 0, 0}, "post_stiffness -1 N/m: want 0 or more"},
		{Bilinear{1, 2, 1, 0, 0},
			"bilinear specimen: post_stiffness 2 N/m: want at most the stiffness before yielding, 1 N/m"},
		{Bilinear{1, 1, 0, 0, 0}, "yield_displacement 0 m: want more than 0"},
		{Bilinear{1, 1, 1, -1, 0}, "damping -1 N·s/m"},
		{Bilinear{1, 1, 1, 0, math.NaN()}, "mass NaN kg"},
	} {
		_, err := c.p.Make()
		rthstest.WantError(t, err, c.want)
	}
}

// Coupled to the actuator: with the sub-steps chosen, displacement and force are
// within 1e-5 of a fine integration. The corner lies inside a sub-step,
// which leaves its second power.
func TestBilinearConvergesWithTheActuator(t *testing.T) {
	s := rthstest.Must((&Bilinear{Stiffness: 1.19e6, PostStiffness: 1e5, YieldDisplacement: 2e-3, Damping: 114,
		Mass: 29}).Make())
	u := make([]float64, rate/2)
	for i := range u {
		u[i] = 5e-3 * math.Sin(2*math.Pi*6*float64(i)/rate)
	}
	at := func(steps int) trace {
		return drive(rthstest.Must(silvaCode.Make(At{RateHz: rate,
			Specimen: refined{s, (float64(steps) - 0.5) * fastest * rate}})), u)
	}
	want := at(256)
	var errs []float64
	for _, steps := range []int{4, 16, 64} {
		errs = append(errs, apart(at(steps).f, want.f)/peak(want.f))
	}
	if chosen := drive(rthstest.Must(silvaCode.Make(At{RateHz: rate, Specimen: s})),
		u); !(apart(chosen.f, want.f) <= 1e-5*peak(want.f)) || !(apart(chosen.x, want.x) <= 1e-5*peak(want.x)) {
		t.Errorf("with the sub-steps chosen: %.2g N and %.2g m apart", apart(chosen.f, want.f), apart(chosen.x, want.x))
	}
	for i := range 2 {
		if r := errs[i] / errs[i+1]; !(r > 8 && r < 32) {
			t.Errorf("errors %.2g: ratio %.3g: want about 16 for sub-steps of a quarter", errs, r)
		}
	}
}
