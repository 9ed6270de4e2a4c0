package plant

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
	"rths/maths/signal"
)

// Assembled makes an Assembly of specimens, with rows G of their deformations.
type Assembled struct {
	Each  []SpecimenMaker
	G     *mat.Dense // specimens × actuators; under a body specimens × coordinates
	Body  Embodied   // nil: none
	Leans []Lean     // of each specimen, over the columns of G; empty: none leans
}

// Make makes every specimen.
func (p *Assembled) Make() (Specimen, error) {
	var specimens []Specimen
	for i, m := range p.Each {
		s, err := m.Make()
		if err != nil {
			return nil, fmt.Errorf("specimen %d: %w", i+1, err)
		}
		specimens = append(specimens, s)
	}
	a, err := p.join(specimens)
	if err != nil {
		return nil, err
	}
	for i := range p.Leans {
		if err := a.lean(i, &p.Leans[i]); err != nil {
			return nil, fmt.Errorf("specimen %d: %w", i+1, err)
		}
	}
	return a, nil
}

func (p *Assembled) join(specimens []Specimen) (*Assembly, error) {
	if p.Body == nil {
		return NewAssembly(specimens, p.G)
	}
	body, err := p.Body.Held()
	if err != nil {
		return nil, err
	}
	platform, err := p.Body.OwnMass()
	if err != nil {
		return nil, err
	}
	return NewAssemblyOn(body, platform, specimens, p.G)
}

// Scatters reports whether a maker, or one of the makers it holds, has a published scatter.
func Scatters(m any) bool {
	switch m := m.(type) {
	case *Assembled:
		return slices.ContainsFunc(m.Each, func(m SpecimenMaker) bool { return Scatters(m) })
	case *Actuators:
		return slices.ContainsFunc(m.Each, func(m TransferMaker) bool { return Scatters(m) })
	}
	_, ok := m.(Perturbed)
	return ok
}

// Perturb perturbs the specimens in order.
func (p *Assembled) Perturb(normal func() float64) { perturb(p.Each, normal) }

func perturb[M any](makers []M, normal func() float64) {
	for _, m := range makers {
		if p, ok := any(m).(Perturbed); ok {
			p.Perturb(normal)
		}
	}
}

// Actuators is one transfer system for each of several actuators, each of one axis. The
// actuators load an Assembly together. All move as commanded whatever the specimens
// (second-order, first-order, tf, zpk, ss), or all feel the specimens (silva2020,
// servo-hydraulic), or are hydraulic as built (servo-hydraulic-nonlinear and its sizes),
// or follow their commands (delay, ideal): between actuators that move as commanded and
// actuators that feel the specimens no force is defined.
type Actuators struct{ Each []TransferMaker }

// Axes is the number of actuators.
func (p *Actuators) Axes() int { return len(p.Each) }

// Rated is the least rating of all, of the ratings that are stated.
func (p *Actuators) Rated() (least Rating) {
	lower := func(to *float64, v float64) {
		if v > 0 && (*to == 0 || v < *to) {
			*to = v
		}
	}
	for _, t := range p.Each {
		if r, ok := t.(Rated); ok {
			of := r.Rated()
			lower(&least.Stroke, of.Stroke)
			lower(&least.Rate, of.Rate)
			lower(&least.Force, of.Force)
		}
	}
	return least
}

// Perturb perturbs the transfer systems in order.
func (p *Actuators) Perturb(normal func() float64) { perturb(p.Each, normal) }

// follows is implemented by transfer systems whose displacement is the delayed command.
type follows interface{ delay() float64 } // s

func (p *Delay) delay() float64 { return p.DelayMs / 1e3 }
func (*Ideal) delay() float64   { return 0 }

// Follows reports whether the displacements of a transfer system are its delayed commands.
func Follows(t TransferMaker) bool {
	if all, ok := t.(*Actuators); ok {
		return len(all.Each) > 0 && !slices.ContainsFunc(all.Each, func(t TransferMaker) bool { return !Follows(t) })
	}
	_, ok := t.(follows)
	return ok
}

// feels is implemented by transfer systems whose actuator feels its specimen.
type feels interface {
	check() error
	mover() mover
	limit() float64 // of the force, N; 0: none
}

// Loaded reports whether the force of its specimen loads a transfer system.
func Loaded(t TransferMaker) bool {
	_, ok := t.(feels)
	return ok
}

// Feels reports whether the motion of a transfer system goes by the force of its specimen.
func Feels(t TransferMaker) bool {
	_, built := t.(*Hydraulic)
	return built || Loaded(t)
}

func (p *Silva2020) limit() float64    { return p.ForceLimit }
func (*ServoHydraulic) limit() float64 { return 0 }

