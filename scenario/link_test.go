package scenario_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/campaign/analyse"
	"rths/kit/rthstest"
	"rths/lab/rig"
	"rths/scenario"
)

const ticking = "rig={kind: udp, clock: rig}"

// A rig that ticks by itself is a sample more of command delay: target, measurement, force and
// numerical part are the same to the bit, with faults, random plants, several actuators, and
// compensators that take their delay from the plant. The command column is what left the loop,
// a sample earlier.
func TestOwnClockIsASampleOfDelay(t *testing.T) {
	runs := ofEveryBoundary(t)
	runs["delayed already"] = parsed(t, small, "timing.command_delay=2", "compensator={kind: pe}")
	runs["released"] = parsed(t, strings.Replace(small,
		"ground: {kind: sine, duration_s: 1, frequency_hz: 2, amplitude_m_s2: 1}\n", "", 1),
		"initial_displacement=[0.002, 0.003]", "duration_s=1", "sensors={displacement_noise: 1e-6}",
		"compensator={kind: amb}", every)
	for name, s := range runs {
		s.Limits, s.Expect = scenario.Limits{}, nil
		late := rthstest.Must(s.With(fmt.Sprintf("timing.command_delay=%d", s.Timing.CommandDelay+1))) // wait in the loop
		own := rthstest.Must(s.With(ticking))
		a, b := rthstest.Must(late.Build(t.Context(), scenario.Options{})),
			rthstest.Must(own.Build(t.Context(), scenario.Options{}))
		before := []float64(nil)
		for !a.Loop.Done() {
			if err := a.Loop.Step(); err != nil {
				t.Fatal(name, err)
			}
			if err := b.Loop.Step(); err != nil {
				t.Fatal(name, err)
			}
			f, g := a.Loop.Frame(), b.Loop.Frame()
			if want, got := withoutCommand(f), withoutCommand(g); !slices.Equal(got, want) {
				t.Fatalf("%s: tick %d is\n%g\nwant\n%g", name, f.K, got, want)
			}
			if before != nil && !slices.Equal(f.Command, before) {
				t.Fatalf("%s: tick %d: %g leaves the loop with the delay: want %g, which left the other one a tick ago", name, f.K,
					f.Command, before)
			}
			before = slices.Clone(g.Command)
		}
		if a.Loop.Ticks() < 300 {
			t.Errorf("%s: %d ticks: want more", name, a.Loop.Ticks())
		}
	}
}

func withoutCommand(f *rths.Frame) []float64 {
	return slices.Concat(f.Read.X, f.Read.A, f.Read.F, f.Read.TrueX, f.Read.TrueF, f.Force, f.Target.X,
		f.InterfaceTarget.X, f.Num.X, f.Num.V, f.Num.A)
}

// A loop over the laboratory of a rig that ticks by itself is the virtual run: the laboratory
// has the clock.
func TestLaboratoryHasTheClock(t *testing.T) {
	s := parsed(t, small, ticking, every, "sensors={displacement_noise: 1e-6}")
	lab := rthstest.Must(s.Laboratory(scenario.Options{}))
	want, _ := history(rthstest.Must(s.Build(t.Context(), scenario.Options{})))
	got, _ := history(rthstest.Must(s.Build(t.Context(), scenario.Options{Rig: behindWire{lab.Rig}})))
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Error("the loop over the laboratory has other numbers than the virtual run")
	}
	if _, ok := rths.As[*rig.OwnClock](lab.Rig); !ok {
		t.Error("no clock in the laboratory")
	}
	if _, ok := rths.As[*rig.OwnClock](rthstest.Must(parsed(t, small,
		"rig={kind: udp}").Laboratory(scenario.Options{})).Rig); ok {
		t.Error("a clock in the laboratory of lockstep")
	}
}

// The opened loop, which starts at rest whatever the test does, has the same response as one
// with a sample more of command delay.
func TestOwnClockInTheOpenedLoop(t *testing.T) {
	for _, sets := range [][]string{nil, {"initial_displacement=[0.002, 0.003]"}} {
		late := opened(t, small, append(sets, "timing.command_delay=1")...)
		own := opened(t, small, append(sets, ticking)...)
		if !slices.Equal(late.X.H, own.X.H) {
			t.Errorf("%v: another response than with command_delay 1", sets)
		}
		if plain := opened(t, small, sets...); slices.Equal(plain.X.H, own.X.H) {
			t.Errorf("%v: the clock does not show", sets)
		}
	}
}

