package analyse

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/mat"

	"rths/lti"
)

// Spectrum is the frequency response H₁ = S_ux/S_uu of measurement over command, with
// the coherence |S_ux|²/(S_uu S_xx), by Welch's averages of half overlapping segments
// under a Hann window.
type Spectrum struct {
	Hz, Coherence, Power []float64 // power of the command, largest 1
	H                    []complex128
}

// segments of a spectrum; the frequencies are a segment's length apart.
const segments = 8

// spectrum shifts the segments of the measurement by its lag: H scatters if the two
// segments hold different pieces of the motion.
func (s *Identify) spectrum(lag int) (Spectrum, error) {
	lag = min(max(lag, 0), len(s.Command)/4)
	n := 2 * (len(s.Command) - lag) / (segments + 1)
	if n < 32 {
		return Spectrum{}, fmt.Errorf("%d samples: too few for a spectrum", len(s.Command))
	}
	fft := fourier.NewFFT(n)
	uu, xx, ux := make([]float64, n/2+1), make([]float64, n/2+1), make([]complex128, n/2+1)
	for i := range segments {
		u, x := windowed(fft, s.Command[i*n/2:][:n]), windowed(fft, s.Measured[i*n/2+lag:][:n])
		for k := range uu {
			uu[k] += real(u[k])*real(u[k]) + imag(u[k])*imag(u[k])
			xx[k] += real(x[k])*real(x[k]) + imag(x[k])*imag(x[k])
			ux[k] += cmplx.Conj(u[k]) * x[k]
		}
	}
	var out Spectrum
	most := 0.0
	for k := 2; k < n/2; k++ { // the window spreads what is left of the mean to k = 1
		most = max(most, uu[k])
	}
	for k := 2; k < n/2; k++ {
		if uu[k] == 0 || xx[k] == 0 {
			continue
		}
		a, turn := cmplx.Abs(ux[k]), 2*math.Pi*float64(k)/float64(n)*float64(lag)
		out.Hz = append(out.Hz, float64(k)*s.RateHz/float64(n))
		out.Power = append(out.Power, uu[k]/most)
		out.Coherence = append(out.Coherence, a*a/(uu[k]*xx[k]))
		out.H = append(out.H, ux[k]/complex(uu[k], 0)*cmplx.Exp(complex(0, -turn)))
	}
	return out, nil
}

// windowed is the transform of a segment without its mean.
func windowed(fft *fourier.FFT, v []float64) []complex128 {
	mean, n := 0.0, len(v)
	for _, x := range v {
		mean += x / float64(n)
	}
	w := make([]float64, n)
	for i, x := range v {
		w[i] = (x - mean) * (1 - math.Cos(2*math.Pi*float64(i)/float64(n)))
	}
	return fft.Coefficients(nil, w)
}

// Bounds of the frequencies that count.
const (
	leastPower     = 1e-5 // of the largest
	leastCoherence = 0.9
)

// band keeps the frequencies with enough power and coherence, up to a frequency (0: all).
func (s Spectrum) band(toHz float64) Spectrum {
	var out Spectrum
	for k, hz := range s.Hz {
		if s.Power[k] >= leastPower && s.Coherence[k] >= leastCoherence && (toHz == 0 || hz <= toHz) {
			out.Hz, out.H = append(out.Hz, hz), append(out.H, s.H[k])
			out.Power, out.Coherence = append(out.Power, s.Power[k]), append(out.Coherence, s.Coherence[k])
		}
	}
	return out
}

// Continuous is x/u = num/den e^{−sτ}, num a constant, den of order 1 to 3, stable.
type Continuous struct {
	Order        int
	Num, Den     []float64 // descending powers, the last of Den 1
	DelayMS      float64   // τ
	ErrorPct     float64   // rms |model − H| over rms |H|
	FromHz, ToHz float64   // band of the fit
}

// At is x/u at a frequency, Hz, under a held command.
func (c *Continuous) At(hz, h float64) complex128 {
	s := complex(0, 2*math.Pi*hz)
	return lti.PolyEval(c.Num, s) / lti.PolyEval(c.Den, s) * cmplx.Exp(-s*complex(c.DelayMS/1e3, 0)) * holdAt(s, h)
}

// holdAt is (1 − e^{−sh})/(sh).
func holdAt(s complex128, h float64) complex128 {
	z := s * complex(h, 0)
	return (1 - cmplx.Exp(-z)) / z
}

// delaysTried up to longestDelay.
const delaysTried = 100

// enough is the factor on the least error within which the lower order is taken.
const enough = 1.5

// worstFit is the largest error of a model, %: the scatter that leastCoherence allows.
const worstFit = 33.0

