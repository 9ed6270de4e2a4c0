package papers

import (
	"math"
	"os"
	"strings"
	"testing"

	"rths"
	"rths/campaign/suite"
	"rths/kit/rthstest"
	"rths/model/plant"
	"rths/scenario"
)

// By hand: y = 1, −1, 3, ŷ = 2, −1, 2.
func TestLearningScores(t *testing.T) {
	s := scoreOf([]float64{1, -1, 3}, []float64{2, -1, 2})
	rthstest.Near(t, "NRMSE", s.NRMSE, 100*math.Sqrt(2.0/3)/4, 1e-12)
	rthstest.Near(t, "MAE", s.MAE, 2.0/3, 1e-15)
	rthstest.Near(t, "R²", s.R2, 1-2.0/8, 1e-15)
	rthstest.Near(t, "TRAC", s.TRAC, 81.0/(11*9), 1e-15)
}

const shortMotion = "ground={kind: sweep, from_hz: 1, to_hz: 4, amplitude_m_s2: 3, duration_s: 2}"

// short is a case whose record is a sweep of 2 s, which is part of the program.
func short(t *testing.T, r learningRow) (*learningRow, *learningRun) {
	t.Helper()
	s := newLearning()
	s.Set = suite.Sets{shortMotion}
	out, err := r.run(t.Context(), suite.Lab{Workers: 1}, s, nil)
	if err != nil || r.Status != "completed" {
		t.Fatalf("%s, %v", r.Status, err)
	}
	return &r, out
}

// True parameters are judged as such, with every law, and off-line parameters are found from wrong ones.
func TestOffLineFitFindsTheParameters(t *testing.T) {
	for _, of := range []string{"lugre", "bouc-wen"} {
		r := learningRow{learningCase: learningCase{2, of, 0, 1, "elcentro"}, Way: fixedWay, start: []float64{1, 1, 1}}
		right, _ := short(t, r)
		if !(right.NRMSE < 0.05) || !(right.R2 > 0.9999) || !(right.TRAC > 0.9999) {
			t.Errorf("%s: true parameters have %+v", of, right.learningScore)
		}
		r.start = []float64{1.25, 0.75, 0.75}
		wrong, out := short(t, r)
		fit := rthstest.Must(out.fit())
		for i, v := range fit {
			rthstest.Near(t, of+": "+learningLaws[of].keys[i]+" over true", v, 1, 0.02)
		}
		r.Way = learnedWay
		if learned, _ := short(t, r); !(learned.NRMSE < wrong.NRMSE/2) {
			t.Errorf("%s: NRMSE %.3g %% learned, %.3g %% fixed: want half", of, learned.NRMSE, wrong.NRMSE)
		}
	}
}

// What is learned from is late by so many samples.
func TestReadingsComeLate(t *testing.T) {
	const n = 20
	s := newLearning()
	s.Set = suite.Sets{shortMotion}
	c := learningCase{2, "bouc-wen", 0, 1, "elcentro"}
	sc := rthstest.Must(c.scenario(s, []float64{1.2, 0.8}, "ukf"))
	var seen, felt []float64
	rthstest.Must(suite.Lab{}.Play(t.Context(), sc, nil, func(run *scenario.Run) {
		shown := late(run, n)
		run.Loop.Attach(suite.Watch(func(f *rths.Frame) {
			felt, seen = append(felt, f.InterfaceRead.X[0]), append(seen, shown.X[0])
		}))
	}))
	for k := n; k < len(felt); k++ {
		if want := felt[k+1-n]; seen[k] != want {
			t.Fatalf("after tick %d the next reading is %g m: want %g", k, seen[k], want)
		}
	}
	r := learningRow{learningCase: c, Way: learnedWay, start: []float64{1.2, 0.8}}
	inTime, _ := short(t, r)
	r.Delay = n
	if tardy, _ := short(t, r); !(tardy.NRMSE > inTime.NRMSE) {
		t.Errorf("NRMSE %.3g %% with late readings, %.3g %% in time: want more", tardy.NRMSE, inTime.NRMSE)
	}
}

// The law of the laboratory has the backlash that the copies' has not.
func TestLearningOfTheWrongClass(t *testing.T) {
	s := newLearning()
	for _, of := range s.Devices {
		c := learningCase{8, of, 1, 1, "kobe"}
		sc := rthstest.Must(c.scenario(s, c.nominal(1), "ukf"))
		lab, _, err := plant.DeviceOf(sc.Specimen.Params, false)
		copies, _, err2 := plant.DeviceOf(sc.Devices[0].Params, true)
		if err != nil || err2 != nil || lab.States() != copies.States()+2 || len(sc.Devices[0].Between) != 7 {
			t.Errorf("%s: %T, %T, %v, %v", of, lab, copies, err, err2)
		}
	}
}

func TestLearningWrongInput(t *testing.T) {
	for _, c := range []struct {
		change func(s *Learning)
		want   string
	}{
		{func(s *Learning) { s.Storeys = []int{3} }, `frame "3": want one of 2, 8`},
		{func(s *Learning) { s.Devices = []string{"stop"} }, `device "stop"`},
		{func(s *Learning) { s.Records = s.Records[:1] }, "one record: want two or more"},
		{func(s *Learning) { s.Perturbed = 0 }, "0 draws: want 1 to 10 000"},
		{func(s *Learning) { s.Delays = []int{-1} }, "delays of [-1] ms"},
		{func(s *Learning) { s.Backlash = []float64{math.NaN()} }, "backlash of NaN to NaN mm"},
	} {
		s := newLearning()
		c.change(s)
		_, err := s.rows(t.Context(), suite.Lab{})
		rthstest.WantError(t, err, c.want)
	}
}

// The page has what the suite prints. (Its formulas, fit and delay: the tests above.)
func TestLearningReachesItsFigures(t *testing.T) {
	rthstest.Full(t)
	lab := lab(t)
	s := newLearning()
	if !rthstest.All() { // a frame and a law of them
		s.Storeys, s.Devices = []int{2}, []string{"bouc-wen"}
	}
	out := rthstest.Must(s.Run(t.Context(), lab))
	var text strings.Builder
	out.Print(&text)
	page := string(rthstest.Must(os.ReadFile("../../docs/reference/learning.md")))
	for line := range strings.Lines(text.String()) {
		if !strings.Contains(page, line) {
			t.Errorf("docs/reference/learning.md has another line than\n%s", line)
		}
	}
	for i := 0; i < len(out.Rows); i += 4 {
		fixed := out.Rows[i].(learningRow)
		for _, way := range out.Rows[i+1 : i+4] {
			r := way.(learningRow)
			if most := fixed.NRMSE / 3; r.Status != "completed" || !(r.NRMSE < most || r.Backlash > 0) {
				t.Errorf("%+v: %s, NRMSE %.3g %%: want less than %.3g %%", r.learningCase, r.Way, r.NRMSE, most)
			}
		}
	}
}
