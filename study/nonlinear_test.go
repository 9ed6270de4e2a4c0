package study

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"rths/scenario"
	"rths/scenarios"
)

// Paper 001, section 7.3.3: J2 under 4 % for every specimen of Table 7.5 with the
// thesis's gains, at the scale of its text and at that of its captions.
func TestGalmezNonlinear(t *testing.T) {
	s := Nonlinear{Cases: NonlinearCases, Compensators: []string{"amb"}, Scales: []float64{0.5, 0.6}, Record: "elcentro", Seed: 1, RecordsDir: records(t), Workers: 2}
	out, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Rows) != 8 || len(s.Loops) != 8 {
		t.Fatalf("%d rows, %d loops: want 8", len(out.Rows), len(s.Loops))
	}
	for i, row := range out.Rows {
		what := fmt.Sprintf("case %v, %v × %v", row.Get("case"), row.Get("compensator"), row.Get("scale"))
		j2, floor, truth := row.Float("J2_pct"), row.Float("J2_floor_pct"), row.Float("J2_true_pct")
		if row.Get("status") != "completed" || !(math.Abs(j2-row.Float("nrmse_pct")) < 0.1) {
			t.Errorf("%s: %v, J2 %.3g %%, nrmse %.3g %%", what, row.Get("status"), j2, row.Float("nrmse_pct"))
		}
		if !(j2 < 4) {
			t.Errorf("%s: J2 %.3g %%: want below 4 %%", what, j2)
		}
		// noise and error of the actuator are independent: their squares add up
		if sum := math.Hypot(floor, truth); !(math.Abs(j2-sum) < 0.1) {
			t.Errorf("%s: J2 %.3g %%, of noise %.3g and error %.3g %%", what, j2, floor, truth)
		}
		// the plateau: f_y0 of the case, and what cubic spring, dashpot and inertia add
		peak := 0.0
		for _, f := range s.Loops[i].F {
			peak = max(peak, math.Abs(f))
		}
		if !(peak > 2000 && peak < 3300) || !(row.Float("dissipated_J") > 20) {
			t.Errorf("%s: largest force %.4g N, %.3g J dissipated: want a specimen that yields", what, peak, row.Float("dissipated_J"))
		}
	}
}

// The work on a dashpot over whole cycles is π c ω A² each.
func TestDissipation(t *testing.T) {
	const c, w, a, n = 300.0, 20.0, 2e-3, 2000
	var d dissipation
	for k := range 3*n + 1 {
		phase := 2 * math.Pi * float64(k) / n
		d.add(a*(1-math.Cos(phase)), c*w*a*math.Sin(phase))
	}
	if want := 3 * math.Pi * c * w * a * a; math.Abs(d.joule-want) > 1e-5*want {
		t.Errorf("three cycles: %g J, want %g", d.joule, want)
	}
}

func TestNonlinearErrors(t *testing.T) {
	good := Nonlinear{Cases: []string{"A"}, Compensators: []string{"amb"}, Scales: []float64{0.5}, Record: "elcentro"}
	for want, spoil := range map[string]func(s *Nonlinear){
		`benchmark nonlinear: case "E": want one of A, B, C, D`: func(s *Nonlinear) { s.Cases = []string{"E"} },
		"case A stands twice":         func(s *Nonlinear) { s.Cases = []string{"A", "A"} },
		`kind "magic": want one of`:   func(s *Nonlinear) { s.Compensators = []string{"magic"} },
		"scale -1: want more than 0":  func(s *Nonlinear) { s.Scales = []float64{-1} },
		"scale NaN: want more than 0": func(s *Nonlinear) { s.Scales = []float64{math.NaN()} },
		"scale 0.5 stands twice":      func(s *Nonlinear) { s.Scales = []float64{0.5, 0.5} },
		"nothing to run":              func(s *Nonlinear) { s.Scales = nil },
		"RTHS_RECORDS":                func(*Nonlinear) {},
	} {
		s := good
		spoil(&s)
		if _, err := s.Run(context.Background()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v: want one that says %q", err, want)
		}
	}
}

// Paper 001, Fig. 7.19: J2 below 3 % for random specimens and actuators of cases V
// and VI, of which its noise is nearly all.
func TestGalmezRandomSpecimens(t *testing.T) {
	dir := records(t)
	for _, file := range []string{"galmez-case5.yaml", "galmez-case6.yaml"} {
		text, err := scenarios.Files.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for trial := range 4 {
			s, err := scenario.Parse(file, text, ".", []string{fmt.Sprintf("perturbed=%d", trial)})
			if err != nil {
				t.Fatal(err)
			}
			run, err := s.Build(scenario.Options{RecordsDir: dir})
			if err == nil {
				err = finish(run, 0)
			}
			if err != nil {
				t.Fatal(err)
			}
			if v := run.Summary(); !(value(v, "J2_pct") < 3) || !(value(v, "J2_true_pct") < 1) {
				t.Errorf("%s, %d: J2 %.3g %%, without noise %.3g %%: want below 3 and 1 %%", file, trial, value(v, "J2_pct"), value(v, "J2_true_pct"))
			}
		}
	}
}
