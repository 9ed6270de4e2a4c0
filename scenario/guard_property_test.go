package scenario_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/lab/rig"
	"rths/scenario"
	"rths/scenarios"
)

// Whatever the method, the plant, the gains, the limit and the fault are, most of them
// unstable, a guard keeps four promises:
//
//	(a) no command leaves beyond the stroke or faster than the rate;
//	(b) hold, ramp and stop start at the last valid measured position, or at the nearest
//	    command of the last quarter of a second;
//	(c) after the trip the specimen goes no farther than 1.2 times the largest of where it
//	    truly was before, and the commands that had left and were still on
//	    their way (a plant with a delay goes there whatever comes after them);
//	(d) the command ends at its goal.
func TestWhatGuardsPromise(t *testing.T) {
	rthstest.Long(t)
	r := rand.New(rand.NewPCG(20, 26))
	tripped, draws := 0, rthstest.Draws(60, 600)
	for i := range draws {
		w := randomTest(r)
		if i%10 == 0 {
			w = randomFrameTest(t, r)
		}
		if w.holds(t) {
			tripped++
		}
		if t.Failed() {
			t.Fatalf("test %d:\n%s", i, w.text)
		}
	}
	if tripped < draws/3 {
		t.Errorf("%d of %d random tests tripped: want a third at least", tripped, draws)
	}
}

// whatever is a random test.
type whatever struct {
	text         string
	stroke, rate float64 // 0: not stated
	jump         float64 // the level at which the command's rate acts, m/s; 0: none
	noise        float64
	lagS         float64 // what has left for the plant arrives within this time, to 1 % or so
	action       string
	safe         bool // a ramp goes to the last safe position
}

const (
	velocity     = 0.1 // of ramps, m/s
	acceleration = 5.0 // m/s²
)

func pick(r *rand.Rand, words ...string) string { return words[r.IntN(len(words))] }

// between draws a number of which the logarithm is uniform.
func between(r *rand.Rand, low, high float64) float64 {
	return low * math.Pow(high/low, r.Float64())
}

// drawn is the common part of tests of one and of two actuators.
func drawn(r *rand.Rand) whatever {
	w := whatever{noise: between(r, 1e-7, 3e-5), action: pick(r, "hold", "ramp", "stop"), safe: r.IntN(3) == 0}
	if r.IntN(3) > 0 {
		w.stroke = between(r, 0.003, 0.05)
	}
	if r.IntN(3) > 0 {
		w.rate = between(r, 0.01, 0.5)
	}
	return w
}

func randomTest(r *rand.Rand) whatever {
	w := drawn(r)
	var plant string
	switch r.IntN(4) {
	case 0:
		omega, ratio := between(r, 40, 300), 0.7+0.3*r.Float64()
		w.lagS = 4.75 / (ratio * omega)
		plant = fmt.Sprintf("kind: second-order, omega_rad_s: %g, damping_ratio: %g", omega, ratio)
	case 1:
		tau := between(r, 2, 30)
		w.lagS = 4.75e-3 * tau
		plant = fmt.Sprintf("kind: first-order, tau_ms: %g", tau)
	case 2:
		w.lagS = 0.06
		plant = "kind: silva2020"
	case 3:
		w.lagS = between(r, 1e-3, 0.02)
		plant = fmt.Sprintf("kind: delay, delay_ms: %g", 1e3*w.lagS)
	}
	method := pick(r,
		"{kind: none}", "{kind: pi}", "{kind: adm3}", "{kind: cats}", "{kind: ats}",
		fmt.Sprintf("{kind: amb, gamma: [%g, %g, %g, %g]}", between(r, 1, 1e10), between(r, 1, 1e9), between(r, 1, 1e6),
			between(r, 1, 1e4)),
		fmt.Sprintf("{kind: pe, order: 3, tau_ms: %g}", between(r, 2, 50)),
		fmt.Sprintf("{kind: inverse, tau_ms: %g}", between(r, 2, 80)),
		fmt.Sprintf("{kind: fir, coefficients: [%g, %g]}", between(r, 0.5, 20), -between(r, 0.5, 20)),
	)
	channel, level := pick(r, "error_m", "measured_m", "command_m", "force_N"), between(r, 0.001, 0.01)
	if channel == "force_N" {
		level = between(r, 500, 5000)
	}
	fault := pick(r, "", "", "", ", displacement_reversed: true", ", displacement_offset: 0.002",
		", displacement_range: 0.002")
	w.text = fmt.Sprintf(`name: whatever
rate_hz: %s
seed: %d
ground: {kind: sine, duration_s: 4, frequency_hz: %g, amplitude_m_s2: %g}
structure: {kind: shear, masses: [1000, 1000], stiffnesses: [1e6, 1e6], damping: {modal_ratio: [0.02]}}
specimen: {kind: linear, mass: 20, damping: 100, stiffness: %g}
transfer: {%s, stroke_m: %g, rate_m_s: %g}
sensors: {displacement_noise: %g%s}
compensator: %s
%s
%s
%s`, pick(r, "512", "1024", "2048", "4096"), r.IntN(1000), between(r, 1, 6), between(r, 0.1, 5), between(r, 1e4, 9e5),
		plant, w.stroke, w.rate, w.noise, fault, method, w.limits(r, channel, level), w.onTrip(), w.faults(r, "measured_m"))
	return w
}

