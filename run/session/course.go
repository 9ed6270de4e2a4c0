package session

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"rths"
	"rths/lab/rig"
	"rths/lab/rig/wire"
	"rths/result/record"
	"rths/scenario"
)

// course takes the loop of a test from the measured position to rest, one tick with every call:
//
//	met       the guard begins at the measured position
//	approach  it brings the command to the first one of the run
//	running   the loop runs, until its last sample or the end of a limit's action
//	after     the guard goes to the end of hold or ramp, or down from a sound run
//	ended     it holds
//
// The same course serves the test and its replay. It has no clock.
type course struct {
	run     *scenario.Run
	guard   *rig.Guard
	tape    *tape
	write   func() // writes the row of a tick
	phase   phase
	err     error        // of the run's last step; nil: none
	pending cause        // acts in the next tick
	handled [causes]bool // causes that have acted

	first   []float64 // first command of the run, m
	stages  []stage   // before it, the present one first
	settled int       // samples at the goal of the stage
	meanX   []float64 // of the stage, m
	meanF   []float64 // N
	moves   []record.Move

	still                *standstill
	held                 int    // ticks after the end
	rigActed, guardActed *acted // first; nil: not
}

func newCourse(r *scenario.Run, t *tape, row func()) (*course, error) {
	if r.Guard == nil {
		return nil, errors.New("limits: none: want limits for a test in the laboratory, as nothing else of the loop stops it")
	}
	c := &course{run: r, guard: r.Guard, tape: t, write: row, meanX: make([]float64, len(t.raw.X)),
		meanF: make([]float64, len(t.raw.F))}
	c.still = newStandstill(r.Scenario.RateHz, r.Scenario.Rating().Stroke, len(t.raw.X), len(t.raw.F))
	r.Loop.Attach(rower{c})
	return c, nil
}

// rower is the observer that writes the rows of the run.
type rower struct{ c *course }

func (r rower) Observe(*rths.Frame) { r.c.row() }

// UsesRates: velocities and accelerations of the numerical part are recorded.
func (rower) UsesRates() {}

// stage is a place to which the guard brings the rig before the run.
type stage struct {
	goal   []float64 // m
	settle int       // samples at the goal; over their second half readings are averaged
	then   func()    // at the end, with the means; nil: nothing
}

// begin makes the guard stand where the rig was measured. With to the command goes from there to
// the first command of the run, without a jump; without, it stands at the first command already.
// Before come the stages of the scenario's start: move and preload.
func (c *course) begin(at *rths.Reading, first []float64, to bool) error {
	c.first = first
	frame := c.frame()
	c.tape.take(at)
	c.zero()
	c.tape.give(&frame.Read)
	copy(frame.Command, first)
	to = to && !slices.Equal(frame.Read.X, first) // a sensor that is zeroed stands there
	if err := c.startGuard(to); err != nil {
		return err
	}
	c.values()[atReading] = -1
	c.row()
	if c.plan(); to || len(c.stages) > 0 {
		c.stages = append(c.stages, stage{goal: first, settle: int(math.Ceil(restS * c.run.Scenario.RateHz))})
		c.set(approach)
		return c.guard.Approach(c.stages[0].goal)
	}
	c.still.certain = true // the rig stands at the first command
	c.set(running)
	return c.guard.Arm()
}

// zero makes sensors count from what they read.
func (c *course) zero() {
	of := c.start()
	if of == nil {
		return
	}
	if of.ZeroDisplacement() {
		copy(c.tape.shiftX, c.tape.raw.X)
		copy(c.tape.shiftL, c.tape.raw.L)
	}
	if of.ZeroForce() {
		copy(c.tape.shiftF, c.tape.raw.F)
	}
}

func (c *course) start() *scenario.Start { return c.run.Scenario.Rig.Params.Start }

// startGuard makes the guard begin at the measured position, or at the first command.
func (c *course) startGuard(measured bool) error {
	r := &c.frame().Read
	at := rths.NewReading(len(r.X), len(r.F))
	copy(at.X, c.first)
	if measured {
		copy(at.X, r.X)
	}
	copy(at.F, r.F)
	if err := c.guard.StartAt(&at); err != nil {
		return err
	}
	if c.phase == met {
		for i, s := range c.tape.shiftX {
			c.tape.command[i] = at.X[i] + s
		}
		c.tape.pace.startAt(c.tape.command)
	}
	return nil
}

// plan lists the stages of the start.
func (c *course) plan() {
	of := c.start()
	if of == nil {
		return
	}
	n := max(2, int(math.Round(of.SettleS*c.run.Scenario.RateHz)))
	if of.Move > 0 {
		c.planMove(of.Move, n)
	}
	if of.Preload != nil {
		c.stages = append(c.stages, stage{goal: of.Preload, settle: n, then: c.preload})
	}
}

