package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rths"
	"rths/result/record"
	"rths/run/session"
	"rths/scenario"
)

// rungs reads the steps of a ladder, percent of the scenario's amplitude.
func rungs(text string) ([]float64, error) {
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
// which a step counts as rehearsed, rms over rms.
const asRehearsedPct = 10

// step is a step of a ladder, as --json has it.
type step struct {
	Percent     float64      `json:"percent"`
	Folder      string       `json:"folder"`
	Status      string       `json:"status"`
	Reason      string       `json:"reason"`
	AsRehearsed bool         `json:"as_rehearsed"`
	Test        *record.Test `json:"test"`
}

// climb makes the same test at growing amplitude. Each step is rehearsed, made and compared with
// its rehearsal; then the operator says whether to go on.
func (f *testFlags) climb(cmd *cobra.Command, s *scenario.Scenario, percents []float64) error {
	var done []step
	var ended error
	for i, p := range percents {
		if i > 0 {
			if ended = f.goOn(cmd, &done[i-1], p); ended != nil {
				break
			}
		}
		one, err := f.rung(cmd, s, p)
		if one.Status != "" {
			done = append(done, one)
		}
		if ended = err; err != nil {
			break
		}
	}
	if err := f.printLadder(cmd.OutOrStdout(), done); err != nil {
		return err
	}
	return ended
}

// rung is one step.
func (f *testFlags) rung(cmd *cobra.Command, s *scenario.Scenario, percent float64) (step, error) {
	sized, err := s.With(fmt.Sprintf("amplitude=%g", cmp.Or(s.Amplitude, 1)*percent/100))
	if err != nil {
		return step{}, err
	}
	sized.CameFrom(s.Inputs()...)
	dir := filepath.Join(f.out, fmt.Sprintf("%g-percent", percent))
	rehearsal := dir + "-rehearsal"
	if err := f.rehearse(cmd, sized, rehearsal); err != nil {
		return step{}, err
	}
	m, ended := f.one(cmd, sized, dir, rehearsal)
	defer func() { f.verdict(&m, dir, ended) }()
	if ended != nil && m.NotBegun() {
		return step{}, ended
	}
	of := outputs{out: dir, csv: f.csv, parquet: f.parquet, mat: f.mat, report: f.report}
	of.addExtras(&m)
	return step{
		Percent: percent, Folder: dir, Status: m.Status, Reason: m.Reason, Test: m.Test,
		AsRehearsed: m.Status == rths.Completed && float64(m.Test.Rehearsal.DisplacementPct) <= asRehearsedPct,
	}, cmp.Or(ended, outcome(&m))
}

// rehearse runs a step virtually.
func (f *testFlags) rehearse(cmd *cobra.Command, s *scenario.Scenario, dir string) error {
	of := runFlags{app: f.app, outputs: outputs{out: dir}}
	r, err := of.build(cmd.Context(), s, scenario.Options{RecordsDir: f.records})
	if err != nil {
		return err
	}
	m, err := of.play(cmd, &session.Virtual{Version: version()}, r)
	if err != nil {
		return err
	}
	if m.Status != rths.Completed {
		return failed{fmt.Errorf("the rehearsal %s has not completed: %s: the test is not made", dir, m.Reason)}
	}
	return nil
}

// goOn asks whether to take the next step. Without an operator a step that was not as rehearsed is the last.
func (f *testFlags) goOn(cmd *cobra.Command, last *step, next float64) error {
	if err := cmd.Context().Err(); err != nil {
		return errStopped
	}
	r := last.Test.Rehearsal
	text := fmt.Sprintf("%g %%: displacement differs from the rehearsal by %s %% (rms), largest %s mm, rehearsed %s mm", last.Percent, record.Text("%.3g", float64(r.DisplacementPct)), record.Text("%.4g", 1e3*float64(r.PeakM)), record.Text("%.4g", 1e3*float64(r.RehearsedPeakM)))
	if f.operator == nil {
		fmt.Fprintln(cmd.ErrOrStderr(), text)
		if !last.AsRehearsed {
			return failed{fmt.Errorf("the step of %g %% was not as rehearsed: want at most %d %%: the ladder ends", last.Percent, asRehearsedPct)}
		}
		return nil
	}
	answer, err := f.operator.Ask(cmd.Context(), session.Question{Step: "GO", Text: fmt.Sprintf("%s. Type GO to go on to %g %%: ", text, next), Want: "GO"})
	if err != nil {
		return err
	}
	if answer != "GO" {
		return failed{errors.New("the operator ended the ladder")}
	}
	return nil
}

func (f *testFlags) printLadder(out io.Writer, done []step) error {
	if f.json {
		return record.WriteJSON(out, map[string]any{"ladder": append([]step{}, done...)})
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "amplitude\tstatus\tlargest, mm\trehearsed, mm\tdifference\t")
	for _, s := range done {
		r := s.Test.Rehearsal
		fmt.Fprintf(t, "%g %%\t%s\t%s\t%s\t%s %%\t\n", s.Percent, s.Status, record.Text("%.4g", 1e3*float64(r.PeakM)), record.Text("%.4g", 1e3*float64(r.RehearsedPeakM)), record.Text("%.3g", float64(r.DisplacementPct)))
	}
	return t.Flush()
}
