package papers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"rths"
	"rths/model/plant"
	"rths/result/record"
	"rths/scenario"
)

func ningTrue(context.Context, *Evidence) ([]Finding, error) {
	x := ningTrueParameters()
	var out []Finding
	for i, want := range []float64{0.6777e4, -1.3422e4, 0.6646e4} {
		out = append(out, within(fmt.Sprintf("x%d", i+1), x[i], want, 0.5, ""))
	}
	return out, nil
}

func ningFig4(ctx context.Context, e *Evidence) ([]Finding, error) {
	s, err := ningSweep(20, 1, 1, 1)
	if err != nil {
		return nil, err
	}
	out, err := e.Lab.play(ctx, s, nil, nil)
	if err != nil {
		return nil, err
	}
	j2 := value(out.values, "J2_pct")
	return []Finding{says("J2", fmt.Sprintf("%.2f %%", j2), "almost identical (Fig. 6: below 5 %)", "< 5 %", j2 < 5)}, nil
}

func ningFig5(ctx context.Context, _ *Evidence) ([]Finding, error) {
	s, err := ningSweep(20, 1, 1, 1)
	if err != nil {
		return nil, err
	}
	run, err := s.Build(ctx, scenario.Options{})
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, stage := range []struct {
		t          float64
		more, less float64 // distance from the true parameters, %
		published  string
	}{{0.1, 10, 20, "near the initial value"}, {0.5, 0, 1.5, "almost at the true values"},
		{0, 0, 1.5, "almost identical to the true ones"}} {
		if err := run.Loop.Run(1, func() bool { return stage.t == 0 || run.Loop.Frame().T < stage.t }); err != nil {
			return nil, err
		}
		d := farthest(parametersOf(run), ningTrueParameters())
		out = append(out, says(fmt.Sprintf("at %.1f s off by", run.Loop.Frame().T), fmt.Sprintf("%.2f %%", d),
			stage.published,
			fmt.Sprintf("%g to %g %%", stage.more, stage.less), d >= stage.more && d <= stage.less))
	}
	return out, nil
}

// kalman runs the suite of section 4 once.
func (e *Evidence) kalman(ctx context.Context) ([]kalmanRow, error) {
	return onceFor(e, "kalman", func() ([]kalmanRow, error) { return Kalman{}.rows(ctx, e.Lab) })
}

func ningTable4(ctx context.Context, e *Evidence) ([]Finding, error) {
	rows, err := e.kalman(ctx)
	if err != nil {
		return nil, err
	}
	least, most := math.Inf(1), math.Inf(-1)
	for _, r := range rows {
		if r.Quantity == "x0" {
			least, most = min(least, r.DelayMs), max(most, r.DelayMs)
		}
	}
	return []Finding{says("39 runs", fmt.Sprintf("%.2f to %.2f ms", least, most), "0.1 to 0.2 ms", "0.05 to 0.25 ms",
		least >= 0.05 && most < 0.25)}, nil
}

// ningWorst is the largest of a column for a quantity, by stop frequency.
func (e *Evidence) ningWorst(ctx context.Context, quantity string, of func(kalmanRow) float64) (worst [3]float64,
	err error) {
	rows, err := e.kalman(ctx)
	for _, r := range rows {
		if r.Quantity == quantity {
			i := slices.Index(kalmanStops, r.StopHz)
			worst[i] = max(worst[i], of(r))
		}
	}
	return worst, err
}

// ningRMSE wants J2 below 5 % for every factor.
func ningRMSE(vary ...string) func(context.Context, *Evidence) ([]Finding, error) {
	return ningBelow("at most", func(r kalmanRow) float64 { return r.RMSE }, "below 5 %", 5, vary)
}

