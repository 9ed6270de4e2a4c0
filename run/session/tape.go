package session

import (
	"math"

	"rths"
	"rths/lab/rig/wire"
)

// tape stands around the rig of a test and shows in the record what the rig gave: its readings
// before the loop's own forces and limits change anything, with their stamps. A fresh loop over these rows
// gives the same commands (Replay). With a shift, displacement, force and length are counted from
// the values that were measured before the start.
type tape struct {
	rig     rths.Rig
	now     func() int64  // of the loop's clock, ns
	stamps  func(t *tape) // fills in number, status and measured; nil: nothing
	raw     rths.Reading  // as the rig gave it
	read    rths.Reading  // for a reading that fails
	shiftX  []float64     // m
	shiftF  []float64     // N
	shiftL  []float64     // m
	command []float64     // with the shift, m
	pace    pace
	values  [channels]float64 // of these channels
}

// The channels of a tape beside the raw readings.
const (
	atPhase    = iota // place in the test, see phase
	atAsked           // cause from outside that acts in this tick, see cause
	atReading         // number of the reading, counted by the rig since the start
	atStatus          // of the rig, see docs/reference/protocol.md
	atRawAge          // samples
	atRawLate         // 1: late
	atFailed          // 1: the reading failed
	atActed           // newest command that acted at the reading; -1: none
	atMeasured        // instant of the measurement on the rig's clock, s since reading 0
	atDue             // instant of the tick, s since the first
	atTaken           // instant at which the loop had the reading, s since the first
	atLeft            // instant at which the command left, s since then
	channels
)

func newTape(r rths.Rig, w wire.Expectation, rate float64) *tape {
	of := w.Sensors
	return &tape{
		rig: r, raw: of.Reading(), read: of.Reading(), command: make([]float64, of.X), shiftX: make([]float64, of.X),
		shiftF: make([]float64, of.F), shiftL: make([]float64, of.L),
		pace: newPace(of.X, rate, w.RateHz),
	}
}

// Quantities of the columns of what the rig gives and gets.
const (
	raw        = "raw"
	rawCommand = "raw_command"
	rawLength  = "raw_length"
)

// Channels are the columns that a replay needs, and the stamps.
func (t *tape) Channels() []rths.Channel {
	out := []rths.Channel{
		{Meaning: rths.Meaning{Quantity: "phase"}, Unit: "-", V: &t.values[atPhase]},
		{Meaning: rths.Meaning{Quantity: "asked"}, Unit: "-", V: &t.values[atAsked]},
		{Meaning: rths.Meaning{Quantity: "reading"}, Unit: "-", V: &t.values[atReading]},
		{Meaning: rths.Meaning{Quantity: "rig_status"}, Unit: "-", V: &t.values[atStatus]},
		{Meaning: rths.Meaning{Quantity: "raw_age"}, Unit: "-", V: &t.values[atRawAge]},
		{Meaning: rths.Meaning{Quantity: "raw_late"}, Unit: "-", V: &t.values[atRawLate]},
		{Meaning: rths.Meaning{Quantity: "raw_failed"}, Unit: "-", V: &t.values[atFailed]},
		{Meaning: rths.Meaning{Quantity: "acted"}, Unit: "-", V: &t.values[atActed]},
		{Meaning: rths.Meaning{Quantity: "measured_at"}, Unit: "s", V: &t.values[atMeasured]},
		{Meaning: rths.Meaning{Quantity: "due_at"}, Unit: "s", V: &t.values[atDue]},
		{Meaning: rths.Meaning{Quantity: "taken_at"}, Unit: "s", V: &t.values[atTaken]},
		{Meaning: rths.Meaning{Quantity: "left_at"}, Unit: "s", V: &t.values[atLeft]},
	}
	for _, list := range []struct {
		quantity, unit string
		v              []float64
	}{{rawCommand, "m", t.command}, {raw, "m", t.raw.X}, {raw, "N", t.raw.F}, {raw, "m/s²", t.raw.A},
		{rawLength, "m", t.raw.L}} {
		for i := range list.v {
			of := rths.Meaning{Quantity: list.quantity, Axis: rths.Component(i, len(list.v))}
			out = append(out, rths.Channel{Meaning: of, Unit: list.unit, V: &list.v[i]})
		}
	}
	return rths.NamedChannels(out)
}

// Read reads the rig. A reading that fails leaves out alone.
func (t *tape) Read(out *rths.Reading) error {
	t.read.Age, t.read.Late = 0, false
	err := t.rig.Read(&t.read)
	t.stamp(atTaken)
	if t.stamps != nil {
		t.stamps(t)
	}
	t.pace.see(t.values[atReading], t.values[atActed], t.values[atTaken])
	if err != nil {
		t.values[atFailed] = 1
		return err
	}
	t.values[atFailed] = 0
	t.take(&t.read)
	t.give(out)
	return nil
}

