package decide

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"rths/campaign/study"
	"rths/result/catalogue"
	"rths/scenario"
	"rths/scenario/syntax"
	"rths/workbench"
)

// Run names a run of a study, or a candidate of a calibration.
type Run struct {
	Folder string `json:"folder"`
	Thing  string `json:"thing"`  // run, candidate, or best: the scenario that was found
	Number int    `json:"number"` // from 1; of best 0
}

const best = "best"

// Text is the scenario of a run as a file of the folder, which is not there yet.
type Text struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// scenarioOf is the scenario of a run: the base scenario with the settings of the row.
func (d *Desk) scenarioOf(ctx context.Context, in Run) (Text, error) {
	f, err := d.found(in.Folder)
	if err != nil {
		return Text{}, err
	}
	if in.Thing == best {
		return d.best(f)
	}
	if f.Kind == catalogue.Advice {
		return Text{}, workbench.Refuse("%s is an advice: want a run of a study or of a calibration", in.Folder)
	}
	p, exact, err := d.planOf(ctx, f)
	if err != nil {
		return Text{}, err
	}
	settings, err := settingsOf(ctx, f, p, in)
	if err != nil {
		return Text{}, workbench.Refuse("%w", err)
	}
	s, err := p.Template.With(settings...)
	if err != nil {
		return Text{}, workbench.Refuse("%w", err)
	}
	head := fmt.Sprintf("# The %s %d of %s, with\n", in.Thing, in.Number, f.Folder)
	for _, set := range settings {
		head += "#   " + set.String() + "\n"
	}
	if !exact {
		head += "# An older program has made the folder, and the study file has changed since: defaults are those of its base.\n"
	}
	return d.textOf(f, s, fmt.Sprintf("%s-%d", in.Thing, in.Number), head)
}

// textOf is a scenario as a file beside that of a folder.
func (d *Desk) textOf(f *found, s *scenario.Scenario, what, head string) (Text, error) {
	dir, name := ".", path.Base(f.Folder)
	if fs.ValidPath(f.File) {
		dir, name = path.Dir(f.File), strings.TrimSuffix(path.Base(f.File), path.Ext(f.File))
	}
	text, err := s.YAMLIn(filepath.Join(d.Folder, filepath.FromSlash(dir)))
	if err != nil {
		return Text{}, workbench.Refuse("%w", err)
	}
	return Text{path.Join(dir, name+"-"+what+".yaml"), head + text}, nil
}

// best is the scenario that a calibration has tuned, or that an advice recommends.
func (d *Desk) best(f *found) (Text, error) {
	if !f.Best {
		return Text{}, workbench.Refuse("%s has found no scenario: want one that has completed", f.Folder)
	}
	t, err := d.Template(path.Join(f.Folder, study.TunedFile))
	if err != nil {
		return Text{}, err
	}
	s, err := t.With()
	if err != nil {
		return Text{}, workbench.Refuse("%w", err)
	}
	return d.textOf(f, s, best, "# What "+f.Folder+" has found.\n")
}

// settingsOf are the settings of a run or of a candidate.
func settingsOf(ctx context.Context, f *found, p *study.Plan, in Run) ([]syntax.Setting, error) {
	none := func(most int) error {
		return fmt.Errorf("%s %d of %s: want 1 to %d", in.Thing, in.Number, f.Folder, most)
	}
	if in.Thing == "candidate" && f.Kind == catalogue.Calibration {
		c, err := searched(ctx, f, p)
		if err != nil {
			return nil, err
		}
		if in.Number < 1 || in.Number > len(c.History) {
			return nil, none(len(c.History))
		}
		return p.File.Calibrate.Settings(c.History[in.Number-1].U), nil
	}
	switch {
	case in.Thing != "run":
		return nil, fmt.Errorf("%q of %s: want a run", in.Thing, f.Folder)
	case in.Number < 1 || in.Number > p.Runs():
		return nil, none(p.Runs())
	case f.Kind == catalogue.Calibration && f.Here:
		return nil, fmt.Errorf("%s is not at its end: the runs of the optimum come last", f.Folder)
	case f.Kind == catalogue.Calibration:
		c, err := searched(ctx, f, p)
		if err != nil {
			return nil, err
		}
		if u, _, ok := c.Search.Best(); ok {
			p.Tune(p.File.Calibrate.Settings(u)) // a plan of our own
		}
	}
	return p.Settings(in.Number - 1), nil
}
