package criteria

import (
	"fmt"
	"math"

	"rths"
)

// Building describes a structure whose degrees of freedom are floors, counted from the
// ground.
type Building struct {
	Stiffness []float64 // Σ_i K_N[i][j], N/m: the numerical part's force on the ground for a displacement of each floor
	Damping   []float64 // Σ_i C_N[i][j], N·s/m
	Specimen  int       // floor of the specimen, from 0
	Mass      float64   // of the specimen, kg
}

// Floors is the response of the floors as a designer wants it: absolute
// accelerations ẍ + a_g, inter-storey drifts x_i − x_i−1, and the base shear
//
//	V = 1ᵀ(K_N x + C_N ẋ) + f − m_e ẍ_e
//
// of numerical part and specimen. f is the force that the integrator used (delayed, with
// sensor noise); the specimen's inertia m_e ẍ_e does not reach the ground. Without
// external forces V = −Σ m_i (ẍ_i + a_g) over the whole structure. In an open loop f is 0
// and V belongs to the numerical part alone.
//
// A specimen that hangs on its floor (a tuned mass damper) counts as if it stood on the
// ground: subtract f from V there. Not for structures with degrees of freedom that are no
// floors in the direction of the ground motion.
type Floors struct {
	of       Building
	values   []float64 // accelerations, drifts, base shear of the present tick
	n        int       // floors
	tally    tally
	channels []rths.Channel
}

// FloorsKeys are the keys of Floors.
type FloorsKeys struct {
	On bool `yaml:"floors" doc:"absolute floor accelerations, inter-storey drifts and base shear, as channels with peaks and rms"`
}

// Make makes Floors of a building.
func (k *FloorsKeys) Make(at At) ([]Criterion, error) {
	if !k.On {
		return nil, nil
	}
	building, err := at.Building()
	if err != nil {
		return nil, err
	}
	return []Criterion{NewFloors(building)}, nil
}

// NewFloors judges a building of as many floors as it has stiffnesses.
func NewFloors(of Building) *Floors {
	n := len(of.Stiffness)
	r := &Floors{of: of, n: n, values: make([]float64, 2*n+1), tally: newTally(2*n + 1)}
	for i := range n {
		of := rths.Meaning{Quantity: FloorAcceleration, Floor: i + 1}
		r.channels = append(r.channels, rths.Channel{Name: of.NameIn(""), Meaning: of, Unit: "m/s²", V: &r.values[i]})
	}
	for i := range n {
		of := rths.Meaning{Quantity: Drift, Floor: i + 1}
		r.channels = append(r.channels, rths.Channel{Name: drift(i), Meaning: of, Unit: "m", V: &r.values[n+i]})
	}
	shear := rths.Meaning{Quantity: BaseShear}
	r.channels = append(r.channels, rths.Channel{Name: shear.NameIn(""), Meaning: shear, Unit: "N", V: &r.values[2*n]})
	return r
}

// Quantities of the channels of Floors, whose units stand beside their names.
const (
	FloorAcceleration = "acc"
	Drift             = "drift"
	BaseShear         = "base_shear"
)

// drift is what names of the drift of storey i, from 0, begin with.
func drift(i int) string { return fmt.Sprintf("%s%d", Drift, i+1) }

// UsesRates: velocities and accelerations of the numerical part.
func (r *Floors) UsesRates() {}

// UsesNumerical: the numerical part is set against others of its instant.
func (*Floors) UsesNumerical() {}

// Observe computes the tick's values and adds them; of the tick that failed
// nothing is.
func (r *Floors) Observe(f *rths.Frame) {
	if f.Err != nil {
		return
	}
	num, n, below := f.Num, r.n, 0.0
	shear := f.Force[0] - r.of.Mass*num.A[r.of.Specimen]
	for i := range n {
		r.values[i] = num.A[i] + f.Ground[0]
		r.values[n+i] = num.X[i] - below
		below = num.X[i]
		shear += r.of.Stiffness[i]*num.X[i] + r.of.Damping[i]*num.V[i]
	}
	r.values[2*n] = shear
	if r.tally.n == 0 {
		r.tally.start(r.values...)
	}
	r.tally.n++
	for i, v := range r.values {
		r.tally.sums[i].add(v)
	}
}

// Summary is peak and rms of every floor's acceleration, every drift and the
// base shear.
func (r *Floors) Summary() []rths.Value {
	var out []rths.Value
	add := func(i int, of rths.Meaning, unit string, scale float64, what string) {
		s, n := &r.tally.sums[i], r.tally.n
		peak, rms := math.NaN(), math.NaN()
		if n > 0 {
			peak, rms = scale*s.peak(0), scale*s.rms(n)
		}
		for _, as := range []struct {
			name string
			v    float64
		}{{"peak", peak}, {"rms", rms}} {
			v := rths.Value{Meaning: of, Unit: unit, V: as.v, Doc: as.name + " " + what}
			v.Quantity += "_" + as.name
			if of.Quantity == Drift {
				v.Name = drift(of.Floor-1) + rths.Meaning{Quantity: "_" + as.name}.NameIn(unit)
			}
			out = append(out, v)
		}
	}
	for i := range r.n {
		of := rths.Meaning{Quantity: FloorAcceleration, Floor: i + 1}
		add(i, of, "m/s²", 1, fmt.Sprintf("absolute acceleration of floor %d", i+1))
	}
	for i := range r.n {
		add(r.n+i, rths.Meaning{Quantity: Drift, Floor: i + 1}, "mm", 1e3, fmt.Sprintf("drift of storey %d", i+1))
	}
	add(2*r.n, rths.Meaning{Quantity: BaseShear}, "kN", 1e-3, "base shear, numerical part and specimen")
	return ofFamily("floors", out)
}

// Channels are the values of the present tick.
func (r *Floors) Channels() []rths.Channel { return r.channels }

// VisitState visits all sums and the present values.
func (r *Floors) VisitState(v *rths.StateVisitor) {
	r.tally.visit(v)
	v.Floats(r.values)
}
