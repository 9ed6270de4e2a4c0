package rthstest

import (
	"math"
	"math/rand/v2"
)

// Slow is a signal of a few Hertz at a rate, Hz: white noise of standard deviation 1 through a low-pass of 4 Hz and two
// stages.
func Slow(r *rand.Rand, rateHz float64, n int) []float64 {
	out := make([]float64, n)
	a, x, y := math.Exp(-2*math.Pi*4/rateHz), 0.0, 0.0
	for i := range out {
		x = a*x + (1-a)*r.NormFloat64()
		y = a*y + (1-a)*x
		out[i] = y
	}
	return out
}