// ningConverged wants the last parameters within 1 % of the true parameters and of the
// parameters of the held plant.
func ningConverged(vary ...string) func(context.Context, *Evidence) ([]Finding, error) {
	return func(ctx context.Context, e *Evidence) ([]Finding, error) {
		lumped, err := ningBelow("off the lumped ones by at most", func(r kalmanRow) float64 { return r.OffLumped },
			"within 1 %", 1, vary)(ctx, e)
		if err != nil {
			return nil, err
		}
		held, err := ningBelow("off the held plant's by at most", func(r kalmanRow) float64 { return r.OffHeld }, none, 1,
			vary)(ctx, e)
		return append(lumped, held...), err
	}
}

func ningBelow(what string, of func(kalmanRow) float64, published string, limit float64,
	vary []string) func(context.Context, *Evidence) ([]Finding, error) {
	return func(ctx context.Context, e *Evidence) ([]Finding, error) {
		var out []Finding
		for _, quantity := range vary {
			w, err := e.ningWorst(ctx, quantity, of)
			if err != nil {
				return nil, err
			}
			f := says(fmt.Sprintf("%s, sweep to 10, 20, 30 Hz: %s", quantity, what),
				fmt.Sprintf("%.2f, %.2f, %.2f %%", w[0], w[1], w[2]), published, fmt.Sprintf("≤ %g %%", limit),
				slices.Max(w[:]) <= limit)
			if f.Figures = len(w); published == none {
				f.Figures = 0
			}
			out = append(out, f)
		}
		return out, nil
	}
}

func ningFig11(ctx context.Context, e *Evidence) ([]Finding, error) {
	rows, err := e.siso(ctx, "kf-table5")
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(rows, func(r sisoRow) bool {
		return r.Record == "elcentro" && r.Case == 1 && r.Run != nil && r.Run.Perturbed == 0
	})
	return []Finding{says("J4 without sensor noise", fmt.Sprintf("%.2f %%", rows[i].TrueJ4), "almost identical", "< 5 %",
		rows[i].TrueJ4 < 5)}, nil
}

// ningTable5 compares criteria of the nominal runs with Table 5: the mean of
// either and the largest difference.
func ningTable5(keys string, records []string, tolerance float64) func(context.Context, *Evidence) ([]Finding, error) {
	return ningTable((*Evidence).table5, keys, records, tolerance, nominal, paper002Table5)
}

// table5 are the rows that stand beside Tables 5 to 7.
func (e *Evidence) table5(ctx context.Context) ([]sisoRow, error) { return e.siso(ctx, "kf-table5") }

func nominal(r sisoRow) bool { return r.Run != nil && r.Run.Perturbed == 0 }

// ningUnscaled does so with the records × 1.0.
func ningUnscaled(keys string) func(context.Context, *Evidence) ([]Finding, error) {
	return ningTable((*Evidence).unscaled, keys, sisoRecords, 0.5, nominal, paper002Table5)
}

// ningPerturbed compares a statistic over the perturbed plants with Tables 6 and 7.
func ningPerturbed(statistic string, table sisoPublished) func(context.Context, *Evidence) ([]Finding, error) {
	return ningTable((*Evidence).table5, "J1_ms J2_pct J4_pct J6_pct J8_pct", sisoRecords, 0.5,
		func(r sisoRow) bool { return r.Statistic != nil && r.Statistic.Name == statistic }, table)
}

