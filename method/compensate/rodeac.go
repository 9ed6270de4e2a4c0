package compensate

import (
	"errors"
	"fmt"

	"rths"
	"rths/method/identify"
)

// RoDeAC is robust decentralised adaptive compensation as the package of the
// multi-axial benchmark has it (FermandoisLab/maRTHS-bmk-RoDeAC): every actuator its own
// inverse of taps one sample apart, straight on the plant and blind to the coupling,
//
//	u[k] = θ₁ t[k] + θ₂ t[k−1] + θ₃ t[k−2] + θ₄ t[k−3]
//
// with θ by recursive least squares without forgetting, of the filtered command on the
// filtered measurement: adm with p = 0 and the target's history on each actuator.
//
// The package computes u(k) with θ(k), which depends on u(k) through the filter's first
// coefficient (1e-5). Here u(k) uses θ(k−1).
//
// The package calibrates P(0) in metres and uses it in millimetres, so P(0) is a million
// times too large: θ follows the data at once, the noise of the readings first. With a
// consistent P(0)/1e6 adaptation is too slow for the benchmark. The key p0 takes either.
type RoDeAC struct {
	Theta0       [][]float64 `yaml:"theta0,omitempty" doc:"θ(0) of every actuator, 1 to 8 numbers each, the same number for all; default: the benchmark's package, further actuators as the second"`
	P0           [][]float64 `yaml:"p0,omitempty" doc:"P(0) of every actuator, 1/m²: one number, the diagonal, or all rows in turn; default: the benchmark's package"`
	Forgetting   float64     `yaml:"forgetting" doc:"forgetting factor λ per sample, at most 1"`
	FilterOrder  int         `yaml:"filter_order" doc:"order of the Butterworth low-pass on command and measurement of the regression"`
	FilterHz     float64     `yaml:"filter_hz" doc:"its cutoff, Hz; 0: no filter"`
	SuspendBelow float64     `yaml:"suspend_below_m" doc:"no update while the filtered measurement is smaller, m; 0: always update"`
}

// rodeacDefaults has the settings of the benchmark's package.
func rodeacDefaults() *RoDeAC { return &RoDeAC{Forgetting: 1, FilterOrder: 4, FilterHz: 20} }

// rodeacTheta0 and rodeacP0 are the initial parameters of both actuators in the
// benchmark's package, P0 in 1/mm².
var (
	rodeacTheta0 = [2][]float64{
		{5.414703531415922, 1.962806653915435, -1.5048252596678648, -4.957763803987514},
		{6.058172628218169, 2.1998157465448687, -1.6745976342164963, -5.538499858188244},
	}
	rodeacP0 = [2][]float64{
		{
			83906.42815747605, -45046.00810957712, -27999.32600478411, -10761.293403738875,
			-45046.00810957712, 106712.78321277935, -33590.12199030656, -27999.85520077352,
			-27999.32600478411, -33590.12199030656, 106712.89471242572, -45046.64880621686,
			-10761.293403738875, -27999.85520077352, -45046.64880621686, 83907.59945955544,
		},
		{
			64773.00944011183, -51448.243763745406, -21629.930497948848, 8337.191457832922,
			-51448.243763745406, 104560.93549403193, -31474.353558888834, -21630.104009299863,
			-21629.930497948848, -31474.353558888834, 104561.22622571289, -51448.70807688673,
			8337.191457832922, -21630.104009299863, -51448.70807688673, 64773.647579071796,
		},
	}
)

// Make resolves the starting points.
func (p *RoDeAC) Make(at At) (rths.Compensator, error) {
	p.start(at)
	if len(p.Theta0) == 0 {
		return nil, errors.New("rodeac: theta0 is empty: want the taps of each actuator")
	}
	taps := len(p.Theta0[0])
	if taps < 1 || taps > identify.MaxOrder {
		return nil, fmt.Errorf("rodeac: %d numbers in theta0 of actuator 1: want 1 to %d", taps, identify.MaxOrder)
	}
	c, err := admOnEach(at, p.Theta0, p.P0, ADM{
		P: 0, Q: taps, Initial: "given", History: "target", Spacing: 1,
		Forgetting: p.Forgetting, FilterOrder: p.FilterOrder, FilterHz: p.FilterHz, SuspendBelow: p.SuspendBelow,
	})
	if err != nil {
		return nil, fmt.Errorf("rodeac: %w", err)
	}
	return c, nil
}

// ManyAxes: any number of actuators.
func (*RoDeAC) ManyAxes() {}

func (p *RoDeAC) start(at At) {
	theta, p0 := p.Theta0 == nil, p.P0 == nil
	for i := range max(at.Axes, 1) {
		like := min(i, len(rodeacTheta0)-1)
		if theta {
			p.Theta0 = append(p.Theta0, rodeacTheta0[like])
		}
		if p0 {
			p.P0 = append(p.P0, perSquareMetre(rodeacP0[like]))
		}
	}
}

// perSquareMetre takes 1/mm².
func perSquareMetre(p []float64) []float64 {
	out := make([]float64, len(p))
	for i, v := range p {
		out[i] = 1e6 * v
	}
	return out
}

// PlantModel is one actuator's identified x_m/u as a frequency response.
func (p *RoDeAC) PlantModel(rateHz float64, parameters []float64) func(hz float64) complex128 {
	if p.Theta0 == nil {
		return nil
	}
	return (&ADM{Q: len(p.Theta0[0]), Spacing: 1}).PlantModel(rateHz, parameters)
}