// preload makes the place of the preload the zero of the run. Where that cannot be, nothing is
// shifted, and the test stops.
func (c *course) preload() {
	t := c.tape
	x, f, l := slices.Clone(t.shiftX), slices.Clone(t.shiftF), slices.Clone(t.shiftL)
	for i, by := range c.start().Preload {
		t.shiftX[i] += by
	}
	copy(t.shiftF, c.meanF)
	copy(t.shiftL, t.raw.L)
	r := &c.frame().Read
	t.give(r)
	clear(r.X)                                 // the command stands there, whatever a sensor reads
	if err := c.startGuard(true); err != nil { // the guard stands where it stood
		copy(t.shiftX, x)
		copy(t.shiftF, f)
		copy(t.shiftL, l)
		c.fail(rig.NoPreload, fmt.Errorf("preload: %w", err))
	}
}

// fail stops the test before its run.
func (c *course) fail(cause rig.Cause, why error) {
	c.err = why
	c.guard.Trip(cause, 1, 0, rig.Ramp)
}

// Gains of a rig that does what it is told.
const (
	leastGain = 0.9
	mostGain  = 1.1
)

// planMove moves one actuator after the other to both sides.
func (c *course) planMove(by float64, settle int) {
	axes := len(c.first)
	for i := range axes {
		up, down, back := slices.Clone(c.first), slices.Clone(c.first), slices.Clone(c.first)
		up[i] += by
		down[i] -= by
		x, f := make([]float64, axes), make([]float64, len(c.meanF))
		c.stages = append(c.stages,
			stage{goal: up, settle: settle, then: func() { copy(x, c.meanX); copy(f, c.meanF) }},
			stage{goal: down, settle: settle, then: func() {
				for k := range x {
					x[k] -= c.meanX[k]
				}
				moved := x[i]
				m := record.Move{Gain: record.Number(moved / (up[i] - down[i])), Instead: instead(x, i, up[i]-down[i])}
				if c.paired() {
					m.Stiffness = record.Number((f[i] - c.meanF[i]) / moved)
				}
				c.judgeMove(m)
			}},
			stage{goal: back})
	}
}

// instead is the displacement, from 1, that moved by about what actuator i was told to move, where i did not; 0: none.
func instead(moved []float64, i int, by float64) int {
	about := func(x float64) bool { return math.Abs(x) >= leastGain*by && math.Abs(x) <= mostGain*by }
	if about(moved[i]) {
		return 0
	}
	return 1 + slices.IndexFunc(moved, about)
}

// paired reports whether each actuator has a load cell of its own.
func (c *course) paired() bool { return len(c.meanF) == len(c.meanX) }

// judgeMove judges a move: a gain that is not about 1, or a force that drives, stops the test.
func (c *course) judgeMove(m record.Move) {
	c.moves = append(c.moves, m)
	switch {
	case !(m.Gain >= leastGain):
		c.guard.Trip(rig.MoveGain, float64(m.Gain), leastGain, rig.Ramp)
	case !(m.Gain <= mostGain):
		c.guard.Trip(rig.MoveGain, float64(m.Gain), mostGain, rig.Ramp)
	case c.paired() && !(m.Stiffness > 0):
		c.guard.Trip(rig.MoveStiffness, float64(m.Stiffness), 0, rig.Ramp)
	}
}

func (c *course) frame() *rths.Frame { return c.run.Loop.Frame() }

// row writes the row of a tick, and notes when rig and guard have acted first.
func (c *course) row() {
	v := c.values()
	if s := wire.Status(v[atStatus]); c.rigActed == nil && s.Has(wire.Watchdog|wire.OwnLimit) {
		// Its number says when it was measured; a loop that has stalled takes it later.
		c.rigActed = &acted{at: min(v[atReading]/c.run.Scenario.RateHz, v[atTaken]), by: s}
	}
	if c.guardActed == nil && c.guard.State() > rig.Running {
		c.guardActed = &acted{at: v[atTaken]}
	}
	c.still.see(c.tape)
	c.write()
}

// acted is when somebody took the rig to safety, s from the start.
type acted struct {
	at float64
	by wire.Status
}

// cause says which of the three stopped the test first: the rig, the loop's guard, or the
// supervisor with its operator. It is empty for a test that nothing stopped.
func (c *course) cause() string {
	stopped := who(tripOf(c.run, c.err))
	if stopped == "" && c.err != nil && c.run.Loop.Ticks() == 0 { // before the run
		stopped = fmt.Sprintf("rig: %v", c.err)
	}
	if c.rigActed == nil || c.guardActed != nil && c.guardActed.at < c.rigActed.at {
		return stopped
	}
	by := "its own limit acted"
	if c.rigActed.by.Has(wire.Watchdog) {
		by = "its watchdog acted"
	}
	return strings.TrimSuffix(fmt.Sprintf("rig: %s; then %s", by, stopped), "; then ")
}

