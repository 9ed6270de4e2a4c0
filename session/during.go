package session

import (
	"fmt"
	"time"

	"rths/record"
	"rths/rig"
)

// during records the test until the session with the rig has ended.
func (s *supervisor) during() error {
	go s.pass()
	s.record()
	if s.result != nil {
		s.release()
	}
	s.stopBeating()
	return s.conclude()
}

// pass hands Ctrl-C to the loop, whatever the disk does.
func (s *supervisor) pass() {
	for _, r := range []struct {
		asked <-chan struct{}
		what  request
	}{{s.ctx.Done(), rampDown}, {s.Again, holdNow}} {
		select {
		case <-r.asked:
			s.want(r.what)
		case <-s.beating:
			return
		}
	}
}

// want asks the loop for something through the ring. What is asked for never becomes less.
func (s *supervisor) want(r request) {
	s.asking.Lock()
	defer s.asking.Unlock()
	if beside := (s.asks | r) & noRecord; r == noRecord {
		s.asks |= beside
	} else {
		s.asks = max(s.asks&^noRecord, r) | beside
	}
	s.ring.SetRequest(uint64(s.asks))
}

// Times of the supervisor's work.
const (
	drainEvery = 20 * time.Millisecond
	syncEvery  = 250 * time.Millisecond
)

// record appends rows to the archive until the loop says what has come of the test, or is gone.
func (s *supervisor) record() {
	ticker := time.NewTicker(drainEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			s.drain()
		case m, ok := <-s.said:
			if !ok {
				s.drain()
				return
			}
			if m.Result != nil {
				s.result = m.Result
				s.drain()
				return
			}
		}
	}
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
	if s.Show != nil {
		state := s.ring.State()
		s.Show(State{Phase: phases[min(int(state&0xff), len(phases)-1)], Guard: rig.State(state >> 8), Tick: s.ticks, Samples: s.built.Samples, Behind: s.ring.Behind()})
	}
}

// append puts a row where it belongs.
func (s *supervisor) append() {
	if phase(s.row[s.at["phase"]]) != running {
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
	s.late.see(s.row[s.at["late"]] != 0)
}

// release ends the session with the rig, which the loop holds until then.
func (s *supervisor) release() {
	m := &s.result.Manifest.Manifest
	s.step("end", "%s", endOf(m))
	if s.Ask != nil {
		_, _ = s.Ask("The rig is held. Enter ends the session; the rig then goes to safety by itself: ")
	}
	s.want(letGo)
	for m := range s.said {
		if m.Parted != nil {
			s.parted = m.Parted
			s.step("disarm", "the session with the rig has ended; the rig has answered: %t", m.Parted.Known)
		}
	}
}

func endOf(m *record.Manifest) string {
	if m.Reason == "" {
		return m.Status
	}
	return m.Status + ", " + m.Reason
}