// limits are one, or in a test out of five the default ones.
func (w *whatever) limits(r *rand.Rand, channel string, level float64) string {
	if r.IntN(5) == 0 {
		w.jump = 300 * cmp.Or(w.stroke, 1) // see jumpPerS; diverged_m is 1 m
		return ""
	}
	return fmt.Sprintf("limits: [{channel: %s, trip: %g, action: %s}]", channel, level, w.action)
}

func (w *whatever) onTrip() string {
	goal := "zero"
	if w.safe {
		goal = "last-safe"
	}
	return fmt.Sprintf("on_trip: {hold_s: 0.2, velocity_m_s: %g, acceleration_m_s2: %g, ramp_to: %s}", velocity,
		acceleration, goal)
}

// faults are none, or one at a random time. Commands that get lost or come late are on
// their way for a long time.
func (w *whatever) faults(r *rand.Rand, channel string) string {
	if r.IntN(2) == 0 {
		return ""
	}
	at := fmt.Sprintf("from_s: %g, duration_s: %g", 2*r.Float64(), between(r, 1e-3, 1))
	fault := pick(r, "stuck", "spike", "drift", "reversed", "lost-readings", "lost-commands", "late-commands")
	switch fault {
	case "stuck", "reversed":
		at += ", channel: " + channel
	case "spike":
		at += fmt.Sprintf(", channel: %s, size: %g", channel, between(r, 1e-4, 0.1))
	case "drift":
		at += fmt.Sprintf(", channel: %s, rate: %g", channel, between(r, 1e-4, 10))
	case "late-commands":
		at += fmt.Sprintf(", delay_ms: %g", between(r, 10, 50))
		w.lagS = 4
	case "lost-commands":
		at += fmt.Sprintf(", share: %g", between(r, 0.1, 1))
		w.lagS = 4
	default:
		at += fmt.Sprintf(", share: %g", between(r, 0.1, 1))
	}
	return fmt.Sprintf("faults: [{kind: %s, %s}]\n", fault, at)
}

