package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"rths/campaign/study"
	"rths/result/record"
	"rths/scenario"
	"rths/scenario/files"
)

// source is where a command has its scenario from: a file, or the manifest of a run.
type source struct {
	sets    []string
	inputs  string           // the flag --inputs
	archive string           // folder of the run, or ""
	before  *record.Manifest // of that run
}

// addTo adds the flags that change a scenario.
func (f *source) addTo(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.sets, "set", nil,
		"override a scenario key, as in --set compensator.order=2; setting another kind replaces its block (repeatable)")
	c.Flags().StringVar(&f.inputs, "inputs", "",
		"folder that relative file names in the scenario start from (default the scenario's own)")
	c.ValidArgsFunction = scenarioFiles
}

// scenarioFiles completes scenario files and, on the way to them and as runs, folders.
func scenarioFiles(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

// wantScenario is for commands of one scenario.
var wantScenario = want(1, "one scenario file, or the folder of a run")

// load reads the scenario at path: a file, or the folder of a run, whose manifest holds the
// scenario with all its values.
func (f *source) load(path string) (*scenario.Scenario, error) {
	if filepath.Base(path) == record.ManifestFile {
		path = filepath.Dir(path)
	}
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		s, err := scenario.LoadFrom(path, f.inputs, f.sets)
		if isStudy, _ := study.Is(path); err != nil && isStudy {
			return nil, fmt.Errorf("%s is a study file: want rths study %s, or a scenario", path, path)
		}
		return s, err
	}
	m, err := record.LoadManifest(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: found a folder without %s: want a scenario file, or the folder of a run", path,
			record.ManifestFile)
	}
	if err != nil {
		return nil, err
	}
	return f.again(path, &m)
}

// again is the scenario of a manifest.
func (f *source) again(dir string, m *record.Manifest) (*scenario.Scenario, error) {
	f.archive, f.before = dir, m
	manifest := filepath.Join(dir, record.ManifestFile)
	if m.Scenario == "" {
		return nil, fmt.Errorf("%s: scenario: found nothing: want the manifest of a run of a scenario", manifest)
	}
	var read files.Inputs
	if err := read.Sum(manifest, record.LargestManifest); err != nil {
		return nil, err
	}
	start := m.Folder
	if f.inputs != "" {
		start = f.inputs
	}
	s, err := scenario.ParseResolved(manifest, []byte(m.Scenario), start, f.sets)
	if err != nil {
		return nil, err
	}
	s.CameFrom(read.Read...)
	return s, nil
}

// keepsArchive refuses a folder for a record that lies within the archive that is read.
func (f *source) keepsArchive(out string) error {
	if f.archive == "" || out == "" {
		return nil
	}
	from, err := filepath.Abs(f.archive)
	if err != nil {
		return err
	}
	to, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	if way, err := filepath.Rel(from, to); err == nil && filepath.IsLocal(way) {
		return fmt.Errorf("--out %s lies in %s, the run that is run again: want another folder", out, f.archive)
	}
	return nil
}

// build builds the run. A file that has changed since the run of the archive is a warning, a rig elsewhere
// that is simulated now a note.
func (f *source) build(ctx context.Context, s *scenario.Scenario, o scenario.Options) (*scenario.Run, error) {
	r, err := s.Build(ctx, o)
	if f.before == nil {
		return r, err
	}
	if err != nil {
		return nil, f.lost(s, err)
	}
	histories := r.Inputs[1:] // after the manifest
	for _, input := range files.Changed(f.before.Inputs, histories) {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s is not the file that the run %s has read: its SHA-256 is another one",
			input.File, f.archive))
	}
	if rig := f.before.Rig; rig != nil && o.Rig == nil {
		r.Notes = append(r.Notes,
			fmt.Sprintf("the run %s loaded the rig %q at %s: here the rig is simulated (--rig loads one)", f.archive,
				rig.Laboratory, rig.Address))
	}
	return r, nil
}

// lost says what to do where a file of an earlier run is not found.
func (f *source) lost(s *scenario.Scenario, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return fmt.Errorf(
		"%w: the files of this run start from %s: want --inputs with the folder they are in now (named records: --records)",
		err, s.Folder())
}
