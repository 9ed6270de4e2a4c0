package scenario

import (
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"rths"
	"rths/lab/rig"
	"rths/model/plant"
	"rths/scenario/syntax"
)

// Link is the block rig: how the loop of a test in the laboratory and its rig talk. A virtual
// run takes the clock and the policy on late readings from it, and nothing else.
type Link struct {
	Address           string  `yaml:"address" doc:"where the rig listens, host:port"`
	Clock             string  `yaml:"clock" doc:"lockstep: the rig moves one sample per command and answers; rig: the rig ticks by itself at its rate, reading k starts tick k, and a command acts from the rig's next tick: a sample of delay beside timing.command_delay, in a virtual run too"`
	ReplyWithinUs     float64 `yaml:"reply_within_us,omitempty" doc:"time after the instant at which a reading is expected, µs: then the tick goes on without the reading; more than 0, at most one sample; left out: half a sample"`
	Late              Late    `yaml:"late,omitempty" doc:"what the guard does when readings are old, in every run; left out: its defaults; none: nothing, in virtual runs only"`
	WatchdogMs        float64 `yaml:"watchdog_ms,omitempty" doc:"time without commands, ms, after which the rig goes to safety by itself; at most 60000; with clock rig at least five samples, with lockstep at least 1500, as a lost command is repeated after a second; left out: 100 (five samples where that is longer) with clock rig, 3000 with lockstep"`
	SupervisorSilentS float64 `yaml:"supervisor_silent_s" doc:"time without its supervisor, s, after which the loop of a test in the laboratory ramps down; 0.05 to 60; rths run and rths rig have no supervisor"`

	Start *Start `yaml:"start,omitempty" doc:"what a test in the laboratory does before its first sample; a virtual run begins at rest and does none of it"`

	Network []NetworkFault `yaml:"network,omitempty" doc:"faults of the network of a virtual laboratory: a list with their times; rths run has no network"`
}

// Start is the block start of a rig: zero of the sensors, a small move, a static preload.
type Start struct {
	Zero    string    `yaml:"zero" doc:"sensors that count from the mean of their readings before anything moves: none, force, or both: displacement too, and commands count from there with it, so the controller's command and sensor must have one zero"`
	Move    float64   `yaml:"move_m" doc:"small move to either side, m, that tells gain and sign of every actuator; 0: none. The test stops if a gain is not 0.9 to 1.1, or if a force does not resist"`
	Preload []float64 `yaml:"preload_m,omitempty" doc:"displacement of every actuator, m, to which the rig is brought before the run; the run, its limits and its forces count from there"`
	SettleS float64   `yaml:"settle_s" doc:"time at each end of the move and at the preload, s, over whose second half readings are averaged; more than 0, at most 600"`
}

// Prepare sets the defaults.
func (s *Start) Prepare() { *s = Start{Zero: zeroNone, SettleS: 0.5} }

// What is zeroed before a test.
const (
	zeroNone  = "none"
	zeroForce = "force"
	zeroBoth  = "both"
)

// ZeroForce reports whether forces count from their readings before the start.
func (s *Start) ZeroForce() bool { return s.Zero != zeroNone }

// ZeroDisplacement reports whether displacements, and with them commands, count from there too.
func (s *Start) ZeroDisplacement() bool { return s.Zero == zeroBoth }

// longestSettleS is the longest time that a rig may take to settle, s.
const longestSettleS = 600

