package rths_test

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/kit/rthstest"
	"rths/maths/lti"
	"rths/method/compensate"
)

// The parts of these tests are so simple that every number can be checked by
// hand, and write down in which order they are called.

type trace struct{ calls []string }

func (t *trace) note(format string, args ...any) {
	t.calls = append(t.calls, fmt.Sprintf(format, args...))
}

// counter is an integrator whose target of instant k is k (in mm), whatever the
// force.
type counter struct {
	*trace
	k       int
	closing bool
	forces  []float64 // those it was given
	ground  []float64
	ages    []int
	lates   []bool
}

func (c *counter) Step(target *rths.Motion, ground []float64, felt *rths.Reading) {
	if !c.closing || len(c.forces) > 0 {
		c.k++
	}
	target.X[0] = 1e-3 * float64(c.k)
	c.forces = append(c.forces, felt.F[0])
	c.ground = append(c.ground, ground...)
	c.ages, c.lates = append(c.ages, felt.Age), append(c.lates, felt.Late)
	c.note("integrate to %d", c.k)
}

func (c *counter) Closing() bool { return c.closing }

// copier is a compensator that passes the target on.
type copier struct{ *trace }

func (c *copier) Step(command []float64, target *rths.Motion, _ *rths.Reading) {
	c.note("compensate %g", math.Round(1e3*target.X[0]))
	copy(command, target.X)
}

// meter is a rig whose force of tick k is 10k and that notes what it is told.
type meter struct {
	*trace
	k        int
	commands []float64
	fail     int // tick whose read fails, if > 0
}

func (m *meter) Read(r *rths.Reading) error {
	if m.fail > 0 && m.k == m.fail {
		return errors.New("cable out")
	}
	m.note("read %d", m.k)
	r.X[0], r.F[0] = 1e-3*float64(m.k), 10*float64(m.k)
	return nil
}

func (m *meter) Write(command []float64) error {
	m.note("write %g", math.Round(1e3*command[0]))
	m.commands = append(m.commands, command[0])
	m.k++
	return nil
}

// watcher keeps what an observer sees.
type watcher struct {
	*trace
	frames []rths.Frame
	wanted []float64 // Desired
}

func (w *watcher) Observe(f *rths.Frame) {
	w.note("observe %d", f.K)
	w.frames = append(w.frames, *f)
	w.wanted = append(w.wanted, 1e3*f.Desired[0])
}

type testbed struct {
	trace
	in    *counter
	rig   *meter
	watch *watcher
	loop  *rths.Loop
}

func newTestbed(t *testing.T, closing bool, timing rths.Timing, change func(c *rths.Config)) *testbed {
	t.Helper()
	b := &testbed{}
	b.in, b.rig, b.watch = &counter{trace: &b.trace, closing: closing}, &meter{trace: &b.trace}, &watcher{trace: &b.trace}
	c := rths.Config{
		RateHz: 100, Samples: 5, Timing: timing, Axes: 1, Forces: 1,
		Integrator: b.in, Compensator: &copier{&b.trace}, Rig: b.rig, Observers: []rths.Observer{b.watch},
	}
	if change != nil {
		change(&c)
	}
	var err error
	if b.loop, err = rths.NewLoop(c); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *testbed) run(t *testing.T) {
	t.Helper()
	for !b.loop.Done() {
		if err := b.loop.Step(); err != nil {
			t.Fatal(err)
		}
	}
}

