package papers

import (
	"math"
	"strings"
	"testing"

	"rths"
	"rths/campaign/suite"
	"rths/kit/rthstest"
	"rths/scenario"
)

// Section 7.3.2: J2 is below 3 % in all cases under all records, scatters very little, and is mainly noise.
// Noise and error of the actuator are independent: their squares add up, and the error alone is
// √(J2² − floor²).
func TestGalmezRobustness(t *testing.T) {
	s := newRobustness()
	s.Perturbed = rthstest.Draws(3, 8) // the validation page runs 20
	rows, err := s.rows(t.Context(), lab(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 18 {
		t.Fatalf("%d rows: want six cases under three records", len(rows))
	}
	for _, r := range rows {
		t.Logf("case %d, %s × %g: J2 %.3f %%, standard error %.4f, std %.4f, largest %.3f, noise floor %.3f", r.Case,
			r.Record, r.Scale, r.Mean, r.Error, r.Std, r.Max, r.Floor)
		if r.Diverged != 0 || !(r.Max < 3) || !(r.Std < 0.05) || r.Max < r.Mean || r.N != s.Perturbed {
			t.Errorf("%+v: want J2 below 3 %%, standard deviation below 0.05 %%, none diverged", r)
		}
		if e := math.Sqrt(r.Mean*r.Mean - r.Floor*r.Floor); !(e < 0.8) || !(r.Floor*r.Floor > 0.9*r.Mean*r.Mean) {
			t.Errorf("%+v: error without noise %.3g %%: want noise to be 90 %% of the squares", r, e)
		}
	}
}

// The factors on the records are the multiples of 0.1 with which the largest displacement of the
// six nominal plants is nearest to 7 mm; the largest displacements are those of the suite's text.
func TestRobustnessScales(t *testing.T) {
	lab, s := lab(t), newRobustness()
	for record, want := range map[string]float64{"elcentro": 6.90, "kobe": 7.45, "maule": 7.92} {
		largest := 0.0
		for c := 1; c <= 6; c++ {
			r := &robustnessRow{Compensator: "amb", Case: c, Record: record, Scale: robustnessScales[record]}
			sc, err := s.scenario(r, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := lab.Play(t.Context(), sc, nil, func(run *scenario.Run) {
				run.Loop.Attach(suite.Watch(func(f *rths.Frame) { largest = max(largest, 1e3*math.Abs(f.Target.X[0])) }))
			}); err != nil {
				t.Fatal(err)
			}
		}
		full := 7 / largest * robustnessScales[record]
		t.Logf("%s × %g: %.2f mm; × %.3f would be 7 mm", record, robustnessScales[record], largest, full)
		rthstest.Near(t, record+": largest displacement, mm,", largest, want, 0.005)
		rthstest.Near(t, record+": scale", robustnessScales[record], math.Round(10*full)/10, 1e-12)
	}
}

// A plant of a row is the run of the shipped scenario that the help names.
func TestRobustnessRowsAreShippedScenarios(t *testing.T) {
	lab, s := lab(t), newRobustness()
	for file, r := range map[string]*robustnessRow{
		"galmez-case5.yaml": {Compensator: "amb", Case: 5, Record: "elcentro", Scale: 0.5},
		"galmez-case6.yaml": {Compensator: "amb", Case: 6, Record: "elcentro", Scale: 0.5},
	} {
		got, err := s.run(t.Context(), lab, r, 7, nil)
		if err != nil {
			t.Fatal(err)
		}
		sc, err := scenario.Shipped(file, "ground.scale=0.5", "perturbed=7")
		if err != nil {
			t.Fatal(err)
		}
		run, err := lab.Play(t.Context(), sc, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := suite.Value(run.Values, "nrmse_pct"); got.J2 != want {
			t.Errorf("%s: J2 %g %%, of the scenario %g %%", file, got.J2, want)
		}
	}
}

// A plant that diverges is counted, and is no part of the means.
func TestRobustnessCountsDivergedPlants(t *testing.T) {
	s := newRobustness()
	s.Compensators, s.Cases, s.Records, s.Perturbed = []string{"none"}, []int{1, 5}, []string{"elcentro"}, 5
	rows, err := s.rows(t.Context(), lab(t))
	if err != nil {
		t.Fatal(err)
	}
	if r := rows[0]; r.Diverged != 5 || !math.IsNaN(r.Mean) || !math.IsNaN(r.Max) || !math.IsNaN(r.Floor) {
		t.Errorf("case 1: %+v: want all diverged, without numbers", r)
	}
	if r := rows[1]; r.Diverged == 0 || r.Diverged == 5 || !(r.Mean > 10 && r.Max < 100) {
		t.Errorf("case 5: %+v: want the mean of those that complete", r)
	}
}

// Of 1, 2 and 6 % the mean is 3, the standard deviation √7 and its standard error √(7/3).
func TestRobustnessSums(t *testing.T) {
	var r robustnessRow
	r.sum([]robustnessRun{{2, 1}, {math.NaN(), math.NaN()}, {6, 3}, {1, 0.5}})
	if keys := strings.Join(suite.Keys(r),
		" "); keys != "compensator case record n scale J2_mean_pct J2_std_pct noise_floor_pct J2_max_pct diverged" {
		t.Errorf("keys %s", keys)
	}
	rthstest.Near(t, "mean", r.Mean, 3, 1e-15)
	rthstest.Near(t, "standard deviation", r.Std, math.Sqrt(7), 1e-15)
	rthstest.Near(t, "standard error", r.Error, math.Sqrt(7.0/3), 1e-15)
	rthstest.Near(t, "noise floor", r.Floor, 1.5, 1e-15)
	if r.Max != 6 || r.Diverged != 1 {
		t.Errorf("%+v: want at most 6, one diverged", r)
	}
}

func TestRobustnessErrors(t *testing.T) {
	for want, spoil := range map[string]func(s *Robustness){
		`case "7": want one of 1, 2, 3, 4, 5, 6`: func(s *Robustness) { s.Cases = []int{7} },
		`kind "magic": want one of`:              func(s *Robustness) { s.Compensators = []string{"magic"} },
		"0 random plants: want 1 to a million":   func(s *Robustness) { s.Perturbed = 0 },
		"record kobe stands twice": func(s *Robustness) {
			s.Records = []string{"kobe",
				"kobe"}
		},
		"record morgan: no factor is known for it: want --scale":    func(s *Robustness) { s.Records = []string{"morgan"} },
		"2 factors for 3 records: want one, or one for each record": func(s *Robustness) { s.Scales = []float64{1, 2} },
		"scale NaN: want more than 0":                               func(s *Robustness) { s.Scales = []float64{math.NaN()} },
		"RTHS_RECORDS":                                              func(*Robustness) {},
	} {
		s := newRobustness()
		spoil(s)
		_, err := s.Run(t.Context(), suite.Lab{})
		rthstest.WantError(t, err, want)
	}
}
