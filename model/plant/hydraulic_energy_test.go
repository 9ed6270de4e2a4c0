package plant

import (
	"math"
	"slices"
	"testing"
)

// Where the work of the pump goes, J.
const (
	pumped       = iota // by the pump into the line
	onLoad              // on the specimen, with its inertia
	edges               // in the edges of the valve
	leaked              // over the piston
	rubbed              // in the seals: viscous, bristles and their damping
	dashpots            // in frame and clevis
	taken               // elastic energy that oil takes out of unequal chambers along
	workAccounts        // their number
)

// powers are the rates of the accounts at states y with rates dy, after the equations in the comment of Hydraulic.
func (p *hydraulic) powers(dy, y []float64) (w [workAccounts]float64) {
	v, vp := y[speed], y[speed]
	if p.clevisK > 0 {
		vp = y[pistonSpeed]
	}
	vr, ps := vp-y[bodySpeed], p.ps+y[supply]
	plus, minus := min(max(y[spool]-p.deadBand, 0), 1), min(max(-y[spool]-p.deadBand, 0), 1)
	loss := func(opening, drop float64) (flow float64) {
		flow = p.kq * opening * root(drop)
		w[edges] += flow * drop
		return flow
	}
	var used float64
	if p.b == 0 {
		in, out := loss(plus, (ps-y[chamberA])/2), loss(minus, (ps+y[chamberA])/2)
		w[edges] += in*(ps-y[chamberA])/2 + out*(ps+y[chamberA])/2 // the second edge in series
		w[leaked] = p.leak * y[chamberA] * y[chamberA]
		used = in + out
	} else {
		a, b := p.restA+y[chamberA], p.restB+y[chamberB]
		over := p.leak * (y[chamberA] - y[chamberB])
		inA, inB := loss(plus, ps-a), loss(minus, ps-b)
		outA, outB := loss(minus, a), loss(plus, b)
		w[leaked] = over * (a - b)
		w[taken] = -p.elastic(a)*(inA-outA-over) - p.elastic(b)*(inB-outB+over)
		used = inA + inB
	}
	w[pumped] = ps * used
	if p.most > 0 {
		w[pumped] = ps * p.pump * min(max(-y[supply]/(0.05*p.ps), 0), 1)
	}
	g := p.fc + (p.fs-p.fc)*math.Exp(-math.Abs(vr)/p.vs)
	z := p.s0 * y[seal]
	w[rubbed] = p.s2*vr*vr + z*z*math.Abs(vr)/g + p.s1*dy[seal]*vr
	w[dashpots] = p.frameC*y[bodySpeed]*y[bodySpeed] + p.clevisC*(vp-v)*(vp-v)
	w[onLoad] = p.felt * v
	return w
}

// elastic is the energy of oil at a pressure, J/m³.
func (p *hydraulic) elastic(at float64) float64 { return p.beta * (math.Expm1(at/p.beta) - at/p.beta) }

// stored is the energy in oil, gas, masses, springs and bristles, J.
func (p *hydraulic) stored(y []float64) float64 {
	x, v := y[place], y[speed]
	if p.clevisK > 0 {
		x, v = y[piston], y[pistonSpeed]
	}
	e := p.m*v*v/2 + (p.frameM*y[bodySpeed]*y[bodySpeed]+p.frameK*y[body]*y[body])/2 + p.s0*y[seal]*y[seal]/2
	if p.clevisK > 0 {
		over := max(math.Abs(x-y[place])-p.halfPlay, 0)
		e += p.clevisK * over * over / 2
	}
	x -= y[body]
	if p.b == 0 {
		e += y[chamberA] * y[chamberA] / (2 * p.oil)
	} else {
		e += (p.va+p.a*x)*p.elastic(p.restA+y[chamberA]) + (p.vb-p.b*x)*p.elastic(p.restB+y[chamberB])
	}
	switch ps := p.ps + y[supply]; {
	case p.most == 0:
	case ps >= p.pre:
		e += ps * (p.gas + y[gas]) / (p.n - 1)
	default: // the full gas, and the stiffness of the empty accumulator
		e += p.pre*p.most/(p.n-1) - (p.pre*p.pre-ps*ps)*p.most/(200*p.n*p.pre)
	}
	return e
}

// ledger is a plant with the accounts of its powers.
type ledger struct {
	*hydraulic
	y, at, k, sum []float64
	work          [workAccounts]float64
}

// step is one step of RK4. It is in parts where the accumulator gets empty or fills: the pressure turns there.
func (l *ledger) step(h float64, parts int) {
	before, work := slices.Clone(l.y), l.work
	copy(l.at, l.y)
	clear(l.sum)
	for i, weight := range [4]float64{1, 2, 2, 1} {
		l.rate(l.k, l.at)
		for j, of := range l.powers(l.k, l.at) {
			l.work[j] += h / 6 * weight * of
		}
		for j := range l.y {
			l.sum[j] += weight / 6 * l.k[j]
			l.at[j] = l.y[j] + [4]float64{h / 2, h / 2, h, 0}[i]*l.k[j]
		}
	}
	for j := range l.y {
		l.y[j] += h * l.sum[j]
	}
	if empty := l.pre - l.ps; parts > 1 && l.most > 0 && (before[supply] < empty) != (l.y[supply] < empty) {
		l.y, l.work = before, work
		for range parts {
			l.step(h/float64(parts), 1)
		}
	}
}

// The pump's work of 1 s is on the load, lost or stored. Powers are integrated with the equations, in 32 steps of RK4
// to a sample. What is nowhere is rounding, but where the accumulator gets empty.
func TestHydraulicEnergy(t *testing.T) {
	for _, c := range hydraulicCases() {
		p := c.make(t)
		if !p.smooth || c.shows == nil && c.seconds > 2 && c.name != "250kN-20um" {
			continue
		}
		n := len(p.y)
		l := ledger{hydraulic: p, y: p.y, at: make([]float64, n), k: make([]float64, n), sum: make([]float64, n)}
		first := p.stored(l.y)
		for _, u := range c.commands()[:rate] {
			p.u, p.du = u, u-p.u
			for range 32 {
				l.step(p.h/32, 200)
			}
		}
		work, change := l.work, p.stored(l.y)-first
		left := work[pumped] - change
		for _, w := range work[onLoad:] {
			left -= w
		}
		t.Logf("%s: of %.4g J by the pump %.4g on the load, %.4g in edges, %.3g by leakage, %.3g in seals, %.3g in "+
			"dashpots, %.3g taken along, %.4g stored: left %.2g", c.name, work[pumped], work[onLoad], work[edges],
			work[leaked], work[rubbed], work[dashpots], work[taken], change, left/work[pumped])
		if !(math.Abs(left) <= 1e-5*work[pumped]) {
			t.Errorf("%s: %.3g J of %.3g J are nowhere", c.name, left, work[pumped])
		}
		for j, w := range work[:taken] {
			if !(w > 0) && (j != dashpots || c.p.FrameStiffness > 0) {
				t.Errorf("%s: account %d is %.3g J: want more than 0", c.name, j, w)
			}
		}
	}
}
