package ground

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"rths/kit/rthstest"
)

// measures is Measures of what is known to be right.
func measures(t *testing.T, m Motion) Measures {
	t.Helper()
	out, err := m.Measures()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A cosine over whole periods: v = (A/ω) sin ωt, d = (A/ω²)(1 - cos ωt),
// Arias = π/(2g)·A²T/2, CAV = 2A T/π. Its velocity has no trend but
// 6/(ωT)² of its size, by least squares: base = -3A/(ωT)².
func TestMeasuresOfCosine(t *testing.T) {
	const amplitude, hz, duration, dt = 3.0, 2.0, 40.0, 0.0005
	w := 2 * math.Pi * hz
	m := Motion{Dt: dt, A: make([]float64, int(duration/dt)+1)}
	for i := range m.A {
		m.A[i] = amplitude * math.Cos(w*float64(i)*dt)
	}
	got := measures(t, m)
	wantNear(t, "PGA", got.PGA, amplitude, 1e-12)
	wantNear(t, "Arias", got.Arias, math.Pi/(2*9.80665)*amplitude*amplitude*duration/2, 1e-6)
	wantNear(t, "CAV", got.CAV, 2*amplitude*duration/math.Pi, 1e-5)
	wantNear(t, "D5-95", got.D5To95, 0.9*duration, 2e-3)
	wantNear(t, "D5-75", got.D5To75, 0.7*duration, 2e-3)
	wantNear(t, "base", got.Base, -3*amplitude/math.Pow(w*duration, 2), 1e-3)
	wantNear(t, "PGV", got.PGV, amplitude/w, 0.01)
}

// A constant amplitude that changes its sign: the Arias intensity grows evenly.
func TestDurationsOfConstantAmplitude(t *testing.T) {
	m := Motion{Dt: 0.01, A: make([]float64, 1001)}
	for i := range m.A {
		m.A[i] = 2 * float64(1-2*(i%2))
	}
	got := measures(t, m)
	wantNear(t, "D5-95", got.D5To95, 9, 1e-12)
	wantNear(t, "D5-75", got.D5To75, 7, 1e-12)
	wantNear(t, "Arias", got.Arias, math.Pi/(2*9.80665)*4*10, 1e-12)
	wantNear(t, "CAV", got.CAV, 20, 1e-12)
}

// A pulse that moves the ground by one metre in a second, a = 2π sin 2πt, far
// from the ends of a long record, does so in the integrals. A constant on top
// is found and removed.
func TestIntegralsRemoveAConstant(t *testing.T) {
	dt := 0.001
	pulse := Motion{Dt: dt, A: make([]float64, 10001)}
	for i := 0; i <= 1000; i++ {
		pulse.A[i] = 2 * math.Pi * math.Sin(2*math.Pi*float64(i)*dt)
	}
	shifted := Motion{Dt: dt, A: make([]float64, len(pulse.A))}
	for i, a := range pulse.A {
		shifted.A[i] = a + 0.25
	}
	v, d, base := pulse.Integrals()
	v2, d2, base2 := shifted.Integrals()
	wantNear(t, "the constant", base2-base, 0.25, 1e-9)
	for i := range v {
		if math.Abs(v2[i]-v[i]) > 1e-11 || math.Abs(d2[i]-d[i]) > 1e-10 {
			t.Fatalf("sample %d: v %g and %g, d %g and %g", i, v[i], v2[i], d[i], d2[i])
		}
	}
	// ∫ v t dt of the pulse is 1/2, so the line has the slope 3/(2T³); the sum of
	// t² differs from T³/(3 dt) by 3 dt/(2T).
	wantNear(t, "base of the pulse", base, 1.5/1000, 2e-4)
	wantNear(t, "displacement after the pulse", d[1000]+base/2, 1, 1e-5)
}

// Laws: quadratic, linear, and indifferent to silence around the motion.
func TestMeasuresScale(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := Motion{Dt: 0.02, A: rapid.SliceOfN(rapid.Float64Range(-5, 5), 3, 50).Draw(rt, "a")}
		m.A[1], m.A[0], m.A[len(m.A)-1] = 3, 0, 0
		a, err1 := m.Measures()
		b, err2 := m.Scaled(-2).Measures()
		c, err3 := m.Padded(1, 2).Measures()
		if err1 != nil || err2 != nil || err3 != nil {
			rt.Fatal(err1, err2, err3)
		}
		near := func(what string, got, want float64) {
			if math.Abs(got-want) > 1e-9*math.Abs(want) {
				rt.Fatalf("%s: %g, want %g", what, got, want)
			}
		}
		near("PGV of the double", b.PGV, 2*a.PGV)
		near("PGD of the double", b.PGD, 2*a.PGD)
		near("Arias of the double", b.Arias, 4*a.Arias)
		near("duration of the double", b.D5To95, a.D5To95)
		near("CAV of the double", b.CAV, 2*a.CAV)
		near("Arias in silence", c.Arias, a.Arias)
		near("duration in silence", c.D5To75, a.D5To75)
		near("CAV in silence", c.CAV, a.CAV)
	})
}

