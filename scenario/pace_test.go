package scenario_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/model/integrate"
	"rths/scenario"
)

// slowText is a frame of three storeys whose first has the specimen, all of it a spring.
const slowText = `name: slow
rate_hz: 128
ground: {kind: sine, frequency_hz: 1.3, amplitude_m_s2: 2, duration_s: 4}
structure: {kind: shear, masses: [1e3, 1e3, 8e2], stiffnesses: [1e6, 8e5, 6e5], damping: {modal_ratio: [0.02, 0.02, 0.02]}}
integrator: {kind: newmark-explicit}
specimen: {kind: linear, stiffness: 4e5}
transfer: {kind: ideal}
compensator: {kind: none}
limits: none
`

// stepped keeps the displacements of the numerical part, a step each.
type stepped struct{ x [][]float64 }

func (s *stepped) Observe(f *rths.Frame) {
	if f.K != len(s.x) {
		panic(fmt.Sprintf("step %d comes as the %d-th", f.K, len(s.x)))
	}
	s.x = append(s.x, append([]float64(nil), f.Num.X...))
}
func (*stepped) UsesNumerical() {}

// stepsOf are the steps of a run, and the run.
func stepsOf(t *testing.T, text string, sets ...string) ([][]float64, *scenario.Run) {
	t.Helper()
	r := built(t, text, sets...)
	var s stepped
	r.Loop.Attach(&s)
	steps(t, r, nil)
	if status, why := r.Status(nil); status != rths.Completed {
		t.Fatalf("%s: %s", status, why)
	}
	return s.x, r
}

// offBy is the largest difference of the same number of steps over the largest number.
func offBy(t *testing.T, got, want [][]float64) float64 {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d steps: want %d", len(got), len(want))
	}
	diff, peak := 0.0, 0.0
	for k := range want {
		for i, w := range want[k] {
			diff, peak = math.Max(diff, math.Abs(got[k][i]-w)), math.Max(peak, math.Abs(w))
		}
	}
	return diff / peak
}

// A slow test on an ideal actuator is the test in real time, with every integrator, pace and scale: the specimen is a
// spring, and the time of its motion does not matter.
func TestSlowIsRealTime(t *testing.T) {
	for _, kind := range integrate.Kinds {
		if kind.Name == "average-acceleration" {
			continue // closing
		}
		set := "integrator={kind: " + kind.Name + "}"
		want, _ := stepsOf(t, slowText, set, "timing.target=next")
		for _, pace := range []string{
			"{kind: continuous, time_scale: 1}", "{kind: continuous, time_scale: 10}", "{kind: continuous, time_scale: 100}",
			"{kind: ramp-hold, time_scale: 10}", "{kind: ramp-hold, time_scale: 7, ramp: linear, speed_m_s: 0.01}",
			"{kind: ramp-hold, time_scale: 2.3, settle: {tolerance_m: 1e-9, samples: 4}, average: 3}",
		} {
			got, _ := stepsOf(t, slowText, set, "pace="+pace)
			if d := offBy(t, got, want); !(d < 1e-9) {
				t.Errorf("%s, %s: %.3g of the peak: want 1e-9", kind.Name, pace, d)
			}
		}
	}
}

// Mass and damping of a specimen are in the numerical part of a slow test: at rest in a hold it feels a spring alone.
// In a continuous one the share of its inertia that the force has is not there a second time.
func TestSlowCarriesTheSpecimen(t *testing.T) {
	want, _ := stepsOf(t, slowText, "timing.target=next")
	hold := "pace={kind: ramp-hold, time_scale: 10, settle: {tolerance_m: 1, samples: 4}}"
	got, r := stepsOf(t, slowText, hold, "specimen={kind: linear, mass: 300, damping: 2000, stiffness: 4e5}")
	if d := offBy(t, got, want); !(d < 1e-9) {
		t.Errorf("a specimen with mass: %.3g of the peak: want 1e-9", d)
	}
	if !strings.Contains(strings.Join(r.Notes, "\n"), "0 % of its inertia (mass 300 kg) and 0 % of its viscous force (2000 N·s/m)") {
		t.Errorf("notes %q", r.Notes)
	}
	fine := "pace={kind: continuous, dt_s: 0.0078125, time_scale: 4}"
	want, _ = stepsOf(t, slowText, fine, "rate_hz=8192")
	got, r = stepsOf(t, slowText, fine, "rate_hz=8192", "specimen={kind: linear, mass: 300, damping: 200, stiffness: 4e5}")
	if d := offBy(t, got, want); !(d < 0.02) {
		t.Errorf("continuous: %.3g of the peak: want 0.02", d)
	}
	if !strings.Contains(strings.Join(r.Notes, "\n"), "6.25 % of its inertia (mass 300 kg) and 25 % of its viscous force") {
		t.Errorf("notes %q", r.Notes)
	}
}

