package report

import (
	"fmt"
	"math"

	"rths"
	"rths/record"
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
	suffix, t, criteria := "", tracked{}, s.archive.Criteria
	if axes > 1 {
		suffix, t.actuator = fmt.Sprintf("_%d", i+1), i+1
	}
	if okX && okY {
		x.values, y.values = bothFinite(x.values, y.values)
		free := min(len(x.values), s.free())
		x.values, y.values = x.values[:free], y.values[:free]
	}
	all := variance(x.values)
	if !(all > 0) || !rths.Finite(all) {
		return t, false
	}
	t.delayMs, _ = valueOf(criteria, "delay"+suffix+"_ms")
	floor, _ := valueOf(criteria, "J2_floor"+suffix+"_pct")
	late := shifted(x.values, t.delayMs/1000*s.rate)
	gain := covariance(y.values, late) / variance(late)
	whole := errorVariance(x.values, y.values, 1)
	aligned := errorVariance(late, y.values, 1)
	rest := errorVariance(late, y.values, gain)
	t.j2, t.amplitude = 100*math.Sqrt(whole/all), 100*gain
	t.delay, t.gain, t.noise = (whole-aligned)/all, (aligned-rest)/all, floor*floor/1e4
	t.rest = max(0, rest/all-t.noise)
	half := halfway(x.values)
	t.early = 100 * math.Sqrt(errorVariance(x.values[:half], y.values[:half], 1)/variance(x.values[:half]))
	t.late = 100 * math.Sqrt(errorVariance(x.values[half:], y.values[half:], 1)/variance(x.values[half:]))
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

// valueOf is the finite value of that name.
func valueOf(values record.Values, name string) (float64, bool) {
	for _, v := range values {
		if v.Name == name && rths.Finite(v.V) {
			return v.V, true
		}
	}
	return 0, false
}

// bothFinite keeps the beginning in which both are finite.
func bothFinite(x, y []float64) (_, _ []float64) {
	n := 0
	for n < min(len(x), len(y)) && rths.Finite(x[n]+y[n]) {
		n++
	}
	return x[:n], y[:n]
}

// shifted is x later by a number of samples, between samples along a line.
func shifted(x []float64, by float64) []float64 {
	out := make([]float64, len(x))
	for k := range x {
		at := max(0, min(float64(k)-by, float64(len(x)-1)))
		i := min(int(at), max(0, len(x)-2))
		out[k] = x[i]
		if i+1 < len(x) {
			out[k] += (at - float64(i)) * (x[i+1] - x[i])
		}
	}
	return out
}

// halfway is the place at which half of Σ x² has passed.
func halfway(x []float64) int {
	sum, passed := 0.0, 0.0
	for _, v := range x {
		sum += v * v
	}
	for k, v := range x {
		if passed += v * v; passed >= sum/2 {
			return k
		}
	}
	return len(x)
}

func variance(x []float64) float64 { return covariance(x, x) }

func covariance(x, y []float64) float64 {
	n := float64(len(x))
	mx, my, sum := 0.0, 0.0, 0.0
	for k := range x {
		mx, my = mx+x[k]/n, my+y[k]/n
	}
	for k := range x {
		sum += (x[k] - mx) * (y[k] - my) / n
	}
	return sum
}

// errorVariance is the variance of y − gain·x.
func errorVariance(x, y []float64, gain float64) float64 {
	e := make([]float64, len(x))
	for k := range x {
		e[k] = y[k] - gain*x[k]
	}
	return variance(e)
}