// Design, section 3: the three orders of a tick.
func TestTickOrders(t *testing.T) {
	for _, tc := range []struct {
		name    string
		closing bool
		target  rths.TargetTime
		want    string // of the first two ticks
		desired []float64
		targetK int // of tick 1
	}{
		{"next, leading", false, rths.Next,
			"read 0, integrate to 1, compensate 1, write 1, observe 0, read 1, integrate to 2, compensate 2, write 2, observe 1",
			[]float64{0, 1, 2, 3, 4}, 2},
		{"current, leading", false, rths.Current,
			"read 0, compensate 0, write 0, integrate to 1, observe 0, read 1, compensate 1, write 1, integrate to 2, observe 1",
			[]float64{0, 1, 2, 3, 4}, 1},
		{"current, closing", true, rths.Current,
			"read 0, integrate to 0, compensate 0, write 0, observe 0, read 1, integrate to 1, compensate 1, write 1, observe 1",
			[]float64{0, 1, 2, 3, 4}, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newTestbed(t, tc.closing, rths.Timing{Target: tc.target}, nil)
			b.run(t)
			if got := strings.Join(b.calls[:10], ", "); got != tc.want {
				t.Errorf("order\n%s\nwant\n%s", got, tc.want)
			}
			if !slices.EqualFunc(b.watch.wanted, tc.desired, near) {
				t.Errorf("desired %g mm, want %g: the target of the instant of the reading", b.watch.wanted, tc.desired)
			}
			if got := b.watch.frames[1].TargetK; got != tc.targetK {
				t.Errorf("tick 1 aims at instant %d, want %d", got, tc.targetK)
			}
		})
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-12 }

// The step of tick k uses the force of tick k − force_delay, zero before the
// start; what leaves at tick k was computed at k − command_delay.
func TestDelays(t *testing.T) {
	for delay := range 4 {
		b := newTestbed(t, false, rths.Timing{ForceDelay: delay, CommandDelay: delay}, nil)
		b.run(t)
		for k, f := range b.in.forces {
			if want := 10 * float64(max(k-delay, 0)); f != want {
				t.Errorf("force delay %d: step of tick %d used %g N, want %g", delay, k, f, want)
			}
		}
		for k, u := range b.rig.commands {
			if want := 1e-3 * float64(max(k-delay, 0)); !near(u, want) {
				t.Errorf("command delay %d: %g left at tick %d, want %g", delay, u, k, want)
			}
		}
		for k, f := range b.watch.frames {
			if f.K != k || f.T != float64(k)/100 {
				t.Errorf("frame %d says tick %d at %g s", k, f.K, f.T)
			}
		}
	}
}

// An open loop records the force and does not feed it back.
func TestOpenLoop(t *testing.T) {
	for delay := range 2 {
		b := newTestbed(t, false, rths.Timing{ForceDelay: delay}, func(c *rths.Config) { c.Open = true })
		b.run(t)
		for k, f := range b.in.forces {
			if f != 0 {
				t.Errorf("step of tick %d used %g N, want 0", k, f)
			}
		}
		if f := b.loop.Frame(); f.Read.F[0] != 40 || f.Force[0] != 0 {
			t.Errorf("last frame: read %g N, used %g N, want 40 and 0", f.Read.F[0], f.Force[0])
		}
	}
}

// weigher is a rig that knows nothing but what is measured.
type weigher struct{}

func (weigher) Read(r *rths.Reading) error {
	for i := range r.X {
		r.X[i], r.F[i], r.A[i] = 1, 2, 3
	}
	return nil
}

func (weigher) Write([]float64) error { return nil }

// joined joins two actuators to an interface of two coordinates.
type joined struct{}

func (joined) Axes(axes, iface *rths.Motion) { copy(axes.X, iface.X) }

func (joined) Interface(iface, axes *rths.Reading) {
	copy(iface.X, axes.X)
	copy(iface.F, axes.F)
}

// Readings carry true values with Truth and none without; a checkpoint does not need them.
func TestTruth(t *testing.T) {
	for _, truth := range []bool{true, false} {
		for _, coupler := range []rths.Coupler{nil, joined{}} {
			b := newTestbed(t, false, rths.Timing{}, func(c *rths.Config) {
				c.Truth, c.Axes, c.Forces, c.Accelerometers, c.Rig = truth, 2, 2, 2, weigher{}
				if c.Coupler = coupler; coupler != nil {
					c.InterfaceAxes, c.InterfaceForces = 2, 2
				}
			})
			b.run(t)
			want := 0
			if truth {
				want = 2
			}
			f := b.loop.Frame()
			for _, r := range []rths.Reading{f.Read, f.InterfaceRead} {
				if len(r.TrueX) != want || len(r.TrueF) != want {
					t.Errorf("truth %v, coupler %v: %d true displacements, %d true forces: want %d", truth, coupler, len(r.TrueX),
						len(r.TrueF), want)
				}
			}
			if len(f.Read.TrueA) != want || f.Read.X[1] != 1 || f.InterfaceRead.F[1] != 2 || f.Read.A[1] != 3 {
				t.Errorf("truth %v, coupler %v: reading %+v, felt %+v", truth, coupler, f.Read, f.InterfaceRead)
			}
			if err := b.loop.Resume(b.loop.Checkpoint()); err != nil {
				t.Error(err)
			}
		}
	}
}