func TestMeasuresOfNothing(t *testing.T) {
	if got := measures(t, Motion{Dt: 0.1, A: make([]float64, 5)}); got != (Measures{}) {
		t.Errorf("%+v", got)
	}
	if got := measures(t, Motion{Dt: 0.1}); got != (Measures{}) {
		t.Errorf("%+v", got)
	}
	_, err := Motion{Name: "huge", Dt: 0.1, A: []float64{1e200, 1e200}}.Measures()
	wantError(t, err, "huge: accelerations up to 1e+200 m/s²: want a motion whose integrals are finite")
}

// The response spectrum of El Centro 1940, S00E, at 2 % damping: peak
// deformations of 2.67, 5.97 and 7.47 inches at 0.5, 1 and 2 s (A.K. Chopra,
// Dynamics of Structures, fig. 6.4.1). The benchmark's file is another
// digitisation of the same record.
func TestElCentroSpectrum(t *testing.T) {
	dir := rthstest.Records(t)
	path, err := find(dir, "elcentro")
	if err != nil {
		t.Skip(err)
	}
	m, err := atDisk.Read(path, Want{})
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{2.67, 5.97, 7.47}
	for i, p := range spectrum(t, m.A, m.Dt, 0.02, 0.5, 1, 2) {
		wantNear(t, "Sd", p.Sd/0.0254, want[i], 0.01)
	}
}

// Numbers without a unit that vary as slowly as a velocity are asked about; accelerations, and what has a unit, are not.
func TestVelocityWithoutUnit(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const n, dt = 4000, 0.01
	a, v := make([]float64, n), make([]float64, n)
	for i := 1; i < n; i++ { // white noise through a ground of 2.5 Hz
		const w, z = 2 * math.Pi * 2.5, 0.6
		x := random.NormFloat64()
		a[i] = a[i-1] + dt*w*(x-a[i-1])
		v[i] = v[i-1]*(1-0.1*z*dt) + a[i]*dt
	}
	text := func(title string, values []float64) string {
		var b strings.Builder
		b.WriteString("time_s," + title + "\n")
		for i, x := range values {
			fmt.Fprintf(&b, "%.2f,%.9g\n", dt*float64(i), x)
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		text string
		asks bool
	}{
		"acceleration": {text("x", a), false}, "velocity": {text("x", v), true}, "with a unit": {text("x [m/s2]", v), false},
		"with a title": {text("acc", v), false}, "short": {text("x", v[:400]), false},
	} {
		m, err := (At{Files: onShelf{"x.csv": c.text}}).Read("x.csv", Want{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(m.Notes, "|"), "are these accelerations?"); got != c.asks {
			t.Errorf("%s: notes %q: want the question: %v", name, m.Notes, c.asks)
		}
	}
}
