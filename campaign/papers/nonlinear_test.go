package papers

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"rths/campaign/suite"
	"rths/scenario"
)

// Paper 001, section 7.3.3: J2 under 4 % for every specimen of Table 7.5 with the
// thesis's gains, at the scale of its text and at the scale of its captions.
func TestGalmezNonlinear(t *testing.T) {
	s := newNonlinear()
	s.Compensators = []string{"amb"}
	rows, err := s.rows(t.Context(), lab(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 8 {
		t.Fatalf("%d rows: want 8", len(rows))
	}
	for _, row := range rows {
		what := fmt.Sprintf("case %s, %s × %g", row.Case, row.Compensator, row.Scale)
		j2, floor, truth := row.J2, row.FloorJ2, row.TrueJ2
		if row.Status != "completed" || !(math.Abs(j2-row.NRMSE) < 0.1) {
			t.Errorf("%s: %v, J2 %.3g %%, nrmse %.3g %%", what, row.Status, j2, row.NRMSE)
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
		for _, f := range row.loop.F {
			peak = max(peak, math.Abs(f))
		}
		if !(peak > 2000 && peak < 3300) || !(row.Dissipated > 20) {
			t.Errorf("%s: largest force %.4g N, %.3g J dissipated: want a specimen that yields", what, peak, row.Dissipated)
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
	for want, spoil := range map[string]func(s *Nonlinear){
		`case "E": want one of A, B, C, D`: func(s *Nonlinear) { s.Cases = []string{"E"} },
		"case A stands twice":              func(s *Nonlinear) { s.Cases = []string{"A", "A"} },
		`kind "magic": want one of`:        func(s *Nonlinear) { s.Compensators = []string{"magic"} },
		"scale -1: want more than 0":       func(s *Nonlinear) { s.Scales = []float64{-1} },
		"scale NaN: want more than 0":      func(s *Nonlinear) { s.Scales = []float64{math.NaN()} },
		"scale 0.5 stands twice":           func(s *Nonlinear) { s.Scales = []float64{0.5, 0.5} },
		"nothing to run":                   func(s *Nonlinear) { s.Scales = nil },
		"RTHS_RECORDS":                     func(*Nonlinear) {},
	} {
		s := newNonlinear()
		spoil(s)
		if _, err := s.Run(t.Context(), suite.Lab{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v: want one that says %q", err, want)
		}
	}
}

// nonlinearGolden is by kit/independent/nonlinear.c (RK4 with 20 sub-steps of the sample
// for plant and reference, its reference as in the thesis's code: M and C whole, the restoring
// force alone) on El Centro × 0.5 without noise.
var nonlinearGolden = map[string]struct{ j2, j3, j4rms, work float64 }{
	"a": {2.242, 7.010, 2.729, 44.61},
	"b": {2.186, 4.428, 2.795, 87.05},
	"c": {2.121, 6.128, 2.590, 54.73},
	"d": {1.234, 3.688, 1.777, 30.50},
}

// The D/A converter's rounding makes single samples depend on the last digit.
func TestNonlinearIndependent(t *testing.T) {
	lab := lab(t)
	for name, want := range nonlinearGolden {
		s, err := scenario.Shipped("nonlinear-"+name+".yaml", "ground.scale=0.5", "sensors=")
		if err != nil {
			t.Fatal(err)
		}
		var seen hysteresis
		run, err := lab.Play(t.Context(), s, nil, func(run *scenario.Run) { run.Loop.Attach(&seen) })
		if err != nil {
			t.Fatal(err)
		}
		v, work := run.Values, seen.work
		for _, c := range []struct {
			what                 string
			got, want, tolerance float64
		}{{"J2", suite.Value(v, "J2_pct"), want.j2, 0.01}, {"J3", suite.Value(v, "J3_pct"), want.j3, 0.05},
			{"J4, rms", suite.Value(v, "J4_rms_pct"), want.j4rms, 0.01}, {"work", work.joule, want.work, 0.05}} {
			if !(math.Abs(c.got-c.want) <= c.tolerance) {
				t.Errorf("case %s: %s %.4g: independent %.4g ± %g", name, c.what, c.got, c.want, c.tolerance)
			}
		}
	}
}
