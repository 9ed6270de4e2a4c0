package rig

import (
	"math"

	"rths"
)

// Read reads the rig. While limits act, a value that is not finite is replaced by
// the last finite one, and a failed reading by the last good one: an error would end the
// run, and with it hold or ramp.
func (g *Guard) Read(out *rths.Reading) error {
	if g.readingAge > 0 {
		out.Age = 0 // of the guard's own making
	}
	if err := g.rig.Read(out); err != nil {
		return g.repeat(out, err)
	}
	if out.Age > 0 {
		g.ageGrows(out.Age)
	}
	g.readingAge = out.Age
	if g.one != nil && out.Age == 0 && g.passReading(out.X[0], out.F[0]) {
		return nil
	}
	g.exceeded = false
	bad, near := 0.0, true
	for i, last := range g.lastValid[:g.axes] {
		g.finite(&out.X[i], g.most.measured, last, &bad)
		near = near && math.Abs(out.X[i]-last) <= g.tolerance
	}
	for i, last := range g.lastValid[g.axes:] {
		g.finite(&out.F[i], g.most.force, last, &bad)
	}
	if bad == 0 || g.tolerance >= 0 { // what replaces the first reading is none
		g.keepValid(out, near)
	}
	if bad != 0 {
		g.cross(&g.nonFin, bad, 0)
	}
	return nil
}

// ageGrows takes an age above 0 of the next reading: readings are silent while it grows by one with each sample.
// A rig may state a constant age.
func (g *Guard) ageGrows(age int) {
	if g.readingAge == 0 || age != g.readingAge+1 {
		g.silent = 0
	}
	if age == g.readingAge+1 {
		if g.silent++; g.silent == 1 {
			g.noteFresh()
		}
	}
}

// noteFresh notes error and command at the last fresh reading.
func (g *Guard) noteFresh() {
	g.freshErr, g.freshCommand = g.value.err, 0
	for _, u := range g.sent {
		g.freshCommand = max(g.freshCommand, math.Abs(u))
	}
}

// keepValid makes the reading the last valid one, if no position is farther from the last
// valid position than the actuator moves in the time between, or if enough readings agree. The age
// of both readings counts in this time.
func (g *Guard) keepValid(out *rths.Reading, near bool) {
	if g.tolerance < 0 {
		g.past.fill(out.X, out.Age)
	} else if !near && !g.readingsAgree(out) {
		g.tolerance += g.move
		return
	}
	g.keepBefore()
	copy(g.lastValid[copy(g.lastValid, out.X):], out.F)
	g.resetTolerance(out.Age)
}

// readingsAgree takes a reading that is not near the last valid one, and reports whether enough of them in a row were
// near each other. An old reading says nothing new.
func (g *Guard) readingsAgree(out *rths.Reading) bool {
	if out.Age > 0 {
		return false
	}
	alike := g.tolerance > g.reach // the reading before was not valid either
	for i, x := range out.X {
		alike = alike && math.Abs(x-g.doubted[i]) <= g.reach
	}
	if !alike {
		g.agreeing = 0
	}
	g.agreeing++
	copy(g.doubted, out.X)
	return g.agreeing >= g.agreeingNeeded
}

// resetTolerance says how far from a valid reading of an age the next one may be.
func (g *Guard) resetTolerance(age int) {
	g.tolerance = g.reach
	if age > 0 { // 0 times an unknown way is no number
		g.tolerance, g.agreeing = g.tolerance+g.move*float64(age), 0
	}
}

// passReading keeps a fresh and valid reading of one actuator that is within the levels;
// any other it leaves to the loops of Read.
func (g *Guard) passReading(x, force float64) bool {
	before, last := g.oneBefore, g.one
	if !(math.Abs(x) <= g.most.measured && math.Abs(force) <= g.most.force && math.Abs(x-last[0]) <= g.tolerance) {
		return false
	}
	g.exceeded, g.tolerance = false, g.reach
	before[0], before[1] = last[0], last[1]
	last[0], last[1] = x, force
	return true
}

// keepBefore makes the last valid reading the one before.
func (g *Guard) keepBefore() { copy(g.validBefore, g.lastValid) }

// finite replaces a value that is not finite by the last valid one; bad is the first such
// value.
func (g *Guard) finite(v *float64, most, last float64, bad *float64) {
	if math.Abs(*v) <= most {
		return
	}
	g.exceeded = true
	if !rths.Finite(*v) {
		if *bad == 0 {
			*bad = *v
		}
		*v = last
	}
}

// repeat gives the last valid reading again and takes the action of its limit; without
// one the loop gets the error.
func (g *Guard) repeat(out *rths.Reading, err error) error {
	if g.ideal || !g.alert() {
		return err
	}
	g.keepBefore()
	quiet := g.acting == Indicate
	if g.cross(&g.failed, math.NaN(), 0); quiet && g.acting != Indicate {
		g.reading = err
	}
	if g.state <= Running {
		return err
	}
	g.repeatLast(out)
	return nil
}

