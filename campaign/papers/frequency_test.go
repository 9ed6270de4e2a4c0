package papers

import (
	"path"
	"testing"

	"rths/campaign/study"
	"rths/scenario"
	"rths/scenario/syntax"
	"rths/scenarios"
	"rths/studies"
)

// Paper 000 asks how methods do above 10 Hz. In the shipped study the true J2 of every method grows from 5 to 10 to 20
// to 30 Hz; inverses of order 3 or 4 stay below 5 % at 20 Hz, and models of taps do not.
func TestMethodsAbove10Hz(t *testing.T) {
	text, err := studies.Files.ReadFile("above-10-hz.yaml")
	if err != nil {
		t.Fatal(err)
	}
	f, err := study.Parse("above-10-hz.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	base, err := scenarios.Files.ReadFile(path.Base(f.Scenario))
	if err != nil {
		t.Fatal(err)
	}
	template, err := scenario.NewTemplate(path.Base(f.Scenario), base, ".", f.Set)
	if err != nil {
		t.Fatal(err)
	}
	bench := study.NewBench("")
	for _, level := range f.Variables[0].Levels {
		method := level.Text()
		before := 0.0
		for _, hz := range []float64{5, 10, 20, 30} {
			row, err := bench.Play(t.Context(), template, []syntax.Setting{level, syntax.Number(f.Variables[1].Key, hz, "")})
			if err != nil {
				t.Fatal(err)
			}
			j2, ok := row.Value("J2_true_pct")
			if !ok || j2 <= before {
				t.Errorf("%s at %g Hz: J2 %.3g %%, %s: want more than %.3g %%", method, hz, j2, row.Reason, before)
			}
			inverse := map[string]bool{"amb": true, "ats": true, "cats": true, "kalman-inverse": true}[method]
			if hz == 20 && inverse != (j2 < 5) {
				t.Errorf("%s at 20 Hz: J2 %.3g %%: below 5 %% of inverses alone", method, j2)
			}
			before = j2
		}
	}
}
