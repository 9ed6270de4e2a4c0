package lti

import (
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestNewTF(t *testing.T) {
	num := []float64{0, 0, 2}
	g := must(NewTF(num, []float64{0, 1, 3}, 0.5))
	if !slices.Equal(g.Num, []float64{2}) || !slices.Equal(g.Den, []float64{1, 3}) || g.Dt != 0.5 {
		t.Errorf("%+v: want 2/(z+3) at 0.5 s", g)
	}
	num[2] = 7
	if g.Num[0] != 2 {
		t.Errorf("numerator %v shares memory with the caller's", g.Num)
	}
	for _, c := range []struct {
		num, den []float64
		dt       float64
		text     string
	}{
		{[]float64{1}, []float64{0, 0}, 0, "denominator [0 0] is zero"},
		{[]float64{1}, nil, 0, "denominator [] is zero"},
		{[]float64{1, math.NaN()}, []float64{1}, 0, "numerator[1] = NaN"},
		{[]float64{1}, []float64{math.Inf(-1)}, 0, "denominator[0] = -Inf"},
		{[]float64{1}, []float64{1}, -0.1, "sample time -0.1 s"},
		{[]float64{1}, []float64{1}, math.NaN(), "sample time NaN s"},
	} {
		_, err := NewTF(c.num, c.den, c.dt)
		wantError(t, err, c.text)
	}
}

func TestValuesPolesZeros(t *testing.T) {
	g := must(NewTF([]float64{1, 2}, []float64{1, 4, 13}, 0))
	near(t, "G(j)", g.At(1i), (2+1i)/(12+4i), 1e-15, 0)
	near(t, "DC gain", dcGain(g), 2.0/13, 1e-15, 0)
	near(t, "pole", must(g.Poles())[1], -2+3i, 1e-14, 0)
	near(t, "zero", must(g.Zeros())[0], -2, 1e-14, 0)
	d := must(NewTF([]float64{1, 2}, []float64{1, 0.5}, 0.1))
	near(t, "discrete DC gain", dcGain(d), 2, 1e-15, 0)
	if k := dcGain(must(NewTF([]float64{3}, []float64{1, 0}, 0))); !math.IsInf(real(k), 1) {
		t.Errorf("DC gain of an integrator = %g: want +Inf", k)
	}
	_, err := TF{Num: []float64{0}, Den: []float64{1}}.Zeros()
	wantError(t, err, "zero polynomial")
}

func TestServoPlantDCGain(t *testing.T) {
	g := benchmarkPlant.tf()
	near(t, "DC gain", dcGain(g), 1.00751, 5e-6, 0)
	near(t, "DC gain of the states", must(benchmarkPlant.ss().At(0)).At(0, 0), dcGain(g), 1e-13, 0)
	for _, w := range []float64{1, 50, 300, 420, 3000} {
		s := complex(0, w)
		near(t, "response", must(benchmarkPlant.ss().At(s)).At(0, 0), g.At(s), 1e-12, 1)
		near(t, "canonical form", must(must(g.SS()).At(s)).At(0, 0), g.At(s), 1e-12, 1)
	}
}

// The inverse of the benchmark plant, with its specimen and reduced to the
// transfer system with a unit stiffness.
func TestInverseSeriesOfServoPlant(t *testing.T) {
	full := must(benchmarkPlant.tf().InverseSeries(6))
	for i, want := range []float64{0.99254, 0.024889, 1.06623e-4, 3.8564e-7, 5.765e-10, 1.334e-12} {
		near(t, "coefficient", complex(full[i], 0), complex(want, 0), 2e-4, 0)
	}
	bare := servoPlant{a1b0: 2.13e13, a2: 4.23e6, a3: 3.3, b1: 425, b2: 1e5, k: 1, g: 1}
	c := must(bare.tf().InverseSeries(4))
	for i, want := range []float64{1, 0.01985916, 8.440143e-5, 1.985916e-7} {
		near(t, "bare coefficient", complex(c[i], 0), complex(want, 0), 1e-6, 0)
	}
}

// num(s)·series(s) = den(s) up to the power asked for.
func TestInverseSeriesTimesNumerator(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := must(NewTF(drawDen(t, 2), drawDen(t, 3), 0))
		n := rapid.IntRange(1, 6).Draw(t, "n")
		c := must(g.InverseSeries(n))
		slices.Reverse(c)
		product := PolyMul(g.Num, c)
		for k := range n {
			size := math.Abs(ascending(g.Den, k))
			for j := range n {
				size = max(size, math.Abs(ascending(c, k-min(j, k))*ascending(g.Num, min(j, k))))
			}
			near(t, "coefficient", complex(ascending(product, k), 0), complex(ascending(g.Den, k), 0), 1e-12, size)
		}
	})
}

