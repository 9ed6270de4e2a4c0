package identify

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/cmplx"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/mat"

	"rths/maths/lti"
	"rths/maths/signal"
)

// Offline fits the start of an adaptive discrete model (compensate.ADM with p = 0) to an off-line test,
//
//	θ(0) = (Φ'Φ)⁻¹ Φ'Y,  P(0) = (Φ'Φ)⁻¹                      (paper 004 eqs 39, 40)
//
// with Y the commands and Φ the displacements, taps one sample apart. Neighbouring
// samples of a slow motion are nearly the same: Φ'Φ has a condition of 1e12 and more. Both
// are therefore regularised, and θ(0) is fitted up to offlineHz only. A fit up to the
// Nyquist frequency has gains above 100 Hz that make the whole loop unstable.
type Offline struct {
	RateHz float64
	Lead   int // samples from the reading of a tick to the instant that its command aims at, as in the test to come
	Taps   int // q

	// Alone is how the targets of all actuators, m, answer a ground acceleration of 1 m/s² at hz with nothing to load;
	// nil where it is not known. Calculated asks for it.
	Alone func(hz float64) ([]complex128, error)
}

const (
	offlineHz  = 20.0
	thetaRidge = 1e-12 // of the trace of Φ'Φ
	p0Ridge    = 1e-12 // m²
)

// MaxOrder is the largest number of past commands, and of displacements, in a discrete model.
const MaxOrder = 8

// Recorded returns θ(0) and P(0) (1/m², row by row) from a recorded test: the commands of one
// actuator, or the references of the loop around it, and its measured displacements, m, of equal
// length. Both pass a low-pass of fourth order at 20 Hz first, as in the regression. Not for tests
// with noise far above the motion: least squares then shrinks θ.
func (o Offline) Recorded(command, measured []float64) (theta, p0 []float64, err error) {
	q := o.Taps
	switch {
	case len(command) != len(measured) || len(command) < 10*MaxOrder:
		return nil, nil, fmt.Errorf("off-line test: %d commands and %d displacements: want equal numbers, %d or more",
			len(command), len(measured), 10*MaxOrder)
	case q < 1 || q > MaxOrder:
		return nil, nil, fmt.Errorf("off-line test: q %d: want 1 to %d", q, MaxOrder)
	}
	b, a, err := signal.Butterworth(4, offlineHz, o.RateHz)
	if err != nil {
		return nil, nil, fmt.Errorf("off-line test: filter: %w", err)
	}
	n := 1 << bits.Len(uint(len(command)-1+MaxOrder))
	y, x := make([]float64, n), make([]float64, n)
	for i, f := range []*signal.Filter{signal.NewFilter(b, a), signal.NewFilter(b, a)} {
		from, to := [][]float64{command, measured}[i], [][]float64{y, x}[i]
		for k, v := range from {
			to[k] = f.Step(v)
		}
	}
	fft := fourier.NewFFT(n)
	ys, xs := fft.Coefficients(nil, y), fft.Coefficients(nil, x)
	fit := newTapFit(q)
	for k := 1; k < len(ys) && float64(k)/float64(n)*o.RateHz <= offlineHz; k++ {
		fit.add(1, float64(k)/float64(n), o.Lead, ys[k], xs[k])
	}
	if theta, err = fit.theta(); err != nil {
		return nil, nil, fmt.Errorf("off-line test: %w", err)
	}
	if p0, err = inverted(timeNormal(x[:len(command)], q)); err != nil {
		return nil, nil, fmt.Errorf("off-line test: %w", err)
	}
	return theta, p0, nil
}

// timeNormal is Φ'Φ of the taps.
func timeNormal(x []float64, q int) *mat.Dense {
	n := mat.NewDense(q, q, nil)
	for k := q - 1; k < len(x); k++ {
		for i := range q {
			for j := range q {
				n.Set(i, j, n.At(i, j)+x[k-i]*x[k-j])
			}
		}
	}
	return n
}

// inverted is P(0) for Φ'Φ.
func inverted(normal *mat.Dense) ([]float64, error) {
	var p mat.Dense
	if err := p.Inverse(ridged(normal, p0Ridge)); err != nil && !onlyIllConditioned(err) {
		return nil, fmt.Errorf("P(0): %w", err)
	}
	return lti.Symmetric(&p).RawMatrix().Data, nil
}

// ridged is m with more on its diagonal.
func ridged(m *mat.Dense, more float64) *mat.Dense {
	n, _ := m.Dims()
	r := lti.Diagonal(n, more)
	r.Add(m, r)
	return r
}

func onlyIllConditioned(err error) bool {
	var c mat.Condition
	return errors.As(err, &c) && !math.IsInf(float64(c), 1)
}

