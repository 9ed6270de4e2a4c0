package integrate_test

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"rths"
	"rths/kit/rthstest"
	"rths/model/integrate"
	"rths/model/structure"
)

// script is a client that gives its targets in order, each when it was asked so many times in vain.
type script struct {
	targets [][]float64
	late    []int // looks in vain before each target; nil: none
	err     error // at the end, in place of the farewell

	given    int
	looks    int
	answers  []float64 // forces of the first coordinate
	held     bool
	answered int // of these targets
}

func (s *script) Next(x []float64) (integrate.Arrival, error) {
	switch {
	case s.answered < s.given:
		panic("asked for a target before the answer to the one before")
	case s.late != nil && s.given < len(s.late) && s.looks < s.late[s.given]:
		s.looks++
		return integrate.Nothing, nil
	case s.given == len(s.targets):
		if s.err != nil {
			return integrate.Nothing, s.err
		}
		return integrate.TheEnd, nil
	}
	copy(x, s.targets[s.given])
	s.given++
	s.looks = 0
	return integrate.NewTarget, nil
}

func (s *script) Answer(now *rths.Reading) {
	s.answers = append(s.answers, now.F[0])
	s.answered++
}

func (s *script) Hold() { s.held = true }

// path is what an external integrator gives, tick by tick, with a specimen of stiffness 1 that is where it should be.
type path struct {
	in      rths.Integrator
	flags   map[string]*float64
	x, v, a []float64 // at t_1, t_2, …

	correcting []bool
}

func newPath(t testing.TB, e *integrate.Path, n int, h float64) *path {
	t.Helper()
	p := &path{in: rthstest.Must(e.Make(n, h)), flags: map[string]*float64{}}
	for _, c := range p.in.(rths.Channeler).Channels() {
		p.flags[c.Name] = c.V
	}
	return p
}

// step is a tick. It reports whether the reading of the tick was answered.
func (p *path) step(target *rths.Motion, felt *rths.Reading) (answered bool) {
	copy(felt.F, target.X)
	p.in.Step(target, nil, felt)
	p.x, p.v, p.a = append(p.x, target.X[0]), append(p.v, target.V[0]), append(p.a, target.A[0])
	p.correcting = append(p.correcting, *p.flags["switch_pc"] != 0)
	return *p.flags["at_target"] != 0
}

// run steps to the end of the script, and returns the ticks whose reading was answered.
func (p *path) run(t testing.TB, most int) (answered []int) {
	t.Helper()
	target, felt := rths.NewMotion(1), rths.NewReading(1, 1)
	for k := range most {
		if p.step(&target, &felt) {
			answered = append(answered, k)
		}
		if p.in.(rths.Finisher).Finished() {
			return answered
		}
	}
	t.Fatalf("the script has not ended in %d ticks", most)
	return nil
}

func column(v ...float64) (out [][]float64) {
	for _, x := range v {
		out = append(out, []float64{x})
	}
	return out
}

// Every target is reached exactly, a whole number of samples after the one before, and the force answered is the one at
// the target.
func TestExternalReachesTargets(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(r, "samples")
		ramp := n == 1 || rapid.Bool().Draw(r, "ramp")
		targets := rapid.SliceOfN(rapid.Float64Range(-1, 1), 1, 20).Draw(r, "targets")
		c := &script{targets: column(targets...)}
		of := &integrate.Path{Samples: n, Client: c}
		if ramp {
			of.Ramp = rapid.SampledFrom([]integrate.Ramp{integrate.Smooth, integrate.Linear}).Draw(r, "of")
		}
		p := newPath(t, of, 1, 0.001)
		answered := p.run(t, 500)
		if len(answered) != len(targets) {
			r.Fatalf("%d of %d targets were answered", len(answered), len(targets))
		}
		for j, k := range answered {
			if k != (j+1)*n || math.Float64bits(c.answers[j]) != math.Float64bits(targets[j]) ||
				math.Float64bits(p.x[k-1]) != math.Float64bits(targets[j]) {
				r.Fatalf("target %d, %g, was answered in tick %d with %g at %g: want tick %d", j+1, targets[j], k, c.answers[j],
					p.x[k-1], (j+1)*n)
			}
		}
		if !ramp {
			return
		}
		last := 0.0
		for k, x := range p.x[:len(targets)*n] { // a ramp stays between its ends
			to := targets[k/n]
			if x < min(last, to)-1e-15 || x > max(last, to)+1e-15 {
				r.Fatalf("sample %d is %g on the way from %g to %g", k, x, last, to)
			}
			if k%n == n-1 {
				last = to
			}
		}
	})
}

