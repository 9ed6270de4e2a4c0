package papers

import (
	"fmt"
	"slices"
	"testing"

	"rths/campaign/suite"
	"rths/kit/rthstest"
	"rths/result/record"
	"rths/scenario"
)

// The figures of docs/reference/kalman-inverse.md, on fewer random plants and with another seed in
// the usual suite. The limits are those the method was accepted with; the page has the command
// of 20 random plants, which takes minutes.
func TestKalmanInverseReachesItsFigures(t *testing.T) {
	rthstest.Long(t)
	s := newKalmanInverse()
	s.Compensators, s.Perturbed, s.Seed = []string{"kalman-inverse"}, rthstest.Draws(0, 2), uint64(rthstest.Draws(3, 4))
	if rthstest.Draws(0, 1) == 0 {
		s.Parts = []string{"benchmark", "force-predict", "specimens", "delays"}
	}
	rows, err := s.rows(t.Context(), lab(t))
	if err != nil {
		t.Fatal(err)
	}
	limits := map[string]struct{ mean, worst float64 }{
		"sensor noise on": {0.08, 0.11}, "sensor noise off": {0.065, 0.11},
		"force_predict 1.5 (other wiring than the benchmark's)": {0.08, 0.11},
		"random specimens":        {0.12, 0.12},
		"2048 Hz":                 {0.10, 0.13},
		"1024 Hz":                 {0.17, 0.22},
		"offset 1 mm":             {0.09, 0.12},
		"displacement noise × 3":  {0.18, 0.5},
		"6 more samples of delay": {0.11, 0.2}, "8 more samples of delay": {0.20, 0.3},
		"10 more samples of delay": {0.11, 0.2}, "12 more samples of delay": {0.11, 0.2},
		"14 more samples of delay": {0.15, 0.4},
		"Bouc–Wen A":               {2.0, 3}, "Bouc–Wen B": {1.6, 3}, "Bouc–Wen C": {1.4, 3}, "Bouc–Wen D": {0.65, 1.5},
	}
	for _, group := range groupsOf(rows) {
		limit, ok := limits[group[0].group]
		if !ok { // no offset is for comparison
			continue
		}
		m := meanOf("kalman-inverse", byDefault, group)
		t.Logf("%s: mean J2 %.4f, worst %.4f, J4 %.3f, J6 %.3f, %d runs", group[0].group, m.J2, m.Worst, m.J4, m.J6, m.Runs)
		if m.Lost > 0 || !(m.J2 <= limit.mean) || !(m.Worst <= limit.worst) {
			t.Errorf("%s: mean J2 %.4f, worst %.4f, %d not completed: want %g, %g, none", group[0].group, m.J2, m.Worst, m.Lost,
				limit.mean, limit.worst)
		}
		if group[0].part == "force-predict" && !(m.J4 <= 0.2 && m.J6 <= 0.2) {
			t.Errorf("with a predicted force J4 %.3f, J6 %.3f: want 0.2 at most", m.J4, m.J6)
		}
	}
}

