package papers

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"rths/campaign/suite"
	"rths/kit/rthstest"
	"rths/result/record"
	"rths/scenario"
)

// multiAxialRows are the rows of the suite, of none on case 1 if change changes nothing.
func multiAxialRows(t *testing.T, change func(*MultiAxial)) []multiAxialRow {
	t.Helper()
	s := newMultiAxial()
	s.Compensators, s.Cases = []string{"none"}, []int{1}
	change(s)
	rows, err := s.rows(t.Context(), lab(t))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// noisyDeviations are standard deviations with sensor noise, El Centro × 0.4, case 1, of an
// independent implementation with another realisation of the noise.
// kit/independent/multiaxial.py, with a third one, finds all but rodeac's within 3 %.
var noisyDeviations = map[string][]float64{
	"none": {16.6, 15.3, 15.5, 16.6}, "adm": {2.81, 1.38, 1.82, 1.24}, "ats": {3.03, 1.38, 1.85, 1.82},
	"msmc": {12.6, 8.5, 9.8, 4.9}, "adm-msmc": {2.63, 1.35, 1.77, 0.60}, "rodeac": {3.18, 1.75, 2.03, 2.85},
}

var deviationKeys = []string{"J2_1_pct", "J2_2_pct", "J5_x_pct", "J5_theta_pct"}

// The inner PI loop alone to 3 %. Of the adaptive methods, whose settings it leaves
// open in part, standard deviations to 3 % (rounded to 0.01) for adm, and the noise
// floor they stand on.
func TestMultiAxialTable(t *testing.T) {
	rows := multiAxialRows(t, func(s *MultiAxial) { s.Compensators = []string{"none", "adm", "ats"} })
	near := func(row multiAxialRow, key string, want, tol float64) {
		t.Helper()
		if got := suite.Value(row.Criteria, key); !(math.Abs(got-want) <= tol) {
			t.Errorf("%s: %s = %.3f, independent %g", row.Compensator, key, got, want)
		}
	}
	none, adm := rows[0], rows[1]
	for key, want := range map[string]float64{
		"delay_1_ms": 11.0, "delay_2_ms": 11.1, "J3_1_pct": 19.8, "J3_2_pct": 16.6, "J6_x_pct": 17.2, "J6_theta_pct": 19.0,
	} {
		near(none, key, want, 0.03*want)
	}
	for _, row := range rows {
		for i, want := range noisyDeviations[row.Compensator] {
			near(row, deviationKeys[i], want, 0.03*want)
		}
		if !(*row.Radius < 1) {
			t.Errorf("%s: loop radius %g", row.Compensator, *row.Radius)
		}
	}
	near(adm, "delay_1_ms", 0.1, 0.06)
	near(adm, "delay_2_ms", 0, 0.06)
}

// Adaptive methods without noise, in every case.
func TestMultiAxialTrueTracking(t *testing.T) {
	rows := multiAxialRows(t, func(s *MultiAxial) {
		s.Compensators, s.Cases, s.Noise = []string{"adm"}, []int{1, 2, 3, 4},
			"off"
	})
	for _, row := range rows {
		if a, b := row.J2True[0], row.J2True[1]; !(a < 1.5 && b < 0.5) || row.Run.Status != "completed" {
			t.Errorf("case %d: %v, J2 %g and %g", row.Case, row.Run.Status, a, b)
		}
		if row.J2[0] != row.J2True[0] {
			t.Error("noise is off, and measured and true differ")
		}
	}
}

// admTheta0 is θ(0) of adm, actuator 1, by kit/independent/multiaxial.py.
var admTheta0 = []float64{-706, 2304, -2476, 880}

// The start vector of adm agrees with an independent fit; the
// calibrated series of ats begins with the static gain of the closed inner loop.
func TestMultiAxialCalibration(t *testing.T) {
	s := newMultiAxial()
	s.Compensators = []string{"adm"}
	if err := s.calibrate(t.Context(), lab(t)); err != nil {
		t.Fatal(err)
	}
	for i, want := range admTheta0 {
		if got := s.starts.adm[0].Theta0[i]; math.Abs(got-want) > 1 {
			t.Errorf("theta %d = %.1f, want %g", i+1, got, want)
		}
	}
	for i, p := range s.starts.ats {
		if math.Abs(p.A[0]-1) > 0.05 || math.Abs(p.A[1]-0.011) > 0.002 {
			t.Errorf("actuator %d: series %g: want about 1 and 11 ms", i+1, p.A)
		}
	}
}

// Rows are flat, their keys are the issue's, uncertain plants stand after the nominal one with
// their statistics, and the number of workers changes nothing.
func TestMultiAxialRows(t *testing.T) {
	run := func(workers int) (*suite.Result, string) {
		s, lab := newMultiAxial(), lab(t)
		s.Compensators, s.Cases, s.Trials, lab.Workers = []string{"none"}, []int{1}, 2, workers
		out, err := s.Run(t.Context(), lab)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(out)
		if err != nil {
			t.Fatal(err)
		}
		return out, string(text)
	}
	suite, one := run(1)
	if _, two := run(2); one != two {
		t.Error("one worker and two give different results")
	}
	if len(suite.Rows) != 3+2 {
		t.Fatalf("%d rows: want 3 runs and 2 statistics", len(suite.Rows))
	}
	for _, key := range strings.Fields(`compensator case noise trial status J1_1_ms J1_2_ms J2_1_pct J2_2_pct J3_1_pct ` +
		`J3_2_pct
		J4_x_ms J4_theta_ms J5_x_pct J5_theta_pct J6_x_pct J6_theta_pct J7_x_pct J7_theta_pct J8_x2_pct J8_theta2_pct
		J8_x3_pct J8_theta3_pct J9_x_pct J9_theta_pct J10_x2_pct J10_theta2_pct J10_x3_pct J10_theta3_pct
		J7_x_mono_pct J7_theta_mono_pct J8_x2_mono_pct J8_theta2_mono_pct J8_x3_mono_pct J8_theta3_mono_pct
		J9_x_mono_pct J9_theta_mono_pct J10_x2_mono_pct J10_theta2_mono_pct J10_x3_mono_pct J10_theta3_mono_pct
		J2_1_true_pct J2_2_true_pct J3_1_true_pct J3_2_true_pct loop_radius`) {
		for i, row := range suite.Rows[:3] {
			v := record.Flat(row).Get(key)
			if f, ok := v.(float64); v == nil || ok && !(math.Abs(f) < 1e3) {
				t.Errorf("row %d: %s is %v", i+1, key, v)
			}
		}
	}
	row := func(i int) multiAxialRow { return suite.Rows[i].(multiAxialRow) }
	if nominal, mean := row(0), row(3).Statistic; nominal.Run.Trial != 1 || mean.Name != "mean" || mean.Completed != 2 {
		t.Errorf("first row trial %d, statistics %v", nominal.Run.Trial, mean)
	}
	if want := (row(1).J2[0] + row(2).J2[0]) / 2; math.Abs(row(3).J2[0]-want) > 1e-12 {
		t.Errorf("mean of J2 %g, want %g", row(3).J2[0], want)
	}
}

func TestMultiAxialErrors(t *testing.T) {
	for want, change := range map[string]func(s *MultiAxial){
		"compensator \"amb\": want one of": func(s *MultiAxial) { s.Compensators = []string{"amb"} },
		"none stands twice":                func(s *MultiAxial) { s.Compensators = []string{"none", "none"} },
		"case 5: want 1 to 4":              func(s *MultiAxial) { s.Cases = []int{5} },
		"case 2 stands twice":              func(s *MultiAxial) { s.Cases = []int{2, 2} },
		"nothing to run":                   func(s *MultiAxial) { s.Records = nil },
		"-1 random plants":                 func(s *MultiAxial) { s.Trials = -1 },
		"want a finite number":             func(s *MultiAxial) { s.Scale = math.NaN() },
	} {
		s := newMultiAxial()
		change(s)
		if _, err := s.Run(t.Context(), suite.Lab{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A run of 41.18 s at 1024 Hz with both references.
func BenchmarkMultiAxial(b *testing.B) {
	dir, s := rthstest.Records(b), newMultiAxial()
	for b.Loop() {
		sc, err := s.scenario(&trial{trialHead: trialHead{"none", 1, "elcentro", 0.4, "on"}})
		if err != nil {
			b.Fatal(err)
		}
		run, err := sc.Build(b.Context(), scenario.Options{RecordsDir: dir})
		if err != nil {
			b.Fatal(err)
		}
		if run.Samples != 42169 {
			b.Fatalf("%d samples: want 42169", run.Samples)
		}
		if err := run.Loop.Run(0, nil); err != nil {
			b.Fatal(err)
		}
	}
}
