package lti

import (
	"math"
	"math/cmplx"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func TestFirstOrder(t *testing.T) {
	a, b, h := -3.0, 2.0, 0.1
	one := func(v float64) *mat.Dense { return mat.NewDense(1, 1, []float64{v}) }
	e := math.Exp(a * h)
	phi, gamma, err := ZOHInputs(one(a), one(b), h)
	if err != nil {
		t.Fatal(err)
	}
	nearMatrix(t, "phi", phi, one(e), 1e-15)
	nearMatrix(t, "gamma", gamma, one(b*(e-1)/a), 1e-14)
	phi, g0, g1, err := FOHInputs(one(a), one(b), h)
	if err != nil {
		t.Fatal(err)
	}
	// ∫ e^{a(h-τ)} b τ/h dτ = b (e^{ah} - 1 - ah)/(a² h)
	ramp := b * (e - 1 - a*h) / (a * a * h)
	nearMatrix(t, "phi", phi, one(e), 1e-15)
	nearMatrix(t, "g1", g1, one(ramp), 1e-13)
	nearMatrix(t, "g0", g0, one(b*(e-1)/a-ramp), 1e-13)
}

// The oscillator d²x/dt² + 2ζω dx/dt + ω² x = u under a held input (A.K. Chopra,
// Dynamics of Structures, table 5.2.1 with the slope of the load zero).
func TestSecondOrderZOH(t *testing.T) {
	w, zeta, h := 40.0, 0.1, 0.01
	wd := w * math.Sqrt(1-zeta*zeta)
	e, s, c := math.Exp(-zeta*w*h), math.Sin(wd*h), math.Cos(wd*h)
	phi, gamma, err := ZOHInputs(mat.NewDense(2, 2, []float64{0, 1, -w * w, -2 * zeta * w}),
		mat.NewDense(2, 1, []float64{0, 1}), h)
	if err != nil {
		t.Fatal(err)
	}
	nearMatrix(t, "phi", phi, mat.NewDense(2, 2, []float64{
		e * (c + zeta*w/wd*s), e * s / wd,
		-e * w * w / wd * s, e * (c - zeta*w/wd*s),
	}), 1e-13)
	nearMatrix(t, "gamma", gamma, mat.NewDense(2, 1, []float64{
		(1 - e*(c+zeta*w/wd*s)) / (w * w), e * s / wd,
	}), 1e-13)
}

func TestDoubleIntegrator(t *testing.T) {
	g := must(NewTF([]float64{1}, []float64{1, 0, 0}, 0))
	h := 0.01
	for _, c := range []struct {
		hold Hold
		num  []float64 // times h²
	}{{ZOH, []float64{0, 1. / 2, 1. / 2}}, {FOH, []float64{1. / 6, 4. / 6, 1. / 6}},
		{Tustin, []float64{1. / 4, 2. / 4, 1. / 4}}} {
		d := must(C2DTF(g, h, c.hold))
		for k := range 3 {
			near(t, string(c.hold)+" numerator", complex(ascending(d.Num, k), 0), complex(c.num[2-k]*h*h, 0), 1e-13, 0)
			near(t, string(c.hold)+" denominator", complex(d.Den[k], 0), complex([]float64{1, -2, 1}[k], 0), 1e-15, 0)
		}
	}
}

func TestTwoZOHStepsAreOneOfTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSS(t)
		h := rapid.Float64Range(0.001, 0.2).Draw(t, "h")
		phi, gamma, err := ZOHInputs(s.A, s.B, h)
		phi2, gamma2, err2 := ZOHInputs(s.A, s.B, 2*h)
		if err != nil || err2 != nil {
			t.Fatalf("%v, %v", err, err2)
		}
		var square, twice mat.Dense
		square.Mul(phi, phi)
		twice.Mul(phi, gamma)
		twice.Add(&twice, gamma)
		if !mat.EqualApprox(&square, phi2, 1e-12*mat.Norm(phi2, 1)) ||
			!mat.EqualApprox(&twice, gamma2, 1e-12*(1+mat.Norm(gamma2, 1))) {
			t.Fatalf("phi(h)² = %v, phi(2h) = %v; gamma %v, %v", square, phi2, twice, gamma2)
		}
	})
}

