package session

import (
	"fmt"
	"math"
	"strings"

	"rths"
	"rths/lab/rig/wire"
	"rths/result/record"
)

// Rest of a specimen is measured over windows of restS, while the command stands still: readings come, every
// displacement is near its command, and neither displacement nor force changes from one half of
// the window to the other.
const (
	restS       = 0.5     // length of a window, s
	mostWindows = 4       // without rest in so many windows the specimen is said not to be at rest
	restShare   = 0.05    // of the largest displacement of the test: distance from the command
	mostShare   = 0.01    // of the stroke: largest such distance
	leastShare  = 0.001   // of the stroke: smallest such distance
	leastM      = 0.05e-3 // the same where no stroke is stated, m
	restM       = 0.5e-3  // the same before the first command of the run was reached, m
	gainShare   = 0.05    // of the command: an actuator with a small error of its gain
	stillShare  = 0.2     // of the distance allowed: change of a displacement between the halves
	forceShare  = 0.02    // of the largest force of the test: change of a force
	freshShare  = 0.25    // of the readings of each half of a window: at least so many are fresh
	oldShare    = 0.1     // of a window: the last fresh reading is at most so old
	noiseErrors = 5       // standard errors of a difference of means
)

// mustDo is what a person does about a specimen that is not at rest.
const mustDo = "stop the laboratory's pressure or drives by its emergency stop, and look before you go near " +
	"the specimen"

// moments are the mean of a quantity over some samples, and its changes from one to the next: noise, and no motion.
type moments struct{ n, mean, last, changes float64 }

func (m *moments) add(x float64) {
	if m.n > 0 {
		m.changes += (x - m.last) * (x - m.last)
	}
	m.n++
	m.mean += (x - m.mean) / m.n
	m.last = x
}

// error2 is the squared standard error of the mean by noise.
func (m *moments) error2() float64 { return m.changes / (2 * max(1, m.n-1) * max(1, m.n)) }

// mean of the halves of a window.
func mean(halves [2]moments) float64 { return (halves[0].mean + halves[1].mean) / 2 }

// moved is the change of the mean from one half of a window to the other, beyond noise.
func moved(halves [2]moments) float64 {
	noise := noiseErrors * math.Sqrt(halves[0].error2()+halves[1].error2())
	return max(0, math.Abs(halves[1].mean-halves[0].mean)-noise)
}

// standstill judges whether a specimen is at rest.
type standstill struct {
	length  int       // of a window, samples
	period  float64   // s
	stroke  float64   // m; 0: not stated
	offset  []float64 // of the readings from the commands, measured before the run, m
	moved   []float64 // largest |displacement| of the test, m
	largest []float64 // largest |force| of the test, N
	certain bool      // the offset is known
	newest  rths.FreshReadings
	silent  int     // ticks since it was taken: 0 in its own
	known   float64 // when it was taken, s

	taken, windows int
	before         []float64 // mean force of each load cell in the window before, N
	rose, fell     []bool    // it has done so from one window to the next
	now            window    // the present one
	last           window    // the last whole one
}

// window is what is measured of a specimen that should stand still.
type window struct {
	whole   bool
	alone   bool   // the rig takes no commands any more: it goes where it wants
	stale   bool   // too few readings came, or none came at its end
	fresh   [2]int // readings in each half
	x, f    [][2]moments
	command []float64 // m
	shift   []float64 // of the run's zero from the rig's, m
}

func newWindow(axes, forces int) window {
	return window{x: make([][2]moments, axes), f: make([][2]moments, forces), command: make([]float64, axes),
		shift: make([]float64, axes)}
}

func newStandstill(rateHz, stroke float64, axes, forces int) *standstill {
	return &standstill{
		length: max(4, int(math.Ceil(restS*rateHz))), period: 1 / rateHz, stroke: stroke,
		offset: make([]float64, axes), moved: make([]float64, axes), largest: make([]float64, forces),
		now: newWindow(axes, forces), last: newWindow(axes, forces),
		before: make([]float64, forces), rose: make([]bool, forces), fell: make([]bool, forces),
	}
}

// see takes what every tick of a test measures.
func (s *standstill) see(t *tape) {
	s.silent++
	if s.newest.IsNew(t.raw.Age, t.values[atFailed] != 0) {
		s.silent, s.known = 0, t.values[atTaken]
	}
	for i, x := range t.raw.X {
		s.moved[i] = larger(s.moved[i], x-t.shiftX[i])
	}
	for i, f := range t.raw.F {
		s.largest[i] = larger(s.largest[i], f-t.shiftF[i])
	}
}

// larger is the larger magnitude; what is not finite has none.
func larger(most, v float64) float64 {
	if v = math.Abs(v); v > most && rths.Finite(v) {
		return v
	}
	return most
}

