package scenario_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/kit/rthstest"
	"rths/maths/lti"
	"rths/method/criteria"
	"rths/scenario"
	"rths/scenario/growth"
	"rths/scenarios"
)

const sineTable = `
name: sine on a table
rate_hz: 256
loop: open
target: {kind: sine, frequency_hz: 4, amplitude_m: 0.01, duration_s: 20}
specimen: {kind: linear, stiffness: 1}
transfer: {kind: second-order, omega_rad_s: 60, damping_ratio: 0.5}
sensors: {acceleration: true}
`

// settled is a criterion that looks from 5 s to 15 s: whole periods, without the jumps of
// velocity that a sine from rest begins and ends with, and without the transient.
type settled struct {
	criteria.Criterion
	rateHz, first float64 // first: ticks that it begins with and does not judge
}

func (s settled) Observe(f *rths.Frame) {
	if k := float64(f.K); k >= 5*s.rateHz-s.first && k < 15*s.rateHz {
		s.Criterion.Observe(f)
	}
}

func (settled) UsesRates() {}

// sineErrors are the settled criteria acceleration error and nrmse of the displacement, %.
func sineErrors(t *testing.T, sets ...string) (acceleration, displacement float64) {
	t.Helper()
	r := built(t, sineTable, sets...)
	rate := r.Scenario.RateHz
	a, x := settled{criteria.NewAcceleration(rate, 0, 1, true), rate, 2},
		settled{criteria.NewTracking(rate, 0, 1, true), rate, 0}
	r.Loop.Attach(a)
	r.Loop.Attach(x)
	if err := r.Loop.Run(1, nil); err != nil {
		t.Fatal(err)
	}
	return named(t, a.Summary(), "acc_rms_pct"), named(t, x.Summary(), "nrmse_pct")
}

// sampledError is the same in closed form: |V/V_t − 1|, with V(z) of the held plant on the
// command u = x_t, or z x_t with timing next, and V_t = (z − 1/z)/2h x_t of the prescribed
// target; of both the change over a sample is taken, which cancels.
func sampledError(t *testing.T, rateHz float64, next bool) float64 {
	t.Helper()
	d := rthstest.Must(lti.C2D(lti.SS{
		A: mat.NewDense(2, 2, []float64{0, 1, -3600, -60}), B: mat.NewDense(2, 1, []float64{0, 3600}),
		C: mat.NewDense(1, 2, []float64{0, 1}), D: mat.NewDense(1, 1, nil),
	}, 1/rateHz, lti.ZOH))
	z := cmplx.Exp(complex(0, 2*math.Pi*4/rateHz))
	v := rthstest.Must(d.At(z)).At(0, 0)
	if next {
		v *= z
	}
	return 100 * cmplx.Abs(v/((z-1/z)*complex(rateHz/2, 0))-1)
}

// A sine through a known plant of second order: the acceleration error is |H − 1| with H of
// the sampled loop to rounding, and with the plant's own H as the samples get fine: the
// hold is half a sample, and takes at most ωh/2 |H| from it. Of one frequency there is
// nothing to choose between accelerations and displacements: their errors are the same.
func TestAccelerationErrorOfASine(t *testing.T) {
	for _, c := range []struct {
		timing string
		next   bool
	}{{"timing.target=current", false}, {"timing.target=next", true}} {
		got, _ := sineErrors(t, c.timing)
		rthstest.Near(t, c.timing, got, sampledError(t, 256, c.next), 1e-8)
	}
	s := complex(0, 2*math.Pi*4)
	h := 3600 / (s*s + 60*s + 3600)
	want := 100 * cmplx.Abs(h-1)
	for rate, set := range map[float64]string{1024: "rate_hz=1024", 4096: "rate_hz=4096"} {
		a, x := sineErrors(t, set)
		half := 100 * math.Pi * 4 / rate * cmplx.Abs(h)
		t.Logf("at %g Hz %.4f %%, of displacements %.4f %%, |H − 1| = %.4f %%", rate, a, x, want)
		rthstest.Near(t, "acceleration at "+set, a, want, 1.01*half)
		rthstest.Near(t, "displacement at "+set, x, want, 1.01*half)
	}
}

