package plant

import "math"

// Quickened is implemented by transfer systems whose lag is a matter of their parameters.
// Quicken makes the system f times as fast, G(s/f) in place of G(s): its lag is divided by f,
// static gain and shape stay. What the specimen does to the system follows from its force
// as before.
type Quickened interface{ Quicken(f float64) }

// Quicken scales α₃ and β₁ by f, β₂ by f² and α₁β₀ by f³; α₂, which multiplies the velocity, stays.
func (p *Silva2020) Quicken(f float64) {
	p.Alpha3 *= f
	p.Beta1 *= f
	p.Beta2 *= f * f
	p.Alpha1Beta *= f * f * f
}

// Quicken scales K_p by f, K_i by f² and divides the valve's τ by f; oil and piston stay.
func (p *ServoHydraulic) Quicken(f float64) {
	p.ProportionalGain *= f
	p.IntegralGain *= f * f
	p.ValveTauMs /= f
}

// Quicken lets the same valve strokes and pressures move everything f times as fast: flows and the valve's rates times f,
// masses by f², dampings by f. The rate of the inner controller stays.
func (p *Hydraulic) Quicken(f float64) {
	for _, v := range []*float64{&p.IntegralGain, &p.PressureCorner, &p.RatedFlow, &p.ValveHz, &p.ValveSlew, &p.PumpFlow,
		&p.Leakage, &p.StribeckSpeed} {
		*v *= f
	}
	for _, v := range []*float64{&p.DerivativeGain, &p.Feedforward, &p.BristleDamping, &p.Viscous, &p.ClevisDamping} {
		*v /= f
	}
	p.MovingMass /= f * f
	p.FrameMass /= f * f
}

// Quicken lets the same currents and forces move everything f times as fast: speeds, voltages and gains of position times
// f, masses by f², dampings by f.
func (p *Electric) Quicken(f float64) {
	for _, v := range []*float64{&p.PositionGain, &p.SpeedLimit, &p.VoltageLimit, &p.Resistance, &p.StribeckSpeed} {
		*v *= f
	}
	for _, v := range []*float64{&p.SpeedGain, &p.IntegralTime, &p.CurrentTau, &p.Damping, &p.BristleDamping, &p.Viscous} {
		*v /= f
	}
	p.Inertia /= f * f
	p.MovingMass /= f * f
}

// Quicken scales ω and its swing.
func (p *SecondOrder) Quicken(f float64) {
	p.Omega *= f
	p.Swing *= f
}

// Quicken divides τ.
func (p *FirstOrder) Quicken(f float64) { p.TauMs /= f }

// Quicken divides the delay.
func (p *Delay) Quicken(f float64) { p.DelayMs /= f }

// Quicken scales the poles and zeros of both actuators at the same static gains; the pole pair
// of the frame stays.
func (p *MaRTHS) Quicken(f float64) {
	for _, list := range [][]float64{p.Zeros1, p.Poles1, p.Poles2} {
		scale(list, f)
	}
	p.Zero12 *= f
	p.Zero22 *= f
	p.Gain12 *= f // one pole more than zeros
	p.Gain22 *= f
}

// Quicken divides the coefficients of sⁿ by fⁿ, and the delay by f.
func (p *GivenTF) Quicken(f float64) {
	for _, poly := range [][]float64{p.Num, p.Den} {
		for i := range poly {
			poly[i] /= math.Pow(f, float64(len(poly)-1-i))
		}
	}
	p.DelayMs /= f
}

// Quicken scales zeros and poles, and the gain so that the static gain stays.
func (p *GivenZPK) Quicken(f float64) {
	for _, root := range append(p.Zeros[:len(p.Zeros):len(p.Zeros)], p.Poles...) {
		scale(root, f)
	}
	p.Gain *= math.Pow(f, float64(len(p.Poles)-len(p.Zeros)))
	p.DelayMs /= f
}

// Quicken scales A and B, and divides the delay.
func (p *GivenSS) Quicken(f float64) {
	for _, m := range [][][]float64{p.A, p.B} {
		for _, row := range m {
			scale(row, f)
		}
	}
	p.DelayMs /= f
}

func scale(list []float64, f float64) {
	for i := range list {
		list[i] *= f
	}
}
