package scenario_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"rths"
	"rths/lab/rig"
	"rths/scenario"
)

// Wrong limits and indicators are refused with a reason.
func TestWrongLimits(t *testing.T) {
	energies := "indicators.energies=true"
	for _, c := range []struct {
		want string
		sets []string
	}{
		{`channel "sw_pct": there is none of this name: want one of command_m`,
			[]string{"limits=[{channel: sw_pct, trip: 100}]"}},
		{`channel "measured": there is none`, []string{"limits=[{channel: measured, trip: 1}]"}},
		{"channel measured_m: has two limits",
			[]string{"limits=[{channel: measured_m, trip: 1}, {channel: measured_m, trip: 2}]"}},
		{"warn 120 is not below trip 100", []string{energies, "limits=[{channel: sw_pct, warn: 120, trip: 100}]"}},
		{"warn -1: want 0", []string{energies, "limits=[{channel: sw_pct, warn: -1, trip: 100}]"}},
		{"channel force_N: trip 0: want a number above 0", []string{"limits=[{channel: force_N}]"}},
		{"channel non_finite: has two limits",
			[]string{"limits=[{channel: non_finite, action: hold}, {channel: non_finite, action: stop}]"}},
		{`action "halt": want indicate, hold, ramp or stop`, []string{"limits=[{channel: force_N, trip: 1, action: halt}]"}},
		{"non_finite: warn 0, trip 3", []string{"limits=[{channel: non_finite, trip: 3}]"}},
		{"non_finite: warn 0, trip 0, action indicate", []string{"limits=[{channel: non_finite, action: indicate}]"}},
		{"from the limit 0.05 of measured_m it takes 5.01 s",
			[]string{"limits=[{channel: measured_m, trip: 0.05}]",
				"on_trip={velocity_m_s: 0.01, acceleration_m_s2: 1, within_s: 2}"}},
		{"ramp at 0.5 m/s: above the limit 0.2 of velocity_m_s",
			[]string{"limits=[{channel: velocity_m_s, trip: 0.2}]", "on_trip.velocity_m_s=0.5"}},
		{"ramp at 0 m/s and 0.5 m/s²: want both above 0",
			[]string{"limits=[{channel: force_N, trip: 1}]", "on_trip.velocity_m_s=0"}},
		{"ramp within -1 s", []string{"limits=[{channel: force_N, trip: 1}]", "on_trip.within_s=-1"}},
		{"hold of -1 s", []string{"limits=[{channel: force_N, trip: 1}]", "on_trip.hold_s=-1"}},
		{`ramp_to "home": want zero or last-safe`, []string{"limits=[{channel: force_N, trip: 1}]", "on_trip.ramp_to=home"}},
		{"on_trip: has no effect with limits: none", []string{"limits=none", "on_trip.hold_s=2"}},
		{"limits: found an empty list: want limits, none for no guard", []string{"limits=[]"}},
		{`limits: found "off": want a list of limits, as in [{channel: measured_m, trip: 0.02, action: ramp}], or none`,
			[]string{"limits=off"}},
		{"transfer: stroke_m -1: want more than 0, or 0", []string{"transfer.stroke_m=-1"}},
		{"initial_displacement: bringing the rig to 0.01 m: command_m would be 0.00501 at t = 1.001 s: the transfer system " +
			"allows 0.005", []string{"initial_displacement=[0.01, 0.02]", "transfer={kind: ideal, stroke_m: 0.005}"}},
		{"command_rate_m_s would be 0.00", []string{"initial_displacement=[0.01, 0.02]",
			"transfer={kind: ideal, rate_m_s: 0.002}"}},
		{"c_sw_j -1", []string{energies, "indicators.c_sw_j=-1"}},
		{"does no work on the reference", []string{energies, "ground.amplitude_m_s2=0"}},
	} {
		if err := build(t.Context(), small, c.sets...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v: want %q", c.sets, err, c.want)
		}
	}
}