// delayedLink is a rig whose readings are old and whose ticks are late, but for the first one.
type delayedLink struct {
	weigher
	k int
}

func (d *delayedLink) Read(r *rths.Reading) error {
	r.Age, r.Late = d.k, d.k > 0
	d.k++
	return d.weigher.Read(r)
}

// Age and lateness reach the reading in interface coordinates and the integrator's too.
func TestAgeAndLateness(t *testing.T) {
	for _, coupler := range []rths.Coupler{nil, joined{}} {
		b := newTestbed(t, false, rths.Timing{}, func(c *rths.Config) {
			c.Axes, c.Forces, c.Accelerometers, c.Rig = 2, 2, 2, &delayedLink{}
			if c.Coupler = coupler; coupler != nil {
				c.InterfaceAxes, c.InterfaceForces = 2, 2
			}
		})
		b.run(t)
		for k, f := range b.watch.frames {
			if f.Read.Age != k || f.Read.Late != (k > 0) || f.InterfaceRead.Age != k || f.InterfaceRead.Late != (k > 0) {
				t.Errorf("coupler %v, tick %d: age %d, late %v; felt %d, %v", coupler, k, f.Read.Age, f.Read.Late,
					f.InterfaceRead.Age, f.InterfaceRead.Late)
			}
			if b.in.ages[k] != k || b.in.lates[k] != (k > 0) {
				t.Errorf("coupler %v, tick %d: the integrator sees age %d, late %v", coupler, k, b.in.ages[k], b.in.lates[k])
			}
		}
	}
}

// Each tick's window of the ground motion is t_k, t_k + h/2, t_k+1.
func TestGroundWindow(t *testing.T) {
	for _, comps := range []int{1, 2} {
		b := newTestbed(t, false, rths.Timing{}, func(c *rths.Config) {
			c.Components = comps
			for j := range 11 * comps {
				c.Ground = append(c.Ground, float64(j))
			}
		})
		b.run(t)
		for k := range 5 {
			for j := range 3 * comps {
				if got, want := b.in.ground[3*comps*k+j], float64(2*comps*k+j); got != want {
					t.Errorf("%d components, tick %d, place %d: %g, want %g", comps, k, j, got, want)
				}
			}
		}
	}
}

// A target beyond the limit or not finite ends the run before anything is
// written, and the tick that failed is observed.
func TestDivergence(t *testing.T) {
	b := newTestbed(t, false, rths.Timing{}, func(c *rths.Config) { c.DivergedM = 2.5e-3 })
	var err error
	for err == nil && !b.loop.Done() {
		err = b.loop.Step()
	}
	var d *rths.DivergedError
	if !errors.As(err, &d) || d.T != 0.03 || d.What != "target" {
		t.Fatalf("error %v, want a divergence of the target at 0.03 s", err)
	}
	if len(b.rig.commands) != 3 {
		t.Errorf("%d commands left, want 3: none after the divergence", len(b.rig.commands))
	}
	if last := b.watch.frames[len(b.watch.frames)-1]; last.K != 3 || last.Err == nil {
		t.Errorf("last frame: tick %d, error %v, want tick 3 with its error", last.K, last.Err)
	}
}

func TestCommandNotFinite(t *testing.T) {
	b := newTestbed(t, false, rths.Timing{}, func(c *rths.Config) { c.Compensator = broken{} })
	err := b.loop.Step()
	var d *rths.DivergedError
	if !errors.As(err, &d) || d.What != "command" || len(b.rig.commands) != 0 {
		t.Errorf("error %v after %d commands, want a divergence of the command and none", err, len(b.rig.commands))
	}
}

type broken struct{}

func (broken) Step(command []float64, _ *rths.Motion, _ *rths.Reading) { command[0] = math.NaN() }

