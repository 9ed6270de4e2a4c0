package papers

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"rths"
	"rths/campaign/suite"
	"rths/result/record"
	"rths/scenario"
)

// SISO is the suite of the single-actuator RTHS benchmark (Silva et al. 2020; paper 002,
// section 5).
type SISO struct {
	Benchmark
	Perturbed int `flag:"perturbed" usage:"random plants in addition to the nominal one"`
}

var sisoSuite = suite.Suite{
	Name:  "siso",
	Short: "Single-actuator RTHS benchmark: compensators × cases × records × noise",
	Long: `Runs every compensator on the partition cases and ground motions of the
single-actuator RTHS benchmark (Silva et al. 2020), on the nominal plant and, with
--perturbed N, on N random ones with means and standard deviations per case and
record. The values of Ning et al. 2020, Table 5 (nominal) and Tables 6 and 7 (perturbed),
stand below the rows of kf and kf-table5, and those of the benchmark's own Table 3 below pi. Ning et
al. do not state the scale of the records: with --scale 1 kf-table5 has the printed J2 and J3,
although stroke and force of the rig, 7 mm and 8900 N, are exceeded then; with the settings of the
third example it has the spreads of Table 7 too. The ground motions are not part of the program: set
RTHS_RECORDS or --records.`,
	Example: `  rths benchmark siso --record elcentro --cases 1 --noise both
  rths benchmark siso --compensator kf-table5 --perturbed 20 --json
  rths benchmark siso --compensator kf-table5 --scale 1 --perturbed 20 --set transfer.kind=silva2020-paper ` +
		`--set compensator.r_mm2=5e5`,
	New: func() suite.Study { return newSISO() },
}

func newSISO() *SISO {
	return &SISO{Benchmark: Benchmark{
		Compensators: []string{
			"none", "pi", "amb", "amb-fixed", "kf", "kf-table5",
			"pe", "linear-acceleration", "inverse", "phase-lead", "mbc", "mbc-lqg", "adm2", "adm3", "adm4", "ats", "cats",
			"hinf", "smc", "mpc",
		},
		Cases: []int{1, 2, 3, 4}, Records: sisoRecords, Noise: "on", Scale: 0.4, Seed: 1,
	}}
}

// sisoRecords are the records of the benchmark's package.
var sisoRecords = []string{"elcentro", "kobe", "morgan"}

// sisoSettings are the parameters that the suite sets for this plant, found as
// docs/adr/0005 says; the other methods run with their defaults.
var sisoSettings = map[string][]string{
	"pe":                  {"order=2", "spacing=56", "tau_ms=21.5"},
	"linear-acceleration": {"tau_ms=24"},
	"inverse":             {"tau_ms=25"},
	"phase-lead":          {"order=2", "lead_ms=14", "lag_ms=1.7"},
	// The first terms of the inverse of the nominal plant with its specimen.
	"mbc": {"a=[0.99254, 0.024889, 1.06623e-4, 3.8564e-7]"},
	"mbc-lqg": {"a=[0.99254, 0.024889, 1.06623e-4, 3.8564e-7]", "error_weight=10", "disturbance_um=30", "shaping_hz=2",
		"shaping_damping_ratio=0.5"},
	"mpc": {"move_weight=0.001", "disturbance_um=30", "shaping_hz=2", "shaping_damping_ratio=0.5"},
	"smc": {"a=[0.99254, 0.024889, 1.06623e-4, 3.8564e-7]", "lambda_rad_s=100", "kappa_rad_s=100", "disturbance_um=30",
		"shaping_hz=2", "shaping_damping_ratio=0.5"},
}

// settingsOf is the source of the settings of a row: a paper on this benchmark, in part a
// paper, or ourselves.
func settingsOf(compensator string) string {
	switch compensator {
	case "none", "pi", "amb", "amb-fixed":
		return "published"
	case "kf", "kf-table5", "kf-literal":
		return "published in part" // x0, P0 and R; spacing, filter and freezing are inferred
	}
	return "ours"
}

// sisoRow is a run, or the mean or standard deviation of a group of random plants.
type sisoRow struct {
	trialHead  `col:"-"`
	Settings   string           `col:"settings"`
	Parameters string           `col:"parameters"`
	Run        *sisoTrial       `col:"-"`
	Statistic  *suite.Statistic `col:"-"`
	Outcome    string           `print:"%s" draw:"-"`
	sisoJ      `col:"-"`
	Published  *criteriaJ `col:"published_"` // nil: nothing was
}

