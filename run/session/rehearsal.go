package session

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rths"
	"rths/result/record"
	"rths/scenario/files"
)

// rehearsal is the virtual run of the same scenario that a test has to have before.
type rehearsal struct {
	folder   string
	manifest record.Manifest
	first    []float64   // first command, m
	jump     []float64   // largest step of the first commands, m
	step     []float64   // largest step of the others, m
	x, f     [][]float64 // measured displacements, m, and forces, N
	mostX    []float64   // largest |measured displacement| of each actuator, m
	mostF    []float64   // largest |measured force|, N
}

// hash is the SHA-256 of a resolved scenario.
func hash(scenario string) string {
	sum := sha256.Sum256([]byte(scenario))
	return hex.EncodeToString(sum[:])
}

// unfit says why a run is no rehearsal of a test that is about to start; "" if it is one.
func unfit(m, test *record.Manifest) string {
	switch {
	case m.Test != nil || m.Rig != nil && !m.Rig.Virtual:
		return "is no virtual run"
	case m.Status != rths.Completed:
		return fmt.Sprintf("has the status %s", m.Status)
	case m.Scenario != test.Scenario:
		return "is of another scenario: " + parting(m.Scenario, test.Scenario)
	case m.Version != test.Version:
		return fmt.Sprintf("is by version %s of the program, and this is %s", m.Version, test.Version)
	}
	// The first input is the scenario's file, or the run that was run again: its values stand in the scenario.
	if changed := files.Changed(m.Inputs[min(1, len(m.Inputs)):],
		test.Inputs[min(1, len(test.Inputs)):]); len(changed) > 0 {
		return fmt.Sprintf("has read another %s", changed[0].File)
	}
	return ""
}

// parting is the first key of which two scenarios have other values.
func parting(before, now string) string {
	a, b := record.SettingsOf(before), record.SettingsOf(now)
	for _, key := range slices.Concat(a.Keys, b.Keys) {
		was, had := a.Values[key]
		is, has := b.Values[key]
		switch {
		case !had:
			return fmt.Sprintf("%s is %s in this test, and the run has no such key", key, is)
		case !has:
			return fmt.Sprintf("%s is %s in the run, and this test has no such key", key, was)
		case was != is:
			return fmt.Sprintf("%s is %s in the run and %s in this test", key, was, is)
		}
	}
	return "the same values are written in another way"
}

var errRehearsal = errors.New("no rehearsal")

// findRehearsal is the run at a folder, or the newest rehearsal among the runs in some folders.
func findRehearsal(given string, among []string, test *record.Manifest) (*rehearsal, error) {
	if given != "" {
		m, err := record.LoadManifest(given)
		if err != nil {
			return nil, err
		}
		if why := unfit(&m, test); why != "" {
			return nil, fmt.Errorf("%w: the run %s %s: want a virtual run of this scenario that completed, by this "+
				"version: rths run", errRehearsal, given, why)
		}
		return openRehearsal(given)
	}
	best, started, nearest := "", "", ""
	for _, dir := range among {
		inside, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range inside {
			path := filepath.Join(dir, e.Name())
			m, err := record.LoadManifest(path)
			if err != nil {
				continue
			}
			why := unfit(&m, test)
			if why == "" && m.Started >= started {
				best, started = path, m.Started
			}
			if m.Name == test.Name && m.Test == nil {
				nearest = fmt.Sprintf(" (%s %s)", path, why)
			}
		}
	}
	if best == "" {
		return nil, fmt.Errorf("%w of this scenario by this version in %s%s: run it virtually first (rths run), or say "+
			"which run it is (--rehearsal RUN)", errRehearsal, strings.Join(among, ", "), nearest)
	}
	return openRehearsal(best)
}

// firstSamples of a run show whether it begins where it says.
const firstSamples = 4

func openRehearsal(dir string) (*rehearsal, error) {
	a, err := record.Open(dir)
	if err != nil {
		return nil, err
	}
	r := &rehearsal{folder: dir, manifest: a.Manifest}
	for _, c := range columnsOf(a, "command", "m") {
		r.first = append(r.first, c[0])
		first, later := 0.0, 0.0
		for k := 1; k < len(c); k++ {
			if step := math.Abs(c[k] - c[k-1]); k < firstSamples {
				first = max(first, step)
			} else {
				later = max(later, step)
			}
		}
		r.jump, r.step = append(r.jump, first), append(r.step, later)
	}
	r.x, r.f = columnsOf(a, "measured", "m"), columnsOf(a, "force", "N")
	for _, c := range r.x {
		r.mostX = append(r.mostX, most(c))
	}
	for _, c := range r.f {
		r.mostF = append(r.mostF, most(c))
	}
	if len(r.first) == 0 || len(r.mostX) != len(r.first) {
		return nil, fmt.Errorf("%s: no commands and displacements: want the record of a run", dir)
	}
	return r, nil
}

// columnsOf are the columns of a quantity: name_1_unit, name_2_unit, …, or name_unit alone; without rows none. The
// guard of several actuators has a channel name_unit beside them.
func columnsOf(a *record.Archive, name, unit string) (out [][]float64) {
	if a.Rows() == 0 {
		return nil
	}
	for i := 1; ; i++ {
		c, ok := a.Column(fmt.Sprintf("%s_%d_%s", name, i, unit))
		if !ok {
			break
		}
		out = append(out, c)
	}
	if c, ok := a.Column(name + "_" + unit); ok && out == nil {
		out = [][]float64{c}
	}
	return out
}

// most is the largest magnitude.
func most(v []float64) (out float64) {
	for _, x := range v {
		out = max(out, math.Abs(x))
	}
	return out
}
