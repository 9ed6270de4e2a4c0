package papers

import (
	"context"
	"fmt"
	"slices"

	"rths"
	"rths/analyse"
	"rths/compensate"
	"rths/scenario"
	"rths/scenarios"
)

// MultiAxial describes the suite of the multi-axial RTHS benchmark: compensators of
// two coupled actuators on four partition cases, with and without sensor noise, on
// the nominal plant and on uncertain ones (docs/benchmark-multiaxial.md; Shangguan et al.
// 2024). Of the methods' criteria no table is published.
type MultiAxial struct {
	Compensators []string
	Cases        []int
	Records      []string
	Noise        []bool
	Scale        float64
	Trials       int // uncertain plants beside the nominal one, which is trial 1
	Seed         uint64
	RecordsDir   string
	Workers      int
	Progress     func(done int)

	starts *starts // of ats and adm, calibrated once
}

// multiAxialRows are the rows of the suite in the order of the table: the inner PI
// loop alone, methods of one actuator around it, methods on the raw plant.
var multiAxialRows = []struct {
	name   string
	around bool // the inner loop
}{{"none", true}, {"ats", true}, {"adm", true}, {"msmc", false}, {"adm-msmc", false}, {"rodeac", false}}

// MultiAxialCompensators are the names of the rows.
func MultiAxialCompensators() (names []string) {
	for _, r := range multiAxialRows {
		if _, err := rths.Find(compensate.Kinds, r.name); err == nil {
			names = append(names, r.name)
		}
	}
	return names
}

// multiAxialRun is one run of the suite.
type multiAxialRun struct {
	factorialRun
	radius float64
}

func (s *MultiAxial) design() *factorial {
	return &factorial{
		suite: "multiaxial", compensators: s.Compensators, cases: s.Cases, records: s.Records, noise: s.Noise, scale: s.Scale,
		plants: s.Trials, nominal: 1,
	}
}

// Run runs the suite.
func (s *MultiAxial) Run(ctx context.Context) (*Suite, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if err := s.calibrate(); err != nil {
		return nil, err
	}
	var runs []*multiAxialRun
	for _, r := range s.design().runs() {
		runs = append(runs, &multiAxialRun{factorialRun: r})
	}
	shaking, err := s.design().shake(s.RecordsDir, func(r *factorialRun) (*scenario.Scenario, error) { return s.scenario(r) })
	if err != nil {
		return nil, err
	}
	err = parallel(ctx, s.Workers, len(runs), s.Progress, func(i int) error { return s.one(runs[i], shaking[runs[i].record]) })
	if err != nil {
		return nil, err
	}
	return &Suite{Name: "multiaxial", Rows: s.rows(runs)}, nil
}

func (s *MultiAxial) check() error {
	names := MultiAxialCompensators()
	for _, name := range s.Compensators {
		if !slices.Contains(names, name) {
			return fmt.Errorf("benchmark multiaxial: compensator %q: want one of %v", name, names)
		}
	}
	if s.Trials < 0 || s.Trials > 1e6 {
		return fmt.Errorf("benchmark multiaxial: %d trials: want 0 to a million", s.Trials)
	}
	return s.design().check()
}

// scenario is the shipped scenario with this run's settings.
func (s *MultiAxial) scenario(r *factorialRun, more ...string) (*scenario.Scenario, error) {
	const file = "benchmark-multiaxial.yaml"
	text, err := scenarios.Files.ReadFile(file)
	if err != nil {
		return nil, err
	}
	sets := []string{
		"ground.record=" + r.record,
		fmt.Sprintf("ground.scale=%g", s.Scale),
		fmt.Sprintf("structure.case=%d", r.partitionCase),
		fmt.Sprintf("seed=%d", s.Seed),
		fmt.Sprintf("perturbed=%d", r.trial-1),
		"compensator.kind=" + r.compensator,
	}
	if !r.noise {
		sets = append(sets, "sensors=")
	}
	if !around(r.compensator) {
		sets = append(sets, "inner_loop=")
	}
	sc, err := scenario.Parse(file, text, ".", append(sets, more...))
	if err == nil && s.starts != nil {
		s.starts.use(sc, r.compensator)
	}
	return sc, err
}

