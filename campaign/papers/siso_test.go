package papers

import (
	"math"
	"slices"
	"testing"

	"rths/campaign/suite"
	"rths/kit/rthstest"
	"rths/result/record"
)

// lab has the recorded ground motions, or skips the test.
func lab(t testing.TB) suite.Lab {
	t.Helper()
	return suite.Lab{RecordsDir: rthstest.Records(t), Workers: 2}
}

// noisySISO is docs/reference/benchmark-siso.md, Where our numbers stand: an independent implementation of
// the benchmark on El Centro × 0.4, case 1. Its noise is another realisation: J1 may differ by a
// sample, J3 and J5, maxima over 168 674 noise samples, by several of their standard
// deviations (of J5 of pi 0.25 points).
var noisySISO = map[string][9]float64{
	"pi":        {4.64, 10.37, 11.67, 36.07, 18.92, 32.26, 32.38, 14.82, 14.77},
	"kf":        {0.00, 2.55, 1.87, 3.28, 2.54, 1.97, 1.98, 0.99, 1.00},
	"kf-table5": {0.24, 2.59, 2.01, 4.22, 3.28, 3.20, 3.21, 1.61, 1.64},
	"amb":       {0.00, 2.55, 1.86, 3.18, 2.51, 1.85, 1.86, 1.18, 1.17},
	"amb-fixed": {4.64, 10.47, 11.38, 34.23, 17.21, 31.25, 31.34, 14.66, 14.61},
}

var noisyTolerance = [9]float64{0.26, 0.1, 0.6, 0.1, 0.6, 0.1, 0.1, 0.25, 0.25}

// quietSISO is the same without noise, by kit/independent/siso.py.
var quietSISO = map[string][]float64{
	"pi":        {4.63867, 10.1513, 10.752, 35.9503, 17.5657, 32.2264, 32.3458, 14.8119, 14.7539},
	"kf":        {0, 0.323457, 0.706144, 2.0023, 1.19561, 1.93051, 1.9376, 0.977405, 0.964251},
	"kf-table5": {0.244141, 0.651531, 0.884773, 3.31258, 1.77355, 3.15793, 3.16982, 1.57925, 1.60237},
	"amb":       {0, 0.319682, 0.560266, 1.79712, 1.03111, 1.74873, 1.75483, 0.906024, 0.900844},
	"amb-fixed": {4.63867, 10.2501, 10.5372, 34.134, 16.4726, 31.2447, 31.3341, 14.6538, 14.608},
}

// The D/A converter's rounding makes single samples depend on the last digit.
const quietTolerance = 1e-3

func TestBenchmarkOfAnotherProgram(t *testing.T) {
	lab, s := lab(t), newSISO()
	for name, want := range quietSISO {
		sc, err := s.scenario(&trial{trialHead: trialHead{name, 1, "elcentro", 0.4, "off"}})
		if err != nil {
			t.Fatal(err)
		}
		run, err := lab.Play(t.Context(), sc, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []float64
		for _, key := range sisoKeys[:9] {
			got = append(got, suite.Value(run.Values, key))
		}
		rthstest.NearAll(t, name+": J", got, want, quietTolerance)
	}
}

func TestIndependentImplementation(t *testing.T) {
	s := newSISO()
	s.Compensators, s.Cases, s.Records = []string{"pi", "kf", "kf-table5", "amb", "amb-fixed"}, []int{1},
		[]string{"elcentro"}
	rows, err := s.rows(t.Context(), lab(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if row.Run.Status != "completed" {
			t.Errorf("%s: %v", row.Compensator, row.Run.Status)
		}
		for i, c := range record.Flat(row.criteriaJ) {
			if w := noisySISO[row.Compensator][i]; !(math.Abs(c.V.(float64)-w) <= noisyTolerance[i]) {
				t.Errorf("%s: %s = %.3f, independent %.2f, tolerance %.2f", row.Compensator, c.Key, c.V, w, noisyTolerance[i])
			}
		}
	}
}

// Table 7 with settings that paper 002 does not print: records × 1.0, the transfer system with
// the numbers of its Table 2, and R = 5e5 mm², with which the parameters hardly move. The
// spreads over 20 random plants have the size of the printed ones; with the printed R they
// are a tenth of it. Why a filter that hardly learns fits is not known.
func TestTable7WithInferredSettings(t *testing.T) {
	rthstest.Long(t)
	median := func(sets ...string) float64 {
		s := newSISO()
		s.Compensators, s.Scale, s.Perturbed, s.Set = []string{"kf-table5"}, 1, 20, sets
		s.Cases, s.Records = []int{1, 3}[:rthstest.Draws(1, 2)], s.Records[:rthstest.Draws(1, 3)]
		rows, err := s.rows(t.Context(), lab(t))
		if err != nil {
			t.Fatal(err)
		}
		ratios := slices.Concat(spreadRatios(rows)...)
		if want := 9 * len(s.Cases) * len(s.Records); len(ratios) != want {
			t.Fatalf("%d spreads: want %d", len(ratios), want)
		}
		slices.Sort(ratios)
		last := len(ratios) - 1
		t.Logf("%q: %.2f to %.2f, median %.2f times the published spreads", sets, ratios[0], ratios[last], ratios[last/2])
		return ratios[last/2]
	}
	if m := median("transfer.kind=silva2020-paper", "compensator.r_mm2=5e5"); m < 0.7 || m > 1.3 {
		t.Errorf("median of the spreads %.2f of the published ones: want 0.7 to 1.3", m)
	}
	if m := median("transfer.kind=silva2020-paper"); m > 0.3 {
		t.Errorf("median of the spreads %.2f of the published ones with the printed R: want far less", m)
	}
}

// The benchmark's own PI control has the numbers of its Table 3, El Centro × 0.4 (Silva 2020).
func TestBenchmarkTable3(t *testing.T) {
	e := &Evidence{Lab: lab(t)}
	for _, group := range []struct {
		keys    string
		largest bool
	}{{"J1_ms J2_pct J4_pct J6_pct J7_pct J8_pct J9_pct", false}, {"J3_pct J5_pct", true}} {
		findings, err := silvaTable(group.keys, group.largest)(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range findings {
			t.Logf("%s: %s, printed %s", f.What, f.Ours, f.Published)
			if !f.Holds {
				t.Errorf("%s: %s, printed %s: want %s", f.What, f.Ours, f.Published, f.Limit)
			}
		}
	}
}
