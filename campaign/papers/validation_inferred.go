package papers

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"rths/result/record"
)

// inferredADM are settings with which paper 000, Tables 2 to 4, can be reached: a step of
// 20/1024 s, no leading zeros, a peak of 1.2 · 0.263 m/s², 34 s, half of the stiffness in
// the specimen.
func inferredADM() *ADM {
	s := newADM()
	s.Systems = []string{"sdof"}
	s.Step, s.Onset, s.Duration, s.PGAFactor = 20, true, 34, 1.2/wangG
	s.Set = Sets{"specimen.stiffness=19739.2"}
	return s
}

// wangExtrapolation holds the extrapolation with these settings to 12 % of a table.
func wangExtrapolation(table string) func(ctx context.Context, e *Evidence) ([]Finding, error) {
	return func(ctx context.Context, e *Evidence) (out []Finding, err error) {
		rows, err := onceFor(e, "adm inferred", func() ([]admRow, error) {
			rows, _, err := inferredADM().rows(ctx, e.Lab)
			return admMedians(rows), err
		})
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
	s.Systems, s.Set = []string{"lab"}, Sets{"structure.masses=[10000]"}
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

// ningSpreads compares the spreads over 20 random plants with Table 7: the records × 1.0, the
// transfer system of the paper's Table 2 and R = 5e5 mm².
func ningSpreads(ctx context.Context, e *Evidence) ([]Finding, error) {
	s := newSISO()
	s.Compensators, s.Scale, s.Perturbed = []string{"kf-table5"}, 1, 20
	s.Set = Sets{"transfer.kind=silva2020-paper", "compensator.r_mm2=5e5"}
	ratios, err := s.spreadRatios(ctx, e.Lab)
	if err != nil {
		return nil, err
	}
	var out []Finding
	for column, ratio := range ratios {
		key := sisoKeys[column]
		slices.Sort(ratio)
		n := len(ratio)
		median := (ratio[(n-1)/2] + ratio[n/2]) / 2
		out = append(out, Finding{
			What:      fmt.Sprintf("%s, median of %d ratios to the printed spreads:", strings.Split(key, "_")[0], n),
			Ours:      fmt.Sprintf("%.2f (%.2f to %.2f)", median, ratio[0], ratio[n-1]),
			Published: "1", Limit: "0.6 to 1.5", Figures: n, Holds: median >= 0.6 && median <= 1.5,
		})
	}
	return out, nil
}

// spreadRatios are our standard deviations over the random plants over those of Table 7, by
// criterion J1 to J9.
func (s *SISO) spreadRatios(ctx context.Context, lab Lab) ([][]float64, error) {
	rows, err := s.rows(ctx, lab)
	out := make([][]float64, 9)
	for _, r := range rows {
		if r.Statistic == nil || r.Statistic.Name != "std" {
			continue
		}
		for i, c := range record.Flat(r.criteriaJ) {
			out[i] = append(out[i], c.V.(float64)/paper002Table7[r.Record][r.Case-1][i])
		}
	}
	return out, err
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
