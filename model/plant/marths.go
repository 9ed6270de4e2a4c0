package plant

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
)

// MaRTHS is the loading system of the multi-axial RTHS benchmark: two actuators with
// their inner controllers on the frame specimen, identified together
// (docs/reference/benchmark-multiaxial.md, Control plant). With F = (s + f)² + d² (frequencies in
// Hz, times 2π)
//
//	x₁/u₁ = g₁₁ (s + z₁)(s + z₂)/[(s + p₁)(s + p₂) F]   x₁/u₂ = g₁₂ (s + z₁₂)/[(s + p₃)(s + p₄) F]
//	x₂/u₁ = g₂₁ (s + z₁)(s + z₂)/[(s + p₁)(s + p₂) F]   x₂/u₂ = g₂₂ (s + z₂₂)/[(s + p₃)(s + p₄) F]
//
// Eight states are enough: each command has one chain of four, read by both
// actuators. The plant has the specimen inside; FrameSpecimen computes its forces.
// Commands and displacements are the actuators', in m.
type MaRTHS struct {
	Zeros1 []float64 `yaml:"zeros_1_hz" doc:"zeros z₁, z₂ of command 1, Hz, as positive numbers (left half plane)"`
	Poles1 []float64 `yaml:"poles_1_hz" doc:"poles p₁, p₂ of command 1, Hz"`
	Zero12 float64   `yaml:"zero_12_hz" doc:"zero z₁₂ of command 2 to actuator 1, Hz"`
	Zero22 float64   `yaml:"zero_22_hz" doc:"zero z₂₂ of command 2 to actuator 2, Hz"`
	Poles2 []float64 `yaml:"poles_2_hz" doc:"poles p₃, p₄ of command 2, Hz"`
	Frame  []float64 `yaml:"frame_pole_hz" doc:"the pole pair of the frame, Hz: decay f and frequency d"`
	Gain11 float64   `yaml:"gain_11" doc:"g₁₁, (rad/s)²"`
	Gain21 float64   `yaml:"gain_21" doc:"g₂₁, (rad/s)²"`
	Gain12 float64   `yaml:"gain_12" doc:"g₁₂, (rad/s)³"`
	Gain22 float64   `yaml:"gain_22" doc:"g₂₂, (rad/s)³"`
	Draws  []float64 `yaml:"draws,omitempty" doc:"a perturbed plant: 9 draws of a standard normal variable, for z₁, z₂, p₁, p₂, frame, z₁₂, p₃, p₄, z₂₂; compensators are designed on the plant without them"`
	Rating `yaml:",inline"`
}

func marthsPlant() *MaRTHS {
	return &MaRTHS{
		Zeros1: []float64{120, 90}, Poles1: []float64{2.65, 40}, Zero12: 3, Zero22: 5, Poles2: []float64{3.5, 18.5},
		Frame:  []float64{50, 63},
		Gain11: 2165.2, Gain21: 349.95, Gain12: 4.5394e6, Gain22: 1.9238e7,
	}
}

// marthsScatter are the relative standard deviations of poles and zeros in the
// package's order of draws.
var marthsScatter = []float64{0.055, 0.055, 0.06, 0.06, 0.05, 0.03, 0.03, 0.03, 0.03}

// Perturb draws the plant of a trial: each pole and zero times 1 + σ N(0,1), one
// factor for both parts of the frame's pole, static gains kept.
func (p *MaRTHS) Perturb(normal func() float64) {
	p.Draws = make([]float64, len(marthsScatter))
	for i := range p.Draws {
		p.Draws[i] = normal()
	}
}

// Axes are the actuators.
func (*MaRTHS) Axes() int { return 2 }

// Make makes the plant, held exactly over each sample.
func (p *MaRTHS) Make(at At) (Plant, error) {
	s, err := p.scattered().system()
	if err != nil {
		return nil, err
	}
	return newHeldAxes(s, 1/at.RateHz, []float64{0, 0})
}

// Model is the plant as it is made: commands to displacements of the actuators.
// The specimen is inside.
func (p *MaRTHS) Model(Specimen) (Model, error) {
	s, err := p.scattered().system()
	if err != nil {
		return Model{}, err
	}
	return s.model(nil)
}

// Nominal is the plant without the scatter of a trial.
func (p *MaRTHS) Nominal() (Model, error) {
	nominal := *p
	nominal.Draws = nil
	return nominal.Model(nil)
}

