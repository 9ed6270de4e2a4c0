package compensate

import (
	"fmt"
	"math"

	"rths"
	"rths/lti"
)

// settling counts the fresh readings that a method still lets pass before it learns again. An old
// reading repeats a value while the specimen moves on. Filters, differences and taps of the
// adaptation go on with it, as any real-time loop must, and when readings are fresh again they hold
// a plateau and a step, which are no motion of the specimen: paired with the commands they would
// teach a plant that is not there. So nothing is learnt in
//
//	samples = ln ε/ln |z| + m,  ε = 1e-3,                                    (1)
//
// after an old reading: what was held passes the filter's slowest pole z until ε of it is left,
// and a line of m samples. Old readings that come more often than that keep the method from
// learning altogether.
//
// The count is part of the state of a run, not of what has been learnt.
type settling struct{ wait, samples float64 }

// leftOver is ε.
const leftOver = 1e-3

// newSettling is (1) for the magnitude of the slowest pole, 0: no filter, and a line of so many
// samples beyond the newest.
func newSettling(pole float64, line int) settling {
	samples := float64(line)
	if pole > 0 {
		samples += math.Log(leftOver) / math.Log(pole)
	}
	return settling{samples: math.Ceil(samples)}
}

// learns takes note of a reading, and reports whether there is something to learn from it.
func (s *settling) learns(fresh bool) bool {
	switch {
	case !fresh:
		s.wait = s.samples
		return false
	case s.wait > 0:
		s.wait--
		return false
	}
	return true
}

// isFresh reports whether a reading is of this instant: neither old nor lost.
func isFresh(read *rths.Reading) bool { return read.Age == 0 && rths.Finite(read.X[0]) }

// settles reports whether old readings are still in the filters.
func (s *settling) settles() bool { return s.wait > 0 }

// settler is a method that remembers old readings for a while. Its residual and its bounds say
// nothing about the plant meanwhile.
type settler interface{ settles() bool }

// butterworthPole is the magnitude of the slowest pole of signal.Butterworth, from its place on the
// circle: roots of the filter's coefficients are inaccurate where the cutoff is far below the rate.
func butterworthPole(order int, hz, rateHz float64) float64 {
	w := math.Tan(math.Pi * hz / rateHz)
	damping := 2 * w * math.Sin(math.Pi/(2*float64(order)))
	return math.Sqrt((1 - damping + w*w) / (1 + damping + w*w))
}

// slowest is the magnitude of the slowest pole behind the bilinear transform.
func (f *prefilter) slowest() (most float64, err error) {
	d := &f.d
	poles, err := lti.Roots([]float64{f.highest, d[4], d[3], d[2], d[1], d[0]})
	if err != nil {
		return 0, fmt.Errorf("prefilter: %w", err)
	}
	for _, s := range poles {
		re, im := real(s)*f.half, imag(s)*f.half
		most = max(most, math.Hypot(1+re, im)/math.Hypot(1-re, im))
	}
	return most, nil
}