// take makes a reading the one of the record.
func (t *tape) take(r *rths.Reading) {
	t.raw.Take(r)
	t.values[atRawAge], t.values[atRawLate] = float64(r.Age), 0
	if r.Late {
		t.values[atRawLate] = 1
	}
}

// give gives the reading with the shift taken off.
func (t *tape) give(out *rths.Reading) {
	less(out.X, t.raw.X, t.shiftX)
	less(out.F, t.raw.F, t.shiftF)
	less(out.L, t.raw.L, t.shiftL)
	copy(out.A, t.raw.A)
	out.Age, out.Late = t.raw.Age, t.raw.Late
}

// less is from minus shift.
func less(to, from, shift []float64) {
	for i, s := range shift {
		to[i] = from[i] - s
	}
}

// Write sends the command, counted from the rig's own zero, as far as the rate of the actuator lets it.
func (t *tape) Write(command []float64) error {
	copy(t.command, command)
	for i, s := range t.shiftX {
		if s != 0 { // -0 stays what it is
			t.command[i] += s
		}
	}
	t.pace.hold(t.command, t.values[atTaken])
	err := t.rig.Write(t.command)
	t.stamp(atLeft)
	return err
}

// pace keeps commands within the rate of the actuator in time, where the guard keeps them within
// it from tick to tick. A loop that has stalled makes up for its ticks at once, and the rig sees
// only the last of their commands: as far from the one that it has as the rate allows since then.
// So a command may be away from the one that acts on the specimen by what the actuator moves in
// the time since this was known, and one sample.
type pace struct {
	step   float64   // of the actuator in a sample, m; +Inf: not known
	period float64   // s
	past   []float64 // commands by their number, of the last ones
	n      int       // commands sent
	first  float64   // when the first was sent, s
	last   []float64 // the last one
	acts   []float64 // the one that acts on the specimen
	acted  float64   // its number; -1: none of the run
	number float64   // of the newest reading
	known  float64   // when it was taken, s
}

// pastCommands is how many commands are kept: those of some seconds.
const pastCommands = 1 << 14

// silentAboutS is the time after the first command, without one that has acted, from which the
// controller seems not to tell which one acts, s.
const silentAboutS = 0.5

func newPace(axes int, rate, rateHz float64) pace {
	step := math.Inf(1)
	if rate > 0 {
		step = rate / rateHz
	}
	return pace{step: step, period: 1 / rateHz, past: make([]float64, pastCommands*axes), last: make([]float64, axes),
		acts: make([]float64, axes), acted: -1, number: -1}
}

// startAt begins with a command that the rig stands at.
func (p *pace) startAt(command []float64) {
	copy(p.acts, command)
	copy(p.last, command)
}

// see takes the number of a reading, the number of the command that acted then, and when the loop had it.
func (p *pace) see(number, acted, taken float64) {
	if number <= p.number {
		return
	}
	p.number, p.known = number, taken
	switch {
	case acted > p.acted && int(acted) < p.n && p.n-int(acted) <= pastCommands:
		p.acted = acted
		copy(p.acts, p.of(int(acted)))
	case p.acted < 0 && p.n > 0 && taken-p.first > silentAboutS: // a controller that does not say
		copy(p.acts, p.of(p.n-1))
	}
}

func (p *pace) of(n int) []float64 {
	at := n % pastCommands * len(p.acts)
	return p.past[at : at+len(p.acts)]
}

// hold brings a command back to where the rate lets it be at an instant, s, and keeps it: near the
// one that acts, and a sample's way from the last one, which may act next.
func (p *pace) hold(command []float64, now float64) {
	samples := 1 + math.Floor((now-p.known)/p.period*(1+1e-9))
	const rounding = 1 + 1e-9
	for i, u := range command {
		acts, last := p.acts[i], p.last[i]
		if math.Abs(u-acts) <= p.step*samples*rounding && math.Abs(u-last) <= p.step*rounding {
			continue
		}
		u = min(max(u, acts-p.step*samples), acts+p.step*samples)
		command[i] = min(max(u, last-p.step), last+p.step)
	}
	if p.n == 0 {
		p.first = now
	}
	copy(p.last, command)
	copy(p.of(p.n), command)
	p.n++
}

// stamp notes the present instant.
func (t *tape) stamp(channel int) {
	if t.now != nil {
		t.values[channel] = float64(t.now()) / 1e9
	}
}

// Unwrap is the rig inside.
func (t *tape) Unwrap() any { return t.rig }

// phase is the place of a row in a test.
type phase int

// The phases, in their order.
const (
	met      phase = iota // no tick: what the loop met before the first command
	approach              // towards the first command of the run
	running               // the ticks of the run
	after                 // to the end of hold or ramp, or down from a sound run
	ended                 // the rig is held where it is, without rows
)