// A rig can fail; the error says when.
func TestRigFailure(t *testing.T) {
	b := newTestbed(t, false, rths.Timing{}, nil)
	b.rig.fail = 2
	var err error
	for err == nil && !b.loop.Done() {
		err = b.loop.Step()
	}
	if err == nil || !strings.Contains(err.Error(), "t = 0.0200 s: cable out") {
		t.Errorf("error %v, want one at 0.02 s", err)
	}
}

func TestWrongConfig(t *testing.T) {
	ok := func() rths.Config {
		tr := &trace{}
		return rths.Config{RateHz: 100, Samples: 5, Axes: 1, Forces: 1, Integrator: &counter{trace: tr},
			Compensator: &copier{tr}, Rig: &meter{trace: tr}}
	}
	for _, tc := range []struct {
		change func(c *rths.Config)
		want   string
	}{
		{func(c *rths.Config) { c.RateHz = 0 }, "rate 0 Hz"},
		{func(c *rths.Config) { c.RateHz = math.NaN() }, "rate NaN Hz"},
		{func(c *rths.Config) { c.Rig = nil }, "want an integrator, a compensator and a rig"},
		{func(c *rths.Config) { c.Axes = 0 }, "0 axes"},
		{func(c *rths.Config) { c.Timing.ForceDelay = -1 }, "force delay -1"},
		{func(c *rths.Config) { c.Ground = make([]float64, 10) }, "10 values: want 11"},
		{func(c *rths.Config) { c.Timing.Target = rths.Next; c.Integrator.(*counter).closing = true }, "leading integrator"},
		{func(c *rths.Config) { c.DivergedM = -1 }, "limit -1 m"},
	} {
		c := ok()
		tc.change(&c)
		if _, err := rths.NewLoop(c); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want it to say %q", err, tc.want)
		}
	}
}

// wrapped hides nothing: As looks inside.
type wrapped struct{ inner any }

func (w wrapped) Unwrap() any { return w.inner }

func TestAs(t *testing.T) {
	in := &counter{}
	if got, ok := rths.As[rths.Integrator](wrapped{wrapped{in}}); !ok || got != in {
		t.Errorf("As found %v, %v", got, ok)
	}
	if _, ok := rths.As[rths.Observer](wrapped{in}); ok {
		t.Error("As found an observer in an integrator")
	}
	if _, ok := rths.As[rths.Observer](nil); ok {
		t.Error("As found an observer in nothing")
	}
}

func TestFindNamesTheRows(t *testing.T) {
	table := []rths.Kind[int]{{Name: "a"}, {Name: "b"}}
	if k, err := rths.Find(table, "b"); err != nil || k.Name != "b" {
		t.Errorf("found %v, %v", k, err)
	}
	if _, err := rths.Find(table, "c"); err == nil || err.Error() != `kind "c": want one of a, b` {
		t.Errorf("error %v", err)
	}
}

// swap is a coupler that turns two interface coordinates into two axes:
// difference and sum.
type swap struct{}

func (swap) Axes(axes, iface *rths.Motion) {
	axes.X[0], axes.X[1] = iface.X[0]-iface.X[1], iface.X[0]+iface.X[1]
}

func (swap) Interface(iface, axes *rths.Reading) {
	iface.X[0], iface.X[1] = (axes.X[0]+axes.X[1])/2, (axes.X[1]-axes.X[0])/2
	iface.F[0], iface.F[1] = axes.F[0]+axes.F[1], axes.F[1]-axes.F[0]
	iface.F[2] = 7
}

// plane gives two interface targets and notes three forces.
type plane struct{ forces [][]float64 }

func (p *plane) Step(target *rths.Motion, _ []float64, felt *rths.Reading) {
	target.X[0], target.X[1] = 0.003, 0.001
	p.forces = append(p.forces, slices.Clone(felt.F))
}
func (p *plane) Closing() bool { return true }

type pair struct{ got []float64 }

func (p *pair) Read(r *rths.Reading) error {
	copy(r.X, []float64{0.5, 0.7})
	copy(r.F, []float64{3, 5})
	return nil
}
func (p *pair) Write(c []float64) error { p.got = slices.Clone(c); return nil }

type straight struct{}

func (straight) Step(command []float64, target *rths.Motion, _ *rths.Reading) {
	copy(command, target.X)
}

