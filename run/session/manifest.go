// Package session runs tests: Virtual in this process, Test with its loop in a process of its own and a
// rig in the laboratory, Trial as a test without a rig, Replay from a record. Each leaves a manifest
// with its result.
package session

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"rths"
	"rths/result/record"
	"rths/scenario"
	"rths/scenario/verdict"
)

// newManifest is the manifest of a run about to start, by a version of the program.
func newManifest(r *scenario.Run, version string) (record.Manifest, error) {
	text, err := r.Scenario.YAML()
	if err != nil {
		return record.Manifest{}, err
	}
	folder, err := filepath.Abs(r.Scenario.Folder())
	if err != nil {
		return record.Manifest{}, fmt.Errorf("the folder of the scenario: %w", err)
	}
	return record.Manifest{
		Format: record.Format, Name: r.Name, Tags: r.Scenario.Tags, Status: rths.Running, RateHz: r.Scenario.RateHz,
		Seed:  r.Scenario.Seed,
		Drawn: r.Drawn, Scenario: text, Folder: filepath.ToSlash(folder),
		Inputs: r.Inputs, Version: version, Go: runtime.Version(),
		Machine: fmt.Sprintf("%s/%s, %d processors", runtime.GOOS, runtime.GOARCH, runtime.NumCPU()),
		Started: time.Now().Format(time.RFC3339),
	}, nil
}

// conclude says in a manifest what a run has come to that has ended with an error of its
// last step, or with none. WallS is set already.
func conclude(ctx context.Context, m *record.Manifest, r *scenario.Run, err error) {
	finish(m, r, err)
	results(ctx, m, r)
}

// finish says how a run has ended: status, ticks and events.
func finish(m *record.Manifest, r *scenario.Run, err error) {
	ticks := r.Loop.Ticks()
	m.Status, m.Reason = r.Status(err)
	if t := tripOf(r, err); t != nil {
		m.Status, m.Reason = outside(t, m.Status, m.Reason)
	}
	m.Samples = ticks
	m.SimulatedS = float64(ticks) / m.RateHz
	if m.WallS > 0 {
		m.RealtimeFactor = m.SimulatedS / m.WallS
	}
	m.Events = events(r, ticks)
	if r.Plausibility != nil {
		for _, of := range r.Plausibility.Found() {
			m.Warnings = append(m.Warnings, of.Text)
		}
	}
}

// results are criteria, indicators, parameters and spectra, and what they are worth.
func results(ctx context.Context, m *record.Manifest, r *scenario.Run) {
	m.Criteria = r.Summary()
	m.Indicators = r.Indicators()
	m.Compensator = r.Parameters()
	m.Spectra = spectra(r)
	m.Learned, m.Blocks = learned(r), blocks(r)
	var unstable string
	m.Verdict, unstable = verdict.Of(ctx, r, m.Status)
	m.Unstable = unstable != ""
	if m.Unstable && !slices.Contains(m.Warnings, unstable) { // a replay has said so
		m.Warnings = append(m.Warnings, unstable)
	}
}

// blocks are what devices have learned, as blocks of a scenario, or why that cannot be written.
func blocks(r *scenario.Run) string {
	text, err := r.Learned()
	if err != nil {
		return fmt.Sprintf("# %v\n", err)
	}
	return text
}

// learned is what devices have learned in numbers; nil: none do.
func learned(r *scenario.Run) (out []record.Learned) {
	if r.Learning == nil {
		return nil
	}
	for _, g := range r.Learning.Groups() {
		of := record.Learned{Devices: g.Number, FellBack: g.Filter.FellBack(), NotWhite: !g.Filter.White()}
		for j, p := range g.Parameters {
			value, sd := g.Filter.Value(j)
			of.Parameters = append(of.Parameters, record.LearnedParameter{
				Name: g.Name + "_" + p.Name, Key: g.Key() + "." + p.Name,
				Unit: p.Unit, Began: record.Number(g.Began[j]), Value: record.Number(value), SD: record.Number(sd),
				Lower: record.Number(p.Low), Upper: record.Number(p.High)})
		}
		out = append(out, of)
	}
	return out
}

// judge says in a manifest what spoils a completed run, and what it misses. Whether the test would be better without
// compensation needs another run: judge leaves it out at a glance, and where ctx ends.
func judge(ctx context.Context, m *record.Manifest, r *scenario.Run, glance bool) {
	if m.Status != rths.Completed {
		return
	}
	m.Warnings = slices.Concat(m.Warnings, verdict.Spoilt(r))
	if !glance {
		m.Warnings = slices.Concat(m.Warnings, verdict.WorseThanUncompensated(ctx, r))
	}
	m.Unmet = verdict.Unmet(r)
}

// spectra are the response spectra of the floors, or nil if the scenario has none.
func spectra(r *scenario.Run) []record.Spectrum {
	if r.Spectra == nil {
		return nil
	}
	var out []record.Spectrum
	for i := range r.Spectra.Floors() {
		periods, sa := r.Spectra.Spectrum(i)
		out = append(out, record.Spectrum{Name: fmt.Sprintf("floor %d", i+1), DampingRatio: r.Spectra.Damping,
			PeriodS: periods, Sa: sa})
	}
	return out
}
