// Package portable computes the same bits on every processor (ADR 71).
//
// Go has its exp in assembly for some processors, and gonum its sums of products for amd64, which adds them in another
// order than gonum's Go does. A law that adapts may amplify such a last bit by 10⁷. What decides the frames of a loop
// takes Exp and Pow from here, and gonum takes the sums of this package wherever it has no assembly. On processors that
// fuse products with sums (arm64) the compiler has to be told not to: -gcflags=all=-d=fmahash=qn
// (ADR 72).
package portable

import "math"

// Exp is eˣ with a relative error below 2⁻⁵²: x = k·ln 2 + 16·r, the Taylor series of exp(r) − 1, and four times
// (1+s)² − 1 = s·(s+2). Its bits are those of math.Exp on amd64, where that is finite. Source: Shibata, Efficient
// methods of elementary functions suitable for SIMD computation, 2010.
func Exp(x float64) float64 {
	const (
		log2e    = 1.4426950408889634073599246810018920
		ln2Upper = 0.69314718055966295651160180568695068359375
		ln2Lower = 0.28235290563031577122588448175013436025525412068e-12
		overflow = 7.09782712893384e+02
	)
	switch {
	case math.IsNaN(x):
		return x
	case x > overflow:
		return math.Inf(1)
	}
	k := math.RoundToEven(x * log2e)
	if k < -1023-52 {
		return 0
	}
	r := math.FMA(-k, ln2Lower, math.FMA(-k, ln2Upper, x)) * 0.0625
	p := math.FMA(2.4801587301587301587e-5, r, 1.9841269841269841270e-4)
	p = math.FMA(p, r, 1.3888888888888888889e-3)
	p = math.FMA(p, r, 8.3333333333333333333e-3)
	p = math.FMA(p, r, 4.1666666666666666667e-2)
	p = math.FMA(p, r, 1.6666666666666666667e-1)
	p = math.FMA(p, r, 0.5)
	p = math.FMA(p, r, 1)
	s := r * p
	s *= s + 2
	s *= s + 2
	s *= s + 2
	return math.Ldexp(math.FMA(s+2, s, 1), int(k))
}

// Pow is x^y: what math.Pow is, with Exp of this package where y is no whole number.
func Pow(x, y float64) float64 {
	whole, part := math.Modf(math.Abs(y))
	if !(part > 0) || math.IsInf(y, 0) || y == 0.5 || y == -0.5 || !(x > 0) || x == 1 || math.IsInf(x, 1) {
		return math.Pow(x, y)
	}
	if part > 0.5 {
		part--
		whole++
	}
	mantissa, exponent := Exp(part*math.Log(x)), 0
	square, twos := math.Frexp(x)
	for i := int64(whole); i != 0; i >>= 1 {
		if twos < -1<<12 || 1<<12 < twos { // beyond all numbers
			exponent += twos
			break
		}
		if i&1 == 1 {
			mantissa *= square
			exponent += twos
		}
		square *= square
		if twos *= 2; square < 0.5 {
			square += square
			twos--
		}
	}
	if y < 0 {
		mantissa, exponent = 1/mantissa, -exponent
	}
	return math.Ldexp(mantissa, exponent)
}
