package plant

import (
	"fmt"
	"math"

	"rths"
	"rths/maths/lti"
	"rths/maths/portable"
)

// States of a hydraulic plant, all 0 at rest; those of the specimen stand after them. What a plant does not have stays 0.
const (
	spool       = iota // x_v, full strokes
	spoolSpeed         // ẋ_v
	integral           // K_i ∫e dt
	meanDrop           // p̄, Pa
	chamberA           // p_L, or p_A from its rest, Pa
	chamberB           // p_B from its rest, Pa
	seal               // z, m
	supply             // P_s from the set pressure, Pa
	gas                // V_g from its rest, m³
	body               // position of the cylinder's body, m
	bodySpeed          // m/s
	piston             // position of the piston where the clevis is a spring, m
	pistonSpeed        // m/s
	holding            // output of the inner controller after the lag of its hold, in Model
	place              // displacement of the specimen, m
	speed              // m/s
	hydraulicStates
)

// hydraulicNumbers are Hydraulic in SI units.
type hydraulicNumbers struct {
	kp, ki, kd, kff, kdp, corner float64 // K_Δp per Pa, corner in rad/s
	full                         float64 // |i| and the edges of a valve at its stop: 1, or +Inf

	order          int
	omega, zeta    float64
	slew, deadBand float64
	kq             float64 // K, m³/s/√Pa

	ps, pump, n float64 // Pa, m³/s
	gas, most   float64 // V_g at rest, and that of the empty accumulator, m³; 0: the supply is constant
	pre         float64

	a, b     float64 // areas, m²; b 0: equal areas
	oil      float64 // 4β/V, 1/m⁵·N
	beta     float64
	va, vb   float64 // m³
	held     float64 // p_L at rest, Pa, of a force that carries a platform; p_L counts from there
	restA    float64 // p_A and p_B at rest, Pa
	restB    float64
	even     bool    // both edges of unequal areas give the mean of what they give at rest
	leak     float64 // m³/s/Pa
	m        float64
	bristles         // the seals
	frameM   float64 // 0: rigid
	frameK   float64
	frameC   float64
	clevisK  float64 // 0: rigid
	clevisC  float64
	halfPlay float64
}

// numbers converts the units.
func (p *Hydraulic) numbers() hydraulicNumbers {
	law, dry := p.seals()
	area, volume, beta := p.PistonArea*1e-4, p.OilVolume*1e-6, p.BulkModulus*1e6
	n := hydraulicNumbers{
		kp: p.ProportionalGain, ki: p.IntegralGain, kd: p.DerivativeGain, kff: p.Feedforward, kdp: p.PressureGain / bar,
		corner: 2 * math.Pi * p.PressureCorner, full: 1,
		order: p.ValveOrder, omega: 2 * math.Pi * p.ValveHz, zeta: p.ValveDamping, slew: p.ValveSlew, deadBand: p.Overlap,
		kq: math.Sqrt2 * p.valveGain(),
		ps: p.SupplyPressure * bar, pump: p.PumpFlow * litreMin, n: p.GasExponent, most: p.Accumulator * 1e-3,
		pre: p.Precharge * bar,
		a:   area, b: p.RodArea * 1e-4, oil: 4 * beta / volume, beta: beta, leak: p.Leakage * litreMin / ratedDrop, m: p.MovingMass,
		bristles: bristlesOf(law, dry), clevisK: p.ClevisStiffness, clevisC: p.ClevisDamping, halfPlay: p.ClevisPlay / 2e3,
	}
	if n.slew == 0 {
		n.slew = math.Inf(1)
	}
	if n.most > 0 {
		n.gas = n.most * portable.Pow(n.pre/n.ps, 1/n.n)
	}
	if p.FrameStiffness > 0 {
		n.frameM, n.frameK = p.FrameMass, p.FrameStiffness
		n.frameC = 2 * p.FrameDamping * math.Sqrt(n.frameK*n.frameM)
	}
	if p.unbounded {
		const noLoad = 100 // root of a pressure so large that the load does not count
		n.full, n.slew, n.most = math.Inf(1), math.Inf(1), 0
		n.ps, n.kq = n.ps*noLoad*noLoad, n.kq/noLoad
	}
	if n.b > 0 {
		r := n.b / n.a
		n.va, n.vb = volume/(1+r), volume*r/(1+r)
		n.restA, n.restB = r/(1+r)*n.ps, n.ps/(1+r) // an edge lets in as much as its neighbour lets out
	}
	return n
}

