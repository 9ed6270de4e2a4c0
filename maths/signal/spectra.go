package signal

import (
	"fmt"
	"math"
	"math/cmplx"

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
	return SpectrumOf(len(x), func(i int) float64 { return x[i] })
}

// SpectrumOf is Spectrum of n samples that a function gives, several times each in turn.
func SpectrumOf(n int, x func(i int) float64) []complex128 {
	lines := (n - 1) / 2
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
	return convolved(n, x, size, max(1, size/longestPart))
}

// longestPart is the longest transform in memory, of 16 bytes a number: a longer convolution is made in parts.
const longestPart = 1 << 21

// convolved is Spectrum by a convolution of the given size in equal parts. Part p has every parts-th line of the
// transforms, from line p on (decimation in frequency): with L = size/parts it is the transform of length L of e^(−2πi
// mp/size) Σ_q a[m+qL] e^(−2πi qp/parts).
func convolved(n int, x func(i int) float64, size, parts int) []complex128 {
	length := size / parts
	out := make([]complex128, (n-1)/2)
	a, b := make([]complex128, length), make([]complex128, length)
	fft := fourier.NewCmplxFFT(length)
	turn := make([]complex128, parts)
	for p := range parts {
		for q := range turn {
			turn[q] = unit(-q*p%parts, parts)
		}
		clear(a)
		clear(b)
		for i := range n {
			w := chirp(i, n)
			a[i%length] += complex(x(i), 0) * w * turn[i/length]
			if i <= len(out) {
				b[i%length] += cmplx.Conj(w) * turn[i/length]
			}
			if j := size - i; i > 0 {
				b[j%length] += cmplx.Conj(w) * turn[j/length]
			}
		}
		twist(a, -p, size)
		twist(b, -p, size)
		a, b = fft.Coefficients(a, a), fft.Coefficients(b, b)
		for i := range a {
			a[i] *= b[i] / complex(float64(size), 0)
		}
		a = fft.Sequence(a, a)
		twist(a, p, size)
		for k := range out {
			out[k] += a[(k+1)%length] * cmplx.Conj(turn[(k+1)/length])
		}
	}
	for k := range out {
		out[k] *= chirp(k+1, n)
	}
	return out
}

// twist multiplies a[m] by e^(2πi mp/size).
func twist(a []complex128, p, size int) {
	for m := range a {
		if p != 0 {
			a[m] *= unit(m*p%size, size)
		}
	}
}

// unit is e^(2πi k/n).
func unit(k, n int) complex128 {
	sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(n))
	return complex(cos, sin)
}

// chirp is e^(−πi k²/n), with k² reduced before it loses digits.
func chirp(k, n int) complex128 {
	sin, cos := math.Sincos(math.Pi * float64(k*k%(2*n)) / float64(n))
	return complex(cos, -sin)
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
