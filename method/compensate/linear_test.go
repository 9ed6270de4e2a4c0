package compensate_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/method/compensate"
)

// One system as transfer function, zeros and poles, and in state space, in s and
// in z, gives the same command to rounding.
func TestLinearFormsAgree(t *testing.T) {
	// 40 (s + 60)(s + 90)/((s + 200)² + 150²)
	forms := map[string]compensate.Maker{
		"tf": &compensate.TF{Domain: "s", Num: []float64{40, 6000, 216000}, Den: []float64{1, 400, 62500}},
		"zpk": &compensate.ZPK{Domain: "s", Zeros: [][]float64{{-60, 0}, {-90, 0}},
			Poles: [][]float64{{-200, 150}, {-200, -150}}, Gain: 40},
		// controllable form: y = 40 u + (40·(150 − 400)) x1 + (216000 − 40·62500) x2
		"ss": &compensate.SS{Domain: "s", A: [][]float64{{-400, -62500}, {1, 0}}, B: [][]float64{{1}, {0}},
			C: [][]float64{{-10000, -2284000}}, D: [][]float64{{40}}},
	}
	r := rand.New(rand.NewPCG(3, 4))
	wave := make([]float64, 3000)
	for i := range wave {
		wave[i] = r.NormFloat64()
	}
	input := func(t float64) (float64, float64, float64) { return wave[int(math.Round(t*rate))], 0, 0 }
	want := command(madeAt(t, forms["tf"], compensate.At{RateHz: rate}), rate, len(wave), input)
	for name, m := range forms {
		for k, u := range command(madeAt(t, m, compensate.At{RateHz: rate}), rate, len(wave), input) {
			if math.Abs(u-want[k]) > 1e-9 {
				t.Fatalf("%s at tick %d: %.12g, tf %.12g", name, k, u, want[k])
			}
		}
	}
}

// In z the numbers are the recursion itself.
func TestDiscreteTransferFunctionIsItsRecursion(t *testing.T) {
	c := madeAt(t, &compensate.TF{Domain: "z", Num: []float64{2, -1.5}, Den: []float64{1, -0.4, 0.2}},
		compensate.At{RateHz: rate})
	x := func(k int) float64 { return math.Sin(0.3 * float64(max(k, 0)*max(k, 0))) }
	y := []float64{}
	past := func(k int) float64 {
		if k < 0 {
			return 0
		}
		return y[k]
	}
	in := func(k int) float64 {
		if k < 0 {
			return 0
		}
		return x(k)
	}
	for k, u := range command(c, rate, 200, func(t float64) (float64, float64,
		float64) {
		return x(int(math.Round(t * rate))), 0, 0
	}) {
		y = append(y, 2*in(k-1)-1.5*in(k-2)+0.4*past(k-1)-0.2*past(k-2))
		if math.Abs(u-y[k]) > 1e-12 {
			t.Fatalf("tick %d: %.15g, want %.15g", k, u, y[k])
		}
	}
}

// FIR is a convolution.
func TestFIRIsAConvolution(t *testing.T) {
	w := []float64{0.5, -2, 3, 0.25}
	c := madeAt(t, &compensate.FIR{Coefficients: w, Spacing: 3}, compensate.At{RateHz: rate})
	x := func(k int) float64 { return math.Cos(0.7*float64(k)) + 0.01*float64(k) }
	for k, u := range command(c, rate, 100, func(t float64) (float64, float64,
		float64) {
		return x(int(math.Round(t * rate))), 0, 0
	}) {
		want := 0.0
		for i, wi := range w {
			if k-3*i >= 0 {
				want += wi * x(k-3*i)
			}
		}
		if math.Abs(u-want) > 1e-13 {
			t.Fatalf("tick %d: %g, want %g", k, u, want)
		}
	}
}

// One coefficient is a gain, and 10 000 are not too many.
func TestFIRLengths(t *testing.T) {
	for _, n := range []int{1, 10000} {
		w := make([]float64, n)
		w[0] = -3
		if u := command(madeAt(t, &compensate.FIR{Coefficients: w, Spacing: 1}, compensate.At{RateHz: rate}), rate, 3,
			func(t float64) (x, v, a float64) { return 1 + t, 0, 0 }); u[2] != -3*(1+2.0/rate) {
			t.Errorf("%d coefficients: command %g", n, u[2])
		}
	}
	_, err := (&compensate.FIR{Coefficients: make([]float64, 10001), Spacing: 1}).Make(compensate.At{RateHz: rate})
	rthstest.WantError(t, err, "fir: 10001 coefficients: want 1 to 10000")
}

