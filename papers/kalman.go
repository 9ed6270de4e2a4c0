package papers

import (
	"context"
	"fmt"
	"math"

	"rths/compensate"
	"rths/plant"
	"rths/scenario"
)

// Kalman describes the study of paper 002, section 4: Kalman-filter compensation of a
// second-order plant under swept sines, and how far its result depends on where the
// filter starts (x0, P0) and on the noise it is told of (R).
type Kalman struct {
	Workers  int
	Progress func(done int)
}

// kalmanRun is one sweep.
type kalmanRun struct {
	quantity string // that the factor is on: x0, P0 or R
	factor   float64
	stopHz   float64
	delayMS  float64 // left, between samples
	rmse     float64 // %
	x        [3]float64
}

// KalmanQuantities are varied in turn.
var KalmanQuantities = []string{"x0", "P0", "R"}

// kalmanStops are the stop frequencies of section 4.3, Hz.
var kalmanStops = []float64{10, 20, 30}

// Runs is their number.
func (s *Kalman) Runs() int { return len(kalmanRuns()) }

// Run runs the study.
func (s *Kalman) Run(ctx context.Context) (*Suite, error) {
	runs := kalmanRuns()
	if err := parallel(ctx, s.Workers, len(runs), s.Progress, func(i int) error { return runs[i].run() }); err != nil {
		return nil, err
	}
	return &Suite{Name: "kalman", Rows: kalmanRows(runs)}, nil
}

// kalmanRuns are 13 factors for each quantity and stop frequency.
func kalmanRuns() []*kalmanRun {
	var runs []*kalmanRun
	for _, quantity := range KalmanQuantities {
		for i := range ningFactors {
			for _, stop := range kalmanStops {
				runs = append(runs, &kalmanRun{quantity: quantity, factor: ningFactor(i), stopHz: stop})
			}
		}
	}
	return runs
}

// ningFactors is the number of factors Wf of section 4.3: 0.7, 0.75, … 1.3.
const ningFactors = 13

func ningFactor(i int) float64 { return float64(70+5*i) / 100 }

func (r *kalmanRun) run() error {
	factor := map[string]float64{"x0": 1, "P0": 1, "R": 1}
	factor[r.quantity] = r.factor
	run, err := ningSweep(r.stopHz, factor["x0"], factor["P0"], factor["R"])
	if err != nil {
		return err
	}
	if err := run.Loop.Run(0, nil); err != nil {
		return err
	}
	summary, parameters := run.Summary(), run.Parameters()
	r.delayMS, r.rmse = value(summary, "delay_ms"), value(summary, "J2_pct")
	for i := range r.x {
		r.x[i] = value(parameters, fmt.Sprintf("x%d", i+1))
	}
	return nil
}

func kalmanRows(runs []*kalmanRun) []Row {
	lumped, held := ningTrueParameters(), ningHeldParameters()
	var rows []Row
	for _, r := range runs {
		row := Row{
			{"quantity", r.quantity}, {"factor", r.factor}, {"stop_hz", r.stopHz}, {"delay_ms", r.delayMS}, {"rmse_pct", r.rmse},
			{"x1", r.x[0]}, {"x2", r.x[1]}, {"x3", r.x[2]},
			{"off_lumped_pct", farthest(r.x, lumped)}, {"off_held_pct", farthest(r.x, held)},
		}
		if r.quantity == "x0" {
			row = append(row, Cell{"published_delay_ms", paper002Table4(r.factor, r.stopHz)})
		}
		rows = append(rows, row)
	}
	return rows
}

// farthest is the largest distance of a parameter from another one, in percent of it.
func farthest(x, from [3]float64) float64 {
	worst := 0.0
	for i, want := range from {
		worst = max(worst, 100*math.Abs(x[i]/want-1))
	}
	return worst
}

// ningSweep is a run of paper 002 section 4: the second-order plant under a sweep
// of 100 mm from 0.1 Hz, compensated with three taps one sample apart; Wf are the
// factors on x0, P0 and R. The noise is not stated, and none is in it.
func ningSweep(stopHz, x0, p0, r float64) (*scenario.Run, error) {
	text := `name: sweep
rate_hz: 4096
loop: open
timing: {target: next}
target: {kind: sweep, from_hz: 0.1, amplitude_m: 0.1, duration_s: 10}
specimen: {kind: linear}
transfer: {kind: second-order}
compensator: {kind: kf, spacing: 1, filter_hz: 0, freeze_below_m: 0}
limits: none
`
	x := []float64{0.5817e4 * x0, -1.152e4 * x0, 0.5704e4 * x0}
	s, err := scenario.Parse("section 4", []byte(text), ".", []string{
		fmt.Sprintf("target.to_hz=%g", stopHz), fmt.Sprintf("compensator.x0=[%g, %g, %g]", x[0], x[1], x[2]),
		// P0 = diag((qf x_i)²) with qf = 0.1, whatever the factor on x0.
		fmt.Sprintf("compensator.qf=%g", 0.1*math.Sqrt(p0)/x0), fmt.Sprintf("compensator.r_mm2=%g", 0.001*r),
	})
	if err != nil {
		return nil, err
	}
	run, err := s.Build(scenario.Options{})
	if err != nil {
		return nil, err
	}
	return run, nil
}

// ningTrueParameters are those of the held plant ω = 50, ζ = 0.8 at 4096 Hz with
// numerator lumped: [1, a1, a2]/(1 + a1 + a2), the poles e^{−ζωh ± jω_d h}. That is what
// the paper calls true (errata 002.2).
func ningTrueParameters() [3]float64 {
	const w, zeta, h = 50.0, 0.8, 1.0 / 4096
	r := math.Exp(-zeta * w * h)
	a1 := -2 * r * math.Cos(w*math.Sqrt(1-zeta*zeta)*h)
	sum := 1 + a1 + r*r
	return [3]float64{1 / sum, a1 / sum, r * r / sum}
}

// ningHeldParameters are those of the three-parameter model closest to the held plant in
// slow motion: its inverse series to s², with the hold and the lead of a sample. The
// numerator of the held plant, b1 c[k+1] + b2 c[k] with b1 ≈ b2, is a command half a
// sample before the one the lumped model puts it at. The s² term, which the
// parameters are in proportion to, is 1/ω² − (2ζ/ω)(h/2), lumped 1/ω² − (2ζ/ω)h: 1 % less.
func ningHeldParameters() [3]float64 {
	second := &plant.SecondOrder{Omega: 50, DampingRatio: 0.8, Gain: 1}
	m := &compensate.ADM{Q: 3, Initial: "bare-transfer", History: "target", Spacing: 1, Forgetting: 1}
	if _, err := m.Make(compensate.At{RateHz: 4096, Lead: 1, BareInverse: second.BareInverse}); err != nil {
		panic(err) // our own numbers
	}
	return [3]float64(m.Theta0)
}

// paper002Table4 is the delay left, ms, for a factor on x0 and a stop frequency.
func paper002Table4(factor, stopHz float64) float64 {
	if factor < 0.975 || factor < 1.025 && stopHz < 25 {
		return 0.2
	}
	return 0.1
}

// farthestParameter is the largest distance of a parameter from its true value,
// in percent of it.
func farthestParameter(run *scenario.Run) float64 {
	var x [3]float64
	for i := range x {
		x[i] = value(run.Parameters(), fmt.Sprintf("x%d", i+1))
	}
	return farthest(x, ningTrueParameters())
}
