package papers

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"strings"

	"rths"
	"rths/campaign/suite"
	"rths/model/integrate"
	"rths/model/structure"
	"rths/result/panels"
	"rths/result/plotting"
	"rths/result/record"
)

// Predictors is the suite of displacement predictors (paper 003, section 3): amplitude and
// phase over Ω = ω Δt (Fig. 7), and the structure of two degrees of freedom under a sweep
// (Table 2).
type Predictors struct {
	Velocity string    `flag:"velocity" usage:"velocity of the amplitudes and phases: exact or integrator"`
	Lambdas  []float64 `flag:"lambda" usage:"λ of the dual explicit method"`
	Sweep    float64   `flag:"sweep" usage:"duration T of the sweep, s"` // paper 003 does not say it
	Load     string    `flag:"load" usage:"masses that the sweep acts on: all, or top"`
}

var predictorsSuite = suite.Suite{
	Name:  "predictors",
	Short: "Displacement predictors for large time steps: amplitude and phase, and a sweep",
	Long: `Predictors of the displacement one main step Δt ahead (Zhu et al. 2014, section 3).

The first rows are Fig. 7: amplitude β and phase φ (by atan2, so without the jump of
the printed arctangent) of the prediction of a vibration exp(jωt) over ω Δt. Velocities
and accelerations are its exact derivatives, as its eq. 8 says; --velocity integrator
takes the velocity of the dual explicit integrator, (u[i+1] − u[i])/Δt, instead.

The others are Table 2: normalised root mean square error (eq. 12) of DOF1 of the
structure of its Table 1 under a sweep of 0.15 g from 0 to 10 Hz, sin(π f t²/T). The
dual explicit integrator with λ = 3 and Δt gives target, velocities and accelerations;
the first six main steps are left out. The duration T is not printed, and changes
little. The published values stand beside: the printed input does not lead to them,
and nothing is tuned to match. With the load on the top mass alone and a sweep of 10 s, which
the paper does not say, five of the six values are within 31 % (--load top --sweep 10).`,
	Example: `  rths benchmark predictors --out figures
  rths benchmark predictors --load top --sweep 10
  rths benchmark predictors --velocity integrator --json`,
	New: func() suite.Study { return newPredictors() },
}

// newPredictors has the λ of Fig. 7.
func newPredictors() *Predictors {
	return &Predictors{Velocity: "exact", Lambdas: []float64{3, 4, 11.5}, Sweep: 20, Load: "all"}
}

// table2Dropped is the number of first main steps that Table 2 leaves out: the dual explicit
// method needs five accelerations before. table2Lambda is λ of integrator and prediction.
const (
	table2Dropped = 6
	table2Lambda  = 3
)

// paper003Table2 is the NRMS error in percent at Δt = 20/2048 s and 40/2048 s.
var paper003Table2 = map[string][2]float64{
	"newmark-explicit": {6.74, 29.05},
	"poly3":            {1.03, 16.33},
	"dual-explicit":    {1.43, 9.44},
}

// predictorName is a method with its λ, nil where it has none.
type predictorName struct {
	Method string   `col:"method"`
	Lambda *float64 `col:"lambda"`
}

// String is the name in tables and plots.
func (p predictorName) String() string {
	if p.Lambda == nil {
		return p.Method
	}
	return fmt.Sprintf("%s λ=%g", p.Method, *p.Lambda)
}

// responseRow is a point of Fig. 7.
type responseRow struct {
	predictorName `col:"-"`
	OmegaDt       float64 `col:"omega_dt"`
	Amplitude     float64 `col:"amplitude"`
	Phase         float64 `col:"phase_rad"`
}

// nrmsRow is an entry of Table 2.
type nrmsRow struct {
	predictorName `col:"-"`
	Name          string   `print:"%s" head:"NRMS error, DOF1"`
	Dt            float64  `col:"dt" print:"%.8f" head:"Δt, s" draw:"part"`
	NRMS          float64  `col:"nrms_pct" print:"%.3f" head:"ours, %"`
	Published     *float64 `col:"published_nrms_pct,omitempty" print:"%.2f" head:"Zhu et al. 2014, %"`
}

