package compensate_test

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/method/compensate"
	"rths/model/plant"
)

// channels are the values of a compensator's channels.
func channels(c rths.Compensator) []float64 {
	var out []float64
	for _, ch := range c.(rths.Channeler).Channels() {
		out = append(out, *ch.V)
	}
	return out
}

// docs/reference/benchmark-siso.md, Compensators as published: the inverse of the transfer system without specimen,
// with the parameters of papers 001 and 002.
func TestAMBInitialFromBareTransfer(t *testing.T) {
	row, err := rths.Find(plant.Transfers, "silva2020-paper")
	if err != nil {
		t.Fatal(err)
	}
	p := &compensate.AMB{Order: 3, Initial: "bare-transfer", FilterOrder: 4, FilterHz: 20}
	c, err := p.Make(compensate.At{RateHz: rate, BareInverse: row.Defaults().(plant.Inverter).BareInverse})
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{1.0, 0.01985916, 8.440143e-5, 1.985916e-7}
	for i, a := range channels(c) {
		if math.Abs(a-want[i]) > 5e-7*want[i] {
			t.Errorf("a%d = %.8g, paper 001: %.8g", i, a, want[i])
		}
	}
}

// (6.3), (6.4): for a target tⁿ the command is Σ aᵢ times its i-th backward
// difference, and for a straight line exactly a₀ x + a₁ ẋ.
func TestAMBCommandOfALine(t *testing.T) {
	for order := 1; order <= 3; order++ {
		c := made(t, &compensate.AMB{Order: order, Initial: "given", FilterOrder: 4, FilterHz: 20})
		a := channels(c)
		target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
		for k := range 20 {
			target.X[0] = 0.01 * float64(k) / rate
			c.Step(u, &target, &read)
		}
		if want := a[0]*target.X[0] + a[1]*0.01; math.Abs(u[0]-want) > 1e-12 {
			t.Errorf("order %d: command %.12g, want %.12g", order, u[0], want)
		}
	}
}

// inversePlant is the plant whose inverse by backward differences is exactly
// a·(x, Dx, D²x, …): x_c = Σ aᵢ Dⁱ x solved for the newest x.
type inversePlant struct {
	a    []float64
	past []float64 // x of the last three samples, newest first
}

func (p *inversePlant) step(u float64) float64 {
	const h = 1.0 / rate
	rows := [][]float64{{1, 0, 0, 0}, {1, -1, 0, 0}, {1, -2, 1, 0}, {1, -3, 3, -1}}
	newest, rest := 0.0, 0.0
	for i, a := range p.a {
		s := a / math.Pow(h, float64(i))
		newest += s * rows[i][0]
		for j, x := range p.past {
			rest += s * rows[i][j+1] * x
		}
	}
	x := (u - rest) / newest
	p.past = append([]float64{x}, p.past[:2]...)
	return x
}

// Paper 001 (6.5)–(6.8): parameters that already are the plant's do not move,
// and wrong ones go to the plant's. The command depends on parameters and
// target only, so the test can give the plant's answer in the tick it is made.
func TestAMBFindsThePlant(t *testing.T) {
	truth := []float64{1.02, 0.022}
	run := func(a []float64, seconds int) []float64 {
		c := made(t, &compensate.AMB{Order: 1, Initial: "given", A: a, Gamma: []float64{3e7, 3e5}, FilterOrder: 4,
			FilterHz: 20})
		p := &inversePlant{a: truth, past: make([]float64, 3)}
		target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
		for k := range seconds * rate {
			s, last := float64(k)/rate, target.X[0]
			target.X[0] = 0.003*math.Sin(2*math.Pi*3.6*s) + 0.004*math.Sin(2*math.Pi*0.7*s)
			now := channels(c)
			command := now[0]*target.X[0] + now[1]*(target.X[0]-last)*rate
			read.X[0] = p.step(command)
			if c.Step(u, &target, &read); math.Abs(u[0]-command) > 1e-15 {
				t.Fatalf("tick %d: command %g, (6.4) gives %g", k, u[0], command)
			}
		}
		return channels(c)
	}
	for i, a := range run([]float64{1, 0.010}, 60) {
		if math.Abs(a-truth[i]) > 1e-6*truth[i] {
			t.Errorf("from (1, 0.010): a%d = %.9g, want %g", i, a, truth[i])
		}
	}
	for i, a := range run(truth, 2) {
		if math.Abs(a-truth[i]) > 1e-9*truth[i] {
			t.Errorf("from the plant's own: a%d went to %.12g, was %g", i, a, truth[i])
		}
	}
}

