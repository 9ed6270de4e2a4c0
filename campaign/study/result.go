package study

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"text/tabwriter"

	"rths/result/record"
)

// Who makes the runs of a study, as its manifest says.
const (
	ByWorkers = "workers" // of this machine
	BySlurm   = "slurm"
)

// MadeBy is who makes the runs, for a reader.
func MadeBy(executor string, workers int) string {
	if executor == BySlurm {
		return "Slurm"
	}
	return fmt.Sprintf("%d workers", workers)
}

// Result is a study as rths study --json prints it.
type Result struct {
	Name       string        `json:"name"`
	Status     string        `json:"status"`
	Reason     string        `json:"reason"`
	Runs       int           `json:"runs"`
	Done       int           `json:"done"`
	Failed     int           `json:"failed"`
	WallS      float64       `json:"wall_s"`
	Executor   string        `json:"executor"`
	Workers    int           `json:"workers"` // 0: not of this machine
	SimulatedS float64       `json:"simulated_s"`
	RunsPerS   record.Number `json:"runs_per_s"` // of this call
	RowsFile   string        `json:"rows_file"`
	Summary    *Summary      `json:"summary"`
	Files      []string      `json:"files"`
}

// Result is what a finished study has come to. before are the runs that earlier calls have made, wallS is the time of
// this one.
func (f *Folder) Result(s *Summary, before int, wallS float64) *Result {
	m := &f.Manifest
	return &Result{
		m.Name, m.Status, m.Reason, m.Runs, m.Done, m.Failed, m.WallS, m.Executor, m.Workers, m.SimulatedS,
		record.Number(float64(m.Done-before) / wallS), filepath.ToSlash(filepath.Join(f.Dir, CSVFile)), s,
		f.paths(),
	}
}

// paths are those of the files of a finished study.
func (f *Folder) paths() (out []string) {
	for _, name := range f.Manifest.Files {
		out = append(out, filepath.ToSlash(filepath.Join(f.Dir, name)))
	}
	return out
}

// Print prints how many runs there were, and the summary.
func (r *Result) Print(out io.Writer) {
	fmt.Fprintf(out, "%s: %s, %d of %d runs", r.Name, r.Status, r.Done, r.Runs)
	if r.Failed > 0 {
		fmt.Fprintf(out, ", %d of them failed", r.Failed)
	}
	fmt.Fprintf(out, "\n%.4g s simulated in %.3g s by %s", r.SimulatedS, r.WallS, MadeBy(r.Executor, r.Workers))
	if r.RunsPerS > 0 {
		fmt.Fprintf(out, ", %.3g runs a second", float64(r.RunsPerS))
	}
	fmt.Fprint(out, "\n\n")
	if r.Summary != nil {
		r.Summary.Print(out)
	}
	for _, name := range r.Files {
		fmt.Fprintln(out, name)
	}
}

// Print prints the main criterion of all groups, failures and Sobol' indices.
func (s *Summary) Print(out io.Writer) {
	fmt.Fprintln(out, s.Criterion)
	s.printGroups(out)
	for _, failure := range s.Failures {
		fmt.Fprintf(out, "%s, runs: %d, the first is run %d: %s\n",
			failure.Status, failure.Runs, failure.First, failure.Reason)
	}
	s.printSobol(out)
	for _, remark := range s.Remarks {
		fmt.Fprintln(out, "note:", remark)
	}
	fmt.Fprintln(out)
}

func (s *Summary) printGroups(out io.Writer) {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "\truns\tcompleted\tmean\t95 %% interval\tsd\tmedian\t90 %% quantile\tmax\t\n")
	for _, g := range s.Groups {
		fmt.Fprintf(t, "%s\t%d\t%d\t", g.Name, g.Runs, g.Completed)
		if len(g.Values) > 0 && g.Values[0].Name == s.Criterion {
			v := g.Values[0]
			fmt.Fprintf(t, "%.4g\t%s\t%s\t%.4g\t%.4g\t%.4g\t", v.Mean, fromTo(v.MeanFrom, v.MeanTo),
				record.Text("%.3g", v.SD), v.At(0.5), v.At(0.9), v.Largest)
		} else {
			fmt.Fprint(t, "–\t–\t–\t–\t–\t–\t")
		}
		fmt.Fprintln(t)
	}
	t.Flush()
}

func (s *Summary) printSobol(out io.Writer) {
	for _, of := range s.Sobol {
		fmt.Fprintf(out, "\nSobol' indices of %s\n", of.Name)
		t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "variable\tfirst order\t95 %\ttotal\t95 %")
		for _, in := range of.Inputs {
			fmt.Fprintf(t, "%s\t%.3f\t%.3f to %.3f\t%.3f\t%.3f to %.3f\n", in.Key,
				in.First.Value, in.First.From, in.First.To, in.Total.Value, in.Total.From, in.Total.To)
		}
		t.Flush()
		if of.Lost > 0 {
			fmt.Fprintf(out, "%d points are lost: a run of each has not completed\n", of.Lost)
		}
	}
}

func fromTo(from, to float64) string {
	if math.IsNaN(from) || math.IsNaN(to) {
		return "–"
	}
	return fmt.Sprintf("%.3g to %.3g", from, to)
}
