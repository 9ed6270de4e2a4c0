package rig

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"rths"
)

// Limit bounds the magnitude of a channel: one of the guard's own,
//
//	command_m          command, before it leaves
//	command_rate_m_s   its change over a sample
//	measured_m         measured displacement
//	velocity_m_s       measured velocity; without a sensor the mean over 5 ms
//	error_m            measured displacement minus target
//	force_N            measured force
//	age                samples since the reading was measured
//	late_ticks         ticks in a row that were late: the loop was too slow, or readings are old
//
// where the largest magnitude of all axes counts; or of one of several axes, as in
// measured_2_m or command_rate_1_m_s; or any channel of the loop's parts (sw_pct,
// energy_residual_J, a parameter).
type Limit struct {
	Channel string
	Warn    float64 // warning level; 0: none
	Trip    float64
	Action  Action
}

// limit is a Limit at work.
type limit struct {
	name          string
	v             *float64
	warn, trip    float64
	action        Action
	warned, acted bool
	fresh         *float64 // of Event.Fresh; nil: 0
	blind         bool     // a loop without new readings may cross it
	most          *float64 // where next counts, see Guard.levels; nil: a channel of another part
	scale         float64
}

// next is the lowest level that has not been crossed yet.
func (l *limit) next() float64 {
	switch {
	case !l.warned && l.warn > 0:
		return l.warn
	case !l.acted:
		return l.trip
	}
	return math.Inf(1)
}

// lower brings the level of its quantity down to its own next one.
func (l *limit) lower() {
	if l.most != nil {
		*l.most = min(*l.most, l.next()*l.scale)
	}
}

// own are the guard's own channels. Channels of the command are checked before the
// command leaves.
func (g *Guard) own() []rths.Channel {
	out := append(g.value.ofAxis(""), g.value.ofForce(""), rths.Channel{Name: "age", Unit: "-", V: &g.value.age}, rths.Channel{Name: "late_ticks", Unit: "-", V: &g.value.lates})
	for i := range g.each {
		number := fmt.Sprintf("_%d", i+1)
		if g.c.Axes > 1 && i < g.c.Axes {
			out = append(out, g.each[i].ofAxis(number)...)
		}
		if g.c.Forces > 1 && i < g.c.Forces {
			out = append(out, g.each[i].ofForce(number))
		}
	}
	return out
}

func (v *values) ofAxis(number string) []rths.Channel {
	return []rths.Channel{
		{Name: "command" + number + "_m", Unit: "m", V: &v.command},
		{Name: "command_rate" + number + "_m_s", Unit: "m/s", V: &v.rate},
		{Name: "measured" + number + "_m", Unit: "m", V: &v.measured},
		{Name: "velocity" + number + "_m_s", Unit: "m/s", V: &v.velocity},
		{Name: "error" + number + "_m", Unit: "m", V: &v.err},
	}
}

func (v *values) ofForce(number string) rths.Channel {
	return rths.Channel{Name: "force" + number + "_N", Unit: "N", V: &v.force}
}

