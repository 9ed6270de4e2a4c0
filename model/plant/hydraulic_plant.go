package plant

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

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
	restA    float64 // p_A and p_B at rest, Pa
	restB    float64
	leak     float64 // m³/s/Pa
	m        float64
	dry      bool
	s0, s1   float64
	s2       float64
	fc, fs   float64
	vs       float64
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
		dry: dry, s0: law.Sigma0, s1: law.Sigma1, s2: law.Sigma2, fc: law.Fc, fs: law.Fs, vs: law.Vs,
		clevisK: p.ClevisStiffness, clevisC: p.ClevisDamping, halfPlay: p.ClevisPlay / 2e3,
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
	return n
}

// hydraulic is the plant of Hydraulic.
type hydraulic struct {
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

	load        *follower
	motion      *rths.Motion
	mass        float64    // of the specimen
	evaluations int        // of a call, in a test
	lengths     [2]float64 // s, of the longest step, and of that when idealised, where small motion has no error control

	shown HydraulicUse
	felt  float64 // its force with inertia, at the last evaluation
	q     float64 // m³/s from the supply, there
	embedded
}

func (p *Hydraulic) plant(at At) (*hydraulic, error) {
	h := p.actuator(at.Specimen)
	h.h = 1 / at.RateHz
	if p.ControllerRate > 0 {
		h.smooth, h.parts = false, int(math.Round(p.ControllerRate/at.RateHz))
	}
	// Steps of less than 1 rad where the specimen is steepest and the seals stick, of a quarter for the linear plant, and
	// for the specimen's states, which have no error control, as in subSteps.
	k, c, rate := steepest(at.Specimen)
	stuck := p.actuator(&linear{m: h.mass, c: c, k: k})
	stuck.stuck = h.real.dry
	h.longest = h.h / float64(h.parts)
	if rate > 0 {
		h.longest = min(h.longest, fastest/rate)
	}
	radius := func(of *hydraulic) (float64, error) { return lti.SpectralRadius(of.linearise().A) }
	stuckAt, err := radius(stuck)
	if err != nil {
		return nil, fmt.Errorf("servo-hydraulic-nonlinear transfer system: %w", err)
	}
	linearAt, err := radius(p.actuator(&linear{m: h.mass, c: c, k: k}))
	if err != nil {
		return nil, fmt.Errorf("servo-hydraulic-nonlinear transfer system: %w", err)
	}
	h.longest = min(h.longest, 1/stuckAt, 0.25/linearAt)
	h.lengths = [2]float64{h.longest, min(h.longest, 0.01/linearAt)}
	most := int(mostEvaluations * max(1, 4096*h.h))
	h.evaluations, h.allowed = most/h.parts, most/h.parts
	if n := h.h / h.longest; !(n <= float64(most/4)) {
		return nil, fmt.Errorf("servo-hydraulic-nonlinear transfer system: the fastest rate needs %.3g sub-steps of a sample of "+
			"%.3g s: want at most %d, a slower valve, softer seals, clevis, frame or specimen, more mass or a higher rate", n, h.h,
			most/4)
	}
	return h, nil
}

