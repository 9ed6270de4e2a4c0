package compensate_test

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"strings"
	"testing"

	"rths"
	"rths/method/compensate"
	"rths/model/plant"
)

func madeAt(t *testing.T, m compensate.Maker, at compensate.At) rths.Compensator {
	t.Helper()
	c, err := m.Make(at)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// galmez is the third-order model of the benchmark's transfer system (Gálmez 2021,
// eq. 7.7).
var galmez = []float64{1.0, 0.01985916, 8.440143e-5, 1.985916e-7}

// model is x/u of a.
func model(a []float64, s complex128) complex128 {
	var den complex128
	for i := len(a) - 1; i >= 0; i-- {
		den = den*s + complex(a[i], 0)
	}
	return 1 / den
}

// Inverse times model is 1: to 0.3 % up to 20 Hz, and nowhere further off than the
// half sample by which the jerk is late makes it.
func TestMBCInvertsItsModel(t *testing.T) {
	for _, hz := range []float64{0.5, 2, 5, 10, 15, 20} {
		c := madeAt(t, &compensate.MBC{Derivatives: "target"}, compensate.At{RateHz: rate})
		w := 2 * math.Pi * hz
		target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
		var fit complex128
		n := int(rate / hz * math.Ceil(hz)) // whole cycles
		for k := range n + 1 {
			phase := w * float64(k) / rate
			target.X[0], target.V[0], target.A[0] = math.Cos(phase), -w*math.Sin(phase), -w*w*math.Cos(phase)
			if c.Step(u, &target, &read); k > 0 { // the jerk of tick 0 knows no past
				fit += complex(u[0], 0) * cmplx.Exp(complex(0, -phase)) * complex(2/float64(n), 0)
			}
		}
		g := model(galmez, complex(0, w))
		off, late := cmplx.Abs(fit*g-1), galmez[3]*w*w*w*(w/rate/2)*cmplx.Abs(g)
		if off > 0.003 || off > 1.01*late+1e-6 {
			t.Errorf("%g Hz: inverse × model differs from 1 by %.2g; the half sample makes %.2g", hz, off, late)
		}
	}
}

// With linear acceleration every derivative is exact.
func TestMBCCommandOfLinearAcceleration(t *testing.T) {
	a := []float64{1.1, 0.02, 9e-5, 3e-7}
	c := madeAt(t, &compensate.MBC{Derivatives: "target", A: a}, compensate.At{RateHz: rate})
	target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
	for k := range 50 {
		s := float64(k) / rate
		target.X[0], target.V[0], target.A[0] = s*s*s/6, s*s/2, s
		c.Step(u, &target, &read)
		want := a[0]*s*s*s/6 + a[1]*s*s/2 + a[2]*s + a[3]
		if k > 0 && math.Abs(u[0]-want) > 1e-12*want {
			t.Fatalf("tick %d: command %.15g, want %.15g", k, u[0], want)
		}
	}
}

// With backward differences it is AMB without adaptation (amb-fixed), (6.3) and (6.4)
// of Gálmez 2021.
func TestMBCWithBackwardDifferencesIsAMBFixed(t *testing.T) {
	row, err := rths.Find(compensate.Kinds, "amb-fixed")
	if err != nil {
		t.Fatal(err)
	}
	one, two := made(t, &compensate.MBC{Model: "given", Derivatives: "backward"}), made(t, row.Defaults())
	if _, ok := rths.As[rths.RateUser](one); ok {
		t.Error("backward differences need no rates of the target")
	}
	r := rand.New(rand.NewPCG(1, 2))
	target, read, u, v := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}, []float64{0}
	for range 200 {
		target.X[0] += 1e-6 * r.NormFloat64()
		one.Step(u, &target, &read)
		two.Step(v, &target, &read)
		if math.Abs(u[0]-v[0]) > 1e-10*(1+math.Abs(v[0])) {
			t.Fatalf("command %g, amb-fixed %g", u[0], v[0])
		}
	}
}

// What was left open is filled in: the model of the scenario's transfer system where
// there is one, the target's rates where there are any.
func TestMBCResolves(t *testing.T) {
	row, err := rths.Find(plant.Transfers, "silva2020-paper")
	if err != nil {
		t.Fatal(err)
	}
	at := compensate.At{RateHz: rate}
	at.BareInverse = row.Defaults().(plant.Inverter).BareInverse
	p := &compensate.MBC{Derivatives: "target"}
	for range 2 { // making again changes nothing
		c := madeAt(t, p, at)
		if _, ok := rths.As[rths.RateUser](c); !ok || p.Model != "given" || p.Derivatives != "target" {
			t.Errorf("%+v: want the target's rates and a model with numbers", p)
		}
		for i, want := range galmez {
			if math.Abs(p.A[i]-want) > 5e-7*want {
				t.Errorf("a%d = %.8g, paper 001: %.8g", i, p.A[i], want)
			}
		}
	}
	p = &compensate.MBC{Derivatives: "target", A: []float64{1, 0.01}}
	if madeAt(t, p, at); len(p.A) != 2 || p.A[1] != 0.01 {
		t.Errorf("numbers given became %v", p.A)
	}
}

func TestMBCWrongInput(t *testing.T) {
	for _, tc := range []struct {
		p    compensate.MBC
		want string
	}{
		{compensate.MBC{Derivatives: "forward"}, `derivatives "forward": want target or backward`},
		{compensate.MBC{Model: "bare-transfer"}, "no model to expand"},
		{compensate.MBC{Model: "bare-transfer", A: []float64{1}}, "want one of them"},
		{compensate.MBC{Model: "guess"}, `model "guess": want bare-transfer, plant or given`},
		{compensate.MBC{A: []float64{}}, "0 numbers in a: want 1 to 4"},
		{compensate.MBC{A: []float64{1, 2, 3, 4, 5}}, "5 numbers in a: want 1 to 4"},
		{compensate.MBC{A: []float64{1, math.NaN()}}, "a holds NaN"},
		{compensate.MBC{A: []float64{0, 1}}, "a0 is 0: want 1 over the static gain"},
	} {
		if tc.p.Derivatives == "" {
			tc.p.Derivatives = "target"
		}
		if _, err := tc.p.Make(compensate.At{RateHz: rate}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want it to say %q", err, tc.want)
		}
	}
}