// A hold of several readings stands also where a ramp is one sample: the specimen shows no inertia in it.
func TestSlowStandsAfterOneSample(t *testing.T) {
	want, _ := stepsOf(t, slowText, "timing.target=next")
	for _, hold := range []string{"settle: {samples: 4}", "settle: {samples: 5, tolerance_m: 1e-9}, average: 2"} {
		got, r := stepsOf(t, slowText, "pace={kind: ramp-hold, time_scale: 1, "+hold+"}",
			"specimen={kind: linear, mass: 300, damping: 2000, stiffness: 4e5}")
		if d := offBy(t, got, want); !(d < 1e-9) {
			t.Errorf("%s: %.3g of the peak: want 1e-9; %q", hold, d, r.Notes)
		}
	}
}

// A path with a target for every sample gives compensators the rates of the integrator: at time scale 1 it is the test
// in real time on any actuator, and at another time scale rates are the laboratory's.
func TestSlowRatesOfEverySample(t *testing.T) {
	actuator := []string{"transfer={kind: second-order, omega_rad_s: 200, damping_ratio: 0.7}",
		"compensator={kind: linear-acceleration, tau_ms: 7}", "rate_hz=1024"}
	want, _ := stepsOf(t, slowText, append(actuator, "timing.target=next")...)
	for _, kind := range []string{"continuous", "ramp-hold"} {
		got, _ := stepsOf(t, slowText, append(actuator, "pace={kind: "+kind+", time_scale: 1}")...)
		if d := offBy(t, got, want); !(d < 1e-9) {
			t.Errorf("%s: %.3g of the peak: want 1e-9", kind, d)
		}
	}
	r := built(t, slowText, "pace={kind: continuous, dt_s: 0.001953125, time_scale: 4}") // 1/4 of a sample
	var x []float64
	before, most := 0.0, 0.0
	steps(t, r, func(f *rths.Frame) {
		if x = append(x, f.Target.X[0]); len(x) > 3 && len(x) < r.Steps {
			n := len(x) - 1
			if slope := (x[n] - x[n-2]) / 2 * 128; math.Abs(slope-before) > 0.02*most {
				t.Fatalf("tick %d: %g m/s before, and the target has %g m/s", n, before, slope)
			}
		}
		before = f.Target.V[0]
		most = math.Max(most, math.Abs(before))
	})
}

// The time of the structure goes on by the step, not by the sample.
func TestSlowTime(t *testing.T) {
	r := built(t, slowText, "pace={kind: ramp-hold, dt_s: 0.015625, time_scale: 3}", "indicators.energies=true")
	var at timed
	r.Loop.Attach(&at)
	steps(t, r, nil)
	for k, got := range at.t {
		if want := float64(k) / 64; got != want {
			t.Fatalf("step %d at %g s: want %g", k, got, want)
		}
	}
	if got, want := channel(t, r, "structure_time_s"), float64(r.Steps-1)/64; got != want || len(at.t) != r.Steps {
		t.Errorf("%d steps of %d, the last at %g s: want %g", len(at.t), r.Steps, got, want)
	}
}

// timed keeps the times of steps.
type timed struct{ t []float64 }

func (s *timed) Observe(f *rths.Frame) { s.t = append(s.t, f.T) }
func (*timed) UsesNumerical()          {}

