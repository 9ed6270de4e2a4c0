package analyse

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/model/plant"
)

// envelopes finds what all actuators can do.
func (l *load) envelopes() error {
	for i, t := range l.s.Transfers() {
		maker, ok := t.(plant.Enveloped)
		if !ok {
			return l.s.At(l.s.TransferKey(), &NoEnvelopeError{l.s.TransferKind()})
		}
		e, err := maker.Envelope()
		if err != nil {
			if l.s.Axes() > 1 {
				err = fmt.Errorf("actuator %d: %w", i+1, err)
			}
			return l.s.At(l.s.TransferKey(), err)
		}
		l.all = append(l.all, e)
	}
	l.envelope = l.all[0]
	return nil
}

// on is the first actuator of the supply of actuator i.
func (l *load) on(i int) int {
	line := l.all[i].Line
	if line == "" {
		return i
	}
	return slices.IndexFunc(l.all, func(e *plant.Envelope) bool { return e.Line == line })
}

// All are the demands of all actuators.
func (d *Demand) All() []*Demand {
	if d.Each == nil {
		return []*Demand{d}
	}
	return d.Each
}

// maker is the transfer system of all actuators of a specimen.
func maker(each []plant.TransferMaker, specimen plant.Specimen) plant.TransferMaker {
	if _, several := specimen.(*plant.Assembly); several {
		return &plant.Actuators{Each: each}
	}
	return each[0]
}

// fill finds velocities, the forces of all cylinders and what each supply gives, and is the actuator that is used most,
// with the limits of all.
func (l *load) fill(all []*Demand) (*Demand, error) {
	specimen, err := l.s.MakeSpecimen()
	if err != nil {
		return nil, err
	}
	load, several := specimen.(*plant.Assembly)
	if !several {
		all[0].fill(specimen.Mass(), l.envelope)
		return all[0], nil
	}
	carried := load.Carried()
	if carried == nil {
		carried = make([]float64, len(all))
	}
	for i, d := range all {
		d.move(l.all[i], carried[i])
	}
	for i, d := range all { // the flows of a supply stand with its first actuator
		first := all[l.on(i)]
		if first.Drawn == nil {
			first.Drawn = make([]float64, len(d.Flow))
		}
		for k, q := range d.Flow {
			first.Drawn[k] += q
		}
	}
	out := *all[0]
	var limits []Limit
	for i, d := range all {
		axis := rths.Component(i, len(all))
		stored := d.supplied(l.all[i], all[l.on(i)].Drawn)
		d.hold(l.all[i], axis)
		if limits = append(limits, d.limits...); l.on(i) == i && stored.Has > 0 {
			if stored.Axis, stored.Line = axis, l.all[i].Line; stored.Line != "" {
				stored.Axis = 0
			}
			limits = append(limits, stored)
		}
		if i == 0 || worstOf(d.limits).Pct > worstOf(out.limits).Pct {
			out = *d
		}
	}
	m, _ := load.SmallMotion()
	out.Each, out.limits, out.Inertia = all, limits, inertiaOf(m, all)
	for _, d := range all {
		out.Largest, out.Accelerate = max(out.Largest, d.Largest), max(out.Accelerate, d.Accelerate)
	}
	return &out, nil
}

// move finds velocities, the forces of the cylinder, which carries a force (N) at rest too, and the flow.
func (d *Demand) move(e *plant.Envelope, carried float64) {
	n := len(d.X)
	d.V, d.F, d.Flow = make([]float64, n), make([]float64, n), make([]float64, n)
	for k := range n {
		v, a := d.rates(k)
		felt := d.Felt[max(k, 2)] // before, a jump of the velocity from rest would be in it, which Doubts is for
		d.Largest, d.Accelerate = max(d.Largest, math.Abs(felt)), max(d.Accelerate, math.Abs(a))
		d.V[k] = v
		d.F[k] = carried + felt + e.MovingKg*a + math.Copysign(e.Drag(math.Abs(v)), v)
		d.Flow[k] = e.Flow(v, d.F[k])
	}
}

// rates are velocity and acceleration at a sample; the ends, which have no neighbour, have those beside them.
func (d *Demand) rates(k int) (v, a float64) {
	i := min(max(k, 1), len(d.X)-2)
	before, x, after := d.X[i-1], d.X[i], d.X[i+1]
	return (after - before) / 2 * d.RateHz, (after - 2*x + before) * d.RateHz * d.RateHz
}

