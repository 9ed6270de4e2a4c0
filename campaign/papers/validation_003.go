package papers

import (
	"context"
	"fmt"
	"math"
)

// table1Findings are the frequencies and damping ratios of Table 1.
func table1Findings(context.Context, *Evidence) ([]Finding, error) {
	part, err := paper003Table1(nil)
	if err != nil {
		return nil, err
	}
	modes, err := part.Whole.Modes()
	if err != nil {
		return nil, err
	}
	var out []Finding
	for i, hz := range []float64{3.1, 8.1} {
		name := fmt.Sprintf("mode %d", i+1)
		out = append(out, within(name, modes[i].Omega/(2*math.Pi), hz, 0.05, "Hz"),
			within(name, 100*modes[i].Ratio, 5, 0.05, "%"))
	}
	return out, nil
}

// table2Findings are the errors of the published methods.
func table2Findings(context.Context, *Evidence) ([]Finding, error) {
	rows, err := newPredictors().table2()
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, r := range rows {
		if r.Published != nil {
			out = append(out, within(fmt.Sprintf("%s, %.4f s", r.Method, r.Dt), r.NRMS, *r.Published, 0.05**r.Published, "%"))
		}
	}
	return out, nil
}