// Run makes the rows of Fig. 7, then the rows of Table 2.
func (s *Predictors) Run(context.Context, suite.Lab) (*suite.Result, error) {
	responses, err := s.fig7()
	if err != nil {
		return nil, err
	}
	errors, err := s.table2()
	if err != nil {
		return nil, err
	}
	title := func(quantity string) string { return fmt.Sprintf("%s (velocity: %s)\n", quantity, s.Velocity) }
	rows := append(suite.List(responses), suite.List(errors)...)
	return &suite.Result{Suite: "predictors", Rows: rows, Tables: []suite.Table{
		{Before: title("amplitude"), Rows: sideBySide(responses, func(r responseRow) float64 { return r.Amplitude }),
			After: "\n"},
		{Before: title("phase, rad"), Rows: sideBySide(responses, func(r responseRow) float64 { return r.Phase }),
			After: "\n"},
		{Rows: suite.List(errors), After: fmt.Sprintf(`
sweep 0.15 g, 0 to 10 Hz in %g s, on %s; the first %d main steps left out; velocities and
accelerations of the integrator (λ = 3). The printed input does not lead to the
published values.
`, s.Sweep, map[string]string{"all": "all masses", "top": "the top mass"}[s.Load], table2Dropped)},
	}}, nil
}

// sideBySide has a row for each Ω and a column for each method.
func sideBySide(rows []responseRow, of func(responseRow) float64) []any {
	var out []any
	for i := 1; i <= responsePoints; i++ {
		row := record.Row{{Key: "ω Δt", V: float64(i) / 10}}
		for j := i - 1; j < len(rows); j += responsePoints {
			row.Put(rows[j].String(), of(rows[j]))
		}
		out = append(out, row)
	}
	return out
}

// responsePoints: Ω = 0.1, 0.2, … 1.4.
const responsePoints = 14

// fig7 is eq. 10 for all predictors, the dual explicit one with every λ, with the phase by
// atan2.
func (s *Predictors) fig7() ([]responseRow, error) {
	if s.Velocity != "exact" && s.Velocity != "integrator" {
		return nil, fmt.Errorf("--velocity %s: want exact or integrator", s.Velocity)
	}
	var out []responseRow
	for _, k := range integrate.Predictors {
		if k.Name == "none" {
			continue
		}
		methods := []integrate.Predictor{k.Defaults()}
		if k.Name == "dual-explicit" {
			methods = nil
			for _, lambda := range s.Lambdas {
				methods = append(methods, &integrate.DualExplicit{Lambda: lambda})
			}
		}
		for _, m := range methods {
			w, err := m.Weights()
			if err != nil {
				return nil, err
			}
			if s.Velocity == "integrator" {
				w = w.OwnVelocity()
			}
			for i := 1; i <= responsePoints; i++ {
				p := w.Response(float64(i) / 10)
				out = append(out, responseRow{nameOf(k.Name, m), float64(i) / 10, cmplx.Abs(p), cmplx.Phase(p)})
			}
		}
	}
	return out, nil
}

func nameOf(method string, p integrate.Predictor) predictorName {
	if d, ok := p.(*integrate.DualExplicit); ok {
		return predictorName{method, &d.Lambda}
	}
	return predictorName{Method: method}
}

// table2 is the NRMS error of every predictor at both main steps.
func (s *Predictors) table2() ([]nrmsRow, error) {
	if !(s.Sweep >= 1) || s.Sweep > 1e4 { // 1 s is 5 waves, and 51 main steps of the longer ones
		return nil, fmt.Errorf("sweep of %g s: want 1 to 1e4", s.Sweep)
	}
	if s.Load != "all" && s.Load != "top" {
		return nil, fmt.Errorf("--load %s: want all or top", s.Load)
	}
	var out []nrmsRow
	for column, samples := range []float64{20, 40} {
		for _, k := range integrate.Predictors {
			p := k.Defaults()
			if d, ok := p.(*integrate.DualExplicit); ok {
				d.Lambda = table2Lambda
			}
			if k.Name == "none" {
				continue
			}
			row := nrmsRow{predictorName: nameOf(k.Name, p), Dt: samples / 2048}
			row.Name = row.String()
			var err error
			if row.NRMS, err = s.nrms(p, row.Dt); err != nil {
				return nil, err
			}
			if published, ok := paper003Table2[k.Name]; ok {
				row.Published = &published[column]
			}
			out = append(out, row)
		}
	}
	return out, nil
}

