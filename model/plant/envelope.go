package plant

import (
	"math"

	"gonum.org/v1/gonum/mat"

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

	PayloadM   float64 // height of a payload above the bearings of a shake table, m
	OverturnNm float64 // moment that the bearings carry; 0: not stated
}

// Envelope checks the parameters.
func (p *Hydraulic) Envelope() (*Envelope, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	n := p.numbers()
	e := &Envelope{of: n, Stroke: p.Stroke, Line: p.Line, SupplyPa: n.ps, PumpM3s: n.pump, StoredM3: n.most - n.gas, MovingKg: n.m,
		ValveHz: p.ValveHz, OilColumn: n.oil * n.a * n.a, PayloadM: p.PayloadHeight, OverturnNm: p.Overturning}
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

// Border is the envelope at a supply pressure (Pa), closed, as forces on the piston (N) and its velocities (m/s). Where both
// have the same sign the force is against the motion.
func (e *Envelope) Border(supply float64) (force, velocity []float64) {
	most := supply * max(e.area(true), e.area(false)) // beyond, a load that helps pulls a chamber empty
	for i, extends := range []bool{true, false} {
		way := 1 - 2*float64(i)
		for at := 1.0; at >= -1; at -= 1.0 / 64 {
			force, velocity = append(force, way*at*most), append(velocity, way*e.Speed(at*most, supply, extends))
		}
	}
	return append(force, force[0]), append(velocity, velocity[0])
}

// sineAngles are the phases of a sine at which Sine looks.
const sineAngles = 720

// Sine is the largest amplitude of the velocity (m/s) in a long sine motion at a circular frequency ω (rad/s), at the set
// pressure. The load has the dynamic stiffness D (N/m: force over displacement, both complex), to which the moving mass and
// the viscous friction of the seals are added here; their static friction at breakaway is left out. At the phase θ of a
// motion of amplitude V the speed is V cos θ against the force (V/ω) (Re D sin θ + Im D cos θ) + F_c, and so
//
//	V² cos²θ + V v₀²/(ω A P_s) (Re D sin θ + Im D cos θ) ≤ v₀² (1 − F_c/(A P_s))
//
// for all θ within ± 90°, in extension and retraction. Of a mass m that is V = v₀ √(1 − q²), q = ½ v₀ m ω/(A P_s), up to
// q² = ½, and A P_s/(m ω) beyond.
func (e *Envelope) Sine(omega float64, stiffness complex128) float64 {
	d := stiffness + complex(-e.MovingKg*omega*omega, e.of.s2*omega)
	most := math.Inf(1)
	for i, stall := range e.StallN {
		v2 := e.FreeSpeed[i] * e.FreeSpeed[i]
		left := v2
		if e.of.dry {
			left *= 1 - e.of.fc/stall
		}
		if left <= 0 {
			return 0
		}
		for j := range sineAngles + 1 {
			s, c := math.Sincos(math.Pi * (float64(j)/sineAngles - 0.5))
			b := v2 / (omega * stall) * (real(d)*s + imag(d)*c)
			if root := b + math.Sqrt(b*b+4*c*c*left); root > 0 {
				most = min(most, 2*left/root)
			}
		}
	}
	return most
}

// DynamicStiffness is the force of a specimen over its displacement (N/m) in a small sine motion at a circular frequency
// (rad/s), −m ω² + i ω c + k and what its own states add; not ok: it is not linear.
func DynamicStiffness(s Specimen, omega float64) (d complex128, ok bool) {
	f, ok := formOf(AtRest(s))
	if !ok {
		return 0, false
	}
	d = complex(f.k-f.m*omega*omega, f.c*omega)
	if f.a == nil {
		return d, true
	}
	// (iω − A)(p + i q) = B₁ + iω B₂, as a real system of twice the size
	n := len(f.cz)
	big, right := mat.NewDense(2*n, 2*n, nil), mat.NewVecDense(2*n, nil)
	for i := range n {
		for j := range n {
			big.Set(i, j, -f.a.At(i, j))
			big.Set(n+i, n+j, -f.a.At(i, j))
		}
		big.Set(i, n+i, -omega)
		big.Set(n+i, i, omega)
		right.SetVec(i, f.b.At(i, 0))
		right.SetVec(n+i, omega*f.b.At(i, 1))
	}
	var z mat.VecDense
	if err := z.SolveVec(big, right); err != nil {
		return 0, false
	}
	for i, c := range f.cz {
		d += complex(c*z.AtVec(i), c*z.AtVec(n+i))
	}
	return d, true
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

// Sustained is the amplitude of the velocity (m/s) in a long sine motion that the pump alone gives oil for.
func (e *Envelope) Sustained() float64 { return math.Pi * e.PumpM3s / (e.area(true) + e.area(false)) }

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