// energies of a prescribed target there are none.
func TestNoEnergiesOfAPrescribedTarget(t *testing.T) {
	const text = `name: loading
rate_hz: 1024
loop: open
target: {kind: sine, duration_s: 1, frequency_hz: 2}
specimen: {kind: linear, mass: 10, damping: 100, stiffness: 1e5}
transfer: {kind: second-order}
`
	if err := build(t.Context(), text, "indicators.energies=true"); err == nil ||
		!strings.Contains(err.Error(), "no numerical part") {
		t.Errorf("%v: want a refusal", err)
	}
	if err := build(t.Context(), text, "indicators.tracking=true",
		"limits=[{channel: running_delay_ms, trip: 50, action: hold}]"); err != nil {
		t.Error(err)
	}
}

// runAll runs a scenario to its end.
func runAll(t *testing.T, text string, sets ...string) (*scenario.Run, error) {
	t.Helper()
	r := built(t, text, sets...)
	return r, r.Loop.Run(0, nil)
}

func indicator(t *testing.T, r *scenario.Run, name string) float64 {
	t.Helper()
	return named(t, r.Indicators(), name)
}

// The default of C_SW is 1 % of the largest input work of the reference, which a
// well-compensated test comes close to; it is written into the scenario. The
// balance holds under several ground components, forces and a start away from rest.
func TestEnergyConstants(t *testing.T) {
	ideal := "transfer={kind: ideal}"
	for _, sets := range [][]string{
		{}, {"forces=[{dof: 2, history: {kind: pulse}}]"},
		{"more_ground=[{influence: [0, 1], motion: {kind: sine, frequency_hz: 1.5}}]"},
		{"initial_displacement=[0.003, 0.005]", "ground.amplitude_m_s2=0.01"},
		{"initial_displacement=[0.003, 0.005]", "ground.amplitude_m_s2=0.01", "integrator.kind=cr"},
		{"integrator={kind: gui, lambda: 11.5}"},
	} {
		r, err := runAll(t, small, append(sets, "indicators.energies=true", ideal, "rate_hz=4096",
			"specimen={kind: linear, stiffness: 1e5}")...)
		if err != nil {
			t.Fatal(err)
		}
		c, most := r.Scenario.Indicators.SW, indicator(t, r, "input_work_max_J")
		if c != r.Scenario.Indicators.EEI || math.Abs(100*c/most-1) > 0.02 {
			t.Errorf("%v: constants %g and %g J of %g J of input work: want 1 %%", sets, c, r.Scenario.Indicators.EEI, most)
		}
		if got := indicator(t, r, "energy_residual_pct"); !(got < 0.01) {
			t.Errorf("%v: residual %g %% of the input work", sets, got)
		}
		if got := indicator(t, r, "sw_max_pct"); !(got < 20) {
			t.Errorf("%v: SW reaches %g %% in a test with an ideal rig", sets, got)
		}
	}
}

// Without indicators and limits a run has none of their parts, and the same bits as with
// them: watching changes nothing.
func TestWatchingChangesNothing(t *testing.T) {
	plain, err := runAll(t, small, "limits=none")
	if err != nil {
		t.Fatal(err)
	}
	watched, err := runAll(t, small, "indicators={energies: true, tracking: true}",
		"limits=[{channel: sw_pct, trip: 1e6}, {channel: command_m, trip: 0.5}]")
	if err != nil {
		t.Fatal(err)
	}
	if plain.Guard != nil || len(plain.Indicators()) != 0 || watched.Guard.State() != rig.Running {
		t.Errorf("guard %v, indicators %v of a run without", plain.Guard, plain.Indicators())
	}
	a, b := plain.Loop.Frame(), watched.Loop.Frame()
	if a.Read.X[0] != b.Read.X[0] || a.Num.X[1] != b.Num.X[1] {
		t.Errorf("the last reading is %g, watched %g", a.Read.X[0], b.Read.X[0])
	}
}