// Targets on a cubic are joined by this cubic, with its velocity and acceleration, from the fourth one on.
func TestExternalCubic(t *testing.T) {
	const n, h = 8, 1.0 / 1024
	at := func(s float64) float64 { return 5*s*s*s + 0.3*s*s - 2*s + 0.01 } // s
	var targets []float64
	for j := range 12 {
		targets = append(targets, at(float64((j+1)*n)*h))
	}
	p := newPath(t, &integrate.Path{Samples: n, Client: &script{targets: column(targets...)}}, 1, h)
	p.run(t, 200)
	for k := 4 * n; k < 12*n; k++ { // x[k] is at (k+1) h; the velocity at target 4 is the first of the cubic
		s := float64(k+1) * h
		if v, a := 15*s*s+0.6*s-2, 30*s+0.6; math.Abs(p.x[k]-at(s)) > 1e-14 || math.Abs(p.v[k]-v) > 1e-11 ||
			math.Abs(p.a[k]-a) > 1e-8 {
			t.Fatalf("at %g s: %g, %g, %g: want %g, %g, %g", s, p.x[k], p.v[k], p.a[k], at(s), v, a)
		}
	}
}

// A sine is followed with an error of the fourth order: half the step, a sixteenth of the error.
func TestExternalOrder(t *testing.T) {
	worst := func(n int) float64 {
		const h = 1.0 / 4096
		var targets []float64
		for j := range 4096 / n {
			targets = append(targets, math.Sin(2*math.Pi*float64((j+1)*n)*h))
		}
		p := newPath(t, &integrate.Path{Samples: n, Client: &script{targets: column(targets...)}}, 1, h)
		p.run(t, 5000)
		most := 0.0
		for k := 5 * n; k < len(targets)*n; k++ {
			most = max(most, math.Abs(p.x[k]-math.Sin(2*math.Pi*float64(k+1)*h)))
		}
		return most
	}
	if ratio := worst(64) / worst(32); ratio < 14 || ratio > 18 {
		t.Errorf("twice the step has %.3g times the error: want 16", ratio)
	}
}

// Where a target is late, the path goes on with a continuous velocity, slows down, and stands; a target that comes
// within Extrapolate samples is reached at its instant.
func TestExternalLate(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(4, 24).Draw(r, "samples")
		e := rapid.IntRange(0, 3*n/4).Draw(r, "extrapolate")
		const h = 1e-3
		var targets []float64
		var late []int
		for j := range 15 {
			targets = append(targets, math.Sin(0.02*float64((j+1)*n)))
			late = append(late, rapid.IntRange(0, 3*n).Draw(r, "late"))
		}
		late[0] = 0
		c := &script{targets: column(targets...), late: late}
		p := newPath(t, &integrate.Path{Samples: n, Extrapolate: e, Client: c}, 1, h)
		answered := p.run(t, 3000)
		lost := 0
		for j, k := range answered {
			if j > 0 {
				over := max(0, late[j]-e)
				lost += over
				if want := answered[j-1] + n + over; k != want {
					r.Fatalf("target %d came %d samples late (extrapolate %d) and was reached in tick %d: want %d", j+1, late[j], e, k,
						want)
				}
			}
			if p.x[k-1] != targets[j] {
				r.Fatalf("target %d is %g: the path was at %g", j+1, targets[j], p.x[k-1])
			}
		}
		if got := *p.flags["late_samples"]; got != float64(lost) {
			r.Fatalf("%g samples lost: want %d", got, lost)
		}
		for k := 1; k < len(p.x)-1; k++ {
			step, v0, v1, a1 := p.x[k]-p.x[k-1], p.v[k-1], p.v[k], p.a[k]
			if p.correcting[k] { // a cubic that begins with the velocity before
				j := 2 * (a1*h - (v1 - v0)) / (h * h)
				a0 := a1 - h*j
				if want := h*v0 + h*h*a0/2 + h*h*h*j/6; math.Abs(step-want) > 1e-12 {
					r.Fatalf("from sample %d to %d the path goes %g, and the cubic from its velocity %g", k-1, k, step, want)
				}
				continue
			}
			most := 0.0 // acceleration around
			for _, a := range p.a[max(0, k-4) : k+1] {
				most = max(most, math.Abs(a))
			}
			if math.Abs(step-h*(v0+v1)/2) > h*h*most/2+1e-15 {
				r.Fatalf("from sample %d to %d the path goes %g: want the mean of the velocities %g and %g", k-1, k, step, v0, v1)
			}
		}
	})
}