func ningTable(of func(*Evidence, context.Context) ([]sisoRow, error), keys string, records []string, tolerance float64,
	take func(sisoRow) bool, table sisoPublished) func(context.Context, *Evidence) ([]Finding, error) {
	return func(ctx context.Context, e *Evidence) ([]Finding, error) {
		rows, err := of(e, ctx)
		if err != nil {
			return nil, err
		}
		var out []Finding
		for _, key := range strings.Fields(keys) {
			column := slices.Index(sisoKeys, key)
			var ours, theirs, worst, n float64
			for _, r := range rows {
				if take(r) && slices.Contains(records, r.Record) {
					published, value := table[r.Record][r.Case-1][column], record.Flat(r.criteriaJ)[column].V.(float64)
					ours, theirs, n = ours+value, theirs+published, n+1
					worst = max(worst, math.Abs(value-published))
				}
			}
			name, unit := strings.Split(key, "_")[0], map[bool]string{true: "ms", false: "%"}[strings.HasSuffix(key, "ms")]
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

// ningPSI are the critical delays of the four cases.
func ningPSI(context.Context, *Evidence) ([]Finding, error) {
	var delays, psi []string
	holds := true
	for i := range 4 {
		rows, err := caseDelays(i+1, "")
		if err != nil {
			return nil, err
		}
		ms := rows[0].Value
		holds = holds && ms > 3.5 && ms < 11.5
		delays, psi = append(delays, fmt.Sprintf("%.1f", ms)), append(psi, fmt.Sprintf("%.2f", math.Log10(ms)))
	}
	return []Finding{
		says("cases I to IV", strings.Join(delays, ", ")+" ms", "4 to 11 ms", "3.5 to 11.5 ms", holds),
		says("PSI", strings.Join(psi, ", "), "0.6 to 1.05", none, holds),
	}, nil
}

// ningFig2 are the delays of the plant with the paper's parameters.
func ningFig2(context.Context, *Evidence) ([]Finding, error) {
	s := scenario.New()
	if err := errors.Join(s.Specimen.Use("linear"), s.Transfer.Use("silva2020-paper")); err != nil {
		return nil, err
	}
	*s.Specimen.Params.(*plant.LinearSpecimen) = plant.LinearSpecimen{Mass: 29.12, Damping: 114.6, Stiffness: 1.19e6}
	specimen, err := s.MakeSpecimen()
	if err != nil {
		return nil, err
	}
	m, err := s.PlantModel(specimen)
	if err != nil {
		return nil, err
	}
	b, err := m.SS.Response(0, 0).Bode([]float64{0.1, 10, 60, 150}, m.Delay(0))
	if err != nil {
		return nil, err
	}
	d := b.DelayMs
	return []Finding{
		within("towards 0 Hz", d[0], 25, 0.5, "ms"),
		says("at 10, 60 and 150 Hz", fmt.Sprintf("%.1f, %.1f, %.1f ms", d[1], d[2], d[3]), "falls to 8 ms",
			"< 8.5 ms at 150 Hz", d[3] < 8.5),
	}, nil
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

// ningUpper is Table 5, J6 to J9 on El Centro and Kobe; beside it the same with the records × 1.0.
func ningUpper(ctx context.Context, e *Evidence) ([]Finding, error) {
	const keys = "J6_pct J7_pct J8_pct J9_pct"
	out, err := ningTable5(keys, sisoRecords[:2], 0.5)(ctx, e)
	if err != nil {
		return nil, err
	}
	more, err := ningTable((*Evidence).unscaled, keys, sisoRecords[:2], 0.5, nominal, paper002Table5)(ctx, e)
	for _, f := range more {
		out = append(out, note("records × 1.0, "+f.What, f.Ours))
	}
	return out, err
}

// ningPI counts the criteria of El Centro of which PI has the larger value.
func ningPI(ctx context.Context, e *Evidence) ([]Finding, error) {
	s := newSISO()
	s.Compensators, s.Records = []string{"pi", "kf-table5"}, sisoRecords[:1]
	rows, err := s.rows(ctx, e.Lab)
	if err != nil {
		return nil, err
	}
	larger, all := 0, 0
	for _, pi := range rows {
		for _, kf := range rows {
			if pi.Compensator != "pi" || kf.Compensator != "kf-table5" || pi.Case != kf.Case {
				continue
			}
			theirs := record.Flat(kf.criteriaJ)
			for i, c := range record.Flat(pi.criteriaJ) {
				if all++; c.V.(float64) > theirs[i].V.(float64) {
					larger++
				}
			}
		}
	}
	return []Finding{says("criteria in which PI is larger than kf-table5", fmt.Sprintf("%d of %d", larger, all),
		"generally the largest", "more than half", 2*larger > all)}, nil
}
