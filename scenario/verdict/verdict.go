// Package verdict says what a finished run is worth: whether its results can be used, what spoils them, and which
// expectations they miss.
package verdict

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"rths"
	"rths/method/compensate"
	"rths/method/criteria"
	"rths/scenario"
	"rths/scenario/growth"
)

// Levels of what spoils a run, beside those of criteria.Verdict.
const (
	runaway  = 3.0 // largest command over largest target
	stillPct = 5.0 // %, of the target's standard deviation
)

// askStride is how many ticks pass between questions whether to go on.
const askStride = 2

// oldReadings says that criteria on the measured displacement take old readings for new ones.
func oldReadings(r *scenario.Run) []string {
	list := r.Tracking()
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

// Of says what the results of a run that has ended with a status are worth (criteria.Verdict), and the growth of
// its loop in words if that is unstable. A run that diverged is lost; a run that was stopped, or that a limit brought
// to rest, has no verdict: its criteria say too little. Nor has an open loop, whose lag feeds nothing, as in a loading
// test.
func Of(ctx context.Context, r *scenario.Run, status string) (verdict, unstable string) {
	switch status {
	case rths.Completed:
		if r.Scenario.Loop == "open" {
			return "", ""
		}
		unstable = growth.AtEnd(ctx, r)
		return criteria.Verdict(r.Summary(), unstable != ""), unstable
	case rths.Diverged:
		return criteria.Lost, growth.AtEnd(ctx, r)
	case rths.Tripped:
		return "", growth.AtEnd(ctx, r)
	}
	return "", ""
}

// Spoilt says in plain words what spoils a completed run, although nothing stopped it: a
// specimen at rest, old readings, a command that runs away, a measured motion that leads or, in a closed
// loop, does not follow, parameters at their bounds, and devices whose law does not fit what they learn from.
func Spoilt(r *scenario.Run) (out []string) {
	values := r.Summary()
	for i, c := range r.Tracking() {
		who, actuator := "", rths.Component(i, r.Scenario.Axes())
		if actuator > 0 {
			who = fmt.Sprintf(" of actuator %d", actuator)
		}
		out = append(out, astray(r, c, values, who, actuator)...)
	}
	out = append(out, atBounds(r)...)
	if r.Learning != nil {
		for _, g := range r.Learning.Groups() {
			out = append(out, g.Doubts()...)
		}
	}
	out = append(out, oldReadings(r)...)
	return append(out, fellBack(r)...)
}

// astray says how the motion of an actuator is another than its target.
func astray(r *scenario.Run, c *criteria.Tracking, values []rths.Value, who string, actuator int) (out []string) {
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
		text := fmt.Sprintf("the measured motion%s does not follow the target: J2%s is %.3g %%", who, noiseless, j2)
		if rths.Finite(late) { // of a short run there is no lag
			text += fmt.Sprintf(", it lags by %.3g ms", late)
		}
		out = append(out, text)
	}
	return out
}

// atBounds names the parameters that end at their bounds.
func atBounds(r *scenario.Run) []string {
	b, ok := rths.As[compensate.Bounded](r.Compensator())
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

// WorseThanUncompensated says of a completed run where its tracking would be better without compensation. Where J2 is
// above 5 %, it runs the test once more on the virtual rig, without compensator, until it is done or ctx ends.
func WorseThanUncompensated(ctx context.Context, r *scenario.Run) (out []string) {
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
	s.Limits, s.Expect = scenario.Limits{}, nil
	without, err := s.Build(ctx, scenario.Options{Shaking: r.Shaking})
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

// fellBack are warnings of all falls.
func fellBack(r *scenario.Run) (out []string) {
	for _, f := range r.Falls() {
		who, kind := "the compensator", safeKind(r.Scenario, f.Actuator)
		if f.Actuator > 0 {
			who = fmt.Sprintf("the compensator of actuator %d", f.Actuator)
		}
		if !f.Back {
			out = append(out, fmt.Sprintf("%s fell back to %s at t = %.4f s: %s", who, kind, f.T, f.Cause))
		}
	}
	return out
}

// safeKind is the kind of the fallback of an actuator, from 1; 0 of all.
func safeKind(s *scenario.Scenario, actuator int) string {
	switch {
	case actuator > 0 && actuator <= len(s.Each) && s.Each[actuator-1].Fallback != nil:
		return s.Each[actuator-1].Fallback.Kind
	case s.Fallback != nil:
		return s.Fallback.Kind
	}
	return "the safe method"
}

// Unmet says which expectations a finished run misses, one sentence each. A value that is
// not a number misses its range. Expectations without a value are not judged (builder.expect).
func Unmet(r *scenario.Run) (out []string) {
	values := r.Values()
	for _, of := range r.Scenario.Expect {
		i := slices.IndexFunc(values, func(v rths.Value) bool { return v.Name == of.Name })
		if i < 0 {
			continue
		}
		if v := values[i].V; !(of.Min == nil || v >= *of.Min) || !(of.Max == nil || v <= *of.Max) {
			out = append(out, fmt.Sprintf("%s is %.4g: expected %s", of.Name, v, of.Range))
		}
	}
	return out
}