// A loop that diverges is brought down by its guard: it ends tripped, at rest.
func TestDivergedRunIsBroughtDown(t *testing.T) {
	sets := []string{"transfer={kind: delay, delay_ms: 60}", "specimen={kind: linear, stiffness: 5e5}",
		"ground.duration_s=30", "diverged_m=0.02"}
	_, err := runAll(t, small, append(sets, "limits=none")...)
	if status, _ := scenario.Status(err); status != "diverged" {
		t.Fatalf("without limits: %s", status)
	}
	for _, action := range []string{"hold", "ramp"} {
		r, err := runAll(t, small, append(sets, "limits=[{channel: non_finite, action: "+action+"}]")...)
		status, reason := scenario.Status(err)
		if status != "tripped" || !strings.Contains(reason, "target_m") || !strings.Contains(reason, "limit 0.02") {
			t.Errorf("%s: %s, %s: want tripped by the target", action, status, reason)
		}
		sent := channel(t, r, "guard_command_m")
		if (action == "ramp") != (sent == 0) || channel(t, r, "guard_state") != float64(rig.Tripped) {
			t.Errorf("%s ends at %g m, state %g", action, sent, channel(t, r, "guard_state"))
		}
	}
}

// The loop linearised does not know its guard: limits are no states.
func TestGuardIsNotInTheJacobian(t *testing.T) {
	jacobian := func(sets ...string) *rths.Jacobian {
		r := built(t, small, sets...)
		j, err := r.Loop.Jacobian()
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	a, b := jacobian(), jacobian("limits=[{channel: command_m, trip: 1e-9}, {channel: error_m, trip: 1e-9}]")
	if a.N != b.N {
		t.Fatalf("%d states, %d with a guard", a.N, b.N)
	}
	for i := range a.J {
		if a.J[i] != b.J[i] {
			t.Fatalf("entry %d is %g, %g with a guard", i, a.J[i], b.J[i])
		}
	}
}

// A run with everything watched, stopped in a hold and resumed, gives the same
// bits.
func TestGuardedRunResumes(t *testing.T) {
	sets := []string{"indicators={energies: true, tracking: true}",
		"limits=[{channel: measured_m, trip: 0.0005, action: ramp}, {channel: velocity_m_s, trip: 1}]"}
	make := func() *scenario.Run {
		r := built(t, small, sets...)
		return r
	}
	first, second := make(), make()
	for first.Guard.State() != rig.Ramping {
		if first.Loop.Done() || first.Loop.Step() != nil {
			t.Fatal("the limit did not act")
		}
	}
	if err := second.Loop.Resume(first.Loop.Checkpoint()); err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		a, b := first.Loop.Step(), second.Loop.Step()
		x, y := channel(t, first, "guard_command_m"), channel(t, second, "guard_command_m")
		if math.Float64bits(x) != math.Float64bits(y) || (a == nil) != (b == nil) {
			t.Fatalf("command %g m (%v), resumed %g m (%v)", x, a, y, b)
		}
		if a != nil {
			if a.Error() != b.Error() {
				t.Errorf("ends with %v, resumed with %v", a, b)
			}
			return
		}
	}
	t.Error("the ramp does not end")
}

// With two rates the energies belong to the main steps, and balance up to
// rounding; a limit on SW acts as ever.
func TestEnergiesOfTwoRates(t *testing.T) {
	for _, kind := range []string{"cr", "gui", "central-difference", "newmark-explicit"} {
		sets := []string{"two_rate={main_step: 8, predictor: {kind: poly3}}", "integrator={kind: " + kind + "}",
			"indicators.energies=true", "specimen={kind: linear, stiffness: 1e4}"}
		r, err := runAll(t, small, sets...)
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if got := indicator(t, r, "energy_residual_pct"); !(got < 1e-8) {
			t.Errorf("%s: residual %g %% of the input work", kind, got)
		}
		var trip *rig.TripError
		_, err = runAll(t, small, append(sets, "transfer={kind: delay, delay_ms: 40}", "specimen.stiffness=2e5",
			"limits=[{channel: sw_pct, trip: 100, action: stop}]")...)
		if !errors.As(err, &trip) || trip.Cause.Channel != "sw_pct" || trip.Cause.K%8 != 0 {
			t.Errorf("%s: ended with %v: want a trip of SW at a main instant", kind, err)
		}
	}
}
