package session

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"rths"
	"rths/lab/numerical"
	"rths/lab/rig/openfresco"
	"rths/lab/rig/udp"
	"rths/lab/rig/wire"
	"rths/model/plant"
	"rths/result/record"
	"rths/scenario"
	"rths/scenario/doubts"
)

// Virtual is a run in this process: on the virtual rig of its scenario, on a rig elsewhere that goes in lockstep, or
// for an analysis in another program that gives the targets. Connect, then build the scenario with Options, then Play.
type Virtual struct {
	Version string  // of the program
	Out     string  // folder of the record, which Play makes; "": no record
	Pace    float64 // times real time; 0: as fast as it can
	// the run is looked at and forgotten: no other run is made to judge it by
	Glance bool

	Say   func(text string)            // for what the user should know; nil: nobody
	Begun func(*record.Manifest) error // before the first tick; nil: nothing
	// several times a second of the test, or of the clock where Pace is given; nil: nothing
	Look     func()
	Progress func(ticks int) // more rarely; nil: nothing

	doubts        []string
	rig           *udp.Rig           // nil: the virtual rig
	client        *openfresco.Server // nil: the structure is here
	run           *scenario.Run
	warned, noted int // warnings and notes that are said already
}

// Connect makes the way to the rig at an address, as in udp://127.0.0.1:7400 ("": the virtual rig), and listens for the
// analysis of an external structure. Nothing is sent yet. The scenario that it returns has a block rig where an address
// is given: build this one. Close ends both.
func (v *Virtual) Connect(ctx context.Context, s *scenario.Scenario, address string) (*scenario.Scenario, error) {
	v.doubts = doubts.Of(s)
	stop := func() bool { return ctx.Err() != nil }
	if address != "" {
		of, err := s.WithRig("")
		if err != nil {
			return nil, err
		}
		w := of.Expectation("rths " + v.Version)
		if w.Clock != wire.Lockstep {
			return nil, of.At("rig.clock",
				fmt.Errorf("%s: rths run --rig goes as fast as loop and rig can, in lockstep: want lockstep on both sides, as in "+
					"--set rig.clock=lockstep", w.Clock))
		}
		if v.rig, err = udp.New(udp.Config{Address: address, Expected: w, Notice: v.say, Stop: stop}); err != nil {
			return nil, err
		}
		s = of
	}
	if s.External() == nil {
		return s, nil
	}
	runtime.LockOSThread() // from here on: the socket calls of the server block
	var err error
	v.client, err = listenFor(s, stop, v.say)
	return s, err
}

// Close ends what Connect has made. A run that Play has ended is left already.
func (v *Virtual) Close() {
	if v.rig != nil {
		v.rig.Close()
	}
	if v.client != nil {
		v.client.Close()
	}
}

// Options are those to build the scenario with.
func (v *Virtual) Options(recordsDir string) scenario.Options {
	o := scenario.Options{RecordsDir: recordsDir}
	if v.rig != nil {
		o.Rig = v.rig
	}
	if v.client != nil {
		o.Client = v.client
	}
	return o
}

// Play runs a built loop to its end, or until ctx ends, and returns the manifest. The manifest tells of a run that
// diverged, tripped or was stopped, and of a record that failed; it is the one in the folder, where there is a record.
// An error is a *Refused if the run was stopped before its start; any other means wrong use.
func (v *Virtual) Play(ctx context.Context, r *scenario.Run) (m record.Manifest, err error) {
	v.run = r
	if err := v.await(ctx); err != nil {
		return m, err
	}
	r.Notes = append(r.Notes, v.elsewhere()...)
	if v.rig != nil {
		r.Warnings = append(r.Warnings, narrower(v.rig.Info().X, r.Scenario.Rating())...)
	}
	if m, err = newManifest(r, v.Version); err != nil {
		return m, err
	}
	m.Rig = rigOf(v.rig)
	m.Notes = slices.Concat(v.doubts, r.Warnings, r.Notes)
	if v.Begun != nil {
		if err := v.Begun(&m); err != nil {
			return m, err
		}
	}
	err = v.recorded(ctx, &m)
	v.remark()
	var broken *record.Failure
	if errors.As(err, &broken) {
		m.Fail(broken)
		err = nil
	}
	return m, err
}

