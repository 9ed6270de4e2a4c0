package criteria

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// script is a reference whose motion is written down: row k belongs to t_k. It
// keeps the windows it was stepped with.
type script struct {
	rows    [][]float64
	k       int
	now     rths.Motion
	windows []float64 // first value of each
}

func newScript(rows [][]float64) *script {
	return &script{rows: rows, now: rths.NewMotion(len(rows[0]))}
}

// Step with the window of tick k makes State the motion at t_k.
func (s *script) Step(ground []float64) {
	s.windows = append(s.windows, ground[0])
	copy(s.now.X, s.rows[s.k])
	s.k++
}

func (s *script) State() *rths.Motion { return &s.now }

func (s *script) VisitState(v *rths.StateVisitor) { v.Int(&s.k) }

// story is a run and its reference, each a row of floors per tick.
type story struct {
	ref, num [][]float64
	x, exact []float64
}

func tell(r *rand.Rand, n, floors int) *story {
	s := &story{}
	for range n {
		ref, num := make([]float64, floors), make([]float64, floors)
		for i := range ref {
			ref[i] = float64(i+1) * r.NormFloat64()
			num[i] = ref[i] + 0.01*float64(i*i+1)*r.NormFloat64()
		}
		s.ref, s.num = append(s.ref, ref), append(s.num, num)
		exact := r.NormFloat64()
		s.exact, s.x = append(s.exact, exact), append(s.x, exact+0.1*r.NormFloat64())
	}
	return s
}

func (s *story) frame(k int) *rths.Frame {
	return &rths.Frame{K: k, Ground: []float64{float64(k), 0, 0}, Num: &rths.Motion{X: s.num[k]},
		Read: rths.Reading{Motion: rths.Motion{X: s.x[k : k+1]}, TrueX: s.exact[k : k+1]}}
}

// column is one floor, from 0.
func column(rows [][]float64, floor int) []float64 {
	var out []float64
	for _, row := range rows {
		out = append(out, row[floor])
	}
	return out
}

func (s *story) judge(dof int) *Response {
	r := NewResponse(newScript(s.ref), len(s.ref[0]), dof, true)
	for k := range s.ref {
		r.Observe(s.frame(k))
	}
	return r
}

// ratios are std(x − ref)/std(ref) and max|x − ref|/max|ref|, in percent.
func ratios(x, ref []float64) (byStd, byPeak float64) {
	e := minus(x, ref)
	return 100 * std(e) / std(ref), 100 * peak(e, 0) / peak(ref, 0)
}

// J4 and J5 compare the measured displacement with floor 1, J6 and J7 are
// standard deviations of floors 2 and 3, J8 and J9 their peaks: the order of
// the benchmark's code.
func TestResponseIsTheDefinition(t *testing.T) {
	for _, n := range []int{2, 3, 256, 1000, 5000} {
		s := tell(rand.New(rand.NewPCG(uint64(n), 20)), n, 3)
		r1 := column(s.ref, 0)
		want := map[string]float64{}
		want["J4_pct"], want["J5_pct"] = ratios(s.x, r1)
		want["J4_true_pct"], want["J5_true_pct"] = ratios(s.exact, r1)
		want["J6_pct"], want["J8_pct"] = ratios(column(s.num, 1), column(s.ref, 1))
		want["J7_pct"], want["J9_pct"] = ratios(column(s.num, 2), column(s.ref, 2))
		e := minus(s.x, r1)
		want["J4_rms_pct"] = 100 * rms(e) / rms(r1)
		want["J5_centred_pct"] = 100 * peak(e, mean(e)) / peak(r1, mean(r1))
		got := s.judge(0).Summary()
		if len(got) != len(want) {
			t.Errorf("%d values: want %d", len(got), len(want))
		}
		for name, w := range want {
			near(t, fmt.Sprintf("%d samples: %s", n, name), rthstest.Value(t, got, name), w, 1e-9)
		}
	}
}

