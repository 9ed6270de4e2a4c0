package ground

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"rths/maths/signal"
)

// spectrum is ResponseSpectrum of what is known to be right.
func spectrum(t *testing.T, a []float64, dt, zeta float64, periods ...float64) []SpectrumPoint {
	t.Helper()
	points, err := ResponseSpectrum(a, dt, periods, zeta)
	if err != nil {
		t.Fatal(err)
	}
	return points
}

// wantNear fails unless got is within tol of want, relative to want.
func wantNear(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Abs(want)) {
		t.Errorf("%s: %.9g, want %.9g within %.2g", what, got, want, tol)
	}
}

// At resonance the steady amplitude is the static one over 2ζ (A.K. Chopra,
// Dynamics of Structures, eq. 3.2.15). The tolerance is the 0.05 % of a peak
// between two points, and the interpolation of the sine: (2π/100)²/12 = 0.03 %.
func TestSpectrumOfResonantSine(t *testing.T) {
	for _, zeta := range []float64{0.02, 0.05, 0.2} {
		dt, n := 0.01, 60000
		a := make([]float64, n)
		for i := range a {
			a[i] = 3 * math.Sin(2*math.Pi*float64(i)*dt)
		}
		p := spectrum(t, a, dt, zeta, 1)[0]
		wantNear(t, "PSA", p.PSA, 3/(2*zeta), 8e-4)
		wantNear(t, "Sd", p.Sd, 3/(2*zeta)/(4*math.Pi*math.Pi), 8e-4)
		wantNear(t, "PSV", p.PSV, 3/(2*zeta)/(2*math.Pi), 8e-4)
		// |ü + a| = a·√(1 + 4ζ²)/(2ζ): transmissibility at resonance.
		wantNear(t, "Sa", p.Sa, 3*math.Sqrt(1+4*zeta*zeta)/(2*zeta), 8e-4)
	}
}

// A step of ground acceleration: overshoot 1 + e^{-πζ/√(1-ζ²)} (Chopra, eq. 4.3.5).
func TestSpectrumOfStep(t *testing.T) {
	a := make([]float64, 501)
	for i := range a {
		a[i] = 2
	}
	for _, zeta := range []float64{0, 0.05, 0.5} {
		want := 2 * (1 + math.Exp(-math.Pi*zeta/math.Sqrt(1-zeta*zeta)))
		for _, p := range spectrum(t, a, 0.02, zeta, 0.05, 0.3, 1.234, 7) {
			wantNear(t, "PSA", p.PSA, want, 5e-4)
		}
	}
	for _, p := range spectrum(t, a, 0.02, 1, 0.05, 1) { // critically damped: none
		wantNear(t, "PSA", p.PSA, 2, 1e-9)
	}
}

// A triangle much shorter than the period is an impulse I: then |u| is
// I/ω_d e^{-ζωt} sin ω_d t, with its peak where tan ω_d t = √(1-ζ²)/ζ.
func TestSpectrumOfImpulse(t *testing.T) {
	dt, zeta := 1e-4, 0.1
	a := make([]float64, 20001)
	a[1] = 5 / dt // ∫ a dt = 5 m/s
	w := 2 * math.Pi
	want := 5 / w * math.Exp(-zeta/math.Sqrt(1-zeta*zeta)*math.Acos(zeta))
	p := spectrum(t, a, dt, zeta, 1)[0]
	wantNear(t, "Sd", p.Sd, want, 1e-6)
	// The absolute acceleration is largest right after the impulse, 2ζω·I, or
	// later; here at the peak of x + 2ζy, found by hand from the closed form.
	largest, wd := 0.0, w*math.Sqrt(1-zeta*zeta)
	for i := range 2000000 {
		s := float64(i) * 1e-6
		u := 5 / wd * math.Exp(-zeta*w*s) * math.Sin(wd*s)
		v := 5*math.Exp(-zeta*w*s)*math.Cos(wd*s) - zeta*w*u
		largest = max(largest, math.Abs(w*w*u+2*zeta*w*v))
	}
	wantNear(t, "Sa", p.Sa, largest, 1e-4)
}