// randomFrameTest is the multi-axial benchmark under a sine, with inner loops that are
// good, bad and unstable.
func randomFrameTest(t *testing.T, r *rand.Rand) whatever {
	text, err := scenarios.Files.ReadFile("benchmark-multiaxial.yaml")
	if err != nil {
		t.Fatal(err)
	}
	w := drawn(r)
	w.lagS = 0.1
	keep := []string{fmt.Sprintf("ground: {kind: sine, frequency_hz: %g, amplitude_m_s2: %g, duration_s: 3}",
		between(r, 1, 6), between(r, 0.3, 5))}
	for line := range strings.Lines(string(text)) {
		key, _, _ := strings.Cut(line, ":")
		switch key {
		case "ground", "limits", "transfer", "sensors", "compensator", "inner_loop", "each", "duration_s":
		default:
			keep = append(keep, strings.TrimSuffix(line, "\n"))
		}
	}
	w.text = strings.Join(append(keep,
		fmt.Sprintf("transfer: {kind: marths, stroke_m: %g, rate_m_s: %g}", w.stroke, w.rate),
		fmt.Sprintf("sensors: {displacement_noise: %g}", w.noise),
		"compensator: "+pick(r, "{kind: none}", "{kind: rodeac}", "{kind: adm3}", "{kind: ats}", "{kind: msmc}"),
		fmt.Sprintf("inner_loop: {kp: %g, ki: %g}", 20*r.NormFloat64(), 50*r.Float64()),
		w.limits(r, pick(r, "error_m", "measured_m", "measured_2_m", "command_1_m", "error_2_m"), between(r, 0.001, 0.01)),
		w.onTrip(), w.faults(r, "measured_2_m"),
	), "\n")
	return w
}

// way is the history of one actuator in a run.
type way struct {
	measured, moved, sent, age []float64
}

func (w *way) add(f *rths.Frame, axis int, sent float64) {
	w.measured, w.moved, w.sent = append(w.measured, f.Read.X[axis]), append(w.moved, f.Read.TrueX[axis]),
		append(w.sent, sent)
	w.age = append(w.age, float64(f.Read.Age))
}

// holds runs the test, checks the promises, and says whether it tripped.
func (w *whatever) holds(t *testing.T) bool {
	t.Helper()
	s, err := parse(w.text)
	if err != nil {
		t.Error(err)
		return false
	}
	run, err := s.Build(t.Context(), scenario.Options{})
	if err != nil {
		if !strings.Contains(err.Error(), "unstable") { // a plant with its specimen
			t.Error(err)
		}
		return false
	}
	ways, end := observed(run)
	for i := range ways {
		w.within(t, &ways[i], s.RateHz)
	}
	var trip *rig.TripError
	if end == nil || !errors.As(end, &trip) {
		if status, reason := run.Status(end); status != "completed" && status != "tripped" {
			t.Errorf("%s: %s", status, reason)
		}
		return false
	}
	k := trip.Cause.K
	w.action = trip.Cause.Action // of a loop that diverges: hold
	w.notFarther(t, ways, k, s.RateHz)
	valid := w.valid(ways, k, start(trip), s.RateHz)
	for i := range ways {
		w.from(t, &ways[i], valid[i], start(trip), s.RateHz)
		w.ends(t, &ways[i], k, valid[i])
	}
	return true
}

// start is the tick of the guard's first command: at once where the command crosses its
// limit or the target diverges, else in the tick after.
func start(trip *rig.TripError) int {
	if strings.HasPrefix(trip.Cause.Channel, "command") || trip.Cause.Channel == "target_m" {
		return trip.Cause.K
	}
	return trip.Cause.K + 1
}

// observed runs a test and keeps the ways of its actuators.
func observed(run *scenario.Run) ([]way, error) {
	var sent []*float64
	for _, c := range run.Channels {
		if strings.HasPrefix(c.Name, "guard_command") {
			sent = append(sent, c.V)
		}
	}
	ways := make([]way, len(sent))
	for !run.Loop.Done() {
		err := run.Loop.Step()
		for i := range ways {
			ways[i].add(run.Loop.Frame(), i, *sent[i])
		}
		if err != nil {
			return ways, err
		}
	}
	return ways, nil
}

func (w *whatever) clipped(x float64) float64 {
	if w.stroke == 0 {
		return x
	}
	return min(max(x, -w.stroke), w.stroke)
}

// within is (a).
func (w *whatever) within(t *testing.T, p *way, rate float64) {
	t.Helper()
	before := 0.0
	for k, u := range p.sent {
		if w.stroke > 0 && math.Abs(u) > w.stroke {
			t.Fatalf("(a) command %g m left in tick %d: stroke %g m", u, k, w.stroke)
		}
		if w.rate > 0 && math.Abs(u-before) > w.rate/rate*(1+1e-9) {
			t.Fatalf("(a) the command moved at %g m/s in tick %d: rate %g m/s", (u-before)*rate, k, w.rate)
		}
		before = u
	}
}