// Of two compensators with equal J2 one has several times the acceleration error: the
// displacement of the table lies below 1 Hz, its acceleration at 3.6 Hz and above.
func TestEqualDisplacementsUnequalAccelerations(t *testing.T) {
	const shipped = "shake-table-acceleration.yaml"
	good, poor := ran(t, shipped, "compensator={kind: amb-fixed, order: 2, initial: bare-transfer}"),
		ran(t, shipped, "compensator.kind=pe")
	x := [2]float64{result(t, good, "J2_true_pct"), result(t, poor, "J2_true_pct")}
	a := [2]float64{result(t, good, "acc_rms_true_pct"), result(t, poor, "acc_rms_true_pct")}
	t.Logf("J2 %.4f and %.4f %%, acceleration error %.3f and %.3f %%", x[0], x[1], a[0], a[1])
	rthstest.Near(t, "J2 of pe", x[1], x[0], 0.1*x[0])
	if !(a[1] > 4*a[0]) || !(a[0] < 1) {
		t.Errorf("acceleration errors %.3g and %.3g %%: want the second four times the first", a[0], a[1])
	}
}

// tvc leaves of the acceleration what the accelerometer's noise is, which is the floor of any table: a share of the
// noise up to half the rate, by the noise bandwidth of the band (a Butterworth filter of order 4 has 1.026 times its
// cutoff). mbc, with displacements alone, leaves several times as much without noise, with a payload too.
func TestTVCLeavesTheNoise(t *testing.T) {
	for _, shipped := range []string{"shake-table-acceleration.yaml", "shake-table-payload.yaml"} {
		r, mbc := ran(t, shipped), ran(t, shipped, "compensator.kind=mbc")
		floor := result(t, r, "acc_band_floor_pct")
		rthstest.Near(t, shipped+": floor", floor/result(t, r, "acc_rms_floor_pct"), math.Sqrt(50*1.026/1024), 0.02)
		got, exact := result(t, r, "acc_band_pct"), result(t, r, "acc_band_true_pct")
		if other := result(t, mbc, "acc_band_true_pct"); !(got < 1.1*floor) || !(exact < other/4) {
			t.Errorf("%s: %.3g %%, without noise %.3g %%, floor %.3g %%, mbc without noise %.3g %%", shipped, got, exact, floor,
				other)
		}
	}
}

// On tables that are not the one it was made for, tvc-rls learns what tvc leaves.
func TestTVCOnRandomTables(t *testing.T) {
	for _, shipped := range []string{"shake-table-acceleration.yaml", "shake-table-payload.yaml"} {
		fixed, learnt := 0.0, 0.0
		n := rthstest.Draws(3, 20)
		for i := range n {
			plant := fmt.Sprintf("perturbed=%d", i+1)
			fixed += result(t, ran(t, shipped, plant), "acc_band_pct") / float64(n)
			one := result(t, ran(t, shipped, plant, "compensator.kind=tvc-rls"), "acc_band_pct")
			learnt = max(learnt, one)
		}
		t.Logf("%s: %d tables: tvc %.2f %% on average, tvc-rls %.2f %% at worst", shipped, n, fixed, learnt)
		if !(learnt < 0.5) || !(learnt < fixed) {
			t.Errorf("%s: tvc-rls leaves %.3g %% at worst, tvc %.3g %% on average", shipped, learnt, fixed)
		}
	}
}

// Without an accelerometer there is nothing to control.
func TestTVCWantsAnAccelerometer(t *testing.T) {
	for _, kind := range []string{"tvc", "tvc-rls"} {
		s := rthstest.Must(scenario.Shipped("shake-table-damper.yaml", "compensator.kind="+kind))
		_, err := s.Build(t.Context(), scenario.Options{})
		rthstest.WantError(t, err, kind+": no accelerometer, whose acceleration it controls: want sensors: "+
			"{acceleration: true}")
	}
}

// A command that grows in the loop is found before the test: at 2048 Hz the actuators of the multi-axial benchmark are
// coupled where the inverses of each have their largest gain.
func TestUnstableTVCIsFound(t *testing.T) {
	for set, stable := range map[string]bool{"compensator.kind=tvc": false, "compensator={kind: tvc, band_hz: 6}": true} {
		s := rthstest.Must(scenario.Shipped("benchmark-multiaxial.yaml", set, "sensors.acceleration=true", "rate_hz=2048",
			"ground={kind: sine, duration_s: 1}"))
		r := rthstest.Must(s.Build(t.Context(), scenario.Options{}))
		if g := rthstest.Must(growth.Of(t.Context(), r)); (g == nil) != stable {
			t.Errorf("%s: growth %v, want stable %v", set, g, stable)
		}
	}
}

