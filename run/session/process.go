package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"rths/lab/realtime"
	"rths/lab/rig/wire"
	"rths/lab/ring"
	"rths/result/record"
)

// process is the loop's process, as the one that has started it knows it.
type process struct {
	command *exec.Cmd
	job     *Job
	say     func(text string) // for what the loop tells before the start
	to      lines
	stdin   io.Closer
	answers <-chan toSupervisor
	ring    *ring.Consumer
	path    string // of the ring
	free    int64  // bytes in its folder before it was made
	beating chan struct{}
	beaten  chan struct{} // closed: no more beats
	asking  sync.Mutex
	asks    request // the most so far
	passing sync.WaitGroup

	built   *built
	entered *entered
	info    *wire.Info
	checked *checked
}

// launch starts the process, in a process group of its own: Ctrl-C is for the one that starts it.
func (p *process) launch(ctx context.Context) error {
	c := p.command
	c.SysProcAttr = ownGroup()
	in, out, err := startPiped(c)
	if err != nil {
		return fmt.Errorf("the process of the loop: %w", err)
	}
	p.to, p.stdin, p.answers = newLines(in), in, receive[toSupervisor](out, func() {})
	return p.call(ctx, toLoop{Job: p.job}, func(m *toSupervisor) bool { p.built = m.Built; return m.Built != nil })
}

// startPiped starts a command with a pipe to its input and one from its output.
func startPiped(c *exec.Cmd) (in io.WriteCloser, out io.Reader, err error) {
	if in, err = c.StdinPipe(); err == nil {
		out, err = c.StdoutPipe()
	}
	if err == nil {
		err = c.Start()
	}
	return in, out, err
}

// call asks the loop for something before the start, and waits for the answer.
func (p *process) call(ctx context.Context, a toLoop, wanted func(*toSupervisor) bool) error {
	if err := p.to.to.Encode(a); err != nil && !errors.Is(err, syscall.EPIPE) { // of a loop that has died hear tells
		return err
	}
	return p.hear(ctx, wanted)
}

// hear waits for an answer of the loop before the start.
func (p *process) hear(ctx context.Context, wanted func(*toSupervisor) bool) error {
	for {
		select {
		case m, ok := <-p.answers:
			switch {
			case !ok:
				return errLoopGone
			case m.Wrong != "":
				return errors.New(m.Wrong)
			case m.Note != "":
				p.say(m.Note)
			case wanted(&m):
				return nil
			}
		case <-ctx.Done():
			return errStopped
		}
	}
}

var errLoopGone = errors.New("the process of the loop has ended before the start: nothing has moved")

// declined is the operator's no.
type declined struct{ error }

var errStopped = declined{errors.New("stopped by the operator before the start: nothing has moved")}

// enter makes the process ready for real time, on a processor. Without all that real time needs there is an error,
// unless soft.
func (p *process) enter(ctx context.Context, cpu int, soft bool) error {
	if err := p.call(ctx, toLoop{Enter: &enter{CPU: cpu}},
		func(m *toSupervisor) bool { p.entered = m.Entered; return m.Entered != nil }); err != nil {
		return err
	}
	missing := realtime.Missing(p.entered.Grants)
	if len(missing) == 0 || soft {
		return nil
	}
	var why []string
	for _, g := range missing {
		why = append(why, fmt.Sprintf("%s: %s; want %s", g.Name, g.Text, g.Mend))
	}
	return fmt.Errorf(
		"no real time on this machine:\n  %s\nOr --soft, which goes on without, for slow tests "+
			"(docs/guides/real-time-machine.md)", strings.Join(why, "\n  "))
}

// realtime is how the loop has kept its instants so far, for the manifest.
func (p *process) realtime(soft bool) *record.Realtime {
	return &record.Realtime{Soft: soft, CPU: p.entered.CPU, Grants: p.entered.Grants, PageFaults: -1,
		Timing: timingOf(p.ring.Counters())}
}

// around is the largest number of rows before and after a run.
func (p *process) around() int {
	return int((p.built.AroundS+p.built.SilentS)*p.built.Manifest.RateHz) + 3
}

