package session

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"rths/record"
	"rths/rig"
	"rths/rig/wire"
	"rths/ring"
	"rths/scenario"
)

// Test is a test in the laboratory, as its supervisor drives it: the loop runs in a process of its own.
type Test struct {
	Scenario   *scenario.Scenario
	Job        Job             // what the loop builds: the same scenario
	Out        string          // folder of the record
	Rehearsal  string          // folder of the run; "": the newest in Runs that fits
	Runs       []string        // folders of runs
	RingFolder string          // for the ring; "": /dev/shm
	Command    *exec.Cmd       // the loop's process, which has not started
	Again      <-chan struct{} // a second Ctrl-C

	Ask  func(question string) (answer string, err error) // the operator; nil: yes to everything
	Say  func(text string)
	Show func(State) // how the test goes, many times a second
}

// State is what the operator sees of a running test.
type State struct {
	Phase   string
	Guard   rig.State
	Tick    int // of the run
	Samples int
	Behind  int // rows that wait for the archive
}

// Phases in words, by phase.
var phases = [...]string{met: "before the start", approach: "going to the start", running: "running", after: "coming to rest", ended: "at rest, held"}

// Refused is the error of a test that has not begun: nothing has moved, and there is no record.
type Refused struct {
	Err        error
	ByOperator bool // who said no, or pressed Ctrl-C
}

func (r *Refused) Error() string { return r.Err.Error() }
func (r *Refused) Unwrap() error { return r.Err }

// supervisor is a test at work.
type supervisor struct {
	*Test
	ctx     context.Context
	to      lines
	stdin   interface{ Close() error }
	said    <-chan said
	ring    *ring.Consumer
	beating chan struct{} // closed: no more beats
	beaten  chan struct{}
	writer  *record.Writer
	asking  sync.Mutex
	asks    request // the most so far

	built     *built
	info      *wire.Info
	checked   *checked
	rehearsal *rehearsal
	manifest  record.Manifest // as it stands
	test      record.Test
	ringFree  int64 // bytes, before it was made
	result    *result
	parted    *parted
	row       []float64
	at        map[string]int // of the columns that the supervisor looks at
	ticks     int
	late      lateness
	beside    *comparison
	synced    time.Time
	behind    error // the first failure of the record
}

// Run drives the test from the connection to the end of the session, and returns its manifest. The error is a Refused
// if the test has not begun.
func (t *Test) Run(ctx context.Context) (record.Manifest, error) {
	s := &supervisor{Test: t, ctx: ctx}
	if err := s.before(); err != nil {
		s.quit()
		var no declined
		return s.manifest, &Refused{err, errors.As(err, &no)}
	}
	return s.manifest, s.during()
}

// before is everything until the record begins; nothing moves.
func (s *supervisor) before() error {
	if s.Scenario.Limits.None() {
		return s.Scenario.At("limits", errors.New("none: want limits for a test in the laboratory: leave the key out for the default limits"))
	}
	if inside, _ := os.ReadDir(s.Out); len(inside) > 0 {
		return fmt.Errorf("folder %s holds %s: want a new or empty folder for the record", s.Out, inside[0].Name())
	}
	if err := s.launch(); err != nil {
		return err
	}
	for _, step := range []func() error{s.build, s.rehearse, s.makeRing, s.connect, s.check, s.arm, s.begin} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// launch starts the loop's process, in a process group of its own: Ctrl-C is for the supervisor.
func (s *supervisor) launch() error {
	c := s.Command
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return fmt.Errorf("the process of the loop: %w", err)
	}
	s.to, s.stdin, s.said = newLines(in), in, receive[said](out, func() {})
	return s.to.to.Encode(asked{Job: &s.Job})
}

// hear waits for an answer of the loop before the start.
func (s *supervisor) hear(wanted func(*said) bool) error {
	for {
		select {
		case m, ok := <-s.said:
			switch {
			case !ok:
				return errors.New("the process of the loop has ended by itself before the start")
			case m.Wrong != "":
				return errors.New(m.Wrong)
			case m.Note != "":
				s.Say(m.Note)
			case wanted(&m):
				return nil
			}
		case <-s.ctx.Done():
			return errStopped
		}
	}
}

