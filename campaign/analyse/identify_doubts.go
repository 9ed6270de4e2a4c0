package analyse

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"rths/maths/lti"
)

// Backlash is a play between command and measurement that explains what no linear model does. It delays a motion of
// amplitude a by more the smaller a is.
type Backlash struct {
	Play    float64 // m
	DelayMS float64 // in slow motion without the play
	Gain    float64
	R       float64
}

// Bounds of doubts.
const (
	spikeSamples = 8    // a longer excursion is a motion
	spikeSteps   = 20.0 // of a spike, in steps of the motion that 95 % stay below
	spikeBeside  = 2.0  // of a spike, in steps of the samples beside it
	mostSpikes   = 10
	linear       = 5.0 // %, that a linear model leaves of the measurement at most
	leastGain    = 0.8
	mostGain     = 1.25
	apart        = 0.1  // part of the delay that two estimates of it may differ by
	leastApart   = 1.0  // ms
	leastPlay    = 0.01 // of the command's amplitude
	halved       = 0.5  // of the power that a linear model leaves, with a play
)

// bridged replaces spikes of the measurement, and asks about spikes of the command.
func (s *Identify) bridged(out *Identification) (*Identify, error) {
	if at := spikes(s.Command); len(at) > 0 {
		out.Notes = append(out.Notes,
			fmt.Sprintf("the command jumps and comes back at once at %s: is it a fault of the logger? It is taken as it is",
				s.places(at, s.Command)))
	}
	at := spikes(s.Measured)
	if len(at) == 0 {
		return s, nil
	}
	if len(at) > mostSpikes {
		return nil, fmt.Errorf("identify: the measurement jumps and comes back at once %d times, first at %s: want a "+
			"signal without spikes; check the cable and the logger", len(at), s.places(at[:1], s.Measured))
	}
	out.Notes = append(out.Notes,
		fmt.Sprintf("the measurement jumps and comes back at once at %s: taken for a fault of sensor or logger, and "+
			"replaced by a line",
			s.places(at, s.Measured)))
	mended := *s
	mended.Measured = slices.Clone(s.Measured)
	for _, p := range at {
		for i := p.from; i < p.to; i++ {
			mended.Measured[i] = p.bridge(s.Measured, i)
		}
	}
	return &mended, nil
}

// spike is an excursion over the samples from ≤ k < to.
type spike struct{ from, to int }

// bridge is v at i of the spike, by the polynomial through up to two samples on either side. At
// an end of v it is the next sample.
func (p spike) bridge(v []float64, i int) float64 {
	if p.from == 0 {
		return v[p.to]
	}
	if p.to == len(v) {
		return v[p.from-1]
	}
	at := []int{max(0, p.from-2), p.from - 1, p.to, min(p.to+1, len(v)-1)}
	at, sum := slices.Compact(at), 0.0
	for _, j := range at {
		weight := 1.0
		for _, k := range at {
			if k != j {
				weight *= float64(i-k) / float64(j-k)
			}
		}
		sum += weight * v[j]
	}
	return sum
}

// off is how far all samples of the spike are from its bridge.
func (p spike) off(v []float64) float64 {
	off := math.Inf(1)
	for i := p.from; i < p.to; i++ {
		off = min(off, math.Abs(v[i]-p.bridge(v, i)))
	}
	return off
}

// beside is how far the samples before and after the spike are from each other, and from their neighbours, the most.
func (p spike) beside(v []float64) float64 {
	before, after := p.from-1, p.to
	return max(math.Abs(v[after]-v[before]), math.Abs(v[min(after+1, len(v)-1)]-v[after]),
		math.Abs(v[before]-v[max(0, before-1)]))
}

