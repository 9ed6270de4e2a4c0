package study

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

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
	Progress     func(done, total int)
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
	compensator string
	record      string
	siteCase    int
	noise       bool
	trial       int // 0 nominal
	values      []rths.Value
	status      string
	parameters  string // of the compensator, as made
}

// group is what means and standard deviations are taken over.
type group struct {
	compensator, record string
	siteCase            int
	noise               bool
}

func (r *sisoRun) group() group { return group{r.compensator, r.record, r.siteCase, r.noise} }

// Run runs the suite.
func (s *SISO) Run(ctx context.Context) (*Suite, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	runs := s.runs()
	shaking := map[string]*scenario.Shaking{}
	for _, record := range s.Records {
		sc, err := s.scenario(&sisoRun{compensator: "none", record: record, siteCase: 1})
		if err != nil {
			return nil, err
		}
		if shaking[record], err = sc.Shake(s.RecordsDir); err != nil {
			return nil, err
		}
	}
	var done atomic.Int64
	progress := func() {
		if n := done.Add(1); s.Progress != nil {
			s.Progress(int(n), len(runs))
		}
	}
	err := parallel(ctx, s.Workers, len(runs), progress, func(i int) error { return s.one(runs[i], shaking[runs[i].record]) })
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
	for what, list := range map[string][]string{"compensator": s.Compensators, "record": s.Records} {
		if name, twice := repeated(list); twice {
			return fmt.Errorf("benchmark siso: %s %s stands twice", what, name)
		}
	}
	if c, twice := repeated(s.Cases); twice {
		return fmt.Errorf("benchmark siso: case %d stands twice", c)
	}
	for _, c := range s.Cases {
		if c < 1 || c > 4 {
			return fmt.Errorf("benchmark siso: case %d: want 1 to 4", c)
		}
	}
	switch {
	case len(s.Compensators) == 0 || len(s.Cases) == 0 || len(s.Records) == 0 || len(s.Noise) == 0:
		return fmt.Errorf("benchmark siso: nothing to run: want at least one compensator, case, record and noise setting")
	case s.Perturbed < 0 || s.Perturbed > 1e6:
		return fmt.Errorf("benchmark siso: %d perturbed plants: want 0 to a million", s.Perturbed)
	case math.IsNaN(s.Scale) || math.IsInf(s.Scale, 0):
		return fmt.Errorf("benchmark siso: scale %g: want a finite number", s.Scale)
	}
	return nil
}

// repeated is the first value that stands twice.
func repeated[T comparable](list []T) (T, bool) {
	for i, v := range list {
		if slices.Contains(list[:i], v) {
			return v, true
		}
	}
	var none T
	return none, false
}

func (s *SISO) runs() []*sisoRun {
	var runs []*sisoRun
	for _, record := range s.Records {
		for _, siteCase := range s.Cases {
			for _, noise := range s.Noise {
				for _, name := range s.Compensators {
					for trial := range s.Perturbed + 1 {
						runs = append(runs, &sisoRun{compensator: name, record: record, siteCase: siteCase, noise: noise, trial: trial})
					}
				}
			}
		}
	}
	return runs
}

// scenario is the shipped benchmark scenario with this run's settings.
func (s *SISO) scenario(r *sisoRun) (*scenario.Scenario, error) {
	const file = "benchmark-siso.yaml"
	text, err := scenarios.Files.ReadFile(file)
	if err != nil {
		return nil, err
	}
	sets := []string{
		"compensator.kind=" + r.compensator,
		"ground.record=" + r.record,
		fmt.Sprintf("ground.scale=%g", s.Scale),
		fmt.Sprintf("structure.case=%d", r.siteCase),
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
	sc, err := s.scenario(r)
	if err != nil {
		return err
	}
	run, err := sc.Build(scenario.Options{RecordsDir: s.RecordsDir, Shaking: shaking})
	if err != nil {
		return err
	}
	if r.parameters, err = sc.Compensator.Settings(); err != nil {
		return err
	}
	for err = nil; err == nil && !run.Loop.Done(); {
		err = run.Loop.Step()
	}
	r.status, _ = scenario.Status(err)
	r.values = run.Summary()
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
		for _, key := range sisoKeys {
			row = append(row, Cell{key, value(r.values, key)})
		}
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
	noise := "off"
	if r.noise {
		noise = "on"
	}
	return Row{{"compensator", r.compensator}, {"case", r.siteCase}, {"record", r.record}, {"scale", s.Scale}, {"noise", noise}, {"settings", settingsOf(r.compensator)}, {"parameters", r.parameters}}
}

func value(values []rths.Value, name string) float64 {
	i := slices.IndexFunc(values, func(v rths.Value) bool { return v.Name == name })
	if i < 0 {
		return math.NaN()
	}
	return values[i].V
}

// statistics are over the completed runs of one group of perturbed plants.
func (s *SISO) statistics(runs []*sisoRun) []Row {
	completed := 0
	for _, r := range runs {
		if r.status == "completed" {
			completed++
		}
	}
	mean := append(s.head(runs[0]), Cell{"statistic", "mean"}, Cell{"runs", len(runs)}, Cell{"completed", completed})
	std := append(s.head(runs[0]), Cell{"statistic", "std"}, Cell{"runs", len(runs)}, Cell{"completed", completed})
	for _, key := range sisoKeys {
		m, sd := meanStd(runs, key)
		mean, std = append(mean, Cell{key, m}), append(std, Cell{key, sd})
	}
	return []Row{
		append(mean, s.published(runs[0], paper002Table6)...),
		append(std, s.published(runs[0], paper002Table7)...),
	}
}

// meanStd is the mean and sample standard deviation of a criterion over the
// completed runs.
func meanStd(runs []*sisoRun, key string) (mean, std float64) {
	var sum, square, n float64
	for _, r := range runs {
		if r.status == "completed" {
			sum += value(r.values, key)
			n++
		}
	}
	mean = sum / n
	for _, r := range runs {
		if r.status == "completed" {
			d := value(r.values, key) - mean
			square += d * d
		}
	}
	return mean, math.Sqrt(square / (n - 1))
}

// Settings are the parameters of every compensator of the suite, one line each.
func (s *SISO) Settings() ([]string, error) {
	var out []string
	for _, name := range s.Compensators {
		sc, err := s.scenario(&sisoRun{compensator: name, record: s.Records[0], siteCase: 1})
		if err != nil {
			return nil, err
		}
		if _, err := sc.Compensator.Params.Make(sc.CompensatorAt()); err != nil {
			return nil, err
		}
		line, err := sc.Compensator.Settings()
		if err != nil {
			return nil, err
		}
		out = append(out, fmt.Sprintf("%s, settings: %s", line, settingsOf(name)))
	}
	return out, nil
}
