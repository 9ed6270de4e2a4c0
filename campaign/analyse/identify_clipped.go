package analyse

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Clipping is a motion that goes no further than two levels while the model goes on.
type Clipping struct {
	Low, High float64 // m, infinite where the motion goes as far as the model
	Command   bool    // the command is clipped, before the lag; else the measured motion is, after it
	Samples   int     // in which the motion would go further
}

// Bounds of what is not linear.
const (
	// rms that the linear response leaves of the measurement, below which nothing is looked for
	silent                 = 0.003
	nearLevel              = 0.02     // part of the measured range next to its ends that may be clipped
	scatter                = 5.0      // rms of what is left, by which a second look keeps away from the ends
	beyond                 = 0.01     // part of the range that the response goes beyond a level
	leastLevel             = 0.1      // of the command's amplitude
	levelTries             = 2        // of either level of the command
	responded              = 40       // taps of a response
	ahead                  = 8        // of them before the lag
	mostRows               = 20000    // of the least squares
	playTurns, playSettled = 12, 1e-4 // of the play
	ridge                  = 1e-8     // of the power of all regressors
)

// linearMotion is the measurement as a linear response to a command, with level and slope of the sensor.
type linearMotion struct {
	level, slope float64   // m, m a sample
	moved        []float64 // m, level and slope included
	left         float64   // mean square of what it leaves of the measurement, m²
	factor       float64   // of the lag by play; moved is without it
}

// hypothesis is one thing that is not linear, and the test as it would be without it.
type hypothesis struct {
	play     float64   // m, of a backlash; 0: none
	clipping *Clipping // nil: none
	free     *Identify
	left     float64 // mean square of what it leaves of the measurement, m²
}

// everySample counts.
func everySample(int) bool { return true }

// unclipped asks which of four explains the measurement best where a linear response does not: a backlash before
// or after the lag, a command or a measured motion that is clipped. It must halve the power that the linear
// response leaves. Where it is clipping, unclipped returns the test without it: with the command that counts, or
// with the motion that would be.
func (s *Identify) unclipped(out *Identification) *Identify {
	linear := s.linearMotion(s.Command, everySample)
	if unexplained := math.Sqrt(linear.left); unexplained <= silent*deviation(s.Measured) || math.IsInf(unexplained, 1) {
		return s
	}
	steady := *s
	steady.Measured = slices.Clone(s.Measured)
	for k := range steady.Measured {
		steady.Measured[k] -= linear.level + linear.slope*float64(k)
	}
	best := hypothesis{left: halved * linear.left}
	before := steady.playBefore()
	for _, h := range []hypothesis{before, steady.playAfter(before.play, linear), s.clippedMotion(), s.clippedCommand()} {
		if h.left < best.left && (h.clipping == nil || h.clipping.Samples > 0) {
			best = h
		}
	}
	if best.clipping != nil {
		out.Clipping = best.clipping
		return best.free
	}
	if best.play > 0 {
		if _, c, err := best.free.continuous(); err == nil {
			out.Backlash = &Backlash{Play: best.play, DelayMS: c.slowDelayMS(1 / s.RateHz), Gain: c.Num[0]}
		}
	}
	return s
}

// playBefore is the play of the command under which the least power of the measurement is left over.
func (s *Identify) playBefore() hypothesis {
	thin := s.thinned()
	amplitude := (slices.Max(thin.Command) - slices.Min(thin.Command)) / 2
	play := leastOf(thin.left, leastPlay*amplitude, amplitude)
	free := *s
	free.Command = played(s.Command, play)
	return hypothesis{play: play, free: &free, left: free.linearMotion(free.Command, everySample).left}
}

// playAfter is a play of the motion of a linear response. The lag that a play gives the response so far is a regressor
// of the next response: its factor corrects the play.
func (s *Identify) playAfter(play float64, r linearMotion) hypothesis {
	free := *s
	for range playTurns {
		behind := played(r.moved, play)
		floats.Sub(behind, r.moved)
		r = s.linearMotion(s.Command, everySample, behind)
		free.Measured = slices.Clone(s.Measured)
		floats.AddScaled(free.Measured, -r.factor, behind)
		play *= min(max(0.5, r.factor), 2)
		if math.Abs(r.factor-1) < playSettled {
			break
		}
	}
	return hypothesis{play: play, free: &free, left: r.left}
}

// clippedMotion is the response to the samples away from both ends of the measured range, and the test with what that
// response has beyond the ends. A second look keeps away from the ends by the noise of the first.
func (s *Identify) clippedMotion() hypothesis {
	top, bottom := slices.Max(s.Measured), slices.Min(s.Measured)
	near := nearLevel * (top - bottom)
	h := s.clippedNear(top-near, bottom+near)
	if noisy := min(scatter*math.Sqrt(h.left), (top-bottom)/4); noisy > near {
		return s.clippedNear(top-noisy, bottom+noisy)
	}
	return h
}

