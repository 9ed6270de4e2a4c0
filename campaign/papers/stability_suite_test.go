package papers

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"rths/campaign/suite"
)

// The suite's keys, and its critical delays: paper 001, section 5.1 (16 ms) and eq. 7.26
// (8.5 ms, errata 001.15), and none where the text says so.
func TestStabilitySuite(t *testing.T) {
	out, err := Stability{}.Run(t.Context(), suite.Lab{})
	if err != nil {
		t.Fatal(err)
	}
	keys := []string{"quantity", "case", "method", "value", "unit", "published"}
	values := map[string]float64{}
	for _, row := range out.Rows {
		if got := suite.Keys(row); !slices.Equal(got, keys) {
			t.Fatalf("keys %v: want %v", got, keys)
		}
		r := row.(stabilityRow)
		values[r.Case+" "+r.Method] = r.Value
	}
	if len(values) != 2+2*2*19+2*4 {
		t.Errorf("%d different rows: want %d", len(values), 2+2*2*19+2*4)
	}
	for name, want := range map[string]float64{"sdof exact": 16, "sdof pade2": 16, "case IV modal": 8.5} {
		if math.Abs(values[name]-want) > 0.25 {
			t.Errorf("%s: %.3f ms, published %g", name, values[name], want)
		}
	}
	for _, name := range []string{"S1 0.2 pade2", "S2 0.2 pade2"} {
		if v := values[name]; !math.IsNaN(v) && !math.IsInf(v, 0) {
			t.Errorf("%s: %g ms: want none", name, v)
		}
	}
	// "At higher stiffness ratio the critical delay decreases", S2 tolerates more.
	for i := 6; i < 19; i++ {
		a, b := fmt.Sprintf("S1 %g exact", float64(i)/20), fmt.Sprintf("S1 %g exact", float64(i+1)/20)
		if !(values[a] > values[b]) {
			t.Errorf("%s %g ms, %s %g ms: want it to fall", a, values[a], b, values[b])
		}
		if c := fmt.Sprintf("S2 %g exact", float64(i)/20); !(values[c] > values[a]) {
			t.Errorf("%s %g ms, %s %g ms: want more with more damping", c, values[c], a, values[a])
		}
	}
}
