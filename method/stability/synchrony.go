package stability

import (
	"fmt"
	"math"
	"math/cmplx"

	"rths"
	"rths/maths/portable"
	"rths/method/identify"
)

// Synchrony watches how one axis follows its target as the test goes:
//
//	J2    = 100 √(Σe²/Σd²), %, of all samples so far, without removal of means
//	delay = −Σ e ḋ/Σ ḋ², s
//
// with the target d, the error e = x − d, and the delay's sums fading with a time constant
// of 1 s. The delay is the least-squares fit of x(t) = d(t − delay), good while ω·delay is
// small (sin(ωτ)/ω for a sine). Where noise makes its standard error larger than 1 ms, as
// in quiet times, the delay keeps its last value. Synchrony also shows the
// frequency-domain evaluation index of the last 2 s; see identify.RunningIndex. Channels change about
// 128 times a second.
type Synchrony struct {
	axis         int
	number       int // of the actuator, from 1; 0: the only one
	fade, perMs  float64
	allowed      float64 // largest standard error squared, times the samples that count, samples²
	warmup       float64 // samples before there is a delay
	squareE      float64 // Σe²
	squareD      float64 // Σd²
	cross, moved float64 // fading Σ e ḋ, Σ ḋ²
	strayed      float64 // fading Σ e²
	lastD, lastE float64
	j2, delayMs  float64
	begun        float64 // samples
	fei          *identify.RunningIndex
	amplitude    float64 // of the index
	feiDelayMs   float64
}

// fadeS is the time constant of the delay's sums and warmupS the time before the
// first delay, s; surest its largest standard error, s.
const (
	fadeS   = 1.0
	warmupS = 0.1
	surest  = 1e-3

	feiWindow = 2.0 // of the frequency-domain evaluation index, s
)

// NewSynchrony watches the given axis (from 0) of a loop with axes of them.
func NewSynchrony(rateHz float64, axis, axes int) (*Synchrony, error) {
	if !(rateHz > 0) || math.IsInf(rateHz, 0) || axis < 0 || axis >= axes {
		return nil, fmt.Errorf("synchrony: rate %g Hz, axis %d of %d: want a rate above 0 and one of the axes", rateHz,
			axis+1, axes)
	}
	s := &Synchrony{
		axis: axis, number: rths.Component(axis, axes), fade: portable.Exp(-1 / (fadeS * rateHz)), perMs: 1e3 / rateHz,
		fei: identify.NewRunningIndex(rateHz, feiWindow),
	}
	s.allowed, s.warmup = surest*surest*rateHz*rateHz*fadeS*rateHz, warmupS*rateHz
	return s, nil
}

// Observe adds a tick; the tick that failed is left out.
func (s *Synchrony) Observe(f *rths.Frame) {
	if f.Err != nil {
		return
	}
	d, x := f.Desired[s.axis], f.Read.X[s.axis]
	e := x - d
	s.squareE += e * e
	s.squareD += d * d
	if step := d - s.lastD; s.begun > 0 {
		mean := (e + s.lastE) / 2
		s.cross = s.fade*s.cross + mean*step
		s.moved = s.fade*s.moved + step*step
		s.strayed = s.fade*s.strayed + mean*mean
	}
	s.begun++
	s.lastD, s.lastE = d, e
	block, index := s.fei.Add(d, x)
	if index {
		sum := complex(s.fei.Re, s.fei.Im)
		s.amplitude = cmplx.Abs(sum) / s.fei.Weight
		s.feiDelayMs = -1e3 * cmplx.Phase(sum) / (2 * math.Pi * s.fei.FEq)
	}
	if block {
		s.refresh()
	}
}

// refresh brings J2 and the delay up to date. The standard error of the fit is
// √((Σe² − (Σeḋ)²/Σḋ²)/(n Σḋ²)).
func (s *Synchrony) refresh() {
	s.rest()
	if s.squareD > 0 {
		s.j2 = 100 * math.Sqrt(s.squareE/s.squareD)
	}
	if s.begun > s.warmup && s.strayed*s.moved-s.cross*s.cross < s.allowed*s.moved*s.moved {
		s.delayMs = -s.perMs * s.cross / s.moved
	}
}

// rest puts fading sums to zero once the motion is over, m². The delay, a quotient of
// two of them, is then kept: Σ ḋ² comes to zero first.
func (s *Synchrony) rest() {
	const moved, strayed = 1e-100, 1e-200
	if s.moved < moved {
		s.moved, s.cross = 0, 0
	}
	if s.strayed < strayed {
		s.strayed, s.cross = 0, 0
	}
}

// Channels of the frequency-domain evaluation index.
const (
	RunningAmplitude  = "running_fei_amplitude"
	RunningIndexDelay = "running_fei_delay"
)

// of is a quantity of the actuator.
func (s *Synchrony) of(quantity string) rths.Meaning {
	return rths.Meaning{Quantity: quantity, Axis: s.number}
}

// Channels are the indicators as they stand.
func (s *Synchrony) Channels() []rths.Channel {
	return rths.NamedChannels([]rths.Channel{
		{Meaning: s.of("running_j2"), Unit: "%", V: &s.j2},
		{Meaning: s.of("running_delay"), Unit: "ms", V: &s.delayMs},
		{Meaning: s.of(RunningAmplitude), Unit: "-", V: &s.amplitude},
		{Meaning: s.of(RunningIndexDelay), Unit: "ms", V: &s.feiDelayMs},
	})
}

// Summary is the indicators at the end.
func (s *Synchrony) Summary() []rths.Value {
	s.refresh()
	fei := s.feiDelayMs
	if !s.fei.Found() { // no full window that moved
		fei = math.NaN()
	}
	return rths.Named([]rths.Value{
		{Meaning: s.of("running_j2"), Unit: "%", V: s.j2, Doc: "running J2 at the end: rms tracking error over rms target"},
		{Meaning: s.of("running_delay"), Unit: "ms", V: s.delayMs,
			Doc: "delay by least squares over the last seconds that moved"},
		{Meaning: s.of(RunningIndexDelay), Unit: "ms", V: fei,
			Doc: "delay of the frequency-domain evaluation index over the last window that moved"},
	})
}

// VisitState visits the sums and the window.
func (s *Synchrony) VisitState(v *rths.StateVisitor) {
	v.Float(&s.squareE, &s.squareD, &s.cross, &s.moved, &s.strayed, &s.lastD, &s.lastE, &s.j2, &s.delayMs, &s.begun,
		&s.amplitude, &s.feiDelayMs)
	s.fei.VisitState(v)
}

var (
	_ rths.Observer   = (*Synchrony)(nil)
	_ rths.Stateful   = (*Synchrony)(nil)
	_ rths.Channeler  = (*Synchrony)(nil)
	_ rths.Summarizer = (*Synchrony)(nil)
)
