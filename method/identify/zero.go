package identify

import (
	"math"

	"rths"
)

// Zero takes the constant offset of a sensor off its readings, so that an adaptation learns nothing from it. A Kalman
// filter estimates the offset from reading less target: their difference is the offset, noise, and an error of tracking
// of up to half of the motion,
//
//	R = σ² + (0.5 max|d|)²,   o ← o + P/(P + R) (x − d − o),   P ← P R/(P + R)
//
// with max|d| of the target so far. What is learnt at rest stays: in motion the gain is nearly 0. A rig that stands
// apart from a target at rest has an offset too.
type Zero struct {
	on        bool
	offset, p float64 // m; m²
	noise     float64 // σ², m²
	peak      float64 // max|d|, m
}

// firstOffset is the standard deviation of an offset before the first reading, and leastNoise of a reading, m.
const firstOffset, leastNoise = 10e-3, 1e-6

// NewZero is for readings with white noise of the standard deviation sd, m; off: they pass as they are.
func NewZero(on bool, sd float64) Zero {
	sd = max(sd, leastNoise)
	return Zero{on: on, p: firstOffset * firstOffset, noise: sd * sd}
}

// Of is a reading x without its offset; d is the target of its instant, m. Old readings do not count.
func (z *Zero) Of(x, d float64, read *rths.Reading) float64 {
	if !z.on {
		return x
	}
	z.peak = max(z.peak, math.Abs(d))
	if r := z.noise + 0.25*z.peak*z.peak; Timely(read) && rths.Finite(r) {
		part := z.p / (z.p + r)
		z.p = part * r
		z.offset += part * (x - d - z.offset)
	}
	return x - z.offset
}

// VisitState visits offset, variance and motion.
func (z *Zero) VisitState(v *rths.StateVisitor) {
	if z.on {
		v.Float(&z.offset, &z.p, &z.peak)
	}
}
