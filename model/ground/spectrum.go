package ground

import (
	"fmt"
	"math"

	"rths"
	"rths/maths/signal"
)

// SpectrumPoint is the response spectrum of a motion at one period: peaks over
// the motion of the oscillator
//
//	ü + 2ζω u̇ + ω² u = -a(t),  ω = 2π/T,
//
// at rest before the first sample.
type SpectrumPoint struct {
	Period float64 // T, s
	Sd     float64 // peak relative displacement max|u|, m
	PSV    float64 // pseudo-velocity ω·Sd, m/s: not the peak of u̇
	PSA    float64 // pseudo-acceleration ω²·Sd, m/s²
	Sa     float64 // peak absolute acceleration max|ü + a| = max|2ζω u̇ + ω² u|, m/s²: PSA where ζ is 0
}

// Accuracy of the peaks: they are sought at the samples and at points between,
// pointsPerPeriod to a period, so that a harmonic peak is found within 1 - cos(π/100) =
// 0.05 % (absolute acceleration of a strongly damped oscillator: 0.2 % for white samples).
// For periods far below the step, maxBetween points find the quasi-static response and
// miss part of a ringing of less than 2T/(π·dt) of the peak.
const (
	pointsPerPeriod = 100
	maxBetween      = 400
	rigid           = 1e-3 // T/dt below which u is -a/ω²
)

// ResponseSpectrum is the response spectrum of the acceleration a (m/s², any:
// of the ground or of a floor), sampled every dt seconds, at the given periods
// (s, 0 or more) for the damping ratio zeta (0 to 1, 0.05 for 5 %).
//
// Between samples a is linear, and the recursion is exact for any step (Nigam & Jennings
// 1969). For short periods the step is divided to find the peaks between samples. At
// T = 0, Sd is 0, and PSA and Sa equal the PGA, their limit as T falls below dt.
//
// Peaks are between the first and the last sample: pad the motion with zeros
// (Motion.Padded) to include the free vibration afterwards. Ordinates at T < 2·dt depend
// more on the linear interpolation than on the motion.
func ResponseSpectrum(a []float64, dt float64, periods []float64, zeta float64) ([]SpectrumPoint, error) {
	if err := checkSpectrum(a, dt, periods, zeta); err != nil {
		return nil, err
	}
	points := make([]SpectrumPoint, len(periods))
	for i, t := range periods {
		if t < rigid*dt {
			points[i] = rigidPoint(a, t)
			continue
		}
		n := int(min(max(math.Ceil(pointsPerPeriod*dt/t-1e-9), 1), maxBetween)) // whole but for rounding: as it is
		o, err := signal.NewOscillator(2*math.Pi/t*dt/float64(n), zeta)
		if err != nil {
			return nil, fmt.Errorf("response spectrum: period %g s: %w", t, err)
		}
		x, y := peaks(&o, zeta, a, n)
		points[i] = spectrumPoint(t, x, y)
	}
	return points, nil
}

// checkSpectrum checks the arguments of ResponseSpectrum.
func checkSpectrum(a []float64, dt float64, periods []float64, zeta float64) error {
	if len(a) < 2 {
		return fmt.Errorf("response spectrum: %d samples: want 2 or more", len(a))
	}
	if !(dt > 0) || math.IsInf(dt, 0) {
		return fmt.Errorf("response spectrum: time step %g s: want more than 0", dt)
	}
	if !(zeta >= 0 && zeta <= 1) {
		return fmt.Errorf("response spectrum: damping ratio %g: want 0 to 1, as in 0.05", zeta)
	}
	for i, t := range periods {
		if !(t >= 0 && t <= 1e6) {
			return fmt.Errorf("response spectrum: period %d of %g s: want 0 to 1e6 s", i+1, t)
		}
	}
	for i, v := range a {
		if !rths.Finite(v) {
			return fmt.Errorf("response spectrum: sample %d of %g m/s²: want a finite number", i+1, v)
		}
	}
	return nil
}

// SpectrumPeriods are the periods to draw a spectrum at: 0.01 to 10 s, 100 to
// a decade.
func SpectrumPeriods() []float64 {
	periods := make([]float64, 301)
	for i := range periods {
		periods[i] = math.Pow(10, float64(i)/100-2)
	}
	return periods
}

// spectrumPoint is the point of the peak x = ω² max|u| and of the peak
// absolute acceleration.
func spectrumPoint(t, x, absolute float64) SpectrumPoint {
	w := 2 * math.Pi / t
	return SpectrumPoint{Period: t, Sd: x / (w * w), PSV: x / w, PSA: x, Sa: absolute}
}

// rigidPoint is the limit of the point as the period goes to zero.
func rigidPoint(a []float64, t float64) SpectrumPoint {
	pga := Motion{A: a}.PGA()
	w1 := t / (2 * math.Pi) // 1/ω
	return SpectrumPoint{Period: t, Sd: pga * w1 * w1, PSV: pga * w1, PSA: pga, Sa: pga}
}

// peaks are the largest ω²|u| and the largest |ω² u + 2ζω u̇| of an oscillator
// under a, each step of it divided by n.
func peaks(o *signal.Oscillator, zeta float64, a []float64, n int) (displacement, absolute float64) {
	before := a[0]
	for i := range a[:len(a)-1] {
		slope := (a[i+1] - a[i]) / float64(n)
		for j := 1; j <= n; j++ {
			now := a[i] + float64(j)*slope
			o.Step(before, now)
			displacement = max(displacement, math.Abs(o.Y))
			absolute = max(absolute, math.Abs(o.Y+2*zeta*o.V))
			before = now
		}
	}
	return displacement, absolute
}