// tapFit gathers Φ'Φ and Φ'Y line by line of a spectrum, where a delay of one sample is
// a factor.
type tapFit struct {
	normal *mat.Dense
	right  *mat.VecDense
	phi    []complex128
}

func newTapFit(q int) *tapFit {
	return &tapFit{mat.NewDense(q, q, nil), mat.NewVecDense(q, nil), make([]complex128, q)}
}

// add takes a line at the given cycles per sample: command y and displacement x. The
// command of tick k belongs to the displacement of tick k + lead.
func (f *tapFit) add(weight, cycles float64, lead int, y, x complex128) {
	for i := range f.phi {
		f.phi[i] = x * cmplx.Exp(complex(0, 2*math.Pi*cycles*float64(lead-i)))
	}
	for i, u := range f.phi {
		f.right.SetVec(i, f.right.AtVec(i)+weight*real(cmplx.Conj(u)*y))
		for j, v := range f.phi {
			f.normal.Set(i, j, f.normal.At(i, j)+weight*real(cmplx.Conj(u)*v))
		}
	}
}

func (f *tapFit) theta() ([]float64, error) {
	q := len(f.phi)
	theta := make([]float64, q)
	n := ridged(f.normal, thetaRidge*mat.Trace(f.normal))
	if err := mat.NewVecDense(q, theta).SolveVec(n, f.right); err != nil && !onlyIllConditioned(err) {
		return nil, fmt.Errorf("the displacements do not move: %w", err)
	}
	return theta, nil
}

// The test that is calculated where none was made: targets of the numerical part alone
// under an earthquake of the spectrum of Kanai (1957) and Tajimi (1960), firm soil. All
// actuators move together, so the fit includes their coupling. Without a numerical part
// each actuator moves alone, as a structure of swayHz under white noise. The calculated
// test weighs as two seconds of small motion, so that measurements soon outweigh it.
const (
	soilHz        = 15.6 / (2 * math.Pi)
	soilDamping   = 0.6
	swayHz        = 2.0
	swayDamping   = 0.1
	calculatedS   = 2.0
	calculatedRMS = 0.5e-3 // m
	lines         = 200    // of the spectrum, up to offlineHz
)

// Calculated returns θ(0) and P(0) of every actuator of a discrete loop from commands, or references, to
// displacements.
func (o Offline) Calculated(loop lti.SS) (theta, p0 [][]float64, err error) {
	_, r, _ := loop.Dims()
	fits, power := make([]*tapFit, r), make([]float64, r)
	for i := range fits {
		fits[i] = newTapFit(o.Taps)
	}
	for l := range lines {
		hz := offlineHz * (float64(l) + 0.5) / lines
		x, y, err := o.motion(loop, hz)
		if err != nil {
			return nil, nil, err
		}
		for i, f := range fits {
			power[i] += real(x[i])*real(x[i]) + imag(x[i])*imag(x[i])
			f.add(1, hz/o.RateHz, o.Lead, x[i], y[i])
		}
	}
	for i, f := range fits {
		scale := calculatedS * o.RateHz * calculatedRMS * calculatedRMS / power[i]
		f.normal.Scale(scale, f.normal)
		f.right.ScaleVec(scale, f.right)
		th, err := f.theta()
		if err != nil {
			return nil, nil, fmt.Errorf("actuator %d: %w", i+1, err)
		}
		p, err := inverted(f.normal)
		if err != nil {
			return nil, nil, fmt.Errorf("actuator %d: %w", i+1, err)
		}
		theta, p0 = append(theta, th), append(p0, p)
	}
	return theta, p0, nil
}

// motion is a line of the spectrum of the test: targets x, and displacements y of the loop that is given them.
func (o Offline) motion(loop lti.SS, hz float64) (x, y []complex128, err error) {
	g, err := loop.At(cmplx.Exp(complex(0, 2*math.Pi*hz/o.RateHz)))
	if err != nil {
		return nil, nil, err
	}
	_, r, _ := loop.Dims()
	y = make([]complex128, r)
	if o.Alone == nil {
		u := complex(0, hz/swayHz)
		for i := range r {
			x = append(x, 1/(1+2*swayDamping*u+u*u))
			y[i] = g.At(i, i) * x[i]
		}
		return x, y, nil
	}
	alone, err := o.Alone(hz)
	if err != nil {
		return nil, nil, err
	}
	u := complex(0, hz/soilHz)
	soil := (1 + 2*soilDamping*u) / (1 + 2*soilDamping*u + u*u)
	for _, v := range alone {
		x = append(x, soil*v)
	}
	for i := range y {
		for j, v := range x {
			y[i] += g.At(i, j) * v
		}
	}
	return x, y, nil
}
