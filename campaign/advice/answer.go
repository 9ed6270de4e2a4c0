package advice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"rths"
	"rths/campaign/study"
	"rths/result/catalogue"
	"rths/result/record"
	"rths/scenario/files"
)

// Answer is an advice as rths advise --json prints it, and as it stands in its folder.
type Answer struct {
	Status  string `json:"status"` // running, completed, stopped, failed
	Reason  string `json:"reason"`
	Started string `json:"started"` // RFC 3339
	// what it was asked for, beside what Result has
	Asked study.Asked `json:"asked,omitzero"`
	*Result
	Scenario string   `json:"scenario_file"` // of the recommended method; "": none
	WallS    float64  `json:"wall_s"`
	Executor string   `json:"executor"`
	Workers  int      `json:"workers"` // 0: not of this machine
	Version  string   `json:"version"`
	Files    []string `json:"files"`
}

// Open makes the folder of an advice ours until unlock, and says when one in it has begun that was stopped (RFC 3339;
// "": there is none). It refuses a folder with a whole advice.
func Open(dir string) (began string, unlock func() error, err error) {
	before, err := Read(dir)
	if err == nil && before.Status == rths.Completed {
		return "", nil, fmt.Errorf("%s holds an advice already: want another folder", dir)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", nil, err
	}
	unlock, err = study.LockFolder(dir)
	return before.Started, unlock, err
}

// Read reads the answer in a folder.
func Read(dir string) (out Answer, err error) {
	text, err := os.ReadFile(filepath.Join(dir, catalogue.AdviceFile))
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	return out, err
}

// End says how the work has ended that has failed so, or not (nil).
func (r *Answer) End(ctx context.Context, failure error) {
	switch {
	case failure == nil:
		r.Status = rths.Completed
	case ctx.Err() != nil:
		r.Status, r.Reason = rths.Stopped, fmt.Sprintf("stopped by the user after %d runs", r.Done)
	default:
		r.Status, r.Reason = rths.Failed, failure.Error()
	}
}

// Save writes the answer into a folder.
func (r *Answer) Save(dir string) error {
	path := filepath.Join(dir, catalogue.AdviceFile)
	return files.Write(path, func(w io.Writer) error { return record.WriteJSON(w, r) })
}

// trialsFile has all runs of an advice.
const trialsFile = "trials.csv"

// WriteFiles writes all files into a folder, the small ones first: where the room ends, the answer is there. draw
// writes the page into it, and names the files.
func (r *Answer) WriteFiles(ctx context.Context, a *Advice, dir string, draw func() ([]string, error)) error {
	var errs []error
	write := func(name string, content func(io.Writer) error) {
		path := filepath.Join(dir, name)
		if err := files.Write(path, content); err != nil {
			errs = append(errs, err)
			return
		}
		r.Files = append(r.Files, path)
	}
	r.Files = []string{filepath.Join(dir, catalogue.AdviceFile)}
	if r.Status == rths.Completed && a.Winner != nil {
		text, err := a.Recommended(ctx, dir)
		if err != nil {
			errs = append(errs, err)
		} else {
			write(study.TunedFile, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
		}
		if len(errs) == 0 {
			r.Scenario = filepath.Join(dir, study.TunedFile)
		}
	}
	errs = append(errs, r.Save(dir))
	write(trialsFile, a.Sheet().WriteCSV)
	drawn, err := draw()
	for _, name := range drawn {
		r.Files = append(r.Files, filepath.Join(dir, name))
	}
	return errors.Join(append(errs, err, r.Save(dir))...)
}

// Print prints the sentences, then the tables.
func (r *Answer) Print(out io.Writer) {
	fmt.Fprintf(out, "%s: %s, %d runs in %.3g s by %s\n",
		r.Name, r.Status, r.Done, r.WallS, study.MadeBy(r.Executor, r.Workers))
	fmt.Fprintf(out, "plants: %s; motions: tuning %s, selecting %s, final %s\n\n",
		r.Scatter, r.Motions[0], r.Motions[1], r.Motions[2])
	for _, sentence := range r.Sentences {
		fmt.Fprintln(out, sentence)
	}
	if len(r.Table) > 0 {
		fmt.Fprintln(out, "\nfinal runs; * is the recommended method")
		printRows(out, r.Table)
	}
	if len(r.Table) > 0 && len(r.Others) > 0 {
		fmt.Fprintln(out, "\nothers, by the runs for selecting")
		printRows(out, r.Others)
	}
	if len(r.Table) > 0 && len(r.Misfits) > 0 {
		fmt.Fprintln(out, "\ndo not fit")
		t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		for _, m := range r.Misfits {
			fmt.Fprintf(t, "  %s\t%s\n", m.Kind, m.Reason)
		}
		t.Flush()
	}
	fmt.Fprintln(out)
	for _, note := range r.Notes {
		fmt.Fprintln(out, "note:", note)
	}
	for _, name := range r.Files {
		fmt.Fprintln(out, name)
	}
}

func printRows(out io.Writer, rows []Row) {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  method\tsettings\tadapts\tfailed\tJ2_true, median %\t90th percentile %\t95 %\tglobal error %\t"+
		"roughness µm\tdelay margin ms\tradius")
	for _, r := range rows {
		adapts := ""
		if r.Adaptive {
			adapts = "yes"
		}
		mark := " "
		if r.Recommended {
			mark = "*"
		}
		fmt.Fprintf(t, "%s %s\t%s\t%s\t%d/%d\t%s\t%s\t%s to %s\t%s\t%s\t%s\t%s\n",
			mark, r.Method, r.Settings, adapts, r.Failures, r.N, num(r.Median), num(r.P90), num(r.From), num(r.To),
			num(r.Global), num(r.Rough), num(r.MarginMs), record.Text("%.5f", float64(r.Radius)))
	}
	t.Flush()
	for _, r := range rows {
		if r.FirstReason != "" {
			fmt.Fprintf(out, "  %s (%s), first failure: %s\n", r.Method, r.Settings, strings.TrimSpace(r.FirstReason))
		}
		if r.Note != "" {
			fmt.Fprintf(out, "  %s: %s\n", r.Method, r.Note)
		}
	}
}
