package learn

import (
	"fmt"
	"math"

	"rths"
	"rths/model/device"
)

// Filter finds parameters of a law, which it sets.
type Filter interface {
	// Step takes a reading: deformation (m), its rate (m/s) and the force (N). Nothing is learned from an old one.
	Step(x, v, force float64, old bool)

	Value(j int) (value, sd float64)
	Covariance(i, j int) float64
	Residual() (residual, sd float64)

	// Slopes are ∂F/∂p of the law at its present state, by each parameter in its unit, and the standard deviation of
	// the force, N. They are nil where nothing would be learned.
	Slopes(x, v float64) (slopes []float64, sd float64)

	White() bool
	AtBound() bool
	FellBack() int

	rths.Stateful
	VisitAdaptation(v *rths.StateVisitor)

	bring(x float64)
}

// Group is devices of one law, which learn together from the device in the laboratory.
type Group struct {
	Name       string // in front of the names of its channels
	Number     int    // of the group, from 1
	Law        device.Law
	Parameters []device.Parameter
	Filter     Filter
	Began      []float64 // the parameters at the start, in their own units; NewIntegrator sets them
}

// Key is where the scenario has the group's devices.
func (g *Group) Key() string { return fmt.Sprintf("devices[%d]", g.Number) }

// Doubts say what spoils what the group has learned so far.
func (g *Group) Doubts() (out []string) {
	if !g.Filter.White() {
		out = append(out, g.Key()+": the residual of the force is not white at the end: the law leaves something out, and "+
			"the standard deviations of what it has learned mean nothing")
	}
	if n := g.Filter.FellBack(); n > 0 {
		out = append(out, fmt.Sprintf("%s: parameters stayed at a bound and fell back to the last sound ones (%d ×)", g.Key(), n))
	}
	return out
}

// blockHz is about the rate of learning. leastBlock samples make a block: a slope needs two.
const (
	blockHz    = 512
	leastBlock = 2
	mostBlock  = 1000
)

// Block is how many samples of a loop at rateHz stand for one reading of a filter: their means, and the slope of the
// displacement. It is about 1/512 s, or longer where the displacement's noise sd (m) would shake the slope by more than
// a tenth of the speed stillBelow (m/s): see SlopeSD. More noise would bias laws that bend with the speed.
func Block(rateHz, sd, stillBelow float64) int {
	n := max(leastBlock, int(math.Round(rateHz/blockHz)))
	if stillBelow > 0 {
		n = max(n, int(math.Ceil(math.Pow(12*math.Pow(10*sd*rateHz/stillBelow, 2), 1.0/3))))
	}
	return min(n, mostBlock)
}

// SlopeSD is the standard deviation of the slope of n samples of a displacement with noise sd (m), m/s.
func SlopeSD(n int, sd, rateHz float64) float64 {
	return sd * rateHz * math.Sqrt(12/math.Pow(float64(n), 3))
}

// Samples of a loop stand for one reading of a filter.
type Samples struct {
	Size   int     // of a block
	RateHz float64 // of the loop

	n, x, slope, force float64 // of the block so far: samples, and sums of x, of x times the sample's number, and of f
	old                bool    // it has an old reading
}

// add reports whether a sample is the last of the block.
func (s *Samples) add(x, force float64, old bool) bool {
	s.old = s.old || old || !rths.Finite(force)
	s.slope += s.n * x
	s.x += x
	s.force += force
	s.n++
	return int(s.n) >= s.Size
}

// take gives the means of the block, and the slope of the displacement, and begins the next one.
func (s *Samples) take() (x, v, force float64, old bool) {
	n := s.n
	x, v, force, old = s.x/n, 12/(n*(n*n-1))*(s.slope-(n-1)/2*s.x)*s.RateHz, s.force/n, s.old
	s.n, s.x, s.slope, s.force, s.old = 0, 0, 0, 0, false
	return x, v, force, old
}

// Integrator is an integrator whose devices learn from what is felt at the interface in each tick, before its step.
type Integrator struct {
	rths.Integrator
	groups []*Group
	at     int // interface coordinate, whose displacement is the deformation of the device in the laboratory
	block  Samples
	frozen bool
	felt   *rths.Reading
	fresh  rths.FreshReadings
	shown  []float64
	falls  []Fall
}

// Fall is an event: parameters of a group that stayed at a bound went back to the last sound ones.
type Fall struct {
	Group *Group
	T     float64 // s after the first tick
}

// mostFalls are remembered.
const mostFalls = 100

// NewIntegrator has devices learn in blocks of so many samples, whose filters are made for their rate.
func NewIntegrator(of rths.Integrator, groups []*Group, at int, rateHz float64, block int) (*Integrator, error) {
	if block < leastBlock || len(groups) == 0 {
		return nil, fmt.Errorf("%d groups that learn in blocks of %d samples: want a group and %d samples or more", len(groups),
			block, leastBlock)
	}
	l := &Integrator{Integrator: of, groups: groups, at: at, block: Samples{Size: block, RateHz: rateHz},
		falls: make([]Fall, 0, mostFalls)}
	for _, g := range groups {
		l.shown = append(l.shown, make([]float64, 2*len(g.Parameters)+4)...)
		g.Began = nil
		for j := range g.Parameters {
			value, _ := g.Filter.Value(j)
			g.Began = append(g.Began, value)
		}
	}
	l.show()
	return l, nil
}

