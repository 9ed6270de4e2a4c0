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
	taken               // elastic energy that oil takes out of unequal chambers along, and work on a weight carried at rest
	inLoad              // of that on the load, in dashpots of the specimens
	workAccounts        // their number
)

// powers are the rates of the accounts at states y with rates dy, after the equations in the comment of Hydraulic, where
// the far end has a velocity v; and the flow from the supply in states on.
func (p *cylinder) powers(dy, y, on []float64, v float64) (w [workAccounts]float64, used float64) {
	vp := v
	if p.clevisK > 0 {
		vp = y[pistonSpeed]
	}
	vr, ps := vp-y[bodySpeed], p.ps+on[supply]
	plus, minus := min(max(y[spool]-p.deadBand, 0), 1), min(max(-y[spool]-p.deadBand, 0), 1)
	loss := func(opening, drop float64) (flow float64) {
		flow = p.kq * opening * root(drop)
		w[edges] += flow * drop
		return flow
	}
	if p.b == 0 {
		drop := p.held + y[chamberA]
		in, out := loss(plus, (ps-drop)/2), loss(minus, (ps+drop)/2)
		w[edges] += in*(ps-drop)/2 + out*(ps+drop)/2 // the second edge in series
		w[leaked] = p.leak * y[chamberA] * drop
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
	w[taken] += p.held * p.a * vr
	g := p.fc + (p.fs-p.fc)*math.Exp(-math.Abs(vr)/p.vs)
	z := p.s0 * y[seal]
	w[rubbed] = p.s2*vr*vr + z*z*math.Abs(vr)/g + p.s1*dy[seal]*vr
	w[dashpots] = p.frameC*y[bodySpeed]*y[bodySpeed] + p.clevisC*(vp-v)*(vp-v)
	w[onLoad] = p.felt * v
	return w, used
}

// pumping is the power of the pump that gives a flow.
func (p *cylinder) pumping(on []float64, used float64) float64 {
	ps := p.ps + on[supply]
	if p.most > 0 {
		used = p.pump * min(max(-on[supply]/(0.05*p.ps), 0), 1)
	}
	return ps * used
}

// elastic is the energy of oil at a pressure, J/m³.
func (p *cylinder) elastic(at float64) float64 { return p.beta * (math.Expm1(at/p.beta) - at/p.beta) }

// stored is the energy in oil, masses, springs and bristles, J, where the far end is at x with velocity v.
func (p *cylinder) stored(y []float64, x, v float64) float64 {
	end := x
	if p.clevisK > 0 {
		x, v = y[piston], y[pistonSpeed]
	}
	e := p.m*v*v/2 + (p.frameM*y[bodySpeed]*y[bodySpeed]+p.frameK*y[body]*y[body])/2 + p.s0*y[seal]*y[seal]/2
	if p.clevisK > 0 {
		over := max(math.Abs(x-end)-p.halfPlay, 0)
		e += p.clevisK * over * over / 2
	}
	x -= y[body]
	if p.b == 0 {
		return e + (p.held+y[chamberA])*(p.held+y[chamberA])/(2*p.oil)
	}
	return e + (p.va+p.a*x)*p.elastic(p.restA+y[chamberA]) + (p.vb-p.b*x)*p.elastic(p.restB+y[chamberB])
}

// gases is the energy in gas, J.
func (p *cylinder) gases(y []float64) float64 {
	switch ps := p.ps + y[supply]; {
	case p.most == 0:
		return 0
	case ps >= p.pre:
		return ps * (p.gas + y[gas]) / (p.n - 1)
	default: // the full gas, and the stiffness of the empty accumulator
		return p.pre*p.most/(p.n-1) - (p.pre*p.pre-ps*ps)*p.most/(200*p.n*p.pre)
	}
}

// ledger is a plant with the accounts of its powers.
type ledger struct {
	of            smoothODE
	powers        func(dy, y []float64) [workAccounts]float64
	turns         func(before, after []float64) bool // an accumulator got empty, or filled
	y, at, k, sum []float64
	work          [workAccounts]float64
}

func newLedger(of smoothODE, y []float64) *ledger {
	n := len(y)
	return &ledger{of: of, y: y, at: make([]float64, n), k: make([]float64, n), sum: make([]float64, n)}
}

// step is one step of RK4. It is in parts where the accumulator gets empty or fills: the pressure turns there.
func (l *ledger) step(h float64, parts int) {
	before, work := slices.Clone(l.y), l.work
	copy(l.at, l.y)
	clear(l.sum)
	for i, weight := range [4]float64{1, 2, 2, 1} {
		l.of.rate(l.k, l.at)
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
	if parts > 1 && l.turns(before, l.y) {
		l.y, l.work = before, work
		for range parts {
			l.step(h/float64(parts), 1)
		}
	}
}

// turns reports whether the accumulator got empty, or filled.
func (p *cylinder) turns(before, after []float64) bool {
	empty := p.pre - p.ps
	return p.most > 0 && (before[supply] < empty) != (after[supply] < empty)
}

// The pump's work of 1 s is on the load, lost or stored. Powers are integrated with the equations, in 32 steps of RK4
// to a sample. What is nowhere is rounding, but where the accumulator gets empty.
func TestHydraulicEnergy(t *testing.T) {
	for _, c := range hydraulicCases() {
		p := c.make(t)
		if !p.smooth || c.shows == nil && c.seconds > 2 && c.name != "250kN-20um" {
			continue
		}
		l := newLedger(p, p.y)
		l.turns = p.turns
		l.powers = func(dy, y []float64) [workAccounts]float64 {
			w, used := p.powers(dy, y, y, y[speed])
			w[pumped] = p.pumping(y, used)
			return w
		}
		stored := func() float64 { return p.stored(l.y, l.y[place], l.y[speed]) + p.gases(l.y) }
		first := stored()
		for _, u := range c.commands()[:rate] {
			p.take(u)
			for range 32 {
				l.step(p.h/32, 200)
			}
		}
		work, change := l.work, stored()-first
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
