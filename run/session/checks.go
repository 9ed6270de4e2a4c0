package session

import (
	"fmt"
	"math"
	"strings"

	"rths"
	"rths/lab/rig/wire"
	"rths/result/record"
	"rths/scenario"
)

// nearShare of the rehearsal's largest displacement or force is how far the rig may be from the start.
const nearShare = 0.05

// tests are what is known before arming.
type tests struct {
	s         *scenario.Scenario // resolved
	manifest  *record.Manifest
	built     *built
	info      *wire.Info
	measured  *checked
	rehearsal *rehearsal
	proven    *Proven
	soft      bool
	ringBytes int64 // wanted
	ringFree  int64
	diskBytes int64 // wanted
	diskFree  int64
}

// checks are a list in the making.
type checks []record.Check

// add adds a check: the value holds if it compares with the limit as it should. Text explains it.
func (l *checks) add(name string, value float64, compare string, limit float64, unit, text string) {
	ok := map[string]bool{"=": value == limit, "≤": value <= limit, "≥": value >= limit}[compare]
	*l = append(*l, record.Check{Name: name, Value: record.Number(value), Compare: compare, Limit: record.Number(limit),
		Unit: unit, Text: text, OK: ok})
}

// aboutRange is the share of a range that does not count: sensors that are zeroed shift limits by noise.
const aboutRange = 1e-3

// within is a check against what the rig states; a range of 0 is not stated, and checks nothing.
func (l *checks) within(name string, value, stated float64, unit string) {
	text := "range of the rig"
	switch {
	case stated == 0:
		stated, text = math.Inf(1), "the rig states no range"
	case math.IsInf(value, 1):
		text = "range of the rig; the scenario has no limit that acts there: add one"
	}
	l.add(name, value, "≤", stated, unit, text)
	if last := &(*l)[len(*l)-1]; value <= stated*(1+aboutRange) {
		last.OK = true
	}
}

// list makes the checks, each with its number.
func (t *tests) list() []record.Check {
	var l checks
	i, m := t.info, t.measured
	l.add("protocol", wire.Version, "=", wire.Version, "", "version")
	l.add("axes", float64(len(i.X)), "=", float64(len(m.X)), "", unitsOf(i.X))
	l.add("load cells", float64(len(i.F)), "=", float64(len(m.F)), "", unitsOf(i.F))
	l.add("rate", i.RateHz, "=", t.s.RateHz, "Hz", "")
	t.provenRate(&l)
	for n, c := range i.X {
		who, shift := numberOf("actuator", n, len(i.X)), math.Abs(t.shift(n))
		l.within("stroke of "+who, shift+least(t.built.Stroke, t.level("command", "m", n, len(i.X))), c.Range, c.Unit)
		l.within("displacement limit of "+who, shift+t.level("measured", "m", n, len(i.X)), c.Range, c.Unit)
		l.within("rate of "+who, least(t.built.Rate, t.level("command_rate", "m_s", n, len(i.X))), c.Rate, c.Unit+"/s")
	}
	for n, c := range i.F {
		l.within("force limit of "+numberOf("load cell", n, len(i.F)), t.shiftF(n)+t.level("force", "N", n, len(i.F)),
			c.Range, c.Unit)
	}
	t.gentle(&l)
	t.patience(&l)
	t.mainStep(&l)
	t.atRest(&l)
	l.add("age of idle readings", float64(m.Age), "=", 0, "samples", "the oldest")
	l.add("free shared memory", float64(t.ringBytes), "≤", float64(t.ringFree), "bytes", "")
	l.add("free space on disk", float64(t.diskBytes), "≤", float64(t.diskFree), "bytes", "")
	l.add("rehearsals", 1, "≥", 1, "", fmt.Sprintf("%s, scenario %.12s", t.rehearsal.folder, hash(t.manifest.Scenario)))
	return l
}

// Proven is what rths doctor has found about this machine.
type Proven struct {
	RateHz float64 // the highest rate that is held; 0: none
	Text   string  // its words
	Anyway bool    // the operator takes a higher rate upon himself
}