// makeRing makes a ring of so many rows where there is room, or else of fewer ones.
func (p *process) makeRing(folder string, rows, fewer int) error {
	if folder == "" {
		folder = "/dev/shm"
	}
	free, err := ring.Room(folder)
	if err != nil {
		return fmt.Errorf("%w: want a folder in memory for the rows of the running test, such as /dev/shm (--ring)", err)
	}
	columns := p.built.Manifest.Columns
	p.free, rows = free, rowsIn(free, len(columns), rows, fewer)
	p.path = filepath.Join(folder, fmt.Sprintf("rths-%d-%d", os.Getpid(), time.Now().UnixNano()))
	p.ring, err = ring.Create(p.path, ring.Shape{Session: uint64(time.Now().UnixNano()), Columns: columnsHash(columns),
		Width: len(columns), Rows: rows, RateHz: p.built.Manifest.RateHz})
	if err != nil {
		return err
	}
	p.beat()
	return nil
}

// rowsIn is how many rows a ring has: all, or fewer where all would leave less than a tenth of the free bytes.
func rowsIn(free int64, columns, all, fewer int) int {
	if ring.Bytes(columns, all) > free*9/10 {
		return min(all, fewer)
	}
	return all
}

// beat shows the loop that its supervisor is alive, whatever the disk does.
func (p *process) beat() {
	p.beating, p.beaten = make(chan struct{}), make(chan struct{})
	p.ring.Beat(realtime.Now())
	go func() {
		defer close(p.beaten)
		for t := time.NewTicker(10 * time.Millisecond); ; {
			select {
			case <-t.C:
				p.ring.Beat(realtime.Now())
			case <-p.beating:
				t.Stop()
				return
			}
		}
	}()
}

// stopBeating ends what runs beside: nobody touches the ring any more.
func (p *process) stopBeating() {
	close(p.beating)
	<-p.beaten
	p.passing.Wait()
}

// connect begins a session with the rig.
func (p *process) connect(ctx context.Context) error {
	return p.call(ctx, toLoop{Ring: p.path}, func(m *toSupervisor) bool { p.info = m.Welcome; return m.Welcome != nil })
}

// check reads the sensors of the idle rig.
func (p *process) check(ctx context.Context) error {
	return p.call(ctx, toLoop{Check: idleReadings},
		func(m *toSupervisor) bool { p.checked = m.Checked; return m.Checked != nil })
}

// idleReadings are taken before the start.
const idleReadings = 64

// arm has the loop wait for the start, at a first command and no farther from the checks than near.
func (p *process) arm(ctx context.Context, a *arm) error {
	return p.call(ctx, toLoop{Arm: a}, func(m *toSupervisor) bool { return m.Armed })
}

// want asks the loop for something through the ring. What is asked for never becomes less.
func (p *process) want(r request) {
	p.asking.Lock()
	defer p.asking.Unlock()
	if beside := (p.asks | r) & noRecord; r == noRecord {
		p.asks |= beside
	} else {
		p.asks = max(p.asks&^noRecord, r) | beside
	}
	p.ring.SetRequest(uint64(p.asks))
}

// awaitStart waits until the loop has begun. A result that comes with it is early.
func (p *process) awaitStart(ctx context.Context) (early *result, err error) {
	for p.ring.State()&startedBit == 0 {
		select {
		case m, ok := <-p.answers:
			switch {
			case !ok && p.ring.State()&startedBit == 0:
				return nil, errLoopGone
			case !ok:
				return nil, nil // it has begun, and has died
			case m.Wrong != "" && ctx.Err() != nil:
				return nil, declined{errors.New(m.Wrong)}
			case m.Wrong != "":
				return nil, errors.New(m.Wrong)
			case m.Result != nil:
				early = m.Result
			}
		case <-time.After(time.Millisecond):
		}
	}
	return early, nil
}

// quitWithin is the time that a loop has to end its session with the rig, which may not answer.
const quitWithin = 8 * time.Second

// quit ends a process that has not begun.
func (p *process) quit() {
	if p.stdin != nil {
		_ = p.stdin.Close()
		late := time.AfterFunc(quitWithin, func() { _ = p.command.Process.Kill() }) // one that still builds; nothing moves
		_ = p.command.Wait()
		late.Stop()
	}
	if p.ring != nil {
		p.stopBeating()
		_ = p.ring.Remove()
		for _, suffix := range []string{askSuffix, giveSuffix} { // of a loop that died while it made them
			_ = os.Remove(p.path + suffix)
		}
	}
}

// parted waits for the end of the process, and gives its last word, or nil if it had none.
func (p *process) parted() (last *parted, died error) {
	for of := range p.answers {
		if of.Parted != nil {
			last = of.Parted
		}
	}
	return last, p.command.Wait()
}
