package stability

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// shaken is the displacement of a specimen with two frequencies that grows and decays, at 256 Hz for 20 s.
func shaken(amplitude float64) (x []float64) {
	for k := range 20 * 256 {
		t := float64(k) / 256
		envelope := math.Min(1, t/2) * math.Exp(-math.Max(0, t-10)/4)
		x = append(x, amplitude*envelope*(math.Sin(2*math.Pi*1.3*t)+0.4*math.Sin(2*math.Pi*3.1*t+1)))
	}
	return x
}

// springForce is the force of a spring with a dashpot, N.
func springForce(x []float64, k, c float64) (f []float64) {
	for i := range x {
		v := 0.0
		if i > 0 {
			v = (x[i] - x[i-1]) * 256
		}
		f = append(f, k*x[i]+c*v)
	}
	return f
}

// frictionForce is the force of friction with a stiff spring, N.
func frictionForce(x []float64, k, slip float64) (f []float64) {
	force := 0.0
	for i := range x {
		if i > 0 {
			force = min(max(force+k*(x[i]-x[i-1]), -slip), slip)
		}
		f = append(f, force)
	}
	return f
}

// noisy adds noise.
func noisy(v []float64, sd float64, r *rand.Rand) (out []float64) {
	for _, x := range v {
		out = append(out, x+sd*r.NormFloat64())
	}
	return out
}

// compared gives a test to an observer that knows the rehearsal.
func compared(before []Rehearsed, x, f []float64) *Plausibility {
	p := NewPlausibility(256, 1)
	p.SetRehearsed(before)
	frame := rths.Frame{Read: rths.NewReading(1, 1)}
	for k := range x {
		frame.K, frame.T, frame.Read.X[0], frame.Read.F[0] = k, float64(k)/256, x[k], f[k]
		p.Observe(&frame)
	}
	return p
}

func kindsOf(p *Plausibility) (out []int) {
	for _, i := range p.Found() {
		out = append(out, i.Kind)
	}
	return out
}

// Whatever is wrong with a sensor is found, by its kind; a specimen that is softer, that moves less, or has more noise
// is plausible.
func TestPlausibility(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	change := func(v []float64, how func(k int, v float64) float64) (out []float64) {
		for k, x := range v {
			out = append(out, how(k, x))
		}
		return out
	}
	const from = 6 * 256
	later := func(k int, v, instead float64) float64 {
		if k < from {
			return v
		}
		return instead
	}
	for name, make := range map[string]func(x []float64) []float64{
		"spring":          func(x []float64) []float64 { return springForce(x, 1e6, 0) },
		"spring, dashpot": func(x []float64) []float64 { return springForce(x, 1e6, 2e4) },
		"dashpot":         func(x []float64) []float64 { return springForce(x, 0, 2e4) },
		"friction":        func(x []float64) []float64 { return frictionForce(x, 1e7, 3000) },
	} {
		x := noisy(shaken(0.01), 2e-6, r)
		f := noisy(make(x), 3, r)
		before := Rehearse(256, [][]float64{x}, [][]float64{f})
		for what, tc := range map[string]struct {
			x, f []float64
			want []int // any of them; none: plausible
		}{
			"the same":      {x: x, f: f},
			"other noise":   {x: noisy(x, 5e-6, r), f: noisy(f, 10, r)},
			"softer":        {x: x, f: change(f, func(_ int, v float64) float64 { return 0.7 * v })},
			"stiffer":       {x: x, f: change(f, func(_ int, v float64) float64 { return 1.4 * v })},
			"a sample late": {x: x, f: append([]float64{0}, f[:len(f)-1]...)},
			"half as much": {x: change(x, func(_ int, v float64) float64 { return 0.6 * v }),
				f: change(f, func(_ int, v float64) float64 { return 0.6 * v })},
			"frozen force": {x: x, f: change(f, func(k int, v float64) float64 { return later(k, v, f[from]) }),
				want: []int{ScaleLow}},
			"no force": {x: x, f: change(f, func(k int, v float64) float64 { return later(k, v, 0) }),
				want: []int{ScaleLow}},
			"reversed": {x: x, f: change(f, func(k int, v float64) float64 { return later(k, v, -v) }),
				want: []int{Sign, Energy}},
			"three times": {x: x, f: change(f, func(k int, v float64) float64 { return later(k, v, 3*v) }),
				want: []int{ScaleHigh}},
			"a third": {x: x, f: change(f, func(k int, v float64) float64 { return later(k, v, v/3) }),
				want: []int{ScaleLow}},
			"reversed from the start": {x: x, f: change(f, func(_ int, v float64) float64 { return -v }), want: []int{Sign}},
			"drift": {x: change(x, func(k int,
				v float64) float64 {
				return v + 0.004*max(0, float64(k-from))/256
			}), f: f, want: []int{Offset, ScaleLow, ScaleHigh}},
		} {
			got := kindsOf(compared(before, tc.x, tc.f))
			if name == "spring" && what == "a sample late" { // nothing dissipates what the lag gives
				tc.want = []int{Energy}
			}
			hit := slices.ContainsFunc(got, func(k int) bool { return slices.Contains(tc.want, k) })
			if hit != (tc.want != nil) || tc.want == nil && got != nil {
				t.Errorf("%s, %s: found %v: want %v; rehearsed %+v", name, what, got, tc.want, before)
			}
		}
	}
}

