package plant

import (
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/kit/rthstest"
	"rths/maths/lti"
)

// The frame of Zhu et al. 2014, section 4.2: 2.6, 8.1 and 12.6 Hz, and 2 % in all
// modes.
func TestFrameOfPaper003(t *testing.T) {
	form, ok := rthstest.Must(newFrame().Make()).(former).form()
	if !ok {
		t.Fatal("a frame is linear")
	}
	var got []complex128
	for _, p := range rthstest.Must(lti.Eigenvalues(form.a)) {
		if imag(p) > 0 {
			got = append(got, p)
		}
	}
	slices.SortFunc(got, func(a, b complex128) int { return int(math.Copysign(1, cmplx.Abs(a)-cmplx.Abs(b))) })
	if len(got) != 3 {
		t.Fatalf("%d modes: want 3", len(got))
	}
	for i, hz := range []float64{2.6, 8.1, 12.6} {
		rthstest.Near(t, "frequency", cmplx.Abs(got[i])/(2*math.Pi), hz, 0.001) // the stiffnesses are of five digits
		rthstest.Near(t, "damping ratio", -real(got[i])/cmplx.Abs(got[i]), 0.02, 1e-12)
	}
}

// One floor is a tuned mass damper.
func TestFrameOfOneFloor(t *testing.T) {
	const m, k, zeta = 50.0, 2e4, 0.07
	one := rthstest.Must((&Frame{Masses: []float64{m}, Stiffnesses: []float64{k}, DampingRatio: zeta, Mass: 3}).Make())
	tuned := rthstest.Must((&TunedMassDamper{DamperMass: m, Stiffness: k, Damping: 2 * zeta * math.Sqrt(k*m),
		Mass: 3}).Make())
	u := wander(90, 3000, 1e-3)
	p := &SecondOrder{Omega: 50, DampingRatio: 0.8, Gain: 1}
	same(t, "frame", drive(rthstest.Must(p.Make(At{RateHz: rate, Specimen: one})), u),
		drive(rthstest.Must(p.Make(At{RateHz: rate, Specimen: tuned})), u), 1e-11)
}

// The reaction of the base is the inertia of all floors, f = Σ m_i (ÿ_i + ẍ), and
// the rates equal the linear form's.
func TestFrameRates(t *testing.T) {
	p := &Frame{Masses: []float64{10, 20, 5, 8}, Stiffnesses: []float64{3e4, 1e4, 2e4, 4e3}, DampingRatio: 0.05, Mass: 2}
	s := rthstest.Must(p.Make())
	f, _ := s.(former).form()
	z := []float64{1e-3, -2e-3, 3e-3, 1e-3, 0.1, 0.2, -0.3, 0.05}
	m := rths.Motion{X: []float64{0.5}, V: []float64{0.4}}
	dz, force := make([]float64, 8), make([]float64, 1)
	s.Rate(dz, force, z, &m)
	sum, want := 0.0, f.c*m.V[0]+f.k*m.X[0]
	for i, mass := range p.Masses {
		sum += mass * dz[4+i]
		rthstest.Near(t, "ẏ", dz[i], z[4+i]-0.4, 1e-15)
	}
	var rates mat.VecDense
	rates.MulVec(f.a, mat.NewVecDense(8, z))
	for i := range 8 {
		rthstest.Near(t, "rate by the form", rates.AtVec(i)+f.b.At(i, 1)*m.V[0]+f.b.At(i, 0)*m.X[0], dz[i], 1e-11)
		want += f.cz[i] * z[i]
	}
	rthstest.Near(t, "force against the inertia of the floors", force[0], sum, 1e-10)
	rthstest.Near(t, "force by the form", force[0], want, 1e-10)
	if s.Mass() != 2 || f.m != 2 || s.States() != 8 {
		t.Errorf("mass %g and %g, %d states: want 2, 2 and 8", s.Mass(), f.m, s.States())
	}
	k, _, fastest := s.(Steep).Steepest()
	rthstest.Near(t, "steepest stiffness", k, 3e4, 1e-9)
	for _, pole := range rthstest.Must(lti.Eigenvalues(f.a)) {
		if cmplx.Abs(pole) > fastest {
			t.Errorf("a pole of %g 1/s: want none above the %g named", cmplx.Abs(pole), fastest)
		}
	}
}

