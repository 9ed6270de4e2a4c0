package signal

import (
	"fmt"
	"math"
	"math/bits"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
)

// Spectrum returns the discrete Fourier transform of x at its positive
// frequencies, X_k = Σ_n x_n e^(−2πi nk/N) for k = 1 … ⌊(N−1)/2⌋: frequency k/N of
// the sampling rate, without 0 and without the Nyquist frequency.
//
// The length is taken as it is, without padding or window. Bluestein's identity
// nk = (n² + k² − (k−n)²)/2 turns it into a convolution, which takes as long for a
// prime N as for any other (Rabiner, Schafer and Rader 1969).
func Spectrum(x []float64) []complex128 {
	return spectrum(len(x), (len(x)-1)/2, func(i int) complex128 { return complex(x[i], 0) })
}

// Spectra are Spectrum of two lists of n numbers that functions give, several times each in turn. One transform has
// both: it is X + iY, and Y is real.
func Spectra(n int, x, y func(i int) float64) (ofX, ofY []complex128) {
	both := spectrum(n, n-1, func(i int) complex128 { return complex(x(i), y(i)) })
	lines := max(0, (n-1)/2)
	for k := range lines {
		at, mirror := both[k], cmplx.Conj(both[n-2-k])
		both[k], both[n-2-k] = (at+mirror)/2, (at-mirror)/2i
	}
	ofX, ofY = both[:lines], both[len(both)-lines:]
	slices.Reverse(ofY)
	return ofX, ofY
}

// spectrum is the first lines of the transform of z, without that of frequency 0.
func spectrum(n, lines int, z func(i int) complex128) []complex128 {
	if lines < 1 {
		return nil
	}
	size := 1
	for size < n+lines {
		size *= 2
	}
	if less := size / 4 * 3; less >= n+lines {
		size = less
	}
	return convolved(n, lines, z, size, max(1, size/longestPart))
}

// longestPart is the longest transform in memory, of 16 bytes a number: a longer convolution is made in parts.
const longestPart = 1 << 21

// convolved is spectrum by a convolution of the given size in equal parts. Part p has every parts-th line of the
// transforms, from line p on (decimation in frequency): with L = size/parts it is the transform of length L of e^(−2πi
// mp/size) Σ_q a[m+qL] e^(−2πi qp/parts).
func convolved(n, lines int, z func(i int) complex128, size, parts int) []complex128 {
	length := size / parts
	out := make([]complex128, lines)
	a, b := make([]complex128, length), make([]complex128, length)
	fft := fourier.NewCmplxFFT(length)
	turn := make([]complex128, parts)
	chirp, twist := newRoots(2*n), newRoots(size)
	for p := range parts {
		for q := range turn {
			turn[q] = cmplx.Conj(unit(q*p%parts, parts))
		}
		clear(a)
		clear(b)
		at, q := 0, 0                 // of place i
		from, part := length, parts-1 // of place size − i, and one more
		for i, square := 0, 0; i < n; i++ {
			w := chirp.at(square) // e^(πi i²/n)
			a[at] += z(i) * cmplx.Conj(w) * turn[q]
			if i <= lines {
				b[at] += w * turn[q]
			}
			if i > 0 {
				if from--; from < 0 {
					from, part = length-1, part-1
				}
				b[from] += w * turn[part]
			}
			if at++; at == length {
				at, q = 0, q+1
			}
			if square += 2*i + 1; square >= 2*n {
				square -= 2 * n
			}
		}
		if p > 0 {
			twist.turn(a, size-p)
			twist.turn(b, size-p)
		}
		a, b = fft.Coefficients(a, a), fft.Coefficients(b, b)
		for i := range a {
			a[i] *= b[i] / complex(float64(size), 0)
		}
		a = fft.Sequence(a, a)
		if p > 0 {
			twist.turn(a, p)
		}
		at, q = 1, 0 // of line k+1
		for k := range out {
			out[k] += a[at] * cmplx.Conj(turn[q])
			if at++; at == length {
				at, q = 0, q+1
			}
		}
	}
	for k, square := 0, 1%(2*n); k < lines; k++ {
		out[k] *= cmplx.Conj(chirp.at(square)) // (k+1)²
		if square += 2*k + 3; square >= 2*n {
			square -= 2 * n
		}
	}
	return out
}

// roots are e^(2πi k/n), each a product of two that are in tables.
type roots struct {
	n, bits     int
	large, fine []complex128
}

func newRoots(n int) *roots {
	r := &roots{n: n, bits: bits.Len(uint(n)) / 2}
	for k := range 1 << r.bits {
		r.fine = append(r.fine, unit(k, n))
	}
	for k := 0; k < n; k += 1 << r.bits {
		r.large = append(r.large, unit(k, n))
	}
	return r
}

// at is e^(2πi k/n) for k from 0 to n−1.
func (r *roots) at(k int) complex128 { return r.large[k>>r.bits] * r.fine[k&(1<<r.bits-1)] }

