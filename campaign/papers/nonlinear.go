package papers

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"

	"rths"
	"rths/campaign/suite"
	"rths/result/record"
	"rths/result/report"
	"rths/scenario"
)

// Nonlinear is the suite of the nonlinear specimens of paper 001, section 7.3.3:
// compensators on the Bouc–Wen specimens A to D of Table 7.5, partition case I under El
// Centro. The text scales the record by 0.6, captions of the same section by 0.5.
type Nonlinear struct {
	Cases        []string  `flag:"cases" usage:"specimens"`
	Compensators []string  `flag:"compensator" usage:"compensators to run"`
	Scales       []float64 `flag:"scale" usage:"factors on the ground motion"`
	Record       string    `flag:"record" usage:"ground motion, by name"`
	Seed         uint64    `flag:"seed" usage:"seed of sensor noise"`
}

var nonlinearSuite = suite.Suite{
	Name:  "nonlinear",
	Short: "Nonlinear specimens of Gálmez 2021: cases × compensators × scales",
	Long: `Runs compensators on the Bouc–Wen specimens A to D of Gálmez 2021, Table 7.5:
partition case I, El Centro, no delay of the force, the actuator with the numbers
the thesis prints. The thesis states a J2 under 4 % for every case with adaptive
model-based compensation, amb. J2_floor_pct is the J2 of the sensor's noise alone,
dissipated_J the work done on the specimen. --out draws force over displacement
as in Fig. 7.20. The ground motions are not part of the program:
set RTHS_RECORDS or --records.`,
	Example: `  rths benchmark nonlinear
  rths benchmark nonlinear --compensator amb --cases B,D --scale 0.6 --out loops`,
	New: func() suite.Study { return newNonlinear() },
}

// newNonlinear has the method of the thesis with its gains, the method without adaptation,
// and other methods that are stable on this plant.
func newNonlinear() *Nonlinear {
	return &Nonlinear{Cases: []string{"A", "B", "C", "D"},
		Compensators: []string{"amb", "amb-fixed", "ats", "kf", "mbc-lqg"}, Scales: []float64{0.5, 0.6}, Record: "elcentro",
		Seed: 1}
}

// nonlinearRow is one run. J2 of the thesis is nrmse_pct, its rms ratio (7.8).
type nonlinearRow struct {
	Case        string  `col:"case" print:"%s" draw:"named"`
	Compensator string  `col:"compensator" print:"%s"`
	Scale       float64 `col:"scale" print:"%g" draw:"part"`
	Record      string  `col:"record"`
	Status      string  `col:"status" print:"%s" head:"" draw:"status"`
	nonlinearJ  `col:"-"`
	Below       *float64 `col:"published_J2_below_pct,omitempty" print:"under %g" head:"Gálmez 2021, J2"`

	loop report.Loop // Fig. 7.20: measured force over measured displacement
}

type nonlinearJ struct {
	J2         float64 `col:"J2_pct" print:"%.2f"`
	J3         float64 `col:"J3_pct" print:"%.2f"`
	NRMSE      float64 `col:"nrmse_pct" print:"%.2f"`
	Dissipated float64 `col:"dissipated_J" print:"%.2f" draw:"-"`
	TrueJ2     float64 `col:"J2_true_pct" print:"%.2f"`
	FloorJ2    float64 `col:"J2_floor_pct" print:"%.2f" draw:"-"`
	J1         float64 `col:"J1_ms"`
	J4         float64 `col:"J4_pct"`
}

// Run runs the suite.
func (s *Nonlinear) Run(ctx context.Context, lab suite.Lab) (*suite.Result, error) {
	rows, err := s.rows(ctx, lab)
	if err != nil {
		return nil, err
	}
	after, err := s.settings()
	if err != nil {
		return nil, err
	}
	return suite.OneTable("nonlinear", rows, after), nil
}

func (s *Nonlinear) check() error {
	for _, scale := range s.Scales {
		if !(scale > 0) || math.IsInf(scale, 0) {
			return fmt.Errorf("scale %g: want more than 0", scale)
		}
	}
	return cmp.Or(suite.Known(s.Compensators), suite.Distinct("case", s.Cases, []string{"A", "B", "C", "D"}),
		suite.Distinct("scale", s.Scales, nil))
}

