package session

import (
	"context"
	"errors"
	"os/exec"
	"time"

	"rths/lab/realtime"
	"rths/lab/rig"
	"rths/result/record"
	"rths/scenario"
)

// Test is a test in the laboratory, as its supervisor drives it: the loop runs in a process of its own.
type Test struct {
	Scenario   *scenario.Scenario
	Job        Job             // what the loop builds: the same scenario
	Out        string          // folder of the record
	Rehearsal  string          // folder of the run; "": the newest in Runs that fits
	Runs       []string        // folders of runs
	CPU        int             // of the loop's thread
	Proven     *Proven         // what is known of the machine; nil: nothing
	Soft       bool            // go on where the machine grants no real time
	RingFolder string          // for the ring; "": /dev/shm
	Command    *exec.Cmd       // the loop's process, which has not started
	Again      <-chan struct{} // a second Ctrl-C

	// the operator, until the context ends; nil: yes to everything
	Ask   func(context.Context, Question) (answer string, err error)
	Say   func(text string)
	Show  func(State)         // how the test goes, many times a second
	Ready func(*Ready)        // before the operator is asked; nil: nobody wants to know
	Row   func(row []float64) // gets every row, and copies it: the record waits for it; nil: nobody

	// the rig is at rest and the record is closed; the session with the rig goes on; nil: nobody wants to know
	Rested func(*record.Manifest)
}

// Question is asked of the operator.
type Question struct {
	Step string // ARM, START or END
	Text string
	Want string // the word that says yes
}

// Ready is what is known of a test before it is armed.
type Ready struct {
	Manifest   *record.Manifest     // with columns and checks
	Parameters []scenario.Parameter // columns of the compensator
	Samples    int
	WatchdogS  float64 // of the rig
	SilentS    float64 // without supervisor for so long the loop ramps down
}

// State is what the operator sees of a running test.
type State struct {
	Phase   string
	Guard   rig.State
	Tick    int // of the run
	Samples int
	Behind  int // rows that wait for the archive
	Rows    int // in the archive, around the run too

	Late, LongestLate int              // late ticks of the run, and the most of them in a row
	Timing            *realtime.Timing // how the loop has kept its instants, once a second; nil: not yet
}

// Phases of a test that somebody may ask about.
const (
	AtRest   = "before the start"
	Approach = "going to the start"
	Running  = "running"
	Resting  = "coming to rest"
	Held     = "at rest, held"
	Unrest   = "held, NOT at rest at its command"
)

// Phases in words, by phase.
var phases = [...]string{met: AtRest, approach: Approach, running: Running, after: Resting, ended: Held}

// Refused is the error of a test that has not begun: nothing has moved, and there is no record.
type Refused struct {
	Err        error
	ByOperator bool // who said no, or pressed Ctrl-C
}

// Error says why.
func (r *Refused) Error() string { return r.Err.Error() }

// Unwrap is the reason.
func (r *Refused) Unwrap() error { return r.Err }

// supervisor is a test at work.
type supervisor struct {
	*Test
	process
	writer *record.Writer

	rehearsal *rehearsal
	manifest  record.Manifest // as it stands
	test      record.Test
	result    *result
	row       []float64
	read      []float64      // the last row with a reading; nil: there is none
	at        map[string]int // of the columns that the supervisor looks at
	ticks     int
	ran       bool // the last row was of the run
	late      lateness
	main      mainSteps
	awaited   awaited
	beside    *comparison
	synced    time.Time
	timed     time.Time
	timing    *realtime.Timing
	behind    error // the first failure of the record
	stopped   bool  // the analysis was asked to end
	doubted   bool  // that sensors do not agree was told
	still     bool  // the loop stands still
	keepRing  bool  // its rows are for rths recover
}

// Run drives the test from the connection to the end of the session, and returns its manifest. The error is a Refused
// if the test has not begun.
func (t *Test) Run(ctx context.Context) (record.Manifest, error) {
	s := &supervisor{Test: t, process: process{command: t.Command, job: &t.Job, say: t.Say}}
	if err := s.before(ctx); err != nil {
		s.quit()
		var no declined
		return s.manifest, &Refused{err, errors.As(err, &no)}
	}
	return s.manifest, s.during(ctx)
}