// checkStart refuses a start that no rig could make.
func (s *Scenario) checkStart(want func(key string, ok bool, format string, args ...any)) {
	of := s.Rig.Params.Start
	if of == nil {
		return
	}
	want("rig.start.zero", slices.Contains([]string{zeroNone, zeroForce, zeroBoth}, of.Zero),
		"%.60q: want none, force or both", of.Zero)
	want("rig.start.move_m", of.Move >= 0 && of.Move <= NoActuatorM, "%g m: want 0 for none, or a small move", of.Move)
	want("rig.start.settle_s", of.SettleS > 0 && of.SettleS <= longestSettleS, "%g s: want more than 0, at most %d",
		of.SettleS, longestSettleS)
	want("rig.start.preload_m", of.Preload == nil || len(of.Preload) == s.Axes(),
		"%d displacements: want %d, one for each actuator", len(of.Preload), s.Axes())
	_, body := s.Coupler.Params.(plant.Embodied)
	want("rig.start.preload_m", of.Preload == nil || !body, "beside coupler %s, whose points were surveyed with the body at "+
		"rest: leave it out", s.Coupler.Kind)
	for _, x := range of.Preload {
		want("rig.start.preload_m", rths.Finite(x) && math.Abs(x) <= NoActuatorM,
			"%g m: want a displacement within the limits", x)
	}
}

// Late is the block late of a rig, or the word none.
type Late struct {
	HoldAfter int `yaml:"hold_after,omitempty" doc:"samples of age of the reading, or late ticks in a row, above which the guard holds; left out: 50 ms, at least 2 samples"`
	RampAfter int `yaml:"ramp_after,omitempty" doc:"samples of age of the reading, or late ticks in a row, above which the guard ramps, more than hold_after; left out: half of watchdog_ms, at least one more than hold_after"`
	Most      int `yaml:"most,omitempty" doc:"how many of the last within ticks may be late; with more of them the guard ramps. A tick is late if its reading is old or its command left too late. 0: never"`
	Within    int `yaml:"within,omitempty" doc:"number of last ticks of which most may be late, more than most, at most 1000000; 0: never"`

	never bool
}

// None reports whether the guard does nothing about old readings.
func (l Late) None() bool { return l.never }

// Choose reads the block or the word none.
func (l *Late) Choose(d *syntax.Decoder, path string, n *syntax.Node) {
	if n.Shape == syntax.Scalar && n.Text == syntax.None {
		*l = Late{never: true}
		return
	}
	if n.Shape == syntax.Scalar {
		d.Fail(n.At, path,
			"found %s: want a block of keys: hold_after, ramp_after, most, within; or none, for never, in virtual runs only",
			n.Describe())
		return
	}
	l.never = false
	d.Block(path, n, l)
}

// silentS is the time without a fresh reading after which the guard holds unless the scenario says otherwise, s.
const silentS = 0.05

// leastSilent is the number of samples that it is at least: one reading may be lost.
const leastSilent = 2

// fill fills in what is left out, for a rate, Hz, and the watchdog of the rig, ms. The times are counted in samples:
// with clock lockstep the time of the run counts, and not the one on the wall.
func (l *Late) fill(rateHz, watchdogMs float64) {
	if l.never {
		return
	}
	if l.HoldAfter == 0 {
		l.HoldAfter = max(leastSilent, int(math.Ceil(silentS*rateHz)))
		if l.RampAfter > 0 {
			l.HoldAfter = min(l.HoldAfter, l.RampAfter-1)
		}
	}
	if l.RampAfter == 0 {
		l.RampAfter = max(l.HoldAfter+1, int(math.Ceil(watchdogMs/2e3*rateHz)))
	}
}

// NetworkFault is a fault of the network, of a kind of rig.NetworkKinds.
type NetworkFault struct {
	syntax.Choice[rig.NetworkMaker]
}

// Prepare sets the table.
func (f *NetworkFault) Prepare() { f.Choice = syntax.NewChoice(rig.NetworkKinds) }

// makeNetwork makes the faults of the network. A virtual run only checks them.
func (b *builder) makeNetwork() error {
	if !b.s.Rig.Given() {
		return nil
	}
	for i, f := range b.s.Rig.Params.Network {
		made, err := f.Params.Make(b.faultConfig())
		if err == nil {
			err = made.Clash(b.network)
		}
		if err != nil {
			return b.s.At(fmt.Sprintf("rig.network[%d]", i+1), err)
		}
		b.network = append(b.network, made)
	}
	return nil
}

