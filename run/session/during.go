package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"rths/lab/realtime"
	"rths/lab/rig"
	"rths/method/stability"
	"rths/result/record"
)

// during records the test, writes down how it ended, and then ends the session with the rig.
func (s *supervisor) during(ctx context.Context) error {
	if s.result == nil {
		s.record(ctx)
	}
	s.drain()
	s.askToStop()
	m, err := s.conclude(context.WithoutCancel(ctx))
	if s.result != nil && err == nil {
		if s.Rested != nil {
			s.Rested(&m)
		}
		err = s.release(ctx, &m)
	}
	s.stopBeating()
	s.manifest = m
	if s.keepRing {
		s.ring.Close()
	} else {
		_ = s.ring.Remove()
	}
	return err
}

// pass hands Ctrl-C to the loop, whatever the disk does.
func (s *supervisor) pass(ctx context.Context) {
	for _, r := range []struct {
		asked <-chan struct{}
		what  request
	}{{ctx.Done(), rampDown}, {s.Again, holdNow}} {
		select {
		case <-r.asked:
			s.want(r.what)
		case <-s.beating:
			return
		}
	}
}

// Times of the supervisor's work.
const (
	drainEvery = 20 * time.Millisecond
	syncEvery  = 250 * time.Millisecond
	stillAfter = 500 * time.Millisecond // without a beat of the loop the operator is told
)

// record appends rows to the archive until the loop says what has come of the test, or is gone.
func (s *supervisor) record(ctx context.Context) {
	ticker := time.NewTicker(drainEvery)
	defer ticker.Stop()
	stopped := ctx.Done()
	for {
		select {
		case <-stopped:
			s.step("stop", "%s", s.stoppedBy(ctx))
			stopped = nil
		case <-ticker.C:
			s.drain()
			s.watch()
		case m, ok := <-s.answers:
			switch {
			case !ok:
				return
			case m.Wrong != "":
				s.Say(m.Wrong)
			case m.Result != nil:
				s.result = m.Result
				return
			}
		}
	}
}

// stoppedBy says who has asked for the end.
func (s *supervisor) stoppedBy(ctx context.Context) string {
	if cause := context.Cause(ctx); cause != context.Canceled {
		return cause.Error()
	}
	return "Ctrl-C or SIGTERM"
}

// watch tells the operator of a loop that stands still, and when it goes on.
func (s *supervisor) watch() {
	still := time.Duration(realtime.Now() - s.ring.LoopBeat())
	switch {
	case still > stillAfter && !s.still:
		s.Say(fmt.Sprintf(
			"the loop has stood still for %.1f s: the rig goes to safety by itself when no commands come for %g s",
			still.Seconds(), s.info.WatchdogS))
	case still < stillAfter && s.still:
		s.Say("the loop goes on")
	}
	s.still = still > stillAfter
}

// drain takes the rows that are there.
func (s *supervisor) drain() {
	for s.ring.Take(s.row) {
		s.append()
	}
	if now := time.Now(); now.Sub(s.synced) >= syncEvery {
		s.synced = now
		_ = s.writer.Sync() // Check finds it
		if err := s.writer.Check(); err != nil && s.behind == nil {
			s.behind = err
			s.Say(fmt.Sprintf("the record has failed, the test is stopped: %v", err))
			s.want(noRecord)
		}
	}
	state := s.ring.State()
	if acting := rig.State(state >> 8 & 0xff); acting >= rig.Holding || phase(state&0xff) > running {
		s.askToStop()
	}
	s.show(state)
}

// phaseOf is the phase in words.
func phaseOf(state uint64) string {
	p := phase(min(int(state&0xff), len(phases)-1))
	if p == ended && state&unrest != 0 {
		return Unrest
	}
	return phases[p]
}

// timeEvery is the time between looks at the distributions of the loop's times.
const timeEvery = time.Second

// show says how the test goes.
func (s *supervisor) show(state uint64) {
	if s.Show == nil {
		return
	}
	if now := time.Now(); now.Sub(s.timed) >= timeEvery {
		of := timingOf(s.ring.Counters())
		s.timed, s.timing = now, &of
	}
	s.Show(State{
		Phase: phaseOf(state), Guard: rig.State(state >> 8 & 0xff), Tick: s.ticks, Samples: s.built.Samples,
		Behind: s.ring.Behind(), Rows: s.ticks + s.test.AroundRows, Late: s.test.LateTicks, LongestLate: s.test.LongestLate,
		Timing: s.timing,
	})
}