// Without a rehearsal, without motion and without a load cell for each axis nothing is judged.
func TestNothingIsJudged(t *testing.T) {
	x := shaken(0.01)
	f := springForce(x, 1e6, 0)
	before := Rehearse(256, [][]float64{x}, [][]float64{f})
	if list := Rehearse(256, [][]float64{x, x}, [][]float64{f}); list != nil {
		t.Errorf("two axes with one load cell: %+v: want nothing", list)
	}
	still := make([]float64, len(x))
	for what, p := range map[string]*Plausibility{
		"no rehearsal":           compared(nil, x, f),
		"a rehearsal that stood": compared(Rehearse(256, [][]float64{still}, [][]float64{f}), x, f),
		"nothing moves":          compared(before, still, f),
		"a tenth moves":          compared(before, shaken(0.001), springForce(shaken(0.001), -1e6, 0)),
	} {
		if p.pct != 0 || p.Found() != nil {
			t.Errorf("%s: %g %%, %v: want nothing judged", what, p.pct, p.Found())
		}
	}
}

// A test that is stopped in its midst and resumed has the same bits. Nothing is allocated.
func TestPlausibilityResumes(t *testing.T) {
	x := shaken(0.01)
	f := springForce(x, 1e6, 1e4)
	before := Rehearse(256, [][]float64{x}, [][]float64{f})
	for i := range f[3000:] {
		f[3000+i] *= -3
	}
	whole := compared(before, x, f)
	for _, stop := range []int{1, 1500, 3100, 3500} {
		p := NewPlausibility(256, 1)
		p.SetRehearsed(before)
		rths.SetState(rths.AppendState(nil, compared(before, x[:stop], f[:stop])), p)
		frame := rths.Frame{Read: rths.NewReading(1, 1)}
		for k := stop; k < len(x); k++ {
			frame.K, frame.T, frame.Read.X[0], frame.Read.F[0] = k, float64(k)/256, x[k], f[k]
			p.Observe(&frame)
		}
		same := slices.Equal(rths.AppendState(nil, p), rths.AppendState(nil, whole))
		if !same || len(p.Found()) < 2 || !slices.Equal(p.Found(), whole.Found()) {
			t.Errorf("stopped at sample %d: found %v: want %v", stop, p.Found(), whole.Found())
		}
	}
	frame := rths.Frame{Read: rths.NewReading(1, 1)}
	rthstest.NoAllocation(t, func() {
		frame.K++
		frame.Read.X[0], frame.Read.F[0] = x[frame.K%len(x)], f[frame.K%len(x)]
		whole.Observe(&frame)
	})
}