// ideal is the same without saturation, dead band, play and dry friction, at a constant supply.
func (n hydraulicNumbers) ideal() hydraulicNumbers {
	n.full, n.slew, n.deadBand = math.Inf(1), math.Inf(1), min(n.deadBand, 0)
	n.dry, n.halfPlay, n.most = false, 0, 0
	n.even = true
	return n
}

// cylinder is an actuator of a hydraulic plant but for what it moves: the equations of Hydraulic over its own states.
type cylinder struct {
	hydraulicNumbers
	real, linear hydraulicNumbers
	stuck        bool    // linearise with the seals in stick
	smooth       bool    // the inner controller is continuous: it has no rate of its own, or in Model
	lag          float64 // s, of its hold in Model

	h      float64 // s, of a sample
	parts  int     // of a sample, in each of which the inner controller holds its output; 1 for a continuous one
	u, du  float64 // command, and its change over a sample
	out    float64 // i of an inner controller of its own rate
	before float64 // x at its last sample

	shown HydraulicUse
	felt  float64 // its force with inertia, at the last evaluation
	q     float64 // m³/s from the supply, there
}

// hydraulic is the plant of Hydraulic.
type hydraulic struct {
	cylinder
	load   *follower
	motion *rths.Motion
	mass   float64 // of the specimen
	paced
}

// paced are the steps of an actuator's plant.
type paced struct {
	evaluations int        // of a call, in a test
	lengths     [2]float64 // s, of the longest step, and of that when idealised, where small motion has no error control
	embedded
}

func (p *Hydraulic) plant(at At) (*hydraulic, error) {
	h := p.actuator(at.Specimen)
	h.keepTime(p, at.RateHz)
	k, c, rate := steepest(at.Specimen)
	return h, h.pace(hydraulicKind, h.h, h.parts, 1, rate, func(stuck bool) lti.SS {
		steep := p.actuator(&linear{m: h.mass, c: c, k: k})
		steep.stuck = stuck && h.real.dry
		return steep.linearise()
	})
}

// pacedKind is the name of a plant, and what makes its fastest rate smaller.
type pacedKind struct{ name, softer string }

var hydraulicKind = pacedKind{hydraulicName, "a slower valve, softer seals, clevis, frame or specimen"}

// pace chooses the steps of a sample h (s) in parts, of some actuators with specimens of a fastest rate (1/s): of less
// than 1 rad where the specimens are steepest and the seals stick, of a quarter for the linear plant, and for the
// specimens' states, which have no error control, as in subSteps. of is the plant with the steepest specimens.
func (p *paced) pace(kind pacedKind, h float64, parts, actuators int, rate float64, of func(stuck bool) lti.SS) error {
	p.longest = h / float64(parts)
	if rate > 0 {
		p.longest = min(p.longest, fastest/rate)
	}
	stuckAt, err := lti.SpectralRadius(of(true).A)
	if err != nil {
		return fmt.Errorf("%s: %w", kind.name, err)
	}
	linearAt, err := lti.SpectralRadius(of(false).A)
	if err != nil {
		return fmt.Errorf("%s: %w", kind.name, err)
	}
	p.longest = min(p.longest, 1/stuckAt, 0.25/linearAt)
	p.lengths = [2]float64{p.longest, min(p.longest, 0.01/linearAt)}
	most := evaluationsOf(h)
	p.evaluations = most * actuators / parts
	p.allowed = p.evaluations
	if n := h / p.longest; !(n <= float64(most/4)) {
		return fmt.Errorf("%s: the fastest rate needs %.3g sub-steps of a sample of %.3g s: want at most %d, %s, more mass or a "+
			"higher rate", kind.name, n, h, most/4, kind.softer)
	}
	return nil
}

// evaluationsOf are the evaluations of a sample h (s) with one actuator.
func evaluationsOf(h float64) int { return int(mostEvaluations * max(1, 4096*h)) }

// keepTime is for a test of a rate (Hz), with the rate of the inner controller.
func (c *cylinder) keepTime(p *Hydraulic, rateHz float64) {
	c.h = 1 / rateHz
	if p.ControllerRate > 0 {
		c.smooth, c.parts = false, int(math.Round(p.ControllerRate/rateHz))
	}
}

