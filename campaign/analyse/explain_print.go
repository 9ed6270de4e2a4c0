package analyse

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"rths/method/criteria"
)

// Sentence is the answer.
func (out *Explanation) Sentence() string {
	size := fmt.Sprintf("the tracking error of %.3g mm (%.3g %% of the target, rms)", 1e3*out.ErrorM,
		100*out.ErrorM/out.TargetM)
	if out.Why != "" {
		return fmt.Sprintf("Cannot tell what makes %s: %s", size, out.Why)
	}
	v := out.Virtual
	if v == nil || !v.Tells || out.First > backlash {
		return fmt.Sprintf("First: %s, %.0f %% of %s", out.First, 100*out.Shares[out.First], size)
	}
	if without, ok := v.Without[out.First]; ok && without < v.Error {
		return fmt.Sprintf("First: %s makes most of %s; the virtual test has %.3g %%, and %.3g %% without it", out.First, size,
			100*v.Error, 100*without)
	}
	return fmt.Sprintf("First: %s makes most of %s; the virtual test has %.3g %%, and %.3g %% with the rehearsal's linear actuator",
		out.First, size, 100*v.Error, 100*v.Plain)
}

// numbers are those of the fitted actuator, and the rehearsal's.
func (out *Explanation) numbers() (list []fittedNumber) {
	m, r := &out.Model, &out.From
	for _, n := range []fittedNumber{
		{"delay_ms", 1e3 * m.DelayS, 1e3 * r.DelayS}, {"rated_flow_l_min", m.RatedFlow, r.RatedFlow},
		{"bulk_modulus_mpa", m.BulkModulus, r.BulkModulus}, {"valve_overlap", m.Overlap, r.Overlap},
		{"valve_slew", m.ValveSlew, r.ValveSlew}, {"pump_flow_l_min", m.PumpFlow, r.PumpFlow},
		{"coulomb_force_n", m.CoulombForce, r.CoulombForce}, {"clevis_play_mm", m.ClevisPlay, r.ClevisPlay},
		{"clevis_damping", m.ClevisDamping, r.ClevisDamping},
	} {
		if n.Fitted != n.Rehearsed {
			list = append(list, n)
		}
	}
	return list
}

// fittedNumber is a number of the actuator that the fit has moved.
type fittedNumber struct {
	Key       string  `json:"key"`
	Fitted    float64 `json:"fitted"`
	Rehearsed float64 `json:"rehearsed"`
}

// Print writes the answer, the parts, and the numbers of the fitted actuator.
func (out *Explanation) Print(w io.Writer, e *Explain) {
	fmt.Fprintf(w, "%s.\n\n", out.Sentence())
	for _, line := range out.Read {
		fmt.Fprintln(w, line)
	}
	v := out.Virtual
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "part\trms, mm\tof the error, %\t")
	if v != nil && v.Tells {
		fmt.Fprint(t, "virtual test without it, % of the target\t")
	}
	fmt.Fprintln(t)
	for c := range causes {
		fmt.Fprintf(t, "%s\t%.3g\t%.3g\t", c, 1e3*out.Shares[c]*out.ErrorM, 100*out.Shares[c])
		if v != nil && v.Tells {
			if e, ok := v.Without[c]; ok {
				fmt.Fprintf(t, "%.3g", 100*e)
			}
			fmt.Fprint(t, "\t")
		}
		fmt.Fprintln(t)
	}
	t.Flush()
	fmt.Fprintf(w, "\nParts add up to the error at every sample; where they work against each other, not their percentages.\n"+
		"The rehearsal's linear actuator with the fitted delay comes %.3g ms %s the target, with its compensator.\n",
		1e3*math.Abs(out.LagS), map[bool]string{true: "before", false: "after"}[out.LagS < 0])
	if v != nil && v.Tells {
		fmt.Fprintf(w, "The virtual test with the fitted actuator has %.3g %% of error, with the rehearsal's linear one %.3g %%.\n",
			100*v.Error, 100*v.Plain)
	}
	if e.Rehearsal > 0 {
		fmt.Fprintf(w, "The rehearsal had %.3g %%.\n", 100*e.Rehearsal)
	}
	fmt.Fprintf(w, "The valve of the fitted actuator opens by up to %.3g %%.\n\n", 100*out.Opening)
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for i, n := range out.numbers() {
		if i == 0 {
			fmt.Fprint(t, "actuator\tfitted\trehearsal\t\n")
		}
		fmt.Fprintf(t, "%s\t%.4g\t%.4g\t\n", n.Key, n.Fitted, n.Rehearsed)
	}
	t.Flush()
	for _, n := range out.notes() {
		fmt.Fprintln(w, "Note:", n)
	}
}

// notes are what weakens the answer.
func (out *Explanation) notes() []string {
	list := append([]string{}, out.Notes...)
	if 100*out.ErrorM > criteria.LostJ2*out.TargetM {
		list = append(list, fmt.Sprintf("the run is lost: its error is above %g %% of the target: want a test that follows it, or "+
			"the part before the error grew", criteria.LostJ2))
	}
	v := out.Virtual
	if v != nil && v.Why != "" {
		list = append(list, "causes go by the recorded commands alone; without a cause, a compensator that adapts would have sent others: "+
			v.Why)
	}
	if v != nil && v.Tells {
		for _, c := range v.Failed {
			list = append(list, fmt.Sprintf("the virtual test without %s does not complete: what it makes is not known", c))
		}
	}
	return list
}

// Document is the explanation as JSON.
func (out *Explanation) Document(data string, e *Explain, files []string) map[string]any {
	parts := []map[string]any{}
	for c := range causes {
		part := map[string]any{"cause": c, "rms_m": out.Shares[c] * out.ErrorM, "of_error": out.Shares[c]}
		if v := out.Virtual; v != nil && v.Tells {
			if without, ok := v.Without[c]; ok {
				part["virtual_error_without"] = without
			}
		}
		parts = append(parts, part)
	}
	document := map[string]any{"data": data, "answer": out.Sentence(), "samples": len(e.Target), "rate_hz": e.RateHz,
		"error_m": out.ErrorM, "target_m": out.TargetM, "parts": parts, "lag_s": out.LagS, "actuator": out.numbers(),
		"columns": e.Used, "notes": out.notes(), "files": files}
	if out.Why == "" {
		document["first"] = out.First
	}
	if e.Rehearsal > 0 {
		document["rehearsal_error"] = e.Rehearsal
	}
	if v := out.Virtual; v != nil && v.Tells {
		document["virtual_error"], document["virtual_error_linear"] = v.Error, v.Plain
	}
	return document
}

// Ranked are names and parts, m, of the error, the largest first.
func (out *Explanation) Ranked() (names []string, parts [][]float64) {
	for _, c := range out.ranked() {
		names, parts = append(names, c.String()), append(parts, out.Parts[c])
	}
	return names, parts
}