// What linear analysis says of a rig that ticks by itself it says of a sample more of command
// delay.
func TestStabilityWithOwnClock(t *testing.T) {
	for name, sets := range map[string][]string{
		"plain":   {"compensator.kind=none"},
		"learns":  {"compensator.kind=amb", "timing.target=next"},
		"delayed": {"compensator={kind: mbc, model: plant}", "timing.command_delay=1"},
	} {
		s := parsed(t, small, append(sets, "transfer={kind: second-order, omega_rad_s: 900, damping_ratio: 0.8}",
			"structure.damping.modal_ratio=[0.03]")...)
		late := rthstest.Must(s.With(fmt.Sprintf("timing.command_delay=%d", s.Timing.CommandDelay+1)))
		own := rthstest.Must(s.With(ticking))
		verdicts := [3]*analyse.Verdict{}
		margins := [3]float64{}
		for i, of := range []*scenario.Scenario{late, own, s} {
			verdicts[i] = rthstest.Must((&analyse.Stability{}).Run(t.Context(), of))
			margins[i] = rthstest.Must(analyse.DelayMargin(t.Context(), of))
		}
		for i, want := range verdicts[0].Loops {
			got, plain := verdicts[1].Loops[i], verdicts[2].Loops[i]
			rthstest.Near(t, name+" "+want.Case+": radius", got.Radius, want.Radius, 1e-12)
			rthstest.Near(t, name+" "+want.Case+": delay margin", got.Margins.Delay, want.Margins.Delay, 1e-12)
			if got.States != want.States || plain.States == got.States || plain.Margins.Delay == got.Margins.Delay {
				t.Errorf("%s %s: %d states, delay margin %g s; with command_delay %d states; without %d and %g s", name, want.Case,
					got.States, got.Margins.Delay, want.States, plain.States, plain.Margins.Delay)
			}
			for j, d := range want.Delays {
				rthstest.Near(t, name+" "+want.Case+": delay left", got.Delays[j].LeftMs, d.LeftMs, 1e-12)
				rthstest.Near(t, name+" "+want.Case+": delay of the loop", got.Delays[j].LoopMs, d.LoopMs, 1e-9)
			}
		}
		rthstest.Near(t, name+": margin", margins[1], margins[0], 1e-12)
		if want := margins[2] - 1.0/1024; name == "plain" && !(margins[1] > 0 && math.Abs(margins[1]-want) < 1e-4) {
			t.Errorf("%s: delay margin %g s: want a sample less than %g s", name, margins[1], margins[2])
		}
	}
}

// Compensators that take their delay from the plant see the sample of the rig's clock.
func TestCompensatorsSeeTheRigsClock(t *testing.T) {
	settings := func(kind string, sets ...string) string {
		return strings.Join(rthstest.Must(parsed(t, small, append(sets, "compensator="+kind)...).CompensatorSettings()), "\n")
	}
	for _, kind := range []string{"{kind: mbc, model: plant}", "{kind: pe, delay: plant}", "{kind: cats}",
		"{kind: adm2}"} {
		own, late, plain := settings(kind, ticking), settings(kind, "timing.command_delay=1"), settings(kind)
		if own != late || own == plain {
			t.Errorf("%s: %s with a rig that ticks by itself: want as with command_delay 1, %s, and not as without, %s", kind,
				own, late, plain)
		}
	}
}

// The checkpoint of a run on a rig that ticks by itself has the command on its way.
func TestRunWithOwnClockResumes(t *testing.T) {
	sets := []string{ticking, every, "sensors={displacement_noise: 1e-6}"}
	first, second := built(t, small, sets...), built(t, small, sets...)
	for range 500 {
		if err := first.Loop.Step(); err != nil {
			t.Fatal(err)
		}
	}
	if err := second.Loop.Resume(first.Loop.Checkpoint()); err != nil {
		t.Fatal(err)
	}
	a, _ := history(first)
	b, _ := history(second)
	if !slices.EqualFunc(a, b, slices.Equal) || len(a) != 525 {
		t.Errorf("%d ticks, resumed %d, or other numbers", len(a), len(b))
	}
}

// resolvedLink is the block rig of a run, with the times that it left open.
func resolvedLink(t *testing.T, sets ...string) scenario.Link {
	t.Helper()
	return *built(t, small, sets...).Scenario.Rig.Params
}