// actuator is the plant but for the rates of test and inner controller.
func (p *Hydraulic) actuator(specimen Specimen) *hydraulic {
	h := &hydraulic{cylinder: p.cylinder(), load: newFollower(specimen), mass: specimen.Mass(),
		paced: paced{embedded: newEmbedded(hydraulicStates + specimen.States())}}
	h.motion = &h.load.m[end]
	p.size(h.sizes)
	return h
}

func (p *Hydraulic) cylinder() cylinder {
	n := p.numbers()
	c := cylinder{hydraulicNumbers: n, real: n, linear: n.ideal(), smooth: true, h: 1, parts: 1}
	if p.ControllerRate > 0 {
		c.lag = 1 / (2 * p.ControllerRate)
	}
	return c
}

// size sets the sizes of the states.
func (p *Hydraulic) size(sizes []float64) {
	n := p.numbers()
	v0 := n.kq * math.Sqrt(n.ps/2) / n.a
	// Errors of the spool stay while it slews; those of the supply grow a hundredfold where the accumulator gets empty.
	set := p.SupplyPressure * bar
	for i, size := range [hydraulicStates]float64{spool: -5, spoolSpeed: n.omega, integral: 1, meanDrop: set,
		chamberA: set, chamberB: set, seal: p.Presliding * 1e-6, supply: -set / 10, gas: n.most, body: v0 / 10,
		bodySpeed: v0, piston: v0 / 10, pistonSpeed: v0, holding: 1, place: v0 / 10, speed: v0} {
		sizes[i] = size / 100
	}
}

// opening is the opening of an edge at a spool x (full strokes) from it.
func (n *hydraulicNumbers) opening(x float64) float64 { return min(max(0, x-n.deadBand), n.full) }

// root is √ of a pressure drop with its sign, and a polynomial that meets it at 1 bar with its slope.
func root(drop float64) float64 {
	switch {
	case drop >= laminar:
		return math.Sqrt(drop)
	case drop <= -laminar:
		return -math.Sqrt(-drop)
	}
	part := drop / laminar
	return math.Sqrt(laminar) * part * (1.25 - 0.25*part*part)
}

// control is the output of the inner controller, in full valve strokes.
func (p *cylinder) control(y []float64, x, v, drop float64) float64 {
	i := p.kp*(p.u-x) + p.kff*p.du/p.h - p.kd*v
	if p.ki > 0 {
		i += y[integral]
	}
	if p.corner > 0 {
		drop -= y[meanDrop]
	}
	i -= p.kdp * drop
	return min(max(i, -p.full), p.full)
}

// winds reports whether ∫e dt goes on at an output i.
func (p *cylinder) winds(i, e float64) bool { return math.Abs(i) < p.full || i*e < 0 }

// rate is the equations of Hydraulic.
func (p *hydraulic) rate(dy, y []float64) {
	_, _ = dy[hydraulicStates-1], y[hydraulicStates-1]
	force := p.pull(dy, y, y, y[place], y[speed])
	p.fill(dy, y, p.q)
	p.push(dy, y, force)
}

// pull moves the actuator whose far end is at x with velocity v, on the supply in the states of an actuator, and is the
// force of its cylinder.
func (p *cylinder) pull(dy, y, on []float64, x, v float64) (force float64) {
	if p.clevisK > 0 {
		x, v = y[piston], y[pistonSpeed]
	}
	xr, vr := x, v
	if p.frameM > 0 {
		xr, vr = x-y[body], v-y[bodySpeed]
	}
	drop := y[chamberA]
	if p.b > 0 {
		drop -= p.b / p.a * y[chamberB]
	}
	p.steer(dy, y, xr, vr, drop)
	p.flow(dy, y, p.pressure(on), xr, vr)
	force = p.a*drop - p.s2*vr
	if p.dry {
		var drag float64
		dy[seal], drag = p.drag(vr, y[seal], 0)
		force -= drag
	}
	if p.frameM > 0 {
		dy[body] = y[bodySpeed]
		dy[bodySpeed] = (-force - p.frameK*y[body] - p.frameC*y[bodySpeed]) / p.frameM
	}
	return force
}

