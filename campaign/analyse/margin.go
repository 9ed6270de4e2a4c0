package analyse

import (
	"context"
	"math"

	"rths/scenario"
	"rths/scenario/growth"
)

// mostLate bounds the search of DelayMargin in whole samples.
const mostLate = 128

// DelayMargin is the further delay, s, at which the loop of a test becomes unstable,
// linearised about rest with the initial parameters of an adaptive compensator: 0 for a loop that
// is unstable as it stands, +Inf for one that bears any delay. The margin comes from the Nyquist
// curve of the force, or with several actuators from the loop opened at the commands, for the same delay in every
// actuator. Loops without either, as with main steps, are looked at with whole samples of command delay, up to 128 of
// them; the margin is the last that is stable.
func DelayMargin(ctx context.Context, s *scenario.Scenario) (float64, error) {
	l, err := (&Stability{}).loop(ctx, s, "as it stands", nil)
	if err != nil {
		return math.NaN(), err
	}
	if !l.Stable() {
		return 0, nil
	}
	if l.Note == "" {
		return l.Margins.Delay, nil
	}
	return marginInSamples(ctx, s)
}

// marginInSamples goes on by twos until the loop is unstable, then halves the gap.
func marginInSamples(ctx context.Context, s *scenario.Scenario) (float64, error) {
	stable := func(n int) (bool, error) {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		run, err := s.AtRest(ctx)
		if err != nil {
			return false, err
		}
		roots, err := growth.RootsLate(ctx, run, n)
		grows, _ := growth.Grows(roots)
		return !grows, err
	}
	good, bad := 0, 1
	for ; bad <= mostLate; good, bad = bad, 2*bad {
		ok, err := stable(bad)
		if err != nil {
			return math.NaN(), err
		}
		if !ok {
			break
		}
	}
	if bad > mostLate {
		return math.Inf(1), nil
	}
	for bad-good > 1 {
		mid := (good + bad) / 2
		ok, err := stable(mid)
		if err != nil {
			return math.NaN(), err
		}
		if ok {
			good = mid
		} else {
			bad = mid
		}
	}
	return float64(good) / s.RateHz, nil
}
