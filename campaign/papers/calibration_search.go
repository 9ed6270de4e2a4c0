package papers

import (
	"context"
	"fmt"
	"math"
	"path"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"rths/campaign/study"
	"rths/scenario"
	"rths/scenarios"
	"rths/studies"
)

// tuning is the shipped study of the calibration of Gálmez 2021 (section 7.2.3), with what set
// changes in it. sets are keys of its base scenario.
func (e *Evidence) tuning(ctx context.Context, set func(*study.File) error, sets ...string) (*study.Bench,
	*study.Calibration, error) {
	text, err := studies.Files.ReadFile("galmez-gains.yaml")
	if err != nil {
		return nil, nil, err
	}
	f, err := study.Parse("galmez-gains.yaml", text)
	if err != nil {
		return nil, nil, err
	}
	if err := set(f); err != nil {
		return nil, nil, err
	}
	base, err := scenarios.Files.ReadFile(path.Base(f.Scenario))
	if err != nil {
		return nil, nil, err
	}
	t, err := scenario.NewTemplate(path.Base(f.Scenario), base, ".", sets)
	if err != nil {
		return nil, nil, err
	}
	bench := study.NewBench(e.Lab.RecordsDir)
	plan, err := bench.NewPlan(ctx, f, t)
	if err != nil {
		return nil, nil, err
	}
	c, err := study.NewCalibration(ctx, plan)
	return bench, c, err
}

// search runs a search to its end.
func (e *Evidence) search(ctx context.Context, bench *study.Bench, c *study.Calibration) error {
	for !c.Search.Done() {
		if err := c.Step(ctx, bench, study.Workers(e.Lab.Workers), nil); err != nil {
			return err
		}
	}
	return nil
}

// Sizes of the searches on the validation page, which CI recomputes: rths calibrate
// studies/galmez-gains.yaml takes all 100 runs for a set of gains.
const (
	swarmRuns     = 20  // for a set of gains, in the search
	randomSets    = 200 // of gains
	randomSetRuns = 5
)

// galmezSwarm is the published swarm on fewer runs; its gains are then judged by all 100.
func galmezSwarm(ctx context.Context, e *Evidence) ([]Finding, error) {
	bench, c, err := e.tuning(ctx, func(f *study.File) error { f.Points = swarmRuns; return nil })
	if err != nil {
		return nil, err
	}
	if err := e.search(ctx, bench, c); err != nil {
		return nil, err
	}
	u, _, _ := c.Search.Best()
	bench, all, err := e.tuning(ctx, func(*study.File) error { return nil })
	if err != nil {
		return nil, err
	}
	r2, err := bench.Evaluate(ctx, all.Plan, all.Criterion, [][]float64{u, nil}, study.Workers(e.Lab.Workers), nil)
	if err != nil {
		return nil, err
	}
	var exponents []any
	for _, gain := range c.Plan.File.Calibrate.Values(u) {
		exponents = append(exponents, math.Log10(gain))
	}
	return []Finding{
		says("R2 of the gains found", fmt.Sprintf("%.3f %%", r2[0].Value), "0.85 %", "≤ 0.85 %", r2[0].Value <= 0.85),
		note("exponents found (8.4, 6.2, 2.1, 0.8 in the thesis)", fmt.Sprintf("%.1f, %.1f, %.1f, %.1f", exponents...)),
		note("R2 of the thesis' gains on the same runs", fmt.Sprintf("%.3f %%", r2[1].Value)),
	}, nil
}

// galmezLandscape is R2 of random gains (Fig. 7.10) and around the calibrated gains (Fig. 7.12).
func galmezLandscape(ctx context.Context, e *Evidence) ([]Finding, error) {
	bench, c, err := e.tuning(ctx, func(f *study.File) error {
		f.Points = randomSetRuns
		err := f.Calibrate.Search.Use("latin")
		if err == nil {
			f.Calibrate.Search.Params.(*study.LatinSearch).Points = randomSets
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := e.search(ctx, bench, c); err != nil {
		return nil, err
	}
	k := &c.Plan.File.Calibrate
	var exponents [4][]float64
	var r2 []float64
	for _, h := range c.History {
		for i, gain := range k.Values(h.U) {
			exponents[i] = append(exponents[i], math.Log10(gain))
		}
		r2 = append(r2, h.Fitness.Value)
	}
	calibrated := make([]float64, 4)
	for i, gain := range []float64{8.4, 6.2, 2.1, 0.8} {
		calibrated[i] = k.Keys[i].Of.U(math.Pow(10, gain))
	}
	steps := [][]float64{calibrated}
	for i := range calibrated {
		for _, decades := range []float64{-1, 1} {
			u := append([]float64(nil), calibrated...)
			u[i] += decades / 8 // of 8 decades
			steps = append(steps, u)
		}
	}
	near, err := bench.Evaluate(ctx, c.Plan, c.Criterion, steps, study.Workers(e.Lab.Workers), nil)
	if err != nil {
		return nil, err
	}
	better := 0
	for _, v := range r2 {
		if v < near[0].Value {
			better++
		}
	}
	rise := func(i int) float64 {
		return 100 * (max(near[2*i+1].Value, near[2*i+2].Value)/near[0].Value - 1)
	}
	return []Finding{
		says("random gains better than the calibrated ones", fmt.Sprintf("%d of %d", better, len(r2)), "none", "at most 1 %",
			better <= len(r2)/100),
		note("rank correlation of R2 with the exponents",
			fmt.Sprintf("%.2f, %.2f, %.2f, %.2f", spearman(exponents[0], r2), spearman(exponents[1], r2),
				spearman(exponents[2], r2), spearman(exponents[3], r2))),
		says("most that a decade of Γ1 changes R2, and of Γ3", fmt.Sprintf("%.3g %%, %.3g %%", rise(1), rise(3)),
			"Γ1 significant, Γ3 not", "Γ1 > 10 Γ3, Γ3 < 5 %", rise(1) > 10*math.Abs(rise(3)) && math.Abs(rise(3)) < 5),
	}, nil
}

// spearman is the rank correlation of two lists without ties.
func spearman(x, y []float64) float64 {
	return stat.Correlation(ranks(x), ranks(y), nil)
}

// ranks are the places of values in their order.
func ranks(x []float64) []float64 {
	sorted, out := make([]float64, len(x)), make([]float64, len(x))
	copy(sorted, x)
	places := make([]int, len(x))
	floats.Argsort(sorted, places)
	for rank, place := range places {
		out[place] = float64(rank)
	}
	return out
}
