package papers

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"rths"
	"rths/campaign/suite"
	"rths/result/record"
)

// Section 5 of paper 002, and Table 3 of the benchmark that it is about (Silva 2020).

// nominal takes the runs on the nominal plant.
func nominal(r sisoRow) bool { return r.Run != nil && r.Run.Perturbed == 0 }

// ofStatistic takes the rows of a statistic over the random plants.
func ofStatistic(name string) func(sisoRow) bool {
	return func(r sisoRow) bool { return r.Statistic != nil && r.Statistic.Name == name }
}

// criterion is one of J1 to J9 of a row, and what a table prints of it.
func (r sisoRow) criterion(table sisoPublished, column int) (ours, published float64) {
	return record.Flat(r.criteriaJ)[column].V.(float64), table[r.Record][r.Case-1][column]
}

// ningTable5 compares criteria of the nominal runs with Table 5: the mean of either and the largest difference.
func ningTable5(keys string, records []string, tolerance float64) check {
	return ningTable(nominal, paper002Table5, keys, records, tolerance)
}

// ningPerturbed compares the standard deviations over the random plants with Table 7.
func ningPerturbed(ctx context.Context, e *Evidence) ([]Finding, error) {
	return ningTable(ofStatistic("std"), paper002Table7, "J1_ms J2_pct J4_pct J6_pct J8_pct", sisoRecords, 0.5)(ctx, e)
}

func ningTable(take func(sisoRow) bool, table sisoPublished, keys string, records []string, tolerance float64) check {
	return func(ctx context.Context, e *Evidence) ([]Finding, error) {
		rows, err := e.table5(ctx)
		if err != nil {
			return nil, err
		}
		var out []Finding
		for _, key := range strings.Fields(keys) {
			var ours, theirs, worst, n float64
			for _, r := range rows {
				if take(r) && slices.Contains(records, r.Record) {
					value, published := r.criterion(table, slices.Index(sisoKeys, key))
					ours, theirs, n = ours+value, theirs+published, n+1
					worst = max(worst, math.Abs(value-published))
				}
			}
			name, unit := nameAndUnit(key)
			out = append(out, Finding{
				What:      fmt.Sprintf("%s, mean of %.0f:", name, n),
				Ours:      fmt.Sprintf("%.2f %s (largest difference %.2f)", ours/n, unit, worst),
				Published: fmt.Sprintf("%.2f %s", theirs/n, unit), Limit: fmt.Sprintf("each ± %g %s", tolerance, unit),
				Figures: int(n), Holds: worst <= tolerance,
			})
		}
		return out, nil
	}
}

// nameAndUnit are J1 and ms of J1_ms, J2 and % of J2_pct.
func nameAndUnit(key string) (name, unit string) {
	name, unit, _ = strings.Cut(key, "_")
	return name, strings.ReplaceAll(unit, "pct", "%")
}

// ningScale is Table 5, J2 and J3; beside it how much of the table is within the limits, and with the records × 0.4.
func ningScale(ctx context.Context, e *Evidence) ([]Finding, error) {
	out, err := ningTable5("J2_pct J3_pct", sisoRecords, 0.5)(ctx, e)
	if err != nil {
		return nil, err
	}
	rows, err := e.table5(ctx)
	if err != nil {
		return nil, err
	}
	s := newSISO()
	s.Compensators, s.Set = []string{"kf-table5"}, suite.Sets{"compensator.r_mm2=100"}
	small, err := s.rows(ctx, e.Lab)
	return append(out, note("all of Table 5 within ± 0.05 ms and ± 0.5 %", withinTable5(rows)),
		note("with the records × 0.4", withinTable5(small))), err
}