// One step of 2h under a ramp is two of h with the middle input.
func TestTwoFOHStepsAreOneOfTwiceOnRamps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSS(t)
		h := rapid.Float64Range(0.001, 0.2).Draw(t, "h")
		phi, g0, g1, err := FOHInputs(s.A, s.B, h)
		_, long0, long1, err2 := FOHInputs(s.A, s.B, 2*h)
		if err != nil || err2 != nil {
			t.Fatalf("%v, %v", err, err2)
		}
		// u = (u0, (u0+u2)/2, u2): the coefficients of u0 and u2.
		var two0, two1, half mat.Dense
		half.Add(g0, mulNew(phi, g1))
		half.Scale(0.5, &half)
		two0.Add(mulNew(phi, g0), &half)
		two1.Add(g1, &half)
		tol := 1e-12 * (1 + mat.Norm(long0, 1) + mat.Norm(long1, 1))
		if !mat.EqualApprox(&two0, long0, tol) || !mat.EqualApprox(&two1, long1, tol) {
			t.Fatalf("u0: %v, %v; u2: %v, %v", two0, long0, two1, long1)
		}
	})
}

func mulNew(a, b mat.Matrix) *mat.Dense {
	var m mat.Dense
	m.Mul(a, b)
	return &m
}

// The output of 1/(s+a) from rest under u = t is t/a - (1-e^{-at})/a².
func TestFOHIsExactOnARamp(t *testing.T) {
	a, h := 7.0, 0.05
	d := must(C2D(must(must(NewTF([]float64{1}, []float64{1, a}, 0)).SS()), h, FOH))
	x := 0.0
	for k := range 50 {
		u := float64(k) * h
		y := d.C.At(0, 0)*x + d.D.At(0, 0)*u
		near(t, "y", complex(y, 0), complex(u/a-(1-math.Exp(-a*u))/(a*a), 0), 1e-13, 0.01)
		x = d.A.At(0, 0)*x + d.B.At(0, 0)*u
	}
}

// MATLAB's foh and the unshifted recursion give one output for any input.
func TestFOHOutputsAreThoseOfTheUnshiftedState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSS(t)
		n, m, p := s.Dims()
		h := rapid.Float64Range(0.001, 0.2).Draw(t, "h")
		d := must(C2D(s, h, FOH))
		phi, g0, g1, err := FOHInputs(s.A, s.B, h)
		if err != nil {
			t.Fatal(err)
		}
		x := mat.NewDense(n, 1, nil)  // at rest before u[0] jumps in:
		xi := mat.NewDense(n, 1, nil) // ξ = x - g1 u
		u := mat.NewDense(m, 1, nil)
		for range 10 {
			next := mat.NewDense(m, 1, rapid.SliceOfN(rapid.Float64Range(-1, 1), m, m).Draw(t, "u"))
			x = addNew(mulNew(phi, x), mulNew(g0, u), mulNew(g1, next))
			xi = addNew(mulNew(d.A, xi), mulNew(d.B, u))
			y := addNew(mulNew(s.C, x), mulNew(s.D, next))
			shifted := addNew(mulNew(d.C, xi), mulNew(d.D, next))
			for i := range p {
				near(t, "y", complex(shifted.At(i, 0), 0), complex(y.At(i, 0), 0), 1e-11, 1)
			}
			u = next
		}
	})
}

func addNew(first mat.Matrix, rest ...mat.Matrix) *mat.Dense {
	sum := mat.DenseCopyOf(first)
	for _, m := range rest {
		sum.Add(sum, m)
	}
	return sum
}

func TestTustinMapsPolesAndFrequencies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawTF(t, 3)
		h := rapid.Float64Range(0.001, 0.05).Draw(t, "h")
		s := must(g.SS())
		d := must(C2D(s, h, Tustin))
		w := rapid.Float64Range(0.01, 0.9*math.Pi/h).Draw(t, "ω")
		z := cmplx.Exp(complex(0, w*h))
		warped := complex(0, 2/h*math.Tan(w*h/2))
		near(t, "value at the warped frequency", must(d.At(z)).At(0, 0), g.At(warped), 1e-9, 1)
		if !must(d.Stable()) {
			t.Fatalf("tustin of a stable system is unstable")
		}
		det := complex(1, 0) // Π (2 - p h) over poles scales the characteristic polynomial
		want := complex(1, 0)
		for _, p := range must(d.Poles()) {
			det *= 2 - p
		}
		for _, p := range must(s.Poles()) {
			want *= 2 - (1+p*complex(h/2, 0))/(1-p*complex(h/2, 0))
		}
		near(t, "characteristic polynomial at z = 2", det, want, 1e-9, 0)
	})
}