// valid are the positions that the guard may trust at tick k: a reading counts if no
// actuator is farther from the last one that did than it moves in the time between with half as much again
// and a hundredth of the stroke, or if ten milliseconds of readings agree. The last but one of these is taken, or the
// nearest command of the last quarter of a second.
func (w *whatever) valid(ways []way, k, acted int, rate float64) []float64 {
	step := math.Inf(1)
	if v := cmp.Or(w.rate, w.jump); v > 0 {
		step = 1.5 * v / rate
	}
	last, before, strange := make([]float64, len(ways)), make([]float64, len(ways)), make([]float64, len(ways))
	since, agree := 0.0, 0
	for j := range k + 1 {
		since++
		near, alike := true, true
		for i := range ways {
			near = near && (j == 0 || math.Abs(ways[i].measured[j]-last[i]) <= since*step+0.01*w.stroke)
			alike = alike && math.Abs(ways[i].measured[j]-strange[i]) <= step+0.01*w.stroke
		}
		if !near && ways[0].age[j] == 0 {
			if agree++; !alike {
				agree = 1
			}
			for i := range ways {
				strange[i] = ways[i].measured[j]
			}
		}
		if near || ways[0].age[j] == 0 && float64(agree) >= max(3, 0.01*rate) {
			since, agree = ways[0].age[j], 0 // samples before this one
			copy(before, last)
			for i := range ways {
				last[i] = ways[i].measured[j]
			}
		}
	}
	for i := range before {
		span := int(math.Ceil(rate / 4))
		recent := ways[i].sent[max(0, k+1-span):acted]
		if k+1 < span { // where it stood before
			recent = append([]float64{0}, recent...)
		}
		before[i] = min(max(w.clipped(before[i]), slices.Min(recent)), slices.Max(recent))
	}
	return before
}

// from is (b).
func (w *whatever) from(t *testing.T, p *way, want float64, acted int, rate float64) {
	t.Helper()
	last := 0.0
	if acted > 0 {
		last = p.sent[acted-1]
	}
	if w.rate > 0 && math.Abs(want-last) > w.rate/rate {
		want = last + math.Copysign(w.rate/rate, want-last)
	}
	margin := 1e-12
	if w.action == "ramp" {
		margin += acceleration / (rate * rate)
	}
	if got := p.sent[acted]; math.Abs(got-want) > margin {
		t.Errorf("(b) the guard begins at %g m in tick %d: want %g m", got, acted, want)
	}
}

// notFarther is (c), of all actuators together: the specimen couples them.
func (w *whatever) notFarther(t *testing.T, ways []way, k int, rate float64) {
	t.Helper()
	bound, after := 0.0, 0.0
	for i := range ways {
		p := &ways[i]
		for j := range p.moved {
			switch {
			case j > k:
				after = max(after, math.Abs(p.moved[j]))
				continue
			case float64(k-j) <= w.lagS*rate+2:
				bound = max(bound, math.Abs(p.sent[j]))
			}
			bound = max(bound, math.Abs(p.moved[j]))
		}
	}
	if after > 1.2*bound+6*w.noise {
		t.Errorf("(c) %g m after the trip: before it or on the way at most %g m", after, bound)
	}
}

// ends is (d). The last safe position is one where the specimen has been.
func (w *whatever) ends(t *testing.T, p *way, k int, valid float64) {
	t.Helper()
	got := p.sent[len(p.sent)-1]
	if w.action == "ramp" && w.safe {
		been := slices.ContainsFunc(p.measured[:k+1], func(x float64) bool { return w.clipped(x) == got })
		if sent := p.sent[:k+1]; got != 0 && !been && got != slices.Min(sent) && got != slices.Max(sent) {
			t.Errorf("(d) the command ends at %g m, where the specimen has not been", got)
		}
		return
	}
	want := 0.0
	if w.action != "ramp" {
		want = valid
	}
	if got != want {
		t.Errorf("(d) the command ends at %g m: want %g m", got, want)
	}
}

