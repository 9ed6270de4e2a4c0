package scenario_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/scenario"
	"rths/scenario/doubts"
	"rths/scenario/verdict"
	"rths/scenarios"
)

const small = rthstest.Small

func parse(text string, sets ...string) (*scenario.Scenario, error) {
	return scenario.Parse("small.yaml", []byte(text), ".", sets)
}

func parsed(t *testing.T, text string, sets ...string) *scenario.Scenario {
	t.Helper()
	s, err := parse(text, sets...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// built is a scenario made ready to run.
func built(t *testing.T, text string, sets ...string) *scenario.Run {
	t.Helper()
	r, err := parsed(t, text, sets...).Build(t.Context(), scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// steps runs to the end and looks, if that is given, at every tick.
func steps(t *testing.T, r *scenario.Run, look func(*rths.Frame)) {
	t.Helper()
	for !r.Loop.Done() {
		if err := r.Loop.Step(); err != nil {
			t.Fatal(err)
		}
		if look != nil {
			look(r.Loop.Frame())
		}
	}
}

// build parses and builds, and returns the first error.
func build(ctx context.Context, text string, sets ...string) error {
	s, err := parse(text, sets...)
	if err != nil {
		return err
	}
	_, err = s.Build(ctx, scenario.Options{})
	return err
}

func TestSmallScenarioRuns(t *testing.T) {
	r := built(t, small)
	if r.Samples != 1025 {
		t.Errorf("%d samples of a second at 1024 Hz, want 1025", r.Samples)
	}
	steps(t, r, nil)
	if n := len(r.Summary()); n < 9 {
		t.Errorf("%d criteria: want J1 to J9 at least", n)
	}
	for _, v := range r.Summary() {
		if v.Doc == "" || math.IsInf(v.V, 0) {
			t.Errorf("criterion %s = %g, doc %q", v.Name, v.V, v.Doc)
		}
	}
}

// What was written out in full is read back as the same scenario.
func TestResolvedScenarioReadsBack(t *testing.T) {
	for _, sets := range [][]string{nil, {"compensator.kind=amb"}, {"compensator.kind=kf", "loop=open"},
		{"specimen.kind=silva2020", "transfer.kind=silva2020", "perturbed=3", "structure.stiffnesses=[2e6, 1e6]"},
		{"structure={kind: silva2020, case: 2}"},
		{"forces=[{dof: 2, history: {kind: pulse}}]", "more_ground=[{influence: [0, 1], motion: {kind: sine}}]",
			"initial_displacement=[0.001, 0.002]"},
		{every}, {"faults=[]"},
		{"integrator.kind=cr", "two_rate={main_step: 8, predictor: {kind: dual-explicit}}"},
		{"two_rate={main_step: 4, force_fit: 8}"}, {"passivity={max_damping: 1e4}"},
		{"transfer={kind: tf, num: [30, 2500], den: [1, 80, 2500], delay_ms: 1.3}", "specimen={kind: friction, mass: 3}"},
		{"transfer.kind=zpk", "specimen.kind=maxwell"},
		{"transfer={kind: ss, a: [[0, 1], [-1000, -50]], b: [[0], [900]], c: [[1, 0]], d: [[0]]}",
			"specimen.kind=tuned-mass-damper"}} {
		s := parsed(t, small, sets...)
		if _, err := s.Build(t.Context(), scenario.Options{}); err != nil {
			t.Fatal(err)
		}
		text, err := s.YAML()
		if err != nil {
			t.Fatal(err)
		}
		again, err := parse(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if _, err := again.Build(t.Context(), scenario.Options{}); err != nil {
			t.Fatal(err)
		}
		if second, err := again.YAML(); err != nil || second != text {
			t.Errorf("%v: read back as\n%s\nwas\n%s", err, second, text)
		}
	}
}

// Files of editors on Windows begin with a byte order mark and end lines with CR LF.
func TestFilesOfWindows(t *testing.T) {
	if err := build(t.Context(), "\ufeff"+strings.ReplaceAll(small, "\n", "\r\n")); err != nil {
		t.Error(err)
	}
}

// wrong is a text in place of another, and what is said of it: where, what was found and what was wanted.
type wrong struct{ old, new, want string }

func refuses(t *testing.T, list []wrong) {
	t.Helper()
	for _, tc := range list {
		text := strings.Replace(small, tc.old, tc.new, 1)
		if err := build(t.Context(), text); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q in place of %q:\n got  %v\n want %s", tc.new, tc.old, err, tc.want)
		}
	}
}

func TestWrongInput(t *testing.T) {
	refuses(t, []wrong{
		{"rate_hz", "rate_khz", "small.yaml:2:1: rate_khz: unknown key: did you mean rate_hz?"},
		{"rate_hz: 1024", "rate_hz: fast", `small.yaml:2:10: rate_hz: found "fast": want a finite number`},
		{"rate_hz: 1024", "rate_hz: 1024 Hz", `found "1024 Hz": want a finite number without a unit`},
		{"rate_hz: 1024", "rate_hz: .nan", "want a finite number"},
		{"rate_hz: 1024", "rate_hz: '1024'", "want a finite number"},
		{"rate_hz: 1024", "rate_hz: -5", "small.yaml:2:1: rate_hz: -5 Hz: want more than 0"},
		{"rate_hz: 1024", "rate_hz: [1]", "found a list: want a finite number"},
		{"rate_hz: 1024", "rate_hz: 1024\nrate_hz: 2048", `small.yaml:3:1: key "rate_hz" stands twice`},
		{"rate_hz: 1024", "rate_hz: 1024\nseed: -1", "small.yaml:3:7: seed: found \"-1\": want a whole number of 0 or more"},
		{"rate_hz: 1024", "rate_hz: 1024\nloop: ajar", `small.yaml:3:1: loop: "ajar": want closed or open`},
		{"rate_hz: 1024", "rate_hz: 1024\ntiming: {target: then}", `target "then": want current or next`},
		{"rate_hz: 1024", "rate_hz: 1024\ntiming: {force_delay: 0.5}",
			`timing.force_delay: found "0.5": want a whole number`},
		{"rate_hz: 1024", "rate_hz: 1024\nsensors: {displacement_noise: -1}", "displacement_noise -1: want 0 or more"},
		{"rate_hz: 1024", "rate_hz: 1024\nsensors: 5", `sensors: found "5": want a block of keys`},
		{"rate_hz: 1024", "rate_hz: 1024\nforce: guessed", `small.yaml:3:1: force: "guessed": want measured or computed`},
		{"rate_hz: 1024", "rate_hz: 1024\nforce: computed",
			"small.yaml:3:1: force: computed force: specimen of 10 kg: want 0"},
		{"{kind: second-order}", "{kind: second-order, swing_rad_s: 60, swing_rate_rad_s: 1}",
			"swing 60 rad/s about 50: want less than that"},
		{"rate_hz: 1024", "rate_hz: 1024\nconverters: {reading: amps}", `reading "amps": want metres, volts or none`},
		{"rate_hz: 1024", "rate_hz: 1024\ninterface_dof: 3", "small.yaml:3:1: interface_dof: 3: want 1 to 2"},
		{"rate_hz: 1024", "rate_hz: 1024\nperturbed: 1",
			"neither the specimen (linear) nor the transfer system (second-order) has a published scatter"},
		{"rate_hz: 1024", "rate_hz: 1024\ntarget: {kind: sine}", "a prescribed target needs loop: open"},
		{"rate_hz: 1024", "rate_hz: 1024\nduration_s: 1e6", "samples: want at most"},
		{"rate_hz: 1024", "rate_hz: 5", "rk4: step 0.2 s (5 Hz) is unstable"},
		{"kind: sine", "kind: sinus", `small.yaml:3:16: ground: kind "sinus": did you mean sine?`},
		{"{kind: sine, duration_s: 1, frequency_hz: 2, amplitude_m_s2: 1}", "{record: elcentro}", "RTHS_RECORDS"},
		{"{kind: sine, duration_s: 1, frequency_hz: 2, amplitude_m_s2: 1}", "{file: nowhere.csv}", "nowhere.csv"},
		{"{kind: sine, duration_s: 1, frequency_hz: 2, amplitude_m_s2: 1}", "{amplitude: 2}",
			"ground: kind is missing: want one of record"},
		{"frequency_hz: 2", "frequency_hz: 2000", "frequency_hz 2000"},
		{"masses: [1000, 1000]", "masses: [1000, 0]", "mass 2 is 0 kg: want more than 0"},
		{"masses: [1000, 1000]", "masses: 1000", `structure.masses: found "1000": want a list, as in [1000]`},
		{"masses: [1000, 1000]", "masses: [1000, x]", `structure.masses[2]: found "x": want a finite number`},
		{"mass: 10", "mass: 1000", "leaves 0 kg at degree of freedom 1"},
		{"stiffness: 1e5", "stiffness: 1e9", "small.yaml:5:1: specimen: its stiffness of 1e+09 N/m leaves -9.99e+08 N/m"},
		{"rate_hz: 1024", "rate_hz: 1024\nconverters: {bits: 12}", "want reading metres or volts"},
		{"rate_hz: 1024", "rate_hz: 1024\ncompensator: {kind: [a]}", "compensator.kind: found a list: want one of none"},
		{"rate_hz: 1024", "rate_hz: 1024\ncompensator: {kind: kf, lower: [1, 1, 1, 1], upper: [0, 2, 2, 2]}",
			"lower bound 1 above upper bound 0"},
		{"rate_hz: 1024", "rate_hz: 1024\ncompensator: {kind: pi, lead_den: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]}",
			"denominator of order 14: want at most 12"},
	})
}

func TestWrongPlants(t *testing.T) {
	refuses(t, []wrong{
		{"{kind: second-order}", "{kind: tf, num: [1, 2, 3], den: [1, 1]}",
			"small.yaml:6:1: transfer: tf transfer system: improper, numerator of order 2 over denominator of order 1: want " +
				"at most 1"},
		{"{kind: second-order}", "{kind: tf, num: [1], den: [1, -1]}",
			"transfer: tf transfer system: unstable, a pole at 1 rad/s: want negative real parts"},
		{"{kind: second-order}", "{kind: tf, num: 1}", `small.yaml:6:27: transfer.num: found "1": want a list, as in [1]`},
		{"{kind: second-order}", "{kind: tf, delay_ms: -2}", "delay -2 ms: want 0 to a million samples"},
		{"{kind: second-order}", "{kind: tf, delay: 2}", "transfer.delay: unknown key: did you mean delay_ms?"},
		{"{kind: second-order}", "{kind: zpk, poles: [-1, -2]}",
			`small.yaml:6:30: transfer.poles: found a list of numbers: want a list of lists, as in [[-1, …], …]`},
		{"{kind: second-order}", "{kind: zpk, poles: [[-1, 2]]}",
			"pole 1, -1+2i rad/s, has no conjugate: want -1-2i beside it"},
		{"{kind: second-order}", "{kind: ss, a: [[-1]], b: [[1, 2]], c: [[1]]}",
			"ss transfer system: row 1 of b has 2 numbers: want 1"},
		{"{kind: second-order}", "{kind: ss, a: [[-1, 0], [0, -1]], b: [[1, 0], [0, 1]], c: [[1, 0], [0, 1]]}",
			"small.yaml:6:1: transfer: ss of 2 axes: want 1"},
		{"{kind: second-order}", "{kind: ss, a: [[x]]}", `transfer.a[1][1]: found "x": want a finite number`},
		{"{kind: linear, mass: 10, damping: 100, stiffness: 1e5}", "{kind: viscous-damper, exponent: 3}",
			"small.yaml:5:1: specimen: viscous-damper specimen: exponent 3: want more than 0, at most 2"},
		{"{kind: linear, mass: 10, damping: 100, stiffness: 1e5}", "{kind: friction, stick_stiffness: 0}",
			"friction specimen: stick_stiffness 0 N/m: want more than 0"},
		{"{kind: linear, mass: 10, damping: 100, stiffness: 1e5}", "{kind: friction, mu: 1}", "specimen.mu: unknown key"},
		{"{kind: linear, mass: 10, damping: 100, stiffness: 1e5}", "{kind: tuned-mass-damper, damper_mass: 0}",
			"damper_mass 0 kg: want more than 0"},
		{"{kind: linear, mass: 10, damping: 100, stiffness: 1e5}", "{kind: maxwell, stiffness: 1e10}",
			"coupled reference: the fastest rate 1e+06 1/s of structure and specimens needs 9.77e+03 sub-steps"},
	})
}

func TestWrongTwoRate(t *testing.T) {
	refuses(t, []wrong{
		{"rate_hz: 1024", "rate_hz: 1024\ntwo_rate: {main_step: 2.5}",
			`small.yaml:3:23: two_rate.main_step: found "2.5": want a whole number`},
		{"rate_hz: 1024", "rate_hz: 1024\ntwo_rate: {main_step: 0}",
			"small.yaml:3:1: two_rate: two-rate: main step of 0 samples: want 1 to"},
		{"rate_hz: 1024", "rate_hz: 1024\ntwo_rate:", "two_rate: two-rate: main step of 0 samples: want 1 to"},
		{"rate_hz: 1024", "rate_hz: 1024\ntwo_rate: {main_step: 100}",
			"main step of 100 samples: rk4: step 0.09766 s (10.24 Hz) is unstable"},
		{"rate_hz: 1024", "rate_hz: 1024\ntwo_rate: {main_step: 5, predictor: {kind: poly5}}",
			`two_rate.predictor: kind "poly5": did you mean poly2, poly3 or poly4?`},
		{"rate_hz: 1024", "rate_hz: 1024\ntwo_rate: {main_step: 5, predictor: {kind: poly2, lambda: 3}}",
			"two_rate.predictor.lambda: unknown key"},
		{"rate_hz: 1024", "rate_hz: 1024\ntwo_rate: {main_step: 5, predictor: {kind: dual-explicit, lambda: -3}}",
			"dual-explicit: lambda -3: want more than 0"},
		{"rate_hz: 1024", "rate_hz: 1024\ntwo_rate: {main_step: 5, predictor: {kind: dual-explicit}}",
			"want lambda, or integrator cr or gui"},
		{"rate_hz: 1024", "rate_hz: 1024\nintegrator: {kind: gui, lambda: 20}\ntwo_rate: {main_step: 100}",
			"main step of 100 samples: gui with lambda 20: step"},
		{"rate_hz: 1024", "rate_hz: 1024\ntwo_rate: {main_step: 5, force_fit: 2}",
			"force correction through 2 samples: want 3 to"},
		{"rate_hz: 1024", "rate_hz: 1024\ntiming: {force_delay: 1}\ntwo_rate: {main_step: 5, force_fit: 8}",
			"small.yaml:4:1: two_rate: force_fit 8 beside a force_delay of 1 samples"},
	})
}

func TestWrongBlocksAndTexts(t *testing.T) {
	refuses(t, []wrong{
		{"specimen:", "specimens:", "want a list, as in [{along: …, specimen: …, lean: …, length_m: …}]"},
		{"transfer: {kind: second-order}", "", "transfer: missing: want a block with kind"},
		{"{kind: second-order}", "{kind: second-order, omega_rad_s: 0}", "omega 0 rad/s"},
		{"{kind: second-order}", "&a {kind: second-order}", "anchors, aliases, tags and merge keys are not used"},
		{"name: small", "name: [", "small.yaml"},
		{small, "", "the file is empty"},
		{small, strings.Repeat("x", 1e5), `found "` + strings.Repeat("x", 60) + `": want a scenario`},
		{small, "a: 1\n---\nb: 2\n", "2 documents: want one"},
	})
}

// Overrides are checked like the file, and say that they are overrides.
func TestOverrides(t *testing.T) {
	s := parsed(t, small, "rate_hz=2048", "timing.target=next", "compensator.kind=amb", "compensator.order=2",
		"sensors.displacement_gain=1.1")
	if s.RateHz != 2048 || s.Timing.Target != "next" || s.Compensator.Kind != "amb" || s.Sensors.DisplacementGain != 1.1 {
		t.Errorf("overrides not taken: %g Hz, %s, %s, gain %g", s.RateHz, s.Timing.Target, s.Compensator.Kind,
			s.Sensors.DisplacementGain)
	}
	// Another kind drops the parameters of the old one.
	if err := build(t.Context(), small, "structure.kind=silva2020"); err != nil {
		t.Errorf("another kind of structure: %v", err)
	}
	for set, want := range map[string]string{
		"rate_hz":             "--set rate_hz: want KEY=VALUE",
		"compensator.kind=no": `--set compensator.kind=no: compensator: kind "no": did you mean none?`,
		"transfer.omega=3":    "--set transfer.omega=3: transfer.omega: unknown key",
		"rate_hz.a=3":         "rate_hz is a value, not a block of keys",
		"timing={target: x":   "--set timing={target: x",
	} {
		if err := build(t.Context(), small, set); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--set %s:\n got  %v\n want %s", set, err, want)
		}
	}
}

// An open loop follows a prescribed target: through an ideal transfer system a
// sample late, as the command is held.
func TestPrescribedTarget(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.csv"), []byte("time_s,target_m\n0,0\n0.1,0.001\n0.2,0.002\n0.3,0.001\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	text := "name: loading\nrate_hz: 100\nloop: open\ntarget: {file: x.csv}\nspecimen: {kind: linear, stiffness: " +
		"1e6}\ntransfer: {kind: ideal}\n"
	s, err := scenario.Parse("loading.yaml", []byte(text), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Build(t.Context(), scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	last := 0.0
	steps(t, r, func(f *rths.Frame) {
		want := math.Min(0.01*f.T, 0.004-0.01*f.T)
		if math.Abs(f.Target.X[0]-want) > 1e-15 || f.Read.X[0] != last {
			t.Fatalf("t = %g: target %g, want %g; measured %g, want %g", f.T, f.Target.X[0], want, f.Read.X[0], last)
		}
		if math.Abs(f.Read.F[0]-1e6*last) > 1e-9 || f.Force[0] != 0 {
			t.Fatalf("t = %g: force %g read and %g used, want %g and 0", f.T, f.Read.F[0], f.Force[0], 1e6*last)
		}
		last = f.Target.X[0]
	})
	if r.Samples != 31 {
		t.Errorf("%d samples of 0.3 s at 100 Hz, want 31", r.Samples)
	}
}

// With a specimen beside the structure the run comes to its reference, the
// structure with the specimen on it, as the sample that lies between them gets
// shorter; and the specimen is felt.
func TestSpecimensBesideTheStructure(t *testing.T) {
	for _, specimen := range []string{
		"{kind: viscous-damper, damping: 3000, exponent: 0.5}",
		"{kind: viscous-damper, damping: 5000, stiffness: 1e5, mass: 20}",
		"{kind: maxwell, damping: 5000, stiffness: 2e5}",
		"{kind: friction, coefficient: 0.1, normal_force: 5000, stick_stiffness: 1e6}",
		"{kind: tuned-mass-damper, damper_mass: 100, stiffness: 4e4, damping: 500}",
	} {
		// J4 and the largest force
		run := func(rate string) (j4, force float64) {
			r := built(t, small, "specimen="+specimen, "transfer.kind=ideal", "timing.target=next", "rate_hz="+rate)
			steps(t, r, func(f *rths.Frame) {
				force = max(force, math.Abs(f.InterfaceRead.F[0]))
			})
			return result(t, r, "J4_pct"), force
		}
		coarse, _ := run("2048")
		fine, force := run("8192")
		if ratio := coarse / fine; !(fine < 1) || !(ratio > 3 && ratio < 5) || !(force > 50) {
			t.Errorf("%s: J4 %g %% at 2048 Hz, %g %% at 8192 Hz: want it to fall with the sample, fourfold; largest force %g N",
				specimen, coarse, fine, force)
		}
	}
}

// A nonlinear specimen that is a part of the structure is taken out of it with its
// first stiffness: in small motion run and reference agree with the linear
// specimen. In large motion the run comes to its reference, numerical part and
// specimen together, as the sample gets shorter.
func TestNonlinearSpecimensWithinTheStructure(t *testing.T) {
	run := func(sets ...string) (x []float64, j4 float64) {
		r := built(t, small, append(sets, "transfer.kind=ideal", "timing.target=next")...)
		steps(t, r, func(f *rths.Frame) {
			x = append(x, f.Num.X...)
		})
		return x, result(t, r, "J4_pct")
	}
	const weak = "ground.amplitude_m_s2=1e-3"
	for specimen, linear := range map[string]string{
		"{kind: bilinear, mass: 10, damping: 100, stiffness: 1e5, post_stiffness: 1e4, yield_displacement: 1e-3}": "" +
			"{kind: linear, mass: 10, damping: 100, stiffness: 1e5}",
		// the whole storey
		"{kind: bilinear, stiffness: 1e6, post_stiffness: 5e5, yield_displacement: 1e-3}": "{kind: linear, stiffness: 1e6}",
		"{kind: bouc-wen, mass: 10, damping: 100, stiffness: 1e5, post_yield_ratio: 0.2, yield_force: 80, exponent: 4, " +
			"beta: 0.1, alpha: 0}": "{kind: linear, mass: 10, damping: 100, stiffness: 1e5}",
	} {
		got, j4 := run("specimen="+specimen, weak, "rate_hz=4096")
		want, wantJ4 := run("specimen="+linear, weak, "rate_hz=4096")
		for i := range got {
			if math.Abs(got[i]-want[i]) > 1e-12 {
				t.Fatalf("%s: %g m in small motion, %g m with the linear one", specimen, got[i], want[i])
			}
		}
		if math.Abs(j4-wantJ4) > 1e-3*wantJ4 {
			t.Errorf("%s: J4 %g %%, %g %% with the linear one", specimen, j4, wantJ4)
		}
		_, coarse := run("specimen="+specimen, "rate_hz=2048")
		x, fine := run("specimen="+specimen, "rate_hz=8192")
		if ratio := coarse / fine; !(fine < 1) || !(ratio > 3 && ratio < 5) {
			t.Errorf("%s: J4 %g %% at 2048 Hz, %g %% at 8192 Hz: want it to fall with the sample, fourfold", specimen, coarse,
				fine)
		}
		if same, _ := run("specimen="+linear, "rate_hz=8192"); math.Abs(x[len(x)-1]-same[len(x)-1]) < 1e-5 {
			t.Errorf("%s: it has not yielded", specimen)
		}
	}
}

// With an ideal table the shipped shake-table test is the undivided frame of three
// floors (paper 001, eqs 3.13 and 3.14): the lower floors move relative to the ground
// as they do in it, and the force is the force in the upper storey, mass times
// absolute acceleration. The sample between them makes the difference.
func TestShakeTableIsTheUndividedFrame(t *testing.T) {
	coarse, _ := shakeTable(t, "4000")
	fine, force := shakeTable(t, "8000")
	if ratio := coarse / fine; !(fine < 4e-3) || !(ratio > 1.8 && ratio < 2.2) || !(force < 1e-2) {
		t.Errorf("floors apart by %.2g and %.2g of the largest at 4000 and 8000 Hz, force by %.2g: want half at twice the "+
			"rate, and less than 0.4 and 1 %%", coarse, fine, force)
	}
}

// shakeTable gives the largest differences over the largest value.
func shakeTable(t *testing.T, rateHz string) (floors, force float64) {
	text, err := scenarios.Files.ReadFile("shake-table.yaml")
	if err != nil {
		t.Fatal(err)
	}
	loop := func(sets ...string) *rths.Loop {
		s, err := scenario.Parse("shake-table.yaml", text, ".",
			append(sets, "rate_hz="+rateHz, "transfer.kind=ideal", "sensors=", "compensator.kind=none", "timing.target=next"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Build(t.Context(), scenario.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r.Loop
	}
	divided := loop()
	whole := loop(
		"structure={kind: shear, masses: [1000, 1000, 200], stiffnesses: [2e6, 2e6, 4e5], damping: {matrix: [[8000, -4000, "+
			"0], [-4000, 4800, -800], [0, -800, 800]]}}",
		"specimen={kind: linear}", "interface_dof=1")
	var apart, most, forceApart, mostForce, before float64
	for !divided.Done() {
		if err := errors.Join(divided.Step(), whole.Step()); err != nil {
			t.Fatal(err)
		}
		d, w := divided.Frame(), whole.Frame()
		for i := range 2 {
			apart = max(apart, math.Abs(d.Num.X[i+1]-d.Num.X[0]-w.Num.X[i]))
			most = max(most, math.Abs(w.Num.X[i]))
		}
		storey := w.Num.X[1] - w.Num.X[2]
		f := 4e5*storey + 800*(storey-before)/(d.T/float64(max(d.K, 1)))
		if before = storey; d.K > 0 {
			forceApart, mostForce = max(forceApart, math.Abs(d.InterfaceRead.TrueF[0]-f)), max(mostForce, math.Abs(f))
		}
	}
	return apart / most, forceApart / mostForce
}

// Every shipped scenario is read and, if its motion is there, built and run for a
// second.
func TestShippedScenarios(t *testing.T) {
	files, err := scenarios.Files.ReadDir(".")
	if err != nil || len(files) < 2 {
		t.Fatalf("%d shipped scenarios, %v", len(files), err)
	}
	for _, f := range files {
		t.Run(f.Name(), func(t *testing.T) {
			text, err := scenarios.Files.ReadFile(f.Name())
			if err != nil {
				t.Fatal(err)
			}
			s, err := scenario.Parse(f.Name(), text, ".", nil)
			if err != nil {
				t.Fatal(err)
			}
			records := os.Getenv("RTHS_RECORDS")
			if s.Ground.Kind == "record" && records == "" {
				t.Skip("RTHS_RECORDS is not set: read, not built")
			}
			r, err := s.Build(t.Context(), scenario.Options{RecordsDir: records})
			for k := 0; err == nil && !r.Loop.Done() && float64(k) < s.RateHz; k++ {
				err = r.Loop.Step()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// Shipped scenarios that say what to expect meet it, on artificial motions.
func TestShippedScenariosMeetExpectations(t *testing.T) {
	files := rthstest.Must(scenarios.Files.ReadDir("."))
	met := 0
	for _, f := range files {
		s := rthstest.Must(scenario.Parse(f.Name(), rthstest.Must(scenarios.Files.ReadFile(f.Name())), ".", nil))
		if len(s.Expect) == 0 || s.Ground.Kind == "record" {
			continue
		}
		r := rthstest.Must(s.Build(t.Context(), scenario.Options{}))
		if err := r.Loop.Run(1, nil); err != nil {
			t.Errorf("%s: %v", f.Name(), err)
			continue
		}
		for _, miss := range verdict.Unmet(r) {
			t.Errorf("%s: %s", f.Name(), miss)
		}
		met++
	}
	if met == 0 {
		t.Error("no shipped scenario says what to expect")
	}
}

// Perturbed plants differ, are the same for the same trial, and leave the
// reference structure as it is (docs/reference/benchmark-siso.md, Partition).
func TestPerturbedPlants(t *testing.T) {
	stiffness := func(set string) string {
		s := parsed(t, small, "specimen.kind=silva2020", "transfer.kind=silva2020", "structure.kind=silva2020", set)
		if _, err := s.Build(t.Context(), scenario.Options{}); err != nil {
			t.Fatal(err)
		}
		text, err := s.YAML()
		if err != nil {
			t.Fatal(err)
		}
		return text[strings.Index(text, "specimen:"):]
	}
	nominal, one, two := stiffness("perturbed=0"), stiffness("perturbed=1"), stiffness("perturbed=2")
	if nominal == one || one == two {
		t.Error("two trials have the same plant")
	}
	if one != stiffness("perturbed=1") {
		t.Error("one trial has two plants")
	}
}

// The schema names every key and every kind.
func TestSchema(t *testing.T) {
	text, err := scenario.Schema()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range scenario.Families() {
		for _, k := range f.Kinds {
			if f.Key != "criteria" && f.Key != "format" && !strings.Contains(string(text), `"const": "`+k.Name+`"`) {
				t.Errorf("the schema does not know %s of kind %s", f.Key, k.Name)
			}
			for _, p := range k.Params {
				name := p.Key[strings.LastIndex(p.Key, ".")+1:]
				if p.Doc == "" {
					t.Errorf("%s %s: key %s has no documentation", f.Key, k.Name, p.Key)
				}
				if !strings.Contains(string(text), `"`+name+`":`) {
					t.Errorf("the schema does not know key %s of %s %s", p.Key, f.Key, k.Name)
				}
			}
		}
	}
}

// No text makes the reader panic, or the doubts about what was read.
func FuzzParse(f *testing.F) {
	f.Add(small)
	f.Add("a: [1, {b: c}]\n")
	f.Add("name: |\n  x\nseed: 0x10\n")
	f.Add("? a\n: b\n")
	f.Add(small +
		"scatter: {transfer.gain: {kind: normal, mean: 1, sd: 0.1}, specimen.mass: {kind: uniform}, sensors.x[1][: {kind: " +
		"normal}}\n")
	f.Add("- - - {a: [}]}\n---\n&a *a !a\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parse(text)
		if err == nil && s == nil {
			t.Error("neither a scenario nor an error")
		}
		if err == nil {
			doubts.Of(s)
		}
	})
}

// No override makes the reader panic, or the doubts about what was read.
func FuzzOverride(f *testing.F) {
	f.Add("compensator.kind=amb")
	f.Add("a.b.c=[1, 2")
	f.Add("scatter.transfer.num[1].kind=normal")
	f.Add("=")
	f.Fuzz(func(t *testing.T, set string) {
		s, err := parse(small, set)
		if err == nil && s == nil {
			t.Error("neither a scenario nor an error")
		}
		if err == nil {
			doubts.Of(s)
		}
	})
}

// A foundation of finite elements runs with the methods for sparse matrices, its
// specimen at the middle of the top; what is missing is said.
func TestFoundationScenario(t *testing.T) {
	text := strings.Replace(small,
		"structure: {kind: shear, masses: [1000, 1000], stiffnesses: [1e6, 1e6], damping: {modal_ratio: [0.02]}}",
		"structure: {kind: fe-foundation}\nintegrator: {kind: gui, lambda: 3}", 1)
	r := built(t, text)
	if r.Scenario.InterfaceDOF != 95 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "J4 to J9 are missing") {
		t.Errorf("interface %d, notes %q: want 95 and that J4 to J9 are missing", r.Scenario.InterfaceDOF, r.Notes)
	}
	steps(t, r, nil)
	if x := r.Loop.Frame().Target.X[0]; x == 0 || math.Abs(x) > 0.01 {
		t.Errorf("last target %g m: want a small motion", x)
	}
	for _, c := range []struct{ set, want string }{
		{"integrator.kind=rk4", ""},
		{"integrator.kind=average-acceleration", ""},
		{"integrator={kind: newmark-explicit}", ""},
		{"rate_hz=100", ""},
		{"integrator={kind: gui, lambda: 8}", ""},
		{"interface_dof=177", "interface_dof: 177: want 1 to 176"},
		{"structure.elements_x=13", "structure: fe-foundation: 13 elements along the width: want an even number"},
		{"specimen.stiffness=1e12",
			"specimen: its stiffness of 1e+12 N/m leaves -9.98051e+11 N/m to the numerical part at degree of freedom 95"},
	} {
		err := build(t.Context(), text, c.set)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v: want one that says %q", c.set, err, c.want)
		}
	}
	if err := build(t.Context(), text, "integrator={kind: newmark-explicit}", "rate_hz=200"); err == nil ||
		!strings.Contains(err.Error(),
			"newmark-explicit: step 0.005 s (200 Hz) is unstable for the numerical part's highest frequency 94.02 Hz, stable "+
				"up to 0.003386 s: want a rate of 296 Hz or more") {
		t.Errorf("error %v: want the limit", err)
	}
	if given := built(t, text, "interface_dof=1").Scenario.InterfaceDOF; given != 1 {
		t.Errorf("interface %d: want 1 as given", given)
	}
}

// A mesh in a scenario, its errors with their place.
func TestMeshScenario(t *testing.T) {
	text := strings.Replace(small,
		"structure: {kind: shear, masses: [1000, 1000], stiffnesses: [1e6, 1e6], damping: {modal_ratio: [0.02]}}",
		"structure: {kind: fe-mesh, nodes: [[0, 0], [1, 0], [1, 1], [0, 1]], elements: [[1, 2, 3, 4]], fixed: [1, "+
			"2]}\nintegrator: {kind: cr}", 1)
	for _, c := range []struct{ set, want string }{
		{"name=mesh", ""},
		{"structure.elements=[[1, 4, 3, 2]]",
			"structure: fe-mesh: mesh: element 1 (nodes 1, 4, 3, 2): inverted or degenerate at its corner 1 (0, 0), Jacobian " +
				"-0.25 m²: want four corners counterclockwise"},
		{"structure.elements=[[1, 2, 3, 4.5]]", `structure.elements[1][4]: found "4.5": want a whole number`},
		{"structure.rayleigh={ratio: 0.02, freq_hz: [10, 20]}", ""},
	} {
		err := build(t.Context(), text, c.set)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v: want one that says %q", c.set, err, c.want)
		}
	}
}

// A frame on a shake table: with absolute motion of the interface the run is its
// reference but for the held force; with relative motion the frame would not feel
// the ground. The table follows the free field while nothing pushes back.
func TestShakeTableScenario(t *testing.T) {
	text := strings.NewReplacer("rate_hz: 1024",
		"rate_hz: 4096\ntiming: {target: next}\ninterface_dof: 2\ninterface_motion: absolute",
		"{kind: linear, mass: 10, damping: 100, stiffness: 1e5}", "{kind: frame, mass: 5}", "{kind: second-order}",
		"{kind: ideal}").Replace(small)
	peak := 0.0 // force of the last run
	run := func(sets ...string) *scenario.Run {
		peak = 0
		r := built(t, text, sets...)
		steps(t, r, func(f *rths.Frame) {
			peak = max(peak, math.Abs(f.Read.TrueF[0]))
		})
		return r
	}
	whole := run()
	if j4, floor := result(t, whole, "J4_pct"), result(t, whole, "floor1_std_pct"); !(j4 < 0.5 && floor < 0.5) {
		t.Errorf("J4 %g %%, floor 1 %g %%: want below 0.5, the force is held for a sample", j4, floor)
	}
	run("ground.frequency_hz=0.5")
	absolute := peak
	run("ground.frequency_hz=0.5", "interface_motion=relative")
	if !(absolute > 2*peak) {
		t.Errorf("peak force %g N with absolute motion, %g N with relative: want more than twice that", absolute, peak)
	}
	// Far below the foundation's own frequencies, the table follows the free field.
	foundation := []string{"structure={kind: fe-foundation}", "integrator={kind: gui, lambda: 3}", "interface_dof=95",
		"interface_motion=free-field"}
	last := run(foundation...).Loop.Frame()
	const w = 2 * 2 * math.Pi // the sine of the ground motion, 1 m/s², integrated twice
	end := last.T + 1.0/4096
	if x := (end - math.Sin(w*end)/w) / w; math.Abs(last.Target.X[0]-x) > 1e-5 {
		t.Errorf("table at %g m: want the free field's %g", last.Target.X[0], x)
	}
	for _, c := range []struct{ set, want string }{
		{"interface_motion=apart", `interface_motion: "apart": want relative, absolute or free-field`},
		{"specimen={kind: linear, mass: 1}",
			"specimen: linear, which is taken out of the structure, with interface_motion absolute: want one that stands " +
				"on a table"},
	} {
		if err := build(t.Context(), text, c.set); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v: want one that says %q", c.set, err, c.want)
		}
	}
}
