package session

import (
	"errors"
	"fmt"
	"slices"

	"rths/record"
	"rths/scenario"
)

// conclude writes the manifest and closes the record.
func (s *supervisor) conclude() error {
	died := s.Command.Wait()
	s.beside.put(s.test.Rehearsal)
	m := s.manifest
	if s.result != nil {
		s.adopt(&m)
		if died != nil {
			m.Warnings = append(m.Warnings, fmt.Sprintf("the process of the loop ended badly, after it had come to rest: %v", died))
		}
	} else {
		s.lost(&m, died)
	}
	if s.behind == nil && s.ring.Behind() == 0 {
		m.Test.Ring = ""
	}
	err := s.writer.Close(m)
	var broken *record.Failure
	switch {
	case errors.As(err, &broken):
		m.Fail(broken)
		s.ring.Close() // its rows are for rths recover
		err = nil
	case err != nil:
		s.ring.Close()
	default:
		_ = s.ring.Remove()
		if s.result == nil {
			err = s.rebuild(&m)
		}
	}
	s.manifest = m
	return err
}

// rebuild computes the results of a test whose loop has died, from its record.
func (s *supervisor) rebuild(m *record.Manifest) error {
	r, err := newRows(m.Columns)
	if err == nil {
		err = r.read(s.Out)
	}
	if err != nil {
		return err
	}
	again(m, r, scenario.Options{RecordsDir: s.Job.Records})
	return record.Rewrite(s.Out, *m, nil, nil)
}

// adopt takes the loop's word for how the test ended.
func (s *supervisor) adopt(m *record.Manifest) {
	of := s.result.Manifest.Manifest
	of.Rig, of.Test, of.Started, of.Notes = m.Rig, &s.test, m.Started, m.Notes
	s.test.Held = s.result.Held
	s.test.Cause, s.test.Moves = s.result.Cause, s.result.Moves
	if slices.ContainsFunc(slices.Concat(s.result.ShiftX, s.result.ShiftF), func(x float64) bool { return x != 0 }) {
		s.test.ShiftX, s.test.ShiftF = s.result.ShiftX, s.result.ShiftF
	}
	if p := s.parted; p != nil {
		s.test.Held = p.Held
		Part(&of, p.Ours, p.Theirs, p.Known)
	}
	if of.Samples != s.ticks {
		of.Status, of.Reason = record.Failed, fmt.Sprintf("%d of %d rows of the run are recorded; the loop found no room for %d: %s", s.ticks, of.Samples, s.result.Lost, endOf(&of))
	}
	*m = of
}

// lost says what is known when the loop's process has died.
func (s *supervisor) lost(m *record.Manifest, died error) {
	m.Status = record.Lost
	m.Samples, m.SimulatedS = s.ticks, float64(s.ticks)/m.RateHz
	m.Reason = fmt.Sprintf("the process of the loop has died (%v) after %d ticks; the watchdog of the rig takes the specimen to safety", died, s.ticks)
	s.test.Cause = "rig: its watchdog, as the loop has died"
	s.step("end", "%s", endOf(m))
}
