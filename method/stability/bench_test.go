package stability

import (
	"math"
	"slices"
	"testing"
	"time"

	"rths"
	"rths/kit/rthstest"
	"rths/model/structure"
)

// floors3 is a frame of the benchmark's three floors in motion, and what moves it.
func floors3(tb testing.TB) (*structure.Partition, *rths.Frame, func(k int)) {
	tb.Helper()
	whole, err := (&structure.Silva2020{Case: 4}).Make()
	if err != nil {
		tb.Fatal(err)
	}
	p, err := whole.Divide(0, 29.1, 114.6, 1.19e6)
	if err != nil {
		tb.Fatal(err)
	}
	num := rths.NewMotion(3)
	f := &rths.Frame{Ground: make([]float64, 3), Num: &num, Force: make([]float64, 1), Desired: make([]float64, 1),
		Read: rths.NewReading(1, 1)}
	f.InterfaceRead = f.Read
	wave := make([]float64, 4096)
	for i := range wave {
		wave[i] = math.Sin(2 * math.Pi * 3.6 * float64(i) / 4096)
	}
	return p, f, func(k int) {
		f.K, f.T = k, float64(k)/4096
		s, c := wave[k&4095], wave[(k+300)&4095]
		for i := range num.X {
			num.X[i], num.V[i] = 1e-3*float64(i+1)*s, 2e-2*float64(i+1)*c
		}
		f.Ground[0] = c
		f.Force[0] = 1e3 * s
		f.Desired[0], f.Read.X[0], f.Read.F[0] = 1e-3*s, 1.01e-3*c, 1e3*s
	}
}

// together are all indicators of three degrees of freedom.
func together(tb testing.TB) (observe func(*rths.Frame), set func(k int), f *rths.Frame) {
	p, f, set := floors3(tb)
	e, err := NewEnergies(p, Config{RateHz: 4096, Held: true, SW: 1, EEI: 1})
	if err != nil {
		tb.Fatal(err)
	}
	s, err := NewSynchrony(4096, 0, 1)
	if err != nil {
		tb.Fatal(err)
	}
	return func(f *rths.Frame) { e.Observe(f); s.Observe(f) }, set, f
}

func BenchmarkIndicators(b *testing.B) {
	observe, set, f := together(b)
	k := 0
	for b.Loop() {
		set(k)
		observe(f)
		k++
	}
}

func BenchmarkFrameOnly(b *testing.B) {
	_, set, f := together(b)
	k := 0
	for b.Loop() {
		set(k)
		_ = f
		k++
	}
}

func BenchmarkEnergies(b *testing.B) {
	benchmarkEnergies(b, Config{RateHz: 4096, Held: true, SW: 1, EEI: 1})
}

// The Gui-λ family balances its energies between the instants.
func BenchmarkEnergiesLagging(b *testing.B) {
	benchmarkEnergies(b, Config{RateHz: 4096, Lambda: 4, SW: 1, EEI: 1})
}

func benchmarkEnergies(b *testing.B, c Config) {
	p, f, set := floors3(b)
	e, err := NewEnergies(p, c)
	if err != nil {
		b.Fatal(err)
	}
	k := 0
	for b.Loop() {
		set(k)
		e.Observe(f)
		k++
	}
}

func TestIndicatorsAllocateNothing(t *testing.T) {
	observe, set, f := together(t)
	k := 0
	rthstest.NoAllocation(t, func() { set(k); observe(f); k++ })
}

// The slowest tick is the one in which the sliding window gives an index, one in
// eight blocks of 32 samples: the least of many of each tick of that cycle, as a single measurement
// may be disturbed by the machine.
func BenchmarkSlowestTick(b *testing.B) {
	observe, set, f := together(b)
	const period, full = 256, 8192 // then the window is full
	for k := range full {
		set(k)
		observe(f)
	}
	var least [period]time.Duration
	k := full
	for b.Loop() {
		for i := range least {
			set(k)
			start := time.Now()
			observe(f)
			if d := time.Since(start); k < full+period || d < least[i] {
				least[i] = d
			}
			k++
		}
	}
	b.ReportMetric(float64(slices.Max(least[:]).Nanoseconds()), "ns/slowest-tick")
	b.ReportMetric(0, "ns/op")
}