// steer moves inner controller and valve.
func (p *cylinder) steer(dy, y []float64, x, v, drop float64) {
	i := p.out
	if p.smooth {
		i = p.control(y, x, v, drop)
		if dy[integral] = 0; p.ki > 0 && p.winds(i, p.u-x) {
			dy[integral] = p.ki * (p.u - x)
		}
		dy[meanDrop] = p.corner * (drop - y[meanDrop])
		if p.lag > 0 {
			dy[holding] = (i - y[holding]) / p.lag
			i = y[holding]
		}
	}
	if p.order == 1 {
		dy[spool] = min(max(p.omega*(i-y[spool]), -p.slew), p.slew)
		return
	}
	w := y[spoolSpeed]
	dw := p.omega * (p.omega*(i-y[spool]) - 2*p.zeta*w)
	if math.Abs(w) >= p.slew && w*dw > 0 {
		dw = 0
	}
	dy[spool], dy[spoolSpeed] = w, dw
}

// carry makes the actuator hold a force at rest, N.
func (p *cylinder) carry(force float64) {
	for _, n := range []*hydraulicNumbers{&p.hydraulicNumbers, &p.real, &p.linear} {
		if n.held = force / n.a; n.b > 0 {
			n.restA += force / (n.a + n.b)
			n.restB -= force / (n.a + n.b)
		}
	}
}

// pressure is that of the supply in the states of an actuator, Pa.
func (p *cylinder) pressure(y []float64) float64 {
	if p.most > 0 {
		return p.ps + y[supply]
	}
	return p.ps
}

// flow fills the chambers from a supply.
func (p *cylinder) flow(dy, y []float64, ps, x, v float64) {
	plus, minus := p.opening(y[spool]), p.opening(-y[spool])
	if p.b == 0 {
		drop := p.held + y[chamberA]
		in, out := p.kq*plus*root((ps-drop)/2), p.kq*minus*root((ps+drop)/2)
		dy[chamberA] = p.oil * (in - out - p.a*v - p.leak*y[chamberA])
		p.q = in + out
		return
	}
	a, b := p.restA+y[chamberA], p.restB+y[chamberB]
	over := p.leak * (y[chamberA] - y[chamberB])
	fromA, fromB := p.kq*plus*root(ps-a), p.kq*minus*root(ps-b)
	p.q = fromA + fromB
	intoA, outOfB := fromA-p.kq*minus*root(a), p.kq*plus*root(b)-fromB
	if p.even {
		intoA = p.kq / 2 * (root(p.restA) + root(ps-p.restA)) * y[spool]
		outOfB = intoA
	}
	dy[chamberA] = p.beta / max(p.va+p.a*x, p.va/50) * (intoA - p.a*v - over)
	dy[chamberB] = p.beta / max(p.vb-p.b*x, p.vb/50) * (p.b*v + over - outOfB)
}

// fill lets the pump fill the supply that gives a flow q.
func (p *cylinder) fill(dy, y []float64, q float64) {
	if p.most == 0 {
		return
	}
	ps := p.pressure(y)
	loss := q - p.pump*min(max(-y[supply]/(pumpBand*p.ps), 0), 1)
	if ps >= p.pre {
		dy[gas], dy[supply] = loss, -loss*p.n*ps/(p.gas+y[gas])
	} else {
		dy[gas], dy[supply] = 0, -loss*emptyStiff*p.n*p.pre/p.most
	}
}

// push moves piston and specimen by the force of the cylinder.
func (p *hydraulic) push(dy, y []float64, force float64) {
	m, f := p.motion, p.load.f
	m.X[0], m.V[0] = y[place], y[speed]
	dy[place] = y[speed]
	p.load.specimen.Rate(dy[hydraulicStates:], f, y[hydraulicStates:], m)
	if p.clevisK == 0 {
		dy[speed] = (force - f[0]) / (p.m + p.mass)
		p.felt = f[0] + p.mass*dy[speed]
		return
	}
	p.stretch(dy, y, force, y[place], y[speed])
	dy[speed] = (p.felt - f[0]) / p.mass
}

// stretch moves the piston before a clevis that is a spring, whose far end is at x with velocity v.
func (p *cylinder) stretch(dy, y []float64, force, x, v float64) {
	gap := y[piston] - x
	over := gap - min(max(gap, -p.halfPlay), p.halfPlay)
	p.felt = p.clevisK*over + p.clevisC*(y[pistonSpeed]-v)
	dy[piston] = y[pistonSpeed]
	dy[pistonSpeed] = (force - p.felt) / p.m
}

func (p *hydraulic) Step(now *rths.Reading, command []float64) {
	p.take(command[0])
	for range p.parts {
		if !p.smooth {
			p.sample(p.y, p.y[place])
		}
		p.advance(p, p.h/float64(p.parts), p.stiff(p.y, p.y[speed]))
	}
	p.read(now)
}

