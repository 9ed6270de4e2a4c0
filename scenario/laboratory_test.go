package scenario_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/lab/rig"
	"rths/model/plant"
	"rths/scenario"
	"rths/scenario/verdict"
)

// behindWire is a rig as a loop sees it over a network: nothing but readings and commands.
type behindWire struct{ rths.Rig }

// exchanged are the numbers of a frame that a loop on a rig elsewhere has too.
func exchanged(f *rths.Frame) []float64 {
	return slices.Concat(f.Read.X, f.Read.A, f.Read.F, f.Read.L, f.InterfaceRead.X, f.Force, f.Command, f.Target.X, f.InterfaceTarget.X, f.Num.X,
		f.Num.V, []float64{float64(f.Read.Age)})
}

// history is all of exchanged, tick by tick, and how the run ended.
func history(r *scenario.Run) (out [][]float64, end string) {
	err := error(nil)
	for err == nil && !r.Loop.Done() {
		err = r.Loop.Step()
		out = append(out, exchanged(r.Loop.Frame()))
	}
	status, reason := r.Status(err)
	return out, status + " " + reason
}

const shortSine = "ground={kind: sine, frequency_hz: 2, amplitude_m_s2: 0.2, duration_s: 0.5}"

// ofEveryBoundary are scenarios of every kind of rig, with noise.
func ofEveryBoundary(t *testing.T) map[string]*scenario.Scenario {
	t.Helper()
	noisy := "sensors={displacement_noise: 1e-6, force_noise: 1}"
	file := func(name string, sets ...string) *scenario.Scenario {
		text := string(rthstest.Must(os.ReadFile("../scenarios/" + name)))
		return parsed(t, text, append([]string{shortSine, "expect="}, sets...)...)
	}
	return map[string]*scenario.Scenario{
		"small":  parsed(t, small, noisy, "compensator.kind=amb"),
		"faults": parsed(t, small, noisy, every, "compensator.kind=adm2"),
		"trips": parsed(t, small, noisy, "faults=[{kind: stuck, channel: measured_m, from_s: 0.3}]",
			"limits=[{channel: error_m, trip: 5e-4, action: ramp}]"),
		"computed": parsed(t, small, "sensors={displacement_noise: 1e-6}", "force=computed",
			"specimen={kind: linear, stiffness: 1e5}"),
		"fallback": parsed(t, small, noisy, "compensator.kind=kf", "fallback={kind: mbc}",
			"faults=[{kind: lost-readings, from_s: 0.3, duration_s: 0.1}]"),
		"random plant":  file("benchmark-siso.yaml", "perturbed=3", "compensator.kind=cats"),
		"frame node":    file("benchmark-multiaxial.yaml", "perturbed=2"),
		"two actuators": file("two-storeys.yaml"),
		"rigid body": file("loading-block.yaml", "more_ground=", "faults=[{kind: lost-readings, from_s: 0.1, share: 0.3}, "+
			"{kind: slipped-pin, actuator: 2, slip_m: 1e-4, from_s: 0.3}]"),
		"shake table": file("shake-table-acceleration.yaml"),
	}
}

