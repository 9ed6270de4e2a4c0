package session

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rths/record"
	"rths/ring"
	"rths/scenario"
)

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
	c.SysProcAttr = ownGroup()
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
				return errLoopGone
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

var errLoopGone = errors.New("the process of the loop has ended before the start: nothing has moved")

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
	none := record.Number(math.NaN()) // compared with nothing yet
	s.test.Rehearsal = &record.Rehearsal{
		Folder: s.rehearsal.folder, Scenario: hash(s.manifest.Scenario), Version: s.manifest.Version,
		DisplacementPct: none, ForcePct: none, PartedS: none, PeakM: none, RehearsedPeakM: none, PeakN: none, RehearsedPeakN: none,
	}
	return nil
}

// rows are those that a ring holds for a whole test: the run and what is around it.
func (s *supervisor) rows() int {
	return s.built.Samples + s.around()
}

func (s *supervisor) around() int {
	return int(math.Ceil((s.built.AroundS+s.built.SilentS)*s.manifest.RateHz)) + 2
}

// makeRing makes the ring: for the whole test where there is room, or else four times what is
// around a run. Rows that fill three quarters of it stop the test; in the last quarter it comes to
// rest.
func (s *supervisor) makeRing() error {
	dir := s.RingFolder
	if dir == "" {
		dir = "/dev/shm"
	}
	free, err := ring.Room(dir)
	if err != nil {
		return fmt.Errorf("%w: want a folder in memory for the rows of the running test, such as /dev/shm (--ring)", err)
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
	s.manifest.Rig = &record.Rig{Virtual: s.info.Virtual, Laboratory: s.info.Name, Address: strings.TrimPrefix(s.Job.Address, "udp://"), Clock: s.info.Clock.String()}
	s.step("connect", "%s %q at %s, clock %s", kind, s.info.Name, s.manifest.Rig.Address, s.info.Clock)
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

// question asks the operator, and wants a word. Meanwhile the loop may say that there is no test any more.
func (s *supervisor) question(step, text, want string) error {
	if s.Ask == nil {
		s.step(step, "yes (--yes)")
		return nil
	}
	got := s.ask(text)
	for {
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
		case m, ok := <-s.said:
			switch {
			case !ok:
				return errLoopGone
			case m.Wrong != "":
				return errors.New(m.Wrong)
			}
		case <-s.ctx.Done():
			return errStopped
		}
	}
}

// reply is what the operator types.
type reply struct {
	text string
	err  error
}

func (s *supervisor) ask(question string) <-chan reply {
	got := make(chan reply, 1)
	go func() {
		answer, err := s.Ask(question)
		got <- reply{answer, err}
	}()
	return got
}

func (s *supervisor) arm() error {
	if err := s.question("ARM", "Limits and checks are as listed. Type ARM to arm the test: ", "ARM"); err != nil {
		return err
	}
	near := make([]float64, len(s.rehearsal.first))
	for i, most := range s.rehearsal.mostX {
		near[i] = nearShare * most
	}
	if err := s.tell(asked{Arm: &arm{First: s.rehearsal.first, Near: near}}); err != nil {
		return err
	}
	if err := s.hear(func(m *said) bool { return m.Armed }); err != nil {
		return err
	}
	return s.question("START", "The rig will move. Type START to start: ", "START")
}

// begin makes the record and starts the loop. The record of a test that the loop then refuses goes
// away again: nothing has moved.
func (s *supervisor) begin() (err error) {
	m := s.manifest
	m.Test = &s.test
	m.Started = time.Now().Format(time.RFC3339)
	if s.writer, err = record.Create(s.Out, m, m.Columns); err != nil {
		return err
	}
	s.passing.Go(s.pass)
	s.want(goOn)
	if err := s.begun(); err != nil {
		s.writer.Discard()
		return err
	}
	s.manifest = m
	return nil
}

// begun waits until the loop has begun.
func (s *supervisor) begun() error {
	for s.ring.State()&begun == 0 {
		select {
		case m, ok := <-s.said:
			switch {
			case !ok && s.ring.State()&begun == 0:
				return errLoopGone
			case !ok:
				return nil // it has begun, and has died
			case m.Wrong != "" && s.ctx.Err() != nil:
				return declined{errors.New(m.Wrong)}
			case m.Wrong != "":
				return errors.New(m.Wrong)
			case m.Result != nil:
				s.result = m.Result
			}
		case <-time.After(time.Millisecond):
		}
	}
	return nil
}

// quitWithin is the time that a loop has to end its session with the rig, which may not answer.
const quitWithin = 8 * time.Second

// quit ends a test that has not begun.
func (s *supervisor) quit() {
	if s.stdin != nil {
		_ = s.stdin.Close()
		late := time.AfterFunc(quitWithin, func() { _ = s.Command.Process.Kill() }) // one that still builds; nothing moves
		_ = s.Command.Wait()
		late.Stop()
	}
	if s.ring != nil {
		s.stopBeating()
		_ = s.ring.Remove()
	}
}

// stopBeating ends what runs beside the supervisor: nobody touches the ring any more.
func (s *supervisor) stopBeating() {
	close(s.beating)
	<-s.beaten
	s.passing.Wait()
}