// Whatever the structure and wherever its interface: the axis is compared with
// the interface floor, the others follow in order, standard deviations first.
func TestResponseOfOtherStructures(t *testing.T) {
	for _, c := range []struct {
		floors, dof int
		others      []int
	}{{1, 0, nil}, {3, 1, []int{0, 2}}, {3, 2, []int{0, 1}}, {5, 0, []int{1, 2, 3, 4}}} {
		s := tell(rand.New(rand.NewPCG(uint64(c.floors), 21)), 200, c.floors)
		got := s.judge(c.dof).Summary()
		what := fmt.Sprintf("%d floors, interface at %d: ", c.floors, c.dof+1)
		byStd, byPeak := ratios(s.x, column(s.ref, c.dof))
		near(t, what+"J4", rthstest.Value(t, got, "J4_pct"), byStd, 1e-9)
		near(t, what+"J5", rthstest.Value(t, got, "J5_pct"), byPeak, 1e-9)
		want := []string{"J4_pct", "J5_pct"}
		for i, floor := range c.others {
			byStd, byPeak := ratios(column(s.num, floor), column(s.ref, floor))
			std, most := fmt.Sprintf("floor%d_std_pct", floor+1), fmt.Sprintf("floor%d_peak_pct", floor+1)
			near(t, what+std, rthstest.Value(t, got, std), byStd, 1e-9)
			near(t, what+most, rthstest.Value(t, got, most), byPeak, 1e-9)
			want = slices.Insert(want, 2+i, std)
			want = append(want, most)
		}
		want = append(want, "J4_rms_pct", "J5_centred_pct", "J4_true_pct", "J5_true_pct")
		if got := names(got); !slices.Equal(got, want) {
			t.Errorf("%s%v: want %v", what, got, want)
		}
	}
}

// Without true displacements nothing is said of them, nor looked for.
func TestResponseWithoutTruth(t *testing.T) {
	s := tell(rand.New(rand.NewPCG(1, 22)), 50, 3)
	r := NewResponse(newScript(s.ref), 3, 0, false)
	for k := range s.ref {
		f := s.frame(k)
		f.Read.TrueX = nil
		r.Observe(f)
	}
	want := []string{"J4_pct", "J5_pct", "J6_pct", "J7_pct", "J8_pct", "J9_pct", "J4_rms_pct", "J5_centred_pct"}
	if got := names(r.Summary()); !slices.Equal(got, want) {
		t.Errorf("%v: want %v", got, want)
	}
}

// The reference is stepped once per tick with the window of that tick, and
// what it then shows is compared with the quantities of the same instant: a
// run that is its reference scores 0, one that is a sample late does not.
func TestReferenceOfTheSameTick(t *testing.T) {
	s := tell(rand.New(rand.NewPCG(1, 23)), 100, 3)
	s.num, s.x = s.ref, column(s.ref, 0)
	s.exact = s.x
	ref := newScript(s.ref)
	r := NewResponse(ref, 3, 0, true)
	for k := range s.ref {
		r.Observe(s.frame(k))
		for i, c := range r.Channels() {
			if c.Name != fmt.Sprintf("ref_x%d", i+1) || c.Unit != "m" || *c.V != s.ref[k][i] {
				t.Fatalf("tick %d: channel %s %g %s: want ref_x%d %g m", k, c.Name, *c.V, c.Unit, i+1, s.ref[k][i])
			}
		}
	}
	for k, first := range ref.windows {
		if first != float64(k) {
			t.Errorf("tick %d: stepped with the window of tick %g", k, first)
		}
	}
	if len(ref.windows) != len(s.ref) {
		t.Errorf("stepped %d times in %d ticks", len(ref.windows), len(s.ref))
	}
	for _, v := range r.Summary() {
		if v.V != 0 {
			t.Errorf("%s = %g of a run that is its reference", v.Name, v.V)
		}
	}
	late := *s
	late.num = append([][]float64{{0, 0, 0}}, s.ref[:len(s.ref)-1]...)
	late.x = column(late.num, 0)
	late.exact = late.x
	for _, v := range late.judge(0).Summary() {
		if !(v.V > 100) {
			t.Errorf("%s = %g of a run that is one sample late of a white reference", v.Name, v.V)
		}
	}
}