// Clocks: who makes the ticks of a test in the laboratory.
const (
	lockstep = "lockstep"
	ownClock = "rig"
)

// links is the table of rigs in a laboratory.
var links = []rths.Kind[*Link]{{
	Name: "udp", Doc: "rig in another process or computer: a datagram for each reading and each command",
	Ref: "RFC 768", Defaults: func() *Link {
		return &Link{Address: "127.0.0.1:7400", Clock: lockstep, SupervisorSilentS: 0.5}
	},
}}

// Bounds of the times in the block rig.
const (
	LeastWatchdogMs    = 1
	MostWatchdogMs     = 60e3
	watchdogSamples    = 5    // with a clock of the rig's own
	lockstepWatchdogMs = 1500 // a lost command is repeated after a second
	leastSilentS       = 0.05
	mostSilentS        = 60
)

// checkRig refuses a block rig that no test could keep.
func (s *Scenario) checkRig(want func(key string, ok bool, format string, args ...any)) {
	if !s.Rig.Given() {
		return
	}
	l := s.Rig.Params
	want("rig.address", isAddress(l.Address), "%.60q: want host:port with a port from 1 to 65535, as in 127.0.0.1:7400",
		l.Address)
	want("rig.clock", l.Clock == lockstep || l.Clock == ownClock, "%.60q: want lockstep or rig", l.Clock)
	if v, sample := l.ReplyWithinUs, 1e6/s.RateHz; v != 0 || s.Place("rig.reply_within_us") != "" {
		want("rig.reply_within_us", v > 0 && v <= sample, "%g µs: want more than 0, at most one sample, %.6g µs", v, sample)
	}
	if l.WatchdogMs != 0 || s.Place("rig.watchdog_ms") != "" {
		s.checkWatchdog(want)
	}
	want("rig.supervisor_silent_s", l.SupervisorSilentS >= leastSilentS && l.SupervisorSilentS <= mostSilentS,
		"%g s: want %g to %g", l.SupervisorSilentS, leastSilentS, float64(mostSilentS))
	s.checkLate(want)
	s.checkStart(want)
}

func (s *Scenario) checkWatchdog(want func(key string, ok bool, format string, args ...any)) {
	v, clock, least := s.Rig.Params.WatchdogMs, s.Rig.Params.Clock, s.fewSamplesMs()
	want("rig.watchdog_ms", v >= LeastWatchdogMs && v <= MostWatchdogMs, "%g ms: want %d to %d", v, LeastWatchdogMs,
		int(MostWatchdogMs))
	want("rig.watchdog_ms", clock != ownClock || v >= least,
		"%g ms: want at least %d samples, %.6g ms, as some command may be late", v, watchdogSamples, least)
	want("rig.watchdog_ms", clock != lockstep || v >= lockstepWatchdogMs || v < LeastWatchdogMs,
		"%g ms with clock lockstep: want at least %d, as a lost command is repeated after a second; a run with clock rig "+
			"has less: --set rig.watchdog_ms=3000", v, lockstepWatchdogMs)
}

func (s *Scenario) checkLate(want func(key string, ok bool, format string, args ...any)) {
	l := s.Rig.Params.Late
	for _, of := range []struct {
		key string
		v   int
	}{{"rig.late.hold_after", l.HoldAfter}, {"rig.late.ramp_after", l.RampAfter}} {
		want(of.key, of.v <= rig.LongestWindow, "%d: want at most %d samples", of.v, rig.LongestWindow)
		want(of.key, of.v > 0 || of.v == 0 && s.Place(of.key) == "",
			"%d: want 1 sample or more; leave it out for the default; late: none for never, in virtual runs only", of.v)
	}
	want("rig.late.ramp_after", l.HoldAfter <= 0 || l.RampAfter <= 0 || l.RampAfter > l.HoldAfter,
		"%d beside hold_after %d: want more, as readings that go on growing old first hold and then ramp", l.RampAfter,
		l.HoldAfter)
	s.checkWindow(want)
	want("rig.late", l == (Late{}) || !s.Limits.None(),
		"has no effect with limits: none, which has no guard to hold or ramp: leave one of them out")
}

