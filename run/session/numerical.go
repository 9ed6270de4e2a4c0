package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"rths/lab/numerical"
	"rths/lab/realtime"
	"rths/lab/rig/openfresco"
	"rths/lab/ring"
	"rths/scenario"
)

// The loop's process starts the process of the numerical part, and is all that this process knows: it ends
// when the loop has gone. Before the start they talk in lines of JSON, then through two rings.

// toNumerical is what the loop tells the process of the numerical part, one of them at a time.
type toNumerical struct {
	Job   *Job
	Enter *enter
	Rings *rings
	Try   int // main steps to make at rest; then it waits for the first real one
}

// rings are the paths of the two rings. The one that gives is there already.
type rings struct{ Ask, Give string }

// fromNumerical is what the process answers, one of them at a time.
type fromNumerical struct {
	Wrong   string
	Note    string // for the operator
	Built   bool
	Entered *entered
	Rings   bool // it has both
	Ready   *ready
}

// ready is a process that waits for the first main step.
type ready struct {
	LongestUs float64 // of readyTries main steps at rest, µs
}

// readyTries is how many main steps are timed before the start.
const readyTries = 64

// ringNumber is the session of both rings, which nobody but the two processes opens.
const ringNumber = 1

// ServeNumerical is the process of the numerical part of a test. The loop's process starts it.
func ServeNumerical(in io.Reader, out io.Writer) {
	// the loop ends it, by closing its side
	signal.Ignore(endingSignals...)
	n := &numericalPart{out: newLines(out)}
	asked := receive[toNumerical](in, func() { n.left.Store(true) })
	defer n.clear()
	for a := range asked {
		if err := n.obey(a); err != nil {
			n.say(fromNumerical{Wrong: err.Error()})
			return
		}
		if a.Try > 0 {
			n.serve()
			return
		}
	}
}

// say says something. A loop that has gone hears nothing, and the pipe has closed: then this process ends too.
func (n *numericalPart) say(m fromNumerical) { _ = n.out.to.Encode(m) }

// clear removes the ring that this process has made, if the loop died before it could.
func (n *numericalPart) clear() {
	if n.path != "" {
		_ = os.Remove(n.path)
	}
}

// numericalPart is the process of the numerical part.
type numericalPart struct {
	out       lines
	left      atomic.Bool // the loop has gone
	server    *numerical.Server
	client    *openfresco.Server // in its place, where an analysis in another program integrates the structure
	dof       int                // of the client
	serving   bool               // targets and answers go through the rings
	askShape  ring.Shape
	giveShape ring.Shape
	ask       *ring.Consumer
	give      *ring.Producer
	path      string // of ask
}

func (n *numericalPart) obey(a toNumerical) error {
	switch {
	case a.Job != nil:
		return n.build(a.Job)
	case n.server == nil && n.client == nil:
		return errors.New("asked for something before the scenario: want the scenario first")
	case a.Enter != nil:
		p := realtime.EnterNumerical(realtime.NumericalCPU(a.Enter.CPU))
		n.say(fromNumerical{Entered: &entered{CPU: p.CPU, Grants: p.Grants}})
	case a.Rings != nil:
		return n.connect(a.Rings)
	case n.ask == nil:
		return errors.New("asked for main steps before the rings: want the rings first")
	case a.Try > 0 && n.client != nil:
		n.say(fromNumerical{Note: n.client.Invitation()})
		if err := n.client.AwaitClient(); err != nil {
			return err
		}
		n.say(fromNumerical{Ready: &ready{}})
	case a.Try > 0:
		n.say(fromNumerical{Ready: &ready{LongestUs: float64(n.server.Longest(a.Try)) / 1e3}})
	}
	return nil
}

func (n *numericalPart) build(j *Job) error {
	s, err := scenario.ParseResolved(j.Source, []byte(j.Scenario), j.Folder, nil)
	if err != nil {
		return err
	}
	if s.External() != nil {
		return n.listen(s)
	}
	calc, steps, err := s.Calculator(scenario.Options{RecordsDir: j.Records})
	if err != nil {
		return err
	}
	n.server = numerical.NewServer(calc, steps)
	n.askShape, n.giveShape = numerical.Shapes(calc, ringNumber, s.LateMainSteps(), s.RateHz/float64(steps))
	n.say(fromNumerical{Built: true})
	return nil
}

