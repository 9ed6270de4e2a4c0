// Package signal holds the small pieces every sampled signal meets: low-pass
// filters, backward differences, delay lines, converters, noise and spectra.
package signal

import (
	"fmt"
	"math"
	"math/cmplx"

	"rths"
)

// Butterworth returns numerator b and denominator a (a[0] = 1, powers of z⁻¹)
// of the digital Butterworth low-pass of the given order: poles on the circle,
// bilinear transform with the cutoff prewarped, gain 1 at frequency 0. It is
// what MATLAB's butter(order, cutoff/(rate/2)) returns. Double precision is
// essential for cutoffs far below the rate.
func Butterworth(order int, cutoffHz, rateHz float64) (b, a []float64, err error) {
	if order < 1 || order > MaxOrder {
		return nil, nil, fmt.Errorf("butterworth order %d: want 1 to %d", order, MaxOrder)
	}
	if !(cutoffHz > 0) || !(cutoffHz < rateHz/2) {
		return nil, nil, fmt.Errorf("butterworth cutoff %g Hz: want above 0 and below the Nyquist frequency %g Hz", cutoffHz,
			rateHz/2)
	}
	w := math.Tan(math.Pi * cutoffHz / rateHz) // prewarped, in units of 2·rate
	den := []complex128{1}
	gain := complex(1, 0)
	for k := range order {
		angle := math.Pi * (0.5 + (2*float64(k)+1)/(2*float64(order)))
		s := complex(w, 0) * cmplx.Exp(complex(0, angle))
		den = times(den, -(1+s)/(1-s)) // z = (1+s)/(1-s)
		gain *= complex(w, 0) / (1 - s)
	}
	num := []complex128{gain}
	for range order {
		num = times(num, 1)
	}
	return reals(num), reals(den), nil
}

// ButterworthHigh is the high-pass of the same poles: zeros at frequency 0, gain 1 at the Nyquist frequency.
func ButterworthHigh(order int, cutoffHz, rateHz float64) (b, a []float64, err error) {
	if _, a, err = Butterworth(order, cutoffHz, rateHz); err != nil {
		return nil, nil, err
	}
	gain, sign := 0.0, 1.0
	for _, v := range a {
		gain += sign * v
		sign = -sign
	}
	b = Difference(order, 1)
	for i := range b {
		b[i] *= gain / math.Pow(2, float64(order))
	}
	return b, a, nil
}

// times multiplies a polynomial in z⁻¹ by (1 + c z⁻¹).
func times(p []complex128, c complex128) []complex128 {
	out := make([]complex128, len(p)+1)
	for i, v := range p {
		out[i] += v
		out[i+1] += v * c
	}
	return out
}

func reals(p []complex128) []float64 {
	out := make([]float64, len(p))
	for i, v := range p {
		out[i] = real(v)
	}
	return out
}

// Filter is a linear filter b(z⁻¹)/a(z⁻¹) of one signal, started at rest, in
// transposed direct form II: the shortest path from input to output. In exact
// arithmetic all direct forms agree.
type Filter struct {
	order int
	b, a  [MaxOrder + 1]float64 // a[0] = 1
	z     [MaxOrder + 1]float64 // registers; what is beyond the order stays 0
}

// MaxOrder is the largest order of a Filter.
const MaxOrder = 12

// unrolled is the order up to which Step has no loop.
const unrolled = 4

// NewFilter returns the filter; nil b and a pass the signal unchanged. Orders
// above 12 and an a[0] of 0 are a programming error.
func NewFilter(b, a []float64) *Filter {
	if len(b) == 0 {
		b = []float64{1}
	}
	if len(a) == 0 {
		a = []float64{1}
	}
	f := &Filter{order: max(len(b), len(a)) - 1}
	if f.order > MaxOrder || a[0] == 0 {
		panic(fmt.Sprintf("signal: filter of order %d with a[0] = %g: want at most order %d and a[0] other than 0", f.order,
			a[0], MaxOrder))
	}
	for i, v := range b {
		f.b[i] = v / a[0]
	}
	for i, v := range a {
		f.a[i] = v / a[0]
	}
	return f
}

// Step filters one sample.
func (f *Filter) Step(x float64) float64 {
	b, a, z := &f.b, &f.a, &f.z
	y := b[0]*x + z[0]
	z[0] = b[1]*x - a[1]*y + z[1]
	z[1] = b[2]*x - a[2]*y + z[2]
	z[2] = b[3]*x - a[3]*y + z[3]
	z[3] = b[4]*x - a[4]*y + z[4]
	for i := unrolled; i < f.order && i < MaxOrder; i++ {
		z[i] = b[i+1]*x - a[i+1]*y + z[i+1]
	}
	return y
}

// VisitState visits the filter's registers.
func (f *Filter) VisitState(v *rths.StateVisitor) { v.Floats(f.z[:f.order]) }

// Difference returns the coefficients of the n-th backward difference divided
// by hⁿ, newest sample first: [1 -2 1]/h² for n = 2 (paper 001 eq. 6.3).
func Difference(n int, h float64) []float64 {
	c := []float64{1}
	for range n {
		next := make([]float64, len(c)+1)
		for i, v := range c {
			next[i] += v / h
			next[i+1] -= v / h
		}
		c = next
	}
	return c
}

// ButterworthPole is the magnitude of the slowest pole of Butterworth, from its place on the
// circle: roots of the filter's coefficients are inaccurate where the cutoff is far below the rate.
func ButterworthPole(order int, hz, rateHz float64) float64 {
	w := math.Tan(math.Pi * hz / rateHz)
	damping := 2 * w * math.Sin(math.Pi/(2*float64(order)))
	return math.Sqrt((1 - damping + w*w) / (1 + damping + w*w))
}
