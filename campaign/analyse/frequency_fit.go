package analyse

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/floats"

	"rths/maths/lti"
	"rths/maths/signal"
)

// Spectrum is the frequency response H₁ = S_ux/S_uu of measurement over command, with
// the coherence |S_ux|²/(S_uu S_xx), by Welch's averages of half overlapping segments
// under a Hann window.
type Spectrum struct {
	Step                 float64   // between frequencies, Hz
	Hz, Coherence, Power []float64 // power of the command, largest 1
	Moved                []float64 // power of the measurement
	H                    []complex128
}

// segments of a spectrum; the frequencies are a segment's length apart.
const segments = 8

// spectrum shifts the segments of the measurement by its lag: H scatters if the two
// segments hold different pieces of the motion.
func (s *Identify) spectrum() (Spectrum, error) {
	lag := s.lag()
	late, early := max(lag, 0), max(-lag, 0)
	n := smooth(2 * (len(s.Command) - late - early) / (segments + 1))
	if n < 32 {
		return Spectrum{}, fmt.Errorf("%d samples: too few for a spectrum", len(s.Command))
	}
	fft := fourier.NewFFT(n)
	uu, xx, ux := make([]float64, n/2+1), make([]float64, n/2+1), make([]complex128, n/2+1)
	for i := range segments {
		from := i * (len(s.Command) - late - early - n) / (segments - 1)
		u, x := windowed(fft, s.Command[from+early:][:n]), windowed(fft, s.Measured[from+late:][:n])
		for k := range uu {
			uu[k] += real(u[k])*real(u[k]) + imag(u[k])*imag(u[k])
			xx[k] += real(x[k])*real(x[k]) + imag(x[k])*imag(x[k])
			ux[k] += cmplx.Conj(u[k]) * x[k]
		}
	}
	out, most := Spectrum{Step: s.RateHz / float64(n)}, 0.0
	for k := 2; k < n/2; k++ { // the window spreads what is left of a line to k = 1
		most = max(most, uu[k])
	}
	for k := 2; k < n/2; k++ {
		if uu[k] == 0 || xx[k] == 0 {
			continue
		}
		a, turn := cmplx.Abs(ux[k]), 2*math.Pi*float64(k)/float64(n)*float64(lag)
		out.Hz = append(out.Hz, float64(k)*out.Step)
		out.Power, out.Moved = append(out.Power, uu[k]/most), append(out.Moved, xx[k])
		out.Coherence = append(out.Coherence, a*a/(uu[k]*xx[k]))
		out.H = append(out.H, ux[k]/complex(uu[k], 0)*cmplx.Exp(complex(0, -turn)))
	}
	return out, nil
}

// smooth is the largest number up to n that is below 32 or 16 to 31 times a power of two: its transform is fast.
func smooth(n int) int {
	shift := max(0, bits.Len(uint(n))-5)
	return n >> shift << shift
}

// lag is the shift of the measurement, samples up to a quarter of the test either way, with the
// largest correlation with the command.
func (s *Identify) lag() int {
	c := s.thinned()
	n := len(c.Command)
	size := 1 << bits.Len(uint(2*n))
	fft := fourier.NewFFT(size)
	transform := func(v []float64) []complex128 {
		level, slope := line(v)
		padded := make([]float64, size)
		for i, x := range v {
			padded[i] = x - level - slope*float64(i)
		}
		return fft.Coefficients(nil, padded)
	}
	u, x := transform(c.Command), transform(c.Measured)
	for k := range x {
		x[k] *= cmplx.Conj(u[k])
	}
	best, most := 0, 0.0
	correlation := fft.Sequence(nil, x)
	for i := -n / 4; i <= n/4; i++ {
		if v := math.Abs(correlation[(i+size)%size]); v > most {
			best, most = i, v
		}
	}
	return best * int(math.Round(s.RateHz/c.RateHz))
}

// thinHz is about the rate of thinned data: a loading test moves below 50 Hz.
const thinHz = 256

// thinned are the means of blocks of samples.
func (s *Identify) thinned() *Identify {
	every := max(1, int(math.Round(s.RateHz/thinHz)))
	every = min(every, max(1, len(s.Command)/leastSamples))
	means := func(v []float64) (out []float64) {
		for ; len(v) >= every; v = v[every:] {
			out = append(out, mean(v[:every]))
		}
		return out
	}
	return &Identify{Command: means(s.Command), Measured: means(s.Measured), RateHz: s.RateHz / float64(every)}
}