// With a coupler the integrator lives in interface coordinates, compensator
// and rig in axis coordinates, and their numbers may differ.
func TestCoupler(t *testing.T) {
	in, rig := &plane{}, &pair{}
	l, err := rths.NewLoop(rths.Config{
		RateHz: 1024, Samples: 2, Axes: 2, Forces: 2, InterfaceAxes: 2, InterfaceForces: 3,
		Integrator: in, Compensator: straight{}, Rig: rig, Coupler: swap{}, Timing: rths.Timing{ForceDelay: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	for !l.Done() {
		if err := l.Step(); err != nil {
			t.Fatal(err)
		}
	}
	f := l.Frame()
	if !slices.EqualFunc(rig.got, []float64{0.002, 0.004}, near) ||
		!slices.EqualFunc(f.InterfaceTarget.X, []float64{0.003, 0.001}, near) {
		t.Errorf("command %g from wanted %g", rig.got, f.InterfaceTarget.X)
	}
	if !slices.Equal(in.forces[0], []float64{0, 0, 0}) || !slices.Equal(in.forces[1], []float64{8, 2, 7}) {
		t.Errorf("forces %g, want zeros and then the forces of the tick before, (8, 2, 7)", in.forces)
	}
	if !slices.EqualFunc(f.InterfaceRead.X, []float64{0.6, 0.1}, near) {
		t.Errorf("felt %g, want (0.6, 0.1)", f.InterfaceRead.X)
	}
}

// A specimen that swings while the target hardly moves has diverged too.
func TestDivergenceOfTheMeasurement(t *testing.T) {
	b := newTestbed(t, false, rths.Timing{}, func(c *rths.Config) { c.Rig = swinging{c.Rig} })
	var err error
	for err == nil && !b.loop.Done() {
		err = b.loop.Step()
	}
	var d *rths.DivergedError
	if !errors.As(err, &d) || d.T != 0.02 || d.What != "measured" || d.Value != -1.5 {
		t.Errorf("error %v, want a divergence of the measurement at 0.02 s", err)
	}
}

// swinging measures −1.5 m from 0.02 s on, and nothing in between.
type swinging struct{ rths.Rig }

func (s swinging) Read(r *rths.Reading) error {
	err := s.Rig.Read(r)
	switch k := r.F[0] / 10; { // the tick
	case k >= 2:
		r.X[0] = -1.5
	case k >= 1:
		r.X[0] = math.NaN() // a lost reading is no divergence
	}
	return err
}

// traveller is an integrator whose displacement is k², in mm, and whose rates are known
// only when they are derived: 2k and 2.
type traveller struct {
	k       int
	now     rths.Motion
	derived int
}

func (s *traveller) Step(target *rths.Motion, _ []float64, _ *rths.Reading) {
	s.k++
	s.now.X[0] = float64((s.k - 1) * (s.k - 1))
	target.X[0] = 1e-3 * float64(s.k*s.k)
}

func (s *traveller) Closing() bool       { return false }
func (s *traveller) State() *rths.Motion { return &s.now }

func (s *traveller) Derive(target *rths.Motion) {
	s.derived++
	target.V[0], target.A[0] = 1e-3*float64(2*s.k), 2e-3
	s.now.V[0], s.now.A[0] = float64(2*(s.k-1)), 2
}

// speeds keeps what a tick shows of velocities, and whether it failed.
type speeds struct {
	name        string
	order       *[]string
	num, target []float64
	errs        []error
}

func (s *speeds) Observe(f *rths.Frame) {
	*s.order = append(*s.order, s.name)
	s.num, s.target, s.errs = append(s.num, f.Num.V[0]), append(s.target, f.Target.V[0]), append(s.errs, f.Err)
}

// hungry is an observer that looks at velocities.
type hungry struct{ speeds }

func (*hungry) UsesRates() {}

// behind is a wrapper around an observer.
type behind struct{ inside rths.Observer }

func (w behind) Observe(f *rths.Frame) { w.inside.Observe(f) }
func (w behind) Unwrap() any           { return w.inside }

// An observer that uses rates gets them when it is attached after the loop was made, wrapped or
// not; without one the integrator is not asked for rates and all observers see none.
func TestAttachedObserverGetsRates(t *testing.T) {
	for _, timing := range []rths.TargetTime{rths.Current, rths.Next} {
		for what, attach := range map[string]func(l *rths.Loop, h *hungry){
			"nothing":          func(*rths.Loop, *hungry) {},
			"without rates":    func(l *rths.Loop, h *hungry) { l.Attach(&h.speeds) },
			"with rates":       func(l *rths.Loop, h *hungry) { l.Attach(h) },
			"wrapped":          func(l *rths.Loop, h *hungry) { l.Attach(behind{h}) },
			"with two of them": func(l *rths.Loop, h *hungry) { l.Attach(h); l.Attach(&hungry{speeds{order: h.order}}) },
		} {
			var order []string
			in := &traveller{now: rths.NewMotion(1)}
			first := &speeds{name: "first", order: &order}
			l, err := rths.NewLoop(rths.Config{
				RateHz: 10, Samples: 5, Axes: 1, Forces: 1, Timing: rths.Timing{Target: timing},
				Integrator: in, Compensator: &copier{&trace{}}, Rig: &meter{trace: &trace{}}, Observers: []rths.Observer{first},
			})
			if err != nil {
				t.Fatal(err)
			}
			h := &hungry{speeds{name: "attached", order: &order}}
			attach(l, h)
			for !l.Done() {
				if err := l.Step(); err != nil {
					t.Fatal(err)
				}
			}
			rates := what == "with rates" || what == "wrapped" || what == "with two of them"
			num, target, derived := make([]float64, 5), make([]float64, 5), 0
			if rates {
				num, derived = []float64{0, 2, 4, 6, 8}, 5
				target = []float64{0, 2e-3, 4e-3, 6e-3, 8e-3}
				if timing == rths.Next {
					target = []float64{2e-3, 4e-3, 6e-3, 8e-3, 10e-3}
				}
			}
			if in.derived != derived || !slices.Equal(first.num, num) || !slices.Equal(first.target, target) {
				t.Errorf("timing %d, %s attached: %d derivations, velocities %v and of the target %v: want %d, %v, %v", timing,
					what, in.derived, first.num, first.target, derived, num, target)
			}
			if rates && (!slices.Equal(h.num, num) || !slices.Equal(h.target, target)) {
				t.Errorf("timing %d, %s: the attached observer sees %v and %v: want %v and %v", timing, what, h.num, h.target, num,
					target)
			}
			if what != "nothing" && !slices.Equal(order[:2], []string{"first", "attached"}) {
				t.Errorf("%s attached: observed in the order %v: want the attached one behind", what, order[:2])
			}
		}
	}
}

// An attached observer looks at the tick that failed too.
func TestAttachedObserverSeesTheFailure(t *testing.T) {
	var order []string
	h := &hungry{speeds{order: &order}}
	l, err := rths.NewLoop(rths.Config{
		RateHz: 10, Samples: 5, Axes: 1, Forces: 1,
		Integrator: &traveller{now: rths.NewMotion(1)}, Compensator: &copier{&trace{}}, Rig: &meter{trace: &trace{}, fail: 2},
	})
	if err != nil {
		t.Fatal(err)
	}
	l.Attach(h)
	var failed error
	for failed == nil {
		failed = l.Step()
	}
	if n := len(h.errs); n != 3 || h.errs[0] != nil || h.errs[1] != nil || !errors.Is(h.errs[2], failed) {
		t.Errorf("the attached observer saw the errors %v: want the third tick's, %v", h.errs, failed)
	}
}

// implicit is an integrator whose third step does not converge.
type implicit struct{ step int }

func (i *implicit) Step(target *rths.Motion, _ []float64, _ *rths.Reading) {
	i.step++
	if target.X[0] = 1e-3; i.step > 2 {
		target.X[0] = math.NaN()
	}
}
func (i *implicit) Closing() bool { return true }

var errImplicit = errors.New("not converged")

func (i *implicit) Err() error {
	if i.step > 2 {
		return errImplicit
	}
	return nil
}

// failSafe is a rig that takes over, and remembers from what.
type keeper struct {
	*meter
	from *rths.DivergedError
}

func (k *keeper) TakeOver(d *rths.DivergedError) bool { k.from = d; return true }

// A step that failed ends the run with the integrator's reason, not as a divergence, and no
// command leaves. A rig that keeps itself safe gets the reason.
func TestIntegratorFailure(t *testing.T) {
	b := newTestbed(t, false, rths.Timing{}, func(c *rths.Config) { c.Integrator = &implicit{} })
	err := b.loop.Run(0, nil)
	var d *rths.DivergedError
	if !errors.Is(err, errImplicit) || errors.As(err, &d) || !strings.Contains(err.Error(), "integrator at t = 0.0200 s") {
		t.Errorf("%v: want the integrator's error at 0.02 s", err)
	}
	if len(b.rig.commands) != 2 {
		t.Errorf("%d commands left: want 2", len(b.rig.commands))
	}
	var kept *keeper
	b = newTestbed(t, false, rths.Timing{}, func(c *rths.Config) {
		c.Integrator = &implicit{}
		kept = &keeper{meter: c.Rig.(*meter)}
		c.Rig = kept
	})
	if err := b.loop.Run(0, nil); err != nil || kept.from == nil || kept.from.Why != errImplicit ||
		kept.from.What != "target" {
		t.Errorf("%v, kept from %+v: want the run to go on, kept from the integrator's failure", err, kept.from)
	}
}

// failing is a compensator whose third step fails.
type failing struct{ step int }

func (c *failing) Step(command []float64, target *rths.Motion, _ *rths.Reading) {
	c.step++
	copy(command, target.X)
}

func (c *failing) Err() error {
	if c.step > 2 {
		return errImplicit
	}
	return nil
}

// around is a compensator around another one.
type around struct{ *failing }

func (around) Err() string   { return "another method of the name" }
func (c around) Unwrap() any { return c.failing }

// A step of the compensator that failed ends the run with its reason, and no command leaves. So does a
// step inside a wrapper or among several.
func TestCompensatorFailure(t *testing.T) {
	several, err := compensate.Each(&failing{step: -100})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []rths.Compensator{&failing{}, around{&failing{}}, rthstest.Must(compensate.Each(&failing{}))} {
		b := newTestbed(t, false, rths.Timing{}, func(config *rths.Config) { config.Compensator = c })
		err := b.loop.Run(0, nil)
		var d *rths.DivergedError
		if !errors.Is(err, errImplicit) || errors.As(err, &d) ||
			!strings.Contains(err.Error(), "compensator at t = 0.0200 s") || len(b.rig.commands) != 2 {
			t.Errorf("%T: %v after %d commands: want the compensator's error at 0.02 s, after 2", c, err, len(b.rig.commands))
		}
	}
	b := newTestbed(t, false, rths.Timing{}, func(config *rths.Config) { config.Compensator = several })
	if err := b.loop.Run(0, nil); err != nil {
		t.Errorf("%v from a compensator that does not fail", err)
	}
}

// The force of meter is a straight line, 10k at tick k. With a delay of n samples,
// f + q (f − f_before) is the line q − n samples away, exactly, from the second delayed sample on.
func TestForcePredictionOfAStraightLine(t *testing.T) {
	for delay := range 3 {
		for _, q := range []float64{1, 1.5, 2} {
			b := newTestbed(t, true, rths.Timing{ForceDelay: delay, ForcePredict: q}, nil)
			if err := b.loop.Run(0, nil); err != nil {
				t.Fatal(err)
			}
			for k, got := range b.in.forces {
				if want := 10 * (float64(k) - float64(delay) + q); k > delay && math.Abs(got-want) > 1e-12 {
					t.Errorf("delay %d, q %g, tick %d: %g N, want %g", delay, q, k, got, want)
				}
			}
			if f := b.loop.Frame().Force[0]; f != b.in.forces[len(b.in.forces)-1] {
				t.Errorf("the frame shows %g N, the integrator used %g", f, b.in.forces[len(b.in.forces)-1])
			}
		}
	}
}

func TestForcePredictionWrongInput(t *testing.T) {
	for _, q := range []float64{-1, math.NaN(), math.Inf(1)} {
		_, err := rths.NewLoop(testConfig(rths.Timing{ForcePredict: q}, false))
		rthstest.WantError(t, err, "want 0 (none) or more")
	}
	_, err := rths.NewLoop(testConfig(rths.Timing{ForcePredict: 1}, true))
	rthstest.WantError(t, err, "in an open loop, which uses no force")
}

func testConfig(timing rths.Timing, open bool) rths.Config {
	tr := &trace{}
	return rths.Config{
		RateHz: 100, Samples: 5, Timing: timing, Open: open, Axes: 1, Forces: 1,
		Integrator: &counter{trace: tr}, Compensator: &copier{tr}, Rig: &meter{trace: tr},
	}
}

// Free motion of a loop with a predicted force grows or decays as its Jacobian says, also
// where the compensator has the acceleration with the force of its own tick; and the
// prediction changes the roots.
func TestGrowthWithAPredictedForce(t *testing.T) {
	radius := map[string]float64{}
	for _, kind := range []string{"none", "kalman-inverse"} {
		for _, timing := range []string{"timing={force_delay: 1}", "timing={force_delay: 1, force_predict: 1.5}",
			"timing={force_predict: 0.5}"} {
			l := siso(t, pulse(10), "compensator.kind="+kind, timing, "diverged_m=1e200").Loop
			j, err := l.Jacobian()
			if err != nil {
				t.Fatal(err)
			}
			roots, err := lti.Eigenvalues(mat.NewDense(j.N, j.N, j.J))
			if err != nil {
				t.Fatal(err)
			}
			want := math.Log(cmplx.Abs(roots[len(roots)-1]))
			got := simulatedRate(t, l, j, ticksTo(roots))
			if d := math.Abs(got - want); !(d <= max(0.01*math.Abs(want), 1e-6)) {
				t.Errorf("%s, %s: simulated ln|growth| %.6g per step, spectral radius %.6g", kind, timing, got, want)
			}
			radius[kind+timing] = want
		}
	}
	for _, kind := range []string{"none", "kalman-inverse"} {
		if a, b := radius[kind+"timing={force_delay: 1}"],
			radius[kind+"timing={force_delay: 1, force_predict: 1.5}"]; math.Abs(a-b) < 1e-6 {
			t.Errorf("%s: ln|growth| %g without prediction, %g with: want a difference", kind, a, b)
		}
	}
}

// The acceleration that a CurrentForceUser is given fulfils the equation of motion with the force of
// its own tick: m a = −m ag − c v − k x − f of the numerical part.
func TestPromptAccelerationFulfilsTheEquationOfMotion(t *testing.T) {
	run := siso(t, pulse(10), "compensator.kind=kalman-inverse", "timing={force_delay: 1}")
	l := run.Loop
	p, _, _, _, err := run.Scenario.Partition()
	if err != nil {
		t.Fatal(err)
	}
	for range 3000 {
		if err := l.Step(); err != nil {
			t.Fatal(err)
		}
		f := l.Frame()
		if f.K == 10 { // where the pulse is cut off
			continue
		}
		n := p.N()
		force := make([]float64, n)
		for i := range n {
			for j := range n {
				force[i] -= p.C.At(i, j)*f.Num.V[j] + p.K.At(i, j)*f.Num.X[j]
			}
			force[i] -= p.Load.At(i, 0) * f.Ground[0]
		}
		for i, d := range p.Interface {
			force[d] -= f.Force[i]
		}
		var a mat.VecDense
		if err := a.SolveVec(p.M, mat.NewVecDense(n, force)); err != nil {
			t.Fatal(err)
		}
		if d := p.Interface[0]; math.Abs(a.AtVec(d)-f.Target.A[0]) > 1e-9*(1+math.Abs(a.AtVec(d))) {
			t.Fatalf("tick %d: target's acceleration %.12g m/s², equation of motion %.12g", f.K, f.Target.A[0], a.AtVec(d))
		}
	}
}

// A product is a number too, on processors as well that fuse it with a difference (arm64).
func TestFinite(t *testing.T) {
	for _, x := range []float64{0, 1, -1.1, math.MaxFloat64, math.SmallestNonzeroFloat64} {
		for _, y := range []float64{1, 0.1, 1.0 / 3} {
			if product := x * y; !rths.Finite(product) {
				t.Errorf("%g times %g is not finite", x, y)
			}
		}
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if rths.Finite(x) {
			t.Errorf("%g is finite", x)
		}
	}
}