// repeatLast gives the last valid reading, one sample older.
func (g *Guard) repeatLast(out *rths.Reading) {
	g.ageGrows(g.readingAge + 1)
	g.readingAge++
	copy(out.X, g.lastValid[:g.axes])
	copy(out.F, g.lastValid[g.axes:])
	out.Age = g.readingAge
	if g.tolerance >= 0 {
		g.tolerance += g.move
	}
}

// Write checks the command and sends it, or the guard's own command.
func (g *Guard) Write(command []float64) error {
	switch {
	case g.ideal:
		return g.rig.Write(command)
	case g.state == Disarmed:
		return errDisarmed
	case g.state == Armed:
		g.set(Running)
		g.started, g.underway = true, false
		g.resetTrail()
	}
	if g.state == Running {
		if !g.catchingUp && (g.one != nil && g.passCommand(command[0]) || g.one == nil && g.passCommands(command)) {
			return g.rig.Write(command)
		}
		g.examine(command)
	}
	if g.state == Running {
		g.clip(command)
		g.keepSent()
		return g.rig.Write(g.sent)
	}
	return g.sendOwn()
}

// passCommands checks a command in one go: command within the stroke, change within the rate,
// both within the levels of the limits. A command that is not a number does not
// pass. A command that passes leaves unchanged.
func (g *Guard) passCommands(command []float64) bool {
	fastest := 0.0
	most, sent := &g.most, g.sent[:len(command)]
	for i, u := range command {
		change := math.Abs(u - sent[i])
		if !(math.Abs(u) <= most.command && change <= most.rate) {
			return false
		}
		if change > fastest {
			fastest = change
		}
		g.each[i].command, g.each[i].rate = math.Abs(u), change*g.rateHz
	}
	copy(sent, command)
	g.keepSent()
	g.value.rate = fastest * g.rateHz
	return true
}

// passCommand is calm of one actuator.
func (g *Guard) passCommand(u float64) bool {
	change := math.Abs(u - g.sent[0])
	if !(math.Abs(u) <= g.most.command && change <= g.most.rate) {
		return false
	}
	g.sent[0], g.value.rate = u, change*g.rateHz
	if trail := g.trail; g.busy {
		g.keepSent()
	} else if at := g.k & (len(trail) - 1); at < len(trail) { // always: a power of two
		trail[at] = u
	}
	return true
}

// examine finds the limits that a command crosses. Its change is counted from the
// last command of the loop, which is not the last one sent where that was clipped.
func (g *Guard) examine(command []float64) {
	last := g.sent
	if g.catchingUp {
		last = g.wanted
	}
	v := &g.value
	v.command, v.rate = 0, 0
	g.sizes(g.lastValid[:g.axes], g.lastValid[g.axes:])
	for i, u := range command {
		if !rths.Finite(u) {
			g.cross(&g.nonFin, u, 0)
			return
		}
		size, rate := math.Abs(u), math.Abs(u-last[i])*g.rateHz
		v.command, v.rate = max(v.command, size), max(v.rate, rate)
		g.each[i].command, g.each[i].rate = size, rate
	}
	for _, l := range g.onCommand {
		g.checkLimit(l)
	}
}

// clip sends the command as far as stroke and rate let it. An axis whose command is not
// finite stays where it is.
func (g *Guard) clip(command []float64) {
	g.catchingUp = false
	for i, u := range command {
		if !rths.Finite(u) {
			continue
		}
		g.wanted[i] = u
		within := g.within(u)
		if within != u {
			g.clipped(&g.beyond, u)
		}
		if change := within - g.sent[i]; math.Abs(change) > g.step {
			g.clipped(&g.faster, change*g.rateHz)
		}
		g.slew(i, within, g.step)
		g.catchingUp = g.catchingUp || g.sent[i] != u
	}
}

func (g *Guard) clipped(l *limit, value float64) {
	if !l.acted {
		l.acted = true
		g.event(l.name, value, l.trip, "clip")
	}
}

// Clipped reports whether another command left than the last one of the loop: that one was
// clipped to stroke or rate, or the guard still catches up with it after a jump.
func (g *Guard) Clipped() bool { return g.catchingUp }

// within is the position, or the end of the stroke.
func (g *Guard) within(x float64) float64 { return min(max(x, -g.stroke), g.stroke) }

// slew moves the command of an axis towards a position within the stroke, by at most step
// (m), and says whether it is there.
func (g *Guard) slew(axis int, to, step float64) bool {
	from := g.sent[axis]
	if math.Abs(to-from) <= step {
		g.sent[axis] = to
		return true
	}
	g.sent[axis] = from + math.Copysign(step, to-from)
	return false
}
