// Package doctor judges whether a machine holds a rate: it runs the loop's process of a test, with and without a
// rig on the network, idle and under load, over a ladder of rates, and counts the ticks that missed their
// deadline.
//
// A judgement is of one machine, one processor and one kernel, and of what else ran there meanwhile. It is no proof
// of rarer misses than the ticks that were counted: see bound. A loop that works longer than that of the doctor
// (large structures) may miss more.
package doctor

import (
	"context"
	"fmt"
	"net/netip"
	"os/exec"
	"runtime"
	"time"

	"rths/lab/realtime"
	"rths/lab/rig/udp"
	"rths/result/record"
	"rths/run/session"
	"rths/scenario"
)

// Examination is what a doctor does.
type Examination struct {
	RateHz  float64 // the highest of the ladder
	Seconds float64 // of each measurement
	Load    bool    // once more under load
	CPU     int     // of the loop's thread
	Program string  // version
	Root    string  // of the file system that the properties of the machine are read from; "": /
	Loop    func() *exec.Cmd
	Say     func(text string)
}

// Measurement is a loop at a rate.
type Measurement struct {
	RateHz     float64              `json:"rate_hz"`
	UDP        bool                 `json:"udp"`  // with a rig on the network, in another process of this machine
	Load       string               `json:"load"` // command that ran beside; "": nothing
	Seconds    float64              `json:"seconds"`
	Realtime   *record.Realtime     `json:"realtime"`
	Conditions []realtime.Condition `json:"conditions"` // what came meanwhile: steal, interrupts, throttling
}

// Rates that can be asked for, Hz: at a quarter of the least one the examined loop is still stable.
const (
	LeastRateHz = 400
	MostRateHz  = 16384
)

// rungs of the ladder: all of a rate, half, a quarter, and on while that is not held.
const (
	rungs     = 3
	lowestRun = LeastRateHz / 4 // Hz
)

// Run examines. Stopped by its context, it returns an error.
func (e *Examination) Run(ctx context.Context) (*Findings, error) {
	f := &Findings{
		Format: format, Machine: realtime.MachineID(), CPU: e.CPU, At: time.Now().Format(time.RFC3339), Version: e.Program,
		RateHz: e.RateHz, Seconds: e.Seconds, Conditions: realtime.Conditions(e.root(), e.CPU),
	}
	for rate, n := e.RateHz, 1; n <= rungs || !f.holds(2*rate) && rate >= lowestRun; rate, n = rate/2, n+1 {
		if err := e.rung(ctx, f, rate); err != nil {
			return nil, err
		}
	}
	f.Verdict = f.verdict()
	return f, nil
}

func (e *Examination) root() string {
	if e.Root == "" {
		return "/"
	}
	return e.Root
}

// rung measures at a rate: idle and, if asked for, under load.
func (e *Examination) rung(ctx context.Context, f *Findings, rate float64) error {
	if err := e.both(ctx, f, rate, ""); err != nil || !e.Load {
		return err
	}
	load, stop, err := startLoad(ctx)
	if err != nil {
		return err
	}
	defer stop()
	return e.both(ctx, f, rate, load)
}

// both measures without a network and with one.
func (e *Examination) both(ctx context.Context, f *Findings, rate float64, load string) error {
	for _, network := range []bool{false, true} {
		m := Measurement{RateHz: rate, UDP: network, Load: load, Seconds: e.Seconds}
		e.Say(fmt.Sprintf("%s: %g s …", m.Name(), e.Seconds))
		if err := e.measure(ctx, &m); err != nil {
			return err
		}
		f.Measurements = append(f.Measurements, m)
	}
	return nil
}

// Name says what is measured.
func (m *Measurement) Name() string { return fmt.Sprintf("%g Hz, %s", m.RateHz, m.Where()) }

// Where says what is measured at a rate.
func (m *Measurement) Where() string {
	of, load := "without a network", "idle"
	if m.UDP {
		of = "with a rig over UDP"
	}
	if m.Load != "" {
		load = "under load"
	}
	return of + ", " + load
}

// measure runs the loop at a rate.
func (e *Examination) measure(ctx context.Context, m *Measurement) error {
	text := Scenario(m.RateHz, e.Seconds)
	t := session.Trial{Job: session.Job{Scenario: text, Source: "the doctor's scenario", Program: e.Program}, CPU: e.CPU,
		Command: e.Loop()}
	if m.UDP {
		at, stop, err := serve(text, e.CPU)
		if err != nil {
			return err
		}
		defer stop()
		t.Job.Address = "udp://" + at.String()
	}
	before, err := realtime.ReadCounters(e.root(), e.CPU)
	if err != nil {
		return err
	}
	began := time.Now()
	of, err := t.Run(ctx)
	if err != nil {
		return err
	}
	m.Realtime = of.Realtime
	after, err := realtime.ReadCounters(e.root(), e.CPU)
	m.Conditions = after.Since(before, time.Since(began).Seconds())
	return err
}

// Scenario is the loop that is timed: three storeys, one of them in the laboratory, with energies, tracking indicators,
// limits and an adaptive compensator, at a rate, Hz, for a time, s. Its motion is steady and
// stays far below all limits.
func Scenario(rateHz, seconds float64) string {
	return fmt.Sprintf(`name: doctor
rate_hz: %g
ground: {kind: sine, frequency_hz: 2, amplitude_m_s2: 1, duration_s: %g}
structure: {kind: shear, masses: [1000, 1000, 1000], stiffnesses: [1e6, 1e6, 1e6], damping: {modal_ratio: [0.03]}}
integrator: {kind: rk4}
specimen: {kind: linear, mass: 10, damping: 100, stiffness: 1e5}
transfer: {kind: second-order, stroke_m: 0.1, rate_m_s: 1}
sensors: {displacement_noise: 1e-6, force_noise: 1}
compensator: {kind: amb}
indicators: {energies: true, tracking: true}
rig: {kind: udp, clock: lockstep}
`, rateHz, seconds)
}

// serve serves the rig of a scenario, in this process, on a thread that stands for another computer: with a
// fixed priority, and not on the loop's processor.
func serve(text string, loopCPU int) (at netip.AddrPort, stop func(), err error) {
	s, err := scenario.Parse("the doctor's scenario", []byte(text), "", nil)
	if err != nil {
		return at, nil, err
	}
	server, _, err := session.NewServer(s, "127.0.0.1:0", nil, scenario.Options{}, nil, func(udp.Session) {})
	if err != nil {
		return at, nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		runtime.LockOSThread() // the thread ends with this goroutine
		_ = realtime.Beside(loopCPU)
		_ = server.Serve(ctx)
	}()
	return server.Address(), func() { cancel(); <-ended }, nil
}