// spikes are jumps that come back within spikeSamples, both far larger than elsewhere in the motion and than the steps
// next to them. At an end of v nothing comes back: there the jump is far larger than the steps of the motion.
func spikes(v []float64) (out []spike) {
	steps := make([]float64, len(v)-1)
	for k := range steps {
		steps[k] = math.Abs(v[k+1] - v[k])
	}
	usual := func(v []float64) float64 { return slices.Sorted(slices.Values(v))[len(v)*95/100] }
	jump, taken := usual(steps), make([]bool, len(v))
	for samples := 1; samples <= min(spikeSamples, len(v)/4); samples++ {
		off := make([]float64, len(v)-samples+1)
		for from := range off {
			off[from] = spike{from, from + samples}.off(v)
		}
		inside := usual(off)
		for from, most := range off {
			p, least := spike{from, from + samples}, spikeSteps*jump
			if from > 0 && p.to < len(v) {
				least = max(spikeSteps*inside, spikeBeside*p.beside(v))
			}
			if least == 0 || !(most > least) || slices.Contains(taken[from:p.to], true) {
				continue
			}
			out = append(out, p)
			for i := from; i < p.to; i++ {
				taken[i] = true
			}
		}
	}
	slices.SortFunc(out, func(a, b spike) int { return a.from - b.from })
	return out
}

// places are samples, from 1, with their times and values.
func (s *Identify) places(at []spike, v []float64) string {
	var out []string
	for _, p := range at[:min(len(at), 3)] {
		out = append(out, fmt.Sprintf("sample %d (%.6g s, %.4g mm)", p.from+1, float64(p.from)/s.RateHz, 1e3*v[p.from]))
	}
	if more := len(at) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("%d more", more))
	}
	return strings.Join(out, ", ")
}

// doubts says what makes the numbers other than they seem.
func (s *Identify) doubts(out *Identification) {
	add := func(format string, a ...any) { out.Notes = append(out.Notes, fmt.Sprintf(format, a...)) }
	switch c, b := out.Continuous, out.Backlash; {
	case b != nil:
		add("a backlash (play, or friction) of about %.2g mm in all explains what no linear model explains: without it "+
			"the "+
			"gain is %.3g and the delay %.1f ms; with it the delay depends on the amplitude", 1e3*b.Play, b.Gain, b.DelayMS)
	case out.Clipping != nil:
		add("%s; gain, delay and models here are without that", out.Clipping)
	case c != nil && c.ErrorPct > linear:
		add("no linear model explains %.3g %% of the measurement in the band: noise, friction, or a fault of sensor "+
			"or actuator", c.ErrorPct)
	}
	if g := out.Gain; !(g > leastGain && g < mostGain) {
		add("the measurement moves %.3g times as far as the command: want about 1, check units and signs of both, and the "+
			"range of the sensor", g)
	}
	if lead := -out.DelayMS; lead > 1e3/s.RateHz {
		add("the measurement leads the command by %.3g ms, which no loading system does: are the two columns swapped?", lead)
	}
	if d := math.Abs(out.DelayMS - out.DiscreteMS); !(d <= max(apart*math.Abs(out.DelayMS), leastApart)) {
		add("the two estimates of the delay differ, %.4g ms by the frequency response and %.4g ms by the discrete model: "+
			"a drifting offset, noise or a nonlinearity misleads the discrete model; check its blocks before use",
			out.DelayMS, out.DiscreteMS)
	}
}

// left is the part of the measurement's power that is not coherent with the command after a play.
func (s *Identify) left(play float64) float64 {
	t := *s
	t.Command = played(s.Command, play)
	spectrum, err := t.spectrum()
	if err != nil {
		return math.Inf(1)
	}
	return spectrum.left()
}

// left is the part of the measurement's power that is not coherent with the command.
func (s Spectrum) left() float64 {
	all, left := 0.0, 0.0
	for k, p := range s.Moved {
		all, left = all+p, left+p*(1-s.Coherence[k])
	}
	return left / all
}

// played is what follows v with a play: it moves only as v pushes it.
func played(v []float64, play float64) []float64 {
	out, at := make([]float64, len(v)), v[0]
	for k, x := range v {
		at = min(max(at, x-play/2), x+play/2)
		out[k] = at
	}
	return out
}

// leastOf is where the least value of f is: of a grid from low to high with equal ratios,
// refined between its neighbours.
func leastOf(f func(float64) float64, low, high float64) (at float64) {
	const grid = 20
	ratio := math.Pow(high/low, 1.0/grid)
	at, least := low, f(low)
	try := func(x float64) {
		if v := f(x); v < least {
			at, least = x, v
		}
	}
	for i := 1; i <= grid; i++ {
		try(low * math.Pow(ratio, float64(i)))
	}
	try(math.Exp(lti.Minimum(func(x float64) float64 { return f(math.Exp(x)) }, math.Log(at/ratio), math.Log(at*ratio))))
	return at
}
