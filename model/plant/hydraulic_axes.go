package plant

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
)

// hydraulicAxes are several hydraulic actuators as one system of equations, because their specimens couple them. Its
// coordinates q are the displacements x of the actuators; under a body they are those of its pose. With the forces P of
// cylinders, or of clevises that are springs, the masses m of pistons on stiff clevises, M and the forces s of the
// specimens at the coordinates
//
//	(M + Jᵀ diag(m) J) q̈ = Jᵀ (P − m J̇ q̇) − s,  ẍ = J q̈ + J̇ q̇,  J = ∂x/∂q
//
// States are those of each actuator in order, then the specimens'. At place and speed of an actuator stand the coordinate
// of the same number and its rate. The first actuator of a supply has its states; flows of all add up.
type hydraulicAxes struct {
	all    []*cylinder
	on     []int // the first actuator of the supply of each
	load   *Assembly
	commit bool // some specimen has a return map

	q, x    rths.Motion    // of the coordinates, and of the actuators
	slopes  blas64.General // J
	mass    []float64      // M without a platform, by rows
	pistons []float64      // m, kg; 0: the clevis is a spring
	factor  []float64      // of the matrix on the left
	push    []float64      // P − m J̇ q̇
	forces  []float64      // s, then the right side, then q̈
	flows   []float64      // of the supplies, m³/s

	h     float64 // s, of a sample
	parts int     // of a sample, in each of which all inner controllers hold their outputs
	paced
}

// newHydraulicAxes is the plant but for the rates of test and inner controllers.
func newHydraulicAxes(makers []*Hydraulic, load *Assembly) (*hydraulicAxes, error) {
	n := len(makers)
	list := func() []float64 { return make([]float64, n) }
	j := mat.NewDense(n, n, nil)
	for i := range n {
		j.Set(i, i, 1)
	}
	if load.body != nil {
		j = load.body.Jacobian(list(), n)
	}
	p := &hydraulicAxes{on: suppliesOf(makers), load: load, q: rths.NewMotion(n), x: rths.NewMotion(n), slopes: j.RawMatrix(),
		mass:    load.matrix(func(i int) float64 { return load.parts[i].Mass() }).RawMatrix().Data,
		pistons: list(), factor: make([]float64, n*n), push: list(), forces: list(), flows: list(), h: 1, parts: 1,
		paced: paced{embedded: newEmbedded(n*hydraulicStates + load.States())}}
	for i := range load.parts {
		p.commit = p.commit || load.parts[i].commit != nil
	}
	for i, m := range makers {
		c := m.cylinder()
		if m.ClevisStiffness == 0 {
			p.pistons[i] = c.m
		}
		if of := load.carrying(); of != nil {
			if err := m.wantCarried(of.rest[i]); err != nil {
				return nil, fmt.Errorf("actuator %d: %w", i+1, err)
			}
			c.carry(of.rest[i])
		}
		p.all = append(p.all, &c)
		m.size(p.own(p.sizes, i))
	}
	p.sizeCoordinates()
	if !p.weigh() {
		return nil, errors.New(hydraulicName + ": a motion of the actuators moves no mass, as " +
			"clevis_stiffness is before the specimens: want mass of specimens in every direction")
	}
	return p, nil
}

// own are the states of actuator i.
func (p *hydraulicAxes) own(y []float64, i int) []float64 {
	return y[i*hydraulicStates : (i+1)*hydraulicStates]
}

// sizeCoordinates makes the error of a coordinate that of the actuator that it moves most, in parts of its own.
func (p *hydraulicAxes) sizeCoordinates() {
	for _, state := range []int{place, speed} {
		of := make([]float64, len(p.all))
		for j := range of {
			of[j] = math.Inf(1)
			for i := range p.all {
				of[j] = min(of[j], p.own(p.sizes, i)[state]/math.Abs(p.slope(i, j)))
			}
		}
		for j, size := range of {
			p.own(p.sizes, j)[state] = size
		}
	}
}

// slope is ∂x_i/∂q_j.
func (p *hydraulicAxes) slope(i, j int) float64 { return p.slopes.Data[i*p.slopes.Stride+j] }

// suppliesOf are the first actuators of the supply of each.
func suppliesOf(makers []*Hydraulic) (on []int) {
	for i, m := range makers {
		on = append(on, i)
		for k, other := range makers[:i] {
			if m.Line != "" && other.Line == m.Line {
				on[i] = k
				break
			}
		}
	}
	return on
}

