package papers

import (
	"context"
	"fmt"
	"slices"

	"rths"
	"rths/compensate"
	"rths/scenario"
	"rths/scenarios"
)

// SISO describes the suite of the single-actuator RTHS benchmark: every
// compensator on every case and record, with and without sensor noise, on the
// nominal plant and on perturbed ones (Silva et al. 2020; paper 002 section 5).
type SISO struct {
	Compensators []string
	Cases        []int
	Records      []string
	Noise        []bool
	Scale        float64
	Perturbed    int // random plants beside the nominal one
	Seed         uint64
	RecordsDir   string
	Workers      int
	Progress     func(done int)
}

// SISOCompensators are the rows of the suite, in the order of the table.
var SISOCompensators = []string{
	"none", "pi", "amb", "amb-fixed", "kf", "kf-table5",
	"pe", "linear-acceleration", "inverse", "phase-lead", "mbc", "mbc-lqg", "adm2", "adm3", "adm4", "ats", "cats",
}

// sisoSettings are the parameters that the suite sets for this plant, found as
// docs/adr/0005 says; the other methods run with their defaults.
var sisoSettings = map[string][]string{
	"pe":                  {"order=2", "spacing=56", "tau_ms=21.5"},
	"linear-acceleration": {"tau_ms=24"},
	"inverse":             {"tau_ms=25"},
	"phase-lead":          {"order=2", "lead_ms=14", "lag_ms=1.7"},
	// The first terms of the inverse of the nominal plant with its specimen.
	"mbc":     {"a=[0.99254, 0.024889, 1.06623e-4, 3.8564e-7]"},
	"mbc-lqg": {"a=[0.99254, 0.024889, 1.06623e-4, 3.8564e-7]", "error_weight=10", "disturbance_um=30", "shaping_hz=2", "shaping_damping_ratio=0.5"},
}

// settingsOf says where the settings of a row come from: a paper on this
// benchmark, in part a paper, or us.
func settingsOf(compensator string) string {
	switch compensator {
	case "none", "pi", "amb", "amb-fixed":
		return "published"
	case "kf", "kf-table5", "kf-literal":
		return "published in part" // x0, P0 and R; spacing, filter and freezing are inferred
	}
	return "ours"
}

// SISORecords are the records of the benchmark's package.
var SISORecords = []string{"elcentro", "kobe", "morgan"}

// sisoRun is one run of the suite.
type sisoRun struct {
	factorialRun
	parameters string // of the compensator, as made
}

func (s *SISO) design() *factorial {
	return &factorial{suite: "siso", compensators: s.Compensators, cases: s.Cases, records: s.Records, noise: s.Noise, scale: s.Scale, plants: s.Perturbed}
}

// Run runs the suite.
func (s *SISO) Run(ctx context.Context) (*Suite, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	var runs []*sisoRun
	for _, r := range s.design().runs() {
		runs = append(runs, &sisoRun{factorialRun: r})
	}
	shaking, err := s.design().shake(s.RecordsDir, s.scenario)
	if err != nil {
		return nil, err
	}
	err = parallel(ctx, s.Workers, len(runs), s.Progress, func(i int) error { return s.one(runs[i], shaking[runs[i].record]) })
	if err != nil {
		return nil, err
	}
	return &Suite{Name: "siso", Rows: s.rows(runs)}, nil
}

func (s *SISO) check() error {
	for _, name := range s.Compensators {
		if _, err := rths.Find(compensate.Kinds, name); err != nil {
			return fmt.Errorf("compensator: %w", err)
		}
	}
	if s.Perturbed < 0 || s.Perturbed > 1e6 {
		return fmt.Errorf("benchmark siso: %d perturbed plants: want 0 to a million", s.Perturbed)
	}
	return s.design().check()
}

// scenario is the shipped benchmark scenario with this run's settings.
func (s *SISO) scenario(r *factorialRun) (*scenario.Scenario, error) {
	const file = "benchmark-siso.yaml"
	text, err := scenarios.Files.ReadFile(file)
	if err != nil {
		return nil, err
	}
	sets := []string{
		"compensator.kind=" + r.compensator,
		"ground.record=" + r.record,
		fmt.Sprintf("ground.scale=%g", s.Scale),
		fmt.Sprintf("structure.case=%d", r.partitionCase),
		fmt.Sprintf("seed=%d", s.Seed),
		fmt.Sprintf("perturbed=%d", r.trial),
	}
	for _, set := range sisoSettings[r.compensator] {
		sets = append(sets, "compensator."+set)
	}
	if !r.noise {
		sets = append(sets, "sensors=")
	}
	return scenario.Parse(file, text, ".", sets)
}

func (s *SISO) one(r *sisoRun, shaking *scenario.Shaking) error {
	sc, err := s.scenario(&r.factorialRun)
	if err != nil {
		return err
	}
	run, err := sc.Build(scenario.Options{RecordsDir: s.RecordsDir, Shaking: shaking})
	if err != nil {
		return err
	}
	if r.parameters, err = run.Scenario.Compensator.Settings(); err != nil {
		return err
	}
	r.take(run)
	return nil
}

// sisoKeys are the criteria of a row, in order.
var sisoKeys = []string{
	"J1_ms", "J2_pct", "J3_pct", "J4_pct", "J5_pct", "J6_pct", "J7_pct", "J8_pct", "J9_pct",
	"J1_true_ms", "J2_true_pct", "J3_true_pct", "J4_true_pct", "J5_true_pct",
}

// rows lists the runs, and after each group of perturbed plants their means and
// standard deviations.
func (s *SISO) rows(runs []*sisoRun) []Row {
	var rows []Row
	for i, r := range runs {
		row := s.head(r)
		row = append(row, Cell{"status", r.status}, Cell{"perturbed", r.trial})
		row = append(row, r.cells(sisoKeys)...)
		if r.trial == 0 {
			row = append(row, s.published(r, paper002Table5)...)
		}
		rows = append(rows, row)
		if s.Perturbed > 0 && (i+1 == len(runs) || runs[i+1].group() != r.group()) {
			rows = append(rows, s.statistics(runs[i+1-s.Perturbed:i+1])...)
		}
	}
	return rows
}

func (s *SISO) head(r *sisoRun) Row {
	return append(s.design().head(&r.factorialRun), Cell{"settings", settingsOf(r.compensator)}, Cell{"parameters", r.parameters})
}

// statistics are over the completed runs of one group of perturbed plants.
func (s *SISO) statistics(runs []*sisoRun) []Row {
	var all []*factorialRun
	for _, r := range runs {
		all = append(all, &r.factorialRun)
	}
	mean, std := statistics(all, sisoKeys)
	first := runs[0]
	return []Row{
		slices.Concat(s.head(first), mean, s.published(first, paper002Table6)),
		slices.Concat(s.head(first), std, s.published(first, paper002Table7)),
	}
}

// Settings are the parameters of every compensator of the suite, one line each.
func (s *SISO) Settings() ([]string, error) {
	var out []string
	for _, name := range s.Compensators {
		sc, err := s.scenario(&factorialRun{compensator: name, record: s.Records[0], partitionCase: 1})
		if err != nil {
			return nil, err
		}
		lines, err := sc.CompensatorSettings()
		if err != nil {
			return nil, err
		}
		out = append(out, fmt.Sprintf("%s, settings: %s", lines[0], settingsOf(name)))
	}
	return out, nil
}