// A loop over the laboratory of a scenario is the virtual run, bit for bit: noise, faults,
// random plants, computed and recovered forces, and what the guard does.
func TestLoopOverALaboratory(t *testing.T) {
	for name, s := range ofEveryBoundary(t) {
		virtual := rthstest.Must(s.Build(t.Context(), scenario.Options{}))
		lab := rthstest.Must(s.Laboratory(scenario.Options{}))
		apart := rthstest.Must(s.Build(t.Context(), scenario.Options{Rig: behindWire{lab.Rig}}))
		want, wantEnd := history(virtual)
		got, gotEnd := history(apart)
		if len(want) < 100 || len(want) != len(got) || wantEnd != gotEnd || virtual.Name != apart.Name ||
			lab.Name != apart.Name {
			t.Fatalf("%s: %d ticks, %s, of %q: want %d, %s, %q", name, len(got), gotEnd, apart.Name, len(want), wantEnd,
				virtual.Name)
		}
		for k := range want {
			if !slices.Equal(got[k], want[k]) {
				t.Fatalf("%s: tick %d is\n%g\nwant\n%g", name, k, got[k], want[k])
			}
		}
		measured := slices.DeleteFunc(virtual.Summary(),
			func(v rths.Value) bool { return v.Exact || strings.Contains(v.Name, "_floor") })
		if a, b := fmt.Sprint(apart.Summary()), fmt.Sprint(measured); a != b || len(measured) == 0 {
			t.Errorf("%s: criteria\n%s\nwant all that need no true value,\n%s", name, a, b)
		}
		if f := apart.Loop.Frame(); len(f.Read.TrueX)+len(f.Read.TrueA)+len(f.Read.TrueF)+len(f.InterfaceRead.TrueX)+
			len(f.InterfaceRead.TrueF) > 0 {
			t.Errorf("%s: true values %+v, %+v: want none", name, f.Read, f.InterfaceRead)
		}
		c := apart.Loop.Config()
		sensors := rths.Sensors{X: c.Axes, F: c.Forces, A: c.Accelerometers, L: c.Instruments}
		if name == "frame node" { // the loop recovers them
			sensors.F = 0
		}
		if lab.Sensors != sensors || lab.RateHz != c.RateHz {
			t.Errorf("%s: %+v, %g Hz: want those of the loop, %+v, %g", name, lab.Sensors, lab.RateHz, sensors, c.RateHz)
		}
		if a, b := rthstest.Must(virtual.Scenario.YAML()), rthstest.Must(apart.Scenario.YAML()); a != b {
			t.Errorf("%s: resolved to\n%s\nwant, defaults of compensators included,\n%s", name, b, a)
		}
	}
}

// On a rig elsewhere a run has no part of the physical side, and no true values.
func TestRunOnARigElsewhere(t *testing.T) {
	s := parsed(t, small, every)
	lab := rthstest.Must(s.Laboratory(scenario.Options{}))
	r := rthstest.Must(s.Build(t.Context(), scenario.Options{Rig: behindWire{lab.Rig}}))
	c := r.Loop.Config()
	if _, inside := rths.As[*rig.Virtual](c.Rig); inside || r.Faults != nil || c.Truth {
		t.Errorf("a virtual rig, faults (%v) or true values (%v) in the run: want none", r.Faults, c.Truth)
	}
	if lab.Faults == nil || !built(t, small).Loop.Config().Truth {
		t.Error("no faults in the laboratory, or no true values in a virtual run")
	}
	if _, ok := rths.As[behindWire](c.Rig); !ok || r.Guard == nil {
		t.Error("the loop does not load the rig that it was given behind a guard")
	}
}

// A laboratory knows its actuators, and how a ramp goes.
func TestLaboratory(t *testing.T) {
	s := parsed(t, small, "transfer={kind: second-order, stroke_m: 0.1, rate_m_s: 0.01, force_n: 500}",
		"on_trip={velocity_m_s: 0.02, acceleration_m_s2: 0.1, ramp_to: last-safe}")
	lab := rthstest.Must(s.Laboratory(scenario.Options{}))
	if want := (plant.Rating{Stroke: 0.1, Rate: 0.01, Force: 500}); lab.Rating != want || lab.ReachM != 0.1 ||
		lab.Faults != nil || lab.Name != "small" {
		t.Errorf("%+v, reach %g m, %v, %q: want %+v, its stroke, no faults, the name", lab.Rating, lab.ReachM, lab.Faults,
			lab.Name, want)
	}
	if want := (rig.Profile{ToSafe: true, Velocity: 0.02, Acceleration: 0.1, WithinS: 30}); lab.Profile != want {
		t.Errorf("profile %+v: want %+v", lab.Profile, want)
	}
	if _, ok := rths.As[rths.Stateful](lab.Rig); !ok {
		t.Error("the rig has no state to save")
	}
	if lab = rthstest.Must(parsed(t, small, "diverged_m=0.3",
		"limits=none").Laboratory(scenario.Options{})); lab.ReachM != 0.3 {
		t.Errorf("reach %g m without a stroke: want diverged_m", lab.ReachM)
	}
	if _, err := parsed(t, small, "on_trip.ramp_to=up").Laboratory(scenario.Options{}); err == nil ||
		!strings.Contains(err.Error(), "on_trip: ramp_to \"up\": want zero or last-safe") {
		t.Errorf("%v: want a refusal of ramp_to", err)
	}
}