// fitContinuous tries orders 1 to 3 with delays of 0 to 50 ms. Of the stable models
// fitContinuous takes the lowest order that fits nearly as well as the best.
func fitContinuous(band Spectrum, h float64) (*Continuous, error) {
	n := len(band.Hz)
	if n < 8 {
		return nil, fmt.Errorf("%d frequencies with enough power and a coherence of %g or more: want at least 8: a longer test, or a test with larger motion at more frequencies", n, leastCoherence)
	}
	var found []*Continuous
	least := math.Inf(1)
	for order := 1; order <= 3; order++ {
		if c := bestOfOrder(band, order, h); c != nil {
			found, least = append(found, c), min(least, c.ErrorPct)
		}
	}
	if len(found) > 0 && least > worstFit {
		return nil, fmt.Errorf("the best of order 1 to 3 is %.0f %% off the frequency response, want at most %g", least, worstFit)
	}
	for _, c := range found {
		if c.ErrorPct <= enough*least {
			return c, nil
		}
	}
	return nil, errors.New("no stable model of order 1 to 3 fits the frequency response")
}

// bestOfOrder is the stable model with the smallest error; nil where there is none.
func bestOfOrder(band Spectrum, order int, h float64) *Continuous {
	var best *Continuous
	for i := range delaysTried + 1 {
		c, err := sanathananKoerner(band, order, longestDelay*float64(i)/delaysTried, h)
		if err != nil {
			continue
		}
		var sum, size float64
		for k, hz := range band.Hz {
			e, v := cmplx.Abs(c.At(hz, h)-band.H[k]), cmplx.Abs(band.H[k])
			sum, size = sum+e*e, size+v*v
		}
		if c.ErrorPct = 100 * math.Sqrt(sum/size); best == nil || c.ErrorPct < best.ErrorPct {
			best = c
		}
	}
	if best != nil {
		best.FromHz, best.ToHz = band.Hz[0], band.Hz[len(band.Hz)-1]
	}
	return best
}

// iterations of sanathananKoerner; the weights settle within a few.
const iterations = 12

// sanathananKoerner fits b/(1 + a_1 s + … + a_n sⁿ) to H without hold and delay by iterated
// linear least squares (Sanathanan and Koerner 1963): each step minimises Σ|D H − b|²/|D|²
// with the D of the step before in the denominator.
func sanathananKoerner(band Spectrum, order int, tau, h float64) (*Continuous, error) {
	n, top := len(band.Hz), 2*math.Pi*band.Hz[len(band.Hz)-1] // s in units of it
	g, s, weight := make([]complex128, n), make([]complex128, n), make([]float64, n)
	for k, hz := range band.Hz {
		s[k] = complex(0, 2*math.Pi*hz)
		g[k] = band.H[k] / holdAt(s[k], h) * cmplx.Exp(s[k]*complex(tau, 0))
		s[k] /= complex(top, 0)
		weight[k] = 1
	}
	a := make([]float64, order+1) // of D, ascending
	b := 0.0
	for range iterations {
		phi, y := mat.NewDense(2*n, order+1, nil), mat.NewVecDense(2*n, nil)
		for k := range n {
			power := complex(1, 0)
			w := complex(weight[k], 0)
			phi.Set(2*k, 0, weight[k]) // b
			for j := 1; j <= order; j++ {
				power *= s[k]
				v := -w * g[k] * power
				phi.Set(2*k, j, real(v))
				phi.Set(2*k+1, j, imag(v))
			}
			y.SetVec(2*k, real(w*g[k]))
			y.SetVec(2*k+1, imag(w*g[k]))
		}
		var x mat.VecDense
		var warning mat.Condition
		if err := x.SolveVec(phi, y); err != nil && !errors.As(err, &warning) {
			return nil, err
		}
		b, a[0] = x.AtVec(0), 1
		for j := 1; j <= order; j++ {
			a[j] = x.AtVec(j)
		}
		for k := range n {
			weight[k] = 1 / cmplx.Abs(lti.PolyEval(descending(a, 1), s[k]))
		}
	}
	c := &Continuous{Order: order, Num: []float64{b}, Den: descending(a, top), DelayMS: 1e3 * tau}
	poles, err := lti.Roots(c.Den)
	if err != nil {
		return nil, err
	}
	for _, p := range poles {
		if !(real(p) < 0) {
			return nil, fmt.Errorf("a pole at %s rad/s", lti.PoleText(p))
		}
	}
	return c, nil
}

// descending turns ascending coefficients in s/top into descending ones in s.
func descending(a []float64, top float64) []float64 {
	out := make([]float64, len(a))
	for j, v := range a {
		out[len(a)-1-j] = v / math.Pow(top, float64(j))
	}
	return out
}
