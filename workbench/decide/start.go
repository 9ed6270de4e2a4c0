package decide

import (
	"cmp"
	"context"
	"io/fs"
	"path/filepath"
	"strconv"

	"rths/campaign/advice"
	"rths/campaign/job"
	"rths/campaign/study"
	"rths/result/catalogue"
	"rths/scenario/syntax"
	"rths/workbench"
)

// Start asks for a study, a calibration or an advice of a file, as it is saved.
type Start struct {
	Kind    string  `json:"kind"` // catalogue.Study, Calibration or Advice
	Path    string  `json:"path"`
	Workers int     `json:"workers"`            // runs at the same time; 0: all processors but one
	Runs    int     `json:"runs,omitempty"`     // budget of an advice; 0: the default
	GoodPct float64 `json:"good_pct,omitempty"` // of an advice; 0: the default
}

// Folder names the folder of a study, a calibration or an advice, from that of the desk.
type Folder struct {
	Folder  string `json:"folder"`
	Workers int    `json:"workers,omitempty"`
}

const (
	mostWorkers = 1000
	adviceSeed  = 1 // of rths advise too
)

// start begins what is asked for. What runs already with the same file is not begun twice.
func (d *Desk) start(ctx context.Context, in Start) (Folder, error) {
	if in.Workers < 0 || in.Workers > mostWorkers {
		return Folder{}, workbench.Refuse("%d runs at the same time: want 1 to %d", in.Workers, mostWorkers)
	}
	in.Workers = cmp.Or(in.Workers, defaultWorkers())
	if in.Kind == catalogue.Advice {
		in.Runs, in.GoodPct = cmp.Or(in.Runs, advice.DefaultRuns), cmp.Or(in.GoodPct, advice.DefaultGoodPct)
	}
	d.starting.Lock()
	defer d.starting.Unlock()
	w, err := d.planned(ctx, in, "")
	if err != nil {
		return Folder{}, err
	}
	d.Lock()
	for folder, other := range d.works {
		if other.same(w) && !other.ended {
			d.Unlock()
			return Folder{Folder: folder}, nil
		}
	}
	d.Unlock()
	return d.begin(ctx, w)
}

// same reports whether two works are of one file as it is, whoever makes the runs.
func (w *work) same(other *work) bool {
	a, b := w.Start, other.Start
	a.Workers = b.Workers
	return a == b && w.text == other.text
}

// begin makes the folder of a work, and begins it.
func (d *Desk) begin(ctx context.Context, w *work) (Folder, error) {
	out, err := w.open(ctx)
	if err != nil {
		return Folder{}, workbench.Refuse("%w", err)
	}
	w.out = out
	return Folder{Folder: d.launch(w)}, nil
}

// resume goes on in a folder. What runs there already goes on.
func (d *Desk) resume(ctx context.Context, in Folder) (Folder, error) {
	d.starting.Lock()
	defer d.starting.Unlock()
	d.Lock()
	here := d.running(in.Folder)
	d.Unlock()
	if here != nil {
		return in, nil
	}
	of, err := d.found(in.Folder)
	if err != nil {
		return in, err
	}
	asked := of.asked.From(of.dir)
	switch {
	case asked.File == "":
		return in, workbench.Refuse("%s does not say which file it is of: want %s in a terminal", in.Folder,
			job.Command("rths", verbs[of.Kind], "FILE", "--out", in.Folder, "--resume"))
	case len(asked.Sets)+len(asked.Compensators)+len(asked.Records) > 0 || asked.Perturbed > 0 || of.flagged:
		return in, workbench.Refuse("%s was begun in a terminal with flags: go on there: %s", in.Folder, of.command(true))
	}
	start := Start{Kind: of.Kind, Path: of.File, Workers: cmp.Or(in.Workers, defaultWorkers()), Runs: of.budget,
		GoodPct: of.goodPct}
	w, err := d.planned(ctx, start, of.dir)
	if err != nil {
		return in, err
	}
	return d.begin(ctx, w)
}

// end stops a work, and waits until its rows are kept.
func (d *Desk) end(ctx context.Context, in Folder) (Folder, error) {
	d.Lock()
	w := d.running(in.Folder)
	d.Unlock()
	if w == nil {
		return in, workbench.Refuse("%s is not made by this program: nothing is stopped", in.Folder)
	}
	w.stop()
	select {
	case <-w.over:
	case <-ctx.Done():
	}
	return in, nil
}

