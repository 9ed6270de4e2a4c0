package papers

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat"

	"rths"
	"rths/campaign/study"
	"rths/campaign/suite"
	"rths/result/record"
	"rths/scenario"
)

// Calibration is the study of paper 001, section 7.2: the mean tracking error R2 of
// adaptive model-based compensation over random targets and specimens, for several gains.
type Calibration struct {
	Runs int        `flag:"runs" usage:"random runs of each set of gains"`
	Seed uint64     `flag:"seed" usage:"seed of the random runs and of their sensor noise"`
	Set  suite.Sets `flag:"set" usage:"KEY=VALUE of every run, as rths run --set"`
}

var calibrationSuite = suite.Suite{
	Name:  "calibration",
	Short: "Calibration of adaptive model-based compensation of Gálmez 2021: R2 of several gains",
	Long: `Runs scenarios/galmez-calibration.yaml with random oscillators, scales of El Centro and
specimens (Gálmez 2021, Tables 7.3 and 7.4: a Latin hypercube of six uniform variables) and
takes the mean R2 of J2 (eqs 7.8 and 7.9), the rms tracking error over the rms target. Every set
of gains has the same runs, with the same sensor noise.
  r2_optimal_pct              with the calibrated gains (7.12)
  r2_nonadaptive_pct          without adaptation, all gains 0
  r2_noise_floor_pct          mean of what the noise alone makes of J2
  j2_script_median_pct        median of J2 with the gains of the authors' sensitivity script,
                              10^(9.15, 6.2, 2.1, −0.8)
  j2_script_above_10_share_pct  share of these runs whose J2 is above 10 %
  j2_bounds_max_pct           largest J2 with the largest gains that the authors' search allows,
                              10^(10, 8, 6, 4); a run diverges beyond 1 km then
A mean over the script's gains says nothing: a few runs of several 100 % are most of it. The
standard error is std/√runs; a Latin hypercube's is smaller. A run that diverges counts as
infinite. The ground motions are not part of the program: set RTHS_RECORDS or --records.`,
	Example: `  rths benchmark calibration
  rths benchmark calibration --runs 400 --seed 2 --json`,
	New: func() suite.Study { return newCalibration() },
}

func newCalibration() *Calibration { return &Calibration{Runs: 100, Seed: 1} }

// calibrationGains are the sets of gains, as keys of a scenario: (7.12), none, the gains of the script that
// draws Fig. 7.9 in the AMB code, and the upper bounds of its search.
var calibrationGains = [][]string{
	optimal:     {"compensator.kind=amb-galmez2021"},
	nonAdaptive: {"compensator.kind=amb-fixed"},
	script: {"compensator.kind=amb-galmez2021",
		fmt.Sprintf("compensator.gamma=[%g, %g, %g, %g]", math.Pow(10, 9.15), math.Pow(10, 6.2), math.Pow(10, 2.1),
			math.Pow(10, -0.8))},
	bounds: {"compensator.kind=amb-galmez2021", "compensator.gamma=[1e10, 1e8, 1e6, 1e4]", "diverged_m=1000"},
}

const (
	optimal = iota
	nonAdaptive
	script
	bounds
)

// uniform is a random variable of a calibration run: a key of the scenario and its bounds.
type uniform struct {
	key         string
	least, most float64
}

// calibrationVariables are the variables of Table 7.4 and, for the specimen, of Table 7.3.
var calibrationVariables = []uniform{
	{"ground.scale", 0.3, 0.6},
	{"structure.damping_ratio", 0.03, 0.05},
	{"structure.frequency_hz", 2.8, 4},
	{"specimen.mass", 10, 40},
	{"specimen.damping", 50, 1000},
	{"specimen.stiffness", 1e4, 2e6},
}

// calibrationRun is a run of one set of gains.
type calibrationRun struct {
	values []float64 // of calibrationVariables
	calibrationJ
}

// of is the value of a variable.
func (r calibrationRun) of(key string) float64 {
	return r.values[slices.IndexFunc(calibrationVariables, func(v uniform) bool { return v.key == key })]
}

// calibrationJ are J2 (7.8), %, J2 without sensor noise, and J2 of the noise alone. All are +Inf
// if the run diverged.
type calibrationJ struct {
	J2    float64 `col:"nrmse_pct"`
	True  float64 `col:"nrmse_true_pct"`
	Floor float64 `col:"J2_floor_pct"`
}