// The recursion against the closed form of Nigam & Jennings, as tabled by
// Chopra (Dynamics of Structures, table 5.2.1): u' = A u + B v + C p + D p'
// and v' = A' u + B' v + C' p + D' p' with p = -a and m = 1.
func TestOscillatorIsNigamJennings(t *testing.T) {
	for _, c := range []struct{ w, zeta, h float64 }{{6, 0.05, 0.02}, {40, 0.2, 0.01}, {300, 0.02, 0.005},
		{100, 0, 0.01}} {
		o, err := signal.NewOscillator(c.w*c.h, c.zeta)
		if err != nil {
			t.Fatal(err)
		}
		step := func(y, v, before, now float64) [2]float64 {
			p := o
			p.Y, p.V = y, v
			p.Step(before, now)
			return [2]float64{p.Y, p.V}
		}
		x, y, g0, g1 := step(1, 0, 0, 0), step(0, 1, 0, 0), step(0, 0, 1, 0), step(0, 0, 0, 1)
		w, z, h := c.w, c.zeta, c.h
		r := math.Sqrt(1 - z*z)
		wd, k, e := w*r, w*w, math.Exp(-z*w*h)
		s, cs := math.Sin(wd*h), math.Cos(wd*h)
		for _, v := range []struct {
			what      string
			got, want float64
		}{
			{"A", x[0], e * (z/r*s + cs)},
			{"B", y[0] / w, e * s / wd},
			{"C", -g0[0] / k, (2*z/(w*h) + e*(((1-2*z*z)/(wd*h)-z/r)*s-(1+2*z/(w*h))*cs)) / k},
			{"D", -g1[0] / k, (1 - 2*z/(w*h) + e*((2*z*z-1)/(wd*h)*s+2*z/(w*h)*cs)) / k},
			{"A'", x[1] * w, -e * w / r * s},
			{"B'", y[1], e * (cs - z/r*s)},
			{"C'", -g0[1] / w, (-1/h + e*((w/r+z/(h*r))*s+cs/h)) / k},
			{"D'", -g1[1] / w, (1 - e*(z/r*s+cs)) / (k * h)},
		} {
			wantNear(t, v.what, v.got, v.want, 1e-11)
		}
	}
}

// Against Runge–Kutta with fine steps, on random motions linear between
// samples: an independent integration finds the same peaks at the same points.
func TestSpectrumAgainstRungeKutta(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dt := rapid.SampledFrom([]float64{0.005, 0.01, 0.02}).Draw(rt, "dt")
		zeta := rapid.Float64Range(0, 0.5).Draw(rt, "zeta")
		a := rapid.SliceOfN(rapid.Float64Range(-5, 5), 20, 40).Draw(rt, "a")
		a[rapid.IntRange(0, len(a)-1).Draw(rt, "at")] = 4 // not flat zero
		ratio := rapid.Float64Range(0.3, 200).Draw(rt, "T/dt")
		got, err := ResponseSpectrum(a, dt, []float64{ratio * dt}, zeta)
		if err != nil {
			rt.Fatal(err)
		}
		points := max(1, int(math.Ceil(100/ratio-1e-9)))
		// ωh up to 0.01: 1e-8 of the peaks
		sd, sa := rungeKuttaPeaks(a, dt, 2*math.Pi/(ratio*dt), zeta, points, 1+1200/points)
		if math.Abs(got[0].Sd-sd) > 1e-6*sd || math.Abs(got[0].Sa-sa) > 1e-6*sa {
			rt.Fatalf("T = %g dt: Sd %g, Sa %g: want %g, %g", ratio, got[0].Sd, got[0].Sa, sd, sa)
		}
	})
}

// rungeKuttaPeaks looks at points to a sample and makes n steps to a point.
func rungeKuttaPeaks(a []float64, dt, w, zeta float64, points, n int) (sd, sa float64) {
	var u, v float64
	all := points * n
	h := dt / float64(all)
	for i := range a[:len(a)-1] {
		for j := range all {
			acc := func(f float64) float64 { return a[i] + (a[i+1]-a[i])*(float64(j)+f)/float64(all) }
			rate := func(f, u, v float64) float64 { return -acc(f) - 2*zeta*w*v - w*w*u }
			k1, l1 := v, rate(0, u, v)
			k2, l2 := v+h/2*l1, rate(0.5, u+h/2*k1, v+h/2*l1)
			k3, l3 := v+h/2*l2, rate(0.5, u+h/2*k2, v+h/2*l2)
			k4, l4 := v+h*l3, rate(1, u+h*k3, v+h*l3)
			u += h / 6 * (k1 + 2*k2 + 2*k3 + k4)
			v += h / 6 * (l1 + 2*l2 + 2*l3 + l4)
			if (j+1)%n == 0 {
				sd, sa = max(sd, math.Abs(u)), max(sa, math.Abs(w*w*u+2*zeta*w*v))
			}
		}
	}
	return sd, sa
}