// wantOneSupply wants actuators of one supply to agree in its numbers.
func wantOneSupply(makers []*Hydraulic) error {
	for i, first := range suppliesOf(makers) {
		m, of := makers[i], makers[first]
		for _, q := range []struct {
			key  string
			v, w float64
		}{{"supply_pressure_bar", m.SupplyPressure, of.SupplyPressure}, {"pump_flow_l_min", m.PumpFlow, of.PumpFlow},
			{"accumulator_l", m.Accumulator, of.Accumulator}, {"precharge_bar", m.Precharge, of.Precharge},
			{"gas_exponent", m.GasExponent, of.GasExponent}} {
			if q.v != q.w {
				return fmt.Errorf("actuator %d: %s: %s %g, and %g of actuator %d on the same supply %q: want the same number, or "+
					"another supply", i+1, hydraulicName, q.key, q.v, q.w, first+1, m.Line)
			}
		}
	}
	return nil
}

// wantCarried wants an actuator that can hold a force of a platform at rest, N.
func (p *Hydraulic) wantCarried(force float64) error {
	area := p.PistonArea
	if p.RodArea > 0 && force < 0 {
		area = p.RodArea
	}
	if most := area * 1e-4 * p.SupplyPressure * bar; !(math.Abs(force) < most) {
		return fmt.Errorf("%s: it carries %.3g N of the platform at rest, and the supply %.3g N: want a larger piston_area_cm2",
			hydraulicName, force, most)
	}
	if p.Overlap < 0 && force != 0 {
		return fmt.Errorf("%s: valve_overlap below 0 under a platform: the piston would creep at rest: want 0 or more", hydraulicName)
	}
	return nil
}

// makeHydraulicAxes makes the plant with specimens that the inner controls are stable with.
func makeHydraulicAxes(makers []*Hydraulic, at At) (Plant, error) {
	load, err := onEachAxis(at.Specimen, len(makers))
	if err != nil {
		return nil, err
	}
	for i, m := range makers {
		if err := m.wantRates(at.RateHz); err != nil {
			return nil, fmt.Errorf("actuator %d: %w", i+1, err)
		}
	}
	p, err := newHydraulicAxes(makers, load)
	if err != nil {
		return nil, err
	}
	rest := AtRest(load).(*Assembly)
	if _, linear := rest.forms(); linear {
		m, err := modelHydraulicAxes(makers, rest)
		if err != nil {
			return nil, err
		}
		if err := wantDecay("servo-hydraulic-nonlinear", m.SS.A); err != nil {
			return nil, err
		}
	}
	if err := p.keepTime(makers, at.RateHz); err != nil {
		return nil, err
	}
	steep := load.steep()
	return p, p.pace(hydraulicKind, p.h, p.parts, len(makers), load.rate(), func(stuck bool) lti.SS {
		of, err := newHydraulicAxes(makers, steep)
		if err != nil {
			panic(err) // as the plant
		}
		for _, c := range of.all {
			c.stuck = stuck && c.real.dry
		}
		return linearise(of, &of.embedded, of.all)
	})
}

// modelHydraulicAxes is the Model with linear specimens.
func modelHydraulicAxes(makers []*Hydraulic, load *Assembly) (Model, error) {
	p, err := newHydraulicAxes(makers, load)
	if err != nil {
		return Model{}, err
	}
	return Model{SS: linearise(p, &p.embedded, p.all)}, nil
}

// keepTime finds the parts of a sample that begin whenever an inner controller samples: so many as the least common
// multiple of their samples.
func (p *hydraulicAxes) keepTime(makers []*Hydraulic, rateHz float64) error {
	p.h = 1 / rateHz
	most := evaluationsOf(p.h) / 4
	for i, c := range p.all {
		c.keepTime(makers[i], rateHz)
		a, b := p.parts, c.parts
		for b != 0 {
			a, b = b, a%b
		}
		if p.parts *= c.parts / a; p.parts > most {
			return fmt.Errorf("%s: controller_rate_hz %g of actuator %d with those before: they meet in parts of a sample of the "+
				"test so small that it has %d: want at most %d, as with rates that are multiples of each other", hydraulicName, makers[i].ControllerRate, i+1, p.parts, most)
		}
	}
	return nil
}