// declined is the operator's no.
type declined struct{ error }

var errStopped = declined{errors.New("stopped by the operator before the start: nothing has moved")}

func (s *supervisor) tell(a asked) error { return s.to.to.Encode(a) }

// step notes a step of the operator's list, with its time.
func (s *supervisor) step(name, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.test.Steps = append(s.test.Steps, record.Step{Name: name, At: time.Now().Format(record.StepTime), Text: text})
	s.Say(name + ": " + text)
}

func (s *supervisor) build() error {
	err := s.hear(func(m *said) bool { s.built = m.Built; return m.Built != nil })
	if err != nil {
		return err
	}
	s.manifest = s.built.Manifest.Manifest
	s.manifest.Notes = slices.Concat(s.Scenario.Doubts(), s.manifest.Notes)
	return nil
}

func (s *supervisor) rehearse() (err error) {
	if s.rehearsal, err = findRehearsal(s.Rehearsal, s.Runs, &s.manifest); err != nil {
		return err
	}
	s.test.Rehearsal = &record.Rehearsal{Folder: s.rehearsal.folder, Scenario: hash(s.manifest.Scenario), Version: s.manifest.Version}
	return nil
}

// rows are those that a ring holds for a whole test: the run and what is around it.
func (s *supervisor) rows() int {
	return s.built.Samples + s.around()
}

func (s *supervisor) around() int {
	return int(math.Ceil((s.built.AroundS+s.built.SilentS)*s.manifest.RateHz)) + 2
}

// makeRing makes the ring: for the whole test where there is room, or else four times what is around a run. Rows that fill three
// quarters of it stop the test; in the last quarter it comes to rest.
func (s *supervisor) makeRing() error {
	dir := s.RingFolder
	if dir == "" {
		dir = "/dev/shm"
	}
	free, err := ring.Room(dir)
	if err != nil {
		return err
	}
	width, rows := len(s.manifest.Columns), s.rows()
	if ring.Bytes(width, rows) > free*9/10 {
		rows = min(rows, 4*s.around())
	}
	s.ringFree = free
	path := filepath.Join(dir, fmt.Sprintf("rths-%d-%d", os.Getpid(), time.Now().UnixNano()))
	s.ring, err = ring.Create(path, ring.Shape{Session: uint64(time.Now().UnixNano()), Columns: columnsHash(s.manifest.Columns), Width: width, Rows: rows, RateHz: s.manifest.RateHz})
	if err != nil {
		return err
	}
	s.test.Ring, s.row = path, make([]float64, width)
	s.at, s.late.test = place(s.manifest.Columns), &s.test
	s.beside = s.rehearsal.compare(s.at, s.manifest.RateHz)
	s.beat()
	return nil
}

// beat shows the loop that the supervisor is alive, whatever the disk does.
func (s *supervisor) beat() {
	s.beating, s.beaten = make(chan struct{}), make(chan struct{})
	s.ring.Beat(ring.Now())
	go func() {
		defer close(s.beaten)
		for t := time.NewTicker(10 * time.Millisecond); ; {
			select {
			case <-t.C:
				s.ring.Beat(ring.Now())
			case <-s.beating:
				t.Stop()
				return
			}
		}
	}()
}

func (s *supervisor) connect() error {
	if err := s.tell(asked{Ring: s.test.Ring}); err != nil {
		return err
	}
	if err := s.hear(func(m *said) bool { s.info = m.Welcome; return m.Welcome != nil }); err != nil {
		return err
	}
	kind := "the laboratory"
	if s.info.Virtual {
		kind = "the VIRTUAL laboratory"
	}
	s.manifest.Rig = &record.Rig{Virtual: s.info.Virtual, Laboratory: s.info.Name, Address: s.Job.Address, Clock: s.info.Clock.String()}
	s.step("connect", "%s %q at %s, clock %s", kind, s.info.Name, s.Job.Address, s.info.Clock)
	return nil
}

