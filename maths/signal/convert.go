package signal

import "math"

// Converter is an analogue-digital or digital-analogue converter: values are
// multiples of Quantum within ±Range. A zero Quantum or Range does nothing.
type Converter struct {
	Quantum float64 // the smallest step
	Range   float64 // the largest magnitude
}

// DA quantizes, then saturates: the order of a digital-analogue converter.
func (c Converter) DA(x float64) float64 { return Saturate(Quantize(x, c.Quantum), c.Range) }

// AD saturates, then quantizes.
func (c Converter) AD(x float64) float64 { return Quantize(Saturate(x, c.Range), c.Quantum) }

// Quantize rounds x to the nearest multiple of q, halves away from zero:
// q·round(x/q), as a Simulink Quantizer does. q = 0 leaves x alone.
func Quantize(x, q float64) float64 {
	if q == 0 {
		return x
	}
	n := x / q
	if !(math.Abs(n) < 1<<51) {
		return x // too coarse a number to have a fraction, or not finite
	}
	return q * float64(int64(n+math.Copysign(0.5, n)))
}

// Saturate limits x to ±limit; a limit of 0 means none. A reading that is not
// a number stays one: hiding it would hide a broken sensor.
func Saturate(x, limit float64) float64 {
	switch {
	case limit == 0:
		return x
	case x > limit:
		return limit
	case x < -limit:
		return -limit
	}
	return x
}