// With an accelerometer, noisy or not, everything else has the same bits: its noise has a
// stream of its own, and no compensator looks at it.
func TestAccelerometerChangesNothingElse(t *testing.T) {
	text := string(rthstest.Must(scenarios.Files.ReadFile("shake-table-damper.yaml")))
	trace := func(sets ...string) (out []float64) {
		r := rthstest.Must(rthstest.Must(scenario.Parse("table", []byte(text), ".",
			append(sets, "duration_s=3"))).Build(t.Context(), scenario.Options{}))
		for !r.Loop.Done() {
			if err := r.Loop.Step(); err != nil {
				t.Fatal(err)
			}
			f := r.Loop.Frame()
			out = append(out, f.Read.X[0], f.Read.F[0], f.Command[0], f.Read.TrueX[0])
		}
		return out
	}
	without := trace("compensator.kind=ats")
	for _, noise := range []string{"0", "0.05"} {
		if !slices.Equal(without, trace("compensator.kind=ats", "sensors.acceleration=true",
			"sensors.acceleration_noise="+noise)) {
			t.Errorf("an accelerometer of noise %s m/s² changes the run", noise)
		}
	}
}

// The noise of the reading is what was asked for, and its floor is the criterion of a perfect
// table.
func TestAccelerometerNoise(t *testing.T) {
	r := built(t, sineTable, "sensors.acceleration_noise=0.3", "target.duration_s=60")
	sum, n := 0.0, 0.0
	for !r.Loop.Done() {
		if err := r.Loop.Step(); err != nil {
			t.Fatal(err)
		}
		d := r.Loop.Frame().Read.A[0] - r.Loop.Frame().Read.TrueA[0]
		sum, n = sum+d*d, n+1
	}
	rthstest.Near(t, "standard deviation", math.Sqrt(sum/n), 0.3, 0.3*4/math.Sqrt(2*n)) // four standard errors
	a := 0.01 * math.Pow(2*math.Pi*4, 2) / math.Sqrt2
	rthstest.Near(t, "acc_rms_floor_pct", result(t, r, "acc_rms_floor_pct"), 100*0.3/a, 100*0.3/a*4/math.Sqrt(2*n)+0.1)
	e, exact := result(t, r, "acc_rms_pct"), result(t, r, "acc_rms_true_pct")
	rthstest.Near(t, "errors add as squares", e*e, exact*exact+math.Pow(result(t, r, "acc_rms_floor_pct"), 2), 0.05*e*e)
}

// Every actuator of several has its own; a loop with accelerometers resumes to the bit.
func TestAccelerometersOfSeveralActuators(t *testing.T) {
	sets := []string{"ground={kind: sine, duration_s: 1, frequency_hz: 3, amplitude_m_s2: 1}", "sensors.acceleration=true",
		"sensors.acceleration_noise=0.01",
		"faults=[{kind: lost-readings, from_s: 0.1, duration_s: 0.8, share: 0.3}]"}
	text := rthstest.Must(scenarios.Files.ReadFile("benchmark-multiaxial.yaml"))
	build := func() *scenario.Run {
		return rthstest.Must(rthstest.Must(scenario.Parse("two", text, ".", sets)).Build(t.Context(), scenario.Options{}))
	}
	whole := build()
	if err := whole.Loop.Run(1, nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"acc_rms_1_pct", "acc_rms_2_pct", "acc_rms_1_true_pct", "acc_rms_floor_2_pct"} {
		if v := result(t, whole, name); !(v > 0 && v < 200) {
			t.Errorf("%s is %g", name, v)
		}
	}
	first, second := build(), build()
	for range 400 {
		if err := first.Loop.Step(); err != nil {
			t.Fatal(err)
		}
	}
	if err := second.Loop.Resume(first.Loop.Checkpoint()); err != nil {
		t.Fatal(err)
	}
	if err := second.Loop.Run(1, nil); err != nil {
		t.Fatal(err)
	}
	for _, v := range whole.Summary() {
		if got := result(t, second, v.Name); strings.HasPrefix(v.Name, "acc") &&
			math.Float64bits(got) != math.Float64bits(v.V) {
			t.Errorf("resumed, %s is %g: want %g", v.Name, got, v.V)
		}
	}
}

func TestAccelerometerOfNoUse(t *testing.T) {
	_, err := parsed(t, sineTable, "sensors={acceleration_noise: 0.1}").Build(t.Context(), scenario.Options{})
	rthstest.WantError(t, err, "acceleration_noise 0.1 m/s² without an accelerometer: want acceleration: true")
	_, err = parsed(t, sineTable, "sensors.acceleration_noise=-1").Build(t.Context(), scenario.Options{})
	rthstest.WantError(t, err, "acceleration_noise -1: want 0 or more")
	r := rthstest.Must(rthstest.Must(scenario.Load("../scenarios/two-rate.yaml",
		[]string{"sensors.acceleration=true", "ground={kind: sine, duration_s: 1}"})).Build(t.Context(), scenario.Options{}))
	if !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "no criterion acceleration") }) {
		t.Errorf("notes %q: want one that says why there is no criterion acceleration", r.Notes)
	}
}
