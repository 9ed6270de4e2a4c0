package rig

import (
	"math"
	"slices"

	"rths"
)

// Observer is the other half of the guard: the last observer of its loop.
func (g *Guard) Observer() rths.Observer { return &observer{g} }

// observer is apart from Guard because a loop keeps the state of rigs and the state of
// observers apart: a latch is no state of the linearised loop.
type observer struct{ g *Guard }

// Observe checks all limits except the command's; the next Write acts.
func (o *observer) Observe(f *rths.Frame) {
	g := o.g
	if f.Err == nil && (!g.measure(f) || g.watch.busy) {
		g.mover.k = f.K
		g.examineReading(f)
	}
	g.mover.k = f.K + 1
}

// examineReading updates all channels and finds the limits that they cross.
func (g *Guard) examineReading(f *rths.Frame) {
	for i, x := range f.Read.X {
		g.watch.each[i].err = g.tracked(math.Abs(x - f.Desired[i]))
	}
	g.lookAt(g.watch.onReading, &f.Read)
	if g.mover.toSafe && g.latch.phase == running && g.watch.settled() {
		g.mover.keepSafe()
	}
}

// lookAt brings the sizes up to date and finds which of the limits are crossed.
func (g *Guard) lookAt(limits []*limit, read *rths.Reading) {
	g.watch.value.command = largestOf(g.mover.sent)
	g.watch.sizes(read.X, read.F)
	if !g.latch.alert() {
		return
	}
	for _, l := range limits {
		g.checkLimit(l)
	}
	for _, l := range g.watch.late {
		g.checkLimit(l)
	}
}

// measure brings error, age and velocity up to date and says whether all is within the
// levels; Read has said so of displacements and forces. (A target that is not finite has
// diverged before.)
func (g *Guard) measure(f *rths.Frame) bool {
	v, most := &g.watch.value, &g.watch.most
	x := f.Read.X[0]
	if v.err = math.Abs(x - f.Desired[0]); g.valid.one == nil {
		v.err = farthest(f.Read.X, f.Desired)
	}
	v.err = g.tracked(v.err)
	if v.age = float64(f.Read.Age); f.Read.Late || f.Read.Age|g.watch.lateTicks != 0 || g.watch.window.late != 0 {
		g.watch.lateness(&f.Read)
	}
	quiet := !g.watch.exceeded && v.err <= most.err && v.age <= most.age
	if !g.watch.needsVelocity {
		return quiet
	}
	if g.watch.past.old == 0 && f.Read.Age == 0 && g.valid.one != nil && len(f.Read.V) == 0 {
		v.velocity = math.Abs(x-g.watch.past.replace(0, x)) * g.watch.pace
		g.watch.each[0].velocity = v.velocity
		g.watch.past.at++
	} else {
		g.watch.measureVelocity(&f.Read)
	}
	return quiet && v.velocity <= most.velocity
}

// tracked is a tracking error; none once the integrator has failed: then there is no target, and what holds
// the specimen must not give way to a ramp for this.
func (g *Guard) tracked(err float64) float64 {
	if math.IsNaN(err) && g.latch.why != nil {
		return 0
	}
	return err
}

// Channels are the state of the latch, the command sent to the rig, and the guard's
// own channels that have a limit and are not in the frame.
func (o *observer) Channels() []rths.Channel {
	g := o.g
	out := []rths.Channel{{Name: "guard_state", Unit: "-", V: &g.latch.state}}
	sent := g.mover.sent
	for i := range sent {
		out = append(out, rths.Channel{Name: numbered("guard_command", "m", i, len(sent)), Unit: "m", V: &sent[i]})
	}
	for _, own := range g.c.own() {
		has := slices.ContainsFunc(g.c.Limits, func(l Limit) bool { return l.Channel == own.name })
		if has && !own.inFrame(&g.c) {
			out = append(out, rths.Channel{Name: own.name, Unit: own.q.unit, V: own.v(&g.watch)})
		}
	}
	return out
}

// VisitState visits the latch with its first cause, the end of its action, the command
// and the past readings. Events before a checkpoint stay with the run that had them.
func (o *observer) VisitState(v *rths.StateVisitor) {
	g := o.g
	l, m, w := &g.latch, &g.mover, &g.watch
	channel := slices.Index(l.names, l.first.Channel)
	v.Int((*int)(&l.phase), &channel)
	v.Int(&l.first.K, &l.first.Age, &l.first.Silent, &l.cause, (*int)(&l.ended), &l.endK, &m.k, &m.remaining,
		&m.apart.Axis)
	v.Int(&w.readingAge, &w.silent, &w.lateTicks, &w.past.at, &w.past.old, &g.valid.agreeing)
	v.Float(&l.first.Value, &l.first.Limit, &l.first.Fresh, &m.apart.Reading, &m.apart.Command)
	v.Float(&w.value.err, &w.freshErr, &w.freshCommand, &w.value.velocity, &g.valid.tolerance)
	for i := range w.each {
		v.Float(&w.each[i].velocity)
	}
	v.Bool(&m.placed, &m.catchingUp)
	for _, one := range w.latched {
		v.Bool(&one.warned, &one.acted)
	}
	v.Floats(m.sent, m.wanted, m.at, m.speed, m.safe, m.goal, m.trail, m.least, m.largest)
	v.Floats(g.valid.last, g.valid.before, g.valid.doubted, w.past.x)
	w.window.visit(v)
	if v.Restoring() {
		l.set(l.phase)
		g.restoreFirst(channel)
		w.levels()
	}
}

// restoreFirst restores the texts of the first cause: the channel from its place among the names.
func (g *Guard) restoreFirst(channel int) {
	l := &g.latch
	l.reading, l.why = nil, nil
	if !l.acted() {
		l.first = Event{}
		return
	}
	of := g.watch.latched[l.cause]
	of.name = l.names[channel]
	l.first.T, l.first.Channel, l.first.Action = float64(l.first.K)/g.c.RateHz, of.name, of.action.String()
}

var (
	_ rths.Rig       = (*Guard)(nil)
	_ rths.FailSafe  = (*Guard)(nil)
	_ rths.Stateful  = (*observer)(nil)
	_ rths.Channeler = (*observer)(nil)
)