// actuatorGroups are the actuators by what they do under a load: the list of one sort is full, the
// others are empty.
type actuatorGroups struct {
	stiff   []*stiff
	movers  []mover
	limits  []float64 // N, of the movers' forces
	delays  []float64 // s, of those that follow
	built   []*Hydraulic
	indexes [4]int // of the last actuator of each sort, counted from 1
}

// group makes every transfer system, and wants all of one sort.
func (p *Actuators) group() (s actuatorGroups, err error) {
	for i, t := range p.Each {
		if err := wantAlone(t); err != nil {
			return s, fmt.Errorf("actuator %d: %w", i+1, err)
		}
		switch t := t.(type) {
		case stiffMaker:
			one, err := t.stiff()
			if err != nil {
				return s, fmt.Errorf("actuator %d: %w", i+1, err)
			}
			s.stiff, s.indexes[0] = append(s.stiff, one), i+1
		case feels:
			if err := t.check(); err != nil {
				return s, fmt.Errorf("actuator %d: %w", i+1, err)
			}
			s.movers, s.limits, s.indexes[1] = append(s.movers, t.mover()), append(s.limits, t.limit()), i+1
		case follows:
			s.delays, s.indexes[2] = append(s.delays, t.delay()), i+1
		case *Hydraulic:
			if err := t.check(); err != nil {
				return s, fmt.Errorf("actuator %d: %w", i+1, err)
			}
			s.built, s.indexes[3] = append(s.built, t), i+1
		default:
			return s, fmt.Errorf("actuator %d: this transfer system has all its actuators inside: want it alone under transfer",
				i+1)
		}
	}
	if n := len(p.Each); len(s.stiff) != n && len(s.movers) != n && len(s.delays) != n && len(s.built) != n {
		return s, s.mixed()
	}
	return s, wantOneSupply(s.built)
}

// mixed says which actuators are of different sorts.
func (s *actuatorGroups) mixed() error {
	words := [4]string{"moves as commanded whatever its specimen", "feels its specimen",
		"follows its command in a straight line from sample to sample", "is hydraulic as built"}
	var found []string
	for i, at := range s.indexes {
		if at > 0 {
			found = append(found, fmt.Sprintf("actuator %d %s", at, words[i]))
		}
	}
	return fmt.Errorf(
		"%s, and %s: want transfer systems of one sort for all actuators: (second-order, first-order, tf, zpk, ss), "+
			"(silva2020, servo-hydraulic), (servo-hydraulic-nonlinear and its sizes) or (delay, ideal)", found[0], found[1])
}

// wantAlone refuses transfer systems that are more, or less, than one linear actuator.
func wantAlone(t TransferMaker) error {
	switch t := t.(type) {
	case *Electric:
		return errElectricAlone
	case *SecondOrder:
		if t.Swing != 0 {
			return errors.New(
				"second-order transfer system: a frequency that swings is for a single actuator: want swing_rad_s 0")
		}
	case *Silva2020:
		if len(t.Varies) > 0 {
			return errors.New("silva2020 transfer system: parameters that vary are for a single actuator: want varies: []")
		}
	case *GivenSS:
		if n := t.Axes(); n != 1 {
			return fmt.Errorf(
				"ss transfer system: %d axes for one actuator: want one, or the system with all axes alone under transfer", n)
		}
	}
	return nil
}

// Make makes the plant: held exactly where all is linear, integrated otherwise.
func (p *Actuators) Make(at At) (Plant, error) {
	s, err := p.group()
	if err != nil {
		return nil, err
	}
	if err := wantSpecimen("several actuators'", at); err != nil {
		return nil, err
	}
	switch {
	case s.stiff != nil:
		return joined(s.stiff).make(at)
	case s.movers != nil:
		return s.interacting(at)
	case s.built != nil:
		return makeHydraulicAxes(s.built, at)
	}
	return newDelayedAxes(s.delays, at)
}

// Model is the plant with an Assembly of linear specimens, or without: the transfer systems
// side by side.
func (p *Actuators) Model(specimen Specimen) (Model, error) {
	s, err := p.group()
	if err != nil {
		return Model{}, err
	}
	if specimen == nil || s.delays != nil {
		return p.bare()
	}
	if s.stiff != nil {
		return joined(s.stiff).model(specimen)
	}
	load, err := onEachAxis(specimen, len(p.Each))
	if err != nil {
		return Model{}, err
	}
	forms, ok := load.forms()
	if !ok {
		return Model{}, notLinear("several actuators'")
	}
	if s.built != nil {
		return modelHydraulicAxes(s.built, load)
	}
	whole, err := loadAll(s.movers, load, forms)
	if err != nil {
		return Model{}, err
	}
	return whole.model(nil)
}