// A state space of two inputs feeds the reading back: a proportional–integral
// controller of the tracking error as numbers equals kind pi without its lead
// and converters.
func TestStateSpaceFeedsBack(t *testing.T) {
	ss := madeAt(t, &compensate.SS{Domain: "s", A: [][]float64{{0}}, B: [][]float64{{1, -1}}, C: [][]float64{{95}},
		D: [][]float64{{2, -2}}}, compensate.At{RateHz: rate})
	pi := madeAt(t, &compensate.PI{Kp: 2, Ki: 95, LeadNum: []float64{1}, LeadDen: []float64{1}},
		compensate.At{RateHz: rate})
	r := rand.New(rand.NewPCG(5, 6))
	target, read, a, b := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}, []float64{0}
	for k := range 2000 {
		target.X[0], read.X[0] = r.NormFloat64(), r.NormFloat64()
		ss.Step(a, &target, &read)
		pi.Step(b, &target, &read)
		if math.Abs(a[0]-b[0]) > 1e-11 {
			t.Fatalf("tick %d: %.15g, pi %.15g", k, a[0], b[0])
		}
	}
}

func TestLinearWrongInput(t *testing.T) {
	for _, tc := range []struct {
		p    compensate.Maker
		want string
	}{
		{&compensate.TF{Domain: "w", Num: []float64{1}, Den: []float64{1}}, `tf: domain "w": want s or z`},
		{&compensate.TF{Domain: "s", Num: []float64{1, 0}, Den: []float64{1}},
			"tf: improper, numerator of order 1 over denominator of order 0"},
		{&compensate.TF{Domain: "s", Num: []float64{1}, Den: []float64{1, -3}},
			"tf: unstable, a pole at 3 rad/s: want all in the left half plane"},
		{&compensate.TF{Domain: "s", Num: []float64{1}, Den: []float64{1, 0}}, "unstable, a pole at"},
		{&compensate.TF{Domain: "z", Num: []float64{1}, Den: []float64{1, -1.5}}, "want all inside the unit circle"},
		{&compensate.TF{Domain: "s", Num: []float64{1}, Den: nil}, "tf: "},
		{&compensate.TF{Domain: "s", Num: []float64{1}, Den: make([]float64, 20)}, "tf: "},
		{&compensate.ZPK{Domain: "s", Poles: [][]float64{{-1, 2}}, Gain: 1}, "without its conjugate"},
		{&compensate.ZPK{Domain: "s", Poles: [][]float64{{-1}}, Gain: 1}, "number 1 of poles has 1 numbers: want two"},
		{&compensate.ZPK{Domain: "s", Zeros: [][]float64{{-1, 0}}, Gain: 1}, "zpk: improper"},
		{&compensate.SS{Domain: "s"}, "ss: d []: want one row"},
		{&compensate.SS{Domain: "s", D: [][]float64{{1, 0, 0}}}, "ss: d [[1 0 0]]: want one row of one number"},
		{&compensate.SS{Domain: "s", A: [][]float64{{-1}}, D: [][]float64{{1}}}, "ss: b has 0 rows: want 1"},
		{&compensate.SS{Domain: "s", A: [][]float64{{-1, 0}}, B: [][]float64{{1}}, C: [][]float64{{1}}, D: [][]float64{{1}}},
			"row 1 of a has 2 numbers: want 1"},
		{&compensate.SS{Domain: "s", A: [][]float64{{2}}, B: [][]float64{{1}}, C: [][]float64{{1}}, D: [][]float64{{1}}},
			"ss: unstable, a pole at 2 rad/s"},
		{&compensate.SS{Domain: "s", D: [][]float64{{math.Inf(1)}}}, "ss: holds +Inf"},
		{&compensate.FIR{Spacing: 1}, "fir: 0 coefficients: want 1 to 10000"},
		{&compensate.FIR{Coefficients: []float64{math.NaN()}, Spacing: 1}, "fir: a coefficient of NaN"},
		{&compensate.FIR{Coefficients: []float64{1}}, "fir: spacing 0"},
	} {
		if _, err := tc.p.Make(compensate.At{RateHz: rate}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v: error %v, want it to say %q", tc.p, err, tc.want)
		}
	}
}