// turn multiplies a[m] by e^(2πi m step/n), with a step from 0 to n−1.
func (r *roots) turn(a []complex128, step int) {
	k := 0
	for m := range a {
		a[m] *= r.at(k)
		if k += step; k >= r.n {
			k -= r.n
		}
	}
}

// unit is e^(2πi k/n).
func unit(k, n int) complex128 {
	sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(n))
	return complex(cos, sin)
}

// Oscillators is a response spectrum in the making: single-degree-of-freedom
// oscillators ẍ + 2ζω ẋ + ω² x = −a of several periods, started at rest and
// advanced together, and the largest pseudo-acceleration ω²|x| of each so far.
// The base acceleration is taken as linear between samples and the step is exact
// for it (as Nigam and Jennings 1969), so period and step have no limit. A sampled motion
// says little about periods below ten steps. Peaks are sought at the samples only: with n
// samples in a period a peak may be low by 1 − cos(π/n).
type Oscillators struct {
	list []peaking
	last float64 // base acceleration before
}

// Oscillator is one of them, in the scaled time ωt with Y = ω² x, so that
// Y″ + 2ζ Y′ + Y = −a has the size of the acceleration whatever the period:
// [Y, V] at the end of a step = phi [Y, V] + b0 a₀ + b1 a₁, with the base accelerations
// a₀ at the beginning and a₁ at the end of the step.
type Oscillator struct {
	Y, V   float64 // ω² x and ω ẋ, m/s²
	phi    [4]float64
	b0, b1 [2]float64
}

// peaking is an oscillator with the largest |Y| so far.
type peaking struct {
	Oscillator
	peak float64
}

// NewOscillator makes an oscillator at rest for steps of omega·dt (rad, more than
// 0) and a damping ratio of 0 or more.
func NewOscillator(step, ratio float64) (Oscillator, error) {
	phi, g0, g1, err := lti.FOHInputs(mat.NewDense(2, 2, []float64{0, 1, -1, -2 * ratio}),
		mat.NewDense(2, 1, []float64{0, -1}), step)
	if err != nil {
		return Oscillator{}, err
	}
	return Oscillator{
		phi: [4]float64{phi.At(0, 0), phi.At(0, 1), phi.At(1, 0), phi.At(1, 1)},
		b0:  [2]float64{g0.At(0, 0), g0.At(1, 0)},
		b1:  [2]float64{g1.At(0, 0), g1.At(1, 0)},
	}, nil
}

// Step advances under a base acceleration that goes linearly from before to now.
func (p *Oscillator) Step(before, now float64) {
	y := p.phi[0]*p.Y + p.phi[1]*p.V + p.b0[0]*before + p.b1[0]*now
	p.V = p.phi[2]*p.Y + p.phi[3]*p.V + p.b0[1]*before + p.b1[1]*now
	p.Y = y
}

// NewOscillators makes an oscillator per period (s, more than 0) of the damping
// ratio (0 or more, below 1) for steps of dt (s).
func NewOscillators(dt, ratio float64, periods []float64) (*Oscillators, error) {
	if !(ratio >= 0 && ratio < 1) {
		return nil, fmt.Errorf("response spectrum: damping ratio %g: want 0 or more, below 1", ratio)
	}
	if !(dt > 0) || math.IsInf(dt, 0) {
		return nil, fmt.Errorf("response spectrum: step %g s: want more than 0", dt)
	}
	o := &Oscillators{list: make([]peaking, len(periods))}
	for i, t := range periods {
		if !(t > 0) || math.IsInf(t, 0) {
			return nil, fmt.Errorf("response spectrum: period %g s: want more than 0", t)
		}
		one, err := NewOscillator(2*math.Pi/t*dt, ratio)
		if err != nil {
			return nil, fmt.Errorf("response spectrum: period %g s: %w", t, err)
		}
		o.list[i].Oscillator = one
	}
	return o, nil
}

// Start sets the base acceleration the first step begins with.
func (o *Oscillators) Start(a float64) { o.last = a }

// Step advances all oscillators to the next sample of the base acceleration, m/s².
func (o *Oscillators) Step(a float64) {
	last := o.last
	for i := range o.list {
		p := &o.list[i]
		p.Step(last, a)
		if y := math.Abs(p.Y); y > p.peak {
			p.peak = y
		}
	}
	o.last = a
}

// Peaks writes the largest pseudo-acceleration of each oscillator so far, m/s².
func (o *Oscillators) Peaks(dst []float64) {
	for i := range o.list {
		dst[i] = o.list[i].peak
	}
}

// VisitState visits motions, peaks and the last base acceleration.
func (o *Oscillators) VisitState(v *rths.StateVisitor) {
	v.Float(&o.last)
	for i := range o.list {
		p := &o.list[i]
		v.Float(&p.Y, &p.V, &p.peak)
	}
}