// take is the command of a sample.
func (p *cylinder) take(u float64) {
	p.du = u - p.u
	p.u = u
}

// stiff is the step over which the seals settle, s, where the far end has a velocity v: at a speed their deflection
// decays so fast that a longer one is unstable.
func (p *cylinder) stiff(y []float64, v float64) float64 {
	if p.clevisK > 0 {
		v = y[pistonSpeed]
	}
	return p.settle(v - y[bodySpeed])
}

// sample is one sample of an inner controller of its own rate, where the far end is at x.
func (p *cylinder) sample(y []float64, x float64) {
	h, drop := p.h/float64(p.parts), y[chamberA]
	if p.clevisK > 0 {
		x = y[piston]
	}
	if p.b > 0 {
		drop -= p.b / p.a * y[chamberB]
	}
	x -= y[body]
	p.out = p.control(y, x, (x-p.before)/h, drop)
	p.before = x
	if p.winds(p.out, p.u-x) {
		y[integral] += p.ki * (p.u - x) * h
	}
	y[meanDrop] += (drop - y[meanDrop]) * -math.Expm1(-p.corner*h)
}

// accepted commits the specimen at the end of a sub-step.
func (p *hydraulic) accepted(y []float64) bool {
	if p.load.commit == nil {
		return false
	}
	p.motion.X[0], p.motion.V[0] = y[place], y[speed]
	p.load.commit.Commit(y[hydraulicStates:], p.motion)
	return true
}

func (p *hydraulic) read(now *rths.Reading) {
	p.rate(p.trial, p.y)
	now.X[0], now.F[0] = p.y[place], p.felt
	p.show(p.y, p.y, p.bounded)
	if len(now.V) > 0 {
		now.V[0] = p.y[speed]
	}
	if len(now.A) > 0 {
		now.A[0] = p.trial[speed]
	}
}

// show takes the use of the actuator on the supply in the states of another.
func (p *cylinder) show(y, on []float64, bounded int) {
	p.shown = HydraulicUse{100 * y[spool], p.q / litreMin, (p.ps + on[supply]) / bar, (p.held + y[chamberA]) / bar,
		float64(bounded)}
	if p.b > 0 {
		p.shown.Pressure -= p.b / p.a * y[chamberB] / bar
	}
}

// HydraulicUse is how a hydraulic actuator is used at the end of a sample.
type HydraulicUse struct {
	Valve      float64 // opening, % of the full stroke
	Flow       float64 // from the supply, l/min
	Supply     float64 // P_s, bar
	Pressure   float64 // p_L, bar: of the larger area
	Unresolved float64 // samples so far whose equations wanted more evaluations than a tick has
}

// Channels show the use of the actuator.
func (p *hydraulic) Channels() []rths.Channel { return rths.NamedChannels(p.channels(0)) }

// channels are those of an actuator of several, from 1; 0: of the only one.
func (p *cylinder) channels(axis int) (out []rths.Channel) {
	u := &p.shown
	for _, c := range []struct {
		quantity, unit string
		v              *float64
	}{{"valve", "%", &u.Valve}, {"flow", "l/min", &u.Flow}, {"supply", "bar", &u.Supply},
		{"load_pressure", "bar", &u.Pressure}, {"unresolved", "ticks", &u.Unresolved}} {
		out = append(out, rths.Channel{Meaning: rths.Meaning{Quantity: c.quantity, Axis: axis}, Unit: c.unit, V: c.v})
	}
	return out
}

// Idealise makes the plant linear but for the flow at large load.
func (p *hydraulic) Idealise(on bool) {
	p.cylinder.idealise(on)
	p.paced.idealise(on)
}

func (p *paced) idealise(on bool) {
	if p.longest, p.allowed = p.lengths[0], p.evaluations; on {
		p.longest, p.allowed = p.lengths[1], 100*p.evaluations
	}
}

func (p *cylinder) idealise(on bool) {
	if p.hydraulicNumbers = p.real; on {
		p.hydraulicNumbers = p.linear
	}
}

func (p *hydraulic) VisitState(v *rths.StateVisitor) {
	v.Floats(p.y)
	p.visit(v)
}

// visit visits what is beside the states.
func (p *cylinder) visit(v *rths.StateVisitor) {
	v.Float(&p.u)
	v.Float(&p.out)
	v.Float(&p.before)
}

func (p *hydraulic) linearise() lti.SS { return linearise(p, &p.embedded, []*cylinder{&p.cylinder}) }
