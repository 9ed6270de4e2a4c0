package scenario

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"rths"
	"rths/method/compensate"
	"rths/method/criteria"
)

// Levels of what spoils a run, beside those of criteria.Verdict.
const (
	runaway  = 3.0 // largest command over largest target
	stillPct = 5.0 // %, of the target's standard deviation
)

// askStride is how many ticks pass between questions whether to go on.
const askStride = 2

// oldReadings says that criteria on the measured displacement take old readings for new ones.
func (r *Run) oldReadings() []string {
	list := r.tracking()
	if len(list) == 0 {
		return nil
	}
	old, ticks := list[0].Old()
	if old == 0 {
		return nil
	}
	return []string{fmt.Sprintf(
		"%d of %d readings were old: criteria on the measured displacement count each as one of its tick", old, ticks)}
}

// Verdict says what the results of a run that has ended with a status are worth (criteria.Verdict), and the growth of
// its loop in words if that is unstable. A run that diverged is lost; a run that was stopped, or that a limit brought
// to rest, has no verdict: its criteria say too little. Nor has an open loop, whose lag feeds nothing, as in a loading
// test.
func (r *Run) Verdict(ctx context.Context, status string) (verdict, unstable string) {
	switch status {
	case rths.Completed:
		if r.Scenario.Loop == "open" {
			return "", ""
		}
		unstable = r.growsAtEnd(ctx)
		return criteria.Verdict(r.Summary(), unstable != ""), unstable
	case rths.Diverged:
		return criteria.Lost, r.growsAtEnd(ctx)
	case rths.Tripped:
		return "", r.growsAtEnd(ctx)
	}
	return "", ""
}

// Spoilt says in plain words what spoils a completed run, although nothing stopped it: a
// specimen at rest, old readings, a command that runs away, a measured motion that leads or, in a closed
// loop, does not follow, and parameters at their bounds.
func (r *Run) Spoilt() (out []string) {
	values := r.Summary()
	for i, c := range r.tracking() {
		who, actuator := "", rths.Component(i, r.Scenario.Axes())
		if actuator > 0 {
			who = fmt.Sprintf(" of actuator %d", actuator)
		}
		out = append(out, r.astray(c, values, who, actuator)...)
	}
	out = append(out, r.atBounds()...)
	out = append(out, r.oldReadings()...)
	return append(out, r.fellBack()...)
}

// astray says how the motion of an actuator is another than its target.
func (r *Run) astray(c *criteria.Tracking, values []rths.Value, who string, actuator int) (out []string) {
	target, command, moved := c.Extent()
	lead, atLeast := c.Lead()
	if moved < stillPct {
		out = append(out, fmt.Sprintf("the specimen%s stands still: its displacement is %.2g %% of the target", who, moved))
	} else if ms := 1e3 * lead / r.Scenario.RateHz; lead > 1 {
		by := fmt.Sprintf("%.2f ms, more than a sample", ms)
		if atLeast {
			by = fmt.Sprintf("more than two samples (%.2f ms)", ms)
		}
		out = append(out, fmt.Sprintf("the measured motion%s leads the target by %s: the compensator overcompensates", who,
			by))
	}
	j2, late, noiseless := untracked(values, actuator)
	if command > runaway*target && j2 > criteria.LostJ2 {
		out = append(out, fmt.Sprintf("the command%s runs away: up to %.3g mm for a target of %.3g mm", who, 1e3*command,
			1e3*target))
	}
	if j2 > criteria.LostJ2 && len(out) == 0 && r.Scenario.Loop != "open" {
		out = append(out, fmt.Sprintf("the measured motion%s does not follow the target: J2%s is %.3g %%, it lags by %.3g ms",
			who, noiseless, j2, late))
	}
	return out
}

// atBounds names the parameters that end at their bounds.
func (r *Run) atBounds() []string {
	b, ok := rths.As[compensate.Bounded](r.compensator)
	if !ok {
		return nil
	}
	switch names := b.AtBounds(); len(names) {
	case 0:
		return nil
	case 1:
		return []string{fmt.Sprintf("the parameter %s ends at its bound: the adaptation would go further", names[0])}
	default:
		return []string{fmt.Sprintf("the parameters %s end at their bounds: the adaptation would go further",
			strings.Join(names, ", "))}
	}
}

// untracked is J2, %, and the delay, ms, of an actuator: without noise where a virtual rig
// knows them, else as measured.
func untracked(values []rths.Value, actuator int) (j2, late float64, noiseless string) {
	of := func(quantity string, exact bool) (v float64, ok bool) {
		return valueOf(values, rths.Meaning{Quantity: quantity, Axis: actuator, Exact: exact})
	}
	if j2, ok := of("J2", true); ok {
		late, _ = of("delay", true)
		return j2, late, " without noise"
	}
	j2, _ = of("J2", false)
	late, _ = of("delay", false)
	return j2, late, ""
}

// valueOf is the value of that meaning, and whether there is one.
func valueOf(values []rths.Value, of rths.Meaning) (v float64, ok bool) {
	i := slices.IndexFunc(values, func(v rths.Value) bool { return v.Meaning == of })
	if i < 0 {
		return 0, false
	}
	return values[i].V, true
}

// tracking is the criterion of every actuator.
func (r *Run) tracking() (out []*criteria.Tracking) {
	for _, c := range r.Criteria {
		if t, ok := c.(*criteria.Tracking); ok {
			out = append(out, t)
		}
	}
	return out
}

// WorseThanUncompensated says of a completed run where its tracking would be better without compensation. Where J2 is
// above 5 %, it runs the test once more on the virtual rig, without compensator, until it is done or ctx ends.
func (r *Run) WorseThanUncompensated(ctx context.Context) (out []string) {
	var high []rths.Value
	for _, v := range r.Summary() {
		if v.Quantity == "J2" && v.Exact && v.V > criteria.GoodJ2 {
			high = append(high, v)
		}
	}
	if len(high) == 0 {
		return nil
	}
	if r.Scenario.CompensatorKind() == "none" {
		return nil
	}
	s, err := r.Scenario.Uncompensated()
	if err != nil {
		return nil
	}
	s.Limits, s.Expect = Limits{}, nil
	without, err := s.Build(ctx, Options{Shaking: r.shaking})
	if err != nil {
		return nil
	}
	if status, _ := without.Status(without.Loop.Run(askStride,
		func() bool { return ctx.Err() == nil })); status != rths.Completed || !without.Loop.Done() {
		return nil // it would not have come to an end
	}
	for _, v := range without.Summary() {
		if got, ok := valueOf(high, v.Meaning); ok && v.V < got {
			name := rths.Meaning{Quantity: v.Quantity, Axis: v.Axis}.NameIn("")
			out = append(out, fmt.Sprintf(
				"tracking is worse than without compensation: %s without noise is %.3g %% and would be %.3g %%", name, got, v.V))
		}
	}
	return out
}