// supplied finds the pressure that a supply leaves, which gives a flow to all its actuators.
func (d *Demand) supplied(e *plant.Envelope, flow []float64) Limit {
	tank, stored := e.Tank(), Limit{What: ofSupply, Has: 1e3 * e.StoredM3, Unit: "l"}
	d.Supply = make([]float64, len(flow))
	for k, q := range flow {
		d.Supply[k] = tank.Draw(q, 1/d.RateHz)
		stored.use(1e3*tank.Left, 1e3*e.StoredM3, float64(k)/d.RateHz)
	}
	return stored
}

// hold compares the motion with stroke, speed and bearings of an actuator, of several from 1. One that stands still holds
// its force against either side, and its seals hold themselves.
func (d *Demand) hold(e *plant.Envelope, axis int) {
	stroke := Limit{What: ofStroke, Axis: axis, Has: e.Stroke, Unit: "m"}
	speed := Limit{What: ofSpeed, Axis: axis, Unit: "m/s"}
	overturn := Limit{What: ofOverturn, Axis: axis, Has: e.OverturnNm, Unit: "N·m"}
	for k, v := range d.V {
		at := float64(k) / d.RateHz
		stroke.use(math.Abs(d.X[k]), e.Stroke, at)
		has := e.Speed(math.Copysign(1, v)*d.F[k], d.Supply[k], v > 0)
		if v == 0 {
			held := d.F[k] - math.Copysign(e.Drag(0), v)
			has = min(e.Speed(held, d.Supply[k], true), e.Speed(-held, d.Supply[k], false))
		}
		speed.use(math.Abs(v), has, at)
		overturn.use(math.Abs(d.Felt[max(k, 2)])*e.PayloadM, e.OverturnNm, at)
	}
	if d.limits = []Limit{speed}; e.Stroke > 0 {
		d.limits = []Limit{stroke, speed}
	}
	if e.OverturnNm > 0 {
		d.limits = append(d.limits, overturn)
	}
}

// worstOfEach are the limits that are used most, one of each kind.
func worstOfEach(limits []Limit) (out []Limit) {
	for _, l := range limits {
		i := slices.IndexFunc(out, func(of Limit) bool { return of.What == l.What })
		if i < 0 {
			out = append(out, l)
		} else if l.Pct > out[i].Pct {
			out[i] = l
		}
	}
	return out
}

// Name says what is limited, and whose it is.
func (l *Limit) Name() string { return l.what() + l.of() }

// of says whose limit it is; "": that of the only actuator.
func (l *Limit) of() string {
	switch {
	case l.Line != "":
		return " of supply " + l.Line
	case l.Axis > 0:
		return fmt.Sprintf(" of actuator %d", l.Axis)
	}
	return ""
}

// smallMotion are masses (kg) and stiffnesses (N/m) of specimens at the actuators; those with states of their own have no
// stiffness.
func smallMotion(s plant.Specimen) (m, k *mat.Dense) {
	if a, several := s.(*plant.Assembly); several {
		return a.SmallMotion()
	}
	_, _, stiff, _ := plant.Within(plant.AtRest(s))
	return mat.NewDense(1, 1, []float64{s.Mass()}), mat.NewDense(1, 1, []float64{stiff})
}

// inertiaOf is the largest force of inertia of masses at the actuators, N.
func inertiaOf(m *mat.Dense, of []*Demand) (most float64) {
	a := mat.NewVecDense(len(of), nil)
	var force mat.VecDense
	for k := range of[0].X {
		for j, d := range of {
			_, along := d.rates(k)
			a.SetVec(j, along)
		}
		force.MulVec(m, a)
		most = max(most, mat.Norm(&force, math.Inf(1)))
	}
	return most
}

// slowest is the lowest frequency of masses on springs, Hz.
func slowest(m, k *mat.Dense) (float64, error) {
	var flexible mat.Dense // K⁻¹ M, whose eigenvalues are 1/ω²
	if err := flexible.Solve(k, m); err != nil {
		return 0, fmt.Errorf("capacity: oil columns and specimens: %w", err)
	}
	var e mat.Eigen
	if !e.Factorize(&flexible, mat.EigenNone) {
		return 0, errors.New("capacity: the frequencies of oil columns and specimens are not found")
	}
	most := 0.0
	for _, v := range e.Values(nil) {
		most = max(most, real(v))
	}
	return 1 / (2 * math.Pi * math.Sqrt(most)), nil
}