// The force on a shaken base is the sum of the modes: with participation
// L_n = φ_nᵀ M 1, f/ẍ = Σ L_n² (ω_n² + 2ζω_n s)/(s² + 2ζω_n s + ω_n²) + m. Two equal
// floors and storeys: ω² = (3 ∓ √5)/2 k/m, φ = (1, (1 ± √5)/2). Slowly shaken the
// frame is its mass; a base at rest anywhere feels nothing.
func TestFrameIsItsModes(t *testing.T) {
	const m, k, zeta, base = 12.0, 3e4, 0.04, 5.0
	f, _ := rthstest.Must((&Frame{Masses: []float64{m, m}, Stiffnesses: []float64{k, k}, DampingRatio: zeta,
		Mass: base}).Make()).(former).form()
	if f.k != 0 {
		t.Errorf("a displaced base feels %g N/m: want none", f.k)
	}
	for _, hz := range []float64{0.001, 1, 4, 5, 8, 13, 40, 500} {
		s := complex(0, 2*math.Pi*hz)
		want := complex(base, 0)
		for _, sign := range []float64{1, -1} {
			phi := (1 + sign*math.Sqrt(5)) / 2
			w := math.Sqrt((3 - sign*math.Sqrt(5)) / 2 * k / m)
			participation := m * (1 + phi) * (1 + phi) / (1 + phi*phi)
			want += complex(participation, 0) * (complex(w*w, 0) + complex(2*zeta*w, 0)*s) / (s*s + complex(2*zeta*w, 0)*s +
				complex(w*w, 0))
		}
		if got := dynamicMass(t, f, s); cmplx.Abs(got-want) > 1e-9*cmplx.Abs(want) {
			t.Errorf("%g Hz: f/ẍ = %g kg: want %g", hz, got, want)
		}
	}
	if got := dynamicMass(t, f, complex(0, 1e-3)); cmplx.Abs(got-2*m-base) > 1e-5 {
		t.Errorf("slowly shaken it is %g kg: want %g", got, 2*m+base)
	}
}

// dynamicMass is f/ẍ of a form: (m s² + c s + k + C (sI − A)⁻¹ B [1; s]) / s².
func dynamicMass(t *testing.T, f form, s complex128) complex128 {
	t.Helper()
	n := len(f.cz)
	// (s I − A) z = b with s = jω as a real system of twice the size.
	a, b := mat.NewDense(2*n, 2*n, nil), mat.NewVecDense(2*n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, -f.a.At(i, j))
			a.Set(n+i, n+j, -f.a.At(i, j))
		}
		a.Set(i, n+i, -imag(s))
		a.Set(n+i, i, imag(s))
		b.SetVec(i, f.b.At(i, 0))
		b.SetVec(n+i, f.b.At(i, 1)*imag(s))
	}
	var z mat.VecDense
	if err := z.SolveVec(a, b); err != nil {
		t.Fatal(err)
	}
	sum := complex(f.m, 0)*s*s + complex(f.c, 0)*s + complex(f.k, 0)
	for i, c := range f.cz {
		sum += complex(c*z.AtVec(i), c*z.AtVec(n+i))
	}
	return sum / (s * s)
}

func TestFrameErrors(t *testing.T) {
	for _, c := range []struct {
		p    Frame
		want string
	}{
		{Frame{}, "frame specimen: 0 masses and 0 stiffnesses: want one of each per floor, 1 to 100 floors"},
		{Frame{Masses: []float64{1, 1}, Stiffnesses: []float64{1}}, "2 masses and 1 stiffnesses"},
		{Frame{Masses: make([]float64, 101), Stiffnesses: make([]float64, 101)}, "101 masses"},
		{Frame{Masses: []float64{1, 0}, Stiffnesses: []float64{1, 1}}, "frame specimen: masses[2] 0 kg: want more than 0"},
		{Frame{Masses: []float64{1, 1}, Stiffnesses: []float64{-1, 1}}, "stiffnesses[1] -1 N/m: want more than 0"},
		{Frame{Masses: []float64{1}, Stiffnesses: []float64{math.NaN()}}, "stiffnesses[1] NaN N/m"},
		{Frame{Masses: []float64{1}, Stiffnesses: []float64{1}, Mass: -1}, "mass -1 kg: want 0 or more"},
		{Frame{Masses: []float64{1}, Stiffnesses: []float64{1}, DampingRatio: 1}, "damping_ratio 1: want 0 to below 1"},
		{Frame{Masses: []float64{1}, Stiffnesses: []float64{1}, DampingRatio: math.NaN()}, "damping_ratio NaN"},
	} {
		_, err := c.p.Make()
		rthstest.WantError(t, err, c.want)
	}
}