// Defaults hang on the clock and the rate; the resolved scenario has them, reads as the same
// and stays as it is.
func TestRigDefaults(t *testing.T) {
	for set, want := range map[string]scenario.Link{
		"rig={kind: udp}": {Address: "127.0.0.1:7400", Clock: "lockstep", ReplyWithinUs: 0.5e6 / 1024, WatchdogMs: 3000,
			SupervisorSilentS: 0.5, Late: scenario.Late{HoldAfter: 52, RampAfter: 1536}},
		ticking: {Address: "127.0.0.1:7400", Clock: "rig", ReplyWithinUs: 0.5e6 / 1024, WatchdogMs: 100,
			SupervisorSilentS: 0.5, Late: scenario.Late{HoldAfter: 52, RampAfter: 53}},
		"rig={kind: udp, address: 'rig.lab:1', clock: rig, reply_within_us: 122, watchdog_ms: 5, supervisor_silent_s: 2, " +
			"late: {hold_after: 3, ramp_after: 40, most: 9, within: 80}}": {
			Address: "rig.lab:1", Clock: "rig", ReplyWithinUs: 122, WatchdogMs: 5, SupervisorSilentS: 2,
			Late: scenario.Late{HoldAfter: 3, RampAfter: 40, Most: 9, Within: 80}},
	} {
		if got := resolvedLink(t, set); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %+v: want %+v", set, got, want)
		}
		for _, rate := range []string{"rate_hz=4096", "rate_hz=37.3"} {
			r := built(t, small, set, rate, "rig.reply_within_us=1", "rig.watchdog_ms=2000")
			text := rthstest.Must(r.Scenario.YAML())
			if again := rthstest.Must(built(t, text).Scenario.YAML()); again != text {
				t.Errorf("%s: read again it is\n%s\nwant\n%s", set, again, text)
			}
		}
	}
	slow := built(t, small, ticking, "rate_hz=37.3")
	text := rthstest.Must(slow.Scenario.YAML())
	if w := slow.Scenario.Rig.Params.WatchdogMs; math.Abs(w-5e3/37.3) > 1e-9 ||
		rthstest.Must(built(t, text).Scenario.YAML()) != text {
		t.Errorf("watchdog %g ms at 37.3 Hz: want five samples, which the scenario reads again", w)
	}
}

// Without the block there is no rig, no key and no delay; a scenario whose rig keeps step runs as
// without.
func TestRunWithoutRig(t *testing.T) {
	plain := built(t, small)
	if text := rthstest.Must(plain.Scenario.YAML()); strings.Contains(text, "rig:") || plain.Scenario.CommandDelay() != 0 {
		t.Errorf("a rig in a scenario without\n%s", text)
	}
	want, _ := history(plain)
	got, _ := history(built(t, small, "rig={kind: udp, address: '[::1]:9', watchdog_ms: 1500}"))
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Error("lockstep changes a virtual run")
	}
}

