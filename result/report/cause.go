package report

import (
	"math"

	"rths"
	"rths/result/record"
)

// tracked says how far the measured displacement of one actuator is from its target, and
// what of the variance of the error a delay, a wrong amplitude and the sensor's noise
// explain. With the target x, the measured displacement y, the delay τ and the amplitude
// A = cov(y, x(t − τ)) / var(x):
//
//	var(y − x) = [var(y − x) − var(y − x(t − τ))] + [var(y − x(t − τ)) − var(y − A x(t − τ))] + rest
//
// The brackets are the shares of delay and amplitude. All are divided by var(x).
type tracked struct {
	actuator                 int     // from 1; 0: the only one
	j2, delayMs, amplitude   float64 // %, ms, %; J2 is of the samples before a limit acted
	delay, gain, noise, rest float64 // shares of (J2/100)²
	early, late              float64 // J2 of the first and the second half of the motion, %
}

// worstTracked is the actuator with the largest error, or false where no actuator has a
// target that moves.
func worstTracked(a *record.Archive) (tracked, bool) {
	s := newSource(a)
	axes := min(s.count("target", "m"), s.count("measured", "m"))
	var worst tracked
	found := false
	for i := range axes {
		if t, ok := newTracked(s, i, axes); ok && (!found || t.j2 > worst.j2) {
			worst, found = t, true
		}
	}
	return worst, found
}

func newTracked(s source, i, axes int) (tracked, bool) {
	x, okX := s.trace(s.numbered("target", "m", i), 1)
	y, okY := s.trace(s.numbered("measured", "m", i), 1)
	t, criteria := tracked{actuator: rths.Component(i, axes)}, s.archive.Criteria
	if !okX || !okY {
		return t, false
	}
	n := min(bothFinite(x.values, y.values), s.free())
	beginning, measured := x.values.First(n), y.values.First(n)
	all := variance(beginning)
	if !(all > 0) || !rths.Finite(all) {
		return t, false
	}
	t.delayMs, _ = valueOf(criteria, rths.Meaning{Quantity: "delay", Axis: t.actuator})
	floor, _ := valueOf(criteria, rths.Meaning{Quantity: "J2_floor", Axis: t.actuator})
	again, _ := s.trace(s.numbered("target", "m", i), 1) // read at another place
	late := shifted(again.values.First(n), t.delayMs/1000*s.rate)
	gain := covariance(measured, late) / variance(late)
	whole := errorVariance(beginning, measured, 1)
	aligned := errorVariance(late, measured, 1)
	rest := errorVariance(late, measured, gain)
	t.j2, t.amplitude = 100*math.Sqrt(whole/all), 100*gain
	t.delay, t.gain, t.noise = (whole-aligned)/all, (aligned-rest)/all, floor*floor/1e4
	t.rest = max(0, rest/all-t.noise)
	half := halfway(beginning)
	t.early = j2(beginning.First(half), measured.First(half))
	t.late = j2(beginning.From(half), measured.From(half))
	return t, rths.Finite(t.j2) && rths.Finite(t.delay+t.gain+t.noise+t.rest)
}

// free is how many samples passed before a limit took the command over.
func (s source) free() int {
	for _, e := range s.archive.Events {
		if tookOver(e) {
			return max(0, int((e.TimeS-s.start)*s.rate))
		}
	}
	return s.archive.Rows()
}

// valueOf is the finite value of that meaning.
func valueOf(values record.Values, of rths.Meaning) (float64, bool) {
	for _, v := range values {
		if v.Meaning == of && rths.Finite(v.V) {
			return v.V, true
		}
	}
	return 0, false
}

// bothFinite is the length of the beginning in which both are finite.
func bothFinite(x, y record.Signal) (n int) {
	for n < min(x.Len(), y.Len()) && rths.Finite(x.At(n)+y.At(n)) {
		n++
	}
	return n
}

// shifted is x later by a number of samples, between samples along a line.
func shifted(x record.Signal, by float64) record.Signal {
	n := x.Len()
	return record.SignalBy(n, func(k int) float64 {
		at := max(0, min(float64(k)-by, float64(n-1)))
		i := min(int(at), max(0, n-2))
		v := x.At(i)
		if i+1 < n {
			v += (at - float64(i)) * (x.At(i+1) - v)
		}
		return v
	})
}

// halfway is the place at which half of Σ x² has passed.
func halfway(x record.Signal) int {
	sum, passed := 0.0, 0.0
	for k := range x.Len() {
		v := x.At(k)
		sum += v * v
	}
	for k := range x.Len() {
		v := x.At(k)
		if passed += v * v; passed >= sum/2 {
			return k
		}
	}
	return x.Len()
}

// j2 is the standard deviation of y − x over that of x, %.
func j2(x, y record.Signal) float64 {
	return 100 * math.Sqrt(errorVariance(x, y, 1)/variance(x))
}

func variance(x record.Signal) float64 {
	n := float64(x.Len())
	mean, sum := 0.0, 0.0
	for k := range x.Len() {
		mean += x.At(k) / n
	}
	for k := range x.Len() {
		d := x.At(k) - mean
		sum += d * d / n
	}
	return sum
}

func covariance(x, y record.Signal) float64 {
	n := float64(x.Len())
	mx, my, sum := 0.0, 0.0, 0.0
	for k := range x.Len() {
		mx, my = mx+x.At(k)/n, my+y.At(k)/n
	}
	for k := range x.Len() {
		sum += (x.At(k) - mx) * (y.At(k) - my) / n
	}
	return sum
}

// errorVariance is the variance of y − gain·x.
func errorVariance(x, y record.Signal, gain float64) float64 {
	return variance(y.Minus(x.Times(gain)))
}
