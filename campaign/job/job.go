// Package job makes a study, a calibration or an advice from its plan to its folder: runs, tables, pictures. Commands
// and the workbench ask for the same jobs.
package job

import (
	"context"
	"fmt"
	"strings"
	"time"

	"rths/campaign/picture"
	"rths/campaign/study"
	"rths/result/catalogue"
)

// Order is what somebody asks for, who makes it, and where it goes.
type Order struct {
	study.Asked
	Out      string // folder of the result; "": a fresh one in the folder runs of Beside
	Beside   string
	Resume   bool   // go on in Out
	Executor string // study.ByWorkers or study.BySlurm
	Workers  int    // of this machine; 0: none
	By       func(dir string) study.Executor
	Plots    string // format of the pictures as files; "": none
	Version  string // of the program
	Progress func(stage string, done, of int)
	Say      func(text string) // what a stage has come to; may be nil
}

// Study is a study that is made.
type Study struct {
	Order
	Bench  *study.Bench
	Plan   *study.Plan
	Folder *study.Folder // after Open
}

// Open makes the folder, or opens it to go on.
func (s *Study) Open() error { return s.open(study.StudyKind, "") }

// open makes the folder of a kind. identity is what the runs hang on; "": the plan alone.
func (s *Study) open(kind, identity string) (err error) {
	m, err := study.NewManifest(kind, s.Plan, s.File, s.Version)
	if err != nil {
		return err
	}
	if s.Out == "" {
		s.Out = catalogue.Fresh(s.Beside, s.Plan.File.Name)
	}
	s.Base = s.Plan.Template.Text()
	if m.Executor, m.Workers, m.Asked = s.Executor, s.Workers, s.Asked.For(s.Out); identity != "" {
		m.Identity = identity
	}
	if s.Resume {
		s.Folder, err = study.Resume(s.Out, m, s.Plan)
	} else {
		s.Folder, err = study.Create(s.Out, m, s.Plan)
	}
	return err
}

// told is the progress of a stage.
func (o *Order) told(stage string) func(done, of int) {
	if o.Progress == nil {
		return nil
	}
	return func(done, of int) { o.Progress(stage, done, of) }
}

// Run makes the runs that are missing and writes the result. An error says what could not be written; how the runs have
// ended is in the manifest.
func (s *Study) Run(ctx context.Context) (*study.Result, error) {
	before, start := s.Folder.Table.Done(), time.Now()
	failure := s.Bench.Execute(ctx, s.Plan, s.Folder, s.By(s.Out), s.told(s.Plan.File.Name))
	wall := time.Since(start).Seconds()
	s.Folder.Manifest.WallS += wall
	status, reason := s.Folder.Ended(ctx, failure)
	summary, err := s.Folder.Finish(s.Plan, status, reason, func(of *study.Summary) ([]string, error) {
		return picture.OfStudy(s.Plan, s.Folder, of).Write(s.Out, s.Plots)
	})
	return s.Folder.Result(summary, before, wall), err
}

// ShellWord is a word as a shell takes it.
func ShellWord(w string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-/=,:+@", r)
	}
	if w != "" && !strings.ContainsFunc(w, func(r rune) bool { return !plain(r) }) {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// Command is the words as a shell takes them.
func Command(words ...string) string {
	for i := range words {
		words[i] = ShellWord(words[i])
	}
	return strings.Join(words, " ")
}

// say tells what a stage has come to.
func (o *Order) say(format string, args ...any) {
	if o.Say != nil {
		o.Say(fmt.Sprintf(format, args...))
	}
}