// unproven is said where nobody has examined the machine.
const unproven = "this machine has not been examined: rths doctor says which rate it holds"

// provenRate wants a rate that the machine holds, and warns where nobody knows or the operator overrules it.
func (t *tests) provenRate(l *checks) {
	limit, text := math.Inf(1), unproven
	switch p := t.proven; {
	case p == nil:
	case p.Anyway:
		text = "--rate-unproven; " + p.Text
	default:
		limit, text = p.RateHz, p.Text
	}
	l.add("rate that this machine holds", t.s.RateHz, "≤", limit, "Hz", text)
	(*l)[len(*l)-1].Warn = t.proven == nil || t.proven.Anyway
}

// unitsOf are the units of a rig's channels. The welcome of a rig with others than those of SI is refused.
func unitsOf(list []wire.Channel) string {
	var out []string
	for _, c := range list {
		if len(out) == 0 || out[len(out)-1] != c.Unit {
			out = append(out, c.Unit)
		}
	}
	return strings.Join(out, ", ")
}

// shift is how far the zero of the run is from the rig's own: sensors that are zeroed, and a preload, m.
func (t *tests) shift(axis int) (out float64) {
	of := t.s.Rig.Params.Start
	if of == nil {
		return 0
	}
	if of.ZeroDisplacement() {
		out = t.measured.X[axis]
	}
	if of.Preload != nil {
		out += of.Preload[axis]
	}
	return out
}

// shiftF is the size of a force that is zeroed before anything moves, N.
func (t *tests) shiftF(cell int) float64 {
	if of := t.s.Rig.Params.Start; of != nil && of.ZeroForce() {
		return math.Abs(t.measured.F[cell])
	}
	return 0
}

// numberOf is the name of one of several.
func numberOf(what string, n, of int) string {
	if of == 1 {
		return "the " + what
	}
	return fmt.Sprintf("%s %d", what, n+1)
}

// least is the smaller bound; 0 is none.
func least(a, b float64) float64 {
	if a == 0 {
		return b
	}
	return min(a, b)
}

// level is the lowest level at which a limit on a quantity of an axis acts; +Inf: none.
func (t *tests) level(quantity, unit string, axis, of int) float64 {
	out, one, all := math.Inf(1), rths.ColumnName(quantity, unit, axis, of), rths.ColumnName(quantity, unit, 0, 1)
	for _, l := range t.s.Limits {
		if (l.Channel == all || l.Channel == one) && l.Action != "indicate" {
			out = min(out, l.Trip)
		}
	}
	return out
}

// gentle wants a run that begins where the guard has brought the rig: a target that begins elsewhere would be a jump.
func (t *tests) gentle(l *checks) {
	for n, step := range t.rehearsal.jump {
		l.add("first step of the rehearsal's command of "+numberOf("actuator", n, len(t.rehearsal.jump)), step, "≤",
			t.rehearsal.step[n], "m", "its largest step later on; a prescribed target has to begin at zero")
	}
}

// Bounds on the times of a rig.
const (
	watchdogSamples = 5   // with the rig's own clock some command may be late
	repeatS         = 1.5 // in lockstep a lost command is repeated after a second
)

// patience is how long the rig waits for a command, and the loop for an answer.
func (t *tests) patience(l *checks) {
	patience, trip := watchdogSamples/t.s.RateHz, 1e6/t.s.RateHz
	if t.info.Clock == wire.Lockstep {
		patience = repeatS
		if t.soft { // then every tick may take as long as it likes
			trip = 1e6 * repeatS
		}
	}
	l.add("watchdog of the rig", t.info.WatchdogS, "≥", patience, "s", "then the rig goes to safety by itself")
	l.add("round trip", t.measured.TripUs, "≤", trip, "µs", fmt.Sprintf("the shortest of %d", t.measured.Readings))
}

// mainStep wants main steps that a process of their own makes in time.
func (t *tests) mainStep(l *checks) {
	if !t.s.Separate() {
		return
	}
	limit := float64(t.s.TwoRate.MainStep) * 1e6 / t.s.RateHz
	if t.soft {
		limit = math.Inf(1)
	}
	l.add("main step", t.measured.MainStepUs, "≤", limit, "µs",
		fmt.Sprintf("the longest of %d at rest, in the process of the numerical part", readyTries))
}

