package session

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"rths"
	"rths/result/record"
	"rths/scenario"
)

// Rungs reads the steps of a ladder, percent of the scenario's amplitude.
func Rungs(text string) ([]float64, error) {
	var out []float64
	for part := range strings.SplitSeq(text, ",") {
		p, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || !(p > 0) || math.IsInf(p, 0) || len(out) > 0 && p <= out[len(out)-1] {
			return nil, fmt.Errorf("--ladder %s: found %q: want growing percentages, as in 10,25,50,100", text, part)
		}
		out = append(out, p)
	}
	return out, nil
}

// asRehearsedPct is the largest difference of the measured displacement from the rehearsal's with
// which a rung counts as rehearsed, rms over rms.
const asRehearsedPct = 10

// Rung is a step of a ladder, as rths test --json has it.
type Rung struct {
	Percent     float64      `json:"percent"`
	Folder      string       `json:"folder"`
	Status      string       `json:"status"`
	Reason      string       `json:"reason"`
	AsRehearsed bool         `json:"as_rehearsed"`
	Test        *record.Test `json:"test"`
}

// NewRung is what the test of a rung, in a folder, has come to.
func NewRung(percent float64, folder string, m *record.Manifest) Rung {
	return Rung{
		Percent: percent, Folder: folder, Status: m.Status, Reason: m.Reason, Test: m.Test,
		AsRehearsed: m.Status == rths.Completed && float64(m.Test.Rehearsal.DisplacementPct) <= asRehearsedPct,
	}
}

// Sized is the scenario of a rung.
func Sized(s *scenario.Scenario, percent float64) (*scenario.Scenario, error) {
	sized, err := s.With(fmt.Sprintf("amplitude=%g", cmp.Or(s.Amplitude, 1)*percent/100))
	if err == nil {
		sized.CameFrom(s.Inputs()...)
	}
	return sized, err
}

// String says how far a rung was from its rehearsal.
func (r *Rung) String() string {
	largest, rehearsed, apart := r.apart()
	return fmt.Sprintf("%g %%: displacement differs from the rehearsal by %s %% (rms), largest %s mm, rehearsed %s mm",
		r.Percent, apart, largest, rehearsed)
}

// apart are the largest displacement and the rehearsed one, mm, and the difference, %.
func (r *Rung) apart() (largest, rehearsed, apart string) {
	of := r.Test.Rehearsal
	return record.Text("%.4g", 1e3*float64(of.PeakM)), record.Text("%.4g", 1e3*float64(of.RehearsedPeakM)),
		record.Text("%.3g", float64(of.DisplacementPct))
}

// WantAsRehearsed refuses to go on from a rung that was not as rehearsed.
func (r *Rung) WantAsRehearsed() error {
	if r.AsRehearsed {
		return nil
	}
	return fmt.Errorf("the step of %g %% was not as rehearsed: want at most %d %%: the ladder ends",
		r.Percent, asRehearsedPct)
}

// PrintLadder prints a line for each rung.
func PrintLadder(out io.Writer, rungs []Rung) {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "amplitude\tstatus\tlargest, mm\trehearsed, mm\tdifference\t")
	for i := range rungs {
		largest, rehearsed, apart := rungs[i].apart()
		fmt.Fprintf(t, "%g %%\t%s\t%s\t%s\t%s %%\t\n", rungs[i].Percent, rungs[i].Status, largest, rehearsed, apart)
	}
	t.Flush()
}
