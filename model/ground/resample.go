package ground

import (
	"fmt"
	"math"
)

// Samples is the number of ticks of a run over the whole motion: the t_k =
// k/rateHz, k = 0, 1, …, that are not after the last sample. El Centro of the
// single-actuator benchmark, 41.18 s at 4096 Hz, gives 168 674.
// It panics if rateHz is not above 0.
func (m Motion) Samples(rateHz float64) int {
	checkRate(rateHz)
	if len(m.A) == 0 {
		return 0
	}
	return int(math.Floor(snap(m.Duration()*rateHz))) + 1
}

// HalfSteps returns the acceleration (m/s²) at t = j/(2·rateHz), j = 0 …
// 2·samples: length 2·samples+1. Tick k sees the window [2k : 2k+3] of it, the
// values at t_k, t_k + h/2 and t_k+1. Time 0 is the first sample, whatever T0.
// Values between two samples are interpolated linearly, values beyond the last
// sample are zero. Each knot is found by division, so no error accumulates.
//
// Linear interpolation damps components near the Nyquist frequency of the motion and
// mirrors them above it: synthesise with the step of the run where this matters.
// It panics if rateHz is not above 0 or samples is negative.
func (m Motion) HalfSteps(rateHz float64, samples int) []float64 {
	checkRate(rateHz)
	if samples < 0 {
		panic(fmt.Sprintf("ground: HalfSteps of %d samples: want 0 or more", samples))
	}
	out := make([]float64, 2*samples+1)
	for j := range out {
		out[j] = m.at(float64(j) / (2 * rateHz) / m.Dt)
	}
	return out
}

// at is the acceleration at x steps after the first sample.
func (m Motion) at(x float64) float64 {
	x = snap(x)
	if !(x >= 0 && x <= float64(len(m.A)-1)) {
		return 0
	}
	i := int(x)
	f := x - float64(i)
	if f == 0 {
		return m.A[i]
	}
	return m.A[i] + f*(m.A[i+1]-m.A[i])
}

// checkRate panics on a rate that no scenario lets through.
func checkRate(rateHz float64) {
	if !(rateHz > 0) || math.IsInf(rateHz, 0) {
		panic(fmt.Sprintf("ground: rate %g Hz: want more than 0", rateHz))
	}
}