// around says whether a row has the inner loop.
func around(name string) bool {
	for _, r := range multiAxialRows {
		if r.name == name {
			return r.around
		}
	}
	return false
}

func (s *MultiAxial) one(r *multiAxialRun, shaking *scenario.Shaking) error {
	sc, err := s.scenario(&r.factorialRun)
	if err != nil {
		return err
	}
	run, err := sc.Build(scenario.Options{RecordsDir: s.RecordsDir, Shaking: shaking})
	if err != nil {
		return err
	}
	if r.radius, err = analyse.LoopRadius(run); err != nil {
		return err
	}
	r.take(run)
	return nil
}

// multiAxialKeys are the criteria of a row, in order: the benchmark's 24, those
// against the monolithic solution, those without sensor noise, delays between
// samples, peak voltages.
var multiAxialKeys = func() []string {
	keys := []string{"J1_1_ms", "J1_2_ms", "J2_1_pct", "J2_2_pct", "J3_1_pct", "J3_2_pct", "J4_x_ms", "J4_theta_ms"}
	held, other := []string{"x", "theta"}, []string{"x2", "theta2", "x3", "theta3"}
	add := func(end string, points []string, numbers ...string) {
		for _, n := range numbers {
			for _, p := range points {
				keys = append(keys, n+"_"+p+end)
			}
		}
	}
	add("_pct", held, "J5", "J6", "J7")
	add("_pct", other, "J8")
	add("_pct", held, "J9")
	add("_pct", other, "J10")
	add("_mono_pct", held, "J7")
	add("_mono_pct", other, "J8")
	add("_mono_pct", held, "J9")
	add("_mono_pct", other, "J10")
	add("_true_pct", []string{"1", "2"}, "J2", "J3")
	add("_true_pct", held, "J5", "J6", "J7")
	add("_mono_true_pct", held, "J7")
	add("_ms", []string{"1", "2", "x", "theta"}, "delay")
	add("_true_ms", []string{"1", "2", "x", "theta"}, "delay")
	add("_V", []string{"1", "2"}, "peak")
	return keys
}()

// rows lists the runs, and after each group of uncertain plants their means and
// standard deviations; the nominal plant is not among them.
func (s *MultiAxial) rows(runs []*multiAxialRun) []Row {
	var rows []Row
	for i, r := range runs {
		row := append(s.design().head(&r.factorialRun), Cell{"trial", r.trial}, Cell{"status", r.status})
		row = append(row, r.cells(multiAxialKeys)...)
		rows = append(rows, append(row, Cell{"loop_radius", r.radius}))
		if s.Trials > 0 && (i+1 == len(runs) || runs[i+1].group() != r.group()) {
			rows = append(rows, s.statistics(runs[i+1-s.Trials:i+1])...)
		}
	}
	return rows
}

// statistics are over the completed runs of one group of uncertain plants; of the
// radius it is the largest.
func (s *MultiAxial) statistics(runs []*multiAxialRun) []Row {
	var all []*factorialRun
	radius := 0.0
	for _, r := range runs {
		all, radius = append(all, &r.factorialRun), max(radius, r.radius)
	}
	mean, std := statistics(all, multiAxialKeys)
	head := s.design().head(all[0])
	return []Row{slices.Concat(head, mean, Row{{"loop_radius_max", radius}}), slices.Concat(head, std)}
}

// Settings are the parameters of every compensator of the suite, one line each or,
// where every actuator has its own, two.
func (s *MultiAxial) Settings() ([]string, error) {
	var out []string
	for _, name := range s.Compensators {
		sc, err := s.scenario(&factorialRun{compensator: name, record: s.Records[0], partitionCase: 1, trial: 1})
		if err != nil {
			return nil, err
		}
		lines, err := sc.CompensatorSettings()
		if err != nil {
			return nil, err
		}
		for _, line := range lines {
			out = append(out, name+": "+line)
		}
	}
	return out, nil
}