// tolerance is how far from its command an actuator at rest may be, m.
func (s *standstill) tolerance(axis int) float64 {
	if s.stroke == 0 {
		return max(leastM, restShare*s.moved[axis])
	}
	return max(leastShare*s.stroke, min(mostShare*s.stroke, restShare*s.moved[axis]))
}

// moves begins anew: the command has moved.
func (s *standstill) moves() {
	s.windows = 0
	clear(s.rose)
	clear(s.fell)
	s.begin()
}

func (s *standstill) begin() {
	s.taken, s.now.fresh = 0, [2]int{}
	clear(s.now.x)
	clear(s.now.f)
}

// addStill takes a tick in which the command stands still, and reports whether a window is over.
func (s *standstill) addStill(t *tape) bool {
	w, half := &s.now, 2*s.taken/s.length
	s.taken++
	if s.silent == 0 {
		w.fresh[half]++
		for i, x := range t.raw.X {
			w.x[i][half].add(x)
		}
		for i, f := range t.raw.F {
			w.f[i][half].add(f)
		}
	}
	if s.taken < s.length {
		return false
	}
	s.windows++
	old, few := float64(s.silent) > oldShare*float64(s.length),
		min(w.fresh[0], w.fresh[1]) < int(freshShare*float64(s.length/2))
	s.last.whole, s.last.stale = true, old || few
	s.follow()
	s.last.alone = wire.Status(t.values[atStatus]).Alone()
	if s.last.stale { // what was read last
		s.repeat(t)
	}
	copy(s.last.x, w.x)
	copy(s.last.f, w.f)
	copy(s.last.command, t.command)
	copy(s.last.shift, t.shiftX)
	s.begin()
	return true
}

// follow sees where forces go from one window to the next.
func (s *standstill) follow() {
	for i := range s.before {
		f := mean(s.now.f[i])
		if s.windows > 1 {
			s.rose[i], s.fell[i] = s.rose[i] || f > s.before[i], s.fell[i] || f < s.before[i]
		}
		s.before[i] = f
	}
}

// repeat takes the last reading for the whole window.
func (s *standstill) repeat(t *tape) {
	for i, x := range t.raw.X {
		s.now.x[i] = [2]moments{{n: 1, mean: x}, {n: 1, mean: x}}
	}
	for i, f := range t.raw.F {
		s.now.f[i] = [2]moments{{n: 1, mean: f}, {n: 1, mean: f}}
	}
}

// away reports whether an actuator is not where the last window's command is, and the rig has not taken it elsewhere.
func (s *standstill) away(axis int) bool {
	if s.last.alone {
		return false
	}
	far := math.Abs(mean(s.last.x[axis]) - s.last.command[axis] - s.offset[axis])
	noise := noiseErrors * math.Sqrt(s.last.x[axis][0].error2()+s.last.x[axis][1].error2()) / 2
	near := s.tolerance(axis)
	if !s.certain { // the sensor may have another zero than the command
		near = max(near, mostShare*s.stroke, restM)
	}
	return !(far <= noise+near+gainShare*math.Abs(s.last.command[axis]-s.last.shift[axis]))
}

// drifts reports whether an actuator moves, changes whether a force changes.
func (s *standstill) drifts(axis int) bool {
	return !(moved(s.last.x[axis]) <= stillShare*s.tolerance(axis))
}
func (s *standstill) changes(cell int) bool {
	return !(moved(s.last.f[cell]) <= forceShare*s.largest[cell])
}

// trends reports whether a force changes in one direction. A specimen with mass swings on a table that stands, and a
// force that swings is no sign against rest.
func (s *standstill) trends(cell int) bool { return s.changes(cell) && !(s.rose[cell] && s.fell[cell]) }

// moving reports whether the specimen was not at rest in the last whole window.
func (s *standstill) moving() bool {
	if !s.last.whole {
		return false
	}
	out := s.last.stale
	for i := range s.last.x {
		out = out || s.away(i) || s.drifts(i)
	}
	for i := range s.last.f {
		out = out || s.trends(i)
	}
	return out
}

// quiet reports whether there is nothing to wait for: the specimen is at rest, and no force swings.
func (s *standstill) quiet() bool {
	for i := range s.last.f {
		if s.changes(i) {
			return false
		}
	}
	return !s.moving()
}

