package rths

import (
	"errors"
	"fmt"
	"math"
)

// TargetTime says which instant the command of tick k aims at.
type TargetTime int

const (
	// Current: the command leaving at t_k is made from the target of t_k
	// (single-actuator and multi-axial benchmarks).
	Current TargetTime = iota
	// Next: it is made from the target of t_k+1, when the actuator should be
	// there (papers 000 and 003, real tests).
	Next
)

// Timing makes the order of a tick explicit; one sample is visible in the
// criteria.
type Timing struct {
	Target       TargetTime
	ForceDelay   int // the step of tick k uses the force of tick k - ForceDelay
	CommandDelay int // the command sent at t_k was computed at t_k - CommandDelay

	// ForcePredict is q of the force used, f + q (f − f_before) of two consecutive delayed
	// forces; 0: no prediction. q = 1 is exact for a straight line, one sample ahead.
	ForcePredict float64
}

// Config describes a Loop. NewLoop allocates everything that a run needs.
type Config struct {
	RateHz  float64 // sampling rate, > 0
	Samples int     // ticks of the run

	// Ground is the ground acceleration at t = 0, h/2, h, …: Components values
	// per instant and at least 2·Samples+1 instants, so that a tick's window is
	// a slice of it. Force histories follow the components of the ground
	// motion and count as components. Empty means none.
	Ground     []float64
	Components int // components per instant; 0 means 1
	Histories  int // how many of them, at the end, are force histories (N)

	Timing Timing
	Open   bool // the force is recorded and not fed back: a loading test

	// Start is the state that the run begins with; nil means rest.
	Start *Start

	// DivergedM is the largest |target| and |measured| (m, rad) of a sound run; 0 means 1.
	DivergedM float64

	Axes, Forces                   int  // lengths of command and Read.X, and of Read.F
	Accelerometers                 int  // length of Read.A: Axes, or 0 without
	Instruments                    int  // length of Read.L
	Truth                          bool // readings carry true values, as a virtual rig alone gives them
	InterfaceAxes, InterfaceForces int  // with a Coupler: lengths of InterfaceTarget.X and InterfaceRead.F
	Integrator                     Integrator
	Compensator                    Compensator
	Rig                            Rig
	Coupler                        Coupler // optional
	Observers                      []Observer
}

// Start is the state at t_0 of a test whose rig was brought to a displacement
// beforehand: the delays hold its force and its command.
type Start struct {
	Target  []float64 // target of t_0, interface coordinates, m
	Force   []float64 // restoring force, interface coordinates, N
	Command []float64 // command that holds it, m
}

// Loop runs one hybrid simulation, tick by tick.
type Loop struct {
	c             Config
	k             int
	limit         float64
	frame         Frame
	ahead         Motion    // leading, current: the target of t_k+1, made at t_k
	before        []float64 // next: the target of the tick before, axis coordinates
	input         Reading   // input of the integrator: InterfaceRead with its force delayed, or zero when open
	forceDelay    delay     // past forces for ForceDelay
	lastForce     []float64 // ForcePredict: the delayed force of the tick before; nil: no prediction
	commandDelay  delay     // past commands for CommandDelay
	computed      []float64 // the command just computed
	window        int       // values per window
	advance       int       // values from one window to the next
	groundTicks   int       // ticks with ground motion
	noGround      []float64 // window of zeros
	closing       bool
	derive        Deriver // nil while no part uses rates
	update        accelerationUpdate
	failSafe      FailSafe // nil: a run that diverges ends
	finisher      Finisher // nil: the run has all samples
	pacer         Pacer    // nil: a tick is a step of the numerical part
	failers       []Failer // parts of the compensator that may fail
	pose          Failer   // a coupler that may find no pose; nil: it always does
	flusher       *Flusher
	visitor       StateVisitor
	frozen, ideal bool
}