func (c *course) values() *[channels]float64 { return &c.tape.values }

func (c *course) set(p phase) {
	if c.phase == running && p > running {
		c.run.Dismiss()
	}
	c.phase = p
	c.values()[atPhase] = float64(p)
}

// ask has a cause from outside act in the next tick, once; the first of several.
func (c *course) ask(why cause) {
	if why == nothing || c.handled[why] || c.pending != nothing || c.phase == ended {
		return
	}
	c.handled[why], c.pending = true, why
}

// tick is one tick of the test.
func (c *course) tick() {
	c.values()[atAsked] = float64(c.pending)
	if k := kinds[c.pending]; c.pending != nothing {
		c.guard.Trip(k.tells, 1, 0, k.action)
		c.pending = nothing
	}
	switch c.phase {
	case approach:
		c.bring()
	case running:
		c.step()
	case after:
		c.rest()
	case ended:
		c.guard.StepAlone(&c.frame().Read)
		c.still.see(c.tape)
		c.still.addStill(c.tape)
		c.held++
	}
}

// bring moves the command a sample nearer to the goal of the stage, and goes on to the next stage.
func (c *course) bring() {
	there := c.tickAlone()
	switch {
	case c.guard.State() == rig.Tripped:
		c.set(after)
		return
	case !there || c.guard.State() != rig.Disarmed || !c.settle():
		return
	}
	now := c.stages[0]
	if c.stages = c.stages[1:]; now.then != nil {
		now.then()
	}
	switch {
	case c.guard.State() != rig.Disarmed: // what it told has stopped the test
	case len(c.stages) > 0:
		if err := c.guard.Approach(c.stages[0].goal); err != nil {
			c.fail(rig.NotAtStart, err)
		}
	default:
		if !c.came() {
			return
		}
		c.err = c.guard.Arm()
		c.set(running)
	}
}

// came takes how far the rig reads from the first command for the offset of its sensors. A rig that has not come
// there at all stops the test.
func (c *course) came() bool {
	c.still.certain = true
	for i, x := range c.meanX {
		off := x - c.first[i]
		most := max(restM, mostOffset*c.still.stroke) + gainShare*math.Abs(c.first[i])
		if !(math.Abs(off) <= most) {
			c.err = fmt.Errorf(
				"the rig has not come to the first command: actuator %d reads %.4g mm, and the command is %.4g mm", i+1, 1e3*x,
				1e3*c.first[i])
			c.guard.Trip(rig.NotAtStart, off, most, rig.Ramp)
			return false
		}
		c.still.offset[i] = off
	}
	return true
}

// mostOffset of the stroke is the largest offset of a sensor from its command.
const mostOffset = 0.02

// settle waits at the goal of a stage, and takes the means of readings over the second half of
// this time. settle reports whether the time is over.
func (c *course) settle() bool {
	all := c.stages[0].settle
	if c.settled == 0 {
		clear(c.meanX)
		clear(c.meanF)
	}
	if c.settled++; c.settled > all-all/2 {
		n := float64(c.settled - (all - all/2))
		for i, x := range c.frame().Read.X {
			c.meanX[i] += (x - c.meanX[i]) / n
		}
		for i, f := range c.tape.raw.F {
			c.meanF[i] += (f - c.meanF[i]) / n
		}
	}
	if c.settled < all {
		return false
	}
	c.settled = 0
	return true
}

// step is a tick of the run. A run that has ended well goes down to rest.
func (c *course) step() {
	l := c.run.Loop
	c.err = l.Step()
	switch {
	case c.guard.State() == rig.Tripped:
		c.set(after)
	case c.err == nil && !l.Done():
	case c.guard.State() == rig.Running:
		_ = c.guard.Finish() // of a running guard that knows where it stands: does not fail
		c.set(after)
	default: // a limit acts on
		c.set(after)
	}
}

// rest brings the command down, or leaves it where hold or ramp have ended, and waits until the specimen is at rest, or
// does not come there.
func (c *course) rest() {
	switch {
	case !c.tickAlone():
		c.still.moves()
	case c.still.addStill(c.tape) && (c.still.quiet() || c.still.windows == mostWindows):
		c.set(ended)
	}
}

// tickAlone is a tick of the guard without the loop.
func (c *course) tickAlone() (done bool) {
	f := c.frame()
	done = c.guard.StepAlone(&f.Read)
	f.T = (c.values()[atReading]) / c.run.Scenario.RateHz
	c.row()
	return done
}