// rest is where the specimen was in the last whole window; nil: there is none.
func (s *standstill) rest() *record.Rest {
	if !s.last.whole {
		return nil
	}
	out := &record.Rest{AtRest: !s.moving(), KnownS: record.Number(s.known)}
	var wrong, moves, swings []string
	half := s.period * float64(s.length) / 2
	for i, x := range s.last.x {
		at, command, who := mean(x), s.last.command[i], numberOf("actuator", i, len(s.last.x))
		out.X, out.Command = append(out.X, record.Number(at)), append(out.Command, record.Number(command))
		if s.away(i) {
			wrong = append(wrong, fmt.Sprintf("%s stands at %s, and the command is %s", who, millimetres(at),
				millimetres(command)))
		}
		if s.drifts(i) {
			moves = append(moves, fmt.Sprintf("%s still moves at %.3g mm/s", who, 1e3*moved(x)/half))
		}
	}
	for i, f := range s.last.f {
		out.F = append(out.F, record.Number(mean(f)))
		text := fmt.Sprintf("the force of %s still changes, by %.4g N in %.2g s", numberOf("load cell", i, len(s.last.f)),
			moved(f), half)
		switch {
		case s.trends(i):
			moves = append(moves, text)
		case s.changes(i):
			swings = append(swings, "; "+text+": it swings")
		}
	}
	out.Text = s.sentence(out, wrong, moves) + strings.Join(swings, "")
	return out
}

// sentence says where the specimen is: wrong lists actuators that are not at their commands, moves what changes.
func (s *standstill) sentence(r *record.Rest, wrong, moves []string) string {
	switch {
	case s.last.stale:
		return unknownSince(r)
	case len(moves) > 0:
		return fmt.Sprintf("the specimen is NOT at rest: %s; it reads %s: %s", strings.Join(append(moves, wrong...), "; "),
			readings(r), mustDo)
	case len(wrong) > 0:
		return fmt.Sprintf("the specimen is NOT at its command: %s; it reads %s: %s", strings.Join(wrong, "; "), readings(r),
			mustDo)
	case s.last.alone:
		return "the specimen is at rest at " + readings(r) + ", where the rig has gone by itself: " + mustDo
	}
	return "the specimen is at rest at " + readings(r)
}

// unknownSince says where a specimen was when it was measured last.
func unknownSince(r *record.Rest) string {
	return fmt.Sprintf("nothing is known of the specimen since %.3f s after the start; it read %s then: %s",
		float64(r.KnownS), readings(r), mustDo)
}

// readings are displacements and forces in words.
func readings(r *record.Rest) string {
	var out []string
	for _, x := range r.X {
		out = append(out, millimetres(float64(x)))
	}
	for _, f := range r.F {
		out = append(out, fmt.Sprintf("%.4g N", about(float64(f))))
	}
	return strings.Join(out, ", ")
}

// millimetres is a displacement in words, m.
func millimetres(x float64) string { return fmt.Sprintf("%.4g mm", about(1e3*x)) }

// about is a number of mm or N without digits that no sensor has.
func about(v float64) float64 {
	const finest = 1e-6
	if rounded := math.Round(v/finest) * finest; math.Abs(v) < 1 {
		return rounded
	}
	return v
}

// restless says in a manifest that a specimen is not at rest, in place of what was known of it before. A run
// that is complete has failed then.
func restless(m *record.Manifest, r *record.Rest) {
	before := m.Test.Rest
	m.Test.Rest = r
	if r == nil || r.AtRest {
		return
	}
	if before != nil && before.Text != "" && strings.Contains(m.Reason, before.Text) {
		m.Reason = strings.Replace(m.Reason, before.Text, r.Text, 1)
		return
	}
	if m.Test.Cause == "" {
		m.Test.Cause = "rig: the specimen has not come to rest at its command"
	}
	if m.Status == rths.Completed {
		m.Status, m.Reason = rths.Failed, "the run is complete, but "+r.Text
		return
	}
	if !strings.Contains(m.Reason, r.Text) { // a record that is recovered has said so
		m.Reason = strings.TrimPrefix(m.Reason+"; "+r.Text, "; ")
	}
}

// lastSeen is where the specimen stood at the last row with a reading of a test whose loop has died: nothing is known
// of it since then. An old reading is as much older as its age.
func lastSeen(columns []record.Column, row []float64, rateHz float64) *record.Rest {
	out := &record.Rest{KnownS: record.Number(math.NaN())}
	if row == nil {
		out.Text = "nothing was measured of the specimen: " + mustDo
		return out
	}
	age := 0.0
	for i, c := range columns {
		switch v := record.Number(row[i]); {
		case c.Name == "taken_at_s":
			out.KnownS = v
		case c.Name == "raw_age":
			age = row[i]
		case c.Quantity == rawCommand:
			out.Command = append(out.Command, v)
		case c.Quantity == raw && c.Unit == "m":
			out.X = append(out.X, v)
		case c.Quantity == raw && c.Unit == "N":
			out.F = append(out.F, v)
		}
	}
	out.KnownS -= record.Number(age / rateHz)
	out.Text = unknownSince(out)
	return out
}
