package papers

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"rths"
	"rths/campaign/suite"
	"rths/scenario"
	"rths/scenario/growth"
)

// MultiAxial is the suite of the multi-axial RTHS benchmark (Shangguan et al. 2024): two
// coupled actuators. No table of the methods' criteria is published.
type MultiAxial struct {
	Benchmark
	Trials int `flag:"trials" usage:"uncertain plants in addition to the nominal one"`

	starts *starts // of ats and adm, calibrated once
}

var multiAxialSuite = suite.Suite{
	Name:  "multiaxial",
	Short: "Multi-axial RTHS benchmark: two coupled actuators, compensators × cases × noise",
	Long: `Runs compensators of two coupled actuators on the partition cases of the
multi-axial RTHS benchmark, on the nominal plant (trial 1) and, with --trials N, on N
uncertain ones (trials 2 to N+1) with means and standard deviations. none is the inner
PI loop alone, ats and adm stand around it on each actuator, the others on the raw
plant. J7 to J10 compare with the undivided structure and, with _mono in the name,
with numerical part and specimen integrated together; a perfect test scores 0 in _mono only.
loop_radius is the spectral radius of one tick of the whole loop, below 1 when motion
decays. The ground motions are not part of the program: set RTHS_RECORDS or --records.`,
	Example: `  rths benchmark multiaxial --cases 1 --noise both
  rths benchmark multiaxial --trials 20 --json`,
	New: func() suite.Study { return newMultiAxial() },
}

func newMultiAxial() *MultiAxial {
	return &MultiAxial{Benchmark: Benchmark{
		Compensators: slices.Clone(multiAxialCompensators), Cases: []int{1, 2, 3, 4}, Records: []string{"elcentro"},
		Noise: "on", Scale: 0.4, Seed: 123,
	}}
}

// multiAxialCompensators in the order of the table: the inner PI loop alone, methods of
// one actuator around it (both of aroundInner), methods on the raw plant.
var (
	multiAxialCompensators = []string{"none", "ats", "adm", "msmc", "adm-msmc", "rodeac"}
	aroundInner            = multiAxialCompensators[:3]
)

// multiAxialRow is a run, or the mean or standard deviation of a group of uncertain plants.
type multiAxialRow struct {
	trialHead `col:"-"`
	Run       *multiAxialTrial `col:"-"`
	Statistic *suite.Statistic `col:"-"`
	Criteria  []rths.Value     `col:"-"`
	Radius    *float64         `col:"loop_radius,omitempty"`
	RadiusMax *float64         `col:"loop_radius_max,omitempty"`

	Outcome string  `print:"%s" draw:"-"`
	Delay   pair    `print:"%.2f" head:"delay ms"`
	J2      pair    `print:"%.2f" head:"J2 %"`
	J2True  pair    `print:"%.2f" head:"J2 true %"`
	J3      pair    `print:"%.2f" head:"J3 %"`
	J5      pair    `print:"%.2f" head:"J5 %"`
	J6      pair    `print:"%.2f" head:"J6 %"`
	J7      pair    `print:"%.2f" head:"J7 %"`
	J7Mono  pair    `print:"%.2f" head:"J7 mono %"`
	J8Mono  pair    `print:"%.2f" head:"J8 mono %"`
	Largest float64 `print:"%.6f" head:"loop radius" draw:"-"`
}

// pair is a value of actuators 1 and 2, or of x and θ.
type pair = [2]float64

type multiAxialTrial struct {
	Trial  int    `col:"trial"`
	Status string `col:"status" draw:"status"`
}

