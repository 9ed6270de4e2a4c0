package lti

// Minimum is where f is least between two places, to a part of 1e-6 of their distance: 29 steps,
// so that it ends where rounding keeps them apart. Between them f falls, then rises.
func Minimum(f func(float64) float64, low, high float64) float64 {
	const ratio, steps = 0.6180339887498949, 29
	a, b := high-ratio*(high-low), low+ratio*(high-low)
	fa, fb := f(a), f(b)
	for range steps {
		if fa < fb {
			high, b, fb = b, a, fa
			a = high - ratio*(high-low)
			fa = f(a)
		} else {
			low, a, fa = a, b, fb
			b = low + ratio*(high-low)
			fb = f(b)
		}
	}
	return (low + high) / 2
}