// A quantity that a rehearsal cannot tell is left out, so that its numbers are finite: a force
// that never changes, or that is not a number.
func TestRehearsedIsFinite(t *testing.T) {
	x := shaken(0.01)
	bad := springForce(x, 1e6, 0)
	bad[len(bad)-1] = math.NaN()
	for name, f := range map[string][]float64{"no force": make([]float64, len(x)), "not a number": bad} {
		before := Rehearse(256, [][]float64{x}, [][]float64{f})
		if before[0] != (Rehearsed{}) && name == "no force" {
			t.Errorf("%s: %+v: want nothing", name, before[0])
		}
		if _, err := json.Marshal(before); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Lost readings and a constant age of readings change nothing: time counts, not the number of readings. A specimen that
// mostly gives, as one that drives, may give what it gave in the rehearsal.
func TestPlausibleWithLostReadings(t *testing.T) {
	x := shaken(0.01)
	f := springForce(x, 1e6, 2e4)
	before := Rehearse(256, [][]float64{x}, [][]float64{f})
	r := rand.New(rand.NewPCG(8, 8))
	for _, loss := range []float64{0.2, 0.6} {
		p := NewPlausibility(256, 1)
		p.SetRehearsed(before)
		frame, age := rths.Frame{Read: rths.NewReading(1, 1)}, 0
		for k := range x {
			if age++; k == 0 || r.Float64() > loss {
				age = 0
				frame.Read.X[0], frame.Read.F[0] = x[k], f[k]
			}
			frame.K, frame.T, frame.Read.Age = k, float64(k)/256, age+1
			p.Observe(&frame)
		}
		if found := p.Found(); found != nil {
			t.Errorf("%g %% lost: %+v", 100*loss, found)
		}
	}
	for i := range f {
		f[i] = -1e5 * x[i]
	}
	drives := Rehearse(256, [][]float64{x}, [][]float64{f})
	for i := range f {
		f[i] *= 1.02
	}
	if found := compared(drives, x, f).Found(); found != nil {
		t.Errorf("a specimen that drives: %+v", found)
	}
}

// The numbers of a rehearsal of a spring have a closed form: the energy ½ k A² that it takes and gives back, no energy
// that it makes itself, and the scale k at the largest amplitude.
func TestRehearsedSpring(t *testing.T) {
	const k, amplitude, rate = 1e6, 0.01, 1000
	var out, swing []float64
	for i := range 4 * rate { // to A and back, in 4 s
		out = append(out, amplitude*(1-math.Abs(float64(i)/(2*rate)-1)))
		swing = append(swing, amplitude*math.Sin(2*math.Pi*float64(i)/rate))
	}
	r := Rehearse(rate, [][]float64{out}, [][]float64{springForce(out, k, 0)})[0]
	if want := k * amplitude * amplitude / 2; math.Abs(r.Taken-want) > 0.02*want || r.Given > 1e-9*want {
		t.Errorf("a spring takes %.4g J and gives %.4g J: want %.4g J and none", r.Taken, r.Given, want)
	}
	r = Rehearse(rate, [][]float64{swing}, [][]float64{springForce(swing, k, 0)})[0]
	for _, got := range r.Scale[0] {
		if math.Abs(got-k) > 1e-6*k {
			t.Errorf("scale at the largest amplitude %v: want %g N/m", r.Scale[0], k)
		}
	}
}

// An offset is judged where the force always follows the displacement. Where a specimen does so in a part of its test
// only, as a spring that turns into a dashpot, nobody knows where the force belongs.
func TestOffsetIsOfElasticForces(t *testing.T) {
	x := shaken(0.01)
	spring, dashpot := springForce(x, 1e6, 0), springForce(x, 0, 4e4)
	mixed := append(slices.Clone(spring[:len(x)/2]), dashpot[len(x)/2:]...)
	for name, c := range map[string]struct {
		force []float64
		want  bool
	}{"spring": {spring, true}, "a spring that turns into a dashpot": {mixed, false}} {
		before := Rehearse(256, [][]float64{x}, [][]float64{c.force})
		moved := slices.Clone(c.force)
		for i := range moved {
			moved[i] += 0.8 * before[0].Force
		}
		if got := slices.Contains(kindsOf(compared(before, x, moved)), Offset); got != c.want {
			t.Errorf("%s with an offset of 80 %% of the largest force: offset found: %t, want %t; in phase %v", name, got,
				c.want, before[0].InPhase)
		}
	}
}

// A comparison that is set to the state of a sound test forgets what it had found, and finds it again.
func TestPlausibilityForgets(t *testing.T) {
	x := shaken(0.01)
	f := springForce(x, 1e6, 1e4)
	before := Rehearse(256, [][]float64{x}, [][]float64{f})
	reversed := springForce(x, -1e6, -1e4)
	p := compared(before, x, reversed)
	want := kindsOf(p)
	rths.SetState(rths.AppendState(nil, NewPlausibility(256, 1)), p)
	if found := p.Found(); want == nil || found != nil {
		t.Errorf("found %v, then %v after the state of a test that begins: want some, then none", want, found)
	}
	frame := rths.Frame{Read: rths.NewReading(1, 1)}
	for k := range x {
		frame.K, frame.T, frame.Read.X[0], frame.Read.F[0] = k, float64(k)/256, x[k], reversed[k]
		p.Observe(&frame)
	}
	if got := kindsOf(p); !slices.Equal(got, want) {
		t.Errorf("found %v at the second time, want %v again", got, want)
	}
}
