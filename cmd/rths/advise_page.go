package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"

	"rths/campaign/advice"
	"rths/campaign/picture"
	"rths/campaign/study"
	"rths/result/record"
	"rths/result/report"
	"rths/scenario/files"
)

// drawAdvice writes the page of an advice, and the pictures as files if a format is given, and
// returns the paths of what was written.
func (f *adviseFlags) drawAdvice(ctx context.Context, a *advice.Advice, out *answer) (paths []string, err error) {
	page, err := picture.OfAdvice(ctx, a, out.Result)
	if err != nil {
		return nil, err
	}
	if out.Status != study.Completed {
		page.Ended = fmt.Sprintf("The work has not come to its end: %s.", out.Reason)
	}
	if out.Scenario != "" {
		page.File = filepath.Base(out.Scenario)
	}
	page.Facts = append(page.Facts,
		picture.StudyFact{Name: "wall time", Value: fmt.Sprintf("%s s, %d workers", record.Text("%.3g", out.WallS), out.Workers)},
		picture.StudyFact{Name: "program", Value: out.Version + " · " + runtime.Version()},
	)
	path := filepath.Join(f.out, report.File)
	if err := files.Write(path, func(w io.Writer) error { return picture.AdvicePage(w, page) }); err != nil {
		return nil, fmt.Errorf("%s was not written: %w", report.File, err)
	}
	paths = []string{path}
	if f.plots == "" {
		return paths, nil
	}
	more, err := picture.AdvicePlots(filepath.Join(f.out, "plots"), f.plots, page)
	return append(paths, more...), err
}
