//go:build !js

package workbench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"rths/campaign/study"
	"rths/scenario"
	"rths/scenario/syntax"
)

// Plan is the plan of a study's text. It reads no file outside of the folder but named ground motions.
func (d *Desk) Plan(ctx context.Context, b *study.Bench, in Place) (*study.Plan, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	f, err := study.Parse(in.name(), []byte(in.Text))
	if err != nil {
		return nil, &Refused{err}
	}
	dir := filepath.Dir(filepath.FromSlash(in.Path))
	if !d.holds(dir, f.Scenario) {
		return nil, Refuse("%s: scenario: found %q outside of the folder of the workbench: want a scenario below it, or "+
			"rths study in a terminal", in.name(), f.Scenario)
	}
	t, err := f.Base(filepath.Join(d.Folder, filepath.FromSlash(in.Path)), nil)
	if err == nil {
		err = d.own(t)
	}
	if err != nil {
		return nil, &Refused{err}
	}
	return d.planned(ctx, b, f, t)
}

// Planned is the plan that a folder keeps: the texts of its study and of its base scenario. In a folder of an older
// program all defaults are written out, and runs may differ where these follow from other values.
func (d *Desk) Planned(ctx context.Context, b *study.Bench, m study.Manifest, asked study.Asked) (*study.Plan, error) {
	dir := d.Folder
	if asked.File != "" {
		dir = filepath.Dir(asked.File)
	}
	f, err := study.Parse(study.ManifestFile, []byte(m.Study))
	isStudy, _ := syntax.HasKey(study.ManifestFile, []byte(m.Study), "scenario")
	if isStudy && err != nil {
		return nil, &Refused{err}
	}
	switch {
	case isStudy && filepath.IsAbs(f.Scenario):
		dir = filepath.Dir(f.Scenario)
	case isStudy:
		dir = filepath.Join(dir, filepath.Dir(f.Scenario))
	}
	t, err := scenario.NewTemplate(study.ManifestFile, []byte(cmp.Or(asked.Base, m.Scenario)), dir, nil)
	if err == nil && !isStudy {
		f, err = study.Compare(t, asked.Compensators, asked.Records, asked.Perturbed)
	}
	if err == nil {
		err = d.own(t)
	}
	if err != nil {
		return nil, &Refused{err}
	}
	return d.planned(ctx, b, f, t)
}

// planned is the plan of a study, which reads no file outside of the folder but named ground motions.
func (d *Desk) planned(ctx context.Context, b *study.Bench, f *study.File, t *scenario.Template) (*study.Plan, error) {
	p, err := b.NewPlan(ctx, f, t)
	if err != nil {
		return nil, &Refused{err}
	}
	for _, input := range slices.Concat(t.Inputs(), p.Inputs) {
		if !d.reads(input.File) {
			return nil, Refuse("found the file %s outside of the folder of the workbench: want a file below it, or rths study "+
				"in a terminal", input.File)
		}
	}
	return p, nil
}

// Template is the template of a scenario file. It names no file outside of the folder.
func (d *Desk) Template(path string) (*scenario.Template, error) {
	text, err := d.read(path)
	if err != nil {
		return nil, err
	}
	if err := d.within(Place{path, string(text)}); err != nil {
		return nil, &Refused{err}
	}
	t, err := scenario.LoadTemplate(filepath.Join(d.Folder, filepath.FromSlash(path)), "", nil)
	if err == nil {
		err = d.own(t)
	}
	if err != nil {
		return nil, &Refused{err}
	}
	return t, nil
}

// own refuses a scenario that names files outside of the folder, or that needs another program.
func (d *Desk) own(t *scenario.Template) error {
	s, err := t.With()
	if err != nil {
		return err
	}
	if s.External() != nil {
		return errors.New("another program integrates the structure: it would have to be started for every run: want a " +
			"scenario whose structure rths integrates")
	}
	folder, err := filepath.Abs(d.Folder)
	if err != nil {
		return err
	}
	for _, input := range t.Inputs() {
		text, err := os.ReadFile(input.File)
		if err != nil {
			return err
		}
		way, err := filepath.Rel(folder, input.File) // Inputs have whole paths
		if err != nil || !filepath.IsLocal(way) {
			return fmt.Errorf("%s lies outside of the folder of the workbench", input.File)
		}
		if err := d.within(Place{filepath.ToSlash(way), string(text)}); err != nil {
			return err
		}
	}
	return nil
}

// reads reports whether a file may be read: it is below the folder, or is a named ground motion.
func (d *Desk) reads(file string) bool {
	whole, err := filepath.Abs(file)
	if err != nil || d.holds("", whole) {
		return err == nil
	}
	records, err := filepath.Abs(d.Records)
	if d.Records == "" || err != nil {
		return false
	}
	way, err := filepath.Rel(records, whole)
	return err == nil && filepath.IsLocal(way)
}

// checkStudy is what rths lint says of a study.
func (d *Desk) checkStudy(ctx context.Context, in Place) (Checked, error) {
	out := Checked{Study: true, Remarks: []Remark{}}
	p, err := d.Plan(ctx, study.NewBench(d.Records), in)
	tuned := 0
	if err == nil {
		if tuned = len(p.File.Calibrate.Keys); tuned > 0 {
			_, err = study.NewCalibration(ctx, p)
		}
	}
	if ctx.Err() != nil {
		return out, errGone
	}
	var refused *Refused
	if errors.As(err, &refused) {
		err = refused.Unwrap()
	}
	for _, e := range each(err) {
		out.add("error", in, e.Error())
	}
	if out.OK = err == nil; out.OK {
		text := fmt.Sprintf("%d runs: %s", p.Runs(), p.Describe())
		if tuned > 0 {
			text += fmt.Sprintf("; %d keys to tune", tuned)
		}
		out.add("info", in, text)
	}
	return out, nil
}