// Run runs the suite.
func (s *MultiAxial) Run(ctx context.Context, lab suite.Lab) (*suite.Result, error) {
	rows, err := s.rows(ctx, lab)
	if err != nil {
		return nil, err
	}
	after, err := suite.Settings(fmt.Sprintf("\nPairs are actuators 1 and 2, or x and θ. Settings (scale %g, "+
		"seed %d):", s.Scale, s.Seed), s.Compensators, s.example(s.scenario),
		func(name, line string) string { return name + ": " + line })
	if err != nil {
		return nil, err
	}
	out := suite.OneTable("multiaxial", rows, after)
	out.Tables[0].Rows = suite.List(slices.DeleteFunc(rows,
		func(r multiAxialRow) bool { return r.Run != nil && r.Run.Trial > 1 }))
	return out, nil
}

// scenario is the shipped scenario of a trial.
func (s *MultiAxial) scenario(t *trial) (*scenario.Scenario, error) { return s.with(t) }

// with sets more keys.
func (s *MultiAxial) with(t *trial, more ...string) (*scenario.Scenario, error) {
	if !slices.Contains(aroundInner, t.Compensator) {
		more = append(more, "inner_loop=")
	}
	sc, err := s.Benchmark.scenario("benchmark-multiaxial.yaml", t, more...)
	if err == nil && s.starts != nil {
		s.starts.use(sc, t.Compensator)
	}
	return sc, err
}

// multiAxialKeys are the criteria of a row, in order: the benchmark's 24 criteria, criteria
// against the monolithic solution, criteria without sensor noise, delays between samples,
// peak voltages.
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

// rows lists the runs, and after each group of uncertain plants their means and standard
// deviations, without the nominal plant. The statistics of the radius is its largest value.
func (s *MultiAxial) rows(ctx context.Context, lab suite.Lab) ([]multiAxialRow, error) {
	if err := s.check(multiAxialCompensators, s.Trials); err != nil {
		return nil, err
	}
	if err := s.calibrate(ctx, lab); err != nil {
		return nil, err
	}
	trials := s.trials(s.Trials)
	err := s.play(ctx, lab, trials, s.scenario, func(t *trial, run *scenario.Run) (err error) {
		t.radius, err = growth.Radius(ctx, run)
		return err
	})
	if err != nil {
		return nil, err
	}
	var rows []multiAxialRow
	for i, t := range trials {
		row := newMultiAxialRow(t, suite.Pick(t.values, multiAxialKeys), t.status, t.radius)
		row.Run, row.Radius = &multiAxialTrial{t.random + 1, t.status}, &t.radius
		if rows = append(rows, row); t.random == 0 || !t.last {
			continue
		}
		group := trials[i+1-s.Trials : i+1]
		mean, std, of := statistics(group, multiAxialKeys)
		largest := slices.MaxFunc(group, func(a, b *trial) int { return cmp.Compare(a.radius, b.radius) }).radius
		for _, q := range []struct {
			name   string
			values []rths.Value
			radius *float64
		}{{"mean", mean, &largest}, {"std", std, nil}} {
			of.Name = q.name
			row := newMultiAxialRow(t, q.values, of.String(), math.NaN())
			row.Statistic, row.RadiusMax = new(of), q.radius
			if q.radius != nil {
				row.Largest = *q.radius
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// newMultiAxialRow makes a row from the criteria.
func newMultiAxialRow(t *trial, values []rths.Value, outcome string, radius float64) multiAxialRow {
	of := func(first, second string) pair { return pair{suite.Value(values, first), suite.Value(values, second)} }
	return multiAxialRow{
		trialHead: t.trialHead, Criteria: values, Outcome: outcome, Largest: radius,
		Delay: of("delay_1_ms", "delay_2_ms"), J2: of("J2_1_pct", "J2_2_pct"), J2True: of("J2_1_true_pct", "J2_2_true_pct"),
		J3: of("J3_1_pct", "J3_2_pct"), J5: of("J5_x_pct", "J5_theta_pct"), J6: of("J6_x_pct", "J6_theta_pct"),
		J7:     of("J7_x_pct", "J7_theta_pct"),
		J7Mono: of("J7_x_mono_pct", "J7_theta_mono_pct"), J8Mono: of("J8_x2_mono_pct", "J8_theta2_mono_pct"),
	}
}