// For a held input the state of Tustin's system is (I - A h/2) x - (h/2) B u.
func TestTustinIsTheTrapezoidalRule(t *testing.T) {
	a, b, h := -3.0, 2.0, 0.1
	one := func(v float64) *mat.Dense { return mat.NewDense(1, 1, []float64{v}) }
	d := must(C2D(must(NewSS(one(a), one(b), one(1), one(0), 0)), h, Tustin))
	x, u := 0.5, 1.0
	w := (1-a*h/2)*x - h/2*b*u
	for _, next := range []float64{1, -2, 0.3} {
		x = (x + h/2*(a*x+b*u+b*next)) / (1 - a*h/2)
		w = d.A.At(0, 0)*w + d.B.At(0, 0)*u
		u = next
		near(t, "x", complex(d.C.At(0, 0)*w+d.D.At(0, 0)*u, 0), complex(x, 0), 1e-14, 0)
	}
}

func TestC2DTFIsC2DOfStateSpace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawTF(t, 2)
		h := rapid.Float64Range(0.01, 0.05).Draw(t, "h")
		z := cmplx.Exp(complex(0, rapid.Float64Range(0.5, math.Pi).Draw(t, "ωh")))
		for _, hold := range []Hold{ZOH, FOH, Tustin} {
			tf := must(C2DTF(g, h, hold))
			if tf.Dt != h || tf.Den[0] != 1 {
				t.Fatalf("%s: dt %g, leading coefficient %g: want %g and 1", hold, tf.Dt, tf.Den[0], h)
			}
			want := must(must(C2D(must(g.SS()), h, hold)).At(z)).At(0, 0)
			near(t, string(hold), tf.At(z), want, 1e-9, 1)
		}
	})
}

// Every hold keeps the gain for a constant input.
func TestC2DKeepsTheDCGain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawTF(t, 2)
		h := rapid.Float64Range(0.001, 0.05).Draw(t, "h")
		for _, hold := range []Hold{ZOH, FOH, Tustin} {
			d := must(C2D(must(g.SS()), h, hold))
			near(t, string(hold), must(d.At(1)).At(0, 0), dcGain(g), 1e-8, 1)
		}
	})
}

func TestC2DTFOfConstantAndImproper(t *testing.T) {
	gain := must(NewTF([]float64{3}, []float64{2}, 0))
	for _, hold := range []Hold{ZOH, FOH, Tustin} {
		near(t, string(hold), must(C2DTF(gain, 0.1, hold)).At(0.5), 1.5, 1e-15, 0)
	}
	derivative := must(NewTF([]float64{1, 0}, []float64{1}, 0))
	near(t, "derivative", must(C2DTF(derivative, 0.1, Tustin)).At(3), 20*(3.0-1)/(3+1), 1e-15, 0)
	_, err := C2DTF(derivative, 0.1, ZOH)
	wantError(t, err, "improper")
}

// The states of the servo plant mix N and m, with entries of 1e13. A plain
// exponential (no balancing) is wrong here in the seventh digit.
func TestServoPlantZOHAgreesWithFineRK4(t *testing.T) {
	s, h, substeps := benchmarkPlant.ss(), 1.0/4096, 1000
	aug := mat.NewDense(6, 6, nil)
	setBlock(aug, 0, 0, s.A)
	setBlock(aug, 0, 5, s.B)
	aug.Scale(h/float64(substeps), aug)
	step := Diagonal(6, 1) // RK4 on a linear system is the series of the exponential to the 4th power.
	for k := 4; k >= 1; k-- {
		step = mulNew(aug, step)
		step.Scale(1/float64(k), step)
		step.Add(step, Diagonal(6, 1))
	}
	want := Diagonal(6, 1)
	for range substeps {
		want = mulNew(step, want)
	}
	phi, gamma, err := ZOHInputs(s.A, s.B, h)
	if err != nil {
		t.Fatal(err)
	}
	nearMatrix(t, "phi", phi, block(want, 0, 0, 5, 5), 1e-10)
	nearMatrix(t, "gamma", gamma, block(want, 0, 5, 5, 1), 1e-10)
}

func TestServoPlantTwoHalfSteps(t *testing.T) {
	s, h := benchmarkPlant.ss(), 1.0/4096
	phi, gamma, err := ZOHInputs(s.A, s.B, h)
	half, halfGamma, err2 := ZOHInputs(s.A, s.B, h/2)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	nearMatrix(t, "phi", phi, mulNew(half, half), 1e-14)
	nearMatrix(t, "gamma", gamma, addNew(mulNew(half, halfGamma), halfGamma), 1e-14)
	_, g0, g1, err := FOHInputs(s.A, s.B, h)
	if err != nil {
		t.Fatal(err)
	}
	nearMatrix(t, "g0 + g1", addNew(g0, g1), gamma, 1e-14)
}