// await waits for the analysis, and then for the rig, which waits for commands only as long as its watchdog.
func (v *Virtual) await(ctx context.Context) error {
	if v.client != nil {
		v.remark()
		v.say(v.client.Invitation())
		switch err := v.client.AwaitClient(); {
		case errors.Is(err, numerical.Left.Err()):
			return &Refused{err, true}
		case ctx.Err() != nil:
			return &Refused{errors.New("stopped by the user before the analysis came"), true}
		case err != nil:
			return err
		}
	}
	if v.rig == nil {
		return nil
	}
	err := v.rig.Begin()
	if ctx.Err() != nil {
		v.rig.Close()
		return &Refused{errors.New("stopped by the user before the start"), true}
	}
	return err
}

// recorded runs the loop, with a record if there is a folder for one.
func (v *Virtual) recorded(ctx context.Context, m *record.Manifest) error {
	if v.Out == "" {
		v.loop(ctx, nil, m)
		v.part(m)
		v.dismiss(ctx)
		return nil
	}
	w, err := record.NewRecorder(v.Out, *m, v.run.Loop.Frame(), v.run.Channels)
	if err != nil {
		return err
	}
	v.run.Loop.Attach(w)
	v.loop(ctx, w, m)
	v.part(m)
	err = w.Close(*m)
	v.dismiss(ctx)
	return err
}

// These are the ticks that pass between looks at ctx, between looks at the clock and calls of Look, and between looks
// at the record and calls of Progress. A tick of a large structure, or of a method of the user's own, may take tenths
// of a second.
const (
	stopStride     = 2
	lookStride     = 256
	rigStride      = 1 // a tick over a rig, or with an analysis in another program, may take seconds
	progressStride = 4096
)

// loop runs the loop to its end, at its pace, and completes the manifest. A run whose record has failed
// ends at the next stride. w is nil without a record.
func (v *Virtual) loop(ctx context.Context, w *record.Recorder, m *record.Manifest) {
	r, by := v.run, pacing{factor: v.Pace, rate: m.RateHz}
	stride := lookStride
	if v.rig != nil || v.client != nil {
		stride = rigStride
	}
	if v.Pace > 0 {
		stride = by.stride(stride)
	}
	start := time.Now()
	err := r.Loop.Run(min(stopStride, stride), func() bool {
		if ctx.Err() != nil {
			return false
		}
		if r.Loop.Ticks()%stride != 0 {
			return true
		}
		if v.Pace > 0 {
			by.wait(ctx, r.Loop.Ticks())
		}
		if v.Look != nil {
			v.Look()
		}
		if r.Loop.Ticks()%progressStride != 0 {
			return true
		}
		if v.Progress != nil {
			v.Progress(r.Loop.Ticks())
		}
		return w == nil || w.Check() == nil
	})
	m.WallS = time.Since(start).Seconds()
	conclude(context.WithoutCancel(ctx), m, r, err) // a run that is stopped has results too
	switch early := m.Status == rths.Completed && !r.Loop.Done(); {
	case early && ctx.Err() != nil:
		m.Status, m.Reason, m.Verdict = rths.Stopped, fmt.Sprintf("%s at t = %.4f s", stopper(ctx), m.SimulatedS), ""
	case early:
		m.Status, m.Reason, m.Verdict = rths.Failed, fmt.Sprintf("stopped at t = %.4f s", m.SimulatedS), ""
	}
	judge(ctx, m, r, v.Glance)
}

// stopper says who has stopped a run.
func stopper(ctx context.Context) string {
	if cause := context.Cause(ctx); cause != context.Canceled {
		return cause.Error()
	}
	return "stopped by the user"
}

// part ends the sessions with the rig and with the analysis, and says in the manifest what has become of them.
func (v *Virtual) part(m *record.Manifest) {
	if v.rig != nil {
		theirs, known := v.rig.Close()
		completeRig(m, v.rig.Counts(), theirs, known)
	}
	if describeClient(m, v.run); v.client != nil { // with the port that the system has chosen
		m.Client.Address = v.client.Address()
	}
}

// lastWord is how long a run that was stopped answers an analysis that may look for stopFile.
const lastWord = 500 * time.Millisecond

