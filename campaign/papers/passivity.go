package papers

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"rths/campaign/suite"
	"rths/result/record"
	"rths/scenario"
)

// Passivity runs the single-actuator benchmark with the virtual damper of the key passivity
// beside the same runs without it (docs/guides/passivity.md).
type Passivity struct {
	Benchmark
	Delays  []int   `flag:"delay" usage:"samples of force_delay beyond the benchmark's one"`
	Damping float64 `flag:"max-damping" usage:"max_damping, N·s/m; 0: 1.2 times the specimen's stiffness times the delay that is left"`
}

var passivitySuite = suite.Suite{
	Name:  "passivity",
	Short: "The virtual damper beside runs without it: compensators × cases × records × delays",
	Long: `Runs compensators on the partition cases and ground motions of the single-actuator RTHS
benchmark (Silva et al. 2020), as the suite siso does, each without and with the key passivity, and
again with 40 samples (9.8 ms) more of force_delay, of which no compensator knows. max_damping is
1.2 k τ, with the specimen's stiffness k = 1.19e6 N/m and the delay τ that the compensator leaves
(none 25 ms, pi 5 ms, others 1 ms) and force_delay adds. These settings are ours. The study is no
publication and no part of --all. The ground motions are not part of the program: set
RTHS_RECORDS or --records.`,
	Example: `  rths benchmark passivity --record elcentro --cases 1
  rths benchmark passivity --compensator pi --record elcentro --max-damping 3e4`,
	New:   func() suite.Study { return newPassivity() },
	Apart: true,
}

func newPassivity() *Passivity {
	s := &Passivity{Benchmark: newSISO().Benchmark, Delays: []int{0, 40}}
	s.Compensators = []string{"none", "pi", "kf", "amb"}
	return s
}

// passivityRow is one run.
type passivityRow struct {
	trialHead   `col:"-"`
	Delay       int     `col:"more_force_delay" print:"%d" head:"delay" draw:"part"`
	Damping     float64 `col:"max_damping_N_s_m" print:"%g" head:"max. N·s/m" draw:"label"` // 0: no damper
	Settings    string  `col:"settings"`
	Status      string  `col:"status" print:"%s" head:"" draw:"status"`
	passivityJ  `col:"-"`
	Dissipated  float64 `col:"passivity_dissipated_J" print:"%.1f" head:"damper, J" draw:"-"`
	LargestMade float64 `col:"passivity_energy_max_J"`
}

type passivityJ struct {
	J1     float64 `col:"J1_ms" print:"%.2f"`
	J2     float64 `col:"J2_pct" print:"%.2f"`
	J4     float64 `col:"J4_pct" print:"%.2f"`
	J7     float64 `col:"J7_pct" print:"%.2f"`
	J9     float64 `col:"J9_pct" print:"%.2f"`
	TrueJ2 float64 `col:"J2_true_pct" print:"%.2f"`
}

// Run runs the suite.
func (s *Passivity) Run(ctx context.Context, lab suite.Lab) (*suite.Result, error) {
	rows, err := s.rows(ctx, lab)
	if err != nil {
		return nil, err
	}
	return suite.OneTable("passivity", rows,
		fmt.Sprintf("\nSettings: scale %g, seed %d; max. N·s/m is passivity.max_damping, 0 means no key passivity, "+
			"threshold_j 0: settings: ours.\nCompensators as rths benchmark siso prints them.\n", s.Scale, s.Seed)), nil
}

func (s *Passivity) rows(ctx context.Context, lab suite.Lab) ([]passivityRow, error) {
	if err := cmp.Or(suite.Known(s.Compensators), s.check(nil, 0), suite.Distinct("delay", s.Delays, nil)); err != nil {
		return nil, err
	}
	var rows []passivityRow
	for _, t := range s.trials(0) {
		for _, delay := range s.Delays {
			for _, damping := range []float64{0, s.damping(t.Compensator, delay)} {
				rows = append(rows, passivityRow{trialHead: t.trialHead, Delay: delay, Damping: damping, Settings: "ours"})
			}
		}
	}
	shaking, err := suite.Shakings(lab, len(rows), func(i int) string { return rows[i].Record },
		func(i int) (*scenario.Scenario, error) { return s.scenarioOf(&rows[i]) })
	if err != nil {
		return nil, err
	}
	return rows, lab.Each(ctx, len(rows), func(i int) error { return s.run(ctx, lab, &rows[i], shaking[rows[i].Record]) })
}

// damping is max_damping of a row with the damper.
func (s *Passivity) damping(compensator string, delay int) float64 {
	if s.Damping > 0 {
		return s.Damping
	}
	left := map[string]float64{"none": 25, "pi": 5}[compensator] // ms
	return math.Round(1.2*1.19e4*(max(left, 1)*1e-3+float64(delay)/4096)) * 100
}

// scenarioOf is the scenario of the suite siso with the delay and the damper of a row.
func (s *Passivity) scenarioOf(r *passivityRow) (*scenario.Scenario, error) {
	siso := SISO{Benchmark: s.Benchmark}
	siso.Set = append(suite.Sets{fmt.Sprintf("timing.force_delay=%d", 1+r.Delay)}, s.Set...)
	if r.Damping > 0 {
		siso.Set = append(siso.Set, fmt.Sprintf("passivity={max_damping: %g}", r.Damping))
	}
	return siso.scenario(&trial{trialHead: r.trialHead})
}

func (s *Passivity) run(ctx context.Context, lab suite.Lab, r *passivityRow, shaking *scenario.Shaking) error {
	sc, err := s.scenarioOf(r)
	if err != nil {
		return err
	}
	out, err := lab.Play(ctx, sc, shaking, nil)
	if err != nil {
		return err
	}
	record.Fill(&r.passivityJ, out.Values)
	r.Status = out.Status
	if r.Damping > 0 {
		r.Dissipated, r.LargestMade = suite.Value(out.Indicators(), "passivity_dissipated_J"),
			suite.Value(out.Indicators(), "passivity_energy_max_J")
	}
	return nil
}