// sisoJ are the criteria of a row, with the true ones without sensor noise.
type sisoJ struct {
	criteriaJ `col:"-"`
	TrueJ1    float64 `col:"J1_true_ms"`
	TrueJ2    float64 `col:"J2_true_pct" print:"%.2f"`
	TrueJ3    float64 `col:"J3_true_pct"`
	TrueJ4    float64 `col:"J4_true_pct" print:"%.2f"`
	TrueJ5    float64 `col:"J5_true_pct"`
}

type sisoTrial struct {
	Status    string `col:"status" draw:"status"`
	Perturbed int    `col:"perturbed"`
}

// criteriaJ are the benchmark's criteria, J1 in ms, the others in %.
type criteriaJ struct {
	J1 float64 `col:"J1_ms" print:"%.2f"`
	J2 float64 `col:"J2_pct" print:"%.2f"`
	J3 float64 `col:"J3_pct" print:"%.2f"`
	J4 float64 `col:"J4_pct" print:"%.2f"`
	J5 float64 `col:"J5_pct" print:"%.2f"`
	J6 float64 `col:"J6_pct" print:"%.2f"`
	J7 float64 `col:"J7_pct" print:"%.2f"`
	J8 float64 `col:"J8_pct" print:"%.2f"`
	J9 float64 `col:"J9_pct" print:"%.2f"`
}

// Below is the published row.
func (r sisoRow) Below() (string, record.Row) {
	if r.Published == nil {
		return "", nil
	}
	if r.Compensator == "pi" {
		return "Silva et al. 2020", record.Flat(r.Published)
	}
	return "Ning et al. 2020", record.Flat(r.Published)
}

// Run runs the suite.
func (s *SISO) Run(ctx context.Context, lab suite.Lab) (*suite.Result, error) {
	rows, err := s.rows(ctx, lab)
	if err != nil {
		return nil, err
	}
	after, err := suite.Settings(fmt.Sprintf("\nSettings (scale %g, seed %d):", s.Scale, s.Seed), s.Compensators,
		s.example(s.scenario),
		func(name, line string) string { return fmt.Sprintf("%s, settings: %s", line, settingsOf(name)) })
	if err != nil {
		return nil, err
	}
	out := suite.OneTable("siso", rows, after)
	out.Tables[0].Rows = suite.List(slices.DeleteFunc(rows, func(r sisoRow) bool {
		return r.Run != nil && r.Run.Perturbed > 0
	}))
	return out, nil
}

// scenario is the shipped scenario of a trial.
func (s *SISO) scenario(t *trial) (*scenario.Scenario, error) {
	return s.Benchmark.scenario("benchmark-siso.yaml", t, foundForSISO(t.Compensator)...)
}

// foundForSISO are sisoSettings as overrides, to follow settled.
func foundForSISO(compensator string) (sets []string) {
	for _, set := range sisoSettings[compensator] {
		sets = append(sets, "compensator."+set)
	}
	return sets
}

// rows lists the runs, and after each group of random plants their means and standard
// deviations.
func (s *SISO) rows(ctx context.Context, lab suite.Lab) ([]sisoRow, error) {
	if err := cmp.Or(suite.Known(s.Compensators), s.check(nil, s.Perturbed)); err != nil {
		return nil, err
	}
	trials := s.trials(s.Perturbed)
	if err := s.play(ctx, lab, trials, s.scenario, nil); err != nil {
		return nil, err
	}
	var rows []sisoRow
	for i, t := range trials {
		row := s.row(t, t.values)
		row.Run, row.Outcome = &sisoTrial{t.status, t.random}, t.status
		if t.random == 0 {
			row.Published = t.published("")
		}
		rows = append(rows, row)
		if t.random > 0 && t.last {
			mean, std, of := statistics(trials[i+1-s.Perturbed:i+1], sisoKeys)
			rows = append(rows, s.statistic(t, "mean", of, mean), s.statistic(t, "std", of, std))
		}
	}
	return rows, nil
}

var sisoKeys = suite.Keys(sisoJ{})

// row has the criteria of a trial or a statistic.
func (s *SISO) row(t *trial, values []rths.Value) sisoRow {
	row := sisoRow{trialHead: t.trialHead, Settings: settingsOf(t.Compensator), Parameters: t.made}
	record.Fill(&row.sisoJ, values)
	return row
}

// statistic has the criteria of a statistic, and the published ones.
func (s *SISO) statistic(t *trial, name string, of suite.Statistic, values []rths.Value) sisoRow {
	row := s.row(t, values)
	of.Name = name
	row.Statistic, row.Outcome, row.Published = &of, of.String(), t.published(name)
	return row
}
