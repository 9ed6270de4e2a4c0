package papers

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"rths"
	"rths/compensate"
	"rths/scenario"
	"rths/scenarios"
)

// Nonlinear describes the suite of the nonlinear specimens of paper 001, section
// 7.3.3: compensators on the Bouc–Wen specimens A to D of Table 7.5, partition case
// I under El Centro. The text scales it by 0.6, captions of the same section by 0.5.
type Nonlinear struct {
	Cases        []string // of NonlinearCases
	Compensators []string
	Scales       []float64
	Record       string
	Seed         uint64
	RecordsDir   string
	Workers      int
	Progress     func(done int)

	// Loops are, once run, what Fig. 7.20 shows: measured force over measured
	// displacement of every run.
	Loops []Loop
}

// Loop is force over displacement of one run, every eighth sample.
type Loop struct {
	Case, Compensator string
	Scale             float64
	X, F              []float64 // m, N
}

// NonlinearCases are the specimens.
var NonlinearCases = []string{"A", "B", "C", "D"}

// NonlinearCompensators are the rows of the suite: the thesis's with its gains, the
// same without adaptation, and others that hold on this plant.
var NonlinearCompensators = []string{"amb", "amb-fixed", "ats", "kf", "mbc-lqg"}

// nonlinearRun is one run of the suite.
type nonlinearRun struct {
	Loop
	values []rths.Value
	status string
	work   dissipation
}

// Run runs the suite.
func (s *Nonlinear) Run(ctx context.Context) (*Suite, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	var runs []*nonlinearRun
	shaking := map[float64]*scenario.Shaking{}
	for _, scale := range s.Scales {
		for _, name := range s.Cases {
			for _, c := range s.Compensators {
				runs = append(runs, &nonlinearRun{Loop: Loop{Case: name, Compensator: c, Scale: scale}})
			}
		}
		sc, err := s.scenario(runs[len(runs)-1])
		if err != nil {
			return nil, err
		}
		if shaking[scale], err = sc.Shake(s.RecordsDir); err != nil {
			return nil, err
		}
	}
	if err := parallel(ctx, s.Workers, len(runs), s.Progress, func(i int) error { return s.one(runs[i], shaking[runs[i].Scale]) }); err != nil {
		return nil, err
	}
	s.Loops = nil
	out := &Suite{Name: "nonlinear"}
	for _, r := range runs {
		s.Loops = append(s.Loops, r.Loop)
		out.Rows = append(out.Rows, r.row(s.Record))
	}
	return out, nil
}

func (s *Nonlinear) check() error {
	for _, name := range s.Compensators {
		if _, err := rths.Find(compensate.Kinds, name); err != nil {
			return fmt.Errorf("compensator: %w", err)
		}
	}
	for _, name := range s.Cases {
		if !slices.Contains(NonlinearCases, name) {
			return fmt.Errorf("benchmark nonlinear: case %q: want one of %s", name, strings.Join(NonlinearCases, ", "))
		}
	}
	for _, scale := range s.Scales {
		if !(scale > 0) || math.IsInf(scale, 0) {
			return fmt.Errorf("benchmark nonlinear: scale %g: want more than 0", scale)
		}
	}
	for what, list := range map[string][]string{"compensator": s.Compensators, "case": s.Cases} {
		if name, twice := repeated(list); twice {
			return fmt.Errorf("benchmark nonlinear: %s %s stands twice", what, name)
		}
	}
	if scale, twice := repeated(s.Scales); twice {
		return fmt.Errorf("benchmark nonlinear: scale %g stands twice", scale)
	}
	if len(s.Compensators) == 0 || len(s.Cases) == 0 || len(s.Scales) == 0 {
		return fmt.Errorf("benchmark nonlinear: nothing to run: want at least one case, compensator and scale")
	}
	return nil
}

// scenario is the shipped scenario of the case with this run's settings.
func (s *Nonlinear) scenario(r *nonlinearRun) (*scenario.Scenario, error) {
	file := "nonlinear-" + strings.ToLower(r.Case) + ".yaml"
	text, err := scenarios.Files.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return scenario.Parse(file, text, ".", []string{
		"compensator=", "compensator.kind=" + r.Compensator, "ground.record=" + s.Record,
		fmt.Sprintf("ground.scale=%g", r.Scale), fmt.Sprintf("seed=%d", s.Seed),
	})
}

func (s *Nonlinear) one(r *nonlinearRun, shaking *scenario.Shaking) error {
	sc, err := s.scenario(r)
	if err != nil {
		return err
	}
	run, err := sc.Build(scenario.Options{RecordsDir: s.RecordsDir, Shaking: shaking})
	if err != nil {
		return err
	}
	for err = nil; err == nil && !run.Loop.Done(); {
		if err = run.Loop.Step(); err == nil {
			r.take(run.Loop.Frame())
		}
	}
	r.status, _ = scenario.Status(err)
	r.values = run.Summary()
	return nil
}

// everyLoop is how many samples there are to a point of a loop.
const everyLoop = 8

func (r *nonlinearRun) take(f *rths.Frame) {
	r.work.add(f.Felt.TrueX[0], f.Felt.TrueF[0])
	if f.K%everyLoop == 0 {
		r.X, r.F = append(r.X, f.Felt.X[0]), append(r.F, f.Felt.F[0])
	}
}

// dissipation is ∫ f dx by the trapezoidal rule: from rest to rest the energy (J)
// that the specimen has taken, hysteretic and viscous.
type dissipation struct{ joule, x, f float64 }

func (d *dissipation) add(x, f float64) {
	d.joule += (f + d.f) / 2 * (x - d.x)
	d.x, d.f = x, f
}

// row is flat; J2 of the thesis is nrmse_pct, its rms ratio (7.8).
func (r *nonlinearRun) row(record string) Row {
	row := Row{{"case", r.Case}, {"compensator", r.Compensator}, {"scale", r.Scale}, {"record", record}, {"status", r.status}}
	for _, key := range []string{"J2_pct", "J3_pct", "nrmse_pct"} {
		row = append(row, Cell{key, value(r.values, key)})
	}
	row = append(row, Cell{"dissipated_J", r.work.joule})
	for _, key := range []string{"J2_true_pct", "J2_floor_pct", "J1_ms", "J4_pct"} {
		row = append(row, Cell{key, value(r.values, key)})
	}
	if r.Compensator == "amb" && record == "elcentro" {
		row = append(row, Cell{"published_J2_below_pct", 4.0})
	}
	return row
}

// Settings are the parameters of every specimen and compensator, one line each.
func (s *Nonlinear) Settings() ([]string, error) {
	var out []string
	for _, name := range s.Cases {
		sc, err := s.scenario(&nonlinearRun{Loop: Loop{Case: name, Compensator: "none"}})
		if err != nil {
			return nil, err
		}
		line, err := sc.Specimen.Settings()
		if err != nil {
			return nil, err
		}
		out = append(out, name+" "+line)
	}
	for _, name := range s.Compensators {
		sc, err := s.scenario(&nonlinearRun{Loop: Loop{Case: s.Cases[0], Compensator: name}})
		if err != nil {
			return nil, err
		}
		lines, err := sc.CompensatorSettings()
		if err != nil {
			return nil, err
		}
		out = append(out, lines...)
	}
	return out, nil
}
