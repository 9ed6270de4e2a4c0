package papers

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/campaign/picture"
	"rths/campaign/suite"
	"rths/kit/rthstest"
)

// Every suite says what it draws.
func TestEverySuiteDraws(t *testing.T) {
	for i := range Suites {
		if Suites[i].Drawing() == "" {
			t.Errorf("%s: no usage of --out", Suites[i].Name)
		}
	}
}

// inputs are the inputs of a picture as text.
func inputs(s *picture.Study) string {
	var out []string
	for _, in := range s.Inputs {
		out = append(out, fmt.Sprint(in.Name, " ", strings.Join(in.Labels, "|"), in.Values))
	}
	return strings.Join(out, "; ")
}

// Rows of the benchmark: the method by its name, each condition that differs, the criteria that are printed. A standard
// deviation is not drawn, and a mean stands beside the nominal plant.
func TestRowsOfTheBenchmark(t *testing.T) {
	row := func(method string, partition int, status, statisticOf string, j2 float64) sisoRow {
		r := sisoRow{trialHead: trialHead{Compensator: method, Case: partition, Record: "kobe", Noise: "on"}, Outcome: status}
		r.J2 = j2
		if statisticOf == "" {
			r.Run = &sisoTrial{Status: status}
		} else {
			r.Statistic = &suite.Statistic{Name: statisticOf, Runs: 5, Completed: 4}
		}
		return r
	}
	table := suite.Table{Rows: suite.List([]sisoRow{row("amb", 1, rths.Completed, "", 1),
		row("kf", 1, rths.Diverged, "", 2),
		row("amb", 2, rths.Completed, "", 3), row("amb", 1, "mean of 4", "mean", 4), row("amb", 1, "std of 4", "std", 5)})}
	got := table.Pictured()
	if len(got) != 1 || got[0].Name != "" {
		t.Fatalf("%d pictures", len(got))
	}
	s := got[0]
	if want := "method amb|kf|amb|amb[]; condition case 1, nominal plant|case 1, nominal plant|case 2, nominal " +
		"plant|case 1, mean of 5 random plants[]"; inputs(s) != want {
		t.Errorf("%s\nwant %s", inputs(s), want)
	}
	if !slices.Equal(s.Status, []string{rths.Completed, rths.Diverged, rths.Completed, rths.Completed}) {
		t.Errorf("status %v", s.Status)
	}
	if o := s.Outputs[1]; o.Name != "J2_pct" || !slices.Equal(o.Values, []float64{1, 2, 3, 4}) || len(s.Outputs) != 11 {
		t.Errorf("%d criteria; %s %v", len(s.Outputs), o.Name, o.Values)
	}
}

// Sweeps of paper 002: a picture for each quantity, lines for each stop frequency.
func TestRowsThatSweep(t *testing.T) {
	var rows []kalmanRow
	for _, quantity := range []string{"x0", "R"} {
		for _, factor := range []float64{0.7, 1.3} {
			for _, stop := range []float64{10, 30} {
				rows = append(rows, kalmanRow{Quantity: quantity, Factor: factor, StopHz: stop, RMSE: factor * stop})
			}
		}
	}
	table := suite.Table{Rows: suite.List(rows)}
	got := table.Pictured()
	if len(got) != 2 || got[0].Name != "x0 over factor" || got[1].Name != "R over factor" {
		t.Fatalf("%+v", got)
	}
	if want := "factor [0.7 0.7 1.3 1.3]; method stop Hz 10|stop Hz 30|stop Hz 10|stop Hz 30[]"; inputs(got[0]) != want {
		t.Errorf("%s: want %s", inputs(got[0]), want)
	}
	if o := got[1].Outputs[1]; o.Name != "RMSE %" || !slices.Equal(o.Values, []float64{7, 21, 13, 39}) {
		t.Errorf("%s %v", o.Name, o.Values)
	}
}

// Of a single method its conditions are compared; a quantity names the number of its row; pairs are two criteria; what
// a tag leaves out, integers and published values are not drawn.
func TestRowsOfOtherTables(t *testing.T) {
	robust := suite.Table{Rows: suite.List([]robustnessRow{{Compensator: "amb", Case: 1, Record: "kobe", Mean: 1},
		{Compensator: "amb", Case: 2, Record: "kobe", Mean: 2}})}
	if got := inputs(robust.Pictured()[0]); got != "method case 1|case 2[]" {
		t.Error(got)
	}
	stability := suite.Table{Rows: suite.List([]stabilityRow{
		{Quantity: "critical_delay_ms", Case: "S1 0.5", system: "S1", Method: "exact", Value: 8, share: new(0.5)},
		{Quantity: "critical_delay_ms", Case: "case I", system: "case I", Method: "exact", Value: 14, Published: new(1.0)},
		{Quantity: "sw_max_pct", Case: "d0", system: "d0", Method: "simulation", Value: 3}})}
	got := stability.Pictured()
	if len(got) != 2 || inputs(got[0]) != "stiffness ratio [0.5]; method S1, exact[]" ||
		inputs(got[1]) != "method case I, exact|d0, simulation[]; condition |[]" {
		t.Fatalf("%s; %s", inputs(got[0]), inputs(got[1]))
	}
	if o := got[1].Outputs; len(o) != 2 || o[0].Values[0] != 14 || !math.IsNaN(o[0].Values[1]) || o[1].Values[1] != 3 {
		t.Errorf("%+v: want a critical delay of the first and SW of the second", o)
	}
	axes := suite.Table{Rows: suite.List([]multiAxialRow{{J2: pair{1, 2}, Run: &multiAxialTrial{Status: rths.Completed}}})}
	names := ""
	for _, o := range axes.Pictured()[0].Outputs {
		names += o.Name + ", "
	}
	rthstest.Contains(t, names, "J2 % (1), J2 % (2), ")
	if strings.Contains(names, "radius") {
		t.Error(names)
	}
}

// Each table has files of its own, named after its key or its title.
func TestDrawTables(t *testing.T) {
	rows := suite.List([]tripRow{{Case: "d0", At: 1}, {Case: "d1", At: 2}})
	r := &suite.Result{Suite: "x", Tables: []suite.Table{{Rows: rows},
		{Rows: rows, Before: "\nsensor noise × 3\n"}, {Rows: rows},
		{Rows: rows, Key: "trips", Before: "a long sentence"}, {Rows: nil}}}
	files, err := r.DrawTables(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		if filepath.Ext(f) == ".png" {
			names = append(names, filepath.Base(f))
		}
	}
	if want := []string{"x.png", "x-sensor-noise-3.png", "x-table-3.png", "x-trips.png"}; !slices.Equal(names, want) {
		t.Errorf("%v: want %v", names, want)
	}
}
