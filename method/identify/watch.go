package identify

import (
	"math"

	"rths"
)

// Watch looks at the discrete model that compensate.ADM identifies,
//
//	d_m/d_c = (1 − θ_c1 z⁻¹ − … − θ_cp z⁻ᵖ)/(θ_1 + θ_2 z⁻¹ + … + θ_q z^{−(q−1)}),
//
// z⁻¹ being one spacing of the taps: whether its poles (roots of the denominator)
// and its zeros (the poles of the compensator) are inside the unit circle, and its
// delay, the limit of −dφ/dω at ω = 0, which for P(z⁻¹) = Σ p_n z⁻ⁿ is
// Σ n p_n/Σ p_n spacings. It counts from the instant a command aims at.
type Watch struct {
	p, q    int
	spacing float64   // s
	work    []float64 // of the Schur–Cohn test
	outside float64   // now: 0 none, 1 a pole, 2 a zero, 3 both
	steps   float64   // in which it was not 0
	delay   float64   // s
}

// NewWatch is for p past commands and q displacements, spacing seconds apart.
func NewWatch(p, q int, spacing float64) Watch {
	return Watch{p: p, q: q, spacing: spacing, work: make([]float64, max(p+1, q))}
}

// Start looks at θ(0), which does not count.
func (w *Watch) Start(theta []float64) {
	w.Lag(theta)
	w.Look(theta)
	w.steps = 0
}

// Look finds out where the poles and zeros of θ are, and counts.
func (w *Watch) Look(theta []float64) {
	w.outside = 0
	if !insideUnitCircle(w.work[:copy(w.work, theta[w.p:])]) {
		w.outside = 1
	}
	w.work[0] = 1
	for j, v := range theta[:w.p] {
		w.work[j+1] = -v
	}
	if !insideUnitCircle(w.work[:w.p+1]) {
		w.outside += 2
	}
	if w.outside > 0 {
		w.steps++
	}
}

// Lag sets the delay of θ; a model without static gain leaves it as it was.
func (w *Watch) Lag(theta []float64) {
	num, late := 1.0, 0.0
	for j, v := range theta[:w.p] {
		num, late = num-v, late-float64(j+1)*v
	}
	den, early := 0.0, 0.0
	for n, v := range theta[w.p:] {
		den, early = den+v, early+float64(n)*v
	}
	if d := w.spacing * (late/num - early/den); rths.Finite(d) {
		w.delay = d
	}
}

// Sound reports whether Look found all inside.
func (w *Watch) Sound() bool { return w.outside == 0 }

// VisitState visits what Look and Lag found.
func (w *Watch) VisitState(v *rths.StateVisitor) { v.Float(&w.outside, &w.steps, &w.delay) }

// What is what Look found outside: "", "a pole", "a zero" or "a pole and a zero".
func (w *Watch) What() string {
	return map[float64]string{1: "a pole", 2: "a zero", 3: "a pole and a zero"}[w.outside]
}

// WatchChannels is the number of Channels.
const WatchChannels = 3

// Channels are what Look and Lag found.
func (w *Watch) Channels() []rths.Channel {
	return []rths.Channel{
		{Name: "model_outside", Unit: "-", V: &w.outside},
		{Name: "model_outside_steps", Unit: "-", V: &w.steps},
		{Name: "model_delay", Unit: "s", V: &w.delay},
	}
}

// insideUnitCircle reports whether all roots of p(z) = p[0] zⁿ + … + p[n] are inside the
// unit circle (Schur and Cohn): |p[n]| < |p[0]|, and the same holds for
// (p[0] p(z) − p[n] zⁿ p(1/z))/(p[0] z), a degree lower. p is overwritten.
func insideUnitCircle(p []float64) bool {
	for n := len(p) - 1; n > 0; n-- {
		if !(math.Abs(p[n]) < math.Abs(p[0])) {
			return false
		}
		k := p[n] / p[0]
		for i, j := 0, n; i <= j; i, j = i+1, j-1 {
			p[i], p[j] = p[i]-k*p[j], p[j]-k*p[i]
		}
	}
	return p[0] != 0
}
