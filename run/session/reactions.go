package session

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"rths/lab/rig"
	"rths/lab/rig/udp"
	"rths/scenario"
)

// Reaction is what happens at a fault.
type Reaction struct {
	Fault string `json:"fault"`
	Then  string `json:"then"`
}

// Reactions are what a test of a scenario does at each fault, from the configuration of its guard, its link and the
// causes that act. A run without limits has none; one without a block rig has only those of its guard.
func Reactions(r *scenario.Run) (out []Reaction) {
	if r.Guard == nil {
		return nil
	}
	c := r.Guard.Config()
	if r.Scenario.Rig.Given() {
		out = linked(r.Scenario, &c)
	}
	out = append(out,
		Reaction{"reading not a number, out of reach, or refused by the rig", c.NonFinite.String()},
		Reaction{fmt.Sprintf("loop that diverges: target, reading or command beyond %g m", r.Scenario.Diverged),
			c.NonFinite.String()})
	if clipped := clips(&c); clipped != "" {
		out = append(out, Reaction{"command beyond " + clipped, "clipped there"})
	}
	for _, l := range c.Limits {
		then := l.Action.String()
		if l.Warn > 0 {
			then = fmt.Sprintf("warning at %g, %s", l.Warn, then)
		}
		out = append(out, Reaction{fmt.Sprintf("%s above %g", l.Channel, l.Trip), then})
	}
	p := c.Profile
	goal := "zero"
	if p.ToSafe {
		goal = "the last safe position"
	}
	return append(out,
		Reaction{"hold", fmt.Sprintf("for %s, then the run ends", seconds(c.HoldS))},
		Reaction{"ramp", fmt.Sprintf("to %s at %g mm/s and %g mm/s², within %s; then the run ends", goal, 1e3*p.Velocity,
			1e3*p.Acceleration, seconds(p.WithinS))})
}

// clips says to what commands are clipped; empty: they are not.
func clips(c *rig.GuardConfig) string {
	var out []string
	if c.Stroke > 0 {
		out = append(out, fmt.Sprintf("%g mm", 1e3*c.Stroke))
	}
	if c.Rate > 0 {
		out = append(out, fmt.Sprintf("%g mm/s", 1e3*c.Rate))
	}
	return strings.Join(out, " or ")
}

// linked are faults of rig, link and processes.
func linked(s *scenario.Scenario, c *rig.GuardConfig) (out []Reaction) {
	of := s.Link()
	dog := "watchdog of the rig after " + seconds(of.WatchdogMs/1e3)
	late := whenOld(c)
	silent := fmt.Sprintf("the command again every %s, %d times in all, then %s; ", seconds(udp.RepeatAfter.Seconds()),
		udp.MostRepeats, c.NonFinite)
	if s.CommandDelay() > s.Timing.CommandDelay { // the rig ticks by itself
		silent = late + "; "
		out = append(out, Reaction{"loop too slow, or each reading late", late})
	}
	out = append([]Reaction{{"rig silent", silent + dog}}, out...)
	window := "the first sentence says it where it is more than 1 %"
	if c.Late.Most > 0 {
		window = fmt.Sprintf("ramp when more than %d of the last %d ticks are late; %s", c.Late.Most, c.Late.Within, window)
	}
	out = append(out, Reaction{"single readings lost", window},
		Reaction{"rig that says its watchdog or a limit acted", "no more commands of the loop; " + c.NonFinite.String()})
	if s.Separate() {
		out = append(out, Reaction{fmt.Sprintf("numerical part late by more than %d main steps, or dead", s.LateMainSteps()),
			c.NonFinite.String()})
	}
	for _, k := range []struct {
		fault string
		cause cause
	}{
		{"Ctrl-C", operatorStops}, {"Ctrl-C twice", operatorHolds},
		{"supervisor silent for " + seconds(of.SupervisorSilentS), supervisorSilent},
		{"record that cannot be kept", recordFull}, {"SIGTERM to the loop", loopTerminated},
	} {
		out = append(out, Reaction{k.fault, kinds[k.cause].action.String()})
	}
	return append(out, Reaction{"loop dead or stopped", dog},
		Reaction{"at the end", fmt.Sprintf("fails unless the specimen is measured at rest for %s", seconds(restS))})
}

// whenOld says what old readings and late ticks do.
func whenOld(c *rig.GuardConfig) string {
	var out []string
	for _, of := range []struct {
		action rig.Action
		ticks  int
	}{{rig.Hold, c.Late.HoldAfter}, {rig.Ramp, c.Late.RampAfter}} {
		if of.ticks > 0 {
			out = append(out, fmt.Sprintf("%s after %s (%d samples)", of.action, seconds(float64(of.ticks)/c.RateHz), of.ticks))
		}
	}
	if out == nil {
		return "nothing"
	}
	return strings.Join(out, ", ")
}

// seconds is a time in ms or s.
func seconds(s float64) string {
	if s < 0.9995 { // what rounds to 1000 ms is a second
		return fmt.Sprintf("%.3g ms", 1e3*s)
	}
	return fmt.Sprintf("%.4g s", s)
}

// PrintReactions prints what happens at each fault.
func PrintReactions(out io.Writer, list []Reaction) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintln(out, "what happens at a fault")
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, of := range list {
		fmt.Fprintf(t, "  %s\t%s\n", of.Fault, of.Then)
	}
	t.Flush()
}