// A frame that yields does so in the same way however slowly it is moved.
func TestSlowYielding(t *testing.T) {
	const yields = "specimen={kind: bilinear, stiffness: 4e5, yield_displacement: 5e-3, post_stiffness: 4e4}"
	want, _ := stepsOf(t, slowText, yields, "timing.target=next")
	for kind, most := range map[string]float64{"ramp-hold": 1e-9, "continuous": 1e-3} { // a cubic passes turning points a little
		for _, scale := range []int{1, 10, 100} {
			got, _ := stepsOf(t, slowText, yields, fmt.Sprintf("pace={kind: %s, time_scale: %d}", kind, scale))
			if d := offBy(t, got, want); !(d < most) {
				t.Errorf("%s, time scale %d: %.3g of the peak: want %g", kind, scale, d, most)
			}
		}
	}
}

// Criteria and energies are of the structure's steps: as in real time.
func TestSlowCriteria(t *testing.T) {
	real := built(t, slowText, "timing.target=next", "indicators.energies=true")
	steps(t, real, nil)
	slow := built(t, slowText, "pace={kind: ramp-hold, time_scale: 10}", "indicators.energies=true")
	steps(t, slow, nil)
	for _, name := range []string{"J4_pct", "J5_pct", "J6_pct", "J9_pct"} {
		rthstest.Near(t, name, result(t, slow, name), result(t, real, name), 1e-9)
	}
	for _, v := range real.Indicators() {
		if math.IsNaN(v.V) { // never crossed
			continue
		}
		rthstest.Near(t, v.Name, named(t, slow.Indicators(), v.Name), v.V, 1e-9*math.Max(1, math.Abs(v.V)))
	}
}

// The base shear is that of the test in real time, though the measured force has none of the specimen's inertia.
func TestSlowBaseShear(t *testing.T) {
	sets := []string{"criteria.floors=true", "rate_hz=2048", "specimen={kind: linear, mass: 300, damping: 1000, stiffness: 4e5}"}
	real := built(t, slowText, append(sets, "timing.target=next")...)
	steps(t, real, nil)
	slow := built(t, slowText, append(sets, "pace={kind: ramp-hold, time_scale: 4, settle: {samples: 3}}")...)
	steps(t, slow, nil)
	for _, name := range []string{"base_shear_peak_kN", "base_shear_rms_kN"} {
		rthstest.Near(t, name, result(t, slow, name), result(t, real, name), 0.01*result(t, real, name))
	}
}

// Average acceleration balances the energies exactly, and so does alpha-os with alpha 0 by its corrected force.
func TestAlphaOSBalance(t *testing.T) {
	for _, iterations := range []int{1, 4} {
		r := built(t, slowText, fmt.Sprintf("integrator={kind: alpha-os, iterations: %d}", iterations), "indicators.energies=true",
			"pace={kind: ramp-hold, dt_s: 0.03125, time_scale: 2}")
		steps(t, r, nil)
		if off := named(t, r.Indicators(), "energy_residual_pct"); !(off < 1e-9) {
			t.Errorf("%d iterations: %.3g %% of the input is missing: want 1e-9", iterations, off)
		}
	}
}

// α-OS converges with order 2 on the response of the undivided structure, and is stable where explicit methods are not.
func TestAlphaOSOrder(t *testing.T) {
	for _, set := range []string{"integrator={kind: alpha-os}", "integrator={kind: alpha-os, iterations: 4}"} {
		var errs []float64
		for _, rate := range []int{128, 256, 512} {
			r := built(t, slowText, set, fmt.Sprintf("pace={kind: ramp-hold, dt_s: %g, time_scale: 4}", 1/float64(rate)),
				fmt.Sprint("rate_hz=", rate))
			steps(t, r, nil)
			errs = append(errs, result(t, r, "J7_pct"))
		}
		for i := range 2 {
			if order := math.Log2(errs[i] / errs[i+1]); !(math.Abs(order-2) < 0.1) {
				t.Errorf("%s: errors %.4g %%, order %.3g: want 2", set, errs, order)
			}
		}
	}
	stiff := []string{"structure.stiffnesses=[1e6, 8e5, 6e8]", "structure.damping={}", "pace={kind: ramp-hold, time_scale: 4}"}
	_, err := parsed(t, slowText, stiff...).Build(t.Context(), scenario.Options{})
	rthstest.WantError(t, err, "unstable")
	got, _ := stepsOf(t, slowText, append(stiff, "integrator={kind: alpha-os, alpha: -0.1}")...)
	for k, x := range got {
		if !(math.Abs(x[2]) < 0.1) {
			t.Fatalf("step %d: %g m", k, x)
		}
	}
}

