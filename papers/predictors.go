package papers

import (
	"fmt"
	"math"
	"math/cmplx"

	"rths"
	"rths/integrate"
	"rths/structure"
)

// Predictors describes the suite of displacement predictors (paper 003, section 3):
// amplitude and phase over Ω = ω Δt (Fig. 7), and the structure of two degrees of
// freedom under a sweep (Table 2).
type Predictors struct {
	Lambdas     []float64 // of the dual explicit method in Fig. 7
	OwnVelocity bool      // Fig. 7 with the integrator's velocity in place of the exact one
	Sweep       float64   // duration of the sweep, s
}

// PublishedLambdas are those of Fig. 7.
var PublishedLambdas = []float64{3, 4, 11.5}

// PredictorSweep is the duration of the sweep, which paper 003 does not say.
const PredictorSweep = 20

// PredictorsDropped are the first main steps of the sweep, which Table 2 is taken
// without: the dual explicit method has not five accelerations before.
const PredictorsDropped = 6

// table2Lambda is λ of the integrator and of the prediction in Table 2.
const table2Lambda = 3

// paper003Table2 is the NRMS error in percent at Δt = 20/2048 s and 40/2048 s.
var paper003Table2 = map[string][2]float64{
	"newmark-explicit": {6.74, 29.05},
	"poly3":            {1.03, 16.33},
	"dual-explicit":    {1.43, 9.44},
}

// Run makes the rows of Fig. 7, then those of Table 2.
func (s *Predictors) Run() (*Suite, error) {
	if !(s.Sweep >= 1) || s.Sweep > 1e4 { // 1 s is 5 waves, and 51 main steps of the longer ones
		return nil, fmt.Errorf("benchmark predictors: sweep of %g s: want 1 to 1e4", s.Sweep)
	}
	out := &Suite{Name: "predictors"}
	for _, m := range s.methods() {
		rows, err := s.response(m)
		if err != nil {
			return nil, fmt.Errorf("benchmark predictors: %w", err)
		}
		out.Rows = append(out.Rows, rows...)
	}
	for i, samples := range []int{20, 40} {
		rows, err := s.table2(float64(samples)/2048, i)
		if err != nil {
			return nil, fmt.Errorf("benchmark predictors: %w", err)
		}
		out.Rows = append(out.Rows, rows...)
	}
	return out, nil
}

// method is a predictor with its λ, nil where it has none.
type method struct {
	name      string
	lambda    any
	predictor integrate.Predictor
}

// methods are all predictors, the dual explicit one with every λ.
func (s *Predictors) methods() []method {
	var out []method
	for _, k := range integrate.Predictors {
		switch k.Name {
		case "none":
		case "dual-explicit":
			for _, lambda := range s.Lambdas {
				out = append(out, method{k.Name, lambda, &integrate.DualExplicit{Lambda: lambda}})
			}
		default:
			out = append(out, method{k.Name, nil, k.Defaults()})
		}
	}
	return out
}

// response is eq. 10 at Ω = 0.1, 0.2, … 1.4, with the phase by atan2.
func (s *Predictors) response(m method) ([]Row, error) {
	w, err := m.predictor.Weights()
	if err != nil {
		return nil, err
	}
	if s.OwnVelocity {
		w = w.OwnVelocity()
	}
	var rows []Row
	for i := 1; i <= 14; i++ {
		big := float64(i) / 10
		p := w.Response(big)
		rows = append(rows, Row{{"method", m.name}, {"lambda", m.lambda}, {"omega_dt", big}, {"amplitude", cmplx.Abs(p)}, {"phase_rad", cmplx.Phase(p)}})
	}
	return rows, nil
}

// table2 is the NRMS error of every predictor at one main step; column is that
// of the published table.
func (s *Predictors) table2(dt float64, column int) ([]Row, error) {
	var rows []Row
	for _, k := range integrate.Predictors {
		if k.Name == "none" {
			continue
		}
		p, lambda := k.Defaults(), any(nil)
		if d, ok := p.(*integrate.DualExplicit); ok {
			d.Lambda, lambda = table2Lambda, float64(table2Lambda)
		}
		e, err := s.nrms(p, dt)
		if err != nil {
			return nil, err
		}
		row := Row{{"method", k.Name}, {"lambda", lambda}, {"dt", dt}, {"nrms_pct", e}}
		if published, ok := paper003Table2[k.Name]; ok {
			row = append(row, Cell{"published_nrms_pct", published[column]})
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// paper003Table1 is the structure of Table 1, its interface at DOF1.
func paper003Table1() (*structure.Partition, error) {
	whole, err := (&structure.Matrices{
		Mass:      [][]float64{{1000, 0}, {0, 1000}},
		Stiffness: [][]float64{{2e6, -1e6}, {-1e6, 1e6}},
		Damping:   structure.Damping{Matrix: [][]float64{{4251.954, -1422}, {-1422, 2829.954}}},
	}).Make()
	if err != nil {
		return nil, err
	}
	return whole.Attach(0, 0)
}

// nrms is eq. 12 in percent for DOF1 under the sweep: u of the Gui method with the
// main step, and what is predicted from it, with the method's own velocities and
// accelerations.
func (s *Predictors) nrms(p integrate.Predictor, dt float64) (float64, error) {
	part, err := paper003Table1()
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
	target, felt, state := rths.NewMotion(1), rths.NewReading(1, 1), in.(rths.Shower).State()
	var errors, motion float64
	for i := range int(s.Sweep/dt) + 1 {
		t := float64(i) * dt
		predicted := target.X[0] // at t
		in.Step(&target, []float64{ground(t), ground(t + dt/2), ground(t + dt)}, &felt)
		if u := state.X[0]; i >= PredictorsDropped {
			errors += (u - predicted) * (u - predicted)
			motion += u * u
		}
	}
	return 100 * math.Sqrt(errors/motion), nil
}