// atRest wants the rig near the first command, and without load. A sensor that is zeroed is near whatever it reads.
func (t *tests) atRest(l *checks) {
	x, f, of := t.measured.X, t.measured.F, t.s.Rig.Params.Start
	zero := of != nil && of.ZeroDisplacement()
	for n := range x {
		name, far, text := "distance of "+numberOf("actuator", n, len(x))+" from the first command",
			math.Abs(x[n]-t.rehearsal.first[n]), fmt.Sprintf("measured at %.4g m", x[n])
		if zero {
			l.add(name, math.Abs(t.rehearsal.first[n]), "≤", nearShare*t.rehearsal.mostX[n], "m", text+", which becomes zero")
			continue
		}
		l.add(name, far, "≤", nearShare*t.rehearsal.mostX[n], "m", text+"; 5 % of the rehearsal's largest displacement")
	}
	if len(t.rehearsal.mostF) != len(f) {
		return // the loop computes forces from others
	}
	for n := range f {
		name := "force of " + numberOf("load cell", n, len(f)) + " at rest"
		if of != nil && of.ZeroForce() {
			l.add(name, math.Abs(f[n]), "≤", math.Inf(1), "N", "becomes zero")
			continue
		}
		l.add(name, math.Abs(f[n]), "≤", nearShare*t.rehearsal.mostF[n], "N", "5 % of the rehearsal's largest force")
	}
}

// sentence is a check as the operator reads it.
func sentence(c record.Check) string {
	mark := "ok "
	switch {
	case !c.OK:
		mark = "NO "
	case c.Warn:
		mark = "WARNING"
	}
	return fmt.Sprintf("  %s %s: %s", mark, c.Name, inNumbers(c))
}

func inNumbers(c record.Check) string {
	value, limit := float64(c.Value), float64(c.Limit)
	text := fmt.Sprintf("%.6g %s %.6g %s", value, c.Compare, limit, c.Unit)
	switch {
	case c.Unit == "bytes":
		text = fmt.Sprintf("%s needed, %s free", megabytes(value), megabytes(limit))
	case math.IsInf(value, 1) && math.IsInf(limit, 1):
		text = "no limit"
	case math.IsInf(value, 1):
		text = fmt.Sprintf("found none, want one of %.6g %s or less", limit, c.Unit)
	case !rths.Finite(limit):
		text = fmt.Sprintf("%.6g %s", value, c.Unit)
	case !c.OK:
		text = fmt.Sprintf("found %.6g, want %.6g %s%s", value, limit, c.Unit,
			map[string]string{"≤": " or less", "≥": " or more"}[c.Compare])
	}
	text = strings.TrimSuffix(text, " ")
	if c.Text != "" {
		text += " (" + c.Text + ")"
	}
	return text
}

// megabytes is a number of bytes in words, as in 3.2 MB.
func megabytes(bytes float64) string {
	if mb := bytes / 1e6; mb < 1000 {
		return fmt.Sprintf("%.3g MB", mb)
	}
	return fmt.Sprintf("%.1f GB", bytes/1e9)
}

// refused is why a test cannot be armed: the checks that do not hold.
func refused(checks []record.Check) error {
	var out []string
	for _, c := range checks {
		if !c.OK {
			out = append(out, fmt.Sprintf("%s: %s", c.Name, inNumbers(c)))
		}
	}
	if out == nil {
		return nil
	}
	return fmt.Errorf("the test is not armed, nothing has moved: %s", strings.Join(out, "; "))
}

// elsewhere reports whether the rig can be told from the first command: then the guard takes it there. Farther
// than four standard deviations of a mean is no noise.
func elsewhere(c *checked, first []float64) bool {
	for i, x := range c.X {
		if math.Abs(x-first[i]) > 4*c.SpreadX[i]/math.Sqrt(float64(max(1, c.Readings))) {
			return true
		}
	}
	return false
}