// Loops that run away at the rate of their actuator, and displacement sensors that drift, stick, jump or change their
// gain: after the trip promise (c) holds.
func TestRunawaysAndWrongSensors(t *testing.T) {
	rthstest.Long(t)
	r := rand.New(rand.NewPCG(42, 7))
	for _, of := range []struct {
		what  string
		draw  func(*rand.Rand) whatever
		draws int
	}{{"runaway", randomRunaway, rthstest.Draws(20, 60)}, {"wrong sensor", randomWrongSensor, rthstest.Draws(10, 30)}} {
		for i := 0; i < of.draws; {
			w := of.draw(r)
			if w.holds(t) {
				i++
			}
			if t.Failed() {
				t.Fatalf("%s %d:\n%s", of.what, i, w.text)
			}
		}
	}
}

// randomRunaway is a loop that its delay makes unstable, with an actuator that may overshoot.
func randomRunaway(r *rand.Rand) whatever {
	omega, ratio := between(r, 60, 300), 0.4+0.6*r.Float64()
	w := whatever{noise: between(r, 1e-6, 3e-5), action: pick(r, "hold", "ramp", "stop"), stroke: between(r, 0.02, 0.1),
		rate: between(r, 0.05, 0.5), lagS: 4.75 / (ratio * omega)}
	w.text = fmt.Sprintf(`name: runaway
rate_hz: %s
seed: %d
ground: {kind: sine, duration_s: 6, frequency_hz: %g, amplitude_m_s2: %g}
structure: {kind: shear, masses: [1000, 1000], stiffnesses: [1e6, 1e6], damping: {modal_ratio: [0.02]}}
specimen: {kind: linear, mass: 20, damping: 100, stiffness: %g}
transfer: {kind: second-order, omega_rad_s: %g, damping_ratio: %g, stroke_m: %g, rate_m_s: %g}
sensors: {displacement_noise: %g}
limits: [{channel: %s, trip: %g, action: %s}]
%s`, pick(r, "512", "1024", "4096"), r.IntN(1000), between(r, 2, 6), between(r, 0.5, 5), between(r, 2e5, 9e5),
		omega, ratio, w.stroke, w.rate, w.noise,
		pick(r, "error_m", "measured_m"), between(r, 0.3, 0.8)*w.stroke, w.action, w.onTrip())
	return w
}

// randomWrongSensor is a sound loop whose displacement sensor goes wrong.
func randomWrongSensor(r *rand.Rand) whatever {
	w := whatever{noise: between(r, 1e-6, 1e-5), action: pick(r, "hold", "ramp", "stop"), stroke: 0.06,
		rate: between(r, 0.3, 1), lagS: 0.05}
	fault := pick(r, fmt.Sprintf("drift, rate: %g", between(r, 0.005, 0.5)), "stuck",
		fmt.Sprintf("spike, size: %g, duration_s: 5", between(r, 0.004, 0.04)))
	sensors := ""
	if r.IntN(4) == 0 {
		fault, sensors = "", fmt.Sprintf(", displacement_gain: %g", between(r, 1.5, 4))
	}
	if fault != "" {
		fault = fmt.Sprintf("faults: [{kind: %s, channel: measured_m, from_s: %g}]", fault, 0.5+2*r.Float64())
	}
	w.text = fmt.Sprintf(`name: wrong sensor
rate_hz: 1024
seed: %d
ground: {kind: sine, duration_s: 6, frequency_hz: %g, amplitude_m_s2: 1.5}
structure: {kind: shear, masses: [1000, 1000], stiffnesses: [1e6, 1e6], damping: {modal_ratio: [0.05]}}
specimen: {kind: linear, mass: 20, damping: 100, stiffness: 1e5}
transfer: {kind: second-order, omega_rad_s: 150, damping_ratio: 0.8, stroke_m: %g, rate_m_s: %g}
sensors: {displacement_noise: %g%s}
compensator: {kind: mbc, model: plant}
limits: [{channel: error_m, trip: %g, action: %s}]
%s
%s`, r.IntN(1000), between(r, 1.5, 3), w.stroke, w.rate, w.noise, sensors, between(r, 0.002, 0.03), w.action,
		w.onTrip(), fault)
	return w
}
