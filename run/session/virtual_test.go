package session

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rths"
	"rths/kit/rthstest"
	"rths/result/record"
	"rths/scenario"
)

// played is a virtual run of a scenario, with what it said, and how often it called back.
type played struct {
	Virtual
	said                   []string
	begun, looks, progress int
	look                   func() // at each Look; nil: nothing
}

func (p *played) play(t *testing.T, ctx context.Context, sets ...string) (record.Manifest, error) {
	t.Helper()
	s := rthstest.Must(scenario.Parse("virtual", []byte(rthstest.TwoStoreys(20, "{kind: udp}")), ".", sets))
	p.Version, p.Say = "1", func(text string) { p.said = append(p.said, text) }
	p.Begun = func(m *record.Manifest) error {
		p.begun++
		if m.Status != rths.Running || m.Version != "1" || p.looks > 0 {
			t.Errorf("begun with %+v, after %d looks", m, p.looks)
		}
		return nil
	}
	p.Look = func() {
		if p.looks++; p.look != nil {
			p.look()
		}
	}
	p.Progress = func(int) { p.progress++ }
	of := rthstest.Must(p.Connect(ctx, s, ""))
	defer p.Close()
	if of != s {
		t.Error("a scenario without a rig elsewhere is another one now")
	}
	r := rthstest.Must(of.Build(t.Context(), p.Options("")))
	r.Warnings, r.Notes = append(r.Warnings, "a warning"), append(r.Notes, "a note")
	return p.Play(ctx, r)
}

// A virtual run leaves its record and the manifest that Play returns, with or without a pace.
func TestVirtualPlays(t *testing.T) {
	for _, pace := range []float64{0, 1e6} {
		p := &played{Virtual: Virtual{Out: filepath.Join(t.TempDir(), "run"), Pace: pace}}
		m, err := p.play(t, t.Context())
		if err != nil || m.Status != rths.Completed || m.Samples != 20*256+1 || !(m.WallS > 0) || m.Verdict == "" {
			t.Fatalf("%v, %s (%s), %d samples, verdict %q", err, m.Status, m.Reason, m.Samples, m.Verdict)
		}
		if p.begun != 1 || p.looks != 20 || p.progress != 1 || !slices.Contains(p.said, "warning: a warning") ||
			!slices.Contains(p.said, "note: a note") {
			t.Errorf("pace %g: begun %d times, %d looks, %d bars, said %q", pace, p.begun, p.looks, p.progress, p.said)
		}
		a := rthstest.Must(record.Open(p.Out))
		if a.Rows() != m.Samples || a.Manifest.Status != m.Status || a.Manifest.Verdict != m.Verdict ||
			!slices.Contains(a.Manifest.Notes, "a warning") {
			t.Errorf("%d rows, %+v", a.Rows(), a.Manifest)
		}
	}
}

// A run that is stopped has the results so far, and says who has stopped it.
func TestVirtualIsStopped(t *testing.T) {
	for by, want := range map[error]string{nil: "stopped by the user",
		errors.New("a viewer has pressed STOP"): "a viewer has pressed STOP"} {
		ctx, stop := context.WithCancelCause(t.Context())
		p := new(played)
		p.look = func() {
			if p.looks == 3 {
				stop(by)
			}
		}
		m, err := p.play(t, ctx)
		if err != nil || m.Status != rths.Stopped || m.Verdict != "" || len(m.Criteria) == 0 {
			t.Fatalf("%v, %s, verdict %q, %d criteria", err, m.Status, m.Verdict, len(m.Criteria))
		}
		if !strings.HasPrefix(m.Reason, want+" at t = 3.0") { // 3 times 256 ticks, and at most 2 more
			t.Errorf("%q: want %q", m.Reason, want)
		}
	}
}

// A run whose page refuses it has no record; a folder that is taken is wrong use.
func TestVirtualIsRefused(t *testing.T) {
	dir := t.TempDir()
	p := &played{Virtual: Virtual{Out: filepath.Join(dir, "run")}}
	if _, err := p.play(t, t.Context()); err != nil {
		t.Fatal(err)
	}
	again := &played{Virtual: Virtual{Out: p.Out}}
	if _, err := again.play(t, t.Context()); err == nil || again.looks > 0 {
		t.Errorf("%v, %d looks: want that the folder is taken", err, again.looks)
	}
	s := rthstest.Must(scenario.Parse("virtual", []byte(rthstest.TwoStoreys(1, "{kind: udp}")), ".", nil))
	if _, err := new(Virtual).Connect(t.Context(), s, "tcp://127.0.0.1:7400"); err == nil ||
		!strings.Contains(err.Error(), "want udp://host:port") {
		t.Errorf("%v: want an address", err)
	}
	if _, err := new(Virtual).Connect(t.Context(), rthstest.Must(s.WithRig("rig")), "udp://127.0.0.1:7400"); err == nil ||
		!strings.Contains(err.Error(), "in lockstep") {
		t.Errorf("%v: want lockstep", err)
	}
}

// The clock is looked at every 10 ms or so, at ticks that are powers of two; a wait ends with its context.
func TestPacing(t *testing.T) {
	for _, c := range []struct {
		factor, rate float64
		want         int
	}{{1, 4096, 32}, {1, 100, 1}, {10, 1024, 64}, {1e6, 4096, 256}, {0.001, 4096, 1}} {
		p := pacing{factor: c.factor, rate: c.rate}
		if got := p.stride(256); got != c.want {
			t.Errorf("%g × real time at %g Hz: %d ticks, want %d", c.factor, c.rate, got, c.want)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	p := pacing{factor: 1, rate: 1}
	if p.wait(ctx, 1e6); time.Since(p.start) > time.Hour {
		t.Error("waited to its instant")
	}
	began := time.Now()
	p = pacing{factor: 2, rate: 1000}
	p.wait(t.Context(), 0)
	if p.wait(t.Context(), 100); time.Since(began) < 50*time.Millisecond {
		t.Errorf("100 ticks at 1000 Hz, twice as fast, in %v: want 50 ms", time.Since(began))
	}
}