// listen makes the server of an analysis in another program.
func (n *numericalPart) listen(s *scenario.Scenario) (err error) {
	if n.client, err = listenFor(s, n.left.Load, n.note); err != nil {
		return err
	}
	n.dof = s.External().DOF
	n.askShape, n.giveShape = numerical.ClientShapes(n.dof, ringNumber, s.RateHz)
	n.say(fromNumerical{Built: true})
	return nil
}

// note tells the operator something, before the start: then nobody takes it any more.
func (n *numericalPart) note(text string) {
	if !n.serving {
		n.say(fromNumerical{Note: text})
	}
}

// silentFor is the time without a word after which an analysis that was left alone is given up.
const silentFor = 10 * time.Minute

// serve makes main steps, or carries those of an analysis in another program. This analysis is answered until it
// leaves, even when the loop has gone: its program would run on without end.
func (n *numericalPart) serve() {
	if n.client == nil {
		n.server.Serve(n.ask, n.give, n.left.Load)
		return
	}
	runtime.LockOSThread()
	n.serving = true
	numerical.ServeClient(n.client, n.dof, n.ask, n.give, n.left.Load)
	n.client.Finish(func() bool { return n.client.Silent() > silentFor })
}

func (n *numericalPart) connect(r *rings) (err error) {
	if n.give, err = ring.Open(r.Give); err != nil {
		return err
	}
	if err := numerical.Match(n.give.Shape(), n.giveShape); err != nil {
		return err
	}
	if n.ask, err = ring.Create(r.Ask, n.askShape); err != nil {
		return err
	}
	n.path = r.Ask
	n.say(fromNumerical{Rings: true})
	return nil
}

// numericalLink is the loop's side of the two rings.
type numericalLink interface {
	Connect(ask *ring.Producer, give *ring.Consumer)
	Start(origin int64)
	Ended(why error)
	Err() error
	Close()
}

// numericalProcess is the process of the numerical part, as the loop knows it.
type numericalProcess struct {
	command *exec.Cmd
	to      lines
	stdin   io.Closer
	said    <-chan fromNumerical
	gone    chan struct{} // closed: it has ended
	link    numericalLink
	stays   bool              // it ends when its analysis leaves
	stop    func() bool       // nobody wants a test any more
	note    func(text string) // for the operator
}

// startNumerical starts the process and has it build its part, which may take as long as the loop's own building.
func startNumerical(j *Job, link numericalLink, stop func() bool, note func(string)) (*numericalProcess, error) {
	c := exec.Command("/proc/self/exe", "numerical")
	c.Args[0], c.Stderr = "rths", os.Stderr
	in, out, err := startPiped(c)
	if err != nil {
		return nil, fmt.Errorf("the process of the numerical part: %w", err)
	}
	p := &numericalProcess{command: c, to: newLines(in), stdin: in, gone: make(chan struct{}), link: link, stop: stop,
		note: note}
	talked := make(chan struct{})
	p.said = receive[fromNumerical](out, func() { close(talked) })
	go func() {
		<-talked // Wait closes the pipe
		p.link.Ended(fmt.Errorf("its process has ended (%s)", endedBy(c.Wait())))
		close(p.gone)
	}()
	_ = p.to.to.Encode(toNumerical{Job: j}) // hear says what is wrong
	return p, nil
}

// endedBy is how a process has ended, in words.
func endedBy(err error) string {
	if err == nil {
		return "by itself"
	}
	return err.Error()
}

// Times of waiting for an answer.
const (
	lookEvery = 50 * time.Millisecond // whether anybody still wants one
	noteAfter = 10 * time.Second      // the operator is told that it takes long
)

// ask tells the process something and waits for the answer, however long a large part takes; it may
// have been stopped, or have died.
func (p *numericalProcess) ask(what string, a toNumerical) (fromNumerical, error) {
	_ = p.to.to.Encode(a) // a process that has died gives no answer
	return p.hear(what)
}

