package rig

import (
	"math"
	"slices"
	"testing"

	"rths"
	"rths/maths/signal"
	"rths/model/plant"
)

const rate = 4096

// The single-actuator benchmark's rig (docs/reference/benchmark-siso.md): its plant with
// a force limit, the noise of both sensors, a converter on the command.
func benchmark(t *testing.T, seed uint64) (*Virtual, plant.Plant) {
	t.Helper()
	specimen, err := (&plant.SilvaSpecimen{Mass: 29.13, Stiffness: 1190e3, DampingRatio: 0.0097}).Make()
	if err != nil {
		t.Fatal(err)
	}
	make := func() plant.Plant {
		p := &plant.Silva2020{Gain: 1.0261, Alpha1Beta: 2.1283e13, Alpha2: 4.2297e6, Alpha3: 3.3, Beta1: 425, Beta2: 9.9976e4,
			ForceLimit: 2000}
		made, err := p.Make(plant.At{RateHz: rate, Specimen: specimen})
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	s := plant.PerfectSensors()
	s.DisplacementNoise, s.ForceNoise = 16e-6, 2.18
	s.DisplacementGain, s.ForceReversed, s.ForceOffset = 1.02, true, 3
	x, f, err := s.Gauges(1, 1, 1.0/rate, seed, plant.Conversion{})
	if err != nil {
		t.Fatal(err)
	}
	return NewVirtual(make(), converter, x, f), make()
}

var converter = signal.Converter{Quantum: math.Ldexp(1, -18), Range: 3.8}

// command of tick k, m: it takes the force to its limit at times.
func command(k int) []float64 { return []float64{0.003 * math.Sin(2*math.Pi*3*float64(k)/rate)} }

func read(t *testing.T, r rths.Rig) rths.Reading {
	t.Helper()
	out := rths.NewReading(1, 1)
	if err := r.Read(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

func write(t *testing.T, r rths.Rig, u []float64) {
	t.Helper()
	if err := r.Write(u); err != nil {
		t.Fatal(err)
	}
}

// equal compares all four quantities of two readings bit by bit.
func equal(a, b rths.Reading) bool {
	return slices.Equal(a.X, b.X) && slices.Equal(a.F, b.F) && slices.Equal(a.TrueX, b.TrueX) &&
		slices.Equal(a.TrueF, b.TrueF)
}

// At t_0 the rig is at rest and its sensors are at work: the true values are
// 0, the readings the first of the noise (and the offset).
func TestRestIsMeasuredFirst(t *testing.T) {
	r, _ := benchmark(t, 7)
	got := read(t, r)
	if got.TrueX[0] != 0 || got.TrueF[0] != 0 {
		t.Errorf("true values %g m, %g N at the start: want rest", got.TrueX[0], got.TrueF[0])
	}
	if want := signal.NewNoise(7, "displacement", 16e-6).Next(); got.X[0] != want || want == 0 {
		t.Errorf("displacement reads %g: want %g", got.X[0], want)
	}
	if want := 3 + signal.NewNoise(7, "force", 2.18).Next(); got.F[0] != want {
		t.Errorf("force reads %g: want %g", got.F[0], want)
	}
}

// Read shows the state the last Write led to: the command held over the sample
// and rounded by the converter. The true values are the plant's, without noise,
// gain and offset; the readings are the sensors'.
func TestReadShowsTheEndOfTheLastWrite(t *testing.T) {
	r, bare := benchmark(t, 1)
	noiseX, noiseF := signal.NewNoise(1, "displacement", 16e-6), signal.NewNoise(1, "force", 2.18)
	now := rths.NewReading(1, 1) // at rest
	limited := false
	for k := range 2000 {
		got := read(t, r)
		if got.TrueX[0] != now.X[0] || got.TrueF[0] != now.F[0] {
			t.Fatalf("tick %d: true %g m, %g N: want %g and %g", k, got.TrueX[0], got.TrueF[0], now.X[0], now.F[0])
		}
		if x := 1.02*now.X[0] + noiseX.Next(); got.X[0] != x {
			t.Fatalf("tick %d: displacement reads %g: want %g", k, got.X[0], x)
		}
		if f := -now.F[0] + 3 + noiseF.Next(); got.F[0] != f {
			t.Fatalf("tick %d: force reads %g: want %g", k, got.F[0], f)
		}
		if len(got.V) != 0 || len(got.A) != 0 {
			t.Fatalf("tick %d: a velocity or acceleration without a sensor", k)
		}
		limited = limited || math.Abs(now.F[0]) == 2000
		u := command(k)
		write(t, r, u)
		if u[0] != command(k)[0] {
			t.Fatalf("tick %d: Write changed the command", k)
		}
		bare.Step(&now, []float64{math.Round(math.Ldexp(u[0], 18)) / (1 << 18)})
	}
	if !limited {
		t.Error("the force never reached its limit")
	}
}

// Reading does not move the plant. Every reading has noise of its own.
func TestReadMovesNothing(t *testing.T) {
	r, _ := benchmark(t, 1)
	for k := range 100 {
		write(t, r, command(k))
	}
	a, b := read(t, r), read(t, r)
	if a.TrueX[0] != b.TrueX[0] || a.TrueF[0] != b.TrueF[0] || a.TrueX[0] == 0 {
		t.Errorf("true %g m, %g N, then %g m, %g N: want the same", a.TrueX[0], a.TrueF[0], b.TrueX[0], b.TrueF[0])
	}
	if a.X[0] == b.X[0] || a.F[0] == b.F[0] {
		t.Error("two readings with the same noise")
	}
}

// A command beyond the converter's range is cut off at it, after rounding: 3.8
// is no multiple of 2⁻¹⁸ (docs/reference/benchmark-siso.md, Converters).
func TestCommandIsConverted(t *testing.T) {
	r, bare := benchmark(t, 1)
	now := rths.NewReading(1, 1)
	for k, u := range []float64{5, -4, 3.8 + 1e-5, 1e9} {
		write(t, r, []float64{u})
		bare.Step(&now, []float64{math.Copysign(3.8, u)})
		if got := read(t, r); got.TrueX[0] != now.X[0] || got.TrueF[0] != now.F[0] {
			t.Fatalf("command %d, %g m: %g m, %g N: want %g and %g", k, u, got.TrueX[0], got.TrueF[0], now.X[0], now.F[0])
		}
	}
}

// Idealised there is no converter, no noise and no limit: what remains is the
// plant and the sensors' gain and polarity. Switched back, the noise goes on
// where it was.
func TestIdealise(t *testing.T) {
	r, _ := benchmark(t, 1)
	same, _ := benchmark(t, 1)
	first, other := read(t, r), read(t, same)
	if !equal(first, other) {
		t.Fatal("two rigs of one seed differ")
	}
	_, free := benchmark(t, 1)
	free.(rths.Idealiser).Idealise(true)
	now, most := rths.NewReading(1, 1), 0.0
	saved := rths.AppendState(nil, r)
	r.Idealise(true)
	for k := range 1000 {
		write(t, r, command(k))
		free.Step(&now, command(k))
		got := read(t, r)
		if got.TrueX[0] != now.X[0] || got.X[0] != 1.02*now.X[0] || got.TrueF[0] != now.F[0] || got.F[0] != -now.F[0] {
			t.Fatalf("tick %d: %v of a plant at %g m, %g N", k, got, now.X[0], now.F[0])
		}
		most = max(most, math.Abs(now.F[0]))
	}
	if !(most > 2000) {
		t.Errorf("largest force %g N: want more than the limit of 2000", most)
	}
	rths.SetState(saved, r)
	r.Idealise(false)
	for k := range 1000 {
		write(t, r, command(k))
		write(t, same, command(k))
		if a, b := read(t, r), read(t, same); !equal(a, b) {
			t.Fatalf("tick %d after idealising: %v, want %v", k, a, b)
		}
	}
}

// A rig resumed on one of another seed goes on with the same bits, noise
// included, wherever it was stopped between a Write and the next Read.
func TestVirtualResumes(t *testing.T) {
	for _, at := range []int{0, 1, 100, 777} {
		first, _ := benchmark(t, 1)
		for k := range at {
			read(t, first)
			write(t, first, command(k))
		}
		state := rths.AppendState([]float64{1}, first)
		resumed, _ := benchmark(t, 2)
		write(t, resumed, []float64{0.01})
		read(t, resumed)
		if len(state) != 1+len(rths.AppendState(nil, resumed)) || state[0] != 1 {
			t.Fatalf("state of %d numbers behind %g: want a constant length", len(state)-1, state[0])
		}
		if rest := rths.SetState(append(state[1:], 6, 7), resumed); !slices.Equal(rest, []float64{6, 7}) {
			t.Fatalf("rest %v: want [6 7]", rest)
		}
		for k := at; k < at+500; k++ {
			if a, b := read(t, resumed), read(t, first); !equal(a, b) {
				t.Fatalf("resumed at tick %d: tick %d reads %v, want %v", at, k, a, b)
			}
			write(t, resumed, command(k))
			write(t, first, command(k))
		}
	}
}

func TestNoAllocation(t *testing.T) {
	r, _ := benchmark(t, 1)
	out, u, k := rths.NewReading(1, 1), []float64{0}, 0
	if n := testing.AllocsPerRun(2000, func() {
		_ = r.Read(&out)
		u[0] = 0.003 * math.Sin(0.005*float64(k))
		k++
		_ = r.Write(u)
	}); n != 0 {
		t.Errorf("%g allocations per tick: want none", n)
	}
}

// table is a plant of two axes and three forces without memory.
type table struct{ steps int }

func (p *table) Step(now *rths.Reading, u []float64) {
	p.steps++
	now.X[0], now.X[1] = u[0], 10*u[1]
	now.F[0], now.F[1], now.F[2] = u[0]+u[1], -u[0], 7
}

// around hides a plant as a wrapper does.
type around struct{ plant.Plant }

func (a around) Unwrap() any { return a.Plant }

// Each axis and each force has its own gauge.
func TestSeveralAxes(t *testing.T) {
	var x, f []*plant.Gauge
	for i, gain := range []float64{1, 2, 3} {
		s := plant.PerfectSensors()
		s.DisplacementGain, s.ForceGain, s.ForceOffset = gain, 10*gain, float64(i)
		gx, gf, err := s.Gauges(1, 1, 1.0/rate, 1, plant.Conversion{})
		if err != nil {
			t.Fatal(err)
		}
		x, f = append(x, gx...), append(f, gf...)
	}
	p := &table{}
	r := NewVirtual(p, signal.Converter{Quantum: 0.5}, x[:2], f)
	got := rths.NewReading(2, 3)
	write(t, r, []float64{1.1, -2.2})
	if err := r.Read(&got); err != nil {
		t.Fatal(err)
	}
	want := rths.Reading{Motion: rths.Motion{X: []float64{1, -40}}, F: []float64{-10, -20 + 1, 210 + 2},
		TrueX: []float64{1, -20}, TrueF: []float64{-1, -1, 7}}
	if !equal(got, want) || p.steps != 1 {
		t.Errorf("after %d steps %v: want %v after one", p.steps, got, want)
	}
	state := rths.AppendState(nil, r)
	write(t, r, []float64{9, 9})
	r.Idealise(true) // of a plant that cannot be
	if rest := rths.SetState(state, r); len(rest) != 0 {
		t.Errorf("%d numbers left over", len(rest))
	}
	if err := r.Read(&got); err != nil {
		t.Fatal(err)
	}
	want.F = []float64{-10, -20, 210}
	if !equal(got, want) {
		t.Errorf("resumed and idealised %v: want %v", got, want)
	}
}

// A wrapped plant's state is kept and set, and its limit lifted, as if it stood
// alone.
func TestWrappedPlant(t *testing.T) {
	alone, p := benchmark(t, 1)
	inner, _ := benchmark(t, 1)
	wrapped := NewVirtual(around{p}, converter, inner.X, inner.F)
	for k := range 100 {
		write(t, alone, command(k))
	}
	state := rths.AppendState(nil, alone)
	if rest := rths.SetState(state, wrapped); len(rest) != 0 || !slices.Equal(rths.AppendState(nil, wrapped), state) {
		t.Fatalf("state %v and rest %v: want %v and none", rths.AppendState(nil, wrapped), rest, state)
	}
	for _, r := range []*Virtual{alone, wrapped} {
		r.Idealise(true)
		for k := 100; k < 700; k++ {
			write(t, r, command(k))
		}
	}
	if a, b := read(t, wrapped), read(t, alone); !equal(a, b) {
		t.Errorf("wrapped %v, alone %v: want the same", a, b)
	}
}
