package plant

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
)

// States of an electric plant, all 0 at rest; those of the specimen stand after them.
const (
	motorCurrent = iota // i, A
	speedSum            // q, m/s
	ball                // z, m
	screw               // s, m
	screwSpeed          // m/s
	rod                 // displacement of the specimen, m
	rodSpeed            // m/s
	electricStates
)

// electricNumbers are Electric in SI units, at the rod.
type electricNumbers struct {
	kv, kff, ks      float64
	integral         float64 // 1/T, 1/s; 0: none
	fast, most, full float64 // limits of speed, current and voltage
	tau, ohm, henry  float64
	force            float64 // K_t/r, N/A and V·s/m
	inertia, m       float64 // J/r² and the rod's, kg
	screwK, screwC   float64
	halfPlay         float64
	loss             float64 // 1/η − 1
	bristles
}

// numbers converts the units.
func (p *Electric) numbers() electricNumbers {
	law, dry := p.friction()
	r := p.Lead / 1e3 / (2 * math.Pi)
	n := electricNumbers{kv: p.PositionGain, kff: p.Feedforward, ks: p.SpeedGain, fast: p.SpeedLimit, most: p.CurrentLimit,
		full: p.VoltageLimit, tau: p.CurrentTau / 1e3, ohm: p.Resistance, henry: p.Inductance / 1e3, force: p.TorqueConst / r,
		inertia: p.Inertia * 1e-4 / (r * r), m: p.MovingMass, screwK: p.Stiffness, screwC: p.Damping, halfPlay: p.Play / 2e6,
		loss: 1/p.Efficiency - 1, bristles: bristlesOf(law, dry)}
	if p.IntegralTime > 0 {
		n.integral = 1e3 / p.IntegralTime
	}
	return n
}

// ideal is the same without limits, play, dry friction and loss.
func (n electricNumbers) ideal() electricNumbers {
	n.fast, n.most, n.full = math.Inf(1), math.Inf(1), math.Inf(1)
	n.halfPlay, n.dry = 0, false
	return n
}

// electric is the plant of Electric.
type electric struct {
	electricNumbers
	real, linear electricNumbers
	lead         float64 // m, in a turn

	h     float64 // s, of a sample
	u, du float64 // command, and its change over a sample

	load   *follower
	motion *rths.Motion
	mass   float64 // of the specimen

	shown ElectricUse
	felt  float64 // its force with inertia, at the last evaluation
	paced
}

func (p *Electric) plant(at At) (*electric, error) {
	e := p.actuator(at.Specimen)
	e.h = 1 / at.RateHz
	k, c, rate := steepest(at.Specimen)
	kind := pacedKind{electricName, "a slower current loop, a softer screw, friction or specimen"}
	return e, e.pace(kind, e.h, 1, 1, rate, func(stuck bool) lti.SS {
		steep := p.actuator(&linear{m: e.mass, c: c, k: k})
		steep.linear.dry = stuck && steep.real.dry
		return steep.linearise()
	})
}

// actuator is the plant but for the rate of the test.
func (p *Electric) actuator(specimen Specimen) *electric {
	n := p.numbers()
	e := &electric{electricNumbers: n, real: n, linear: n.ideal(), lead: p.Lead / 1e3, h: 1, load: newFollower(specimen),
		mass: specimen.Mass(), paced: paced{embedded: newEmbedded(electricStates + specimen.States())}}
	e.motion = &e.load.m[end]
	stretch := n.most * n.force / n.screwK // of the screw, whose force is a difference of two positions
	for i, size := range [electricStates]float64{motorCurrent: n.most, speedSum: n.fast, ball: p.Presliding * 1e-6,
		screw: -stretch, screwSpeed: n.fast, rod: -stretch, rodSpeed: n.fast} {
		e.sizes[i] = size / 100
	}
	return e
}

// control is what the cascade asks of the drive, A, and the rate of its integral.
func (p *electric) control(y []float64) (wanted, winds float64) {
	ask := p.kv*(p.u-y[screw]) + p.kff*p.du/p.h
	e := min(max(ask, -p.fast), p.fast) - y[screwSpeed]
	raw := p.ks * (e + y[speedSum])
	wanted = min(max(raw, -p.most), p.most)
	if math.Abs(wanted) < p.most || wanted*e < 0 {
		winds = p.integral * e
	}
	return wanted, winds
}