// The lag of a slow actuator may grow by half of itself: amb finds 100 ms from a start at 72 ms.
func TestAMBOfASlowActuator(t *testing.T) {
	response := func(hz float64) (complex128, error) { return 1 / complex(1, 2*math.Pi*hz*0.072), nil }
	c, err := (&compensate.AMB{Order: 1, FilterOrder: 4, FilterHz: 20}).Make(compensate.At{RateHz: rate, Plant: response})
	if err != nil {
		t.Fatal(err)
	}
	target, read, u, x := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}, 0.0
	decay := math.Exp(-1 / (0.1 * rate))
	for k := range 60 * int(rate) {
		at := 2 * math.Pi * float64(k) / rate
		target.X[0] = 0.01*math.Sin(at) + 0.004*math.Sin(2.7*at)
		c.Step(u, &target, &read)
		x = decay*x + (1-decay)*u[0]
		read.X[0] = x
	}
	if a := channels(c); math.Abs(a[1]-0.1) > 2e-3 {
		t.Errorf("a1 %g s after a minute: want 0.1", a[1])
	}
}

// Bounds hold where parameters are used.
func TestAMBBounds(t *testing.T) {
	p := &compensate.AMB{Order: 1, Initial: "given", A: []float64{1, 0.01}, Gamma: []float64{1e12, 1e10},
		Lower: []float64{0.9, 0.005}, Upper: []float64{1.1, 0.03}, FilterOrder: 4, FilterHz: 20}
	c := made(t, p)
	target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
	r := rand.New(rand.NewPCG(1, 1))
	touched := false
	for range 20000 {
		target.X[0], read.X[0] = 0.01*r.NormFloat64(), 0.01*r.NormFloat64()
		c.Step(u, &target, &read)
		a := channels(c)
		if a[0] < 0.9 || a[0] > 1.1 || a[1] < 0.005 || a[1] > 0.03 {
			t.Fatalf("parameters %g outside their bounds", a)
		}
		touched = touched || a[0] == 0.9 || a[0] == 1.1
	}
	if !touched {
		t.Error("no bound was ever reached: the test shows nothing")
	}
}

// No adaptation while the filtered measurement is small.
func TestAMBFreezesWhenQuiet(t *testing.T) {
	p := &compensate.AMB{Order: 3, Initial: "given", FilterOrder: 4, FilterHz: 20, FreezeBelow: 1e-3}
	c := made(t, p)
	before := channels(c)
	target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
	for k := range 4000 {
		target.X[0] = 2e-3 * math.Sin(float64(k)/100)
		read.X[0] = 5e-4 * math.Sin(float64(k)/100)
		c.Step(u, &target, &read)
	}
	for i, a := range channels(c) {
		if a != before[i] {
			t.Errorf("a%d moved from %g to %g in a quiet time", i, before[i], a)
		}
	}
}

func TestAMBWrongInput(t *testing.T) {
	base := compensate.AMB{Order: 3, Initial: "given", FilterOrder: 4, FilterHz: 20}
	for _, tc := range []struct {
		change func(p *compensate.AMB)
		want   string
	}{
		{func(p *compensate.AMB) { p.Order = 4 }, "order 4: want 1 to 3"},
		{func(p *compensate.AMB) { p.A = []float64{1, 2} }, "2 numbers in a: want 4 for order 3"},
		{func(p *compensate.AMB) { p.Gamma = []float64{1} }, "1 numbers in gamma: want 4"},
		{func(p *compensate.AMB) { p.Initial = "guess" }, `initial "guess": want plant, bare-transfer or given`},
		{func(p *compensate.AMB) { p.Initial = "plant" },
			"initial plant: the plant has no linear model to start from: want a"},
		{func(p *compensate.AMB) { p.Initial, p.A = "plant", []float64{1, 0, 0, 0} },
			"initial plant and a: want one of them"},
		{func(p *compensate.AMB) { p.Normaliser = -1 }, "normaliser_m2 -1"},
		{func(p *compensate.AMB) { p.Weights = []float64{1, 1, 1, -1} }, "weights [1 1 1 -1]"},
		{func(p *compensate.AMB) { p.Initial = "bare-transfer" }, "no model to expand"},
		{func(p *compensate.AMB) { p.FilterHz = 3000 }, "Nyquist frequency 2048 Hz"},
		{func(p *compensate.AMB) { p.FreezeBelow = -1 }, "freeze_below_m -1: want 0 or more"},
	} {
		p := base
		tc.change(&p)
		if _, err := p.Make(compensate.At{RateHz: rate}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want it to say %q", err, tc.want)
		}
	}
}

