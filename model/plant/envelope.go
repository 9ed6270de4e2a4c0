package plant

import (
	"math"

	"rths/maths/portable"
)

// Enveloped is implemented by transfer systems that know what their actuator can do.
type Enveloped interface{ Envelope() (*Envelope, error) }

// Envelope is what a hydraulic actuator can do with its valve wide open.
type Envelope struct {
	of     hydraulicNumbers
	Stroke float64 // m; 0: not stated

	Line      string  // name of the supply; "": it has its own
	SupplyPa  float64 // set pressure, Pa
	PumpM3s   float64 // largest flow of the pump, m³/s
	StoredM3  float64 // oil that leaves the accumulator until its precharge, m³; 0: the pressure never falls
	MovingKg  float64 // mass up to the load cell
	ValveHz   float64
	OilColumn float64    // stiffness with the piston in the middle, N/m
	FreeSpeed [2]float64 // m/s, without load, in extension and retraction
	StallN    [2]float64 // largest force in extension and retraction, at the set pressure
}

// Envelope checks the parameters.
func (p *Hydraulic) Envelope() (*Envelope, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	n := p.numbers()
	e := &Envelope{of: n, Stroke: p.Stroke, Line: p.Line, SupplyPa: n.ps, PumpM3s: n.pump, StoredM3: n.most - n.gas, MovingKg: n.m,
		ValveHz: p.ValveHz, OilColumn: n.oil * n.a * n.a}
	if n.b > 0 {
		e.OilColumn = n.beta * (n.a*n.a/n.va + n.b*n.b/n.vb)
	}
	for i, extends := range []bool{true, false} {
		e.FreeSpeed[i] = e.Speed(0, n.ps, extends)
		e.StallN[i] = n.ps * e.area(extends)
	}
	return e, nil
}

// area is the one that the supply acts on, m².
func (e *Envelope) area(extends bool) float64 {
	if e.of.b > 0 && !extends {
		return e.of.b
	}
	return e.of.a
}

// Speed is the largest speed of the piston against a force (N) at a supply pressure (Pa): v₀ √(1 − F/(A P_s)) with equal
// areas. With areas that differ the chambers have p_A = P_s − (A_A v/K)² and p_B = (A_B v/K)² in extension, and so
//
//	v = K √((A P_s − F)/(A_A³ + A_B³))
//
// with A = A_A in extension and A_B in retraction. Leakage and the part of an edge that an overlap takes are left out of it, an edge
// being open by 1 − d at most.
func (e *Envelope) Speed(force, supply float64, extends bool) float64 {
	n := &e.of
	b := n.b
	if b == 0 {
		b = n.a
	}
	left := e.area(extends)*supply - force
	if left <= 0 {
		return 0
	}
	return n.kq * n.opening(1) * math.Sqrt(left/(n.a*n.a*n.a+b*b*b))
}

// Drag is the friction of the seals at a speed, N.
func (e *Envelope) Drag(speed float64) float64 {
	n := &e.of
	f := n.s2 * speed
	if n.dry {
		f += n.fc + (n.fs-n.fc)*portable.Exp(-speed/n.vs)
	}
	return f
}

// Flow is what the supply gives for a velocity of the piston and a force on it, m³/s.
func (e *Envelope) Flow(v, force float64) float64 {
	return math.Abs(v)*e.area(v > 0) + e.of.leak*math.Abs(force)/e.of.a
}

// Tank is the supply of some actuators during a motion.
type Tank struct {
	e    *Envelope
	Left float64 // oil that has left the accumulator, m³
}

// Tank is a supply at its set pressure.
func (e *Envelope) Tank() *Tank { return &Tank{e: e} }

// Draw takes a flow (m³/s) over a time (s), and is the pressure then, Pa: P_s V_g^n is constant. Without oil it is 0.
func (t *Tank) Draw(flow, h float64) float64 {
	n := &t.e.of
	if n.most == 0 {
		return n.ps
	}
	pump := n.pump * min(max((n.ps-t.pressure())/(pumpBand*n.ps), 0), 1)
	t.Left = max(0, t.Left+(flow-pump)*h)
	return t.pressure()
}

func (t *Tank) pressure() float64 {
	n := &t.e.of
	if n.gas+t.Left >= n.most {
		return 0
	}
	return n.ps * portable.Pow(n.gas/(n.gas+t.Left), n.n)
}