// Iterations bring a specimen that yields nearer to the implicit step, and none of them goes beyond the last.
func TestIterationsDoNotOvershoot(t *testing.T) {
	const yields = "specimen={kind: bilinear, stiffness: 4e5, yield_displacement: 5e-3, post_stiffness: 4e4}"
	r := built(t, slowText, yields, "integrator={kind: alpha-os, iterations: 6}", "pace={kind: ramp-hold, dt_s: 0.03125, time_scale: 4}")
	var targets []float64
	steps(t, r, func(f *rths.Frame) {
		if channel(t, r, "new_target") != 0 {
			targets = append(targets, channel(t, r, "client_target_m"))
		}
	})
	turned, before := 0, 0.0
	for k := 0; k+6 <= len(targets); k += 6 {
		last := targets[k+5]
		for i := range 6 {
			if at := targets[k+i]; (at-before)*(last-before) < 0 || math.Abs(at-before) > math.Abs(last-before)*(1+1e-9) {
				turned++
			}
		}
		before = last
	}
	if len(targets) < 600 || turned > len(targets)/100 {
		t.Errorf("%d of %d targets lie outside of their steps: want 1 %% at most", turned, len(targets))
	}
}

// What a real actuator leaves is the settle tolerance times the sensitivity of the structure.
func TestSlowOnAnActuator(t *testing.T) {
	want, _ := stepsOf(t, slowText, "timing.target=next")
	before := math.Inf(1)
	for _, tolerance := range []float64{1e-4, 1e-5, 1e-6} {
		got, r := stepsOf(t, slowText, "transfer={kind: second-order, omega_rad_s: 30, damping_ratio: 0.7}",
			fmt.Sprintf("pace={kind: ramp-hold, time_scale: 10, settle: {tolerance_m: %g, samples: 3}}", tolerance))
		d, worst := offBy(t, got, want), 0.0
		for k := range want {
			worst = math.Max(worst, 1e3*math.Abs(got[k][0]-want[k][0]))
		}
		var mm, most, times float64
		note := r.Notes[slices.IndexFunc(r.Notes, func(n string) bool { return strings.HasPrefix(n, "pace: readings") })]
		if _, err := fmt.Sscanf(note, "pace: readings %g mm off their targets, which settle.tolerance_m allows, move the interface by "+
			"at most %g mm: %g times", &mm, &most, &times); err != nil || !(worst <= most) || mm != 1e3*tolerance {
			t.Errorf("%.3g mm at the interface: %s (%v)", worst, note, err)
		}
		holds := r.Loop.Config().Integrator.(interface{ Holds() integrate.Holds }).Holds()
		if !(d < before/3) || holds.Miss > tolerance || holds.Number != r.Steps {
			t.Errorf("tolerance %g m: %.3g of the peak, before %.3g; %+v", tolerance, d, before, holds)
		}
		before = d
	}
}