// idleReadings are taken before the start.
const idleReadings = 64

func (s *supervisor) check() error {
	if err := s.tell(asked{Check: idleReadings}); err != nil {
		return err
	}
	if err := s.hear(func(m *said) bool { s.checked = m.Checked; return m.Checked != nil }); err != nil {
		return err
	}
	resolved, err := scenario.Parse("the scenario", []byte(s.manifest.Scenario), s.manifest.Folder, nil)
	if err != nil {
		return err
	}
	free, err := ring.Room(existing(s.Out))
	if err != nil {
		return err
	}
	shape := s.ring.Shape()
	t := tests{
		s: resolved, manifest: &s.manifest, built: s.built, info: s.info, measured: s.checked, rehearsal: s.rehearsal,
		ringBytes: ring.Bytes(shape.Width, shape.Rows), ringFree: s.ringFree,
		diskBytes: ring.Bytes(shape.Width, s.rows()) + spareBytes, diskFree: free,
	}
	s.test.Checks, s.test.RoundTripUs = t.list(), record.Number(s.checked.TripUs)
	for _, c := range s.test.Checks {
		s.Say(sentence(c))
	}
	if err := refused(s.test.Checks); err != nil {
		return err
	}
	s.step("checks", "%d of %d hold", len(s.test.Checks), len(s.test.Checks))
	return nil
}

// spareBytes of the disk are for the manifest, the report and what others write.
const spareBytes = 64 << 20

// existing is the nearest folder above a path that exists.
func existing(path string) string {
	for {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return path
		}
		up := filepath.Dir(path)
		if up == path {
			return path
		}
		path = up
	}
}

// question asks the operator, and wants a word.
func (s *supervisor) question(step, text, want string) error {
	if s.Ask == nil {
		s.step(step, "yes (--yes)")
		return nil
	}
	type reply struct {
		text string
		err  error
	}
	got := make(chan reply, 1)
	go func() {
		answer, err := s.Ask(text)
		got <- reply{answer, err}
	}()
	select {
	case r := <-got:
		if r.err != nil {
			return r.err
		}
		if r.text != want {
			return declined{fmt.Errorf("%s: the operator answered %q, not %s: nothing has moved", step, r.text, want)}
		}
		s.step(step, "%s", r.text)
		return nil
	case <-s.ctx.Done():
		return errStopped
	}
}

func (s *supervisor) arm() error {
	how := "the rig stands at the first command"
	to := elsewhere(s.checked, s.rehearsal.first) && !s.zeroed()
	if to {
		how = fmt.Sprintf("the guard takes the rig from %.4g m to the first command, %.4g m", s.checked.X, s.rehearsal.first)
	}
	s.Say(how)
	if err := s.question("ARM", "Limits and checks are as listed. Type ARM to arm the test: ", "ARM"); err != nil {
		return err
	}
	if err := s.tell(asked{Arm: &arm{First: s.rehearsal.first, To: to}}); err != nil {
		return err
	}
	if err := s.hear(func(m *said) bool { return m.Armed }); err != nil {
		return err
	}
	return s.question("START", "The rig will move. Type START to start: ", "START")
}

// zeroed reports whether displacements count from where the rig stands.
func (s *supervisor) zeroed() bool {
	of := s.Scenario.Rig.Params.Start
	return of != nil && of.ZeroDisplacement()
}

// begin makes the record and starts the loop.
func (s *supervisor) begin() (err error) {
	m := s.manifest
	m.Test = &s.test
	m.Started = time.Now().Format(time.RFC3339)
	if s.writer, err = record.Create(s.Out, m, m.Columns); err != nil {
		return err
	}
	s.manifest = m
	s.want(goOn)
	return nil
}

// quit ends a test that has not begun.
func (s *supervisor) quit() {
	if s.stdin != nil {
		_ = s.stdin.Close()
		_ = s.Command.Wait()
	}
	if s.ring != nil {
		s.stopBeating()
		_ = s.ring.Remove()
	}
}

func (s *supervisor) stopBeating() {
	close(s.beating)
	<-s.beaten
}

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
