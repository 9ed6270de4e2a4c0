package export

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"rths"
	"rths/scenario"
)

// Choice says how the compensator of a scenario is written.
type Choice struct {
	Scenario *scenario.Scenario
	Name     string // word of C; "": the kind of the compensator
	Program  string // who writes it
	End      bool   // parameters at the end of a run, in place of those at its start
	Frozen   bool   // without adaptation
	Limits   bool   // the limits of the scenario in front of the output
	Group    int    // of devices that learn, from 1, in place of the compensator; 0: none
}

// Refuse refuses what cannot be written as C.
func (c *Choice) Refuse() error {
	s := c.Scenario
	if c.Group != 0 {
		return c.refuseDevices()
	}
	if !s.Compensates() {
		return errors.New("export: the scenario has no compensator: want one, as in --set compensator.kind=amb")
	}
	if why := Reason(s.CompensatorKind()); why != "" {
		return fmt.Errorf("export: compensator %s cannot be written as C: %s", s.CompensatorKind(), why)
	}
	if own := s.OwnMethods(); len(own) > 0 { // in a chain, of an actuator, or a fallback
		return fmt.Errorf("export: %s, kind wasm, cannot be written as C: %s", own[0].Key, Reason("wasm"))
	}
	return nil
}

// PeakOf is Peak of the actuators of a run.
func PeakOf(r *scenario.Run) float64 {
	if r.Guard == nil {
		return Peak(0)
	}
	return Peak(r.Guard.Config().Stroke)
}

// Source is the compensator of a fresh build of the scenario. Its twin, of another one, gives the commands of the
// self-test on a motion. learnt is what the adaptation has learnt at the end. others are channels of limits that the
// source does not have.
func (c *Choice) Source(fresh, twin *scenario.Run, m *Motion, learnt []float64) (e Source, others []string, err error) {
	for _, of := range []rths.Compensator{fresh.Compensator(), twin.Compensator()} {
		if a, ok := rths.As[rths.Adaptive](of); ok {
			if c.End {
				rths.SetAdaptation(learnt, a)
			}
			a.Freeze(c.Frozen)
		}
	}
	s := c.Scenario
	e = Source{
		Name: cmp.Or(c.Name, Word(s.CompensatorKind())), Program: c.Program, Compensator: fresh.Compensator(),
		Title: fmt.Sprintf("Compensator %s of %q, parameters at the %s, adaptation %s",
			s.CompensatorKind(), s.Name, c.when(), c.adapts()),
		RateHz: s.RateHz, Axes: s.Axes(), Peak: PeakOf(fresh), Forces: len(fresh.Loop.Frame().Read.F),
		Accelerated: len(fresh.Loop.Frame().Read.A) > 0,
	}
	if c.Limits {
		if e.Limits, others, err = LimitsOf(fresh.Guard); err != nil {
			return e, others, err
		}
	}
	e.Vectors, err = m.Vectors(&e, twin.Compensator())
	return e, others, err
}

func (c *Choice) when() string {
	if c.End {
		return "end of the run"
	}
	return "start"
}

func (c *Choice) adapts() string {
	if c.Frozen {
		return "off"
	}
	return "on"
}

// Written is what rths export --json prints.
type Written struct {
	Name        string   `json:"name"`
	Compensator string   `json:"compensator"`
	Parameters  string   `json:"parameters"`
	Adaptation  string   `json:"adaptation"`
	Limits      string   `json:"limits,omitempty"`
	OtherLimits []string `json:"limits_not_written,omitempty"`
	Forces      string   `json:"forces_not_written,omitempty"`
	RateHz      float64  `json:"rate_hz"`
	Axes        int      `json:"axes"`
	Files       []string `json:"files"`
}

// Written is the document of a source in files, with the limits that it does not have.
func (c *Choice) Written(e *Source, others, files []string) *Written {
	w := &Written{
		Name: e.Name, Compensator: c.Scenario.CompensatorKind(), Parameters: "at the " + c.when(), Adaptation: c.adapts(),
		OtherLimits: others, RateHz: e.RateHz, Axes: e.Axes, Files: files,
	}
	if e.Limits != nil {
		w.Limits = e.Limits.String()
	}
	if c.Scenario.Mixed() {
		w.Forces = "the control of forces (axes) stands before the compensator, and is not written: the controller has to keep them " +
			"by itself"
	}
	return w
}

// Print prints what was written.
func (w *Written) Print(out io.Writer) {
	fmt.Fprintf(out, "compensator %s, %g samples a second, parameters %s, adaptation %s\n",
		w.Compensator, w.RateHz, w.Parameters, w.Adaptation)
	if w.Limits != "" {
		fmt.Fprintf(out, "limits: %s\n", w.Limits)
	}
	if len(w.OtherLimits) > 0 {
		fmt.Fprintf(out, "limits that the controller has to have by itself: %s\n", strings.Join(w.OtherLimits, ", "))
	}
	if w.Forces != "" {
		fmt.Fprintln(out, w.Forces)
	}
	for _, name := range w.Files {
		fmt.Fprintln(out, name)
	}
}