// Unwrap is the integrator of the devices.
func (l *Integrator) Unwrap() any { return l.Integrator }

// UseReading takes the reading of each tick.
func (l *Integrator) UseReading(felt *rths.Reading) {
	l.felt = felt
	if u, ok := rths.As[rths.ReadingUser](l.Integrator); ok {
		u.UseReading(felt)
	}
}

// Bring takes the device in the laboratory from rest to the deformation x (m), before the first step.
func (l *Integrator) Bring(x float64) {
	for _, g := range l.groups {
		g.Filter.bring(x)
	}
}

// Step learns, and steps with what was learned.
func (l *Integrator) Step(target *rths.Motion, ground []float64, felt *rths.Reading) {
	l.listen()
	l.Integrator.Step(target, ground, felt)
}

// listen adds the tick's reading to the block, and learns at its end.
func (l *Integrator) listen() {
	if isNew := l.fresh.IsNew(l.felt.Age, false); !l.block.add(l.felt.X[l.at], l.felt.F[l.at], !isNew) {
		return
	}
	x, v, force, old := l.block.take()
	for _, g := range l.groups {
		before := g.Filter.FellBack()
		g.Filter.Step(x, v, force, old || l.frozen)
		if g.Filter.FellBack() > before && len(l.falls) < mostFalls {
			l.falls = append(l.falls, Fall{g, float64(l.fresh.Tick-1) / l.block.RateHz})
		}
	}
	l.show()
}

// Falls are the events so far.
func (l *Integrator) Falls() []Fall { return l.falls }

// Freeze holds what was learned.
func (l *Integrator) Freeze(on bool) { l.frozen = on }

// VisitState visits the integrator, the block and the states of the laws.
func (l *Integrator) VisitState(v *rths.StateVisitor) {
	v.StateOf(l.Integrator)
	v.Float(&l.block.n, &l.block.x, &l.block.slope, &l.block.force)
	v.Bool(&l.block.old)
	v.Int(&l.fresh.Tick)
	v.Int(&l.fresh.At)
	for _, g := range l.groups {
		v.State(g.Filter)
	}
}

// VisitAdaptation visits what was learned.
func (l *Integrator) VisitAdaptation(v *rths.StateVisitor) {
	for _, g := range l.groups {
		g.Filter.VisitAdaptation(v)
	}
	if v.Restoring() {
		l.show()
	}
}

// show sets the values of the channels.
func (l *Integrator) show() {
	at := 0
	for _, g := range l.groups {
		for j := range g.Parameters {
			l.shown[at], l.shown[at+1] = g.Filter.Value(j)
			at += 2
		}
		l.shown[at], l.shown[at+1] = g.Filter.Residual()
		l.shown[at+2], l.shown[at+3] = 0, float64(g.Filter.FellBack())
		if !g.Filter.White() {
			l.shown[at+2] = 1
		}
		at += 4
	}
}

// Quantities of the channels of a group.
const (
	Learned      = "learned"
	LearnedSD    = "learned_sd"
	Residual     = "learning_residual"
	ResidualSD   = "learning_residual_sd"
	ResidualOdd  = "learning_residual_not_white"
	FellBackName = "learning_fell_back"
)

// SDName is the name of the channel with the standard deviation of a parameter, whose channel has this name.
func SDName(name string) string { return name + "_sd" }

// Channels are those of the integrator of the devices, and its own.
func (l *Integrator) Channels() []rths.Channel {
	if c, ok := rths.As[rths.Channeler](l.Integrator); ok {
		return append(c.Channels(), l.Own()...)
	}
	return l.Own()
}

// Own are the channels of what is learned: each parameter with its standard deviation, then the residual of the force
// with the one that it should have, whether the residual is not white, and how often the parameters went back to sound
// ones.
func (l *Integrator) Own() (out []rths.Channel) {
	at := 0
	add := func(g *Group, name, unit, quantity string, p *device.Parameter) {
		ch := rths.Channel{Name: g.Name + "_" + name, Unit: unit, V: &l.shown[at],
			Meaning: rths.Meaning{Quantity: quantity, Floor: g.Number}}
		if p != nil {
			ch.Lower, ch.Upper = &p.Low, &p.High
		}
		out = append(out, ch)
		at++
	}
	for _, g := range l.groups {
		for j := range g.Parameters {
			p := &g.Parameters[j]
			add(g, p.Name, p.Unit, Learned, p)
			add(g, SDName(p.Name), p.Unit, LearnedSD, nil)
		}
		add(g, "residual_N", "N", Residual, nil)
		add(g, "residual_sd_N", "N", ResidualSD, nil)
		add(g, "residual_not_white", "-", ResidualOdd, nil)
		add(g, "fell_back", "-", FellBackName, nil)
	}
	return out
}

// Block is a block without samples so far.
func (l *Integrator) Block() Samples { return Samples{Size: l.block.Size, RateHz: l.block.RateHz} }

// Groups are the groups that learn.
func (l *Integrator) Groups() []*Group { return l.groups }
