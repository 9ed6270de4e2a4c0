package criteria

import (
	"fmt"
	"math"

	"rths"
	"rths/maths/signal"
)

// Periods of the floor spectra: from 0.02 to 5 s, 100 per decade: the peak of a
// steady resonance with 5 % damping is then met within 3 %.
const (
	shortestS  = 0.02
	longestS   = 5
	perDecade  = 100
	leastSteps = 40 // per period: a peak between samples is then missed by at most 1 − cos(π/40) = 0.3 %
)

// Periods lists the periods of a floor spectrum of motions sampled at the rate, s.
func Periods(rateHz float64) []float64 {
	var out []float64
	last := math.Log10(longestS / shortestS)
	n := math.Ceil(perDecade * last)
	for i := range int(n) + 1 {
		if t := shortestS * math.Pow(10, last*float64(i)/n); t*rateHz >= leastSteps {
			out = append(out, t)
		}
	}
	return out
}

// FloorSpectra are the response spectra of the absolute floor accelerations: the
// pseudo-acceleration of equipment on the floor over its period T. The oscillators run
// with the test, at its rate, without storing the motion, and take about two microseconds
// a tick for each floor.
//
// Like Floors it is for structures whose degrees of freedom are floors.
type FloorSpectra struct {
	Damping float64 // damping ratio of the oscillators
	periods []float64
	floors  []*signal.Oscillators
	begun   bool
}

// FloorSpectraKeys are the keys of FloorSpectra.
type FloorSpectraKeys struct {
	On      bool    `yaml:"floor_spectra" doc:"response spectra of the absolute floor accelerations, 0.02 to 5 s"`
	Damping float64 `yaml:"spectrum_damping" doc:"damping ratio of the floor spectra, 0 or more, below 1"`
}

// Make makes FloorSpectra of a building.
func (k *FloorSpectraKeys) Make(at At) ([]Criterion, error) {
	if !(k.Damping >= 0 && k.Damping < 1) {
		return nil, fmt.Errorf("spectrum_damping %g: want 0 or more, below 1", k.Damping)
	}
	if !k.On {
		return nil, nil
	}
	building, err := at.Building()
	if err != nil {
		return nil, err
	}
	spectra, err := NewFloorSpectra(at.StepHz, k.Damping, len(building.Stiffness))
	return []Criterion{spectra}, err
}

// NewFloorSpectra makes the spectra of n floors for oscillators of the damping
// ratio.
func NewFloorSpectra(rateHz, ratio float64, n int) (*FloorSpectra, error) {
	r := &FloorSpectra{Damping: ratio, periods: Periods(rateHz)}
	if len(r.periods) == 0 {
		return nil, fmt.Errorf("floor spectra at %g Hz: want a rate of at least %g Hz, 40 samples in %g s", rateHz,
			leastSteps/float64(longestS), float64(longestS))
	}
	for range n {
		o, err := signal.NewOscillators(1/rateHz, ratio, r.periods)
		if err != nil {
			return nil, err
		}
		r.floors = append(r.floors, o)
	}
	return r, nil
}

// UsesRates: accelerations of the numerical part.
func (r *FloorSpectra) UsesRates() {}

// UsesNumerical: the numerical part is set against others of its instant.
func (*FloorSpectra) UsesNumerical() {}

// Observe advances the oscillators; the tick that failed is left out.
func (r *FloorSpectra) Observe(f *rths.Frame) {
	if f.Err != nil {
		return
	}
	for i, o := range r.floors {
		a := f.Num.A[i] + f.Ground[0]
		if r.begun {
			o.Step(a)
		} else {
			o.Start(a)
		}
	}
	r.begun = true
}

// Spectrum is the periods (s) and the pseudo-accelerations (m/s²) of a floor
// (from 0).
func (r *FloorSpectra) Spectrum(floor int) (periods, sa []float64) {
	sa = make([]float64, len(r.periods))
	r.floors[floor].Peaks(sa)
	return r.periods, sa
}

// Floors is how many there are.
func (r *FloorSpectra) Floors() int { return len(r.floors) }

// Summary is the peak of each floor's spectrum and its period.
func (r *FloorSpectra) Summary() []rths.Value {
	var out []rths.Value
	for i := range r.floors {
		periods, sa := r.Spectrum(i)
		top := 0
		for j, v := range sa {
			if v > sa[top] {
				top = j
			}
		}
		out = append(out,
			rths.Value{Meaning: rths.Meaning{Quantity: "Sa", Floor: i + 1}, Unit: "m/s²", V: sa[top],
				Doc: fmt.Sprintf("peak of the response spectrum of floor %d, pseudo-acceleration", i+1)},
			rths.Value{Meaning: rths.Meaning{Quantity: "Sa_period", Floor: i + 1}, Unit: "s", V: periods[top],
				Doc: fmt.Sprintf("period of the peak of the response spectrum of floor %d", i+1)})
	}
	return ofFamily("floor_spectra", out)
}

// Decaying is the oscillators.
func (r *FloorSpectra) Decaying() []rths.Stateful { return []rths.Stateful{r} }

// VisitState visits the motion and the peaks of all oscillators.
func (r *FloorSpectra) VisitState(v *rths.StateVisitor) {
	v.Bool(&r.begun)
	for _, o := range r.floors {
		v.State(o)
	}
}
