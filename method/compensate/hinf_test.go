package compensate

import (
	"math"
	"math/cmplx"
	"strings"
	"testing"

	"rths"
	"rths/maths/lti"
)

// The weights hold: with S = 1/(1 + GK) from the functions themselves, not from the states,
// |W1 S|² + |W2 K S|² + |W3 T|² is at most γ² at every frequency, and a disturbance δ of the
// command leaves less than γ too.
func TestHInfKeepsItsWeights(t *testing.T) {
	for _, p := range []*HInf{
		hinfDefaults(),
		{TrackingModel: TrackingModel{A: []float64{1, 0.02}}, W1Num: []float64{50}, W1Den: []float64{1, 1},
			W2Num: []float64{1}, W2Den: []float64{2}},
		{TrackingModel: TrackingModel{A: []float64{0.98, 0.02, 1e-4}}, W1Num: []float64{300}, W1Den: []float64{1, 3},
			W2Num: []float64{0.1}, W2Den: []float64{1}, W3Num: []float64{0.01, 0.1}, W3Den: []float64{1e-4, 1}, Disturbance: 2},
	} {
		d, err := p.design(At{RateHz: 4096})
		if err != nil {
			t.Fatal(err)
		}
		w1, w2, w3, err := p.weights()
		if err != nil {
			t.Fatal(err)
		}
		largest := 0.0
		for i := range 600 {
			s := complex(0, math.Pow(10, -2+float64(i)/100))
			g, k := model(p.A, s), d.k.Response(0, 0)(imag(s)/2/math.Pi)
			sensitivity := 1 / (1 + g*k)
			fromTarget := norm(w1.At(s)*sensitivity, w2.At(s)*k*sensitivity, w3.At(s)*g*k*sensitivity)
			disturbed := complex(p.Disturbance, 0) * g * sensitivity
			fromDisturbance := norm(w1.At(s)*disturbed, w2.At(s)*k*disturbed, w3.At(s)*disturbed)
			largest = max(largest, fromTarget, fromDisturbance)
		}
		// each column of the matrix is at most its norm, of two columns one at least 1/√2
		if !(largest <= d.gamma*(1+1e-6)) || !(largest >= 0.6*d.gamma) {
			t.Errorf("largest gain %.4g: want at most γ = %.4g, and not far below", largest, d.gamma)
		}
	}
}

func norm(v ...complex128) float64 {
	sum := 0.0
	for _, z := range v {
		sum += real(z)*real(z) + imag(z)*imag(z)
	}
	return math.Sqrt(sum)
}

func model(a []float64, s complex128) complex128 {
	var sum complex128
	for i, v := range a {
		sum += complex(v, 0) * cmplx.Pow(s, complex(float64(i), 0))
	}
	return 1 / sum
}

// The controller of the step around its own model, held: the error of a constant target of
// 1 mm is S(0), at most γ/|W1(0)| of it.
func TestHInfStandsStill(t *testing.T) {
	p := hinfDefaults()
	c, err := p.Make(At{RateHz: 4096})
	if err != nil {
		t.Fatal(err)
	}
	plant := heldModel(t, p.A, 4096)
	target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
	target.X[0] = 1e-3
	for range 4 * 4096 {
		c.Step(u, &target, &read)
		read.X[0] = plant(u[0])
	}
	left := math.Abs(target.X[0]-read.X[0]) / target.X[0]
	limit := c.(*hinf).gamma / 100
	t.Logf("γ %.3g, error of a constant target %.3g", c.(*hinf).gamma, left)
	if !(left <= limit) || left == 0 {
		t.Errorf("error of a constant target %.3g: want at most γ/|W1(0)| = %.3g", left, limit)
	}
}

// heldModel is 1/(a₀ + a₁s + …) under a held command.
func heldModel(t *testing.T, a []float64, rate float64) func(u float64) float64 {
	t.Helper()
	den := make([]float64, len(a))
	for i, v := range a {
		den[len(a)-1-i] = v
	}
	g, err := lti.NewTF([]float64{1}, den, 0)
	if err != nil {
		t.Fatal(err)
	}
	ss, err := g.SS()
	if err != nil {
		t.Fatal(err)
	}
	d, err := lti.C2D(ss, 1/rate, lti.ZOH)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, len(a)-1)
	return func(u float64) (y float64) {
		next := make([]float64, len(x))
		for i := range next {
			next[i] = d.B.At(i, 0) * u
			for j, v := range x {
				next[i] += d.A.At(i, j) * v
			}
		}
		x = next
		for j, v := range x {
			y += d.C.At(0, j) * v
		}
		return y
	}
}

func TestHInfErrors(t *testing.T) {
	for want, spoil := range map[string]func(*HInf){
		"hinf: w1 does not fall off":                         func(p *HInf) { p.W1Num = []float64{1, 1, 1} },
		"hinf: w1: improper, numerator of order 3":           func(p *HInf) { p.W1Num = []float64{1, 0, 0, 0} },
		"hinf: w1: unstable, a pole at 0 rad/s: want all in": func(p *HInf) { p.W1Den = []float64{1, 0} },
		"hinf: w2 falls off at high frequencies":             func(p *HInf) { p.W2Num = []float64{1} },
		"hinf: w2: improper, numerator of order 1":           func(p *HInf) { p.W2Den = []float64{1} },
		"hinf: w3: improper, numerator of order 1": func(p *HInf) {
			p.W3Num, p.W3Den = []float64{1, 0},
				[]float64{1}
		},
		"hinf: w3: transfer function": func(p *HInf) { p.W3Num = []float64{1, 0} },
		"hinf: w2 is 0": func(p *HInf) {
			p.W2Num, p.W2Den = []float64{0},
				[]float64{1}
		},
		"hinf: disturbance -1: want 0 or more":                  func(p *HInf) { p.Disturbance = -1 },
		"hinf: the model [1] has no lag":                        func(p *HInf) { p.A = []float64{1} },
		"hinf: the model [1 -0.1] has a pole at 10 rad/s: want": func(p *HInf) { p.A = []float64{1, -0.1} },
	} {
		p := hinfDefaults()
		spoil(p)
		if _, err := p.Make(At{RateHz: 4096}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v: want one that says %q", err, want)
		}
	}
}