// windowed is the transform of a segment without its straight line.
func windowed(fft *fourier.FFT, v []float64) []complex128 {
	level, slope := line(v)
	w, n := make([]float64, len(v)), float64(len(v))
	for i, x := range v {
		w[i] = (x - level - slope*float64(i)) * (1 - math.Cos(2*math.Pi*float64(i)/n))
	}
	return fft.Coefficients(nil, w)
}

// Bounds of the frequencies that count.
const (
	leastPower     = 1e-5 // of the largest
	leastCoherence = 0.9
	leastLines     = 8
)

// counts reports whether a frequency has enough power and coherence, and lies below a frequency (0: all).
func (s Spectrum) counts(k int, toHz float64) bool {
	return s.Power[k] >= leastPower && s.Coherence[k] >= leastCoherence && (toHz == 0 || s.Hz[k] <= toHz)
}

// band keeps the frequencies that count.
func (s Spectrum) band(toHz float64) (hz []float64) {
	for k, f := range s.Hz {
		if s.counts(k, toHz) {
			hz = append(hz, f)
		}
	}
	return hz
}

// mean is the delay, s, whose phase is next to that of H beyond a lag, s, at the frequencies that count, and the mean
// gain, each weighted by the power of the command.
func (s Spectrum) mean(lag, toHz float64) (delay, gain float64) {
	turned := make([]complex128, len(s.H))
	var sum complex128
	for k, hz := range s.Hz {
		if s.counts(k, toHz) {
			turned[k] = complex(s.Power[k], 0) * s.H[k] * cmplx.Exp(complex(0, 2*math.Pi*hz*lag))
			sum += turned[k]
		}
	}
	sign := math.Copysign(1, real(sum))
	var phase, square, size, power float64
	for k, z := range turned {
		if z != 0 {
			w := 2 * math.Pi * s.Hz[k]
			phase, square = phase+s.Power[k]*w*cmplx.Phase(z*complex(sign, 0)), square+s.Power[k]*w*w
			size, power = size+cmplx.Abs(z), power+s.Power[k]
		}
	}
	return lag - phase/square, sign * size / power
}

// motions are the transforms of command and measurement of the whole test at some frequencies.
type motions struct {
	hz   []float64
	u, x []complex128
}

// mostLines of motions.
const mostLines = 500

// motions takes the lines next to the frequencies of a band, which are a step apart, where the command has power: all,
// or of many equally spaced ones.
func (s *Identify) motions(band []float64, step float64) (out motions, err error) {
	near := map[int]bool{}
	for _, f := range band {
		near[int(math.Round(f/step))] = true
	}
	u, x := signal.Spectrum(s.Command), signal.Spectrum(s.Measured)
	hz := func(i int) float64 { return float64(i+1) * s.RateHz / float64(len(s.Command)) }
	var lines []int
	most := 0.0
	for i := range u {
		if near[int(math.Round(hz(i)/step))] {
			lines, most = append(lines, i), max(most, cmplx.Abs(u[i]))
		}
	}
	lines = slices.DeleteFunc(lines, func(i int) bool { return cmplx.Abs(u[i]) < math.Sqrt(leastPower)*most })
	for k := 0; k < len(lines); k += 1 + len(lines)/mostLines {
		i := lines[k]
		out.hz, out.u, out.x = append(out.hz, hz(i)), append(out.u, u[i]), append(out.x, x[i])
	}
	if n := min(len(band), len(out.hz)); n < leastLines {
		err = fmt.Errorf(
			"%d frequencies with enough power and a coherence of %g or more: want at least %d: a longer test, or a test with "+
				"larger motion at more frequencies", n, leastCoherence, leastLines)
	}
	return out, err
}

// Continuous is x/u = num/den e^{−sτ}, num a constant, den of order 1 to 3, stable.
type Continuous struct {
	Order        int
	Num, Den     []float64 // descending powers, the last of Den 1
	DelayMS      float64   // τ
	ErrorPct     float64   // what it leaves of the measurement in the band, rms over rms
	FromHz, ToHz float64   // band of the fit
}