func (s *Nonlinear) rows(ctx context.Context, lab suite.Lab) ([]nonlinearRow, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	var rows []nonlinearRow
	shaking := map[float64]*scenario.Shaking{}
	for _, scale := range s.Scales {
		for _, name := range s.Cases {
			for _, c := range s.Compensators {
				rows = append(rows, nonlinearRow{Case: name, Compensator: c, Scale: scale, Record: s.Record})
			}
		}
		sc, err := s.scenario(&rows[len(rows)-1])
		if err != nil {
			return nil, err
		}
		if shaking[scale], err = sc.Shake(lab.RecordsDir); err != nil {
			return nil, err
		}
	}
	return rows, lab.Each(ctx, len(rows), func(i int) error { return s.run(ctx, lab, &rows[i], shaking[rows[i].Scale]) })
}

// scenario is the shipped scenario of the case with the row's settings.
func (s *Nonlinear) scenario(r *nonlinearRow) (*scenario.Scenario, error) {
	sets := append([]string{"compensator="}, settled(r.Compensator)...)
	sets = append(sets, "ground.record="+s.Record, fmt.Sprintf("ground.scale=%g", r.Scale), fmt.Sprintf("seed=%d", s.Seed))
	return scenario.Shipped("nonlinear-"+strings.ToLower(r.Case)+".yaml", sets...)
}

func (s *Nonlinear) run(ctx context.Context, lab suite.Lab, r *nonlinearRow, shaking *scenario.Shaking) error {
	sc, err := s.scenario(r)
	if err != nil {
		return err
	}
	var seen hysteresis
	out, err := lab.Play(ctx, sc, shaking, func(run *scenario.Run) { run.Loop.Attach(&seen) })
	if err != nil {
		return err
	}
	record.Fill(&r.nonlinearJ, out.Values)
	r.Status, r.Dissipated, r.loop = out.Status, seen.work.joule, seen.loop
	if r.loop.Name = "specimen " + r.Case; r.Compensator == "amb" && s.Record == "elcentro" {
		r.Below = new(4.0)
	}
	return nil
}

// hysteresis watches the work on the specimen and keeps the loop, every eighth sample.
type hysteresis struct {
	work dissipation
	loop report.Loop
}

// Observe adds a tick to work and loop; the tick that failed is left out.
func (h *hysteresis) Observe(f *rths.Frame) {
	if f.Err != nil {
		return
	}
	h.work.add(f.InterfaceRead.TrueX[0], f.InterfaceRead.TrueF[0])
	if f.K%8 == 0 {
		h.loop.X, h.loop.F = append(h.loop.X, f.InterfaceRead.X[0]), append(h.loop.F, f.InterfaceRead.F[0])
	}
}

// dissipation is ∫ f dx by the trapezoidal rule, J: from rest to rest the hysteretic and
// viscous energy that the specimen has taken.
type dissipation struct{ joule, x, f float64 }

func (d *dissipation) add(x, f float64) {
	d.joule += (f + d.f) / 2 * (x - d.x)
	d.x, d.f = x, f
}

// settings are the parameters of every specimen and compensator, one line each.
func (s *Nonlinear) settings() (string, error) {
	text := fmt.Sprintf("\nSettings (%s, seed %d):", s.Record, s.Seed)
	for _, name := range s.Cases {
		sc, err := s.scenario(&nonlinearRow{Case: name, Compensator: "none"})
		if err != nil {
			return "", err
		}
		line, err := sc.Specimen.Settings()
		if err != nil {
			return "", err
		}
		text += "\n  " + name + " " + line
	}
	of := func(name string) (*scenario.Scenario, error) {
		return s.scenario(&nonlinearRow{Case: s.Cases[0], Compensator: name})
	}
	return suite.Settings(text, s.Compensators, of, func(_, line string) string { return line })
}

// Drawing is the usage of --out.
func (s *Nonlinear) Drawing() string {
	return "criteria by compensator and the force–displacement loops, PNG and SVG"
}

// Draw draws the table, and the loops on one sheet per compensator and scale.
func (s *Nonlinear) Draw(dir string, r *suite.Result) (files []string, err error) {
	if files, err = r.DrawTables(dir); err != nil {
		return files, err
	}
	sheets, names := map[string][]report.Loop{}, []string(nil)
	for _, row := range r.Rows {
		l := row.(nonlinearRow)
		name := fmt.Sprintf("loops-%s-%g", l.Compensator, l.Scale)
		if sheets[name] == nil {
			names = append(names, name)
		}
		sheets[name] = append(sheets[name], l.loop)
	}
	for _, name := range names {
		paths, err := report.Loops(dir, name, sheets[name])
		if err != nil {
			return files, err
		}
		files = append(files, paths...)
	}
	return files, nil
}
