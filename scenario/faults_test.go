package scenario_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/campaign/analyse"
	"rths/lab/rig"
	"rths/scenario"
)

// every is one fault of each kind, overlapping, from 0.4 s on.
const every = `faults=[{kind: stuck, channel: measured_m, from_s: 0.4, duration_s: 0.02}, {kind: spike, ` +
	`channel: force_N, from_s: 0.45, size: 100},
 {kind: drift, channel: measured_m, from_s: 0.5, duration_s: 0.3, rate: 1e-4}, {kind: reversed, channel: force_N, ` +
	`from_s: 0.6, duration_s: 0.01},
 {kind: lost-readings, from_s: 0.42, duration_s: 0.5, share: 0.3}, {kind: lost-commands, from_s: 0.45, ` +
	`duration_s: 0.3, share: 0.3}, {kind: late-commands, from_s: 0.48, duration_s: 0.3, delay_ms: 5}]`

// bits are all numbers of a frame that a fault can reach.
func bits(f *rths.Frame) []float64 {
	return slices.Concat(f.Read.X, f.Read.F, f.Read.TrueX, f.Read.TrueF, f.Command, f.Target.X, f.Num.X, f.Num.V,
		[]float64{float64(f.Read.Age)})
}

// Up to the first fault a run has the bits of the run without faults, noise included;
// at the fault's first tick it has not, unless by the definition of the fault.
func TestRunIsTheSameUpToTheFault(t *testing.T) {
	noisy := []string{"sensors={displacement_noise: 1e-6, force_noise: 1}", "compensator.kind=amb"}
	var plain [][]float64
	steps(t, built(t, small, noisy...), func(f *rths.Frame) { plain = append(plain, slices.Clone(bits(f))) })
	for fault, first := range map[string]int{ // 512 is the tick of 0.5 s
		"{kind: stuck, channel: measured_m, from_s: 0.5}":             513,
		"{kind: spike, channel: force_N, from_s: 0.5, size: 10}":      512,
		"{kind: drift, channel: measured_m, from_s: 0.5, rate: 1e-3}": 513,
		"{kind: reversed, channel: force_N, from_s: 0.5}":             512,
		"{kind: lost-readings, from_s: 0.5}":                          512,
		"{kind: lost-commands, from_s: 0.5}":                          513,
		"{kind: late-commands, from_s: 0.5, delay_ms: 2}":             513,
	} {
		r := built(t, small, append(noisy, "faults=["+fault+"]")...)
		differs := -1
		for differs < 0 && r.Loop.Step() == nil {
			if f := r.Loop.Frame(); !slices.Equal(bits(f), plain[f.K]) {
				differs = f.K
			}
		}
		if differs != first {
			t.Errorf("%s: differs from tick %d on, want %d", fault, differs, first)
		}
	}
}

// Faults of a whole run, stopped and resumed in the midst of them, give the same bits.
func TestFaultyRunResumes(t *testing.T) {
	sets := []string{"sensors={displacement_noise: 1e-6, force_noise: 1}", every, "limits=[{channel: age, trip: 100}]"}
	for _, at := range []int{100, 420, 500, 700} {
		first, second := built(t, small, sets...), built(t, small, sets...)
		for range at {
			if err := first.Loop.Step(); err != nil {
				t.Fatal(err)
			}
		}
		if err := second.Loop.Resume(first.Loop.Checkpoint()); err != nil {
			t.Fatal(err)
		}
		for !first.Loop.Done() {
			if a, b := first.Loop.Step(), second.Loop.Step(); a != nil || b != nil {
				t.Fatal(a, b)
			}
			if a, b := bits(first.Loop.Frame()), bits(second.Loop.Frame()); !slices.Equal(a, b) {
				t.Fatalf("resumed at %d: tick %d is %v, want %v", at, first.Loop.Frame().K, b, a)
			}
		}
	}
}