// scattered applies the draws, and scales the gains to keep static gains.
func (p *MaRTHS) scattered() *MaRTHS {
	if len(p.Draws) != len(marthsScatter) || p.check() != nil {
		return p
	}
	q := *p
	q.Draws = nil
	q.Zeros1, q.Poles1, q.Poles2, q.Frame = slices.Clone(p.Zeros1), slices.Clone(p.Poles1), slices.Clone(p.Poles2),
		slices.Clone(p.Frame)
	f := func(i int) float64 { return 1 + marthsScatter[i]*p.Draws[i] }
	for i, v := range []*float64{&q.Zeros1[0], &q.Zeros1[1], &q.Poles1[0], &q.Poles1[1], &q.Frame[0], &q.Zero12,
		&q.Poles2[0], &q.Poles2[1], &q.Zero22} {
		*v *= f(i)
	}
	q.Frame[1] *= f(4)
	pole1 := f(2) * f(3) * f(4) * f(4) // static gains fall by this much
	pole2 := f(6) * f(7) * f(4) * f(4)
	q.Gain11 *= pole1 / (f(0) * f(1))
	q.Gain21 *= pole1 / (f(0) * f(1))
	q.Gain12 *= pole2 / f(5)
	q.Gain22 *= pole2 / f(8)
	return &q
}

func (p *MaRTHS) check() error {
	for _, l := range []struct {
		key string
		v   []float64
		n   int
	}{{"zeros_1_hz", p.Zeros1, 2}, {"poles_1_hz", p.Poles1, 2}, {"poles_2_hz", p.Poles2, 2},
		{"frame_pole_hz", p.Frame, 2}} {
		if len(l.v) != l.n {
			return fmt.Errorf("marths transfer system: %d numbers in %s: want %d", len(l.v), l.key, l.n)
		}
	}
	if n := len(p.Draws); n != 0 && n != len(marthsScatter) {
		return fmt.Errorf("marths transfer system: %d draws: want none or %d", n, len(marthsScatter))
	}
	for _, v := range slices.Concat(p.Zeros1, p.Poles1, p.Poles2, p.Frame, p.Draws,
		[]float64{p.Zero12, p.Zero22, p.Gain11, p.Gain21, p.Gain12, p.Gain22}) {
		if !rths.Finite(v) {
			return fmt.Errorf("marths transfer system: it holds %g: want finite numbers", v)
		}
	}
	for _, v := range []float64{p.Poles1[0], p.Poles1[1], p.Poles2[0], p.Poles2[1], p.Frame[0]} {
		if !(v > 0) {
			return fmt.Errorf(
				"marths transfer system: unstable, a pole of %g Hz (in trial plants: after its draw): want more than 0", v)
		}
	}
	return nil
}

// marthsW0 scales time in the chains, so that their states are of one size: a chain
// ζ' = w₀ ζ₊ of derivatives over w₀ (rad/s).
const marthsW0 = 300

// system is two companion chains; the first state of each is of unit static gain.
func (p *MaRTHS) system() (*system, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	const n, hz = 4, 2 * math.Pi
	frame := []float64{1, 2 * hz * p.Frame[0], hz * hz * (p.Frame[0]*p.Frame[0] + p.Frame[1]*p.Frame[1])}
	factor := func(f float64) []float64 { return []float64{1, hz * f} }
	den := [][]float64{
		lti.PolyMul(lti.PolyMul(factor(p.Poles1[0]), factor(p.Poles1[1])), frame),
		lti.PolyMul(lti.PolyMul(factor(p.Poles2[0]), factor(p.Poles2[1])), frame),
	}
	zeros := lti.PolyMul(factor(p.Zeros1[0]), factor(p.Zeros1[1]))
	num := [2][2][]float64{ // [command][displacement]
		{lti.PolyMul([]float64{p.Gain11}, zeros), lti.PolyMul([]float64{p.Gain21}, zeros)},
		{lti.PolyMul([]float64{p.Gain12}, factor(p.Zero12)), lti.PolyMul([]float64{p.Gain22}, factor(p.Zero22))},
	}
	s := &system{a: mat.NewDense(2*n, 2*n, nil), b: mat.NewDense(2*n, 2, nil),
		x: [][]float64{make([]float64, 2*n+2), make([]float64, 2*n+2)}}
	for chain, d := range den {
		at, last := chain*n, chain*n+n-1
		for i := range n - 1 {
			s.a.Set(at+i, at+i+1, marthsW0)
		}
		for i := range n { // d in descending powers: d[n−i] belongs to sⁱ
			s.a.Set(last, at+i, -d[n-i]/math.Pow(marthsW0, float64(n-1-i)))
		}
		s.b.Set(last, chain, d[n]/math.Pow(marthsW0, n-1))
		for out, poly := range num[chain] {
			for i := range poly { // of sⁱ
				s.x[out][at+i] = poly[len(poly)-1-i] * math.Pow(marthsW0, float64(i)) / d[n]
			}
		}
	}
	return s, nil
}