func TestPaceRefuses(t *testing.T) {
	const slow = "pace={kind: ramp-hold, time_scale: 10}"
	for _, c := range []struct{ want, sets string }{
		{"pace: time_scale 0.5: want 1 (real time) to 1e6", "pace={kind: continuous, time_scale: 0.5}"},
		{"pace: time_scale 1.3: a step of 0.0078125 s takes 1.3 samples at 128 Hz: want a whole number, 1 to 1e+07, as with " +
			"time_scale 2", "pace={kind: continuous, time_scale: 1.3}"},
		{"pace: ramp \"round\": want smooth or linear", "pace={kind: ramp-hold, time_scale: 2, ramp: round}"},
		{"pace.dt_s: -0.02 s: want the step", "pace={kind: continuous, dt_s: -0.02}"},
		{"pace: average 5 with settle.samples 3: want at most as many",
			"pace={kind: ramp-hold, time_scale: 2, average: 5, settle: {samples: 3}}"},
		{"pace: settle.timeout_s 0.01 s is 2 samples, and settle.samples is 3", "pace={kind: ramp-hold, time_scale: 2, " +
			"settle: {samples: 3, timeout_s: 0.01}}"},
		{"pace: speed_m_s 1 m/s, and the actuator has 0.1 m/s", "pace={kind: ramp-hold, time_scale: 2, speed_m_s: 1}|" +
			"transfer={kind: second-order, rate_m_s: 0.1}"},
		{"timing: target current with a slow pace: want next, or leave it out", slow + "|timing.target=current"},
		{"timing: force_delay 2, force_predict 0 with a slow pace", slow + "|timing.force_delay=2"},
		{"loop: open with a slow pace", slow + "|loop=open"},
		{"interface_motion: absolute with a slow pace", slow + "|interface_motion=absolute"},
		{"two_rate: with a slow pace", slow + "|two_rate.main_step=4"},
		{"integrator: alpha-os is for slow tests", "integrator.kind=alpha-os"},
		{"integrator: a closing integrator wants the force", slow + "|integrator.kind=average-acceleration"},
		{"pace: continuous with integrator alpha-os, which has 3 targets in a step: want ramp-hold",
			"pace={kind: continuous, time_scale: 10}|integrator={kind: alpha-os, iterations: 3}"},
		{"pace: at least 5.13e+08 samples", "pace={kind: ramp-hold, time_scale: 1e6}"},
	} {
		s, err := parse(slowText, strings.Split(c.sets, "|")...)
		if err == nil {
			_, err = s.Build(t.Context(), scenario.Options{})
		}
		rthstest.WantError(t, err, c.want)
	}
}

// Without a speed of its own a ramp is as fast as the actuator at most: the guard has nothing to clip.
func TestSlowRampKeepsTheRate(t *testing.T) {
	const transfer = "transfer={kind: ideal, stroke_m: 1, rate_m_s: 0.02}"
	fastest, before := 0.0, 0.0
	r := built(t, slowText, transfer, "limits=[{channel: measured_m, trip: 1, action: hold}]", "pace={kind: ramp-hold, time_scale: 2}")
	steps(t, r, func(f *rths.Frame) {
		fastest, before = math.Max(fastest, math.Abs(f.Command[0]-before)*128), f.Command[0]
		if f.Command[0] != f.Target.X[0] {
			t.Fatalf("tick %d: command %g m, target %g m", f.K, f.Command[0], f.Target.X[0])
		}
	})
	if fastest > 0.02 || fastest < 0.018 {
		t.Errorf("the fastest ramp has %g m/s: want 0.02 m/s at most, and nearly", fastest)
	}
}

// A hold that never settles ends in the guard's hands, and says why.
func TestSlowNeverSettles(t *testing.T) {
	r := built(t, slowText, "limits=[{channel: measured_m, trip: 1, action: hold}]", "sensors.displacement_gain=0.9",
		"pace={kind: ramp-hold, time_scale: 10, settle: {tolerance_m: 1e-6, samples: 3, timeout_s: 0.5}}")
	err := r.Loop.Run(0, nil)
	status, why := r.Status(err)
	if status != rths.Tripped || !strings.Contains(why, "after a hold of 64 samples the measured displacement is") {
		t.Errorf("%s: %s", status, why)
	}
}

// A specimen whose force changes with velocity or time gets a warning, one whose force does not gets none.
func TestSlowWarnsOfRates(t *testing.T) {
	for kind, warns := range map[string]bool{
		"{kind: viscous-damper}": true, "{kind: maxwell}": true, "{kind: viscoelastic}": true, "{kind: fractional}": true,
		"{kind: friction}": true, "{kind: lugre}": true, "{kind: tuned-mass-damper}": true, "{kind: frame}": true,
		"{kind: linear}": false, "{kind: linear, mass: 10, damping: 10}": false, "{kind: bilinear}": false,
		"{kind: bouc-wen, stiffness: 3e5}": false, "{kind: stop}": false,
	} {
		r := built(t, slowText, "specimen="+kind, "pace={kind: ramp-hold, time_scale: 10}")
		if got := strings.Contains(strings.Join(r.Warnings, "\n"), "depends on its velocity"); got != warns {
			t.Errorf("%s: a warning %v, want %v: %q", kind, got, warns, r.Warnings)
		}
	}
}