// append puts a row where it belongs.
func (s *supervisor) append() {
	ran := phase(s.row[s.at["phase"]]) == running
	if ran != s.ran {
		s.writer.Flush()
	}
	if s.row[s.at["raw_failed"]] == 0 {
		s.read = append(s.read[:0], s.row...)
	}
	if s.Row != nil {
		s.Row(s.row)
	}
	if at := s.at[stability.ImplausiblePct]; s.row[at] >= stability.PlausiblePct && !s.doubted {
		s.doubted = true
		s.Say("warning: displacement and force do not agree as in the rehearsal: a sensor may be wrong, or reversed " +
			"(implausible_pct)")
	}
	if s.ran = ran; !ran {
		s.writer.AppendAround(s.row)
		s.test.AroundRows++
		return
	}
	if s.ticks == 0 {
		s.test.FirstSample = int(s.row[s.at["reading"]])
	}
	s.ticks++
	s.writer.Append(s.row)
	s.beside.see(s.row)
	s.late.see(s.row)
	s.main.see(s.row)
	s.awaited.see(s.row)
}

// askToStop asks the analysis of an external structure to end, once.
func (s *supervisor) askToStop() {
	if s.Scenario.External() == nil || s.stopped {
		return
	}
	s.stopped = true
	if err := askToStop(s.Out); err != nil {
		s.Say(fmt.Sprintf("the analysis is not told to end: %v: end it", err))
		return
	}
	s.Say(fmt.Sprintf("an analysis that is still there gets held forces until it leaves: it should end by %s",
		filepath.Join(s.Out, stopFile)))
}

// release lets the operator end the session with the rig, which the loop holds until then, and
// completes the manifest.
func (s *supervisor) release(ctx context.Context, m *record.Manifest) error {
	s.wait(ctx)
	s.want(letGo)
	parted, died := s.parted()
	var err error
	switch {
	case parted == nil:
		err = fmt.Errorf(
			"the process of the loop has died (%v) while it held the rig: its watchdog takes the specimen to safety", died)
		s.step("disarm", "%v", err)
		m.Warnings = append(m.Warnings, err.Error())
	default:
		s.step("disarm", "the session with the rig has ended; the rig has answered: %t", parted.Known)
		m.Test.Held = parted.Held
		if parted.Rest != nil { // it may have moved while it was held
			restless(m, parted.Rest)
		}
		if rt := m.Test.Realtime; rt != nil { // a record that failed has none
			rt.PageFaults = parted.PageFaults
		}
		completeRig(m, parted.Ours, parted.Theirs, parted.Known)
		if died != nil {
			m.Warnings = append(m.Warnings, fmt.Sprintf("the process of the loop ended badly, after it had let the rig go: %v",
				died))
		}
	}
	if m.RowsKept != nil { // the record has failed: its manifest is the best that there is room for
		return err
	}
	return errors.Join(err, record.Rewrite(s.Out, *m, nil, nil))
}

// wait waits for the operator's Enter. The loop may die meanwhile. Ctrl-C is an answer too; a stop from elsewhere is
// none: it brings the rig to rest, where it is already.
func (s *supervisor) wait(ctx context.Context) {
	if s.Ask == nil {
		return
	}
	text := "The rig is held. Enter ends the session; the rig then goes to safety by itself: "
	if at := s.test.Rest; at != nil && !at.AtRest {
		text = "The command is held; " + at.Text + ". Enter ends the session with the rig: "
	}
	asked := ctx.Done()
	if ctx.Err() != nil { // before the question
		asked = s.Again
	}
	answer, over := s.ask(Question{Step: "END", Text: text})
	defer over()
	for {
		select {
		case <-answer:
			return
		case <-asked:
			if asked == s.Again || context.Cause(ctx) == context.Canceled {
				return
			}
			asked = s.Again
			s.step("stop", "%s: the rig is held already", s.stoppedBy(ctx))
		case m, ok := <-s.answers:
			switch {
			case !ok:
				s.Say("the process of the loop has died while it held the rig: the rig's watchdog takes the specimen to safety")
				return
			case m.Parted != nil: // it has let go by itself
				return
			}
		}
	}
}

func endOf(m *record.Manifest) string {
	if m.Reason == "" {
		return m.Status
	}
	return m.Status + ", " + m.Reason
}