// The loop linearised, and opened, does not know of faults.
func TestFaultsAreNotInTheJacobian(t *testing.T) {
	jacobian := func(sets ...string) *rths.Jacobian {
		j, err := built(t, small, sets...).Loop.Jacobian()
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	now := strings.NewReplacer("0.4,", "0,", "0.45", "0", "0.5,", "0,", "0.6", "0", "0.42", "0", "0.48",
		"0").Replace(every)
	a, b := jacobian(), jacobian(now)
	if a.N != b.N || !slices.Equal(a.J, b.J) {
		t.Errorf("%d states, %d with faults, or other entries", a.N, b.N)
	}
	for _, sets := range [][]string{{every}, {now}, {"indicators.energies=true",
		"limits=[{channel: sw_pct, trip: 100}]"}} {
		s := parsed(t, small, sets...)
		r, err := s.AtRest(t.Context())
		if err != nil {
			t.Fatalf("at rest with %v: %v", sets, err)
		}
		if j, err := r.Loop.Jacobian(); err != nil || !slices.Equal(j.J, a.J) {
			t.Errorf("at rest with %v: %v, or other entries", sets, err)
		}
	}
	plain, faulty := opened(t, small), opened(t, small, now)
	if !slices.Equal(plain.X.H, faulty.X.H) {
		t.Error("the opened loop has another response with faults")
	}
}

func opened(t *testing.T, text string, sets ...string) *analyse.OpenLoop {
	t.Helper()
	s := parsed(t, text, sets...)
	o, err := analyse.NewOpenLoop(s)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// A faulty displacement reaches the force computed from it; the true force stays with the
// true displacement.
func TestFaultReachesComputedForce(t *testing.T) {
	r := built(t, small, "force=computed", "specimen={kind: linear, stiffness: 1e5}",
		"faults=[{kind: spike, channel: measured_m, from_s: 0.5, duration_s: 0.1, size: 1e-3}]")
	steps(t, r, func(f *rths.Frame) {
		offset := 0.0
		if f.K >= 512 && f.K < 614 {
			offset = 1e-3
		}
		if d := f.Read.X[0] - f.Read.TrueX[0]; math.Abs(d-offset) > 1e-12 {
			t.Fatalf("tick %d: reading %g m above the truth: want %g", f.K, d, offset)
		}
		if d := f.Read.F[0] - f.Read.TrueF[0]; math.Abs(d-1e5*offset) > 1e-6 {
			t.Fatalf("tick %d: computed force %g N above the true one: want %g", f.K, d, 1e5*offset)
		}
	})
	err := build(t.Context(), small, "force=computed", "specimen={kind: linear, stiffness: 1e5}",
		"faults=[{kind: stuck, channel: force_N}]")
	if err == nil || !strings.Contains(err.Error(), "faults[1]: channel \"force_N\": there is no load cell") {
		t.Errorf("%v: want a refusal", err)
	}
}

// The rig is brought to its initial displacement without faults; from t = 0 on they act.
func TestFaultsOfAFreeVibration(t *testing.T) {
	sets := []string{"initial_displacement=[0.002, 0.003]", "duration_s=1"}
	text := strings.Replace(small, "ground: {kind: sine, duration_s: 1, frequency_hz: 2, amplitude_m_s2: 1}\n", "", 1)
	plain, faulty := built(t, text, sets...), built(t, text,
		append(sets, "faults=[{kind: lost-commands, duration_s: 0.1}]")...)
	a, b := plain.Loop.Config().Start, faulty.Loop.Config().Start
	if a.Command[0] != b.Command[0] || a.Force[0] != b.Force[0] {
		t.Errorf("brought to command %g m and %g N, with a fault of the run to %g m and %g N", a.Command[0], a.Force[0],
			b.Command[0], b.Force[0])
	}
	steps(t, faulty, func(f *rths.Frame) {
		if got := channel(t, faulty, "arrived_m"); f.K < 102 && got != b.Command[0] {
			t.Fatalf("tick %d: the rig has %g m: want the command %g it was brought to", f.K, got, b.Command[0])
		}
	})
}

// Limits see what the computer sees.
func TestLimitsSeeFaults(t *testing.T) {
	for fault, limit := range map[string]string{
		"{kind: spike, channel: measured_m, from_s: 0.5, size: 0.1}": "{channel: measured_m, trip: 0.05, action: stop}",
		"{kind: spike, channel: force_N, from_s: 0.5, size: 1e5}":    "{channel: force_N, trip: 5e4, action: stop}",
		"{kind: lost-readings, from_s: 0.5}":                         "{channel: age, trip: 0.5, action: stop}",
	} {
		if r, err := runAll(t, small, "limits=["+limit+"]"); err != nil || len(r.Guard.Events()) != 0 {
			t.Errorf("%s without a fault: %v", limit, err)
		}
		r, err := runAll(t, small, "limits=["+limit+"]", "faults=["+fault+"]")
		if status, _ := scenario.Status(err); status != "tripped" || r.Guard.State() != rig.Tripped ||
			r.Guard.Events()[0].K != 512 {
			t.Errorf("%s: ended %s, %+v", fault, status, r.Guard.Events())
		}
	}
}

// Lost readings that never follow each other for long trip the window of late ticks, in the very tick that a
// plain count says; by a clock of the rig's own too. A window that just holds the worst ticks changes no bit.
func TestWindowSeesLostReadings(t *testing.T) {
	const within = 64
	for _, clock := range []string{"lockstep", "rig"} {
		of := func(most int) []string {
			return []string{"faults=[{kind: lost-readings, from_s: 0.3, duration_s: 0.5, share: 0.2}]",
				fmt.Sprintf("rig={kind: udp, clock: %s, late: {hold_after: 8, most: %d, within: %d}}", clock, most, within)}
		}
		var late []int // 1: this tick was
		counted := func(k int) (n int) {
			for _, is := range late[max(0, k+1-within) : k+1] {
				n += is
			}
			return n
		}
		most := 0
		steps(t, built(t, small, of(within-1)...), func(f *rths.Frame) {
			late = append(late, min(f.Read.Age, 1))
			most = max(most, counted(f.K))
		})
		if most < 10 {
			t.Fatalf("%d readings of %d are lost at most: want more of them", most, within)
		}
		if r, err := runAll(t, small, of(most)...); err != nil || len(r.Guard.Events()) != 0 {
			t.Errorf("clock %s: up to %d late ticks allowed: %v, %+v: want no event", clock, most, err, r.Guard.Events())
		}
		first := 0
		for counted(first) < most {
			first++
		}
		r, err := runAll(t, small, of(most-1)...)
		status, reason := scenario.Status(err)
		if status != "tripped" || !strings.Contains(reason,
			fmt.Sprintf("late is %d, limit %d: command ramped", most, most-1)) {
			t.Errorf("clock %s: ended %s, %s", clock, status, reason)
		}
		if e := r.Guard.Events()[0]; e.K != first || e.Channel != "late" || e.Value != float64(most) ||
			e.Limit != float64(most-1) || e.Action != "ramp" {
			t.Errorf("clock %s: event %+v: want a ramp at the late tick %d of %d, in tick %d", clock, e, most, within, first)
		}
	}
}

// Without faults there is no wrapper and no key; wrong ones are refused with their place.
func TestWrongFaults(t *testing.T) {
	plain := built(t, small)
	if text, err := plain.Scenario.YAML(); err != nil || strings.Contains(text, "faults") || plain.Faults != nil {
		t.Errorf("%v: faults in a scenario without\n%s", err, text)
	}
	text := small + "faults:\n  - {kind: stuck, channel: force_N}\n"
	for entry, want := range map[string]string{
		"  - {kind: stuck, channel: displacement_m}": `small.yaml:9:6: faults[2]: channel ` +
			`"displacement_m": no sensor measures it: want measured_m or force_N`,
		"  - {kind: broken}": `small.yaml:9:12: faults[2]: kind "broken": want ` +
			`one of stuck, spike`,
		"  - {channel: force_N}": `small.yaml:9:6: faults[2]: kind is missing: ` +
			`want one of stuck`,
		"  - {kind: spike, channel: force_N, rate: 3}": `small.yaml:9:37: faults[2].rate: unknown key`,
		"  - {kind: drift, channel: force_N, rate: 3 N/s}": `faults[2].rate: found "3 N/s": want a finite ` +
			`number without a unit`,
		"  - {kind: lost-readings, from_s: 1.01}": `small.yaml:9:6: faults[2]: from_s 1.01: want 0 ` +
			`or more and less than the 1.00098 s of the run`,
		"  - {kind: stuck, channel: force_N, from_s: 0.2}": `small.yaml:9:6: faults[2]: stuck: meets entry 1 ` +
			`of the same kind on force_N: want one after the other`,
		"  - {kind: late-commands, channel: command_1_m, delay_ms: 10}": `there is no such command: want command_m, or ` +
			`none for all`,
		"  - {kind: lost-commands, share: -1}": `share -1: want above 0, at most 1`,
		"  - {kind: spike, channel: force_N, duration_s: -2, size: 100}": `duration_s -2: want more than 0, or 0 for the ` +
			`rest of the run`,
	} {
		if err := build(t.Context(), text+entry+"\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v: want %q", entry, err, want)
		}
	}
}

// A ramp is a command: while commands are lost it does not arrive, and the rig stays
// where it was.
func TestRampIsLostWithTheCommands(t *testing.T) {
	r := built(t, small, "transfer.kind=ideal", "limits=[{channel: error_m, trip: 5e-4, action: ramp}]",
		"faults=[{kind: lost-commands, from_s: 0.5}]")
	var err error
	at := math.NaN()
	for err == nil && !r.Loop.Done() {
		err = r.Loop.Step()
		if f := r.Loop.Frame(); f.K == 511 {
			at = f.Command[0]
		}
	}
	status, reason := scenario.Status(err)
	if sent, arrived := channel(t, r, "guard_command_m"), channel(t, r, "arrived_m"); status != "tripped" || sent != 0 ||
		arrived != at {
		t.Errorf("%s, %s: sent %g m, arrived %g m: want 0 and the last command before the fault, %g m", status, reason, sent,
			arrived, at)
	}
}