// A mistake says where, what and what to do.
func TestRigMistakes(t *testing.T) {
	const address = "want host:port with a port from 1 to 65535, as in 127.0.0.1:7400"
	for _, tc := range []struct{ block, want string }{
		{"{kind: tcp}", `rig: kind "tcp": want one of udp`},
		{"{kind: serial}", `rig: kind "serial": want one of udp`},
		{"{clock: rig}", "rig: kind is missing: want one of udp"},
		{"udp", `rig: found "udp": want a block with kind, one of udp, as in {kind: udp}`},
		{"{kind: udp, adress: a}", "rig.adress: unknown key: did you mean address?"},
		{"{kind: udp, address: 127.0.0.1}", `rig.address: "127.0.0.1": ` + address},
		{"{kind: udp, address: '127.0.0.1:0'}", `rig.address: "127.0.0.1:0": ` + address},
		{"{kind: udp, address: 'rig:65536'}", `rig.address: "rig:65536": ` + address},
		{"{kind: udp, address: ':7400'}", `rig.address: ":7400": ` + address},
		{"{kind: udp, address: 'my rig:7400'}", address},
		{"{kind: udp, address: 'rig:udp'}", address},
		{"{kind: udp, address: '::1:7400'}", address},
		{"{kind: udp, clock: loop}", `rig.clock: "loop": want lockstep or rig`},
		{"{kind: udp, clock: Rig}", `rig.clock: "Rig": want lockstep or rig`},
		{"{kind: udp, clock: 3}", `rig.clock: "3": want lockstep or rig`},
		{"{kind: udp, reply_within_us: 0}", "rig.reply_within_us: 0 µs: want more than 0, at most one sample, 976.562 µs"},
		{"{kind: udp, reply_within_us: -1}", "rig.reply_within_us: -1 µs: want more than 0"},
		{"{kind: udp, reply_within_us: 977}",
			"rig.reply_within_us: 977 µs: want more than 0, at most one sample, 976.562 µs"},
		{"{kind: udp, reply_within_us: 0.5 ms}",
			"rig.reply_within_us: found \"0.5 ms\": want a finite number without a unit"},
		{"{kind: udp, watchdog_ms: 0}", "rig.watchdog_ms: 0 ms: want 1 to 60000"},
		{"{kind: udp, clock: rig, watchdog_ms: 60001}", "rig.watchdog_ms: 60001 ms: want 1 to 60000"},
		{"{kind: udp, clock: rig, watchdog_ms: 4.8}",
			"rig.watchdog_ms: 4.8 ms: want at least 5 samples, 4.88281 ms, as some command may be late"},
		{"{kind: udp, watchdog_ms: 1499}",
			"rig.watchdog_ms: 1499 ms with clock lockstep: want at least 1500, as a lost command is repeated after a second"},
		{"{kind: udp, supervisor_silent_s: 0}", "rig.supervisor_silent_s: 0 s: want 0.05 to 60"},
		{"{kind: udp, supervisor_silent_s: 0.04}", "rig.supervisor_silent_s: 0.04 s: want 0.05 to 60"},
		{"{kind: udp, supervisor_silent_s: 61}", "rig.supervisor_silent_s: 61 s: want 0.05 to 60"},
		{"{kind: udp, late: {hold_after: -1}}",
			"rig.late.hold_after: -1: want 1 sample or more; leave it out for the default; late: none for never"},
		{"{kind: udp, late: {hold_after: 0}}", "rig.late.hold_after: 0: want 1 sample or more; leave it out"},
		{"{kind: udp, late: never}",
			`rig.late: found "never": want a block of keys: hold_after, ramp_after, most, within; or none`},
		{"{kind: udp, late: {hold_after: 1.5}}", `rig.late.hold_after: found "1.5": want a whole number`},
		{"{kind: udp, late: {hold: 1}}", "rig.late.hold: unknown key: did you mean hold_after"},
		{"{kind: udp, late: {ramp_after: -2}}",
			"rig.late.ramp_after: -2: want 1 sample or more; leave it out for the default"},
		{"{kind: udp, late: {hold_after: 5, ramp_after: 5}}", "rig.late.ramp_after: 5 beside hold_after 5: want more"},
		{"{kind: udp, late: 5}", `rig.late: found "5": want a block of keys: hold_after, ramp_after, most, within`},
		{"{kind: udp, late: {most: -1, within: 50}}", "rig.late.most: -1: want 1 tick or more, or 0 for never"},
		{"{kind: udp, late: {most: 2.5, within: 50}}", `rig.late.most: found "2.5": want a whole number`},
		{"{kind: udp, late: {most: 5, within: -50}}", "rig.late.within: -50: want 2 to 1000000 ticks, or 0 for never"},
		{"{kind: udp, late: {most: 5, within: 1000001}}", "rig.late.within: 1000001: want 2 to 1000000 ticks"},
		{"{kind: udp, late: {most: 5}}",
			"rig.late.within: 0 beside most 5: want more ticks than most, or neither key: the guard ramps when more than most " +
				"of the last within ticks were late"},
		{"{kind: udp, late: {within: 50}}", "rig.late.most: 0 beside within 50: want 1 tick or more, or neither key"},
		{"{kind: udp, late: {most: 50, within: 50}}",
			"rig.late.most: 50 beside within 50: want less, as more than 50 of 50 ticks are never late"},
		{"{kind: udp, late: {most: 51, within: 50}}", "rig.late.most: 51 beside within 50: want less"},
		{"{kind: udp, late: {most: 1, within: 1}}", "rig.late.most: 1 beside within 1: want less"},
	} {
		_, err := parse(small + "rig: " + tc.block + "\n")
		if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "small.yaml:7:") {
			t.Errorf("%s: %v\nwant %q", tc.block, err, tc.want)
		}
	}
	for _, late := range []string{"{hold_after: 5}", "{most: 5, within: 50}"} {
		_, err := parse(small, "limits=none", "rig={kind: udp, late: "+late+"}")
		if err == nil || !strings.Contains(err.Error(),
			"rig.late: has no effect with limits: none, which has no guard to hold or ramp: leave one of them out") {
			t.Errorf("%v: want late refused with limits: none", err)
		}
	}
}

