package ground

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"rths"
)

// series is a column of times and one of accelerations as they stand in a
// file; where says where sample i was read ("line 7", "sample 7").
type series struct {
	name   string
	t, a   []float64
	where  func(i int) string
	noUnit bool // of time is stated: taken for s
}

// motion checks the columns and converts them to m/s². A stated step dt (s), if it is not 0, has to be that of the
// times; then they may be rounded more coarsely.
func (s series) motion(factor, dt float64) (Motion, error) {
	if len(s.t) < 2 {
		return Motion{}, fmt.Errorf("%s: too few points: found %d, want 2 or more lines of time and acceleration", s.name,
			len(s.t))
	}
	dt, err := s.stepOf(dt)
	if err != nil {
		return Motion{}, err
	}
	m := Motion{Name: s.name, T0: s.t[0], Dt: dt, A: make([]float64, len(s.a))}
	for i, a := range s.a {
		m.A[i] = factor * a
		if !rths.Finite(m.A[i]) {
			return Motion{}, s.errorf(i, "acceleration %g: want a finite number", a)
		}
	}
	return m, nil
}

// stepOf is the step of the times, which has to be the stated one if there is one.
func (s series) stepOf(stated float64) (float64, error) {
	if stated == 0 {
		return s.step()
	}
	if dt, ok := s.onGrid(stated); ok {
		return dt, nil
	}
	dt, err := s.step()
	if err != nil {
		return 0, err
	}
	return 0, fmt.Errorf("%s: the times go on by %g s, and a step of %g s is stated: want the same", s.name, dt, stated)
}

// onGrid tells whether the times go on by the given step, and returns it, or the step that the times say with more
// digits. Times may be rounded to a unit that is larger than the step, but not off by a whole unit.
func (s series) onGrid(dt float64) (float64, bool) {
	n := len(s.t)
	if n < 2 {
		return 0, false
	}
	if own, err := s.step(); err == nil {
		return own, math.Abs(own-dt)*float64(n-1) <= max(1.001*resolution(s.t), 1e-6*dt*float64(n-1))
	}
	least, most := math.Inf(1), math.Inf(-1)
	for i, t := range s.t {
		off := t - s.t[0] - float64(i)*dt
		least, most = min(least, off), max(most, off)
	}
	unit := 0.1
	for unit > 1e-6 && !multiples(s.t, unit) {
		unit /= 10
	}
	return dt, most-least < 0.999*unit && dt*float64(n-1) > 5*unit
}

// step returns the time step (s) if the times increase uniformly.
//
// Times may have been rounded, to 0.001 s or finer: then steps may differ by
// that much, and a time may be that far off the uniform grid through the first
// and the last one. Times rounded so coarsely that a step is less than three
// units must be equally spaced as they stand, because a missing line could not
// be told from rounding.
func (s series) step() (float64, error) {
	if err := s.increasing(); err != nil {
		return 0, err
	}
	n := len(s.t)
	dt := tidy((s.t[n-1]-s.t[0])/float64(n-1), 1e-15*largest(s.t)/float64(n-1), 15)
	if single(s.t) { // a step of few digits that single precision blurred
		dt = tidy(dt, 0x1p-24*largest(s.t)/float64(n-1), 4)
	}
	common := s.commonStep()
	slack := resolution(s.t)
	if common < 3*slack {
		slack = 1e-6*dt + 1e-12*largest(s.t)
	}
	for i := 1; i < n; i++ {
		// Rounded steps take two neighbouring values, of which the common one is one.
		if d := s.t[i] - s.t[i-1]; math.Abs(d-common) > 1.001*slack {
			return 0, s.errorf(i, "time step %.6g s: want a uniform step, and most are %.6g s (within %.2g s)", d, common, slack)
		}
	}
	if i, off := s.worst(dt); math.Abs(off) > 1.001*slack {
		return 0, s.errorf(i, "time %.9g s is %.2g s off a uniform step of %.6g s: want within %.2g s", s.t[i], off, dt,
			slack)
	}
	if s.noUnit && dt >= maxStep {
		return 0, fmt.Errorf("%s: time step %g, and no unit of time is stated: want a title that states it, such as "+
			"time_ms or time_s; sample numbers are no times", s.name, dt)
	}
	return dt, checkStep(s.name, dt)
}