func TestInverseSeriesErrors(t *testing.T) {
	_, err := TF{Num: []float64{1}, Den: []float64{1, 1}, Dt: 0.1}.InverseSeries(2)
	wantError(t, err, "want a continuous")
	_, err = TF{Num: []float64{1, 0}, Den: []float64{1, 1}}.InverseSeries(2)
	wantError(t, err, "gain at s = 0 is zero")
	_, err = TF{Num: []float64{1}, Den: []float64{1, 1}}.InverseSeries(0)
	wantError(t, err, "0 coefficients")
}

func TestFrequencyResponseOfStateSpaceIsThatOfTF(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawTF(t, 4)
		s := complex(0, rapid.Float64Range(0.01, 1000).Draw(t, "ω"))
		near(t, "C (sI-A)^-1 B + D", must(must(g.SS()).At(s)).At(0, 0), g.At(s), 1e-9, 1)
	})
}

func TestStateSpaceOfConstantAndImproper(t *testing.T) {
	for _, dt := range []float64{0, 0.1} {
		s := must(must(NewTF([]float64{3}, []float64{2}, dt)).SS())
		near(t, "gain", must(s.At(0.3+0.2i)).At(0, 0), 1.5, 1e-15, 0)
		if !must(s.Stable()) {
			t.Errorf("constant gain at dt %g is unstable", dt)
		}
	}
	_, err := must(NewTF([]float64{1, 0, 0}, []float64{1, 1}, 0)).SS()
	wantError(t, err, "numerator of order 2 over denominator of order 1")
}

// N(s) = e^{-s τ} D(s) up to s^{2n} and not beyond, for τ = 1.
func TestPadeSeries(t *testing.T) {
	for n := 1; n <= 10; n++ {
		g := must(Pade(1, n))
		for k := range 2*n + 2 {
			var sum, size, factorial float64 = 0, 0, 1 // Σ_j D_{k-j} (-1)^j / j!
			for j := range k + 1 {
				if j > 0 {
					factorial *= float64(j)
				}
				term := ascending(g.Den, k-j) * math.Pow(-1, float64(j)) / factorial
				sum += term
				size = max(size, math.Abs(term))
			}
			gap := math.Abs(sum - ascending(g.Num, k))
			if agrees := gap < 1e-13*size; agrees != (k <= 2*n) {
				t.Errorf("order %d: coefficient of s^%d differs by %g of %g", n, k, gap, size)
			}
		}
	}
}

func TestPadeIsAllPassAndStable(t *testing.T) {
	tau := 0.02
	for n := 1; n <= 10; n++ {
		g := must(Pade(tau, n))
		for _, w := range []float64{1, 30, 1000} {
			near(t, "magnitude", complex(cmplx.Abs(g.At(complex(0, w))), 0), 1, 1e-12, 0)
		}
		near(t, "delay at 10 rad/s", g.At(10i), cmplx.Exp(-10i*complex(tau, 0)), []float64{1e-3, 1e-6}[min(n-1, 1)], 0)
		if !must(must(g.SS()).Stable()) {
			t.Errorf("order %d is unstable", n)
		}
	}
	if g := must(Pade(0, 3)); len(g.Num) != 1 || dcGain(g) != 1 {
		t.Errorf("no delay gives %+v: want 1", g)
	}
}

func TestPadeErrors(t *testing.T) {
	_, err := Pade(-0.1, 2)
	wantError(t, err, "delay -0.1 s: want 0 or more")
	for _, n := range []int{0, 11} {
		_, err = Pade(0.1, n)
		wantError(t, err, "want 1 to 10")
	}
}

// dcGain is the gain for a constant input: at s = 0 or z = 1.
func dcGain(g TF) complex128 {
	if g.Dt > 0 {
		return g.At(1)
	}
	return g.At(0)
}