// look takes the motion of coordinates and actuators, without accelerations of the coordinates, and J.
func (p *hydraulicAxes) look(y []float64) {
	for i := range p.all {
		from := i * hydraulicStates
		p.q.X[i], p.q.V[i] = y[from+place], y[from+speed]
	}
	if b := p.load.body; b != nil {
		b.Elongations(p.x.X, p.q.X)
		b.Rates(p.x.V, p.x.A, p.q.X, p.q.V, p.q.A)
		b.Slopes(p.slopes, p.q.X)
		return
	}
	copy(p.x.X, p.q.X)
	copy(p.x.V, p.q.V)
	clear(p.x.A)
}

// weigh factors the matrix on the left at the last look.
func (p *hydraulicAxes) weigh() (ok bool) {
	n, m := len(p.all), p.factor
	copy(m, p.mass)
	if c := p.load.carrying(); c != nil {
		c.body.MassOf(p.load.body.mass, c.platform, p.q.X)
		for i, v := range p.load.body.mass {
			m[i] += v
		}
	}
	for i := range n {
		for j := range i + 1 {
			for k, piston := range p.pistons {
				m[i*n+j] += p.slope(k, i) * piston * p.slope(k, j)
			}
		}
	}
	return factorise(m, n)
}

// rate is the equations of hydraulicAxes.
func (p *hydraulicAxes) rate(dy, y []float64) {
	states := len(p.all) * hydraulicStates
	p.look(y)
	clear(p.forces)
	p.load.rates(dy[states:], p.forces, y[states:], &p.q)
	clear(p.flows)
	for i, c := range p.all {
		dy, y, on := p.own(dy, i), p.own(y, i), p.own(y, p.on[i])
		x, v := p.x.X[i], p.x.V[i]
		c.felt = c.pull(dy, y, on, x, v)
		if c.clevisK > 0 {
			c.stretch(dy, y, c.felt, x, v)
		}
		p.flows[p.on[i]] += c.q
		p.push[i] = c.felt - p.pistons[i]*p.x.A[i]
		dy[place] = p.q.V[i]
	}
	for i, c := range p.all {
		if p.on[i] == i {
			c.fill(p.own(dy, i), p.own(y, i), p.flows[i])
		}
	}
	p.accelerate(dy)
}

// accelerate finds q̈ and ẍ, and the forces that are felt.
func (p *hydraulicAxes) accelerate(dy []float64) {
	for j, s := range p.forces {
		sum := -s
		for i, push := range p.push {
			sum += p.slope(i, j) * push
		}
		p.forces[j] = sum
	}
	if p.load.body != nil && !p.weigh() {
		p.forces[0] = math.NaN()
	}
	solveFactored(p.factor, p.forces)
	for i, c := range p.all {
		p.own(dy, i)[speed] = p.forces[i]
		for j, a := range p.forces {
			p.x.A[i] += p.slope(i, j) * a
		}
		c.felt -= p.pistons[i] * p.x.A[i]
	}
}

func (p *hydraulicAxes) Step(now *rths.Reading, command []float64) {
	for i, c := range p.all {
		c.take(command[i])
	}
	for part := range p.parts {
		p.look(p.y)
		first := math.Inf(1)
		for i, c := range p.all {
			y := p.own(p.y, i)
			if !c.smooth && part%(p.parts/c.parts) == 0 {
				c.sample(y, p.x.X[i])
			}
			first = min(first, c.stiff(y, p.x.V[i]))
		}
		p.advance(p, p.h/float64(p.parts), first)
	}
	p.rate(p.trial, p.y)
	for i, c := range p.all {
		now.X[i], now.F[i] = p.x.X[i], c.felt
		c.show(p.own(p.y, i), p.own(p.y, p.on[i]), p.bounded)
	}
	copy(now.V, p.x.V)
	copy(now.A, p.x.A)
}

// accepted commits the specimens at the end of a sub-step.
func (p *hydraulicAxes) accepted(y []float64) bool {
	if p.commit {
		p.look(y)
		p.load.commit(y[len(p.all)*hydraulicStates:], &p.q)
	}
	return p.commit
}

// Channels show the use of all actuators; their equations are one system, which is unresolved for all at once.
func (p *hydraulicAxes) Channels() (out []rths.Channel) {
	for i, c := range p.all {
		out = append(out, c.channels(rths.Component(i, len(p.all)))...)
	}
	return rths.NamedChannels(out)
}

// Idealise makes the plant linear but for the flow at large load.
func (p *hydraulicAxes) Idealise(on bool) {
	for _, c := range p.all {
		c.idealise(on)
	}
	p.paced.idealise(on)
}

func (p *hydraulicAxes) VisitState(v *rths.StateVisitor) {
	v.Floats(p.y)
	for _, c := range p.all {
		c.visit(v)
	}
}