// channelFamily is the name of a channel without the number of an axis: measured_m of
// measured_2_m.
func channelFamily(channel string) string {
	parts := slices.DeleteFunc(strings.Split(channel, "_"), func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" })
	return strings.Join(parts, "_")
}

// check looks at everything but the limits.
func (g *Guard) check() error {
	c := &g.c
	switch {
	case !(c.RateHz > 0) || math.IsInf(c.RateHz, 0):
		return fmt.Errorf("guard: rate %g Hz: want more than 0", c.RateHz)
	case c.Axes < 1 || c.Forces < 0:
		return fmt.Errorf("guard: %d axes, %d forces: want at least one axis", c.Axes, c.Forces)
	case c.Start != nil && len(c.Start) != c.Axes:
		return fmt.Errorf("guard: start of %d commands: want %d", len(c.Start), c.Axes)
	case !(c.Stroke >= 0) || !(c.Rate >= 0):
		return fmt.Errorf("guard: stroke %g m, rate %g m/s: want 0 (not known) or more", c.Stroke, c.Rate)
	case slices.ContainsFunc(c.Start, func(u float64) bool { return !(math.Abs(u) <= orInf(c.Stroke)) }):
		return fmt.Errorf("guard: the rig starts at %g m: want at most the stroke, %g m", c.Start, c.Stroke)
	case c.Late.HoldAfter < 0 || c.Late.RampAfter < 0:
		return fmt.Errorf("guard: hold after an age of %d samples, ramp after %d: want 0 (never) or more", c.Late.HoldAfter, c.Late.RampAfter)
	case c.Late.RampAfter > 0 && c.Late.RampAfter <= c.Late.HoldAfter:
		return fmt.Errorf("guard: ramp after an age of %d samples, hold after %d: the hold would never come first: want the ramp after more samples", c.Late.RampAfter, c.Late.HoldAfter)
	case (c.Late.Most != 0 || c.Late.Within != 0) && !(c.Late.Most >= 1 && c.Late.Most < c.Late.Within && c.Late.Within <= LongestWindow):
		return fmt.Errorf("guard: ramp above %d late ticks of the last %d: want at least 1, of more ticks than these and at most %d, or 0 of 0 (never)", c.Late.Most, c.Late.Within, LongestWindow)
	case !(c.HoldS >= 0) || c.HoldS > LongestS:
		return fmt.Errorf("hold of %g s: want 0 to %g", c.HoldS, float64(LongestS))
	}
	return nil
}

// LongestS is the longest that a hold or a ramp may take, s.
const LongestS = 3600

// take finds the channel of each limit.
func (g *Guard) take(list []Limit) error {
	own := g.own()
	all := append(slices.Clone(own), g.c.Channels...)
	seen := map[string]bool{}
	for _, l := range list {
		i := slices.IndexFunc(all, func(c rths.Channel) bool { return c.Name == l.Channel })
		switch {
		case i < 0:
			return fmt.Errorf("channel %q: there is none of this name: want one of %s", l.Channel, names(all))
		case seen[l.Channel]:
			return fmt.Errorf("channel %s: has two limits: want one", l.Channel)
		case !(l.Trip > 0) || math.IsInf(l.Trip, 0):
			return fmt.Errorf("channel %s: trip %g: want a number above 0", l.Channel, l.Trip)
		case !(l.Warn >= 0):
			return fmt.Errorf("channel %s: warn %g: want 0 (none) or more", l.Channel, l.Warn)
		case l.Warn >= l.Trip:
			return fmt.Errorf("channel %s: warn %g is not below trip %g: the warning would never come first", l.Channel, l.Warn, l.Trip)
		}
		seen[l.Channel] = true
		g.needsVelocity = g.needsVelocity || channelFamily(l.Channel) == "velocity_m_s"
		g.busy = g.busy || i >= len(own)
		at := &limit{name: l.Channel, v: all[i].V, warn: l.Warn, trip: l.Trip, action: l.Action}
		if i < len(own) {
			at.most, at.scale = g.bound(l.Channel)
			at.fresh = map[string]*float64{"error_m": &g.freshErr, "command_m": &g.freshCommand}[channelFamily(l.Channel)]
		}
		at.blind = i >= len(own) || slices.Contains([]string{"error_m", "command_m", "command_rate_m_s", "late_ticks"}, channelFamily(l.Channel))
		if i < len(own) && strings.HasPrefix(l.Channel, "command_") {
			g.onCommand = append(g.onCommand, at)
		} else {
			g.onReading = append(g.onReading, at)
			if i < len(own) && channelFamily(l.Channel) != "error_m" {
				g.alone = append(g.alone, at)
			}
		}
	}
	return nil
}

func names(channels []rths.Channel) string {
	var out []string
	for _, c := range channels {
		out = append(out, c.Name)
	}
	return strings.Join(out, ", ")
}

// Observer is the other half of the guard: the last observer of its loop.
func (g *Guard) Observer() rths.Observer { return &watch{g} }

// watch is apart from Guard because a loop keeps the state of rigs and the state of
// observers apart: a latch is no state of the linearised loop.
type watch struct{ g *Guard }

// Observe checks all limits except the command's; the next Write acts.
func (w *watch) Observe(f *rths.Frame) {
	g := w.g
	if f.Err == nil && (!g.measure(f) || g.busy) {
		g.k = f.K
		g.examineReading(f)
	}
	g.k = f.K + 1
}

// examineReading updates all channels and finds the limits that they cross.
func (g *Guard) examineReading(f *rths.Frame) {
	for i, x := range f.Read.X {
		g.each[i].err = g.tracked(math.Abs(x - f.Desired[i]))
	}
	g.lookAt(g.onReading, &f.Read)
	if g.c.Profile.ToSafe && g.state == Running && g.settled() {
		for i, x := range g.validBefore[:g.axes] {
			g.safe[i] = g.within(x)
		}
	}
}

// lookAt brings the sizes up to date and finds which of the limits are crossed.
func (g *Guard) lookAt(limits []*limit, read *rths.Reading) {
	g.value.command = 0
	for _, u := range g.sent {
		g.value.command = max(g.value.command, math.Abs(u))
	}
	g.sizes(read.X, read.F)
	if !g.alert() {
		return
	}
	for _, l := range limits {
		g.checkLimit(l)
	}
	for _, l := range g.late {
		g.checkLimit(l)
	}
}

// sizes brings displacement and force up to date.
func (g *Guard) sizes(measured, force []float64) {
	v := &g.value
	v.measured, v.force = 0, 0
	for i, x := range measured {
		v.measured = max(v.measured, math.Abs(x))
		g.each[i].measured = math.Abs(x)
	}
	for i, x := range force {
		v.force = max(v.force, math.Abs(x))
		g.each[i].force = math.Abs(x)
	}
}

// lowest is the level below which a channel is safe.
func (l *limit) lowest() float64 {
	if l.warn > 0 {
		return l.warn
	}
	return l.trip
}

// lateness brings the age of the reading and the number of late ticks in a row up to date: a loop that is too slow
// has the reading of every tick, and its commands act later and later. Late ticks go into the window, too.
func (g *Guard) lateness(r *rths.Reading) {
	if g.lateTicks++; !r.Late {
		g.lateTicks = 0
	}
	g.value.age, g.value.lates = float64(r.Age), float64(g.lateTicks)
	if g.window.add(r.Late || r.Age > 0); g.window.late > float64(g.c.Late.Most) || g.value.lates > g.most.lates {
		g.exceeded = true
	}
}

// measure brings error, age and velocity up to date and says whether all is within the
// levels; Read has said so of displacements and forces. (A target that is not finite has
// diverged before.)
func (g *Guard) measure(f *rths.Frame) bool {
	v, most := &g.value, &g.most
	x := f.Read.X[0]
	if v.err = math.Abs(x - f.Desired[0]); g.one == nil {
		v.err = farthest(f.Read.X, f.Desired)
	}
	v.err = g.tracked(v.err)
	if v.age = float64(f.Read.Age); f.Read.Late || f.Read.Age|g.lateTicks != 0 || g.window.late != 0 {
		g.lateness(&f.Read)
	}
	quiet := !g.exceeded && v.err <= most.err && v.age <= most.age
	if !g.needsVelocity {
		return quiet
	}
	if g.past.old == 0 && f.Read.Age == 0 && g.one != nil && len(f.Read.V) == 0 {
		v.velocity = math.Abs(x-g.past.replace(0, x)) * g.pace
		g.each[0].velocity = v.velocity
		g.past.at++
	} else {
		g.measureVelocity(&f.Read)
	}
	return quiet && v.velocity <= most.velocity
}

// tracked is a tracking error; none once the integrator has failed: then there is no target, and what holds
// the specimen must not give way to a ramp for this.
func (g *Guard) tracked(err float64) float64 {
	if math.IsNaN(err) && g.why != nil {
		return 0
	}
	return err
}

// farthest is the largest distance of a measured displacement from its target, NaN if one
// is NaN.
func farthest(measured, desired []float64) float64 {
	most := 0.0
	for i, x := range measured {
		if e := math.Abs(x - desired[i]); !(e <= most) {
			most = e
		}
	}
	return most
}

// measureVelocity takes velocities from their sensors, or from the displacements. A reading
// that was measured no later than the last one leaves them as they are.
func (g *Guard) measureVelocity(read *rths.Reading) {
	n := g.past.later(read.Age)
	if n <= 0 {
		return
	}
	if n > 1 {
		g.past.bridge(read.X, n)
	}
	largest := 0.0
	for i, x := range read.X {
		velocity := math.Abs(x-g.past.replace(i, x)) * g.pace
		if i < len(read.V) {
			velocity = math.Abs(read.V[i])
		}
		if !(velocity <= largest) {
			largest = velocity
		}
		g.each[i].velocity = velocity
	}
	g.value.velocity = largest
	g.past.at++
}

// ring keeps the vectors of the last ticks, in places whose number is a power of two.
type ring struct {
	width, span, mask int
	at                int // ticks so far, to that of the last value
	old               int // age of the last value, samples
	x                 []float64
}

func newRing(span, width int) ring {
	n := 1
	for n <= span {
		n *= 2
	}
	return ring{width: width, span: span, mask: n - 1, x: make([]float64, n*width)}
}

// replace keeps the value of an axis in this tick, and gives the one of span ticks ago.
func (r *ring) replace(axis int, x float64) float64 {
	r.x[(r.at&r.mask)*r.width+axis] = x
	return r.x[((r.at-r.span)&r.mask)*r.width+axis]
}

// later is called in every tick with the age of its reading, and gives the samples from the
// last value to this one; 0 or less: it is not newer.
func (r *ring) later(age int) int {
	r.old++
	n := r.old - age
	if n > 0 {
		r.old = age
	}
	return n
}

// bridge keeps the straight line to a value that comes n samples after the last one, for the
// n-1 samples between that were not read.
func (r *ring) bridge(v []float64, n int) {
	for i, x := range v {
		last := r.x[((r.at-1)&r.mask)*r.width+i]
		for j := max(1, n-r.span); j < n; j++ {
			r.x[((r.at+j-1)&r.mask)*r.width+i] = last + (x-last)*float64(j)/float64(n)
		}
	}
	r.at += n - 1
}

// fill says that everything stood still before a value of this age: over fewer samples noise
// would be a velocity.
func (r *ring) fill(v []float64, age int) {
	r.old = age
	for i := 0; i < len(r.x); i += r.width {
		copy(r.x[i:], v)
	}
}

// Channels are the state of the latch, the command sent to the rig, and the guard's
// own channels that have a limit and are not in the frame.
func (w *watch) Channels() []rths.Channel {
	g := w.g
	out := []rths.Channel{{Name: "guard_state", Unit: "-", V: &g.stateV}}
	for i := range g.sent {
		out = append(out, rths.Channel{Name: numbered("guard_command", "m", i, len(g.sent)), Unit: "m", V: &g.sent[i]})
	}
	for _, c := range g.own() {
		has := slices.ContainsFunc(g.c.Limits, func(l Limit) bool { return l.Channel == c.Name })
		if has && !g.inFrame(c.Name) {
			out = append(out, c)
		}
	}
	return out
}

// inFrame: a record has the quantity anyway, of every axis.
func (g *Guard) inFrame(channel string) bool {
	switch kind := channelFamily(channel); kind {
	case "command_m", "measured_m":
		return g.c.Axes == 1 || channel != kind
	case "force_N":
		return g.c.Forces == 1 || channel != kind
	case "age":
		return true
	}
	return false
}

// VisitState visits the latch with its first cause, the end of its action, the command
// and the past readings. Events before a checkpoint stay with the run that had them.
func (w *watch) VisitState(v *rths.StateVisitor) {
	state := w.appendState(nil)
	if v.Floats(state); v.Restoring() {
		w.setState(state)
	}
}

func (w *watch) appendState(dst []float64) []float64 {
	g := w.g
	dst = append(dst, float64(g.state), float64(g.acting), float64(g.k), float64(g.remaining), float64(g.readingAge), float64(g.past.at), flag(g.catchingUp),
		float64(g.past.old), flag(g.started), flag(g.underway), float64(g.lateTicks))
	dst = g.window.append(dst)
	dst = append(dst, float64(g.cause), float64(g.first.K), g.first.Value, g.first.Limit, float64(g.ended), float64(g.endK), g.tolerance, g.value.velocity,
		float64(g.first.Age), g.first.Fresh, float64(g.first.Silent), float64(g.silent), float64(g.apart.Axis), g.apart.Reading, g.apart.Command, float64(g.agreeing), g.value.err, g.freshErr, g.freshCommand)
	dst = appendName(dst, g.first.Channel)
	for i := range g.each {
		dst = append(dst, g.each[i].velocity)
	}
	for _, l := range g.latched {
		dst = append(dst, flag(l.warned), flag(l.acted))
	}
	for _, list := range g.lists() {
		dst = append(dst, list...)
	}
	return dst
}

// setState restores what appendState appended.
func (w *watch) setState(src []float64) []float64 {
	g := w.g
	g.set(State(src[0]))
	g.acting, g.k, g.remaining, g.readingAge, g.past.at = Action(src[1]), int(src[2]), int(src[3]), int(src[4]), int(src[5])
	g.catchingUp, g.past.old, g.started, g.underway, g.lateTicks = src[6] == 1, int(src[7]), src[8] == 1, src[9] == 1, int(src[10])
	src = g.window.set(src[11:])
	g.cause, g.ended, g.endK, g.tolerance, g.value.velocity = int(src[0]), ending(src[4]), int(src[5]), src[6], src[7]
	g.first, g.reading, g.why = Event{}, nil, nil
	if g.acting != Indicate {
		l := g.latched[g.cause]
		if name := nameOf(src[19:]); len(name) < nameWords*nameBytes || !strings.HasPrefix(l.name, name) {
			l.name = name
		}
		g.first = Event{K: int(src[1]), T: src[1] / g.c.RateHz, Age: int(src[8]), Fresh: src[9], Silent: int(src[10]), Channel: l.name, Value: src[2], Limit: src[3], Action: l.action.String()}
	}
	g.silent, g.apart = int(src[11]), Apart{Axis: int(src[12]), Reading: src[13], Command: src[14]}
	g.agreeing, g.value.err, g.freshErr, g.freshCommand = int(src[15]), src[16], src[17], src[18]
	src = src[19+nameWords:]
	for i := range g.each {
		g.each[i].velocity, src = src[0], src[1:]
	}
	for _, l := range g.latched {
		l.warned, l.acted = src[0] == 1, src[1] == 1
		src = src[2:]
	}
	for _, list := range g.lists() {
		src = src[copy(list, src):]
	}
	g.levels()
	return src
}

func (g *Guard) lists() [][]float64 {
	return [][]float64{g.sent, g.wanted, g.at, g.speed, g.safe, g.goal, g.lastValid, g.validBefore, g.past.x, g.trail, g.doubted, g.least, g.largest}
}

// A name in a state: 6 bytes in each of 8 numbers. A longer name is cut; the limits that a
// guard is made with know theirs.
const nameWords, nameBytes = 8, 6

func appendName(dst []float64, name string) []float64 {
	for i := range nameWords {
		word := 0
		for j := range nameBytes {
			word *= 256
			if at := i*nameBytes + j; at < len(name) {
				word += int(name[at])
			}
		}
		dst = append(dst, float64(word))
	}
	return dst
}

func nameOf(src []float64) string {
	var out []byte
	for _, v := range src[:nameWords] {
		for j := range nameBytes {
			if b := byte(int(v) >> (8 * (nameBytes - 1 - j))); b != 0 {
				out = append(out, b)
			}
		}
	}
	return string(out)
}

// flag writes a yes as 1 into a state.
func flag(on bool) float64 {
	if on {
		return 1
	}
	return 0
}

var (
	_ rths.Rig       = (*Guard)(nil)
	_ rths.FailSafe  = (*Guard)(nil)
	_ rths.Stateful  = (*watch)(nil)
	_ rths.Channeler = (*watch)(nil)
)