// A client that gives nothing any more leaves the path standing, where the clock of the polynomial has stopped.
func TestExternalStands(t *testing.T) {
	const n, e = 10, 4
	c := &script{targets: column(0.1, 0.2, 0.3, 0.4, 0.5), late: []int{0, 0, 0, 0, 1000}}
	p := newPath(t, &integrate.Path{Samples: n, Extrapolate: e, Client: c}, 1, 1e-3)
	target, felt := rths.NewMotion(1), rths.NewReading(1, 1)
	var states []float64
	for range 100 {
		p.step(&target, &felt)
		states = append(states, *p.flags["path_state"])
	}
	// After the fourth target the polynomial is a line of 0.01 a sample: 4 samples, then 5 that slow down, half as far.
	if want := 0.4 + 0.01*(e+2.5); math.Abs(target.X[0]-want) > 1e-12 || target.V[0] != 0 || target.A[0] != 0 {
		t.Errorf("the path stands at %g with velocity %g: want %g", target.X[0], target.V[0], want)
	}
	for k, want := range map[int]float64{38: 0, 39: 0, 40: 1, 43: 1, 44: 2, 47: 2, 48: 3, 99: 3} {
		if states[k] != want {
			t.Errorf("tick %d: state %g: want %g", k, states[k], want)
		}
	}
}

// After the farewell the path slows down at once, stands for Rest samples, and ends the run. It goes no further than
// a late path may go, and its velocity changes by no more in a sample.
func TestExternalComesToRest(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(2, 24).Draw(r, "samples")
		e := rapid.IntRange(0, integrate.MostExtrapolated(n)).Draw(r, "extrapolate")
		thinks := rapid.IntRange(0, 3*n).Draw(r, "looks before the farewell")
		rest := rapid.IntRange(0, 10).Draw(r, "rest")
		targets := rapid.SliceOfN(rapid.Float64Range(-1, 1), 1, 8).Draw(r, "targets")
		late := make([]int, len(targets)+1)
		late[len(targets)] = thinks
		const h = 1e-3
		p := newPath(t, &integrate.Path{Samples: n, Extrapolate: e, Rest: rest,
			Client: &script{targets: column(targets...), late: late}}, 1, h)
		answered := p.run(t, 1000)

		first := answered[len(answered)-1] // tick of the first sample after the last target
		half := (n + 1) / 2
		full, slow := e, half
		if thinks <= e { // else it slows down already
			full, slow = thinks, max(half, min(n, 2*(n-thinks)))
		}
		if got, want := len(p.x), first+max(full+slow+rest, thinks+1); got != want {
			r.Fatalf("%d samples: want %d", got, want)
		}
		d := [4]float64{}
		for i := range d {
			if j := len(targets) - 1 - i; j >= 0 {
				d[i] = targets[j]
			}
		}
		speed, bend := fastest(d, float64(n), float64(full)+float64(slow)/2)
		for k := first; k < len(p.v); k++ {
			v0, v1 := h*p.v[k-1], h*p.v[k] // a sample
			if jump := math.Abs(v1 - v0); jump > speed/float64(half)+bend+1e-12 {
				r.Fatalf("sample %d behind the last target: the velocity jumps by %g a sample: want at most %g", k-first, jump,
					speed/float64(half)+bend)
			}
			if off := math.Abs(p.x[k] - p.x[k-1] - (v0+v1)/2); off > speed/float64(half)+bend+1e-12 {
				r.Fatalf("sample %d behind the last target: the path goes %g: want the mean of the velocities %g and %g", k-first,
					p.x[k]-p.x[k-1], v0, v1)
			}
		}
		if end := len(p.x) - 1; p.v[end] != 0 || p.a[end] != 0 || *p.flags["path_state"] != 3 ||
			rest > 0 && p.x[end] != p.x[end-1] {
			r.Fatalf("the run ends with velocity %g, acceleration %g, state %g: want rest", p.v[end], p.a[end],
				*p.flags["path_state"])
		}
	})
}

