package device

import (
	"math"
	"rths/maths/portable"
)

// BoucWen is a hysteretic spring that loses stiffness and strength, with a cubic spring
// beside it (paper 001 eqs 7.13–7.18; Sivaselvan and Reinhorn 2000):
//
//	f = a k_e x + z + k_h x³
//	ż = (R_k − a) k_e (1 − |z/f_y|^N (η₁ sgn(z ẋ) + η₂)) ẋ
//	R_k = e^(−α H),  f_y = f_y0/(1 + β H)
//	Ḣ = z (ẋ − ż/((R_k − a) k_e))
//
// H (J) is the hysteretic energy, (7.17) as a rate. Where R_k falls below a, z stays
// constant. The states are z and H.
//
// z tends to f_y (η₁ + η₂)^(−1/N) and may exceed this limit while f_y falls. |z/f_y|^N is
// held to twice its value at the limit: beyond, the strength would fall faster than the
// spring unloads, and a too large step would run away.
type BoucWen struct {
	Ke, A      float64 // k_e, N/m, and a
	Fy, N      float64 // f_y0, N, and the sharpness of yielding
	Eta1, Eta2 float64
	Alpha      float64 // 1/J
	Beta       float64 // 1/J
	Kh         float64 // N/m³
}

// AtRest is k_e.
func (l *BoucWen) AtRest() (k, c float64) { return l.Ke, 0 }

// PostYield is a k_e; the cubic spring is not counted.
func (l *BoucWen) PostYield() float64 { return l.A * l.Ke }

// States is 2.
func (l *BoucWen) States() int { return 2 }

// Force is a k_e x + z + k_h x³.
func (l *BoucWen) Force(x, _ float64, state []float64) float64 {
	return (l.A*l.Ke+l.Kh*x*x)*x + state[0]
}

// Rate is ż and Ḣ.
func (l *BoucWen) Rate(dz, state []float64, v float64) {
	dz[0], dz[1] = l.rate(state[0], state[1], v, l.far())
}

// far is what |z/f_y|^N is held to.
func (l *BoucWen) far() float64 { return 2 / (l.Eta1 + l.Eta2) }

// rate is ż and Ḣ = z (ẋ − ż/k).
func (l *BoucWen) rate(z, h, v, far float64) (dz, dh float64) {
	k, q := l.hysteretic(z, h, v, far)
	return k * (1 - q) * v, z * q * v
}

// Flow is Stages with two numbers for the states.
func (l *BoucWen) Flow(state []float64, v, t float64, parts int) {
	z, h, far := state[0], state[1], l.far()
	t /= float64(parts)
	for range parts {
		z1, h1 := l.rate(z, h, v, far)
		z2, h2 := l.rate(z+t/2*z1, h+t/2*h1, v, far)
		z3, h3 := l.rate(z+t/2*z2, h+t/2*h2, v, far)
		z4, h4 := l.rate(z+t*z3, h+t*h3, v, far)
		z += t * (z1 + 2*z2 + 2*z3 + z4) / 6
		h += t * (h1 + 2*h2 + 2*h3 + h4) / 6
	}
	state[0], state[1] = z, h
}

// hysteretic is the stiffness of the hysteretic part (N/m) and how much of a motion in the
// direction of v is hysteretic.
func (l *BoucWen) hysteretic(z, h, v, far float64) (k, q float64) {
	k, fy := (1-l.A)*l.Ke, l.Fy
	if l.Alpha > 0 || l.Beta > 0 {
		k, fy = l.Degraded(h)
	}
	q = l.Eta2
	if z*v > 0 {
		q += l.Eta1
	} else {
		q -= l.Eta1
	}
	r := math.Abs(z / fy)
	if l.N == 2 {
		r *= r
	} else {
		r = portable.Pow(r, l.N)
	}
	if r > far {
		r = far
	}
	q *= r
	return k, q
}

// Degraded is the stiffness of the hysteretic part (N/m) and its yield force (N)
// after an energy h (J).
func (l *BoucWen) Degraded(h float64) (k, fy float64) {
	rk := 1.0
	if l.Alpha > 0 {
		rk = portable.Exp(-l.Alpha * h)
	}
	return max(rk-l.A, 0) * l.Ke, l.Fy / (1 + l.Beta*h)
}

// Commit does nothing: the states have a rate.
func (l *BoucWen) Commit([]float64, float64) {}

// Steepest is unloading, the cubic spring at ten times the yield displacement, and
// at the yield force the rate N |v| k_e/f_y of z's return to it.
func (l *BoucWen) Steepest() (k, c, rate float64) {
	own, far := (1-l.A)*l.Ke, 10*l.Fy/l.Ke
	sum := l.Eta1 + l.Eta2
	k = l.A*l.Ke + own*max(1, 1+(l.Eta1-l.Eta2)/sum) + 3*l.Kh*far*far
	return k, 0, l.N * fastSpeed * own / l.Fy * portable.Pow(sum, 1/l.N)
}

// Stored is ½ a k_e x² + ¼ k_h x⁴ + ½ z²/((1 − a) k_e). The work done beyond it is H while
// the stiffness does not fall (α = 0); with α, at z = 0.
func (l *BoucWen) Stored(x float64, state []float64) float64 {
	z, x2 := state[0], x*x
	return l.A*l.Ke*x2/2 + l.Kh*x2*x2/4 + z*z/(2*(1-l.A)*l.Ke)
}
