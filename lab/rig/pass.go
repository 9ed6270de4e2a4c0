package rig

import (
	"math"

	"rths"
)

// Read reads the rig. While limits act, a value that is not finite is replaced by
// the last finite one, and a failed reading by the last good one: an error would end the
// run, and with it hold or ramp.
func (g *Guard) Read(out *rths.Reading) error {
	if g.watch.readingAge > 0 {
		out.Age = 0 // of the guard's own making
	}
	if err := g.rig.Read(out); err != nil {
		return g.repeat(out, err)
	}
	if out.Age > 0 {
		g.watch.ageGrows(out.Age, g.mover.sent)
	}
	g.watch.readingAge = out.Age
	if g.valid.one != nil && out.Age == 0 && g.passReading(out.X[0], out.F[0]) {
		return nil
	}
	g.watch.exceeded = false
	bad, near := 0.0, true
	for i, last := range g.valid.last[:g.c.Axes] {
		g.watch.finite(&out.X[i], g.watch.most.measured, last, &bad)
		near = near && math.Abs(out.X[i]-last) <= g.valid.tolerance
	}
	for i, last := range g.valid.last[g.c.Axes:] {
		g.watch.finite(&out.F[i], g.watch.most.force, last, &bad)
	}
	if first := g.valid.none(); bad == 0 || !first { // what replaces the first reading is none
		if first {
			g.watch.past.fill(out.X, out.Age)
		}
		g.valid.take(out, near)
	}
	if bad != 0 {
		g.cross(&g.watch.nonFin, bad, 0)
	}
	return nil
}

// passReading keeps a fresh and valid reading of one actuator that is within the levels;
// any other it leaves to the loops of Read.
func (g *Guard) passReading(x, force float64) bool {
	before, last := g.valid.oneBefore, g.valid.one
	if !(math.Abs(x) <= g.watch.most.measured && math.Abs(force) <= g.watch.most.force &&
		math.Abs(x-last[0]) <= g.valid.tolerance) {
		return false
	}
	g.watch.exceeded, g.valid.tolerance = false, g.valid.reach
	before[0], before[1] = last[0], last[1]
	last[0], last[1] = x, force
	return true
}

// repeat gives the last valid reading again and takes the action of its limit; without
// one the loop gets the error.
func (g *Guard) repeat(out *rths.Reading, err error) error {
	if g.ideal || !g.latch.alert() {
		return err
	}
	g.valid.keepBefore()
	first := !g.latch.acted()
	if g.cross(&g.watch.failed, math.NaN(), 0); first && g.latch.acted() {
		g.latch.reading = err
	}
	if !g.latch.acted() {
		return err
	}
	g.repeatLast(out)
	return nil
}

// repeatLast gives the last valid reading, one sample older.
func (g *Guard) repeatLast(out *rths.Reading) {
	g.watch.ageGrows(g.watch.readingAge+1, g.mover.sent)
	g.watch.readingAge++
	g.valid.repeat(out, g.watch.readingAge)
}

// Write checks the command and sends it, or the guard's own command.
func (g *Guard) Write(u []float64) error {
	if g.ideal {
		return g.rig.Write(u)
	}
	if g.latch.phase != running {
		if g.latch.refuses(onCommand) {
			return errDisarmed
		}
		g.take(onCommand)
	}
	if g.latch.phase == running {
		if !g.mover.catchingUp && (g.valid.one != nil && g.passCommand(u[0]) || g.valid.one == nil && g.passCommands(u)) {
			return g.rig.Write(u)
		}
		g.examine(u)
	}
	if g.latch.phase == running {
		g.clip(u)
		return g.rig.Write(g.mover.sent)
	}
	return g.sendOwn()
}

// passCommands checks a command in one go: command within the stroke, change within the rate,
// both within the levels of the limits. A command that is not a number does not
// pass. A command that passes leaves unchanged.
func (g *Guard) passCommands(command []float64) bool {
	fastest := 0.0
	most, sent := &g.watch.most, g.mover.sent[:len(command)]
	for i, u := range command {
		change := math.Abs(u - sent[i])
		if !(math.Abs(u) <= most.command && change <= most.rate) {
			return false
		}
		if change > fastest {
			fastest = change
		}
		g.watch.each[i].command, g.watch.each[i].rate = math.Abs(u), change*g.c.RateHz
	}
	copy(sent, command)
	g.mover.keepSent()
	g.watch.value.rate = fastest * g.c.RateHz
	return true
}

// passCommand is calm of one actuator.
func (g *Guard) passCommand(u float64) bool {
	change := math.Abs(u - g.mover.sent[0])
	if !(math.Abs(u) <= g.watch.most.command && change <= g.watch.most.rate) {
		return false
	}
	g.mover.sent[0], g.watch.value.rate = u, change*g.c.RateHz
	if trail := g.mover.trail; g.watch.busy {
		g.mover.keepSent()
	} else if at := g.mover.k & (len(trail) - 1); at < len(trail) { // always: a power of two
		trail[at] = u
	}
	return true
}

// examine finds the limits that a command crosses. Its change is counted from the
// last command of the loop, which is not the last one sent where that was clipped.
func (g *Guard) examine(command []float64) {
	last, v := g.mover.last(), &g.watch.value
	v.command, v.rate = 0, 0
	g.watch.sizes(g.valid.last[:g.c.Axes], g.valid.last[g.c.Axes:])
	for i, u := range command {
		if !rths.Finite(u) {
			g.cross(&g.watch.nonFin, u, 0)
			return
		}
		size, rate := math.Abs(u), math.Abs(u-last[i])*g.c.RateHz
		v.command, v.rate = max(v.command, size), max(v.rate, rate)
		g.watch.each[i].command, g.watch.each[i].rate = size, rate
	}
	for _, l := range g.watch.onCommand {
		g.checkLimit(l)
	}
}

// clip sends the command as far as stroke and rate let it. An axis whose command is not
// finite stays where it is.
func (g *Guard) clip(command []float64) {
	m := &g.mover
	m.catchingUp = false
	for i, u := range command {
		if !rths.Finite(u) {
			continue
		}
		within, change := m.follow(i, u)
		if within != u {
			g.clipped(&g.watch.beyond, u)
		}
		if math.Abs(change) > m.step {
			g.clipped(&g.watch.faster, change*m.rateHz)
		}
	}
	m.keepSent()
}

func (g *Guard) clipped(l *limit, value float64) {
	if !l.acted {
		l.acted = true
		g.event(l.name, value, l.trip, "clip")
	}
}

// Clipped reports whether another command left than the last one of the loop: that one was
// clipped to stroke or rate, or the guard still catches up with it after a jump.
func (g *Guard) Clipped() bool { return g.mover.catchingUp }
