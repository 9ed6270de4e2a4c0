package study

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"rths/scenario"
	"rths/scenario/files"
	"rths/scenario/syntax"
)

// File is the format of a study file: its yaml tags are the keys, its doc tags their
// documentation.
type File struct {
	Name       string    `yaml:"name" doc:"name of the study; default: the name of the base scenario"`
	Tags       []string  `yaml:"tags,omitempty" doc:"words by which rths runs finds the study"`
	Scenario   string    `yaml:"scenario" doc:"file of the base scenario; a relative name starts from the folder of the study file"`
	Set        []string  `yaml:"set,omitempty" doc:"KEY=VALUE of the base scenario, as rths run --set takes them"`
	Seed       uint64    `yaml:"seed" doc:"seed of all that is drawn; a run's own seed follows from it and from the number of its point"`
	Variables  Variables `yaml:"variables,omitempty" doc:"keys of the scenario: each with a list of values, or a block with kind"`
	OneAtATime bool      `yaml:"one_at_a_time" doc:"true: the base scenario, then each level of each variable alone; false: all combinations of levels"`
	Sampling   string    `yaml:"sampling" doc:"points of the variables drawn at random: random, latin (hypercube), halton (scrambled), or saltelli (for Sobol' indices: points times number of variables + 2 runs)"`

	Points int `yaml:"points,omitempty" doc:"number of points; every combination of levels is run at the same points"`

	Perturbed int       `yaml:"perturbed,omitempty" doc:"number of points, each on a random plant of its own"`
	Criterion string    `yaml:"criterion,omitempty" doc:"criterion, indicator or parameter that adapts, with which summary and pictures begin; default: the first of J2_true_pct, nrmse_true_pct and the criteria of the run"`
	Sobol     []string  `yaml:"sobol,omitempty" doc:"criteria whose Sobol' indices are wanted, with sampling: saltelli; default: the main criterion"`
	Calibrate Calibrate `yaml:"calibrate,omitempty" doc:"keys to tune by rths calibrate"`

	origin syntax.Origin
}

// newFile is a file with every default.
func newFile() *File { return &File{Seed: 1, Sampling: string(Latin), Calibrate: newCalibrate()} }

// saltelli is the sampling of Sobol' indices.
const saltelli = "saltelli"

// largestFile bounds a study file.
const largestFile = 16 << 20

// Load reads a study file, and the template of its base scenario with more overrides.
func Load(path string, sets []string) (*File, *scenario.Template, error) {
	text, err := readAll(path)
	if err != nil {
		return nil, nil, fmt.Errorf("study: %w", err)
	}
	f, err := Parse(path, text)
	if err != nil {
		return nil, nil, err
	}
	t, err := f.Base(path, sets)
	return f, t, err
}

// Base reads the base scenario of a study file at path, with more overrides.
func (f *File) Base(path string, sets []string) (*scenario.Template, error) {
	base := f.Scenario
	if !filepath.IsAbs(base) {
		base = filepath.Join(filepath.Dir(path), base)
	}
	t, err := scenario.LoadTemplate(base, "", append(f.Set, sets...))
	return t, f.origin.At("scenario", err)
}

func readAll(path string) ([]byte, error) {
	file, err := files.Disk{}.Open(path, largestFile)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(file, largestFile+1)) // the file may grow
	return text, errors.Join(err, file.Close())
}

// Parse reads a study from text. Messages call the text name.
func Parse(name string, text []byte) (*File, error) {
	f := newFile()
	origin, err := scenario.Decode(name, text, "a study, keys such as scenario, variables, points", f)
	if err != nil {
		return nil, err
	}
	f.origin = origin
	return f, cmp.Or(f.origin.At("scenario", f.based()), f.check())
}

func (f *File) based() error {
	if f.Scenario == "" {
		return errors.New("missing: want the file of the base scenario")
	}
	return nil
}

// check refuses what cannot be. The scenario is looked at by NewPlan.
func (f *File) check() error {
	var errs []error
	want := func(key string, ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, f.origin.At(key, fmt.Errorf(format, args...)))
		}
	}
	random := f.random()
	want("sampling", f.Sampling == string(Random) || f.Sampling == string(Latin) || f.Sampling == string(Halton) ||
		f.Sampling == saltelli,
		"%q: want random, latin, halton or saltelli", f.Sampling)
	want("points", f.Points >= 0 && f.Points <= mostRuns, "%d: want 1 to %d", f.Points, mostRuns)
	want("perturbed", f.Perturbed >= 0 && f.Perturbed <= mostRuns, "%d: want 0 (the nominal plant) to %d random plants",
		f.Perturbed, mostRuns)
	want("perturbed", f.Perturbed == 0 || f.Points == 0 || f.Points == f.Perturbed,
		"%d random plants beside %d points: every point has one plant: want one of the two", f.Perturbed, f.Points)
	want("points", len(random) == 0 || f.points() > 0,
		"missing: want the number of points of what is drawn at random (%s)", strings.Join(random, ", "))
	for _, tag := range f.Tags {
		want("tags", strings.TrimSpace(tag) != "", "an empty word: want words")
	}
	keys := map[string]bool{}
	for _, v := range f.Variables {
		want("variables", !keys[v.Key], "%s stands twice", v.Key)
		keys[v.Key] = true
	}
	for _, e := range f.Calibrate.Keys {
		want("calibrate", !keys[e.Key], "keys.%s is a variable too: want one of the two", e.Key)
		keys[e.Key] = true
	}
	for key := range keys {
		want("variables", !keys[key+".kind"],
			"%s is varied as a block and by %s.kind, and one would undo the other: want one of the two", key, key)
	}
	want("perturbed", f.Perturbed == 0 || !keys["perturbed"], "beside a variable of that key: want one of the two")
	if f.Sampling == saltelli {
		want("sampling", len(random) > 0,
			"saltelli without variables drawn at random: want some, as in {specimen.stiffness: {kind: uniform, from: 1e6, "+
				"to: 1.4e6}}")
		want("sampling", len(random) == len(f.Variables),
			"saltelli beside levels: Sobol' indices divide the variance of what is drawn: want distributions or kind: choice")
		want("perturbed", f.Perturbed == 0,
			"with sampling: saltelli the plants would differ from run to run, and their variance would count for no variable: "+
				"want variables of the plant instead")
	}
	want("sobol", len(f.Sobol) == 0 || f.Sampling == saltelli,
		"Sobol' indices by Jansen's estimators need the runs of Saltelli's design: want sampling: saltelli, found %s",
		f.Sampling)
	want("one_at_a_time", !f.OneAtATime || len(random) < len(f.Variables),
		"no variable has levels: want lists of values or kind: grid")
	return errors.Join(append(errs, f.origin.At("calibrate", f.Calibrate.check()))...)
}

// random are the keys that are drawn at random.
func (f *File) random() (keys []string) {
	for _, v := range f.Variables {
		if v.Random() {
			keys = append(keys, v.Key)
		}
	}
	return keys
}

// points is the number of points, 0 if none are wanted.
func (f *File) points() int { return max(f.Points, f.Perturbed) }
