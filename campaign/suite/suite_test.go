package suite

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/result/record"
	"rths/scenario"
)

type own struct {
	Case string     `col:"case" print:"%s"`
	J2   float64    `col:"J2_pct" print:"%.2f" head:"J2, %"`
	Both [2]float64 `col:"both" print:"%.1f"`
	More *float64   `col:"more" print:"%.1f"`
	Kept int        `col:"kept"`
}

func (o own) Below() (string, record.Row) {
	return "published", record.Row{{Key: "J2_pct", V: 3.25}}
}

// A table has the columns that are printed, strokes between several numbers, a dash for none, and a second line below
// its keys. JSON has all columns.
func TestTables(t *testing.T) {
	r := OneTable("mine", []own{{"a", 3.5, [2]float64{1, 2}, nil, 7}}, "after\n")
	var out strings.Builder
	r.Print(&out)
	lines := strings.Split(out.String(), "\n")
	words := func(i int) []string { return strings.Fields(lines[i]) }
	if !slices.Equal(words(0), []string{"case", "J2,", "%", "both", "more"}) ||
		!slices.Equal(words(1), []string{"a", "3.50", "1.0/2.0", "–"}) ||
		!slices.Equal(words(2), []string{"published", "3.25"}) || lines[3] != "after" {
		t.Errorf("printed\n%s", out.String())
	}
	text, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(text), `"suite":"mine","rows":[{"case":"a","J2_pct":3.5`) ||
		!strings.Contains(string(text), `"kept":7`) {
		t.Errorf("%s, %v", text, err)
	}
	if keys := Keys(own{}); !slices.Equal(keys, []string{"case", "J2_pct", "both", "more", "kept"}) {
		t.Errorf("keys %q", keys)
	}
}

// Lists name what stands twice, what is not known, and that there is nothing.
func TestDistinct(t *testing.T) {
	rthstest.WantError(t, Distinct("case", []int{1, 2, 1}, nil), "case 1 stands twice")
	rthstest.WantError(t, Distinct("case", []int{5}, []int{1, 2}), `case "5": want one of 1, 2`)
	rthstest.WantError(t, Distinct("case", []int{}, nil), "at least one case")
	rthstest.WantError(t, Known([]string{"amb", "magic"}), "magic")
	if err := Known([]string{"amb", "kf"}); err != nil {
		t.Error(err)
	}
}

// Values are found by name; one that is not there is no number.
func TestPick(t *testing.T) {
	values := []rths.Value{{Name: "a", V: 1}, {Name: "b", V: 2}}
	got := Pick(values, []string{"b", "c"})
	if len(got) != 2 || got[0].V != 2 || !math.IsNaN(got[1].V) || got[1].Name != "c" {
		t.Errorf("%v", got)
	}
}

// Runs with the same key share a motion, which is made once.
func TestShakings(t *testing.T) {
	made := 0
	of := func(i int) (*scenario.Scenario, error) {
		made++
		return scenario.Shipped("demo.yaml", "ground.duration_s=6", "seed="+string(rune('1'+i%2)))
	}
	got, err := Shakings(Lab{}, 6, func(i int) int { return i % 2 }, of)
	if err != nil || len(got) != 2 || made != 2 || got[0] == got[1] {
		t.Fatalf("%d motions of %d scenarios, %v: want two", len(got), made, err)
	}
	sc, _ := of(0)
	ticks := 0
	out, err := Lab{}.Play(context.Background(), sc, got[0], func(r *scenario.Run) {
		r.Loop.Attach(Watch(func(*rths.Frame) { ticks++ }))
	})
	if err != nil || out.Status != rths.Completed || ticks != out.Samples || !(Value(out.Values, "J2_pct") > 0) {
		t.Errorf("%v, %s after %d ticks", err, out.Status, ticks)
	}
}
