package study

import (
	"fmt"
	"math"
)

// Bounds of the stops, Hansen 2016, section B.3.
const (
	mostCondition = 1e14 // of C: ConditionCov
	mostGrowth    = 1e4  // of σ D from the initial σ: TolXUp
)

// Reason says by which stop of Hansen 2016, section B.3, the search has ended. TolX has the tolerance of
// the parameters in place of 1e-12 σ. Two stops are left out: TolFun needs a tolerance in the unit of the
// objective, and Stagnation needs 120 generations at least, more than a test of some seconds can be run.
func (s *cmaes) Reason() string {
	switch limit := s.Parameters.Tolerance; {
	case s.G >= s.Parameters.Generations:
		return fmt.Sprintf("all %d generations were made", s.G)
	case s.Degenerate:
		return "ConditionCov: the covariance matrix is singular in double precision"
	case s.converged(limit):
		return fmt.Sprintf("TolX: the standard deviation in every key is below the tolerance, %g of the range", limit)
	case s.Flat+1 >= s.window():
		return fmt.Sprintf("EqualFunValues: the best fitness was the same in %d generations in a row", s.Flat+1)
	case s.condition() > mostCondition:
		return fmt.Sprintf("ConditionCov: the condition number of the covariance matrix is above %g", float64(mostCondition))
	case s.Sigma*s.d[len(s.d)-1] > mostGrowth*s.Parameters.Sigma:
		return fmt.Sprintf("TolXUp: the standard deviation has grown to more than %g times the initial one",
			float64(mostGrowth))
	case s.noEffect():
		return "NoEffect: steps of a tenth of the standard deviation are lost in rounding"
	}
	return ""
}

// converged is TolX: σ √C_jj and σ p_c are small in every key.
func (s *cmaes) converged(limit float64) bool {
	for j, p := range s.PC {
		if !(s.Sigma*math.Sqrt(s.c.At(j, j)) < limit && s.Sigma*math.Abs(p) < limit) {
			return false
		}
	}
	return true
}

// window is the number of generations of EqualFunValues, 10 + ⌈30 n/λ⌉.
func (s *cmaes) window() int {
	lambda := len(s.weights.w)
	return 10 + (30*s.weights.n+lambda-1)/lambda
}

// flat counts the generations whose best fitness is that of the generation before.
func (s *cmaes) flat(best Fitness) {
	same := s.G > 0 && !best.Less(s.Last) && !s.Last.Less(best)
	if s.Flat++; !same {
		s.Flat = 0
	}
	s.Last = best
}

// condition is the condition number of C.
func (s *cmaes) condition() float64 {
	ratio := s.d[len(s.d)-1] / s.d[0]
	return ratio * ratio
}

// noEffect is NoEffectAxis, of one axis each generation, and NoEffectCoord.
func (s *cmaes) noEffect() bool {
	axis, along := s.G%s.weights.n, true
	for j, m := range s.M {
		if m == m+0.2*s.Sigma*math.Sqrt(s.c.At(j, j)) {
			return true
		}
		along = along && m == m+0.1*s.Sigma*s.d[axis]*s.b.At(j, axis)
	}
	return along
}
