package ground

import (
	"fmt"
	"math"

	"rths"
	"rths/maths/signal"
)

// Measures are the intensity measures of a motion, without any filter. PGV and PGD come
// from Integrals, all others from the unchanged record.
type Measures struct {
	PGA    float64 // max|a|, m/s²
	PGV    float64 // max|v| of Integrals, m/s
	PGD    float64 // max|d| of Integrals, m
	Base   float64 // the constant that Integrals removes, m/s²
	Arias  float64 // Arias intensity π/(2g) ∫ a² dt, m/s (Arias 1970), g standard
	D5To95 float64 // time from 5 to 95 % of the Arias intensity, s (Trifunac & Brady 1975)
	D5To75 float64 // from 5 to 75 %, s
	CAV    float64 // cumulative absolute velocity ∫|a| dt, m/s (EPRI 1988), without a threshold
}

// Measures computes the measures of the motion. Integrals are by the
// trapezoidal rule.
// A motion that is zero throughout has all of them zero. It is an error if a
// measure is beyond double precision.
func (m Motion) Measures() (Measures, error) {
	v, d, base := m.Integrals()
	build := m.AriasBuildUp()
	out := Measures{
		PGA: m.PGA(), PGV: Motion{A: v}.PGA(), PGD: Motion{A: d}.PGA(), Base: base,
		CAV: m.trapezoid(math.Abs),
	}
	if len(build) > 0 {
		out.Arias = build[len(build)-1]
		t5 := m.timeOf(build, 0.05)
		out.D5To95, out.D5To75 = m.timeOf(build, 0.95)-t5, m.timeOf(build, 0.75)-t5
	}
	for _, x := range []float64{out.PGV, out.PGD, out.Arias, out.D5To95, out.CAV} {
		if !rths.Finite(x) {
			return Measures{}, fmt.Errorf("%s: accelerations up to %g m/s²: want a motion whose integrals are finite", m.Name,
				out.PGA)
		}
	}
	return out, nil
}

// Integrals are velocity v (m/s) and displacement d (m) at the samples, by the trapezoidal
// rule from rest. A constant in a record would become a line in the velocity and a
// parabola in the displacement. Integrals therefore first subtracts base (m/s²), the slope
// of the least-squares line through the origin of the velocity. base is nearly 0 for a
// corrected record. For other records the displacement means little even so: look at the
// curves. The motion itself does not change.
func (m Motion) Integrals() (v, d []float64, base float64) {
	v = integrate(m.A, m.Dt)
	var vt, tt float64
	for i, x := range v {
		t := float64(i) * m.Dt
		vt += x * t
		tt += t * t
	}
	if tt > 0 {
		base = vt / tt
	}
	for i := range v {
		v[i] -= base * float64(i) * m.Dt
	}
	return v, integrate(v, m.Dt), base
}

// integrate is the integral from the first sample on, by the trapezoidal rule.
func integrate(a []float64, dt float64) []float64 {
	out := make([]float64, len(a))
	for i := 1; i < len(a); i++ {
		out[i] = out[i-1] + dt*(a[i-1]/2+a[i]/2)
	}
	return out
}

// AriasBuildUp is the Arias intensity up to each sample, m/s: over its last
// value, the Husid plot.
func (m Motion) AriasBuildUp() []float64 {
	squares := make([]float64, len(m.A))
	for i, a := range m.A {
		squares[i] = math.Pi / (2 * StandardGravity) * a * a
	}
	return integrate(squares, m.Dt)
}

// timeOf is when the build-up reaches a fraction of its end, s from the first
// sample, interpolated linearly.
func (m Motion) timeOf(build []float64, fraction float64) float64 {
	want := fraction * build[len(build)-1]
	for i := 1; i < len(build); i++ {
		if build[i] >= want && build[i] > build[i-1] {
			return (float64(i-1) + (want-build[i-1])/(build[i]-build[i-1])) * m.Dt
		}
	}
	return 0
}

// trapezoid is the integral of a function of the acceleration.
func (m Motion) trapezoid(f func(float64) float64) float64 {
	sum := 0.0
	for i := 1; i < len(m.A); i++ {
		sum += m.Dt * (f(m.A[i-1])/2 + f(m.A[i])/2)
	}
	return sum
}

// spike is the factor by which the largest sample is larger than all others, and where it is.
func (m Motion) spike() (factor float64, at int) {
	first, second := 0.0, 0.0
	for i, a := range m.A {
		switch a = math.Abs(a); {
		case a > first:
			first, second, at = a, first, i
		case a > second:
			second = a
		}
	}
	return first / second, at
}

// mostSpike is the factor above which one sample alone is asked about: a number of a heading or footer, or a time.
const mostSpike = 10

// doubt says that one sample is far larger than all others, and that numbers without a unit have the spectrum of a
// velocity or displacement.
func (m Motion) doubt() (notes []string) {
	if factor, at := m.spike(); factor > mostSpike && len(m.A) >= 3 {
		notes = append(notes, fmt.Sprintf(
			"%s: sample %d of %d, at %.4g s, is %.3g m/s², %.3g times all others: is it an acceleration?", m.Name, at+1, len(m.A),
			float64(at)*m.Dt, m.A[at], factor))
	}
	if m.unstated && !titleWords[Acceleration.Name]().MatchString(m.title) && m.Duration() > leastLooked {
		if part := m.powerAbove(fastHz); part < leastFast {
			notes = append(notes, fmt.Sprintf("%s: no unit is stated, and %.2g %% of the power is above %d Hz, "+
				"as of a velocity or "+
				"displacement, or of a very soft soil: are these accelerations?", m.Name, 100*part, fastHz))
		}
	}
	return notes
}

// Of four recorded accelerations 32 to 61 % of the power is above 2 Hz, of their velocities 2 to 8 %.
const (
	fastHz      = 2
	leastFast   = 0.1
	leastLooked = 5.0 // s
)

// powerAbove is the part of the power above a frequency.
func (m Motion) powerAbove(hz float64) float64 {
	above, all := 0.0, 0.0
	for k, x := range signal.Spectrum(m.A) {
		p := real(x)*real(x) + imag(x)*imag(x)
		if all += p; float64(k+1) > hz*float64(len(m.A))*m.Dt {
			above += p
		}
	}
	if all == 0 {
		return 1
	}
	return above / all
}