// A channel found once is good for the whole run.
func TestReferenceChannelsStay(t *testing.T) {
	s := tell(rand.New(rand.NewPCG(1, 24)), 20, 3)
	r := NewResponse(newScript(s.ref), 3, 0, true)
	channels := r.Channels()
	for k := range s.ref {
		r.Observe(s.frame(k))
		for i, c := range channels {
			if *c.V != s.ref[k][i] {
				t.Fatalf("tick %d: %s = %g: want %g", k, c.Name, *c.V, s.ref[k][i])
			}
		}
	}
}

func TestResponseLeavesTheFailedTickOut(t *testing.T) {
	s := tell(rand.New(rand.NewPCG(1, 25)), 300, 3)
	want := s.judge(0).Summary()
	s.ref = append(s.ref, []float64{1e9, 1e9, 1e9})
	r := NewResponse(newScript(s.ref), 3, 0, true)
	for k := range s.num {
		r.Observe(s.frame(k))
	}
	last := s.frame(len(s.num) - 1)
	last.Err = errors.New("diverged")
	r.Observe(last)
	sameBits(t, "with a failed tick", r.Summary(), want)
}

func TestResponseResumes(t *testing.T) {
	s := tell(rand.New(rand.NewPCG(1, 26)), 400, 3)
	want := s.judge(0)
	for _, at := range []int{0, 1, 199, 256, 400} {
		first := NewResponse(newScript(s.ref), 3, 0, true)
		for k := range at {
			first.Observe(s.frame(k))
		}
		resumed := NewResponse(newScript(s.ref), 3, 0, true)
		resumed.Observe(s.frame(7)) // has seen something else
		state := append(rths.AppendState(nil, first), 4, 5)
		if rest := rths.SetState(state, resumed); !slices.Equal(rest, []float64{4, 5}) {
			t.Fatalf("rest %v: want [4 5]", rest)
		}
		for k := at; k < len(s.ref); k++ {
			resumed.Observe(s.frame(k))
		}
		sameBits(t, fmt.Sprintf("resumed at tick %d", at), resumed.Summary(), want.Summary())
		if !slices.Equal(rths.AppendState(nil, resumed), rths.AppendState(nil, want)) {
			t.Errorf("resumed at tick %d: the state differs", at)
		}
	}
}

// still is a reference without memory or allocation.
type still struct{ now rths.Motion }

func (s *still) Step([]float64)      {}
func (s *still) State() *rths.Motion { return &s.now }

func TestResponseAllocatesNothing(t *testing.T) {
	s := tell(rand.New(rand.NewPCG(1, 27)), 1, 3)
	r, f := NewResponse(&still{rths.NewMotion(3)}, 3, 0, true), s.frame(0)
	if n := testing.AllocsPerRun(1000, func() { r.Observe(f) }); n != 0 {
		t.Errorf("%g allocations per tick: want none", n)
	}
}

// Without motion there is nothing to compare with.
func TestResponseOfSilence(t *testing.T) {
	s := tell(rand.New(rand.NewPCG(1, 28)), 300, 3)
	for _, n := range []int{0, 1, 300} {
		r := NewResponse(&still{rths.NewMotion(3)}, 3, 0, true)
		for k := range n {
			r.Observe(s.frame(k))
		}
		for _, v := range r.Summary() {
			if !math.IsNaN(v.V) {
				t.Errorf("%d ticks: %s = %g: want NaN", n, v.Name, v.V)
			}
		}
	}
}
