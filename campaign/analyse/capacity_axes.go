package analyse

import (
	"context"
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

// assembly are the specimens of several actuators.
func (l *load) assembly() (*plant.Assembly, error) {
	specimen, err := l.s.MakeSpecimen()
	if err != nil {
		return nil, err
	}
	return specimen.(*plant.Assembly), nil
}

// together finds velocities, the forces of all cylinders and what each supply gives of motions of all actuators, and is
// the one that is used most, with the limits of all.
func (l *load) together(all []*Demand) (*Demand, error) {
	load, err := l.assembly()
	if err != nil {
		return nil, err
	}
	flows := make([][]float64, len(all)) // of the supplies
	for i, d := range all {
		carried := 0.0
		if of := load.Carried(); of != nil {
			carried = of[i]
		}
		d.move(l.all[i], carried)
		if on := l.on(i); flows[on] == nil {
			flows[on] = slices.Clone(d.Flow)
		} else {
			for k, q := range d.Flow {
				flows[on][k] += q
			}
		}
	}
	var limits []Limit
	worst := all[0]
	for i, d := range all {
		d.Drawn = flows[i]
		stored := d.supplied(l.all[l.on(i)], flows[l.on(i)])
		d.hold(l.all[i], i+1)
		limits = append(limits, d.limits...)
		if worstOf(d.limits).Pct > worstOf(worst.limits).Pct {
			worst = d
		}
		if l.on(i) == i && stored.Has > 0 {
			if stored.Axis = i + 1; l.all[i].Line != "" {
				stored.Axis, stored.Line = 0, l.all[i].Line
			}
			limits = append(limits, stored)
		}
	}
	out := *worst
	out.Each, out.limits = all, limits
	for _, d := range all {
		out.Largest, out.Accelerate = max(out.Largest, d.Largest), max(out.Accelerate, d.Accelerate)
	}
	return &out, nil
}

// move finds velocities, the forces of the cylinder, which carries a force (N) at rest too, and the flow.
func (d *Demand) move(e *plant.Envelope, carried float64) {
	n, rate := len(d.X), d.RateHz
	d.V, d.F, d.Flow = make([]float64, n), make([]float64, n), make([]float64, n)
	for k := range n {
		i := min(max(k, 1), n-2) // the ends have no neighbour
		v, a := (d.X[i+1]-d.X[i-1])/2*rate, (d.X[i+1]-2*d.X[i]+d.X[i-1])*rate*rate
		d.Largest, d.Accelerate = max(d.Largest, math.Abs(d.Felt[k])), max(d.Accelerate, math.Abs(a))
		d.V[k] = v
		d.F[k] = carried + d.Felt[k] + e.MovingKg*a + math.Copysign(e.Drag(math.Abs(v)), v)
		d.Flow[k] = e.Flow(v, d.F[k])
	}
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

// hold compares the motion with stroke and speed of an actuator, counted from 1.
func (d *Demand) hold(e *plant.Envelope, axis int) {
	stroke := Limit{What: ofStroke, Axis: axis, Has: e.Stroke, Unit: "m"}
	speed := Limit{What: ofSpeed, Axis: axis, Unit: "m/s"}
	for k, v := range d.V {
		at := float64(k) / d.RateHz
		stroke.use(math.Abs(d.X[k]), e.Stroke, at)
		speed.use(math.Abs(v), e.Speed(math.Copysign(1, v)*d.F[k], d.Supply[k], v > 0), at)
	}
	if d.limits = []Limit{speed}; e.Stroke > 0 {
		d.limits = []Limit{stroke, speed}
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

// slowerAll looks for the time scale of the same motions, and plays them through the actuators by themselves.
func (l *load) slowerAll(c *Capacity) error {
	for slow := 1.1; slow <= mostSlow; slow *= 1.1 {
		d, err := l.slowedAll(c.Demand.Each, slow)
		if err != nil {
			return err
		}
		fits := worstOf(d.limits).Pct <= 100
		if fits {
			if fits, err = l.playsAll(slow, c.Demand.Each); err != nil {
				return err
			}
		}
		if fits {
			c.TimeScale = slow
			return nil
		}
	}
	c.Unslowed = true
	return nil
}

// slowedAll are the motions so many times as slow, with the forces of the specimens in them.
func (l *load) slowedAll(of []*Demand, slow float64) (*Demand, error) {
	perfect, all := &plant.Actuators{}, make([]*Demand, len(of))
	rate := of[0].RateHz / slow
	for i := range of {
		perfect.Each = append(perfect.Each, &plant.Ideal{})
		all[i] = &Demand{RateHz: rate, X: of[i].X}
	}
	load, err := l.assembly()
	if err != nil {
		return nil, err
	}
	p, err := perfect.Make(plant.At{RateHz: rate, Specimen: load})
	if err != nil {
		return nil, fmt.Errorf("capacity: time scale %.3g: %w", slow, err)
	}
	now, u := rths.NewReading(len(of), len(of)), make([]float64, len(of))
	for k := range of[0].X {
		for i, d := range of {
			u[i] = d.X[k]
		}
		p.Step(&now, u)
		for i, d := range all {
			d.Felt = append(d.Felt, now.F[i])
		}
	}
	return l.together(all)
}

// playsAll reports whether the actuators play motions so many times as slow without opening a valve fully.
func (l *load) playsAll(slow float64, of []*Demand) (bool, error) {
	load, err := l.assembly()
	if err != nil {
		return false, err
	}
	p, err := (&plant.Actuators{Each: l.s.Transfers()}).Make(plant.At{RateHz: l.s.RateHz, Specimen: load})
	if err != nil {
		return false, fmt.Errorf("transfer: %w", err)
	}
	channels := slices.DeleteFunc(p.(rths.Channeler).Channels(), func(c rths.Channel) bool { return c.Quantity != "valve" })
	now, u := rths.NewReading(len(of), len(of)), make([]float64, len(of))
	for k := 0; ; k++ {
		at := float64(k) / slow
		j := int(at)
		if j+1 >= len(of[0].X) {
			return true, nil
		}
		for i, d := range of {
			u[i] = d.X[j] + (at-float64(j))*(d.X[j+1]-d.X[j])
		}
		p.Step(&now, u)
		if slices.ContainsFunc(channels, func(c rths.Channel) bool { return math.Abs(*c.V) >= fullValve }) {
			return false, nil
		}
		if k%4096 == 0 && l.ctx.Err() != nil {
			return false, context.Cause(l.ctx)
		}
	}
}

// describeAll is describe of several actuators: of each number the one that limits most.
func (l *load) describeAll(c *Capacity) error {
	load, err := l.assembly()
	if err != nil {
		return err
	}
	m, k := load.SmallMotion()
	c.InertiaPct = 100 * inertiaOf(m, c.Demand.Each) / max(c.Demand.Largest, math.SmallestNonzeroFloat64)
	sd := l.s.Sensors.DisplacementSD(l.s.RateHz)
	c.ValveHz, c.AccelerateMS = math.Inf(1), c.Demand.Accelerate
	for i, d := range c.Demand.Each {
		e := l.all[i]
		c.ValveHz, c.TopHz = min(c.ValveHz, e.ValveHz), max(c.TopHz, topOf(d.V, d.RateHz))
		m.Set(i, i, m.At(i, i)+e.MovingKg)
		k.Set(i, i, k.At(i, i)+e.OilColumn)
		if spread := spreadOf(d.X); spread > 0 {
			c.NoisePct = max(c.NoisePct, 100*sd/spread)
		}
	}
	c.ColumnHz, err = slowest(m, k)
	return err
}

// inertiaOf is the largest force of inertia of masses at the actuators, N.
func inertiaOf(m *mat.Dense, of []*Demand) (most float64) {
	for k := 1; k+1 < len(of[0].X); k++ {
		for i := range of {
			force := 0.0
			for j, d := range of {
				force += m.At(i, j) * (d.X[k+1] - 2*d.X[k] + d.X[k-1]) * d.RateHz * d.RateHz
			}
			most = max(most, math.Abs(force))
		}
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
		return 0, fmt.Errorf("capacity: oil columns and specimens: their frequencies are not found")
	}
	most := 0.0
	for _, v := range e.Values(nil) {
		most = max(most, real(v))
	}
	return 1 / (2 * math.Pi * math.Sqrt(most)), nil
}

// spreadOf is the standard deviation.
func spreadOf(x []float64) float64 {
	mean, square := 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
		square += v * v / float64(len(x))
	}
	return math.Sqrt(square - mean*mean)
}