// NewLoop checks the configuration and allocates everything a run needs.
func NewLoop(c Config) (*Loop, error) {
	if c.Components == 0 {
		c.Components = 1
	}
	if c.DivergedM == 0 {
		c.DivergedM = 1
	}
	if c.Coupler == nil {
		c.InterfaceAxes, c.InterfaceForces = c.Axes, c.Forces
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	l := &Loop{c: c, limit: c.DivergedM, window: 3 * c.Components, closing: c.Integrator.Closing()}
	l.noGround, l.advance = make([]float64, l.window), 2*c.Components
	if n := len(c.Ground) - l.window; n >= 0 {
		l.groundTicks = n/l.advance + 1
	}
	l.makeFrame()
	l.update = newAccelerationUpdate(&c)
	l.startFrom()
	l.failSafe, _ = As[FailSafe](c.Rig)
	l.pacer, _ = As[Pacer](c.Integrator)
	l.finisher, _ = As[Finisher](c.Integrator)
	l.failers = FailersOf(c.Compensator)
	l.pose, _ = As[Failer](c.Coupler)
	l.useRates(c.Compensator)
	l.flusher = NewFlusher(l)
	l.c.Observers = nil
	for _, o := range c.Observers {
		l.Attach(o)
	}
	return l, nil
}

// FailersOf are the parts of a compensator that may fail.
func FailersOf(c Compensator) []Failer {
	if several, ok := As[FailerGroup](c); ok {
		return several.Failers()
	}
	if f, ok := As[Failer](c); ok {
		return []Failer{f}
	}
	return nil
}

// startFrom fills delays and targets with the starting state.
func (l *Loop) startFrom() {
	s := l.c.Start
	if s == nil {
		return
	}
	f := &l.frame
	copy(l.ahead.X, s.Target)
	copy(f.InterfaceTarget.X, s.Target)
	if l.c.Coupler != nil {
		l.c.Coupler.Axes(&f.Target, &f.InterfaceTarget)
	}
	copy(f.Command, s.Command)
	l.forceDelay.fill(s.Force)
	copy(l.lastForce, s.Force)
	copy(l.update.before, s.Force)
	l.commandDelay.fill(s.Command)
}

func (c *Config) check() error {
	switch {
	case !(c.RateHz > 0) || math.IsInf(c.RateHz, 0):
		return fmt.Errorf("loop: rate %g Hz: want more than 0", c.RateHz)
	case c.Samples < 0:
		return fmt.Errorf("loop: %d samples: want 0 or more", c.Samples)
	case c.Integrator == nil || c.Compensator == nil || c.Rig == nil:
		return errors.New("loop: want an integrator, a compensator and a rig")
	case c.Axes < 1 || c.Forces < 0 || c.InterfaceAxes < 1 || c.InterfaceForces < 0:
		return fmt.Errorf(
			"loop: %d axes, %d forces, %d interface coordinates, %d interface forces: want at least one axis and coordinate",
			c.Axes, c.Forces, c.InterfaceAxes, c.InterfaceForces)
	case c.Accelerometers != 0 && c.Accelerometers != c.Axes:
		return fmt.Errorf("loop: %d accelerometers on %d axes: want one on every axis, or none", c.Accelerometers, c.Axes)
	case c.Instruments < 0 || c.Instruments > 0 && c.Coupler == nil:
		return fmt.Errorf("loop: %d instruments: want 0 or more, and a coupler that uses them", c.Instruments)
	case c.Timing.ForceDelay < 0 || c.Timing.CommandDelay < 0:
		return fmt.Errorf("loop: force delay %d, command delay %d: want 0 or more samples", c.Timing.ForceDelay,
			c.Timing.CommandDelay)
	case !(c.Timing.ForcePredict >= 0) || math.IsInf(c.Timing.ForcePredict, 0):
		return fmt.Errorf("loop: force prediction %g: want 0 (none) or more", c.Timing.ForcePredict)
	case c.Timing.ForcePredict > 0 && c.Open:
		return fmt.Errorf("loop: force prediction %g in an open loop, which uses no force: want 0", c.Timing.ForcePredict)
	case c.Timing.Target == Next && c.Integrator.Closing():
		return errors.New(
			"loop: timing target \"next\" needs the motion of t_k+1, which a closing integrator has only at t_k+1: want " +
				"target \"current\" or a leading integrator")
	case len(c.Ground) > 0 && len(c.Ground) < (2*c.Samples+1)*c.Components:
		return fmt.Errorf("loop: ground motion of %d values: want %d (half steps of %d samples, %d components)",
			len(c.Ground), (2*c.Samples+1)*c.Components, c.Samples, c.Components)
	case c.Histories < 0 || c.Histories > c.Components:
		return fmt.Errorf("loop: %d force histories among %d components: want at most as many", c.Histories, c.Components)
	case c.Start != nil && (len(c.Start.Target) != c.InterfaceAxes || len(c.Start.Force) != c.InterfaceForces ||
		len(c.Start.Command) != c.Axes):
		return fmt.Errorf("loop: start of %d targets, %d forces, %d commands: want %d, %d, %d", len(c.Start.Target),
			len(c.Start.Force), len(c.Start.Command), c.InterfaceAxes, c.InterfaceForces, c.Axes)
	case !(c.DivergedM > 0):
		return fmt.Errorf("loop: divergence limit %g m: want more than 0", c.DivergedM)
	}
	return nil
}

func (l *Loop) makeFrame() {
	c, f := &l.c, &l.frame
	f.Target = NewMotion(c.Axes)
	f.Read = NewReading(c.Axes, c.Forces)
	f.Read.A, f.Read.TrueA = make([]float64, c.Accelerometers), make([]float64, c.Accelerometers)
	f.Read.L = make([]float64, c.Instruments)
	if !c.Truth {
		f.Read = f.Read.WithoutTruth()
	}
	f.InterfaceTarget, f.InterfaceRead = f.Target, f.Read
	if c.Coupler != nil {
		f.InterfaceTarget, f.InterfaceRead = NewMotion(c.InterfaceAxes), NewReading(c.InterfaceAxes, c.InterfaceForces)
		if !c.Truth {
			f.InterfaceRead = f.InterfaceRead.WithoutTruth()
		}
	}
	f.Ground, f.Histories = l.noGround, c.Histories
	f.Desired = f.Target.X
	if c.Timing.Target == Next {
		l.before = make([]float64, c.Axes)
		f.Desired = l.before
	}
	if s, ok := As[NumericalState](c.Integrator); ok {
		f.Num = s.State()
	}
	l.ahead = NewMotion(c.InterfaceAxes)
	l.input = f.InterfaceRead
	if c.Open || c.Timing.ForceDelay > 0 || c.Timing.ForcePredict > 0 {
		l.input.F = make([]float64, c.InterfaceForces)
	}
	if !c.Open {
		l.forceDelay = newDelay(c.Timing.ForceDelay, c.InterfaceForces)
	}
	if c.Timing.ForcePredict > 0 {
		l.lastForce = make([]float64, c.InterfaceForces)
	}
	f.Force = l.input.F
	if c, ok := As[ForceCorrector](c.Integrator); ok && c.Corrected() != nil {
		f.Force = c.Corrected()
	}
	if u, ok := As[ReadingUser](c.Integrator); ok {
		u.UseReading(&f.InterfaceRead)
	}
	f.Command = make([]float64, c.Axes)
	l.computed = f.Command
	if c.Timing.CommandDelay > 0 {
		l.computed = make([]float64, c.Axes)
	}
	l.commandDelay = newDelay(c.Timing.CommandDelay, c.Axes)
}

// Attach adds an observer after the others. Call it before the first tick.
func (l *Loop) Attach(o Observer) {
	if _, ok := As[NumericalUser](o); ok {
		o = l.pace(l.delayObserver(o))
	}
	l.c.Observers = append(l.c.Observers, o)
	l.attachPart(o)
}

// attachPart derives rates and rests states for an observer that needs them.
func (l *Loop) attachPart(o Observer) {
	l.useRates(o)
	if d, ok := As[Decaying](o); ok {
		l.flusher.Add(d.Decaying()...)
	}
}

// useRates has the integrator derive rates if the part uses them.
func (l *Loop) useRates(part any) {
	if _, ok := As[RateUser](part); ok {
		l.derive, _ = As[Deriver](l.c.Integrator)
	}
}

// Run steps to the last sample, or to the first error, which it returns. Every n ticks
// Run calls look, unless nil, and ends when look returns false.
func (l *Loop) Run(n int, look func() bool) error {
	for first := l.k; !l.Done(); {
		if look != nil && l.k > first && (l.k-first)%n == 0 && !look() {
			return nil
		}
		if err := l.Step(); err != nil {
			return err
		}
	}
	return nil
}

// Ticks is the number of ticks run, a failed one included.
func (l *Loop) Ticks() int { return l.k }

// Done reports whether all samples have been run, or the integrator has ended.
func (l *Loop) Done() bool { return l.k >= l.c.Samples || l.finisher != nil && l.finisher.Finished() }

// Frame is the frame of the last tick. Its slices are overwritten by the next.
func (l *Loop) Frame() *Frame { return &l.frame }

// Config returns the configuration that the loop was made with.
func (l *Loop) Config() Config { return l.c }

// Step runs one tick and lets the observers look at it, also when it failed.
// After an error the loop should not be stepped again.
func (l *Loop) Step() error {
	l.flusher.At(l.k)
	f := &l.frame
	f.K, f.T = l.k, float64(l.k)/l.c.RateHz
	f.Ground = l.ground(l.k)
	f.Err = l.tick(f)
	for _, o := range l.c.Observers {
		o.Observe(f)
	}
	l.k++
	return f.Err
}

// ground is the window of tick k.
func (l *Loop) ground(k int) []float64 {
	if l.pacer != nil {
		return l.pacer.Window()
	}
	if k < l.groundTicks {
		return l.c.Ground[k*l.advance:][:l.window]
	}
	return l.noGround
}

// tick is the table of tick orders, one case a row:
//
//	next,    leading: read, integrate to t_k+1, compensate, check, write
//	current, leading: read, compensate, check, write, integrate to t_k+1
//	current, closing: read, integrate to t_k, compensate, check, write
func (l *Loop) tick(f *Frame) error {
	if err := l.c.Rig.Read(&f.Read); err != nil {
		return fmt.Errorf("rig read at t = %.4f s: %w", f.T, err)
	}
	l.takeReading(f)
	switch {
	case l.c.Timing.Target == Next:
		copy(l.before, f.Target.X)
		f.TargetK = f.K + 1
		l.integrate(f, &f.InterfaceTarget)
		return l.send(f)
	case l.closing:
		f.TargetK = f.K
		l.integrate(f, &f.InterfaceTarget)
		return l.send(f)
	default:
		f.TargetK = f.K
		copyMotion(&f.InterfaceTarget, &l.ahead)
		if l.update.inverseMass != nil {
			l.update.apply(f.InterfaceTarget.A, l.input.F)
		}
		if err := l.send(f); err != nil {
			return err
		}
		l.integrate(f, &l.ahead)
		return nil
	}
}

// takeReading brings the reading to interface coordinates, delays its force and predicts from it.
func (l *Loop) takeReading(f *Frame) {
	if l.c.Coupler != nil {
		l.c.Coupler.Interface(&f.InterfaceRead, &f.Read)
	}
	f.InterfaceRead.Age, f.InterfaceRead.Late = f.Read.Age, f.Read.Late
	l.input.Age, l.input.Late = f.Read.Age, f.Read.Late // of the newest reading, also where the force is delayed
	if l.forceDelay.n == 0 {
		if l.lastForce != nil {
			copy(l.input.F, f.InterfaceRead.F)
			l.predict()
		}
		return
	}
	force := f.InterfaceRead.F
	slot, used := l.forceDelay.slot()[:len(force)], l.input.F[:len(force)]
	for i, v := range force { // the oldest out, the newest in
		used[i], slot[i] = slot[i], v
	}
	l.forceDelay.advance()
	if l.lastForce != nil {
		l.predict()
	}
}

// predict extrapolates the delayed force in a straight line: f ← f + q (f − f_before).
func (l *Loop) predict() {
	q := l.c.Timing.ForcePredict
	for i, v := range l.input.F {
		l.input.F[i] = v + q*(v-l.lastForce[i])
		l.lastForce[i] = v
	}
}

func (l *Loop) integrate(f *Frame, target *Motion) {
	l.c.Integrator.Step(target, f.Ground, &l.input)
	if l.derive != nil {
		l.derive.Derive(target)
	}
}

// send compensates the target, checks, delays and writes the command.
func (l *Loop) send(f *Frame) error {
	if l.c.Coupler != nil {
		l.c.Coupler.Axes(&f.Target, &f.InterfaceTarget)
	}
	l.c.Compensator.Step(l.computed, &f.Target, &f.Read)
	for _, part := range l.failers {
		if err := part.Err(); err != nil {
			return fmt.Errorf("compensator at t = %.4f s: %w", f.T, err)
		}
	}
	if d := l.check(f); d != nil && !(l.failSafe != nil && l.failSafe.TakeOver(d)) {
		if d.Why != nil && d.What == "target" {
			return fmt.Errorf("integrator at t = %.4f s: %w", f.T, d.Why)
		}
		return d
	}
	if l.commandDelay.n > 0 {
		slot := l.commandDelay.slot()
		copy(f.Command, slot)
		copy(slot, l.computed)
		l.commandDelay.advance()
	}
	if err := l.c.Rig.Write(f.Command); err != nil {
		return fmt.Errorf("rig write at t = %.4f s: %w", f.T, err)
	}
	return nil
}

// copyMotion copies all of a motion. (A few numbers are copied faster by a loop
// than by a call of copy.)
func copyMotion(dst, src *Motion) {
	for i, x := range src.X {
		dst.X[i], dst.V[i], dst.A[i] = x, src.V[i], src.A[i]
	}
}