// clippedNear is clippedMotion by the samples between two ends.
func (s *Identify) clippedNear(top, bottom float64) hypothesis {
	r := s.linearMotion(s.Command, func(k int) bool { return s.Measured[k] < top && s.Measured[k] > bottom })
	past := beyond * (slices.Max(s.Measured) - slices.Min(s.Measured))
	c := &Clipping{Low: math.Inf(-1), High: math.Inf(1)}
	var high, low []float64
	for k, x := range s.Measured {
		switch {
		case x >= top && r.moved[k] > x+past:
			high = append(high, x)
		case x <= bottom && r.moved[k] < x-past:
			low = append(low, x)
		}
	}
	if len(high) > 0 {
		c.High = mean(high)
	}
	if len(low) > 0 {
		c.Low = mean(low)
	}
	free, left := *s, 0.0
	free.Measured = slices.Clone(s.Measured)
	for k, x := range s.Measured {
		e := x - min(max(c.Low, r.moved[k]), c.High)
		left += e * e / float64(len(s.Measured))
		if x >= top && r.moved[k] > c.High || x <= bottom && r.moved[k] < c.Low {
			free.Measured[k] = r.moved[k]
			c.Samples++
		}
	}
	return hypothesis{clipping: c, free: &free, left: left}
}

// clippedCommand looks for the levels of the command under which the least power of the measurement is left over.
func (s *Identify) clippedCommand() hypothesis {
	thin := s.thinned()
	top, bottom := slices.Max(thin.Command), slices.Min(thin.Command)
	middle, amplitude := (top+bottom)/2, (top-bottom)/2
	left := func(low, high float64) float64 {
		t := *thin
		t.Command = clipped(thin.Command, low, high)
		return t.left(0)
	}
	level := func(f func(float64) float64) float64 {
		v := leastOf(f, leastLevel*amplitude, amplitude)
		return v
	}
	v := level(func(v float64) float64 { return left(middle-v, middle+v) })
	c := &Clipping{Low: middle - v, High: middle + v, Command: true}
	for range levelTries {
		c.High = middle + level(func(v float64) float64 { return left(c.Low, middle+v) })
		c.Low = middle - level(func(v float64) float64 { return left(middle-v, c.High) })
	}
	if c.High > top-beyond*amplitude {
		c.High = math.Inf(1)
	}
	if c.Low < bottom+beyond*amplitude {
		c.Low = math.Inf(-1)
	}
	free := *s
	free.Command = clipped(s.Command, c.Low, c.High)
	for k, u := range s.Command {
		if free.Command[k] != u {
			c.Samples++
		}
	}
	return hypothesis{clipping: c, free: &free, left: free.linearMotion(free.Command, everySample).left}
}

// clipped is v between two levels.
func clipped(v []float64, low, high float64) []float64 {
	out := make([]float64, len(v))
	for k, x := range v {
		out[k] = min(max(low, x), high)
	}
	return out
}

// linearMotion finds x[k] = level + slope k + Σ b_i u[k − first − i·apart] + factor·behind[k], if that is given, over
// the samples that count, by least squares with a ridge: a command in a narrow band determines few of the b_i.
func (s *Identify) linearMotion(command []float64, counts func(k int) bool, behind ...[]float64) linearMotion {
	n := len(command)
	apart := max(1, int(math.Round(tapsApart*s.RateHz)))
	first, taps := s.lag()-ahead*apart, min(responded, n/20)
	every := max(1, int(math.Round(s.RateHz/thinHz)), n/mostRows)
	row := mat.NewVecDense(2+taps+len(behind), nil)
	fill := func(k int) {
		row.SetVec(0, 1)
		row.SetVec(1, float64(k)/float64(n))
		for i := range taps {
			row.SetVec(2+i, command[min(max(0, k-first-i*apart), n-1)])
		}
		for i, v := range behind {
			row.SetVec(2+taps+i, v[k])
		}
	}
	square, right := mat.NewSymDense(row.Len(), nil), mat.NewVecDense(row.Len(), nil)
	for k := 0; k < n; k += every {
		if counts(k) {
			fill(k)
			square.SymRankOne(square, 1, row)
			right.AddScaledVec(right, s.Measured[k], row)
		}
	}
	for i := 2; i < 2+taps; i++ {
		square.SetSym(i, i, square.At(i, i)*(1+ridge*float64(taps)))
	}
	var chol mat.Cholesky
	var b mat.VecDense
	out := linearMotion{moved: make([]float64, n), left: math.Inf(1)}
	if !chol.Factorize(square) || chol.SolveVecTo(&b, right) != nil {
		return out
	}
	out.level, out.slope, out.left = b.AtVec(0), b.AtVec(1)/float64(n), 0
	for k := range n {
		fill(k)
		out.moved[k] = mat.Dot(&b, row)
		e := s.Measured[k] - out.moved[k]
		out.left += e * e / float64(n)
	}
	for i, v := range behind {
		out.factor = b.AtVec(2 + taps + i)
		floats.AddScaled(out.moved, -out.factor, v)
	}
	return out
}

// String says what is clipped, where, and for how long.
func (c *Clipping) String() string {
	var at []string
	for _, level := range []float64{c.Low, c.High} {
		if !math.IsInf(level, 0) {
			at = append(at, fmt.Sprintf("%.4g mm", 1e3*level))
		}
	}
	what, where := "the measurement stays at", "the sensor or the actuator is saturated"
	if c.Command {
		what, where = "the measurement moves as if the command stayed at", "the actuator or its controller is saturated"
	}
	return fmt.Sprintf("%s %s in %d samples in which the model goes on: %s", what, strings.Join(at, " and "), c.Samples,
		where)
}
