// Package doctor judges whether a machine holds a rate: it runs the loop's process of a test, with and without a
// rig behind the network, idle and under load, over a ladder of rates, and counts the ticks that missed their
// deadline.
//
// A judgement is of one machine, one processor and one kernel, and of what else ran there meanwhile. It is no proof
// of rarer misses than the ticks that were counted: see Bound. A loop that works longer than that of the doctor
// (large structures) may miss more.
package doctor

import (
	"context"
	"fmt"
	"net/netip"
	"os/exec"
	"runtime"
	"time"

	"rths/realtime"
	"rths/record"
	"rths"
	"rths/rig/udp"
	"rths/scenario"
	"rths/session"
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
	UDP        bool                 `json:"udp"`  // with a rig behind datagrams, in another process of this machine
	Load       string               `json:"load"` // command that ran beside; "": nothing
	Seconds    float64              `json:"seconds"`
	Realtime   *record.Realtime     `json:"realtime"`
	Conditions []realtime.Condition `json:"conditions"` // what came meanwhile: steal, interrupts, throttling
}

// Rungs of the ladder below the highest rate, as shares of it.
var rungs = []float64{0.25, 0.5, 1}

// Rates that can be asked for, Hz: at a quarter of the least one the examined loop is still stable.
const (
	LeastRateHz = 400
	MostRateHz  = 16384
)

// Run examines. Stopped by its context, it returns an error.
func (e *Examination) Run(ctx context.Context) (*Findings, error) {
	f := &Findings{
		Format: Format, Machine: realtime.MachineID(), CPU: e.CPU, At: time.Now().Format(time.RFC3339), Version: e.Program,
		RateHz: e.RateHz, Seconds: e.Seconds, Conditions: realtime.Conditions(e.root(), e.CPU),
	}
	loads := []bool{false}
	if e.Load {
		loads = append(loads, true)
	}
	for _, loaded := range loads {
		if err := e.ladder(ctx, f, loaded); err != nil {
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

// ladder measures at all rates.
func (e *Examination) ladder(ctx context.Context, f *Findings, loaded bool) error {
	load := ""
	if loaded {
		var stop func()
		var err error
		if load, stop, err = startLoad(ctx); err != nil {
			return err
		}
		defer stop()
	}
	for _, share := range rungs {
		for _, network := range []bool{false, true} {
			m := Measurement{RateHz: share * e.RateHz, UDP: network, Load: load, Seconds: e.Seconds}
			e.Say(fmt.Sprintf("%s: %g s …", m.Name(), e.Seconds))
			if err := e.measure(ctx, &m); err != nil {
				return err
			}
			f.Measurements = append(f.Measurements, m)
		}
	}
	return nil
}

// Name says what is measured.
func (m *Measurement) Name() string {
	of, load := "without a network", "idle"
	if m.UDP {
		of = "with a rig behind UDP"
	}
	if m.Load != "" {
		load = "under load"
	}
	return fmt.Sprintf("%g Hz, %s, %s", m.RateHz, of, load)
}

// measure runs the loop at a rate.
func (e *Examination) measure(ctx context.Context, m *Measurement) error {
	text := Scenario(m.RateHz, e.Seconds)
	t := session.Trial{Job: session.Job{Scenario: text, Source: "the doctor's scenario", Program: e.Program}, CPU: e.CPU, Command: e.Loop()}
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
	if m.Realtime, err = t.Run(ctx); err != nil {
		return err
	}
	after, err := realtime.ReadCounters(e.root(), e.CPU)
	m.Conditions = after.Since(before, time.Since(began).Seconds())
	return err
}

// Scenario is the loop that is timed: the first case of the single-actuator benchmark with all observers, limits and
// an adaptive compensator, at a rate, Hz, for a time, s. Its motion stays far below all limits.
func Scenario(rateHz, seconds float64) string {
	return fmt.Sprintf(`name: doctor
rate_hz: %g
ground: {kind: clough-penzien, duration_s: %g, pga_g: 0.1}
structure: {kind: silva2020, case: 1}
integrator: {kind: rk4}
specimen: {kind: silva2020}
transfer: {kind: silva2020}
sensors: {displacement_noise: 1e-6, force_noise: 1}
converters: {reading: metres}
compensator: {kind: amb-galmez2021}
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
	fresh := func() (*scenario.Laboratory, error) { return s.Laboratory(scenario.Options{}) }
	lab, err := fresh()
	if err != nil {
		return at, nil, err
	}
	server, err := udp.NewServer("127.0.0.1:0", udp.Laboratory{
		Info: lab.Info(), Guard: lab.OwnLimits(),
		Make: func() (rths.Rig, error) {
			l, err := fresh()
			if err != nil {
				return nil, err
			}
			return l.Rig, nil
		},
	}, func(udp.Session) {})
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
