package session

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"rths"
	"rths/result/record"
	"rths/scenario"
)

// conclude closes the record with what has come of the test.
func (s *supervisor) conclude(ctx context.Context) (record.Manifest, error) {
	s.beside.put(s.test.Rehearsal)
	s.test.Realtime = s.realtime(s.Soft)
	s.main.end()
	m := s.manifest
	if s.result != nil {
		s.adopt(&m)
		s.step("end", "%s", endOf(&m))
	} else {
		s.lost(&m, s.Command.Wait())
	}
	if s.behind == nil {
		m.Test.Ring = ""
	}
	err := s.writer.Close(m)
	var broken *record.Failure
	switch {
	case errors.As(err, &broken):
		m.Fail(broken)
		s.keepRing = true
		return m, nil
	case err != nil:
		s.keepRing = true
	case s.result == nil:
		err = s.rebuild(ctx, &m)
	}
	return m, err
}

// rebuild computes the results of a test whose loop has died, from its record.
func (s *supervisor) rebuild(ctx context.Context, m *record.Manifest) error {
	r, err := newRows(m.Columns)
	if err == nil {
		err = r.read(s.Out)
	}
	if err != nil {
		return err
	}
	again(ctx, m, r, scenario.Options{RecordsDir: s.Job.Records})
	return record.Rewrite(s.Out, *m, nil, nil)
}

// adopt takes the loop's word for how the test ended.
func (s *supervisor) adopt(m *record.Manifest) {
	of, r := s.result.Manifest.Manifest, s.result
	of.Rig, of.Test, of.Started, of.Notes = m.Rig, &s.test, m.Started, m.Notes
	s.test.Held, s.test.Cause, s.test.Moves = r.Held, r.Cause, r.Moves
	shifted(&s.test, plain(r.ShiftX), plain(r.ShiftF))
	restless(&of, r.Rest)
	if of.Samples != s.ticks {
		of.Status, of.Reason = rths.Failed,
			fmt.Sprintf("%d of %d rows of the run are recorded; the loop found no space for %d: "+
				"%s", s.ticks, of.Samples, r.Lost,
				endOf(&of))
	}
	*m = of
}

// shifted says what the zero of a run is away from the rig's; nothing where nothing was zeroed.
func shifted(t *record.Test, x, f []float64) {
	if slices.ContainsFunc(slices.Concat(x, f), func(v float64) bool { return v != 0 }) {
		t.ShiftX, t.ShiftF = x, f
	}
}

func plain(v []record.Number) (out []float64) {
	for _, x := range v {
		out = append(out, float64(x))
	}
	return out
}

// lost says what is known when the loop's process has died.
func (s *supervisor) lost(m *record.Manifest, died error) {
	m.Status = rths.Lost
	m.Samples, m.SimulatedS = s.ticks, float64(s.ticks)/m.RateHz
	m.Reason = fmt.Sprintf(
		"the process of the loop has died (%v) after %d ticks; the watchdog of the rig takes the specimen to safety when "+
			"no commands have come for %g s", died, s.ticks, s.info.WatchdogS)
	s.test.Cause = fmt.Sprintf("loop: its process has died (%v)", died)
	restless(m, lastSeen(m.Columns, s.read, m.RateHz))
	s.step("end", "%s", endOf(m))
}