// dismiss answers the analysis with held values until it leaves; after ctx has ended, for a last word at most.
func (v *Virtual) dismiss(ctx context.Context) {
	if v.client == nil || !v.client.Waits() {
		return
	}
	how := "end it there, or look in its script for the file " + stopFile + " in the folder of the run"
	if v.Out != "" {
		if err := askToStop(v.Out); err != nil {
			v.say(fmt.Sprint("warning: ", err))
		} else {
			how = "it should end by " + v.Out + "/" + stopFile
		}
	}
	if ctx.Err() == nil {
		v.say(fmt.Sprintf(
			"the run has ended, and the analysis is still there: it gets the last force until it leaves (%s); Ctrl-C ends "+
				"the waiting", how))
	}
	var stopped time.Time
	v.client.Finish(func() bool {
		if stopped.IsZero() && ctx.Err() != nil {
			stopped = time.Now()
		}
		return !stopped.IsZero() && time.Since(stopped) > lastWord
	})
	if v.client.Waits() {
		v.say(fmt.Sprintf("warning: the analysis was left: its program may not notice, and run on without end: %s", how))
	}
}

func (v *Virtual) say(text string) {
	if v.Say != nil {
		v.Say(text)
	}
}

// remark says the warnings and notes of the run that are not said yet.
func (v *Virtual) remark() {
	for _, warning := range v.run.Warnings[v.warned:] {
		v.say("warning: " + warning)
	}
	for _, note := range v.run.Notes[v.noted:] {
		v.say("note: " + note)
	}
	v.warned, v.noted = len(v.run.Warnings), len(v.run.Notes)
}

// elsewhere are notes of what the scenario asks for and a rig elsewhere does not do.
func (v *Virtual) elsewhere() (out []string) {
	if v.rig == nil {
		return nil
	}
	if len(v.run.Scenario.Faults) > 0 {
		out = append(out, "faults: the faults of this scenario act only in the rig that serves them; the record lists none")
	}
	if len(v.run.Scenario.Rig.Params.Network) > 0 {
		out = append(out, "rig.network: the faults of this scenario's network act only in the rig that serves them")
	}
	return out
}

// rigOf is what a manifest says of a rig at the beginning of a run.
func rigOf(link *udp.Rig) *record.Rig {
	if link == nil {
		return nil
	}
	i := link.Info()
	return &record.Rig{Virtual: i.Virtual, Laboratory: i.Name, Address: link.Address().String(), Clock: i.Clock.String()}
}

// narrower are warnings of a rig whose ranges are less than what the scenario states of its actuators: the
// rig clips what the loop's limits let pass.
func narrower(actuators []wire.Channel, r plant.Rating) (out []string) {
	for i, c := range actuators {
		for _, one := range []struct {
			what, key   string
			has, stated float64
			unit        string
		}{{"range", "stroke_m", c.Range, r.Stroke, c.Unit}, {"largest velocity", "rate_m_s", c.Rate, r.Rate, c.Unit + "/s"}} {
			if one.has > 0 && (one.stated == 0 || one.stated > one.has) {
				out = append(out, fmt.Sprintf("actuator %d of the rig has a %s of %.5g %s, and the scenario states %.5g: "+
					"the rig clips commands beyond: want transfer.%s of at most the rig's", i+1, one.what, one.has, one.unit,
					one.stated, one.key))
			}
		}
	}
	return out
}

// pacing lets a run go at a multiple of real time.
type pacing struct {
	factor float64 // 0: as fast as it can
	rate   float64
	start  time.Time
}

// stride is how many ticks pass between looks at the clock: some 10 ms, and a power of two as the other strides.
func (p *pacing) stride(most int) int {
	n := 1
	for n < most && float64(2*n) <= 0.01*p.rate*p.factor {
		n *= 2
	}
	return n
}

// wait waits for the instant of a tick, or until ctx ends.
func (p *pacing) wait(ctx context.Context, ticks int) {
	if p.start.IsZero() {
		p.start = time.Now()
	}
	due := p.start.Add(time.Duration(float64(ticks) / p.rate / p.factor * 1e9))
	select {
	case <-time.After(time.Until(due)):
	case <-ctx.Done():
	}
}