// Beside the best of the others at any of their settings, run by run: below it on average with noise and without, never
// far above it, and below it in three of four pairs at 512 Hz, where the others are tuned for that. With a seed of its
// own.
func TestKalmanInverseBesideTheBestOther(t *testing.T) {
	rthstest.Long(t)
	s := newKalmanInverse()
	s.Compensators = []string{"kalman-inverse", "cats", "adm", "amb", "kf"}
	s.Parts, s.Perturbed, s.Seed = []string{"benchmark", "rates"}, rthstest.Draws(0, 2), 5
	rows, err := s.rows(t.Context(), lab(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range groupsOf(rows) {
		p := pairsOf(group)
		t.Logf("%s: %v", group[0].group, p)
		if p.lost > 0 || !(p.ratio < 1) || !(p.worst < 1.3) || group[0].group == "512 Hz" && 4*p.best < 3*p.n {
			t.Errorf("%s: %v", group[0].group, p)
		}
	}
}

// A pair is one plant under one motion: the first method against the least J2 of all others that completed.
func TestPairs(t *testing.T) {
	row := func(method, settings, status string, j2 float64) *kalmanInverseRow {
		return &kalmanInverseRow{Method: method, Settings: settings, Status: status, kalmanInverseJ: kalmanInverseJ{J2: j2}}
	}
	p := pairsOf([]*kalmanInverseRow{
		row("a", byDefault, "completed", 1), row("b", byDefault, "completed", 4), row("b", asTuned, "completed", 2),
		row("a", byDefault, "completed", 8), row("b", byDefault, "completed", 4), row("b", asTuned, "diverged", 1),
		row("a", byDefault, "diverged", 1), row("b", byDefault, "completed", 4), row("b", asTuned, "completed", 2),
		row("a", byDefault, "completed", 1), row("b", byDefault, "diverged", 4), row("b", asTuned, "diverged", 2),
	})
	want := pairs{method: "a", n: 2, best: 1, lost: 1, ratio: 1, worst: 2}
	if p != want {
		t.Errorf("%+v, want %+v", p, want)
	}
}

// On every Bouc–Wen specimen the mean of five motions is below those of mbc-lqg and amb (30 s: make full).
func TestKalmanInverseOnYieldingSpecimens(t *testing.T) {
	if !rthstest.All() {
		t.Skip("RTHS_FULL=all: five motions of every yielding specimen")
	}
	s := newKalmanInverse()
	s.Compensators, s.Parts = []string{"kalman-inverse", "mbc-lqg", "amb"}, []string{"yielding"}
	s.Seed = 101
	rows, err := s.rows(t.Context(), lab(t))
	if err != nil {
		t.Fatal(err)
	}
	rough, ambs := 0.0, 0.0
	for _, group := range groupsOf(rows) {
		mean := func(method string) kalmanInverseMean { return meanOf(method, byDefault, group) }
		own, other, amb := mean("kalman-inverse"), mean("mbc-lqg"), mean("amb")
		t.Logf("seed %d, %s: mean J2 %.3f, mbc-lqg %.3f, amb %.3f", s.Seed, group[0].group, own.J2, other.J2, amb.J2)
		if own.Lost > 0 || !(own.J2 < other.J2) || !(own.J2 < amb.J2) {
			t.Errorf("seed %d, %s: %.3f %%, mbc-lqg %.3f, amb %.3f", s.Seed, group[0].group, own.J2, other.J2, amb.J2)
		}
		rough, ambs = rough+own.Rough, ambs+amb.Rough
	}
	if !(rough <= ambs) {
		t.Errorf("seed %d: the mean roughness is %.2f times that of amb: want 1 at most", s.Seed, rough/ambs)
	}
}

// The random specimens are such that the transfer system is stable with them, whatever the seed.
// With seed 207 one is drawn again.
func TestRandomSpecimensStandAlone(t *testing.T) {
	if stableWith(60, 114.6, 1.19e6) || !stableWith(29.1, 114.6, 1.19e6) {
		t.Error("a heavy specimen with little damping makes the oil column unstable, the benchmark's does not")
	}
	for seed := range uint64(300) {
		s := newKalmanInverse()
		s.Seed = seed
		for _, r := range s.specimens() {
			var m, c, k float64
			if _, err := fmt.Sscanf(r.sets[3], "specimen={kind: linear, mass: %g, damping: %g, stiffness: %g}", &m, &c,
				&k); err != nil || !stableWith(m, c, k) {
				t.Fatalf("seed %d: %s: %v", seed, r.sets[3], err)
			}
		}
	}
}

func TestKalmanInverseWrongInput(t *testing.T) {
	for _, change := range []func(s *KalmanInverse){
		func(s *KalmanInverse) { s.Parts = []string{"all"} },
		func(s *KalmanInverse) { s.Perturbed = -1 },
		func(s *KalmanInverse) { s.Compensators = []string{"kalmann"} },
	} {
		s := newKalmanInverse()
		change(s)
		if _, err := s.rows(t.Context(), suite.Lab{}); err == nil {
			t.Errorf("%+v: want an error", s)
		}
	}
}

// With 10 and 12 samples of delay that nobody declared and a fallback to kf, case 4 completes, and
// the fallback rests: δ takes the delay. Without δ the method goes astray, falls back, and the run
// completes too, with an error that says so.
func TestKalmanInverseWithAFallback(t *testing.T) {
	rthstest.Long(t)
	l := lab(t)
	for _, tc := range []struct {
		delay     int
		kalman    string
		mean      float64
		fallsBack bool
	}{{10, "{kind: kalman-inverse}", 0.11, false}, {12, "{kind: kalman-inverse}", 0.11, false},
		{10, "{kind: kalman-inverse, delay_ms: 0}", 40, true}, {12, "{kind: kalman-inverse, delay_ms: 0}", 40, true}} {
		for _, name := range sisoRecords {
			s, err := scenario.Shipped("benchmark-siso.yaml", "limits=none", "structure.case=4", "ground.record="+name,
				"ground.scale=0.4",
				fmt.Sprintf("timing.command_delay=%d", tc.delay), "compensator="+tc.kalman,
				"fallback={kind: kf, residual_pct: 20, residual_s: 0.05}")
			if err != nil {
				t.Fatal(err)
			}
			shaking, err := s.Shake(l.RecordsDir)
			if err != nil {
				t.Fatal(err)
			}
			out, err := l.Play(t.Context(), s, shaking, nil)
			if err != nil {
				t.Fatal(err)
			}
			var j kalmanInverseJ
			record.Fill(&j, out.Values)
			fell := len(out.Run.Falls()) > 0
			t.Logf("%d samples, %s, %s: %s, J2 %.3f %%, falls back %v", tc.delay, tc.kalman, name, out.Status, j.J2, fell)
			if out.Status != "completed" || !(j.J2 <= tc.mean) || fell != tc.fallsBack {
				t.Errorf("%d samples, %s, %s: %s, J2 %.3f %%, falls back %v: want completed, %g at most, %v", tc.delay, tc.kalman,
					name, out.Status, j.J2, fell, tc.mean, tc.fallsBack)
			}
		}
	}
}

// Every tuned setting is one that its method takes, and stands with a group and a method of the suite.
func TestTunedSettingsAreRead(t *testing.T) {
	s := newKalmanInverse()
	used := map[string]bool{}
	for _, r := range s.plan() {
		if r.Settings != byDefault && !used[r.group+r.Method] {
			used[r.group+r.Method] = true
			if _, err := r.scenario(1); err != nil {
				t.Errorf("%s, %s: %v", r.group, r.Method, err)
			}
		}
	}
	groups := map[string]bool{"": true}
	for _, r := range s.plan() {
		groups[r.group], groups[r.part] = true, true
	}
	for group, methods := range tunedForKalman {
		for method := range methods {
			if !groups[group] || !slices.Contains(s.Compensators, method) {
				t.Errorf("settings of %s for %q are used by no run", method, group)
			}
		}
	}
}
