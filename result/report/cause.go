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
	t.delayMs, _ = valueOf(criteria, rths.Meaning{Quantity: "delay", Axis: t.actuator})
	floor, _ := valueOf(criteria, rths.Meaning{Quantity: "J2_floor", Axis: t.actuator})
	again, _ := s.trace(s.numbered("target", "m", i), 1) // read at another place
	late := shifted(again.values.First(n), t.delayMs/1000*s.rate)

	// Of the error: now, half of the motion, and where the target is late.
	var whole, part, aligned moments
	for k, half := 0, halfway(beginning); k < n; k++ {
		if k == half {
			t.early, part = part.j2(), moments{}
		}
		x, y, xLate := beginning.At(k), measured.At(k), late.At(k)
		whole.add(x, y-x)
		part.add(x, y-x)
		aligned.add(xLate, y-xLate)
	}
	all := whole.xx()
	if !(all > 0) || !rths.Finite(all) {
		return t, false
	}
	t.late, t.j2 = part.j2(), whole.j2()
	// With x late and e = y − x: A = 1 + cov(x, e) / var(x), and var(y − A x) = var(e) − cov(x, e)² / var(x).
	wrong := aligned.xe() / aligned.xx()
	t.amplitude = 100 * (1 + wrong)
	t.delay, t.gain, t.noise = (whole.ee()-aligned.ee())/all, wrong*aligned.xe()/all, floor*floor/1e4
	t.rest = max(0, (aligned.ee()-wrong*aligned.xe())/all-t.noise)
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

// moments are sums of a target x and an error e less their first values, which keeps the digits where they are large.
type moments struct {
	n                     float64
	x0, e0                float64
	sx, se, sxx, sxe, see float64
}

func (m *moments) add(x, e float64) {
	if m.n == 0 {
		m.x0, m.e0 = x, e
	}
	x, e = x-m.x0, e-m.e0
	m.n++
	m.sx, m.se = m.sx+x, m.se+e
	m.sxx, m.sxe, m.see = m.sxx+x*x, m.sxe+x*e, m.see+e*e
}

// Variances and the covariance.
func (m *moments) xx() float64 { return (m.sxx - m.sx*m.sx/m.n) / m.n }
func (m *moments) xe() float64 { return (m.sxe - m.sx*m.se/m.n) / m.n }
func (m *moments) ee() float64 { return (m.see - m.se*m.se/m.n) / m.n }

// j2 is the standard deviation of the error over that of the target, %.
func (m *moments) j2() float64 { return 100 * math.Sqrt(max(0, m.ee())/m.xx()) }
