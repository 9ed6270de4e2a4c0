package session

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rths/lab/realtime"
	"rths/lab/rig"
	"rths/lab/ring"
	"rths/method/stability"
	"rths/result/record"
	"rths/scenario"
	"rths/scenario/doubts"
)

// before is everything until the record begins; nothing moves.
func (s *supervisor) before(ctx context.Context) error {
	if s.Scenario.Limits.None() {
		return s.Scenario.At("limits",
			errors.New("none: want limits for a test in the laboratory: leave the key out for the default limits"))
	}
	if inside, _ := os.ReadDir(s.Out); len(inside) > 0 {
		return fmt.Errorf("folder %s holds %s: want a new or empty folder for the record", s.Out, inside[0].Name())
	}
	for _, step := range []func(context.Context) error{s.build, s.rehearse, s.ready, s.room, s.openSession, s.inspect,
		s.prompt, s.begin} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// step notes a step of the operator's list, with its time.
func (s *supervisor) step(name, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.test.Steps = append(s.test.Steps, record.Step{Name: name, At: time.Now().Format(record.StepTime), Text: text})
	s.Say(name + ": " + text)
}

func (s *supervisor) build(ctx context.Context) error {
	if err := s.launch(ctx); err != nil {
		return err
	}
	s.manifest = s.built.Manifest.Manifest
	for _, note := range s.manifest.Notes {
		s.Say("note: " + note)
	}
	s.manifest.Notes = slices.Concat(doubts.Of(s.Scenario), s.manifest.Notes)
	return nil
}

func (s *supervisor) rehearse(context.Context) (err error) {
	if s.rehearsal, err = findRehearsal(s.Rehearsal, s.Runs, &s.manifest); err != nil {
		return err
	}
	none := record.Number(math.NaN()) // compared with nothing yet
	s.test.Rehearsal = &record.Rehearsal{
		Specimen: stability.Rehearse(s.manifest.RateHz, s.rehearsal.x, s.rehearsal.f),
		Folder:   s.rehearsal.folder, Scenario: hash(s.manifest.Scenario), Version: s.manifest.Version,
		DisplacementPct: none, ForcePct: none, PartedS: none, PeakM: none, RehearsedPeakM: none, PeakN: none,
		RehearsedPeakN: none,
	}
	return nil
}

// ready makes the loop ready for real time.
func (s *supervisor) ready(ctx context.Context) error {
	if err := s.enter(ctx, s.CPU, s.Soft); err != nil {
		return err
	}
	s.step("real time", "%s", granted(s.entered.Grants))
	if s.Proven == nil {
		s.manifest.Notes = append(s.manifest.Notes, unproven)
	}
	return nil
}

// granted says what the machine has granted.
func granted(list []realtime.Grant) string {
	var out []string
	for _, g := range list {
		text := g.Name + " " + g.Text
		if !g.Granted {
			text = g.Name + " NOT granted: " + g.Text
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// rows are those that a ring holds for a whole test: the run and what is around it.
func (s *supervisor) rows() int { return s.built.Samples + s.around() }

// room makes the ring: for the whole test where there is room, or else four times what is
// around a run. Rows that fill three quarters of it stop the test; in the last quarter it comes to
// rest.
func (s *supervisor) room(context.Context) error {
	if err := s.makeRing(s.RingFolder, s.rows(), 4*s.around()); err != nil {
		return err
	}
	s.test.Ring, s.row = s.path, make([]float64, len(s.manifest.Columns))
	s.at = place(s.manifest.Columns)
	s.late = newLateness(&s.test, s.at, s.manifest.RateHz)
	s.main = newMainSteps(&s.test, s.at, s.Scenario)
	s.awaited = newAwaited(s.Scenario, s.at, func(text string) { s.Say(text) })
	s.beside = s.rehearsal.compare(s.at, s.manifest.RateHz)
	return nil
}

// openSession begins the session with the rig.
func (s *supervisor) openSession(ctx context.Context) error {
	if err := s.connect(ctx); err != nil {
		return err
	}
	kind := "the laboratory"
	if s.info.Virtual {
		kind = "the VIRTUAL laboratory"
	}
	s.manifest.Rig = &record.Rig{Virtual: s.info.Virtual, Laboratory: s.info.Name,
		Address: strings.TrimPrefix(s.Job.Address, "udp://"), Clock: s.info.Clock.String()}
	s.step("connect", "%s %q at %s, clock %s", kind, s.info.Name, s.manifest.Rig.Address, s.info.Clock)
	return nil
}

// inspect makes the checks.
func (s *supervisor) inspect(ctx context.Context) error {
	if err := s.check(ctx); err != nil {
		return err
	}
	resolved, err := scenario.ParseResolved("the scenario", []byte(s.manifest.Scenario), s.manifest.Folder, nil)
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
		proven: s.Proven, soft: s.Soft,
		ringBytes: ring.Bytes(shape.Width, shape.Rows), ringFree: s.free,
		diskBytes: ring.Bytes(shape.Width, s.rows()) + spareBytes, diskFree: free,
	}
	s.test.Checks, s.test.RoundTripUs = t.list(), record.Number(s.checked.TripUs)
	for _, c := range s.test.Checks {
		s.Say(sentence(c))
	}
	s.Say("what happens at a fault:")
	for _, of := range s.built.Reactions {
		s.Say(fmt.Sprintf("  %s: %s", of.Fault, of.Then))
	}
	s.tellReady()
	if err := refused(s.test.Checks); err != nil {
		return err
	}
	s.step("checks", "%d of %d hold", len(s.test.Checks), len(s.test.Checks))
	return nil
}

// tellReady says what is known before arming.
func (s *supervisor) tellReady() {
	if s.Ready == nil {
		return
	}
	m := s.manifest
	m.Test = &s.test
	s.Ready(&Ready{Manifest: &m, Parameters: s.built.Parameters, Samples: s.built.Samples, WatchdogS: s.info.WatchdogS,
		SilentS: s.built.SilentS})
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
func (s *supervisor) question(ctx context.Context, q Question) error {
	if s.Ask == nil {
		s.step(q.Step, "yes (--yes)")
		return nil
	}
	got, over := s.ask(q)
	defer over()
	for {
		select {
		case r := <-got:
			if r.err != nil {
				return r.err
			}
			if r.text != q.Want {
				return declined{fmt.Errorf("%s: the operator answered %q, not %s: nothing has moved", q.Step, r.text, q.Want)}
			}
			s.step(q.Step, "%s", r.text)
			return nil
		case m, ok := <-s.answers:
			switch {
			case !ok:
				return errLoopGone
			case m.Wrong != "":
				return errors.New(m.Wrong)
			}
		case <-ctx.Done():
			return errStopped
		}
	}
}

// reply is what the operator types.
type reply struct {
	text string
	err  error
}

// ask asks until over is called.
func (s *supervisor) ask(q Question) (got <-chan reply, over func()) {
	replies := make(chan reply, 1)
	ctx, over := context.WithCancel(context.Background())
	go func() {
		answer, err := s.Ask(ctx, q)
		replies <- reply{answer, err}
	}()
	return replies, over
}

// prompt asks the operator for ARM and START.
func (s *supervisor) prompt(ctx context.Context) error {
	if err := s.question(ctx, Question{"ARM", "Limits and checks are as listed. Type ARM to arm the test: ",
		"ARM"}); err != nil {
		return err
	}
	near := make([]float64, len(s.rehearsal.first))
	for i, most := range s.rehearsal.mostX {
		near[i] = nearShare * most
	}
	if err := s.arm(ctx, &arm{First: s.rehearsal.first, Near: near, Rehearsed: s.test.Rehearsal.Specimen}); err != nil {
		return err
	}
	if s.Show != nil {
		s.Show(State{Phase: AtRest, Guard: rig.Armed, Samples: s.built.Samples})
	}
	return s.question(ctx, Question{"START", "The rig will move. Type START to start: ", "START"})
}

// begin makes the record and starts the loop. The record of a test that the loop then refuses goes
// away again: nothing has moved.
func (s *supervisor) begin(ctx context.Context) (err error) {
	m := s.manifest
	s.test.Realtime = s.realtime(s.Soft)
	m.Test = &s.test
	m.Started = time.Now().Format(time.RFC3339)
	if s.writer, err = record.Create(s.Out, m, m.Columns); err != nil {
		return err
	}
	s.passing.Go(func() { s.pass(ctx) })
	s.want(goOn)
	if s.result, err = s.awaitStart(ctx); err != nil {
		s.writer.Discard()
		return err
	}
	s.manifest = m
	return nil
}
