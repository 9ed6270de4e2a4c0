package kalman

import (
	"math"

	"rths/maths/signal"
)

// extrapolation is the command δ ahead. Its filter E comes from the difference ∇ = 1 − z⁻¹
// in series with a low-pass of first order with time constant T, D = ∇/(1 + τ∇) with τ = T/h.
// With n = δ/h
//
//	z^n = (1 − ∇)^(−n) = ((1 − τD)/(1 − (1 + τ)D))^n = exp(Σ eᵢ Dⁱ),  eᵢ = n ((1 + τ)ⁱ − τⁱ)/i,
//	E = 1 + e₁ D + (e₂ + e₁²/2) D² + (e₃ + e₁ e₂ + e₁³/6) D³:
//
// a cubic comes out exactly, and fast motion is raised by no more than E has at D = 1/τ. The
// series of the target's derivatives, cut after the snap, is not bounded so: at the resonance
// of the oil column its terms no longer cancel.
type extrapolation struct {
	tau float64
	n   float64
	k   [3]float64 // of D, D², D³
	u   float64    // the last command
	d   [3]float64 // D, D², D³ of it
}

// delayOverT bounds the pure delay over T: more lets the force of the specimen make the loop
// unstable through E.
const delayOverT = 1.75

// newExtrapolation has T of a cutoff, or longer for a long pure delay, s.
func newExtrapolation(cutoffHz, pure, h float64) extrapolation {
	return extrapolation{tau: max(1/(2*math.Pi*cutoffHz), pure/delayOverT) / h}
}

// set makes it n samples ahead.
func (e *extrapolation) set(n float64) {
	t := e.tau
	e1, e2, e3 := n, n*(1+2*t)/2, n*(1+3*t+3*t*t)/3
	e.n, e.k = n, [3]float64{e1, e2 + e1*e1/2, e3 + e1*e2 + e1*e1*e1/6}
}

// of is E u.
func (e *extrapolation) of(u float64) float64 {
	over, d := 1/(1+e.tau), &e.d
	first := (e.tau*d[0] + u - e.u) * over
	second := (e.tau*d[1] + first - d[0]) * over
	d[2] = (e.tau*d[2] + second - d[1]) * over
	e.u, d[0], d[1] = u, first, second
	return u + e.k[0]*first + e.k[1]*second + e.k[2]*d[2]
}

// between is the value n samples before the newest, n ≥ 0, on the line between two samples.
func between(l *signal.Line, n float64) float64 {
	k := int(n)
	newer := l.At(k)
	return newer + (n-float64(k))*(l.At(k+1)-newer)
}
