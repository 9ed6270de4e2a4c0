package papers

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Sections 7.2 and 7.3.2 of paper 001: calibration and perturbed plants.

// calibrated runs section 7.2 once: 100 runs of each set of gains.
func (e *Evidence) calibrated(ctx context.Context) ([][]calibrationRun, error) {
	return onceFor(e, "calibration", func() ([][]calibrationRun, error) { return newCalibration().runs(ctx, e.Lab) })
}

// correlations are those of J2 with each variable of the runs.
func correlations(runs []calibrationRun) map[string]float64 {
	j2 := ofRuns(runs, func(r calibrationRun) float64 { return r.J2 })
	out := map[string]float64{}
	for _, v := range calibrationVariables {
		out[v.key] = stat.Correlation(ofRuns(runs, func(r calibrationRun) float64 { return r.of(v.key) }), j2, nil)
	}
	return out
}

// withError names a mean with its standard error.
func withError(what string, r calibrationRow) string {
	return fmt.Sprintf("%s (standard error %.2g %%)", what, r.Error)
}

// galmezFig78 are the runs without adaptation.
func galmezFig78(ctx context.Context, e *Evidence) ([]Finding, error) {
	runs, err := e.calibrated(ctx)
	if err != nil {
		return nil, err
	}
	mean, fixed := calibrationRows(runs)[nonAdaptive], runs[nonAdaptive]
	j2 := ofRuns(fixed, func(r calibrationRun) float64 { return r.J2 })
	least, most := slices.Min(j2), slices.Max(j2)
	others, stiffness := 0.0, 0.0
	for key, r := range correlations(fixed) {
		if key == "specimen.stiffness" {
			stiffness = r
		} else {
			others = max(others, math.Abs(r))
		}
	}
	return []Finding{
		within(withError("R2", mean), mean.Value, 8.7, 1, "%"),
		// three standard errors of a nearly uniform quantity, 3 × 0.45 × 4.6/√100
		within("standard deviation", mean.Std, 4.6, 0.6, "%"),
		says("J2", fmt.Sprintf("%.2g to %.3g %%", least, most), "0.8 to 20 %", "up to 1.6, 15 to 22 %",
			least < 1.6 && most > 15 && most < 22),
		says("correlation of J2 with the stiffness", fmt.Sprintf("%.2f, with others up to %.2f", stiffness, others),
			"highly dependent on the stiffness, not on others", "> 0.9, < 0.4", stiffness > 0.9 && others < 0.4),
	}, nil
}

// galmezOptimum is R2 with the gains of (7.12).
func galmezOptimum(ctx context.Context, e *Evidence) ([]Finding, error) {
	runs, err := e.calibrated(ctx)
	if err != nil {
		return nil, err
	}
	rows := calibrationRows(runs)
	return []Finding{
		within(withError("R2", rows[optimal]), rows[optimal].Value, 0.85, 0.05, "%"),
		note(withError("mean of the noise alone", rows[2]), fmt.Sprintf("%.3f %%", rows[2].Value)),
	}, nil
}

// galmezFig79 are the runs with the gains of the authors' script.
func galmezFig79(ctx context.Context, e *Evidence) ([]Finding, error) {
	runs, err := e.calibrated(ctx)
	if err != nil {
		return nil, err
	}
	rows := calibrationRows(runs)
	var highest, scales, bad float64
	for _, r := range runs[script] {
		if r.J2 > 10 {
			bad, highest, scales = bad+1, max(highest, r.of("structure.frequency_hz")), scales+r.of("ground.scale")
		}
	}
	j2 := ofRuns(runs[script], func(r calibrationRun) float64 { return r.J2 })
	return []Finding{
		{What: withError("R2", meanRow("", j2, 541)), Ours: fmt.Sprintf("%.3g %%", stat.Mean(j2, nil)), Published: "541 %",
			Limit: none, Figures: 1},
		{What: "J2", Ours: fmt.Sprintf("%.2g to %.3g %%", slices.Min(j2), slices.Max(j2)), Published: "0.7 to 40000 %",
			Limit: none, Figures: 1},
		note("median of J2", fmt.Sprintf("%.2f %%", rows[3].Value)),
		note("above 10 %", fmt.Sprintf("%.0f of %d runs", bad, len(j2))),
		note("with exponents of 10, 8, 6, 4 largest J2", fmt.Sprintf("%.3g %%, least %.3g %%", rows[5].Value,
			slices.Min(ofRuns(runs[bounds], func(r calibrationRun) float64 { return r.J2 })))),
		says("these runs: up to", fmt.Sprintf("%.2f Hz, mean scale %.2f", highest, scales/bad),
			"concentrated below 3.4 Hz, above 50 %", "< 3.4 Hz, > 0.5", highest < 3.4 && scales/bad > 0.5),
	}, nil
}

// galmezFig713 are the runs with the gains of (7.12) over their variables.
func galmezFig713(ctx context.Context, e *Evidence) ([]Finding, error) {
	runs, err := e.calibrated(ctx)
	if err != nil {
		return nil, err
	}
	rows, r := calibrationRows(runs), correlations(runs[optimal])
	squares, noise := 0.0, 0.0
	for _, run := range runs[optimal] {
		squares, noise = squares+run.J2*run.J2, noise+run.Floor*run.Floor
	}
	scale, frequency, share := r["ground.scale"], r["structure.frequency_hz"], 100*noise/squares
	return []Finding{
		says("standard deviation of J2", fmt.Sprintf("%.2f %% (without adaptation %.2f %%)", rows[optimal].Std,
			rows[nonAdaptive].Std), "very low dispersion", "< 0.5 %", rows[optimal].Std < 0.5),
		says("correlation of J2 with scale and frequency", fmt.Sprintf("%.2f, %.2f", scale, frequency),
			"falls with the scale, rises with the frequency", "< −0.4, > 0.4", scale < -0.4 && frequency > 0.4),
		says("of the squared J2 the noise alone makes", fmt.Sprintf("%.0f %%", share), "mainly noise", "> 50 %", share > 50),
	}, nil
}

// galmezFig719 are the perturbed plants of six cases under three records.
func galmezFig719(ctx context.Context, e *Evidence) ([]Finding, error) {
	rows, err := newRobustness().rows(ctx, e.Lab)
	if err != nil {
		return nil, err
	}
	worst, std, share, plants, diverged := rows[0], 0.0, 100.0, 0, 0
	for _, r := range rows {
		if r.Max > worst.Max {
			worst = r
		}
		std, share = max(std, r.Std), min(share, 100*r.Floor*r.Floor/(r.Mean*r.Mean))
		plants, diverged = plants+r.N, diverged+r.Diverged
	}
	return []Finding{
		says(fmt.Sprintf("J2 of %d plants at most", plants),
			fmt.Sprintf("%.2f %% (case %d, %s × %g)", worst.Max, worst.Case, worst.Record, worst.Scale), "below 3 %", "< 3 %",
			worst.Max < 3 && diverged == 0),
		says("standard deviation of 20 plants at most", fmt.Sprintf("%.3f %%", std), "variability extremely low", "< 0.1 %",
			std < 0.1),
		says("of the squared J2 the noise alone makes at least", fmt.Sprintf("%.0f %%", share), "mainly noise", "> 50 %",
			share > 50),
	}, nil
}