// withinTable5 counts the figures of Table 5 that the nominal runs are near to.
func withinTable5(rows []sisoRow) string {
	near, all := 0, 0
	for _, r := range rows {
		for column := range 9 {
			if !nominal(r) {
				continue
			}
			tolerance := 0.5
			if column == 0 {
				tolerance = 0.05
			}
			if ours, published := r.criterion(paper002Table5, column); math.Abs(ours-published) <= tolerance {
				near++
			}
			all++
		}
	}
	return fmt.Sprintf("%d of %d", near, all)
}

// ningRuns counts the runs of section 5.
func ningRuns(ctx context.Context, e *Evidence) ([]Finding, error) {
	rows, err := e.table5(ctx)
	if err != nil {
		return nil, err
	}
	runs, completed := 0, 0
	for _, r := range rows {
		if r.Run != nil {
			if runs++; r.Run.Status == rths.Completed {
				completed++
			}
		}
	}
	return []Finding{says("runs completed", fmt.Sprintf("%d of %d", completed, runs), "252", "exact",
		runs == 252 && completed == 252)}, nil
}

func ningFig11(ctx context.Context, e *Evidence) ([]Finding, error) {
	rows, err := e.table5(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(rows, func(r sisoRow) bool { return nominal(r) && r.Record == "elcentro" && r.Case == 1 })
	return []Finding{says("J4 without sensor noise", fmt.Sprintf("%.2f %%", rows[i].TrueJ4), "almost identical", "< 5 %",
		rows[i].TrueJ4 < 5)}, nil
}

// ningPI counts the criteria of El Centro of which PI has the larger value.
func ningPI(ctx context.Context, e *Evidence) ([]Finding, error) {
	s := newSISO()
	s.Compensators, s.Records, s.Scale = []string{"pi"}, sisoRecords[:1], 1
	pi, err := s.rows(ctx, e.Lab)
	if err != nil {
		return nil, err
	}
	rows, err := e.table5(ctx)
	larger, all := 0, 0
	for _, kf := range rows {
		if !nominal(kf) || kf.Record != sisoRecords[0] {
			continue
		}
		theirs := record.Flat(kf.criteriaJ)
		for i, c := range record.Flat(pi[kf.Case-1].criteriaJ) {
			if all++; c.V.(float64) > theirs[i].V.(float64) {
				larger++
			}
		}
	}
	return []Finding{says("criteria in which PI is larger than kf-table5", fmt.Sprintf("%d of %d", larger, all),
		"generally the largest", "more than half", 2*larger > all)}, err
}

// ningWeak are runs with the plant of the paper's Table 2 and R = 5e5 mm².
func (e *Evidence) ningWeak(ctx context.Context) ([]sisoRow, error) {
	return e.ning(ctx, 20, "transfer.kind=silva2020-paper", "compensator.r_mm2=5e5")
}

// ningSpreads compares the spreads over 20 random plants with Table 7.
func ningSpreads(ctx context.Context, e *Evidence) ([]Finding, error) {
	rows, err := e.ningWeak(ctx)
	if err != nil {
		return nil, err
	}
	var out []Finding
	for column, ratio := range spreadRatios(rows) {
		name, _ := nameAndUnit(sisoKeys[column])
		slices.Sort(ratio)
		n := len(ratio)
		median := (ratio[(n-1)/2] + ratio[n/2]) / 2
		out = append(out, Finding{
			What:      fmt.Sprintf("%s, median of %d ratios to the printed spreads:", name, n),
			Ours:      fmt.Sprintf("%.2f (%.2f to %.2f)", median, ratio[0], ratio[n-1]),
			Published: "1", Limit: "0.6 to 1.5", Figures: n, Holds: median >= 0.6 && median <= 1.5,
		})
	}
	return out, nil
}

// spreadRatios are our standard deviations over the random plants over those of Table 7, by
// criterion J1 to J9.
func spreadRatios(rows []sisoRow) [][]float64 {
	out := make([][]float64, 9)
	for _, r := range rows {
		if !ofStatistic("std")(r) {
			continue
		}
		for i := range out {
			ours, published := r.criterion(paper002Table7, i)
			out[i] = append(out[i], ours/published)
		}
	}
	return out
}

// ningMeans compares the means over 20 random plants with Table 6, by the standard error of their difference:
// both are means of 20 draws, with the standard deviations of Table 7 and ours.
func ningMeans(keys string) check {
	return func(ctx context.Context, e *Evidence) ([]Finding, error) {
		rows, err := e.ningWeak(ctx)
		if err != nil {
			return nil, err
		}
		var out []Finding
		for _, key := range strings.Fields(keys) {
			column := slices.Index(sisoKeys, key)
			two, three, n, worst := 0, 0, 0, 0.0
			for i, r := range rows {
				if !ofStatistic("mean")(r) { // the row of std follows
					continue
				}
				ours, published := r.criterion(paper002Table6, column)
				spread, printed := rows[i+1].criterion(paper002Table7, column)
				d := math.Abs(ours-published) / math.Sqrt((spread*spread+printed*printed)/20)
				n, worst = n+1, max(worst, d)
				if d <= 2 {
					two++
				}
				if d <= 3 {
					three++
				}
			}
			name, _ := nameAndUnit(key)
			out = append(out, Finding{What: fmt.Sprintf("%s, %d means:", name, n),
				Ours:      fmt.Sprintf("%d within two standard errors, %d within three (largest %.1f)", two, three, worst),
				Published: "Table 6", Limit: "three standard errors", Figures: n, Holds: three == n})
		}
		return out, nil
	}
}

// silvaSeeds of sensor noise that Table 3 of the benchmark is compared with.
const silvaSeeds = 8

// silvaTable compares the benchmark's own PI control with its Table 3: the mean over seeds within a unit of the
// last printed digit, or of largest values, which noise makes, within three standard deviations of the seeds.
func silvaTable(keys string, largest bool) check {
	return func(ctx context.Context, e *Evidence) ([]Finding, error) {
		runs, err := e.silvaRuns(ctx)
		if err != nil {
			return nil, err
		}
		var out []Finding
		for _, key := range strings.Fields(keys) {
			column := slices.Index(sisoKeys, key)
			f := Finding{Figures: 4, Holds: true, Limit: "each ± 0.1"}
			if largest {
				f.Limit = "each ± three standard deviations"
			}
			var ours, theirs []string
			for c := range 4 {
				mean, std := stat.MeanStdDev(runs[c][column], nil)
				limit, text := 0.1, fmt.Sprintf("%.2f", mean)
				if largest {
					limit, text = 3*std, fmt.Sprintf("%.2f ± %.2f", mean, std)
				}
				printed := silvaTable3["elcentro"][c][column]
				ours, theirs = append(ours, text), append(theirs, fmt.Sprintf("%.1f", printed))
				f.Holds = f.Holds && math.Abs(mean-printed) <= limit
			}
			name, unit := nameAndUnit(key)
			f.What, f.Ours, f.Published = name, strings.Join(ours, ", ")+" "+unit, strings.Join(theirs, ", ")+" "+unit
			out = append(out, f)
		}
		return out, nil
	}
}

// silvaRuns are J1 to J9 of the seeds, by case and criterion.
func (e *Evidence) silvaRuns(ctx context.Context) ([4][9][]float64, error) {
	return onceFor(e, "silva table 3", func() (out [4][9][]float64, err error) {
		for seed := range uint64(silvaSeeds) {
			s := newSISO()
			s.Compensators, s.Records, s.Seed = []string{"pi"}, sisoRecords[:1], seed+1
			rows, err := s.rows(ctx, e.Lab)
			if err != nil {
				return out, err
			}
			for _, r := range rows {
				for i, c := range record.Flat(r.criteriaJ) {
					out[r.Case-1][i] = append(out[r.Case-1][i], c.V.(float64))
				}
			}
		}
		return out, nil
	})
}
