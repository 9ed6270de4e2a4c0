package papers

import (
	"context"
	"math"
	"os"
	"sync"
	"testing"

	"rths/campaign/suite"
	"rths/kit/rthstest"
	"rths/scenario"
)

var simulateOnce = sync.OnceValues(func() ([]*simulated, error) {
	return simulate(context.Background(), suite.Lab{RecordsDir: os.Getenv("RTHS_RECORDS"), Workers: 2})
})

func simulatedRuns(t *testing.T) map[string]*simulated {
	t.Helper()
	rthstest.Records(t)
	runs, err := simulateOnce()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*simulated{}
	for _, r := range runs {
		out[r.name] = r
	}
	return out
}

// Paper 001, section 7.4. Printed: NRMSE of 144 % at 29 samples of delay, EEI
// below 15 % at 4; SW above 100 % from near 10 s on at 37 samples and with the gain
// sets a and b, the latter below 100 % again at the end; below 100 % throughout
// at 0, 4 and 29 samples and with c and d; EEI of c reaches 100 %.
func TestGalmezSection74(t *testing.T) {
	runs := simulatedRuns(t)
	of := func(name, key string) float64 { return suite.Value(runs[name].values, key) }
	if v := of("d29", "J4_rms_pct"); math.Abs(v-144) > 0.5 {
		t.Errorf("NRMSE at 29 samples is %.2f %%: published 144", v)
	}
	if v := of("d4", "eei_max_pct"); !(v < 15) {
		t.Errorf("largest |EEI| at 4 samples is %.2f %%: published below 15", v)
	}
	for _, name := range []string{"d37", "gamma-a", "gamma-b"} {
		if v := of(name, "sw_cross_s"); math.Abs(v-10) > 1 {
			t.Errorf("%s: SW reaches 100 %% at %.2f s: published near 10 s", name, v)
		}
	}
	for _, name := range []string{"d0", "d4", "d29", "gamma-c", "gamma-d"} {
		if v := of(name, "sw_max_pct"); !(v < 100) || !math.IsNaN(of(name, "sw_cross_s")) || runs[name].trip != nil {
			t.Errorf("%s: SW up to %.1f %%, trip %v: want below 100 and none", name, v, runs[name].trip)
		}
	}
	if v := of("gamma-b", "sw_end_pct"); !(v < 100) || runs["gamma-b"].status != "completed" {
		t.Errorf("gamma-b: SW %.1f %% at the end, %s: want below 100, completed", v, runs["gamma-b"].status)
	}
	if v := of("gamma-c", "eei_max_pct"); !(v > 100) {
		t.Errorf("gamma-c: largest |EEI| %.1f %%: published to reach 100", v)
	}
	if runs["gamma-a"].status != "diverged" {
		t.Errorf("gamma-a: %s", runs["gamma-a"].status)
	}
}

// A limit on SW of 100 % ends the unstable runs while the displacement is below the
// reference's peak: far below at the trip itself; with the cycles before and the way
// down at a third of it with the gain sets, and at 1.01 of it with 37 samples, barely
// unstable: the largest displacement was a cycle before SW told.
func TestSWTripsInTime(t *testing.T) {
	for name, most := range map[string]float64{"gamma-a": 0.5, "gamma-b": 0.5, "d37": 1.02} {
		r := simulatedRuns(t)[name]
		if r.trip == nil || r.trip.Cause.Channel != "sw_pct" {
			t.Errorf("%s: trip %v: want one of SW", name, r.trip)
			continue
		}
		t.Logf("%s: %v; displacement %.3f mm, up to then %.3f mm, with the way down %.3f mm, peak of the reference %.3f mm",
			name, r.trip, 1e3*r.atTripM, 1e3*r.beforeM, 1e3*r.largestM, 1e3*r.peakM)
		if !(r.atTripM < 0.5*r.peakM) {
			t.Errorf("%s: displacement at the trip %.2f mm, peak of the reference %.2f mm", name, 1e3*r.atTripM, 1e3*r.peakM)
		}
		if ratio := r.largestM / r.peakM; !(ratio < most) {
			t.Errorf("%s: displacement of %.2f times the reference's peak before the trip: want less than %g", name, ratio, most)
		}
	}
}

// printedSW is the largest SW by kit/independent/trapezoids.py, %; with 37 samples it
// reaches 100 % at printedCross, s.
var printedSW = map[string]float64{"d0": 0, "d4": 10.093417209207935, "d29": 80.68698613880073,
	"d37": 103.51961481852803}

const printedCross = 10.27099609375

// SW by the printed trapezoids, beside a program in numpy.
func TestSWByTrapezoids(t *testing.T) {
	runs := simulatedRuns(t)
	for name, want := range printedSW {
		if v := suite.Value(runs[name].printed, "sw_max_pct"); math.Abs(v-want) > 1e-8 {
			t.Errorf("%s: SW by trapezoids up to %.10f %%: want %.10f", name, v, want)
		}
	}
	if v := suite.Value(runs["d37"].printed, "sw_cross_s"); v != printedCross {
		t.Errorf("d37: SW by trapezoids reaches 100 %% at %.10f s: want %.10f", v, printedCross)
	}
}

// The test without delay is the reference: the algebraic loop is solved, only the
// force held over the step is left (half a sample).
func TestNoDelayIsTheReference(t *testing.T) {
	r := simulatedRuns(t)["d0"]
	if v := suite.Value(r.values, "J4_rms_pct"); !(v < 1) {
		t.Errorf("NRMSE without delay is %.3f %%: want the error of half a sample", v)
	}
	if v := suite.Value(r.values, "energy_residual_pct"); !(v < 0.01) {
		t.Errorf("energy balance residual %.2g %% of the input work: want below 0.01", v)
	}
}

// No compensated nominal run of the benchmark, of any method, case and record, comes near
// 100 %, and every uncompensated one passes it; the balance holds in all that complete.
// 20 s hold the strong motion of each record. RTHS_FULL=1 takes all cases, without it two.
func TestSWOfTheBenchmark(t *testing.T) {
	if testing.Short() {
		t.Skip("many runs")
	}
	s, runs := newSISO(), sync.Map{}
	s.Cases = s.Cases[:rthstest.Draws(2, len(s.Cases))]
	trials := s.trials(0)
	watched := func(r *trial) (*scenario.Scenario, error) {
		sc, err := s.scenario(r)
		if err == nil {
			sc.Indicators.Energies, sc.Duration = true, 20
		}
		return sc, err
	}
	if err := s.play(t.Context(), lab(t), trials, watched,
		func(r *trial, run *scenario.Run) error { runs.Store(r, run); return nil }); err != nil {
		t.Fatal(err)
	}
	for _, r := range trials {
		run, _ := runs.Load(r)
		v := run.(*scenario.Run).Indicators()
		most, residual := suite.Value(v, "sw_max_pct"), suite.Value(v, "energy_residual_pct")
		if (r.Compensator == "none") != (most >= 100) || r.status == "completed" && !(residual < 0.01) {
			t.Errorf("%s, case %d, %s: SW up to %.1f %%, residual %.2g %%, %s", r.Compensator, r.Case, r.Record, most, residual,
				r.status)
		}
	}
}
