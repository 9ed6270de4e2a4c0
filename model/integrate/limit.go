package integrate

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"

	"rths/maths/lti"
	"rths/model/structure"
)

// StepError says that an integration step is too large for the structure, and
// which one would do.
type StepError struct {
	Method    string
	H, Limit  float64 // s
	HighestHz float64 // the highest frequency of the numerical part
}

// Error says which step was found and which would do.
func (e *StepError) Error() string {
	found := fmt.Sprintf("%s: step %.4g s (%.4g Hz) is unstable for the numerical part's highest frequency %.4g Hz",
		e.Method, e.H, 1/e.H, e.HighestHz)
	if e.Limit == 0 {
		return found + ": want less stiffness or damping, or more mass"
	}
	return fmt.Sprintf("%s, stable up to %.4g s: want a rate of %.0f Hz or more", found, e.Limit, math.Ceil(1/e.Limit))
}

// renamed is the error of a method that shares another's limit.
func renamed(err error, method string) error {
	var limit *StepError
	if errors.As(err, &limit) {
		limit.Method = method
	}
	return err
}

// topOmega is the highest circular frequency of a numerical part, rad/s.
func topOmega(p *structure.Partition) (float64, error) {
	if p.Sparse != nil {
		return p.Sparse.Highest()
	}
	whole := structure.Structure{N: p.N(), M: p.M, C: p.C, K: p.K}
	modes, err := whole.Modes()
	if err != nil {
		return 0, err
	}
	return modes[len(modes)-1].Omega, nil
}

// checkPositive wants a step that is a positive number.
func checkPositive(method string, h float64) error {
	if !(h > 0) || math.IsInf(h, 1) {
		return fmt.Errorf("%s: step %g s: want a positive number", method, h)
	}
	return nil
}

// settled is how far above 1 a growth factor may be by rounding. Rigid-body
// modes and undamped ones stand at 1.
const settled = 1e-9

// checkStep looks at the step with the eigenvalues of the numerical part.
func (s *firstOrder) checkStep(method string, h float64, growth func(q complex128) float64) error {
	poles, err := lti.Eigenvalues(s.a)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return checkPoles(method, h, poles, growth)
}

// checkPoles wants a growth factor of at most 1 at every eigenvalue of the numerical part,
// else it finds the largest stable step by bisection. A growing mode (of an unstable
// structure) is not the step's fault: it counts as a mode that decays as fast.
func checkPoles(method string, h float64, poles []complex128, growth func(q complex128) float64) error {
	highest := 0.0
	for _, p := range poles {
		highest = max(highest, cmplx.Abs(p))
	}
	stable := func(h float64) bool {
		for _, p := range poles {
			if !(growth(complex(-math.Abs(real(p))*h, imag(p)*h)) <= 1+settled) {
				return false // NaN too: powers beyond double precision
			}
		}
		return true
	}
	if stable(h) {
		return nil
	}
	low, high := 0.0, h
	for range 60 {
		if mid := (low + high) / 2; stable(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return &StepError{Method: method, H: h, Limit: low, HighestHz: highest / (2 * math.Pi)}
}