// checkWindow refuses a number of late ticks that cannot be exceeded, and one without its window.
func (s *Scenario) checkWindow(want func(key string, ok bool, format string, args ...any)) {
	l := s.Rig.Params.Late
	switch {
	case l.Most < 0:
		want("rig.late.most", false, "%d: want 1 tick or more, or 0 for never", l.Most)
	case l.Within < 0 || l.Within > rig.LongestWindow:
		want("rig.late.within", false, "%d: want 2 to %d ticks, or 0 for never", l.Within, rig.LongestWindow)
	case l.Most > 0 && l.Within == 0:
		want("rig.late.within", false,
			"0 beside most %d: want more ticks than most, or neither key: the guard ramps when more than most of the last "+
				"within ticks were late", l.Most)
	case l.Within > 0 && l.Most == 0:
		want("rig.late.most", false,
			"0 beside within %d: want 1 tick or more, or neither key: the guard ramps when more than most of the last within "+
				"ticks were late", l.Within)
	case l.Most > 0 && l.Most >= l.Within:
		want("rig.late.most", false, "%d beside within %d: want less, as more than %d of %d ticks are never late", l.Most,
			l.Within, l.Most, l.Within)
	}
}

// isAddress reports whether a text is host:port. Whether there is such a host is for the
// network to say.
func isAddress(text string) bool {
	host, port, err := net.SplitHostPort(strings.TrimPrefix(text, "udp://"))
	if err != nil || host == "" || strings.ContainsFunc(host,
		func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return false
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0
}

// fewSamplesMs is the shortest watchdog of a rig with a clock of its own, ms.
func (s *Scenario) fewSamplesMs() float64 { return watchdogSamples * 1e3 / s.RateHz }

// fillRig fills in the times that the block rig leaves open.
func (s *Scenario) fillRig() {
	if !s.Rig.Given() {
		return
	}
	l := s.Rig.Params
	if l.ReplyWithinUs == 0 {
		l.ReplyWithinUs = 0.5e6 / s.RateHz
	}
	switch {
	case l.WatchdogMs != 0:
	case l.Clock == ownClock:
		l.WatchdogMs = max(100, s.fewSamplesMs())
	default:
		l.WatchdogMs = 3000
	}
	if !s.Limits.None() {
		l.Late.fill(s.RateHz, l.WatchdogMs)
	}
}

// WantLate refuses a test in the laboratory that a silent rig would not end.
func (s *Scenario) WantLate() error {
	if !s.Rig.Params.Late.None() {
		return nil
	}
	return s.At("rig.late",
		errors.New("none: want a guard that holds or ramps when the rig is silent: leave the key out for the defaults; "+
			"none is for virtual runs"))
}

// Link is the block rig with the times that it leaves open filled in; without a block nothing.
func (s *Scenario) Link() (of Link) {
	if s.Rig.Given() {
		filled := s.clone()
		filled.fillRig()
		of = *filled.Rig.Params
	}
	return of
}

// rigTicks reports whether the rig ticks by itself.
func (s *Scenario) rigTicks() bool { return s.Rig.Given() && s.Rig.Params.Clock == ownClock }

// CommandDelay is the number of samples from the instant at which a command is computed to the
// instant from which it acts: timing.command_delay, and one if the rig ticks by itself.
func (s *Scenario) CommandDelay() int {
	if s.rigTicks() {
		return s.Timing.CommandDelay + 1
	}
	return s.Timing.CommandDelay
}

// WithRig is the scenario with a block rig, and with this clock if it is not "".
func (s *Scenario) WithRig(clock string) (*Scenario, error) {
	var sets []string
	if !s.Rig.Given() {
		sets = append(sets, "rig.kind=udp")
	}
	if clock != "" {
		sets = append(sets, "rig.clock="+clock)
	}
	if len(sets) == 0 {
		return s, nil
	}
	return s.With(sets...)
}