// fastest is the largest velocity, per sample, and the largest acceleration, per sample squared, of the cubic through
// the last four targets, n samples apart and the newest first, up to so many samples after the newest one.
func fastest(d [4]float64, n, until float64) (speed, bend float64) {
	d2, d3 := d[0]-2*d[1]+d[2], d[0]-3*d[1]+3*d[2]-d[3] // backward differences
	at := []float64{0, until / n}
	if d3 != 0 { // where the acceleration is 0
		at = append(at, min(max(0, -d2/d3-1), until/n))
	}
	for _, u := range at {
		speed = max(speed, math.Abs(d[0]-d[1]+(2*u+1)/2*d2+(3*u*u+6*u+2)/6*d3)/n)
		bend = max(bend, math.Abs(d2+(u+1)*d3)/(n*n))
	}
	return speed, bend
}

// A path that stops at its targets is at rest when the farewell comes, and ends the run there. Where the guard acts
// after the farewell, the guard ends the run.
func TestExternalEndsAtOnce(t *testing.T) {
	p := newPath(t, &integrate.Path{Samples: 4, Ramp: integrate.Smooth, Rest: 100, Client: &script{targets: column(0.1, 0.2)}}, 1,
		1e-3)
	if answered := p.run(t, 200); len(p.x) != answered[1]+1 || p.x[len(p.x)-1] != 0.2 || p.x[len(p.x)-2] != 0.2 {
		t.Errorf("%d samples, the last target was answered in tick %d: want no more", len(p.x), answered[1])
	}

	acting := false
	p = newPath(t, &integrate.Path{Samples: 10, Rest: 5, Client: &script{targets: column(0.1, 0.2)},
		Acting: func() bool { return acting }}, 1, 1e-3)
	target, felt := rths.NewMotion(1), rths.NewReading(1, 1)
	for range 22 {
		p.step(&target, &felt)
	}
	if *p.flags["client_ended"] != 1 || *p.flags["path_state"] != 2 {
		t.Fatalf("ended %g, state %g: want the path to slow down behind the farewell", *p.flags["client_ended"],
			*p.flags["path_state"])
	}
	acting = true
	for range 50 {
		if p.step(&target, &felt); p.in.(rths.Finisher).Finished() || target.V[0] != 0 {
			t.Fatalf("the guard acts, and the path goes on or ends the run")
		}
	}
}

// The guard's action, an error of the client and its farewell end the dialogue.
func TestExternalEnds(t *testing.T) {
	target, felt := rths.NewMotion(1), rths.NewReading(1, 1)
	gone := errors.New("gone")
	p := newPath(t, &integrate.Path{Samples: 2, Client: &script{targets: column(0.1), err: gone}}, 1, 1e-3)
	for range 4 {
		p.step(&target, &felt)
	}
	if !math.IsNaN(target.X[0]) || target.V[0] != 0 || target.A[0] != 0 || !errors.Is(p.in.(rths.Failer).Err(), gone) {
		t.Errorf("target %g, error %v: want one that is not a number, and the client's", target.X[0],
			p.in.(rths.Failer).Err())
	}

	c, acting := &script{targets: column(0.1, 0.2, 0.3)}, false
	p = newPath(t, &integrate.Path{Samples: 4, Client: c, Acting: func() bool { return acting }}, 1, 1e-3)
	for range 6 {
		p.step(&target, &felt)
	}
	acting = true
	stood := target.X[0]
	for range 10 {
		p.step(&target, &felt)
	}
	if !c.held || c.given != 2 || target.X[0] != stood || target.V[0] != 0 {
		t.Errorf("the guard acts at %g, and the path goes to %g (%d targets, held %t): want it to stand", stood, target.X[0],
			c.given, c.held)
	}

	p = newPath(t, &integrate.Path{Samples: 2}, 1, 1e-3)
	if p.step(&target, &felt); p.in.(rths.Failer).Err() == nil {
		t.Error("no client, and no error")
	}
	for _, e := range []integrate.Path{{Samples: 0}, {Samples: 8, Extrapolate: 7}, {Samples: 4, Extrapolate: -1},
		{Samples: 4, Rest: -1}} {
		if _, err := e.Make(1, 1e-3); err == nil {
			t.Errorf("%+v was made", e)
		}
	}
}