// slowDelayMS is the limit of −dφ/dω at ω = 0, ms, under a command held for h: the hold delays by h/2.
func (c *Continuous) slowDelayMS(h float64) float64 {
	return c.DelayMS + 1e3*(c.Den[len(c.Den)-2]+h/2)
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

// worstFit is the largest error of a model, %: the scatter that leastCoherence allows. Below
// leastError a lower order is as good.
const (
	worstFit   = 33.0
	leastError = 0.01
)

// fitContinuous tries orders 1 to 3 with delays of 0 to 50 ms. Of the stable models
// fitContinuous takes the lowest order that fits nearly as well as the best.
func fitContinuous(r motions, h float64) (*Continuous, error) {
	var found []*Continuous
	least := math.Inf(1)
	for order := 1; order <= 3; order++ {
		if c := bestOfOrder(r, order, h); c != nil {
			found, least = append(found, c), min(least, c.ErrorPct)
		}
	}
	if len(found) > 0 && least > worstFit {
		return nil, fmt.Errorf("the best of order 1 to 3 leaves %.0f %% of the measurement, want at most %g", least, worstFit)
	}
	for _, c := range found {
		if c.ErrorPct <= max(enough*least, leastError) {
			return c, nil
		}
	}
	return nil, errors.New("no stable model of order 1 to 3 fits the frequency response")
}

// bestOfOrder is the stable model with the smallest error; nil where there is none.
func bestOfOrder(r motions, order int, h float64) *Continuous {
	var best *Continuous
	for i := range delaysTried + 1 {
		c, err := sanathananKoerner(r, order, longestDelay*float64(i)/delaysTried, h)
		if err == nil && (best == nil || c.ErrorPct < best.ErrorPct) {
			best = c
		}
	}
	if best != nil {
		best.FromHz, best.ToHz = r.hz[0], r.hz[len(r.hz)-1]
	}
	return best
}

// Bounds of sanathananKoerner: its weights settle within a few iterations.
const (
	iterations = 12
	settled    = 1e-8 // relative change of all a_j
	transient  = 2    // coefficients of what the ends of the record cut off
)

// sanathananKoerner fits G = b/(1 + a_1 s + … + a_n sⁿ) = b/D under hold and delay to
//
//	X = G U + (c_0 + c_1 s)/D
//
// by lti.SanathananKoerner: each round minimises Σ|D X − b U − c_0 − c_1 s|²/|D|² with the D of the round before in the
// denominator. The polynomial stands for what moves before and after the record
// (Pintelon and Schoukens 2012); without it the ends of a short test make the gain too small.
func sanathananKoerner(r motions, order int, tau, h float64) (*Continuous, error) {
	n, top := len(r.hz), 2*math.Pi*r.hz[len(r.hz)-1] // s in units of it
	u, s, weight, size := make([]complex128, n), make([]complex128, n), make([]float64, n), 0.0
	for k, hz := range r.hz {
		s[k] = complex(0, 2*math.Pi*hz)
		u[k] = r.u[k] * holdAt(s[k], h) * cmplx.Exp(-s[k]*complex(tau, 0))
		s[k] /= complex(top, 0)
		weight[k] = 1
		size = math.Hypot(size, cmplx.Abs(r.x[k]))
	}
	var theta, a []float64 // a of D, ascending
	equation := func(k int, w complex128, set func(j int, v complex128)) complex128 {
		set(0, w*u[k])
		power := complex(1, 0)
		for i := range max(order, transient-1) + 1 {
			if i < transient {
				set(1+order+i, w*power*complex(size, 0))
			}
			if i >= 1 && i <= order {
				set(i, -w*r.x[k]*power)
			}
			power *= s[k]
		}
		return w * r.x[k]
	}
	next := func(found []float64, _ error) ([]float64, error) {
		before := a
		theta, a = found, append([]float64{1}, found[1:order+1]...)
		if floats.EqualFunc(a, before, func(x, y float64) bool { return math.Abs(x-y) <= settled*math.Abs(x) }) {
			return nil, nil
		}
		for k := range n {
			weight[k] = 1 / cmplx.Abs(lti.PolyEval(descending(a, 1), s[k]))
		}
		return weight, nil
	}
	left, err := lti.SanathananKoerner(iterations, 1+order+transient, weight, equation, next)
	if err != nil {
		return nil, err
	}
	c := &Continuous{Order: order, Num: []float64{theta[0]}, Den: descending(a, top), DelayMS: 1e3 * tau,
		ErrorPct: 100 * left / size}
	return c, c.stable()
}

// stable is an error unless all poles are in the left half plane.
func (c *Continuous) stable() error {
	poles, err := lti.Roots(c.Den)
	if err != nil {
		return err
	}
	for _, p := range poles {
		if !(real(p) < 0) {
			return fmt.Errorf("a pole at %s rad/s", lti.PoleText(p))
		}
	}
	return nil
}

// descending turns ascending coefficients in s/top into descending ones in s.
func descending(a []float64, top float64) []float64 {
	out := make([]float64, len(a))
	for j, v := range a {
		out[len(a)-1-j] = v / math.Pow(top, float64(j))
	}
	return out
}
