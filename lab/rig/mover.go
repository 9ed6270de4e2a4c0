package rig

import "math"

// mover is the part of a Guard that moves: it keeps the commands that left, and makes commands of its own within
// profile, rate and stroke.
type mover struct {
	k       int // tick of the next Write
	rateHz  float64
	stroke  float64 // largest |command|, m; +Inf: not known
	step    float64 // its largest change in a sample, m; +Inf: not known
	noise   float64 // a change of a reading that says nothing, m
	profile profile
	toSafe  bool // Profile.ToSafe

	placed     bool      // where the command stands is known: by StartAt, StepAlone or a command of the loop
	catchingUp bool      // the last command was clipped
	sent       []float64 // the last command that left
	wanted     []float64 // the last one of the loop, while catching up
	trail      []float64 // commands that left, by their ticks, in places whose number is a power of two
	span       int       // commands that are recent
	least      []float64 // smallest command that left, where toSafe, m
	largest    []float64 // and the largest

	remaining int       // ticks of hold or ramp still allowed
	at        []float64 // where hold, ramp and approach want the command
	speed     []float64 // of at, m/s
	goal      []float64 // of ramp and approach
	measured  []float64 // where an action in the run begins: the reading before the last valid one
	safe      []float64 // the last valid measured position at which no level was crossed
	apart     Apart     // of the action that began in the run
}

// beginRun is the first command of the loop: the rig stands at the present one.
func (m *mover) beginRun() {
	m.placed = true
	m.resetTrail()
}

// brake makes the goal where the profile comes to rest soonest.
func (m *mover) brake() {
	for i, x := range m.at {
		m.goal[i] = m.within(x + m.profile.rest(m.speed[i]))
	}
}

// halt makes the goal where the command is: at once, as in the run.
func (m *mover) halt() {
	clear(m.speed)
	m.brake()
}

// stand wants the command where it is, at rest.
func (m *mover) stand() {
	copy(m.at, m.sent)
	copy(m.goal, m.sent)
	clear(m.speed)
}

// goHome makes the profile's goal the one to go to. No safe position is outside of the range of commands that left.
func (m *mover) goHome() {
	clear(m.goal)
	if m.toSafe {
		for i, x := range m.safe {
			m.goal[i] = min(max(x, m.least[i]), m.largest[i])
		}
	}
}

// goHomeFromRest goes home from where a run has ended.
func (m *mover) goHomeFromRest() {
	m.stand()
	m.catchingUp = false
	m.goHome()
}

func (m *mover) takeAndHalt() {
	m.takeCommand()
	m.halt()
}

func (m *mover) takeAndGoHome() {
	m.takeCommand()
	m.goHome()
}

// takeCommand takes the command from the loop to the last valid measured position, at rest, or to the command of the
// last trailS that is nearest to this position.
func (m *mover) takeCommand() {
	for i := range m.at {
		low, high := m.recent(i)
		x := m.within(m.measured[i])
		m.at[i] = min(max(x, low), high)
		if far := math.Abs(x - m.at[i]); far > m.apartAbove(low, high) && far > math.Abs(m.apart.Reading-m.apart.Command) {
			m.apart = Apart{Axis: i + 1, Reading: x, Command: m.at[i]}
		}
	}
	clear(m.speed)
	m.catchingUp = false
}

// apartShare is the gain and the overshoot of a sound actuator.
const apartShare = 0.2

// apartAbove is the distance of a reading from all commands that noise, gain and overshoot of a sound actuator do not
// explain, m.
func (m *mover) apartAbove(low, high float64) float64 {
	return m.noise + apartShare*max(math.Abs(low), math.Abs(high), high-low)
}

// trailPlace is where the commands of a tick stand in the trail.
func (m *mover) trailPlace(k int) int { return (k & (len(m.trail)/len(m.sent) - 1)) * len(m.sent) }

// recent are the smallest and the largest command of the last trailS.
func (m *mover) recent(axis int) (low, high float64) {
	low, high = m.sent[axis], m.sent[axis]
	for n := 1; n < m.span; n++ {
		u := m.trail[m.trailPlace(m.k-n)+axis]
		low, high = min(low, u), max(high, u)
	}
	return low, high
}

// resetTrail forgets the commands that left: the rig stands at the present one.
func (m *mover) resetTrail() {
	for i := range m.trail {
		m.trail[i] = m.sent[i%len(m.sent)]
	}
	copy(m.least, m.sent)
	copy(m.largest, m.sent)
}

// keepSent keeps the command that leaves.
func (m *mover) keepSent() {
	for i, u := range m.sent {
		m.trail[m.trailPlace(m.k)+i] = u
	}
	if m.toSafe {
		for i, u := range m.sent {
			m.least[i], m.largest[i] = min(m.least[i], u), max(m.largest[i], u)
		}
	}
}

// advance moves the command by a sample towards the goal, and reports whether it has arrived. each gets the rates.
func (m *mover) advance(each []values) (there bool) {
	there = m.profile.move(m.at, m.speed, m.goal)
	for i, to := range m.at {
		from := m.sent[i]
		there = m.slew(i, to) && there
		each[i].rate = math.Abs(m.sent[i]-from) * m.rateHz
	}
	m.keepSent()
	m.remaining--
	return there
}

// approach moves the command a sample nearer to its goal, outside of the run, and says whether it is there.
func (m *mover) approach() bool {
	there := m.profile.move(m.at, m.speed, m.goal)
	copy(m.sent, m.at)
	m.keepSent()
	return there
}

// startAt begins at a measured position, at rest.
func (m *mover) startAt(x []float64) {
	for i := range m.sent {
		m.sent[i] = m.within(x[i])
	}
	copy(m.safe, m.sent)
	m.stand()
	m.resetTrail()
	m.placed = true
}

// follow sends a command of the loop to an axis as far as stroke and rate let it: within is the command within the
// stroke, change its change before the rate limits it, m.
func (m *mover) follow(axis int, command float64) (within, change float64) {
	m.wanted[axis] = command
	within = m.within(command)
	change = within - m.sent[axis]
	m.slew(axis, within)
	m.catchingUp = m.catchingUp || m.sent[axis] != command
	return within, change
}

// last is the last command of the loop, which is not the last one sent where that was clipped.
func (m *mover) last() []float64 {
	if m.catchingUp {
		return m.wanted
	}
	return m.sent
}

// keepSafe keeps the valid measured position, at which no level is crossed.
func (m *mover) keepSafe() {
	for i, x := range m.measured {
		m.safe[i] = m.within(x)
	}
}

// within is the position, or the end of the stroke.
func (m *mover) within(x float64) float64 { return min(max(x, -m.stroke), m.stroke) }

// slew moves the command of an axis towards a position within the stroke, by at most the
// step, and says whether it is there.
func (m *mover) slew(axis int, to float64) bool {
	from := m.sent[axis]
	if math.Abs(to-from) <= m.step {
		m.sent[axis] = to
		return true
	}
	m.sent[axis] = from + math.Copysign(m.step, to-from)
	return false
}