// The law that is free of units: with all displacements multiplied by a factor the parameters
// follow the same way, far above ε; and an error of the gain decays at γ at most.
func TestAMBIsFreeOfUnits(t *testing.T) {
	learnt := func(size float64) []float64 {
		p := compensate.AMB{FilterOrder: 4, FilterHz: 20, Order: 2}
		c := made(t, &p)
		plant := &inversePlant{a: []float64{1.1, 0.02, 1e-4}, past: make([]float64, 3)}
		target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
		for k := range 2 * rate {
			s := float64(k) / rate
			target.X[0] = size * (math.Sin(2*math.Pi*1.3*s) + 0.5*math.Sin(2*math.Pi*4.1*s+1))
			c.Step(u, &target, &read)
			read.X[0] = plant.step(u[0])
		}
		return channels(c)
	}
	small, large := learnt(0.01), learnt(1)
	for i, a := range large {
		if math.Abs(a-small[i]) > 1e-3*math.Abs(a) {
			t.Errorf("a%d is %g after motion of 1 m and %g after 0.01 m", i, a, small[i])
		}
	}
	if math.Abs(large[0]-1.1) > 0.01 {
		t.Errorf("a0 is %g: want the plant's 1.1", large[0])
	}
}

// The start is the plant's inverse: a plant that is a series is found exactly, by
// derivatives and by taps.
func TestStartIsTheInverseOfThePlant(t *testing.T) {
	want := []float64{0.97, 0.021, 9e-5, 2e-7}
	d := func(hz float64) complex128 { return (1 - cmplx.Exp(complex(0, -2*math.Pi*hz/rate))) * rate }
	p := compensate.AMB{FilterOrder: 4, FilterHz: 20}
	made, err := p.Make(compensate.At{RateHz: rate, Plant: func(hz float64) (complex128, error) {
		return 1 / (complex(want[0], 0) + d(hz)*(complex(want[1], 0)+d(hz)*(complex(want[2], 0)+d(hz)*complex(want[3], 0)))),
			nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range channels(made) {
		if math.Abs(a-want[i]) > 1e-6*want[i] {
			t.Errorf("a%d is %g, want %g", i, a, want[i])
		}
	}
	taps := []float64{8, -14, 10, -3}
	z := func(hz float64) complex128 { return cmplx.Exp(complex(0, -2*math.Pi*hz*31/4096)) }
	k := kind(t, "kf")
	if _, err := k.Make(compensate.At{RateHz: rate, Plant: func(hz float64) (complex128, error) {
		return 1 / (complex(taps[0], 0) + z(hz)*(complex(taps[1], 0)+z(hz)*(complex(taps[2], 0)+z(hz)*complex(taps[3], 0)))),
			nil
	}}); err != nil {
		t.Fatal(err)
	}
	for i, x := range k.X0 {
		if math.Abs(x-taps[i]) > 1e-6*math.Abs(taps[i]) {
			t.Errorf("x%d is %g, want %g", i+1, x, taps[i])
		}
	}
}

// A parameter is at its bound where the estimate lies beyond; without bounds none is.
func TestAtBounds(t *testing.T) {
	for kind, set := range map[string]func(m compensate.Maker, lower, upper []float64){
		"amb": func(m compensate.Maker, l, u []float64) {
			p := m.(*compensate.AMB)
			p.Order, p.Lower, p.Upper = 2, l, u
		},
		"kf": func(m compensate.Maker, l, u []float64) { p := m.(*compensate.KF); p.Lower, p.Upper = l, u },
		"cats": func(m compensate.Maker, l, u []float64) {
			p := m.(*compensate.CATS)
			p.Order, p.Lower, p.Upper = 2, l, u
		},
		"ats":  func(m compensate.Maker, l, u []float64) { p := m.(*compensate.ATS); p.Lower, p.Upper = l, u },
		"adm3": func(m compensate.Maker, l, u []float64) { p := m.(*compensate.ADM); p.Lower, p.Upper = l, u },
	} {
		row, err := rths.Find(compensate.Kinds, kind)
		if err != nil {
			t.Fatal(err)
		}
		n := map[string]int{"kf": 4}[kind]
		if n == 0 {
			n = 3
		}
		wide, tight := slices.Repeat([]float64{1e9}, n), slices.Repeat([]float64{1e9}, n)
		wider := slices.Repeat([]float64{-1e9}, n)
		tight[0] = 0.1 // far below what the first parameter of any of them is
		for _, c := range []struct {
			upper []float64
			want  int
		}{{wide, 0}, {tight, 1}} {
			m := row.Defaults()
			set(m, wider, c.upper)
			made := made(t, m)
			if got := made.(compensate.Bounded).AtBounds(); len(got) != c.want ||
				c.want == 1 && got[0] != made.(rths.Channeler).Channels()[0].Name {
				t.Errorf("%s with upper bounds %g: at bounds %q, want %d", kind, c.upper, got, c.want)
			}
		}
	}
}
