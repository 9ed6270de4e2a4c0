package papers

import (
	"slices"
	"testing"

	"rths/rthstest"
)

// The figures of docs/kalman-inverse.md, on fewer random plants and with another seed in
// the usual suite. The limits are those the method was accepted with; the page has the command
// of 20 random plants, which takes minutes.
func TestKalmanInverseReachesItsFigures(t *testing.T) {
	rthstest.Long(t)
	s := newKalmanInverse()
	s.Compensators, s.Perturbed, s.Seed = []string{"kalman-inverse"}, rthstest.Draws(0, 4), uint64(rthstest.Draws(3, 4))
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
		"Bouc–Wen A": {2.0, 3}, "Bouc–Wen B": {1.6, 3}, "Bouc–Wen C": {1.4, 3}, "Bouc–Wen D": {0.65, 1.5},
	}
	for _, group := range groupsOf(rows) {
		limit, ok := limits[group[0].group]
		if !ok { // 10 samples of delay fail; no offset is for comparison
			continue
		}
		m := meanOf("kalman-inverse", group)
		t.Logf("%s: mean J2 %.4f, worst %.4f, J4 %.3f, J6 %.3f, %d runs", group[0].group, m.J2, m.Worst, m.J4, m.J6, m.Runs)
		if m.Lost > 0 || !(m.J2 <= limit.mean) || !(m.Worst <= limit.worst) {
			t.Errorf("%s: mean J2 %.4f, worst %.4f, %d not completed: want %g, %g, none", group[0].group, m.J2, m.Worst, m.Lost, limit.mean, limit.worst)
		}
		if group[0].part == "force-predict" && !(m.J4 <= 0.2 && m.J6 <= 0.2) {
			t.Errorf("with a predicted force J4 %.3f, J6 %.3f: want 0.2 at most", m.J4, m.J6)
		}
	}
}

// In every paired run kalman-inverse is below the others.
func TestKalmanInverseIsBelowTheOthers(t *testing.T) {
	rthstest.Long(t)
	s := newKalmanInverse()
	s.Compensators, s.Parts = []string{"kalman-inverse", "cats", "adm3", "amb", "kf"}, []string{"benchmark"}
	s.Perturbed, s.Seed = rthstest.Draws(0, 4), 5
	rows, err := s.rows(t.Context(), lab(t))
	if err != nil {
		t.Fatal(err)
	}
	for pair := range slices.Chunk(rows, len(s.Compensators)) {
		for _, other := range pair[1:] {
			if other.Status == "completed" && !(pair[0].J2 < other.J2) {
				t.Errorf("%s, %s, noise %s: %.4f %%, %s %.4f", pair[0].Plant, pair[0].Record, pair[0].Noise, pair[0].J2, other.Method, other.J2)
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
		if _, err := s.rows(t.Context(), Lab{}); err == nil {
			t.Errorf("%+v: want an error", s)
		}
	}
}