// rate is the equations of Electric.
func (p *electric) rate(dy, y []float64) {
	_, _ = dy[electricStates-1], y[electricStates-1]
	i, w := y[motorCurrent], y[screwSpeed]
	wanted, winds := p.control(y)
	against := p.ohm*i + p.force*w
	voltage := min(max(p.henry*(wanted-i)/p.tau+against, -p.full), p.full)
	dy[motorCurrent], dy[speedSum] = (voltage-against)/p.henry, winds

	gap := y[screw] - y[rod]
	nut := p.screwK*(gap-min(max(gap, -p.halfPlay), p.halfPlay)) + p.screwC*(w-y[rodSpeed])
	push := p.force*i - p.s2*w - nut
	if p.dry {
		var drag float64
		dy[ball], drag = p.drag(w, y[ball], p.loss*math.Abs(nut))
		push -= drag
	}
	dy[screw], dy[screwSpeed] = w, push/p.inertia

	m, f := p.motion, p.load.f
	m.X[0], m.V[0] = y[rod], y[rodSpeed]
	p.load.specimen.Rate(dy[electricStates:], f, y[electricStates:], m)
	dy[rod], dy[rodSpeed] = y[rodSpeed], (nut-f[0])/(p.m+p.mass)
	p.felt = f[0] + p.mass*dy[rodSpeed]
}

func (p *electric) Step(now *rths.Reading, command []float64) {
	p.du = command[0] - p.u
	p.u = command[0]
	p.advance(p, p.h, p.settle(p.y[screwSpeed]))
	p.rate(p.trial, p.y)
	now.X[0], now.F[0] = p.y[rod], p.felt
	i := p.y[motorCurrent]
	p.shown = ElectricUse{i, 60 * p.y[screwSpeed] / p.lead, p.force * i * p.lead / (2 * math.Pi), float64(p.bounded)}
	if len(now.V) > 0 {
		now.V[0] = p.y[rodSpeed]
	}
	if len(now.A) > 0 {
		now.A[0] = p.trial[rodSpeed]
	}
}

// accepted commits the specimen at the end of a sub-step.
func (p *electric) accepted(y []float64) bool {
	if p.load.commit == nil {
		return false
	}
	p.motion.X[0], p.motion.V[0] = y[rod], y[rodSpeed]
	p.load.commit.Commit(y[electricStates:], p.motion)
	return true
}

// ElectricUse is how an electric actuator is used at the end of a sample.
type ElectricUse struct {
	Current    float64 // A
	Speed      float64 // of the motor, turns per minute
	Torque     float64 // of the motor, N·m
	Unresolved float64 // samples so far whose equations wanted more evaluations than a tick has
}

// Channels show the use of the actuator.
func (p *electric) Channels() []rths.Channel {
	u := &p.shown
	return rths.NamedChannels([]rths.Channel{
		{Meaning: rths.Meaning{Quantity: "current"}, Unit: "A", V: &u.Current},
		{Meaning: rths.Meaning{Quantity: "speed"}, Unit: "1/min", V: &u.Speed},
		{Meaning: rths.Meaning{Quantity: "torque"}, Unit: "N·m", V: &u.Torque},
		{Meaning: rths.Meaning{Quantity: "unresolved"}, Unit: "ticks", V: &u.Unresolved},
	})
}

// Idealise makes the plant linear.
func (p *electric) Idealise(on bool) {
	if p.electricNumbers = p.real; on {
		p.electricNumbers = p.linear
	}
	p.paced.idealise(on)
}

func (p *electric) VisitState(v *rths.StateVisitor) {
	v.Floats(p.y)
	v.Float(&p.u)
}

// linearise is the linear plant with a linear specimen, by differences of its equations: of outputs displacement and
// force.
func (p *electric) linearise() lti.SS {
	p.electricNumbers = p.linear
	var at []int
	for i := range p.y {
		if i != speedSum && i != ball || i == speedSum && p.integral > 0 || i == ball && p.dry {
			at = append(at, i)
		}
	}
	n := len(at)
	ss := lti.SS{A: mat.NewDense(n, n, nil), B: mat.NewDense(n, 1, nil), C: mat.NewDense(2, n, nil),
		D: mat.NewDense(2, 1, nil)}
	up, down := make([]float64, len(p.y)), make([]float64, len(p.y))
	slope := func(v *float64, column, force *mat.Dense, j int) {
		*v = 1e-6
		p.rate(up, p.y)
		f := p.felt
		*v = -1e-6
		p.rate(down, p.y)
		*v = 0
		for i, s := range at {
			column.Set(i, j, (up[s]-down[s])/2e-6)
		}
		force.Set(1, j, (f-p.felt)/2e-6)
	}
	for j, s := range at {
		slope(&p.y[s], ss.A, ss.C, j)
		if s == rod {
			ss.C.Set(0, j, 1)
		}
	}
	slope(&p.u, ss.B, ss.D, 0)
	return ss
}