// actuator is the plant but for the rates of test and inner controller.
func (p *Hydraulic) actuator(specimen Specimen) *hydraulic {
	n := p.numbers()
	h := &hydraulic{hydraulicNumbers: n, real: n, linear: n.ideal(), smooth: true, h: 1, parts: 1, load: newFollower(specimen),
		mass: specimen.Mass(), embedded: newEmbedded(hydraulicStates + specimen.States())}
	if p.ControllerRate > 0 {
		h.lag = 1 / (2 * p.ControllerRate)
	}
	h.motion = &h.load.m[end]
	v0 := n.kq * math.Sqrt(n.ps/2) / n.a
	// Errors of the spool stay while it slews; those of the supply grow a hundredfold where the accumulator gets empty.
	set := p.SupplyPressure * bar
	for i, size := range [hydraulicStates]float64{spool: -5, spoolSpeed: n.omega, integral: 1, meanDrop: set,
		chamberA: set, chamberB: set, seal: p.Presliding * 1e-6, supply: -set / 10, gas: n.most, body: v0 / 10,
		bodySpeed: v0, piston: v0 / 10, pistonSpeed: v0, holding: 1, place: v0 / 10, speed: v0} {
		h.sizes[i] = size / 100
	}
	return h
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
func (p *hydraulic) control(y []float64, x, v, drop float64) float64 {
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
func (p *hydraulic) winds(i, e float64) bool { return math.Abs(i) < p.full || i*e < 0 }

// rate is the equations of Hydraulic.
func (p *hydraulic) rate(dy, y []float64) {
	_, _ = dy[hydraulicStates-1], y[hydraulicStates-1]
	x, v := y[place], y[speed]
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
	p.flow(dy, y, xr, vr)
	force := p.a*drop - p.s2*vr
	if p.dry {
		g, at := p.fc, math.Abs(vr)
		if at < 40*p.vs {
			g += (p.fs - p.fc) * portable.Exp(-at/p.vs)
		}
		bend := vr - p.s0*at/g*y[seal]
		dy[seal] = bend
		force -= p.s0*y[seal] + p.s1*bend
	}
	if p.frameM > 0 {
		dy[body] = y[bodySpeed]
		dy[bodySpeed] = (-force - p.frameK*y[body] - p.frameC*y[bodySpeed]) / p.frameM
	}
	p.push(dy, y, force)
}

// steer moves inner controller and valve.
func (p *hydraulic) steer(dy, y []float64, x, v, drop float64) {
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

// flow fills the chambers and empties the supply.
func (p *hydraulic) flow(dy, y []float64, x, v float64) {
	plus, minus := p.opening(y[spool]), p.opening(-y[spool])
	ps := p.ps
	if p.most > 0 {
		ps += y[supply]
	}
	if p.b == 0 {
		in, out := p.kq*plus*root((ps-y[chamberA])/2), p.kq*minus*root((ps+y[chamberA])/2)
		dy[chamberA] = p.oil * (in - out - p.a*v - p.leak*y[chamberA])
		p.q = in + out
	} else {
		a, b := p.restA+y[chamberA], p.restB+y[chamberB]
		over := p.leak * (y[chamberA] - y[chamberB])
		fromA, fromB := p.kq*plus*root(ps-a), p.kq*minus*root(ps-b)
		p.q = fromA + fromB
		dy[chamberA] = p.beta / max(p.va+p.a*x, p.va/50) * (fromA - p.kq*minus*root(a) - p.a*v - over)
		dy[chamberB] = p.beta / max(p.vb-p.b*x, p.vb/50) * (fromB - p.kq*plus*root(b) + p.b*v + over)
	}
	if p.most == 0 {
		return
	}
	loss := p.q - p.pump*min(max(-y[supply]/(pumpBand*p.ps), 0), 1)
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
	gap := y[piston] - y[place]
	over := gap - min(max(gap, -p.halfPlay), p.halfPlay)
	p.felt = p.clevisK*over + p.clevisC*(y[pistonSpeed]-y[speed])
	dy[piston] = y[pistonSpeed]
	dy[pistonSpeed] = (force - p.felt) / p.m
	dy[speed] = (p.felt - f[0]) / p.mass
}

func (p *hydraulic) Step(now *rths.Reading, command []float64) {
	p.du = command[0] - p.u
	p.u = command[0]
	for range p.parts {
		if !p.smooth {
			p.sample()
		}
		p.advance(p, p.h/float64(p.parts), p.stiff())
	}
	p.read(now)
}

// stiff is the step over which the seals settle, s: at a speed their deflection decays so fast that a longer one is unstable.
func (p *hydraulic) stiff() float64 {
	if !p.dry {
		return math.Inf(1)
	}
	v := p.y[speed]
	if p.clevisK > 0 {
		v = p.y[pistonSpeed]
	}
	return 1.5 * p.fc / (p.s0 * math.Abs(v-p.y[bodySpeed]))
}

// sample is one sample of an inner controller of its own rate.
func (p *hydraulic) sample() {
	y, h := p.y, p.h/float64(p.parts)
	x, drop := y[place], y[chamberA]
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
	p.shown = HydraulicUse{100 * p.y[spool], p.q / litreMin, (p.ps + p.y[supply]) / bar, p.y[chamberA] / bar,
		float64(p.bounded)}
	if p.b > 0 {
		p.shown.Pressure -= p.b / p.a * p.y[chamberB] / bar
	}
	if len(now.V) > 0 {
		now.V[0] = p.y[speed]
	}
	if len(now.A) > 0 {
		now.A[0] = p.trial[speed]
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
func (p *hydraulic) Channels() []rths.Channel {
	u := &p.shown
	return rths.NamedChannels([]rths.Channel{
		{Meaning: rths.Meaning{Quantity: "valve"}, Unit: "%", V: &u.Valve},
		{Meaning: rths.Meaning{Quantity: "flow"}, Unit: "l/min", V: &u.Flow},
		{Meaning: rths.Meaning{Quantity: "supply"}, Unit: "bar", V: &u.Supply},
		{Meaning: rths.Meaning{Quantity: "load_pressure"}, Unit: "bar", V: &u.Pressure},
		{Meaning: rths.Meaning{Quantity: "unresolved"}, Unit: "ticks", V: &u.Unresolved},
	})
}

// Idealise makes the plant linear but for the flow at large load.
func (p *hydraulic) Idealise(on bool) {
	p.hydraulicNumbers, p.longest, p.allowed = p.real, p.lengths[0], p.evaluations
	if on {
		p.hydraulicNumbers, p.longest, p.allowed = p.linear, p.lengths[1], 100*p.evaluations
	}
}

func (p *hydraulic) VisitState(v *rths.StateVisitor) {
	v.Floats(p.y)
	v.Float(&p.u)
	v.Float(&p.out)
	v.Float(&p.before)
}

// linearise is the idealised plant about rest with a linear specimen, by differences of its equations, which are linear or
// even there: of outputs displacement and force.
func (p *hydraulic) linearise() lti.SS {
	p.hydraulicNumbers = p.linear
	p.dry = p.stuck
	y := p.y
	has := [hydraulicStates]bool{spool: true, spoolSpeed: p.order == 2, integral: p.ki > 0, chamberA: true,
		meanDrop: p.kdp > 0 && p.corner > 0, seal: p.dry, body: p.frameM > 0, bodySpeed: p.frameM > 0,
		piston: p.clevisK > 0, pistonSpeed: p.clevisK > 0, holding: p.lag > 0, place: true, speed: true}
	var at []int
	for i, some := range has {
		if some {
			at = append(at, i)
		}
	}
	for i := range p.load.specimen.States() {
		at = append(at, hydraulicStates+i)
	}
	// In small motion the edges let in as much as out, and both chambers together keep their oil.
	together := func() {
		if p.b > 0 {
			x := y[place]
			if p.clevisK > 0 {
				x = y[piston]
			}
			y[chamberB] = -(p.va*y[chamberA] + p.beta*(p.a-p.b)*(x-y[body])) / p.vb
		}
	}
	n := len(at)
	ss := lti.SS{A: mat.NewDense(n, n, nil), B: mat.NewDense(n, 1, nil), C: mat.NewDense(2, n, nil), D: mat.NewDense(2, 1, nil)}
	up, down := make([]float64, len(y)), make([]float64, len(y))
	slope := func(v *float64, step float64, column *mat.Dense, force *mat.Dense, j int) {
		*v = step
		together()
		p.rate(up, y)
		f := p.felt
		*v = -step
		together()
		p.rate(down, y)
		*v = 0
		together()
		for i, s := range at {
			column.Set(i, j, (up[s]-down[s])/(2*step))
		}
		force.Set(1, j, (f-p.felt)/(2*step))
	}
	for j, s := range at {
		slope(&y[s], max(math.Abs(p.sizes[s])/100, 1e-6), ss.A, ss.C, j)
		if s == place {
			ss.C.Set(0, j, 1)
		}
	}
	slope(&p.u, p.sizes[place]/100, ss.B, ss.D, 0)
	return ss
}