// As T → 0 the mass moves with the ground: Sa and PSA → PGA. As T → ∞ it
// stays: Sd → the peak of the ground displacement.
func TestSpectrumLimits(t *testing.T) {
	dt := 0.01
	a := make([]float64, 1001)
	for i := range a {
		s := math.Sin(math.Pi * float64(i) / 1000)
		a[i] = 2 * s * s * math.Sin(2*math.Pi*1.5*float64(i)*dt)
	}
	pga := Motion{A: a}.PGA()
	for _, p := range spectrum(t, a, dt, 0.05, 0, 1e-7, 9e-6, 1.1e-5, 1e-4, 1e-3) {
		wantNear(t, "PSA", p.PSA, pga, 1e-3)
		wantNear(t, "Sa", p.Sa, pga, 1e-3)
		w1 := p.Period / (2 * math.Pi)
		wantNear(t, "Sd", p.Sd, p.PSA*w1*w1, 1e-12)
	}
	var v, d, pgd float64 // exact integrals of a that is linear between samples
	for i := range a[1:] {
		d += v*dt + dt*dt*(2*a[i]+a[i+1])/6
		v += dt * (a[i] + a[i+1]) / 2
		pgd = max(pgd, math.Abs(d))
	}
	wantNear(t, "Sd at 1e5 s", spectrum(t, a, dt, 0.05, 1e5)[0].Sd, pgd, 1e-4)
}

// The spectrum of a multiple is the multiple, and its sign does not matter.
func TestSpectrumIsHomogeneous(t *testing.T) {
	a := []float64{0, 1, -2, 0.5, 3, -1, 0}
	b := make([]float64, len(a))
	for i := range a {
		b[i] = -8 * a[i]
	}
	p, q := spectrum(t, a, 0.02, 0.05, SpectrumPeriods()...), spectrum(t, b, 0.02, 0.05, SpectrumPeriods()...)
	for i := range p {
		if q[i].Sd != 8*p[i].Sd || q[i].Sa != 8*p[i].Sa || p[i].Sd <= 0 {
			t.Fatalf("%+v, eightfold %+v", p[i], q[i])
		}
	}
}

func TestSpectrumPeriods(t *testing.T) {
	p := SpectrumPeriods()
	for i, want := range map[int]float64{0: 0.01, 100: 0.1, 200: 1, 300: 10} {
		wantNear(t, "period", p[i], want, 1e-14)
	}
}

func TestSpectrumErrors(t *testing.T) {
	a, nan := []float64{1, 2}, math.NaN()
	for _, c := range []struct {
		a        []float64
		dt       float64
		periods  []float64
		zeta     float64
		wantText string
	}{
		{a[:1], 0.1, nil, 0.05, "response spectrum: 1 samples: want 2 or more"},
		{a, 0, nil, 0.05, "response spectrum: time step 0 s: want more than 0"},
		{a, nan, nil, 0.05, "response spectrum: time step NaN s: want more than 0"},
		{a, 0.1, nil, 5, "response spectrum: damping ratio 5: want 0 to 1, as in 0.05"},
		{a, 0.1, nil, nan, "response spectrum: damping ratio NaN: want 0 to 1, as in 0.05"},
		{a, 0.1, []float64{1, -1}, 0, "response spectrum: period 2 of -1 s: want 0 to 1e6 s"},
		{[]float64{1, nan}, 0.1, nil, 0, "response spectrum: sample 2 of NaN m/s²: want a finite number"},
	} {
		_, err := ResponseSpectrum(c.a, c.dt, c.periods, c.zeta)
		wantError(t, err, c.wantText)
	}
}