// calibrationRow is a quantity beside the published one.
type calibrationRow struct {
	Quantity  string  `col:"quantity" print:"%s"`
	Value     float64 `col:"value" print:"%.3f"`
	Std       float64 `col:"std" print:"%.3f" draw:"-"` // of the runs; NaN where the value is no mean
	Error     float64 `print:"%.3f" head:"standard error" draw:"-"`
	Published float64 `col:"published" print:"%g" draw:"-"` // NaN: nothing was
}

// Run runs the suite.
func (s *Calibration) Run(ctx context.Context, lab suite.Lab) (*suite.Result, error) {
	runs, err := s.runs(ctx, lab)
	if err != nil {
		return nil, err
	}
	return suite.OneTable("calibration", calibrationRows(runs),
		fmt.Sprintf("\n%d runs of each set of gains, seed %d.\n", s.Runs, s.Seed)), nil
}

// runs are the runs of each set of gains. Run i has the same values and the same noise in
// all sets, so that they differ by the gains alone.
func (s *Calibration) runs(ctx context.Context, lab suite.Lab) ([][]calibrationRun, error) {
	if s.Runs < 2 || s.Runs > 1e6 {
		return nil, fmt.Errorf("%d runs: want 2 to a million", s.Runs)
	}
	points, err := study.Points(study.Latin, s.Runs, len(calibrationVariables), s.Seed)
	if err != nil {
		return nil, err
	}
	out := make([][]calibrationRun, len(calibrationGains))
	for g := range out {
		out[g] = make([]calibrationRun, s.Runs)
	}
	return out, lab.Each(ctx, len(out)*s.Runs, func(job int) (err error) {
		g, i := job/s.Runs, job%s.Runs
		out[g][i], err = s.run(ctx, lab, i, points[i], calibrationGains[g])
		return err
	})
}

// run is run i, at a point of the unit cube.
func (s *Calibration) run(ctx context.Context, lab suite.Lab, i int, point []float64, gains []string) (calibrationRun,
	error) {
	run := calibrationRun{calibrationJ: calibrationJ{math.Inf(1), math.Inf(1), math.Inf(1)}}
	sets := []string{fmt.Sprintf("seed=%d", study.RunSeed(s.Seed, i))}
	for j, v := range calibrationVariables {
		x := v.least + point[j]*(v.most-v.least)
		run.values, sets = append(run.values, x), append(sets, fmt.Sprintf("%s=%g", v.key, x))
	}
	sc, err := scenario.Shipped("galmez-calibration.yaml", slices.Concat(sets, gains, s.Set)...)
	if err != nil {
		return run, err
	}
	out, err := lab.Play(ctx, sc, nil, nil)
	if err == nil && out.Status == rths.Completed {
		record.Fill(&run.calibrationJ, out.Values)
	}
	return run, err
}

// calibrationRows are the quantities of the runs of all sets of gains.
func calibrationRows(runs [][]calibrationRun) []calibrationRow {
	nan := math.NaN()
	j2, floor := func(r calibrationRun) float64 { return r.J2 }, func(r calibrationRun) float64 { return r.Floor }
	high := ofRuns(runs[script], j2)
	slices.Sort(high)
	above := len(high) - sort.Search(len(high), func(i int) bool { return high[i] > 10 })
	return []calibrationRow{
		meanRow("r2_optimal_pct", ofRuns(runs[optimal], j2), 0.85),
		meanRow("r2_nonadaptive_pct", ofRuns(runs[nonAdaptive], j2), 8.7),
		meanRow("r2_noise_floor_pct", ofRuns(runs[optimal], floor), nan),
		{"j2_script_median_pct", (high[(len(high)-1)/2] + high[len(high)/2]) / 2, nan, nan, nan},
		{"j2_script_above_10_share_pct", 100 * float64(above) / float64(len(high)), nan, nan, nan},
		{"j2_bounds_max_pct", slices.Max(ofRuns(runs[bounds], j2)), nan, nan, nan},
	}
}

// ofRuns is one number of every run.
func ofRuns(runs []calibrationRun, of func(calibrationRun) float64) []float64 {
	var out []float64
	for _, r := range runs {
		out = append(out, of(r))
	}
	return out
}

// meanRow is a mean (7.9), with the standard deviation of its runs.
func meanRow(quantity string, x []float64, published float64) calibrationRow {
	mean, std := stat.MeanStdDev(x, nil)
	return calibrationRow{quantity, mean, std, std / math.Sqrt(float64(len(x))), published}
}