func TestServoPlantDiscreteResponse(t *testing.T) {
	g, h := benchmarkPlant.tf(), 1.0/4096
	w := 60.0
	z := cmplx.Exp(complex(0, w*h))
	hold := (1 - 1/z) / complex(0, w*h) // what a held sine loses, but for images
	near(t, "zoh", must(must(C2D(benchmarkPlant.ss(), h, ZOH)).At(z)).At(0, 0), g.At(complex(0, w))*hold, 1e-6, 0)
	near(t, "zoh of the transfer function", must(C2DTF(g, h, ZOH)).At(z), g.At(complex(0, w))*hold, 1e-5, 0)
}

func TestC2DErrors(t *testing.T) {
	one := mat.NewDense(1, 1, []float64{1})
	s := must(NewSS(one, one, one, one, 0))
	g := must(NewTF([]float64{1}, []float64{1, -1}, 0))
	for _, c := range []struct {
		dt   float64
		hold Hold
		text string
	}{
		{0.1, "matched", `hold "matched": want "zoh", "foh" or "tustin"`},
		{0, ZOH, "sample time 0 s: want a positive number"},
		{math.Inf(1), FOH, "sample time +Inf s"},
		{2, Tustin, "a pole at 2/dt = 1 rad/s"},
		{1e4, ZOH, "want a finite number"},
	} {
		_, err := C2D(s, c.dt, c.hold)
		wantError(t, err, c.text)
		_, err = C2DTF(g, c.dt, c.hold)
		wantError(t, err, c.text)
	}
	_, err := C2D(must(NewSS(one, one, one, one, 0.1)), 0.1, ZOH)
	wantError(t, err, "want a continuous one")
	_, err = C2DTF(must(NewTF([]float64{1}, []float64{1, -1}, 0.1)), 0.1, ZOH)
	wantError(t, err, "want a continuous one")
}

func TestInputsErrors(t *testing.T) {
	_, _, err := ZOHInputs(mat.NewDense(2, 2, nil), mat.NewDense(3, 1, nil), 0.1)
	wantError(t, err, "zoh: matrix B is 3×1: want 2 rows")
	_, _, _, err = FOHInputs(mat.NewDense(2, 3, nil), mat.NewDense(2, 1, nil), 0.1)
	wantError(t, err, "foh: A is 2×3: want a square matrix")
	_, _, err = ZOHInputs(nil, mat.NewDense(3, 1, nil), 0.1)
	wantError(t, err, "empty matrix")
	_, _, err = ZOHInputs(mat.NewDense(1, 1, nil), mat.NewDense(1, 1, []float64{math.NaN()}), 0.1)
	wantError(t, err, "B(0,0) = NaN")
}

// A first-order lag: W g² (e^{2ah} - 1)/(2a). And two half samples of noise are one
// of the whole: Q(2h) = Q(h) + Φ Q(h) Φᵀ.
func TestNoiseInputs(t *testing.T) {
	one := func(v float64) *mat.Dense { return mat.NewDense(1, 1, []float64{v}) }
	a, g, w, h := -30.0, 2.0, 0.7, 0.01
	nearMatrix(t, "Q", must(NoiseInputs(one(a), one(g), one(w), h)), one(w*g*g*math.Expm1(2*a*h)/(2*a)), 1e-13)
	rapid.Check(t, func(t *rapid.T) {
		s := drawSS(t)
		_, m, _ := s.Dims()
		h := rapid.Float64Range(0.001, 0.1).Draw(t, "h")
		q := must(NoiseInputs(s.A, s.B, Diagonal(m, 1), h))
		twice := must(NoiseInputs(s.A, s.B, Diagonal(m, 1), 2*h))
		phi, _, err := ZOHInputs(s.A, s.B, h)
		if err != nil {
			t.Fatal(err)
		}
		sum := Product(phi, q, phi.T())
		sum.Add(sum, q)
		if !mat.EqualApprox(sum, twice, 1e-11*(1+mat.Norm(twice, 1))) {
			t.Fatalf("two of h give %v, one of 2h %v", sum, twice)
		}
	})
	_, err := NoiseInputs(one(1), one(1), one(1), 0)
	wantError(t, err, "sample time 0 s")
	_, err = NoiseInputs(one(1), one(1), mat.NewDense(2, 2, nil), 1)
	wantError(t, err, "W is 2×2: want 1×1")
}