// planned is the work of a file. out is the folder to go on in; "": a new one.
func (d *Desk) planned(ctx context.Context, in Start, out string) (*work, error) {
	text, err := d.read(in.Path)
	if err != nil {
		return nil, err
	}
	w := &work{Start: in, text: text}
	order := job.Order{
		Asked: study.Asked{File: filepath.Join(d.Folder, filepath.FromSlash(in.Path))},
		Out:   out, Beside: d.Folder, Resume: out != "", Executor: study.ByWorkers, Workers: in.Workers, Version: d.Version,
		By: func(string) study.Executor { return study.Workers(in.Workers) }, Progress: d.told(w),
	}
	bench := study.NewBench(d.Records)
	switch in.Kind {
	case catalogue.Study, catalogue.Calibration:
		p, err := d.Plan(ctx, bench, workbench.Place{Path: in.Path, Text: text})
		if err != nil {
			return nil, err
		}
		w.plan = p
		return w, w.study(ctx, job.Study{Order: order, Bench: bench, Plan: p})
	case catalogue.Advice:
		return w, d.advise(ctx, w, order, bench)
	}
	return nil, workbench.Refuse("kind %q: want study, calibration or advice", in.Kind)
}

// study makes the work a study or a calibration.
func (w *work) study(ctx context.Context, s job.Study) error {
	if w.Kind == catalogue.Study {
		w.open = func(context.Context) (string, error) { err := s.Open(); return s.Out, err }
		w.run = func(ctx context.Context) error { _, err := s.Run(ctx); return err }
		return nil
	}
	c, err := job.NewCalibration(ctx, s)
	if err != nil {
		return workbench.Refuse("%w", err)
	}
	w.open = func(context.Context) (string, error) { err := c.Open(); return c.Out, err }
	w.run = func(ctx context.Context) error { _, err := c.Run(ctx); return err }
	return nil
}

// advise makes the work an advice.
func (d *Desk) advise(ctx context.Context, w *work, order job.Order, bench *study.Bench) error {
	text, err := d.read(w.Path)
	if err != nil {
		return err
	}
	if isStudy, _ := syntax.HasKey(w.Path, []byte(text), "scenario"); isStudy {
		return workbench.Refuse("%s: found a study: an advice wants its scenario, the file after scenario:", w.Path)
	}
	t, err := d.Template(w.Path)
	if err != nil {
		return err
	}
	a, err := advice.New(ctx, bench, advice.Question{Template: t, Seed: adviceSeed, GoodPct: w.GoodPct})
	if err == nil {
		w.budget, err = w.Runs, a.Allot(w.Runs)
	}
	if err != nil {
		return workbench.Refuse("%w", err)
	}
	j := &job.Advice{Order: order, Work: a}
	w.open = func(ctx context.Context) (string, error) { err := j.Open(ctx); return j.Out, err }
	w.run = j.Run
	return nil
}

// read is the text of a file of the folder.
func (d *Desk) read(path string) (string, error) {
	if !fs.ValidPath(path) {
		return "", workbench.Refuse("%q: want a file in the folder", path)
	}
	text, err := d.root.ReadFile(filepath.FromSlash(path))
	if err != nil {
		return "", workbench.Refuse("%w: want a saved file in the folder", err)
	}
	return string(text), nil
}

// verbs are the commands of the kinds.
var verbs = map[string]string{catalogue.Study: "study", catalogue.Calibration: "calibrate", catalogue.Advice: "advise"}

// command is what does the same in a terminal, in the folder of the desk.
func (f *found) command(resume bool) string {
	words := []string{"rths", verbs[f.Kind], cmp.Or(f.File, "FILE")}
	for _, set := range f.asked.Sets {
		words = append(words, "--set", set)
	}
	for _, name := range f.asked.Compensators {
		words = append(words, "--compensator", name)
	}
	for _, name := range f.asked.Records {
		words = append(words, "--record", name)
	}
	if f.asked.Perturbed > 0 {
		words = append(words, "--perturbed", strconv.Itoa(f.asked.Perturbed))
	}
	if f.Kind == catalogue.Advice {
		words = append(words, "--runs", strconv.Itoa(f.budget), "--good-pct", strconv.FormatFloat(f.goodPct, 'g', -1, 64))
	}
	if f.manifest.Executor == study.BySlurm {
		words = append(words, "--executor", study.BySlurm)
	}
	if words = append(words, "--out", f.Folder); resume && f.Kind != catalogue.Advice {
		words = append(words, "--resume")
	}
	return job.Command(words...)
}
