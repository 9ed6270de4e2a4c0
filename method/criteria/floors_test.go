package criteria

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/maths/signal"
)

var threeFloors = Building{Stiffness: []float64{2e6, 0, 10}, Damping: []float64{300, 20, 0}, Specimen: 1, Mass: 25}

// shaken is random motions of three floors with ground acceleration and force.
func shaken(n int) []*rths.Frame {
	r := rand.New(rand.NewPCG(11, uint64(n)))
	var out []*rths.Frame
	for range n {
		num := rths.NewMotion(3)
		for i := range 3 {
			num.X[i], num.V[i], num.A[i] = 0.001+1e-3*r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
		}
		out = append(out, &rths.Frame{Num: &num, Force: []float64{1e3 * r.NormFloat64()},
			Ground: []float64{r.NormFloat64(), 9, 9}})
	}
	return out
}

// Peaks and rms equal those computed from whole records.
func TestFloorsAreTheDefinition(t *testing.T) {
	const n = 1000
	f := NewFloors(threeFloors)
	signals := make([][]float64, 7)
	for _, frame := range shaken(n) {
		f.Observe(frame)
		x, v, a := frame.Num.X, frame.Num.V, frame.Num.A
		shear := frame.Force[0] - 25*a[1] + 2e6*x[0] + 10*x[2] + 300*v[0] + 20*v[1]
		now := []float64{a[0] + frame.Ground[0], a[1] + frame.Ground[0], a[2] + frame.Ground[0], x[0], x[1] - x[0],
			x[2] - x[1], shear}
		for i, c := range f.Channels() {
			near(t, c.Name, *c.V, now[i], 1e-12)
			signals[i] = append(signals[i], now[i])
		}
	}
	scale := []float64{1, 1, 1, 1e3, 1e3, 1e3, 1e-3}
	for i, v := range f.Summary() {
		want := peak(signals[i/2], 0)
		if i%2 == 1 {
			want = rms(signals[i/2])
		}
		near(t, v.Name, v.V, scale[i/2]*want, 1e-10)
	}
	want := []string{"floor1_acc_peak_m_s2", "floor1_acc_rms_m_s2", "drift1_peak_mm", "base_shear_rms_kN"}
	got := names(f.Summary())
	for _, name := range want {
		if !slices.Contains(got, name) {
			t.Errorf("no %s among %v", name, got)
		}
	}
}

// A run of no ticks, and one that failed at once, have nothing to say.
func TestFloorsOfNothing(t *testing.T) {
	f := NewFloors(threeFloors)
	frame := shaken(1)[0]
	frame.Err = &rths.DivergedError{}
	f.Observe(frame)
	for _, v := range f.Summary() {
		if !math.IsNaN(v.V) {
			t.Errorf("%s = %g: want NaN", v.Name, v.V)
		}
	}
}

// Each floor's spectrum is computed from its absolute acceleration.
func TestFloorSpectraAreTheDefinition(t *testing.T) {
	const n, rate = 2000, 1024.0
	s, err := NewFloorSpectra(rate, 0.02, 3)
	if err != nil {
		t.Fatal(err)
	}
	frames := shaken(n)
	for _, f := range frames {
		s.Observe(f)
	}
	for floor := range s.Floors() {
		periods, got := s.Spectrum(floor)
		o, err := signal.NewOscillators(1/rate, 0.02, periods)
		if err != nil {
			t.Fatal(err)
		}
		o.Start(frames[0].Num.A[floor] + frames[0].Ground[0])
		for _, f := range frames[1:] {
			o.Step(f.Num.A[floor] + f.Ground[0])
		}
		want := make([]float64, len(periods))
		o.Peaks(want)
		if !slices.Equal(got, want) {
			t.Errorf("floor %d: %v: want %v", floor+1, got, want)
		}
		top := slices.Max(want)
		near(t, "peak", rthstest.Value(t, s.Summary(), fmt.Sprintf("floor%d_Sa_m_s2", floor+1)), top, 0)
		near(t, "period", rthstest.Value(t, s.Summary(), fmt.Sprintf("floor%d_Sa_period_s", floor+1)),
			periods[slices.Index(want, top)], 0)
	}
}

func TestPeriods(t *testing.T) {
	p := Periods(4096)
	if len(p) < 60 || math.Abs(p[0]-shortestS) > 1e-12 || math.Abs(p[len(p)-1]-longestS) > 1e-9 || !slices.IsSorted(p) {
		t.Errorf("periods at 4096 Hz: %v", p)
	}
	if p := Periods(100); p[0] < 0.4 {
		t.Errorf("at 100 Hz the shortest is %g s: want 0.4 or more", p[0])
	}
	for _, c := range []struct{ rate, ratio float64 }{{1, 0.05}, {1024, 1}, {1024, -1}} {
		if _, err := NewFloorSpectra(c.rate, c.ratio, 1); err == nil {
			t.Errorf("%+v: want an error", c)
		}
	}
}

func TestFloorsResume(t *testing.T) {
	spectra := func() *FloorSpectra {
		s, err := NewFloorSpectra(512, 0.05, 3)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	type part interface {
		rths.Observer
		rths.Stateful
		rths.Summarizer
	}
	for _, pair := range [][2]part{{NewFloors(threeFloors), NewFloors(threeFloors)}, {spectra(), spectra()}} {
		whole, half := pair[0], pair[1]
		frames := shaken(300)
		for _, f := range frames[:100] {
			whole.Observe(f)
		}
		if rest := rths.SetState(append(rths.AppendState(nil, whole), 7), half); len(rest) != 1 {
			t.Fatalf("%T: %d numbers left: want 1", whole, len(rest))
		}
		for _, f := range frames[100:] {
			whole.Observe(f)
			half.Observe(f)
		}
		sameBits(t, fmt.Sprintf("%T resumed", whole), half.Summary(), whole.Summary())
	}
}