// bare are the transfer systems without specimen, side by side.
func (p *Actuators) bare() (Model, error) {
	var all []lti.SS
	var delays []float64
	for i, t := range p.Each {
		m, err := t.(Modelled).Model(nil)
		if err != nil {
			return Model{}, fmt.Errorf("actuator %d: %w", i+1, err)
		}
		all, delays = append(all, m.SS), append(delays, m.Delay(0))
	}
	return Model{SS: sideBySide(all), Delays: delays}, nil
}

// sideBySide are systems of one input and one output that do not touch.
func sideBySide(all []lti.SS) lti.SS {
	states := 0
	for _, s := range all {
		n, _, _ := s.Dims()
		states += n
	}
	axes := len(all)
	out := lti.SS{A: mat.NewDense(states, states, nil), B: mat.NewDense(states, axes, nil),
		C: mat.NewDense(axes, states, nil), D: mat.NewDense(axes, axes, nil)}
	from := 0
	for i, s := range all {
		n, _, _ := s.Dims()
		to := from + n
		out.A.Slice(from, to, from, to).(*mat.Dense).Copy(s.A)
		out.B.Slice(from, to, i, i+1).(*mat.Dense).Copy(s.B)
		out.C.Slice(i, i+1, from, to).(*mat.Dense).Copy(s.C.Slice(0, 1, 0, n))
		out.D.Set(i, i, s.D.At(0, 0))
		from = to
	}
	return out
}

// joined are stiff transfer systems of one axis as one of several axes.
func joined(all []*stiff) *stiff {
	var systems []lti.SS
	var delays []float64
	for _, s := range all {
		n, _ := s.motion.b.Dims()
		row := mat.NewDense(1, n+1, s.motion.x[0])
		systems = append(systems, lti.SS{A: s.motion.a, B: s.motion.b, C: mat.DenseCopyOf(row.Slice(0, 1, 0, n)),
			D: mat.DenseCopyOf(row.Slice(0, 1, n, n+1))})
		delays = append(delays, s.delays[0])
	}
	out := newStiff(all[0].name, sideBySide(systems), 0)
	out.delays = delays
	return out
}

// delayedAxes are actuators whose displacements are their delayed commands. Velocities and
// accelerations are backward differences; the specimens go from one displacement to the next
// in a straight line, as with delayed.
type delayedAxes struct {
	past  lines
	u, b  []float64 // commands that act at the end of a sample and a sample before, parts interpolated
	rate  float64
	x     []*signal.Line
	load  *follower
	steps int
}

func newDelayedAxes(delays []float64, at At) (*delayedAxes, error) {
	if !(at.RateHz > 0) || math.IsInf(at.RateHz, 0) {
		return nil, fmt.Errorf("delay transfer system: rate %g Hz: want more than 0", at.RateHz)
	}
	for _, delay := range delays {
		if err := checkDelay("delay", delay, at.RateHz); err != nil {
			return nil, err
		}
	}
	load, err := onEachAxis(at.Specimen, len(delays))
	if err != nil {
		return nil, err
	}
	n := len(delays)
	d := &delayedAxes{past: newLines(delays, 1/at.RateHz), rate: at.RateHz, u: make([]float64, n), b: make([]float64, n),
		load: newFollower(load)}
	for range delays {
		d.x = append(d.x, signal.NewLine(3))
	}
	d.steps, err = subSteps(load.rate(), 1/at.RateHz)
	return d, err
}

func (d *delayedAxes) Step(now *rths.Reading, command []float64) {
	d.past.push(command)
	d.past.until(1, d.u)
	d.past.until(0, d.b)
	end := &d.load.m[end]
	for i, line := range d.x {
		part := d.past.parts[i]
		line.Push((1-part)*d.u[i] + part*d.b[i])
		x, x1, x2 := line.At(0), line.At(1), line.At(2)
		end.X[i], end.V[i], end.A[i] = x, (x-x1)*d.rate, (x-2*x1+x2)*d.rate*d.rate
	}
	copy(now.X, end.X)
	copy(now.V, end.V)
	copy(now.A, end.A)
	copy(now.F, d.follow())
}

// follow takes the specimens along the straight line of the sample.
func (d *delayedAxes) follow() []float64 {
	f, h := d.load, 1/d.rate/float64(d.steps)
	for s := range d.steps {
		for stage := range f.m {
			m := &f.m[stage]
			for i, line := range d.x {
				m.V[i], m.A[i] = f.m[end].V[i], f.m[end].A[i]
				m.X[i] = line.At(1) + m.V[i]*h*(float64(s)+float64(stage)/2)
			}
		}
		f.advance(h)
	}
	return f.restoring()
}

func (d *delayedAxes) VisitState(v *rths.StateVisitor) {
	d.past.VisitState(v)
	for _, line := range d.x {
		v.State(line)
	}
	v.State(d.load)
}
