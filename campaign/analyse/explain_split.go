package analyse

import (
	"cmp"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
)

// upTo is the fitted actuator without the causes after one.
func (f *explainFit) upTo(last Cause) *Actuator {
	a := f.at
	if last < backlash {
		a.ClevisPlay = 0
	}
	if last < friction {
		a.CoulombForce, a.StaticForce = 0, 0
	}
	if last < saturation {
		a.Hydraulic = *a.Unbounded()
	}
	if last < amplitudeDelay {
		a.Overlap = 0
	}
	if last < resonance {
		a.RatedFlow, a.BulkModulus = f.Rehearsed.RatedFlow, f.Rehearsed.BulkModulus
	}
	return &a
}

// split takes up one cause more at a time. What is left is noise where it is white, and not in the model else.
func (f *explainFit) split(out *Explanation) error {
	n := len(f.Target)
	between := func(a, b []float64) []float64 {
		part := make([]float64, n)
		for k := range part {
			part[k] = a[k] - b[k]
		}
		return part
	}
	before, err := f.follow(f.upTo(constantDelay), f.Command)
	if err != nil {
		return fmt.Errorf("the linear part of the rehearsal's actuator: %w", err)
	}
	out.LagS = lag(f.Target, before.x, f.RateHz)
	before.x = shifted(f.Target, out.LagS*f.RateHz)
	out.Parts[constantDelay] = between(before.x, f.Target)
	for c := resonance; c <= backlash; c++ {
		now, err := f.follow(f.upTo(c), f.Command)
		if err != nil {
			return fmt.Errorf("the fitted actuator with %s: %w", c, err)
		}
		out.Parts[c] = between(now.x, before.x)
		before = now
	}
	out.Parts[lateTicks] = between(f.run.x, before.x)
	left := between(f.Measured, f.run.x)
	out.Parts[noise] = white(left)
	out.Parts[notInTheModel] = between(left, out.Parts[noise])
	return nil
}

const (
	mostLagS = 0.5
	alias    = 1.05 // of the least mean square: a sine is as near a period later
)

// lag is the time, s, by which v comes after the target: that at which they are nearest. Of times at which they are
// almost as near, as with a sine, it is the shortest.
func lag(target, v []float64, rateHz float64) float64 {
	apart := func(s float64) (sum float64) {
		for k, x := range shifted(target, s*rateHz) {
			sum += (v[k] - x) * (v[k] - x)
		}
		return sum
	}
	step, n := 1/rateHz, len(target)
	var at, of []float64 // of the samples that have a target so much earlier
	for s := -mostLagS; s <= mostLagS; s += 4 * step {
		first, last := int(max(0, math.Ceil(s*rateHz))), n+int(min(0, math.Floor(s*rateHz)))
		sum := 0.0
		for k, x := range shifted(target, s*rateHz)[first:last] {
			sum += (v[first+k] - x) * (v[first+k] - x)
		}
		at, of = append(at, s), append(of, sum/float64(last-first))
	}
	best, least := math.Inf(1), slices.Min(of)
	for i, s := range at {
		valley := of[i] <= of[max(i-1, 0)] && of[i] <= of[min(i+1, len(of)-1)]
		if valley && of[i] <= alias*least && math.Abs(s) < math.Abs(best) {
			best = s
		}
	}
	for ; step > 1e-6; step /= 2 {
		for _, s := range []float64{best - 2*step, best - step, best + step, best + 2*step} {
			if apart(s) < apart(best) {
				best = s
			}
		}
	}
	return best
}

const (
	bins    = 24  // of a spectrum, that are averaged
	quietOf = 0.5 // upper part of the band, whose median is the noise
)

// white is the white noise in a signal by the filter of Wiener: at each frequency the part of its power that the noise has.
// The noise's power is the median over the upper half of the band. A length whose transform is slow has its end mirrored.
func white(v []float64) []float64 {
	rows, n := len(v), len(v)
	if fast := smooth(n); fast < n {
		n = smooth(n + n/16 + 1)
		v = append(slices.Clone(v), make([]float64, n-rows)...)
		for i := range n - rows {
			v[rows+i] = v[rows-1-i]
		}
	}
	fft := fourier.NewFFT(n)
	c := fft.Coefficients(nil, v)
	power := make([]float64, len(c))
	for i := range c {
		from, to := max(1, i-bins/2), min(len(c), i+bins/2+1)
		for _, x := range c[from:to] {
			power[i] += cmplx.Abs(x) * cmplx.Abs(x) / float64(to-from)
		}
	}
	upper := slices.Sorted(slices.Values(power[int(quietOf*float64(len(power))):]))
	level := upper[len(upper)/2]
	for i := range c {
		part := 1.0
		if power[i] > 2*level {
			part = level / power[i]
		}
		c[i] *= complex(part, 0)
	}
	c[0] = 0 // an offset
	out := fft.Sequence(nil, c)[:rows]
	for k := range out {
		out[k] /= float64(n)
	}
	return out
}