// paper003Table1 is the structure of Table 1, its interface at DOF1, with the shares of the
// ground acceleration that its masses take.
func paper003Table1(influence []float64) (*structure.Partition, error) {
	whole, err := (&structure.Matrices{
		Influence: structure.Vector{Values: influence},
		Mass:      structure.Rows([][]float64{{1000, 0}, {0, 1000}}),
		Stiffness: structure.Rows([][]float64{{2e6, -1e6}, {-1e6, 1e6}}),
		Damping:   structure.Damping{Matrix: structure.Rows([][]float64{{4251.954, -1422}, {-1422, 2829.954}})},
	}).Make()
	if err != nil {
		return nil, err
	}
	return whole.Attach(0, 0)
}

// nrms is eq. 12 in percent for DOF1 under the sweep: the Gui method with the main step
// gives u, velocities and accelerations, and from these the prediction.
func (s *Predictors) nrms(p integrate.Predictor, dt float64) (float64, error) {
	part, err := paper003Table1(map[string][]float64{"top": {0, 1}}[s.Load])
	if err != nil {
		return 0, err
	}
	in, err := (&integrate.TwoRate{Steps: 1, Predictor: p}).Make(&integrate.Gui{Lambda: table2Lambda}, part, dt)
	if err != nil {
		return 0, err
	}
	ground := func(t float64) float64 { // 0.15 g, 0 to 10 Hz
		return 0.15 * 9.80665 * math.Sin(math.Pi*10*t*t/s.Sweep)
	}
	target, felt, state := rths.NewMotion(1), rths.NewReading(1, 1), in.(rths.NumericalState).State()
	var errors, motion float64
	for i := range int(s.Sweep/dt) + 1 {
		t := float64(i) * dt
		predicted := target.X[0] // at t
		in.Step(&target, []float64{ground(t), ground(t + dt/2), ground(t + dt)}, &felt)
		if u := state.X[0]; i >= table2Dropped {
			errors += (u - predicted) * (u - predicted)
			motion += u * u
		}
	}
	return 100 * math.Sqrt(errors/motion), nil
}

// Drawing is the usage of --out.
func (s *Predictors) Drawing() string {
	return "the diagrams of Fig. 7, predictors.png and predictors.svg, and the errors of Table 2"
}

// Draw draws amplitude and phase as Fig. 7 does, the phase followed on beyond ±π.
func (s *Predictors) Draw(dir string, r *suite.Result) ([]string, error) {
	amplitude := panels.Panel{X: "ω Δt", Y: "amplitude β", Box: [4]float64{0.1, 1.4, 0, 3}}
	phase := panels.Panel{X: "ω Δt", Y: "phase φ, rad"}
	for _, row := range r.Rows {
		p, ok := row.(responseRow)
		if !ok {
			continue
		}
		if n := len(amplitude.Lines); n == 0 || amplitude.Lines[n-1].Name != p.String() {
			l := panels.Line{Name: p.String(), Colour: plotting.Orders[n%len(plotting.Orders)],
				Dashed: !strings.HasPrefix(p.Method, "dual")}
			amplitude.Lines = append(amplitude.Lines, l)
			l.Name = "" // one legend is enough
			phase.Lines = append(phase.Lines, l)
		}
		for _, to := range []struct {
			panel *panels.Panel
			y     float64
		}{{&amplitude, p.Amplitude}, {&phase, p.Phase}} {
			l := &to.panel.Lines[len(to.panel.Lines)-1]
			l.X, l.Y = append(l.X, p.OmegaDt), append(l.Y, to.y)
		}
	}
	for i := range phase.Lines {
		phase.Lines[i].Y = unwrapped(phase.Lines[i].Y)
	}
	files, err := panels.Draw(dir, "predictors", "predicted over true vibration, velocity: "+s.Velocity,
		[]panels.Panel{amplitude, phase})
	if err != nil {
		return files, err
	}
	more, err := r.DrawTables(dir)
	return append(files, more...), err
}

// unwrapped continues a phase without the jumps of atan2.
func unwrapped(phase []float64) []float64 {
	out := slices.Clone(phase)
	for i := 1; i < len(out); i++ {
		out[i] -= 2 * math.Pi * math.Round((out[i]-out[i-1])/(2*math.Pi))
	}
	return out
}