// never is a client that gives nothing, and a target of zero now and then.
type never struct{ k int }

func (n *never) Next(x []float64) (integrate.Arrival, error) {
	if n.k++; n.k%7 != 0 {
		return integrate.Nothing, nil
	}
	x[0] = float64(n.k % 3)
	return integrate.NewTarget, nil
}
func (*never) Answer(*rths.Reading) {}
func (*never) Hold()                {}

func TestExternalAllocatesNothing(t *testing.T) {
	p := newPath(t, &integrate.Path{Samples: 5, Extrapolate: 2, Client: &never{}}, 1, 1e-3)
	target, felt := rths.NewMotion(1), rths.NewReading(1, 1)
	if n := testing.AllocsPerRun(1000, func() { p.in.Step(&target, nil, &felt) }); n != 0 {
		t.Errorf("%g allocations in a tick: want none", n)
	}
}

// A slow test allocates nothing, from its first tick on.
func TestPacedAllocatesNothing(t *testing.T) {
	for _, ramp := range []integrate.Ramp{integrate.Cubic, integrate.Smooth, integrate.Linear} {
		e, _ := pacedOf(t, ramp)
		target, felt := rths.NewMotion(1), rths.NewReading(1, 1)
		k := 0
		if n := testing.AllocsPerRun(300, func() {
			felt.X[0], felt.F[0] = target.X[0], 1e3*target.X[0]+float64(k%3)
			k++
			e.Step(&target, nil, &felt)
		}); n != 0 {
			t.Errorf("ramp %d: %g allocations in a tick: want none", ramp, n)
		}
	}
}

// pacedOf is a slow test of a mass on a spring, with holds where the path stops.
func pacedOf(t *testing.T, ramp integrate.Ramp) (rths.Integrator, *integrate.Path) {
	t.Helper()
	s := &structure.Shear{Masses: []float64{10}, Stiffnesses: []float64{1e3}}
	whole, err := s.Make()
	if err != nil {
		t.Fatal(err)
	}
	part, err := whole.Divide(0, 0, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	const steps = 200
	wave := make([]float64, 2*steps+1)
	for i := range wave {
		wave[i] = math.Sin(float64(i) / 7)
	}
	in, err := (&integrate.NewmarkExplicit{}).Make(part, 0.01)
	if err != nil {
		t.Fatal(err)
	}
	client, err := integrate.NewPaced(in, 1, 0.01, steps, wave, 1)
	if err != nil {
		t.Fatal(err)
	}
	p := &integrate.Path{Samples: 5, Ramp: ramp, Client: client}
	if ramp != integrate.Cubic {
		p.Hold = integrate.Hold{Settled: 4, Average: 2}
	}
	e, err := p.Make(1, 0.001)
	if err != nil {
		t.Fatal(err)
	}
	return e, p
}

// A slow test goes on from a checkpoint at any tick with equal bits.
func TestPacedState(t *testing.T) {
	for _, ramp := range []integrate.Ramp{integrate.Cubic, integrate.Smooth} {
		for _, at := range []int{0, 1, 3, 7, 8, 9, 10, 101, 500} {
			first, _ := pacedOf(t, ramp)
			second, _ := pacedOf(t, ramp)
			target, felt := rths.NewMotion(1), rths.NewReading(1, 1)
			step := func(e rths.Integrator, k int) [3]float64 {
				felt.X[0], felt.F[0] = target.X[0], 100*target.X[0]+float64(k%3)
				e.Step(&target, nil, &felt)
				return [3]float64{target.X[0], target.V[0], target.A[0]}
			}
			for k := range at {
				step(first, k)
			}
			if rest := rths.SetState(rths.AppendState(nil, first), second); len(rest) != 0 {
				t.Fatalf("%d numbers of a state too many", len(rest))
			}
			begin := target.X[0]
			var want [][3]float64
			for k := range 60 {
				want = append(want, step(first, at+k))
			}
			target.X[0] = begin
			for k, w := range want {
				if got := step(second, at+k); got != w {
					t.Fatalf("ramp %d, checkpoint at %d, tick %d: %v: want %v", ramp, at, k, got, w)
				}
			}
		}
	}
}