func (p *numericalProcess) hear(what string) (m fromNumerical, err error) {
	look, long := time.NewTicker(lookEvery), time.NewTicker(noteAfter)
	defer look.Stop()
	defer long.Stop()
	for began := time.Now(); ; {
		select {
		case m, ok := <-p.said:
			switch {
			case !ok:
				<-p.gone
				return m, fmt.Errorf("the numerical part: %w before the start: nothing has moved", p.link.Err())
			case m.Wrong != "":
				return m, fmt.Errorf("the numerical part: %s", m.Wrong)
			case m.Note != "":
				p.note(m.Note)
				continue
			}
			return m, nil
		case <-look.C:
			if p.stop() {
				return m, fmt.Errorf("the numerical part: not ready to %s when the test was ended: nothing has moved", what)
			}
		case <-long.C:
			p.note(fmt.Sprintf("the numerical part: its process (%d) needs more than %.0f s to %s: Ctrl-C ends the test",
				p.command.Process.Pid, time.Since(began).Seconds(), what))
		}
	}
}

// enter makes the process ready for real time, on another processor than the loop's. The grants say that they are its.
func (p *numericalProcess) enter(loop int) ([]realtime.Grant, error) {
	m, err := p.ask("enter real time", toNumerical{Enter: &enter{CPU: loop}})
	if err != nil {
		return nil, err
	}
	grants := slices.Clone(m.Entered.Grants)
	for i := range grants {
		grants[i].Name = "numerical part, " + grants[i].Name
	}
	return grants, nil
}

// Names of the two rings beside the one of the test.
const askSuffix, giveSuffix = ".ask", ".give"

// connect makes the two rings beside the one of the test, gives the link both, and times main steps. The files of the
// rings go as soon as both processes have them: nobody recovers them.
func (p *numericalProcess) connect(path string, run *scenario.Run) (*ready, error) {
	if err := p.makeRings(path, run); err != nil {
		return nil, err
	}
	what := fmt.Sprintf("make %d main steps", readyTries)
	if run.Scenario.External() != nil {
		what = "meet the analysis"
	}
	m, err := p.ask(what, toNumerical{Try: readyTries})
	return m.Ready, err
}

func (p *numericalProcess) makeRings(path string, run *scenario.Run) error {
	askShape, giveShape := shapes(run)
	r := rings{Ask: path + askSuffix, Give: path + giveSuffix}
	give, err := ring.Create(r.Give, giveShape)
	if err != nil {
		return err
	}
	defer os.Remove(r.Ask)
	defer os.Remove(r.Give)
	if _, err := p.ask("open the rings", toNumerical{Rings: &r}); err != nil {
		return err
	}
	ask, err := ring.Open(r.Ask)
	if err != nil {
		return err
	}
	if err := numerical.Match(ask.Shape(), askShape); err != nil {
		return err
	}
	p.link.Connect(ask, give)
	return nil
}

// shapes are the two rings of a run.
func shapes(run *scenario.Run) (ask, give ring.Shape) {
	if of := run.Scenario.External(); of != nil {
		return numerical.ClientShapes(of.DOF, ringNumber, run.Scenario.RateHz)
	}
	calc, steps := run.MainSteps()
	return numerical.Shapes(calc, ringNumber, run.Scenario.LateMainSteps(), run.Scenario.RateHz/float64(steps))
}

// early is the error of a process that has ended before the start, after all was ready.
func (p *numericalProcess) early() error {
	if c, ok := p.link.(*numerical.ClientLink); ok {
		return fmt.Errorf("before the start, nothing has moved: %w: want the test again, and then the analysis", c.Why())
	}
	return fmt.Errorf("the numerical part: %w before the start: nothing has moved", p.link.Err())
}

// endWithin is the time that the process has to end; it may be stopped.
const endWithin = time.Second

// end ends the process.
func (p *numericalProcess) end() {
	_ = p.stdin.Close()
	select {
	case <-p.gone:
	case <-time.After(endWithin):
		if p.stays { // with its analysis
			return
		}
		_ = p.command.Process.Kill()
		<-p.gone
	}
	p.link.Close()
}
