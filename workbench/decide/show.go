package decide

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path"

	"rths/campaign/picture"
	"rths/campaign/study"
	"rths/result/catalogue"
	"rths/result/report"
	"rths/workbench"
)

// Shown is what a folder has found so far.
type Shown struct {
	Entry
	HTML string `json:"html"` // its page, as in report.html; "": there is none yet
	Why  string `json:"why,omitempty"`
}

// show is the page of a folder: the one that stands there, or of an unfinished study one of the rows that there are.
func (d *Desk) show(ctx context.Context, in Folder) (Shown, error) {
	f, err := d.found(in.Folder)
	if err != nil {
		return Shown{}, err
	}
	out := Shown{Entry: f.Entry}
	if !f.Here && f.Holder == "" && f.Status != Interrupted {
		text, err := d.root.ReadFile(path.Join(in.Folder, report.File))
		if err == nil {
			out.HTML = string(text)
			return out, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return out, workbench.Refuse("%w", err)
		}
	}
	if f.Kind == catalogue.Advice {
		out.Why = "There is no answer: it was stopped before."
		if f.Here || f.Holder != "" {
			out.Why = "The answer comes at the end."
		}
		return out, nil
	}
	p, _, err := d.planOf(ctx, f)
	if err == nil {
		out.HTML, err = drawn(ctx, f, p)
	}
	switch {
	case ctx.Err() != nil:
		return out, ctx.Err()
	case err != nil:
		out.Why = err.Error()
	case out.HTML == "":
		out.Why = "There are no rows yet."
	}
	return out, nil
}

// drawn is the page of the rows in a folder; "": there are none.
func drawn(ctx context.Context, f *found, p *study.Plan) (string, error) {
	folder, err := study.Look(f.dir, p)
	if err != nil {
		return "", err
	}
	folder.Manifest.Status = f.Status
	summary, err := folder.Summary(p)
	if err != nil {
		return "", err
	}
	s := picture.OfStudy(p, folder, summary)
	if f.Kind == catalogue.Calibration {
		c, err := searched(ctx, f, p)
		if err != nil {
			return "", err
		}
		s.AddSearch(c)
	}
	if folder.Table.Done() == 0 && s.Search == nil {
		return "", nil
	}
	var b bytes.Buffer
	err = picture.StudyPage(&b, s)
	return b.String(), err
}

// searched is the search of a calibration after its last whole generation.
func searched(ctx context.Context, f *found, p *study.Plan) (*study.Calibration, error) {
	c, err := study.NewCalibration(ctx, p)
	if err != nil {
		return nil, err
	}
	return c, c.Resume(f.dir)
}

// planOf is the plan of a folder: of the study file where that is as it was, or else of what the folder keeps. It is
// not exact where an older program has made the folder.
func (d *Desk) planOf(ctx context.Context, f *found) (p *study.Plan, exact bool, err error) {
	d.Lock()
	here := d.running(f.Folder)
	d.Unlock()
	if here != nil && here.plan != nil {
		return here.plan, true, nil
	}
	bench := study.NewBench(d.Records)
	if text, err := d.read(f.File); err == nil && f.asked.Base == "" {
		p, err := d.Plan(ctx, bench, workbench.Place{Path: f.File, Text: text})
		if err == nil && isOf(ctx, f, p) {
			return p, true, nil
		}
	}
	p, err = d.Planned(ctx, bench, f.manifest, f.asked.From(f.dir))
	if err != nil {
		return nil, false, workbench.Refuse("%s: what the folder keeps cannot be read: %w", f.Folder, err)
	}
	return p, isOf(ctx, f, p), nil
}

// isOf reports whether a folder is of a plan.
func isOf(ctx context.Context, f *found, p *study.Plan) bool {
	if f.Kind == catalogue.Study {
		return p.Identity() == f.manifest.Identity
	}
	c, err := study.NewCalibration(ctx, p)
	return err == nil && c.Identity() == f.manifest.Identity
}
