package combine

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"rths"
	"rths/method/compensate"
	"rths/method/identify"
)

// Fallback puts a safe method beside an adaptive one. Both run all the time on the same target
// and reading. The adaptive method a commands, until it is in doubt (see the keys). Then the
// safe method b commands, from tick 0 of the blend on
//
//	c[k] = b[k] + e(k h),  0 ≤ k h ≤ T,
//
// with the offset of both commands at the last tick before, e(0) = e₀ = a − b, its slope v₀
// there, and cubics from them to rest,
//
//	e(t) = e₀ (1 − 3τ² + 2τ³) + v₀ T_v (σ − 2σ² + σ³),  τ = t/T,  σ = t/T_v up to 1.
//
// What the adaptive method commands after the trip, which may run away, does not enter. The
// second derivatives are largest at their ends: |ë| ≤ 6|e₀|/T² + 4|v₀|/T_v. So with R, the larger
// of both methods' largest second differences of the last one to two seconds, and
//
//	6|e₀|/T² ≤ R/2h²,  T = √(12|e₀|/R) h, or blend_s if longer,
//	4|v₀|/T_v = R/h² − 6|e₀|/T²,
//
// the command keeps |Δ²c[k]| ≤ |Δ²b[k]| + R: at most twice the larger of both methods'
// second differences. The slope has a time of its own, which is as short as R allows: in T a command
// that swings fast would leave its path by up to 4/27 v₀ T, many times its amplitude. The commands
// of both are clipped to stroke and rate of the actuator first, as the limits do. Where both
// methods almost stand still and yet apart, T would be endless; T is 10 s at most, and the bound
// does not hold there.
//
// Nothing returns by itself. Switch.Return asks for the way back, by the same law.
//
// A method that learns from its commands learns from what the rig got while the other method
// commands (see Sharer). Any other method that learns, as a chain or forward-prediction, is
// held meanwhile, and during a blend.
//
// The watch is no stability check: a loop may diverge while the regression fits well. Not
// with a safe method that integrates the tracking error: it winds up while it waits.
type Fallback struct {
	BlendS      float64 `yaml:"blend_s" doc:"least time of the blend, s, up to 10; the blend takes longer where a bound on the command's second difference asks for it"`
	AtBoundsS   float64 `yaml:"at_bounds_s" doc:"it acts when a bound has held some parameter for so long without a break, s; 0: bounds are not watched"`
	ResidualPct float64 `yaml:"residual_pct" doc:"it acts when, for residual_s without a break, the mean square of the residual of the identification is above 4 times what sensor noise explains plus the square of this share of the command, %; 0: the residual is not watched"`
	ResidualS   float64 `yaml:"residual_s" doc:"time constant of these mean squares, s"`
	StaleS      float64 `yaml:"stale_s" doc:"it acts when the reading is older, s; 0: the age is not watched"`
}

// FallbackDefaults are such that sound runs of the shipped scenarios stay with their
// compensator: some touch a bound for a second, and the model of kf leaves a third of the
// command where a strong motion begins (galmez-case6). Faults of a sensor leave 80 % and more.
func FallbackDefaults() Fallback {
	return Fallback{BlendS: 0.2, AtBoundsS: 2, ResidualPct: 50, ResidualS: 0.3, StaleS: 0.05}
}

// longestBlend, s.
const longestBlend = 10

func (p *Fallback) check() error {
	for _, q := range []struct {
		key  string
		v    float64
		most float64
	}{{"at_bounds_s", p.AtBoundsS, 1e6}, {"residual_pct", p.ResidualPct, 1e6}, {"residual_s", p.ResidualS, 1e6},
		{"stale_s", p.StaleS, 1e6}, {"blend_s", p.BlendS, longestBlend}} {
		if !(q.v >= 0 && q.v <= q.most) {
			return fmt.Errorf("%s %g: want 0 to %g", q.key, q.v, q.most)
		}
	}
	switch {
	case p.BlendS == 0:
		return fmt.Errorf("blend_s 0: want more than 0, at most %d", longestBlend)
	case p.ResidualPct > 0 && p.ResidualS == 0:
		return errors.New("residual_s 0: want more than 0, or residual_pct: 0 to leave the residual alone")
	case p.AtBoundsS == 0 && p.ResidualPct == 0 && p.StaleS == 0:
		return errors.New(
			"at_bounds_s, residual_pct and stale_s are all 0, so the fallback never acts: want one of them above 0, or " +
				"no fallback")
	}
	return nil
}

// Around puts the safe method beside the adaptive one.
func (p *Fallback) Around(active, safe rths.Compensator, at compensate.At) (rths.Compensator, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if len(rths.AppendAdaptation(nil, active)) == 0 {
		return nil, errors.New("the compensator learns nothing, so that there is nothing to fall back from: want an " +
			"adaptive compensator, as amb, or no fallback")
	}
	n := max(at.Axes, 1)
	c := &fallback{
		Group: compensate.Group{active, safe}, blend: p.BlendS, h: 1 / at.RateHz, stroke: orInfinite(at.Stroke),
		step: orInfinite(at.Rate) / at.RateHz,
		axes: make([]blendAxis, n), second: max(1, int(math.Round(at.RateHz))), watch: newDoubts(p, active, at.RateHz),
	}
	for i := range c.u {
		c.u[i], c.sent[i] = make([]float64, n), make([]identify.Sent, n)
		s, shares := c.Group[i].(compensate.Sharer)
		c.follows[i] = shares && s.Share(c.sent[i])
		c.learners[i] = compensate.LeavesOf[rths.Adaptive](c.Group[i])
	}
	c.falls = slices.Grow(c.falls, mostFalls)
	c.hold()
	if err := distinct(c); err != nil {
		return nil, err
	}
	for _, m := range c.Group {
		if _, rates := rths.As[rths.RateUser](m); rates {
			return fallbackWithRates{c}, nil
		}
	}
	return c, nil
}

func orInfinite(v float64) float64 {
	if v == 0 {
		return math.Inf(1)
	}
	return v
}

// mostFalls are listed.
const mostFalls = 100
