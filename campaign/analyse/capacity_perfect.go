package analyse

import (
	"context"
	"errors"
	"math"

	"rths/scenario"
)

// PerfectOf is the largest amplitude, % of the scenario's, whose motion a perfect actuator follows within stroke, speed
// under load and oil, to 1 %, at most 800: what no compensator can pass. 0: not even 1 %.
func PerfectOf(ctx context.Context, s *scenario.Scenario, o scenario.Options) (float64, error) {
	l, err := newLoad(ctx, s, o)
	if err != nil {
		return 0, err
	}
	return l.perfect()
}

// perfect is PerfectOf.
func (l *load) perfect() (pct float64, err error) {
	for _, end := range []float64{mostFactor, leastFactor} {
		switch follows, err := l.follows(end); {
		case err != nil:
			return 0, err
		case follows && end == mostFactor:
			return 100 * mostFactor, nil
		case !follows && end == leastFactor:
			return 0, nil
		}
	}
	low, high := leastFactor, float64(mostFactor)
	for high/low > factorStep {
		middle := math.Sqrt(low * high)
		follows, err := l.follows(middle)
		if err != nil {
			return 0, err
		}
		if follows {
			low = middle
		} else {
			high = middle
		}
	}
	return 100 * low, nil
}

// follows reports whether a perfect actuator follows the test at a factor on its motion.
func (l *load) follows(factor float64) (bool, error) {
	sized, err := l.sized(factor)
	if err != nil {
		return false, err
	}
	d, err := l.demand(sized)
	if errors.Is(err, errIncomplete) {
		return false, nil
	}
	return err == nil && worstOf(d.limits).Pct <= 100, err
}