// A laboratory reads ground motions only where the length of the run says when faults end.
func TestLaboratoryReadsWhatItNeeds(t *testing.T) {
	record := "ground={record: nowhere}"
	if _, err := parsed(t, small, record).Laboratory(scenario.Options{}); err != nil {
		t.Errorf("%v: want no look at the record", err)
	}
	if _, err := parsed(t, small, record, "faults=[{kind: reversed, channel: force_N}]").Laboratory(
		scenario.Options{}); err == nil || !strings.Contains(err.Error(), "ground") {
		t.Errorf("%v: want the missing record", err)
	}
	_, err := parsed(t, small, "faults=[{kind: reversed, channel: force_N, from_s: 3}]").Laboratory(scenario.Options{})
	if err == nil || !strings.Contains(err.Error(),
		"faults[1]: from_s 3: want 0 or more and less than the 1.00098 s of the run") {
		t.Errorf("%v: want a refusal of from_s", err)
	}
}

// Nobody brings a rig elsewhere to a displacement before the run.
func TestRigElsewhereStartsAtRest(t *testing.T) {
	s := parsed(t, small, "initial_displacement=[0.002, 0.003]")
	_, err := s.Build(t.Context(), scenario.Options{Rig: behindWire{}})
	_, other := s.Laboratory(scenario.Options{})
	for _, err := range []error{err, other} {
		if err == nil || !strings.Contains(err.Error(),
			"initial_displacement: only a virtual rig is brought there before the run: for a rig elsewhere want a start "+
				"from rest") {
			t.Errorf("%v: want a refusal", err)
		}
	}
}

// Expectations on true values are not judged on a rig elsewhere, and the run says so; all
// others are.
func TestExpectOnARigElsewhere(t *testing.T) {
	expect := "expect={J2_true_pct: {max: 1e-9}, J2_pct: {max: 1e-9}}"
	run := func(o scenario.Options) *scenario.Run {
		r := rthstest.Must(parsed(t, small, expect).Build(t.Context(), o))
		steps(t, r, nil)
		return r
	}
	lab := rthstest.Must(parsed(t, small).Laboratory(scenario.Options{}))
	const note = "expect: J2_true_pct needs the true displacement or force, which no rig in another process sends: " +
		"not judged"
	r := run(scenario.Options{Rig: behindWire{lab.Rig}})
	if unmet := verdict.Unmet(r); !slices.Contains(r.Notes, note) || len(unmet) != 1 ||
		!strings.HasPrefix(unmet[0], "J2_pct is ") {
		t.Errorf("notes %q, unmet %q: want the note, and J2_pct missed", r.Notes, unmet)
	}
	r = run(scenario.Options{})
	if unmet := verdict.Unmet(r); slices.Contains(r.Notes, note) || len(unmet) != 2 {
		t.Errorf("virtual run: notes %q, unmet %q: want both missed", r.Notes, unmet)
	}
	_, err := parsed(t, small, "expect={J2_tru_pct: {max: 1}}").Build(t.Context(),
		scenario.Options{Rig: behindWire{lab.Rig}})
	if err == nil || !strings.Contains(err.Error(), "did you mean J2_true_pct") {
		t.Errorf("%v: want a refusal of a name that no run has", err)
	}
}

// The scenario of a run, read again, expects the same.
func TestExpectIsWrittenInFull(t *testing.T) {
	r, err := parsed(t, small, "expect={J2_pct: {max: 3}, J1_ms: {min: -1, max: 2.5}}").Build(t.Context(),
		scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := r.Scenario.YAML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := scenario.Parse("again.yaml", []byte(text), ".", nil)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if len(again.Expect) != 2 || again.Expect[0].Name != "J2_pct" || *again.Expect[0].Max != 3 ||
		*again.Expect[1].Min != -1 {
		t.Errorf("read again: %+v", again.Expect)
	}
}