// worst is the sample furthest from the uniform grid of step dt, and its
// distance in s.
func (s series) worst(dt float64) (at int, off float64) {
	for i, t := range s.t {
		if d := t - (s.t[0] + float64(i)*dt); math.Abs(d) > math.Abs(off) {
			at, off = i, d
		}
	}
	return at, off
}

// increasing checks that the times are finite and increase.
func (s series) increasing() error {
	for i, t := range s.t {
		if !rths.Finite(t) {
			return s.errorf(i, "time %g: want a finite number", t)
		}
		if i > 0 && !(t > s.t[i-1]) {
			return s.errorf(i, "time %g s after %g s: want increasing times%s", t, s.t[i-1], s.exchanged())
		}
	}
	if span := s.t[len(s.t)-1] - s.t[0]; math.IsInf(span, 0) {
		return s.errorf(len(s.t)-1, "time %g s: want a number of seconds", s.t[len(s.t)-1])
	}
	return nil
}

// exchanged asks whether times stand in the place of accelerations.
func (s series) exchanged() string {
	if len(s.a) < 2 {
		return ""
	}
	for i := range s.a[1:] {
		if !(s.a[i+1] > s.a[i]) {
			return ""
		}
	}
	return " before the accelerations; here the second column increases"
}

// commonStep is the median difference of neighbouring times.
func (s series) commonStep() float64 {
	d := make([]float64, len(s.t)-1)
	for i := range d {
		d[i] = s.t[i+1] - s.t[i]
	}
	slices.Sort(d)
	return d[len(d)/2]
}

// errorf is an error at sample i.
func (s series) errorf(i int, format string, args ...any) error {
	return fmt.Errorf("%s: %s: %s", s.name, s.where(i), fmt.Sprintf(format, args...))
}

// checkStep refuses time steps that no ground motion has.
func checkStep(name string, dt float64) error {
	if !(dt >= minStep && dt <= maxStep) {
		return fmt.Errorf("%s: time step %g s: want %g to %g s (is the time in seconds?)", name, dt, minStep, maxStep)
	}
	return nil
}

// resolution is the decimal place that the times may have been rounded to:
// the coarsest of 10^-3 … 10^-6 s of which all are multiples, and at least
// what single precision or eight significant digits leave of the largest.
func resolution(t []float64) float64 {
	floor := 1.2e-7 * largest(t) // 2^-23
	for d := 3; d <= 6; d++ {
		if r := math.Pow10(-d); multiples(t, r) {
			return max(r, floor)
		}
	}
	return floor
}

// multiples tells whether all times are whole multiples of r.
func multiples(t []float64, r float64) bool {
	for _, v := range t {
		if x := v / r; math.Abs(x-math.Round(x)) > 1e-6 {
			return false
		}
	}
	return true
}

// largest is max|t|; times increase, so it is at one of the ends.
func largest(t []float64) float64 { return max(math.Abs(t[0]), math.Abs(t[len(t)-1])) }

// single tells whether all times are numbers of single precision.
func single(t []float64) bool {
	for _, v := range t {
		if v != float64(float32(v)) {
			return false
		}
	}
	return true
}

// tidy returns the shortest decimal number, of at most so many digits, within
// the rounding error of x, so that a step of 0.02 s read from its times is 0.02 s
// to the last bit.
func tidy(x, rounding float64, most int) float64 {
	for digits := 1; digits <= most; digits++ {
		y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
		if err == nil && math.Abs(y-x) <= rounding+1e-15*math.Abs(x) {
			return y
		}
	}
	return x
}