const badNetwork = `rig={kind: udp, network: [{kind: loss, of: commands, from_s: 0.2, duration_s: 0.1, share: 0.5}, ` +
	`{kind: duplication}, {kind: reordering, of: readings},
 {kind: jitter, least: 1, most: 3, share: 0.2}, {kind: freeze, from_s: 0.9}]}`

// A laboratory gets the network of its scenario for the length of the run; a virtual run has
// none, and is the same with it.
func TestNetworkOfALaboratory(t *testing.T) {
	s := parsed(t, small, badNetwork)
	lab := rthstest.Must(s.Laboratory(scenario.Options{}))
	c := rig.FaultConfig{RateHz: 1024, Samples: 1025, Axes: 1, LoadCells: 1, Seed: s.Seed}
	var list []*rig.NetworkFault
	for _, f := range s.Rig.Params.Network {
		list = append(list, rthstest.Must(f.Params.Make(c)))
	}
	want := rig.NewNetwork(c, list)
	lost := 0
	for k := range uint64(1100) {
		if lab.Network.Command(k) != want.Command(k) || lab.Network.Reading(k) != want.Reading(k) ||
			lab.Network.Frozen(k) > 0 != (k >= 922 && k < 1025) {
			t.Fatalf("sample %d: %+v, %+v, %v: want %+v, %+v", k, lab.Network.Command(k), lab.Network.Reading(k),
				lab.Network.Frozen(k), want.Command(k), want.Reading(k))
		}
		if want.Command(k).Lost {
			lost++
		}
	}
	if lost < 30 || lost > 70 {
		t.Errorf("%d commands lost: want about half of 102", lost)
	}
	plain, _ := history(built(t, small))
	run := rthstest.Must(s.Build(t.Context(), scenario.Options{}))
	if got, _ := history(run); !slices.EqualFunc(got, plain, slices.Equal) {
		t.Error("the network reaches a virtual run")
	}
	text := rthstest.Must(run.Scenario.YAML())
	if again := rthstest.Must(built(t, text).Scenario.YAML()); again != text || !strings.Contains(text, "kind: jitter") {
		t.Errorf("read again it is\n%s\nwant\n%s", again, text)
	}
	if lab := rthstest.Must(parsed(t, small, ticking).Laboratory(scenario.Options{})); lab.Network != nil {
		t.Error("a network in a laboratory without")
	}
	if _, err := s.AtRest(t.Context()); err != nil {
		t.Errorf("at rest: %v", err)
	}
}

// Wrong faults of a network are refused with their place, by a virtual run too.
func TestNetworkMistakes(t *testing.T) {
	for entry, want := range map[string]string{
		"{kind: los}": `rig.network[2]: kind "los": did you mean loss?`,
		"{share: 1}": "rig.network[2]: kind is missing: want one of loss, duplication, " +
			"reordering, jitter, freeze",
		"{kind: freeze, share: 1}":   "rig.network[2].share: unknown key",
		"{kind: freeze, lasts_s: 1}": "rig.network[2].lasts_s: unknown key",
		"{kind: loss, of: all}":      `rig.network[2]: of "all": want commands, readings or both`,
		"{kind: loss, share: 2}":     "rig.network[2]: share 2: want above 0, at most 1",
		"{kind: freeze, from_s: 1.01}": "rig.network[2]: from_s 1.01: want 0 or more and less than the 1.00098 s " +
			"of the run",
		"{kind: jitter, least: 7}": "rig.network[2]: least 7, most 5: want 1 ≤ least ≤ most",
		"{kind: duplication, duration_s: 0.1}": "rig.network[2]: duplication: meets entry 1 of the same kind on commands: " +
			"want one after the other",
		"{kind: duplication, from_s: tomorrow}": `rig.network[2].from_s: found "tomorrow": want a finite number`,
	} {
		text := small + "rig:\n  kind: udp\n  network:\n    - {kind: duplication, of: commands}\n    - " + entry + "\n"
		err := build(t.Context(), text)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "small.yaml:11:") {
			t.Errorf("%s: %v\nwant %q", entry, err, want)
		}
		if s, parse := parse(text); parse == nil {
			if _, other := s.Laboratory(scenario.Options{}); other == nil || other.Error() != err.Error() {
				t.Errorf("%s: the laboratory says %v: want %v", entry, other, err)
			}
		}
	}
}
