package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"rths"
	"rths/run/session"
	"rths/scenario"
)

// climb makes the same test at growing amplitude. Each step is rehearsed, made and compared with
// its rehearsal; then the operator says whether to go on.
func (f *testFlags) climb(cmd *cobra.Command, s *scenario.Scenario, percents []float64) error {
	var done []session.Rung
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
	document := map[string]any{"ladder": append([]session.Rung{}, done...)}
	err := f.show(cmd.OutOrStdout(), document, func(out io.Writer) { session.PrintLadder(out, done) })
	return cmp.Or(err, ended)
}

// rung is one step.
func (f *testFlags) rung(cmd *cobra.Command, s *scenario.Scenario, percent float64) (session.Rung, error) {
	sized, err := session.Sized(s, percent)
	if err != nil {
		return session.Rung{}, err
	}
	dir := filepath.Join(f.out, fmt.Sprintf("%g-percent", percent))
	rehearsal := dir + "-rehearsal"
	if err := f.rehearse(cmd, sized, rehearsal); err != nil {
		return session.Rung{}, err
	}
	m, ended := f.one(cmd, sized, dir, rehearsal)
	defer func() { f.verdict(&m, dir, ended) }()
	if ended != nil && m.NotBegun() {
		return session.Rung{}, ended
	}
	of := outputs{out: dir, csv: f.csv, parquet: f.parquet, mat: f.mat, hdf5: f.hdf5, tdms: f.tdms, report: f.report}
	of.addExtras(&m)
	return session.NewRung(percent, dir, &m), cmp.Or(ended, outcome(&m))
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
func (f *testFlags) goOn(cmd *cobra.Command, last *session.Rung, next float64) error {
	if err := cmd.Context().Err(); err != nil {
		return errStopped
	}
	if f.operator == nil {
		fmt.Fprintln(cmd.ErrOrStderr(), last)
		if err := last.WantAsRehearsed(); err != nil {
			return failed{err}
		}
		return nil
	}
	text := fmt.Sprintf("%s. Type GO to go on to %g %%: ", last, next)
	answer, err := f.operator.Ask(cmd.Context(), session.Question{Step: "GO", Text: text, Want: "GO"})
	if err != nil {
		return err
	}
	if answer != "GO" {
		return failed{errors.New("the operator ended the ladder")}
	}
	return nil
}