// verdict names the first cause, or says why it cannot be told.
func (f *explainFit) verdict(out *Explanation) error {
	order := out.ranked()
	out.First = order[0]
	first, second := out.share(order[0]), out.share(order[1])
	// What a compensator does about another cause is delay or gain; a virtual test shows the other cause.
	answer := (out.Virtual == nil || !out.Virtual.Tells) && (out.First == constantDelay || out.First == resonance)
	left := rms(centred(f.Measured, out.Simulated)) / rms(centred(f.Measured, make([]float64, len(f.Measured))))
	rest, near := out.Shares[notInTheModel], nextShare
	if rest < littleLeft {
		near = nextSharp
	}
	switch {
	case left > strangeLeft && out.Shares[noise] < rest:
		out.Why = fmt.Sprintf("the fitted actuator leaves %.0f %% of the measured motion: these may be the commands of another "+
			"test, or a specimen or inner controller that is not the rehearsal's", 100*left)
	case out.First != notInTheModel && out.First != noise && rest > modelLeaves:
		out.Why = fmt.Sprintf("the fitted actuator leaves %.0f %% of the error", 100*rest)
	case first < leastShare:
		out.Why = fmt.Sprintf("the largest part, %s, is %.0f %% of the error: less than %.0f %%", order[0], 100*first,
			100*leastShare)
	case answer && first > unopposed && second > opposing && out.against(order[0], order[1]):
		out.Why = fmt.Sprintf("%s (%.0f %%) and %s (%.0f %%) work against each other, as where a compensator that adapts answers "+
			"to one of them", order[0], 100*first, order[1], 100*second)
		if out.Virtual == nil {
			out.Why += ": want the folder of the run as TEST, so that its virtual test shows which"
		}
	case second > near*first:
		out.Why = fmt.Sprintf("%s (%.0f %%) and %s (%.0f %%) are too near", order[0], 100*first, order[1], 100*second)
	}
	if out.Why != "" {
		return nil
	}
	alike, err := f.alike(out.First)
	if alike {
		out.Why = fmt.Sprintf("without %s the other causes leave no more of the measured motion", out.First)
	}
	return err
}

// against reports whether two parts take from each other.
func (out *Explanation) against(a, b Cause) bool {
	dot := 0.0
	for k, v := range out.Parts[a] {
		dot += v * out.Parts[b][k]
	}
	return dot < 0
}

// share is what a verdict goes by.
func (out *Explanation) share(c Cause) float64 {
	if v := out.Virtual; v != nil && v.Tells {
		return v.share(c, out.Shares)
	}
	return out.Shares[c]
}

// ranked are the causes, the largest first.
func (out *Explanation) ranked() []Cause {
	var order []Cause
	for c := range causes {
		order = append(order, c)
	}
	slices.SortStableFunc(order, func(a, b Cause) int { return cmp.Compare(out.share(b), out.share(a)) })
	return order
}

// alike reports whether a fit without a cause leaves as little.
func (f *explainFit) alike(c Cause) (bool, error) {
	if c >= lateTicks {
		return false, nil
	}
	other := *f
	other.used = slices.DeleteFunc(slices.Clone(f.used), func(i int) bool { return i >= alwaysFitted && knobs[i].cause == c })
	if len(other.used) == len(f.used) {
		return false, nil // it is the rehearsal's
	}
	for _, i := range f.used {
		if k := &knobs[i]; i >= alwaysFitted && k.cause == c {
			rehearsed := f.rehearsed()
			*k.of(&other.at) = *k.of(&rehearsed)
		}
	}
	if c == friction {
		other.at.StaticForce, other.at.BristleDamping = f.Rehearsed.StaticForce, f.Rehearsed.BristleDamping
	}
	if c == backlash {
		other.at.ClevisStiffness, other.at.ClevisDamping = f.Rehearsed.ClevisStiffness, f.Rehearsed.ClevisDamping
	}
	other.complete(&other.at)
	if other.begin(raceRounds) != nil { // without the cause it is not stable
		other.at.DelayS, other.at.RatedFlow, other.at.BulkModulus = f.WireS, f.Rehearsed.RatedFlow, f.Rehearsed.BulkModulus
		if err := other.begin(raceRounds); err != nil {
			return false, fmt.Errorf("the fitted actuator without %s: %w", c, err)
		}
	}
	if rms(other.run.r) < farFrom*rms(f.run.r) {
		other.descend(lastRounds)
	}
	return rms(other.run.r) < alikeWithin*rms(f.run.r), nil
}

// nrmse is the rms of a difference over that of the target about its mean.
func nrmse(measured, target []float64) float64 {
	e := make([]float64, len(target))
	for k := range e {
		e[k] = measured[k] - target[k]
	}
	if size := rms(centred(target, make([]float64, len(target)))); size > 0 {
		return rms(e) / size
	}
	return math.NaN()
}
