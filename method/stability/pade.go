package stability

import (
	"fmt"
	"math"
	"math/cmplx"

	"rths/maths/lti"
)

// CriticalPade is the critical delay with e^{−sτ} replaced by its diagonal Padé
// approximation of the given order, 1 to 10 (paper 001, eqs 5.6 and 5.9: order
// 2). The approximation has magnitude 1 like the delay, so roots reach the imaginary axis
// at the same frequencies (Crossings); only the delay differs. It is good for ωτ below
// about 1.5 times the order. Beyond, the approximation's phase falls short of −ωτ and ends
// at −π times the order, and the delay is always too long: at a small stiffness ratio
// order 2 finds no critical delay where the exact equation has one (errata 001.16).
func (h *Hybrid) CriticalPade(order int) (Critical, error) {
	unit, err := lti.Pade(1, order)
	if err != nil {
		return Critical{}, fmt.Errorf("critical delay: %w", err)
	}
	den, err := lti.Roots(unit.Den)
	if err != nil {
		return Critical{}, fmt.Errorf("critical delay: %w", err)
	}
	return h.critical(func(omega, phase float64) float64 { return padeAngle(den, phase) / omega })
}

// padeAngle is the x = ωτ at which the approximation has the phase −phase; +Inf if it
// never has.
func padeAngle(den []complex128, phase float64) float64 {
	if phase == 0 {
		return 0
	}
	if phase >= math.Pi*float64(len(den)) {
		return math.Inf(1)
	}
	low, high := 0.0, 1.0
	for padePhase(den, high) > -phase {
		if high *= 2; high > 1e12 {
			return math.Inf(1)
		}
	}
	for range 200 {
		if mid := (low + high) / 2; padePhase(den, mid) > -phase {
			low = mid
		} else {
			high = mid
		}
	}
	return (low + high) / 2
}

// padePhase is the phase of N(−jx)/N(jx), continuous from 0: −2 arg N(jx) with the
// roots of N, which lie to the left.
func padePhase(den []complex128, x float64) float64 {
	sum := 0.0
	for _, r := range den {
		sum += cmplx.Phase(complex(0, x)-r) - cmplx.Phase(-r)
	}
	return -2 * sum
}
