package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"rths/result/record"
	"rths/run/session"
	"rths/scenario"
)

// replayed is the document of replay --json.
type replayed struct {
	Rows      int         `json:"rows"`
	Ticks     int         `json:"ticks"`
	Equal     bool        `json:"equal"`
	First     *firstPlace `json:"first,omitempty"`
	Unchecked string      `json:"unchecked,omitempty"` // why the files were not compared with their hashes
}

// firstPlace is where record and replay part.
type firstPlace struct {
	Row      int     `json:"row"`
	Column   string  `json:"column"`
	Recorded float64 `json:"recorded"`
	Replayed float64 `json:"replayed"`
}

func replayCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "replay RUN",
		Short: "Give recorded readings to a fresh loop, and compare",
		Long: `Builds the loop of a test in the laboratory once more, gives it the recorded
readings, and compares every number of every row with the record: commands, limits,
parameters. With the program that made the record they are equal to the bit. Exit
status 1 where they are not; the first difference is printed. Readings and instants
come from the record itself: before anything is replayed its files must have the
SHA-256 that the manifest says, or the exit status is 2.`,
		Example: `  rths replay runs/test
  rths replay runs/test --json`,
		Args: want(1, "the folder of a test"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := session.NewReplay(cmd.Context(), args[0], scenario.Options{RecordsDir: a.records})
			if err != nil {
				return err
			}
			if r.Unchecked != "" {
				fmt.Fprintf(cmd.ErrOrStderr(), "note: %s\n", r.Unchecked)
			}
			out := cmd.OutOrStdout()
			if a.json {
				err = record.WriteJSON(out, replayedOf(r))
			} else if r.First == nil {
				_, err = fmt.Fprintf(out,
					"%d rows, %d ticks of the run: every number of the replay is equal to the record to the bit\n", r.Rows, r.Ticks)
			}
			if err == nil && r.First != nil {
				err = failed{fmt.Errorf("the replay is not the record: %s", r.First)}
			}
			return err
		},
	}
}

func replayedOf(r *session.Replay) replayed {
	out := replayed{Rows: r.Rows, Ticks: r.Ticks, Equal: r.First == nil, Unchecked: r.Unchecked}
	if d := r.First; d != nil {
		out.First = &firstPlace{d.Row, d.Column, d.Recorded, d.Replayed}
	}
	return out
}
