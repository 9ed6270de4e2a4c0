package papers

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"rths/campaign/suite"
	"rths/result/record"
)

// inferredADM are settings with which paper 000, Tables 2 to 4, can be reached: a step of
// 20/1024 s, no leading zeros, a peak of 1.2 · 0.263 m/s², 34 s, half of the stiffness in
// the specimen.
func inferredADM() *ADM {
	s := newADM()
	s.Systems = []string{"sdof"}
	s.Step, s.Onset, s.Duration, s.PGAFactor = 20, true, 34, 1.2/wangG
	s.Set = suite.Sets{"specimen.stiffness=19739.2"}
	return s
}

// inferredADM are the medians with these settings.
func (e *Evidence) inferredADM(ctx context.Context) ([]admRow, error) {
	return onceFor(e, "adm inferred", func() ([]admRow, error) {
		rows, _, err := inferredADM().rows(ctx, e.Lab)
		return admMedians(rows), err
	})
}

// wangExtrapolation holds the extrapolation with these settings to 12 % of a table.
func wangExtrapolation(table string) func(ctx context.Context, e *Evidence) ([]Finding, error) {
	return func(ctx context.Context, e *Evidence) (out []Finding, err error) {
		rows, err := e.inferredADM(ctx)
		for _, r := range rows {
			if r.Compensator == "pe" && r.PublishedIn == table {
				out = append(out, ratios("pe", []float64{r.J1, r.J2, r.J3, r.J4}, r, 0.88, 1.12))
			}
		}
		return out, err
	}
}

// ratios compares the indicators with the published ones, each by its ratio.
func ratios(what string, ours []float64, r admRow, least, most float64) Finding {
	_, published := r.Below()
	f := Finding{What: what, Published: wangFigures(published), Limit: fmt.Sprintf("each %g to %g times", least, most),
		Holds: true}
	var row record.Row
	for i, v := range r.Published {
		row = append(row, record.Cell{Key: v.Name, V: ours[i]})
		f.Figures++
		f.Holds = f.Holds && ours[i] >= least*v.V && ours[i] <= most*v.V
	}
	f.Ours = wangFigures(row)
	return f
}

// wangHeavy holds J3 of the laboratory's structure, with 10 t in place of 500 kg, to twice and
// half of Tables 5 and 6.
func wangHeavy(ctx context.Context, e *Evidence) ([]Finding, error) {
	s := newADM()
	s.Systems, s.Set = []string{"lab"}, suite.Sets{"structure.masses=[10000]"}
	rows, _, err := s.rows(ctx, e.Lab)
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, r := range admMedians(rows) {
		for _, v := range r.Published {
			if strings.HasPrefix(v.Name, "J3") {
				out = append(out, says(r.PublishedIn+", "+r.Compensator+", J3", fmt.Sprintf("%.2f %%", r.J3),
					fmt.Sprintf("%.2f %%", v.V), "half to twice", r.J3 >= v.V/2 && r.J3 <= 2*v.V))
			}
		}
	}
	return out, nil
}

// wangModels counts the figures of the models in Tables 3 and 4 that ours are within 30 % of: with the
// printed step and all of the stiffness in the specimen, and with the settings of the extrapolation.
func wangModels(ctx context.Context, e *Evidence) ([]Finding, error) {
	printed := inferredADM()
	printed.Step, printed.Set = newADM().Step, nil
	rows, _, err := printed.rows(ctx, e.Lab)
	if err != nil {
		return nil, err
	}
	other, err := e.inferredADM(ctx)
	near, all := nearModels(admMedians(rows))
	inferred, _ := nearModels(other)
	pe := rows[slices.IndexFunc(rows, func(r admRow) bool { return r.Compensator == "pe" })]
	return []Finding{
		{What: "printed step, specimen with all of the stiffness", Ours: fmt.Sprintf("%d of %d", near, all),
			Published: "the figures of the models", Limit: "each within 30 %", Figures: all, Holds: near == all},
		note("the extrapolation, J1, then", fmt.Sprintf("%.3g mm", pe.J1)),
		note("settings of the extrapolation", fmt.Sprintf("%d of %d", inferred, all)),
	}, err
}

// nearModels counts the figures of the models in Tables 3 and 4, and those of ours within 30 % of them.
func nearModels(rows []admRow) (near, all int) {
	for _, r := range rows {
		if r.Compensator == "pe" || r.PublishedIn == "Table 2" {
			continue
		}
		ours := []float64{r.J1, r.J2, r.J3, r.J4}
		for i, v := range r.Published {
			if all++; math.Abs(ours[i]/v.V-1) <= 0.3 {
				near++
			}
		}
	}
	return near, all
}

// zhuTopMass are five of the six errors of Table 2, with the load on the top mass and 10 s.
func zhuTopMass(context.Context, *Evidence) ([]Finding, error) {
	s := newPredictors()
	s.Load, s.Sweep = "top", 10
	rows, err := s.table2()
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, r := range rows {
		if r.Published == nil {
			continue
		}
		what, ours := fmt.Sprintf("%s, %.4f s", r.Method, r.Dt), fmt.Sprintf("%.2f %%", r.NRMS)
		if r.Method == "dual-explicit" && r.Dt < 0.015 {
			out = append(out, note(what+" (1.43 % is printed)", ours))
			continue
		}
		out = append(out, says(what, ours, fmt.Sprintf("%g %%", *r.Published), "within a third",
			math.Abs(r.NRMS / *r.Published - 1) < 1./3))
	}
	return out, nil
}
