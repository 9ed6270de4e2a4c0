package rig

import (
	"math"

	"rths"
)

// Read reads the rig. What is not finite is replaced by the last value that
// was, a reading that fails by the last one that did not, as long as the guard is
// armed: an error would end the run, and with it the hold or ramp.
func (g *Guard) Read(out *rths.Reading) error {
	if g.stale > 0 {
		out.Age = 0 // of the guard's own making
	}
	if err := g.rig.Read(out); err != nil {
		return g.repeat(out, err)
	}
	g.stale = 0
	g.loud = false
	g.sound, g.before = g.before, g.sound
	x, last := g.sound[:len(out.X)], g.before[:len(out.X)]
	for i, v := range out.X {
		if !(math.Abs(v) <= g.most.measured) {
			v = g.examineValue(&out.X[i], last[i])
		}
		x[i] = v
	}
	f := g.sound[g.axes:][:len(out.F)]
	for i, v := range out.F {
		if !(math.Abs(v) <= g.most.force) {
			v = g.examineValue(&out.F[i], g.before[g.axes+i])
		}
		f[i] = v
	}
	if !g.begun {
		g.begun = true
		g.past.fill(x)
	}
	return nil
}

// examineValue takes a value that is above the levels or not finite. What is not finite
// acts at once, and the last one that was finite takes its place.
func (g *Guard) examineValue(v *float64, last float64) float64 {
	g.loud = true
	if *v-*v != 0 {
		g.cross(&g.nonFin, *v, 0)
		*v = last
	}
	return *v
}

// repeat gives the last sound reading again, and acts.
func (g *Guard) repeat(out *rths.Reading, err error) error {
	if g.ideal || g.state == Disarmed || g.state == Tripped {
		return err
	}
	copy(g.before, g.sound)
	quiet := g.acting == Indicate
	if g.cross(&g.failed, math.NaN(), 0); quiet && g.acting != Indicate {
		g.reading = err
	}
	g.stale++
	copy(out.X, g.sound)
	copy(out.F, g.sound[len(out.X):])
	out.Age = g.stale
	return nil
}

// Write checks the command and sends it, or what the guard has in its place.
func (g *Guard) Write(command []float64) error {
	switch {
	case g.ideal:
		return g.rig.Write(command)
	case g.state == Disarmed:
		return errDisarmed
	case g.state == Armed:
		g.set(Running)
	}
	if g.state == Running && !g.calm(command) {
		if g.examine(command); g.state == Running {
			g.clip(command)
		}
	}
	if g.state == Running {
		return g.rig.Write(g.sent)
	}
	return g.over()
}

// calm is the one check of every command before it leaves: the command is within the
// stroke, its change within the rate, both within the levels of the limits. What is
// not a number is not calm. A calm command is the next to leave.
func (g *Guard) calm(command []float64) bool {
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
		if g.axes > 1 {
			g.each[i].command, g.each[i].rate = math.Abs(u), change*g.rateHz
		}
	}
	copy(sent, command)
	g.value.rate = fastest * g.rateHz
	return true
}

// examine finds what a command that is not calm crosses.
func (g *Guard) examine(command []float64) {
	v := &g.value
	v.command, v.rate = 0, 0
	for i, u := range command {
		if u-u != 0 {
			g.cross(&g.nonFin, u, 0)
			return
		}
		size, rate := math.Abs(u), math.Abs(u-g.sent[i])*g.rateHz
		v.command, v.rate = max(v.command, size), max(v.rate, rate)
		if g.axes > 1 {
			g.each[i].command, g.each[i].rate = size, rate
		}
	}
	for _, l := range g.onCommand {
		g.look(l)
	}
}

// clip sends the command as far as stroke and rate let it. An axis whose command is not
// finite stays where it is.
func (g *Guard) clip(command []float64) {
	for i, u := range command {
		if u-u != 0 {
			continue
		}
		within := min(max(u, -g.stroke), g.stroke)
		if within != u {
			g.clipped(&g.beyond, u)
		}
		if change := within - g.sent[i]; math.Abs(change) > g.step {
			g.clipped(&g.faster, change*g.rateHz)
		}
		g.slew(i, within)
	}
}

func (g *Guard) clipped(l *limit, value float64) {
	if !l.acted {
		l.acted = true
		g.event(l.name, value, l.trip, "clip")
	}
}

// slew moves the command of an axis towards a position within the stroke, no farther
// than the rate lets it in a sample, and says whether it is there.
func (g *Guard) slew(axis int, to float64) bool {
	from := g.sent[axis]
	if math.Abs(to-from) <= g.step {
		g.sent[axis] = to
		return true
	}
	g.sent[axis] = from + math.Copysign(g.step, to-from)
	return false
}
