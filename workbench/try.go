package workbench

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"rths/result/record"
	"rths/result/report"
	"rths/run/session"
	"rths/scenario"
)

// Try is a text to be run as it stands, and texts whose runs are laid over it.
type Try struct {
	Place
	Pinned []Pinned `json:"pinned,omitempty"` // at most mostPinned
	Points int      `json:"points"`           // of a curve: about twice the width of a plot in pixels
	// also of texts that do not ask for them, where they can be told; the run takes a third longer
	Energies bool `json:"energies,omitempty"`
}

// Pinned is a text with the name under which it is shown.
type Pinned struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Limits of what is drawn.
const (
	mostPinned  = 3
	leastPoints = 200
	mostPoints  = 8000
)

// Tried is a run as the page shows it.
type Tried struct {
	Sentence string          `json:"sentence"` // how the run has ended, and how well the displacement follows its target
	Criteria []report.Cell   `json:"criteria"`
	Remarks  []string        `json:"remarks"` // warnings and notes of the run, and what it has not reached
	Page     json.RawMessage `json:"page"`    // figures, as the script of reports draws them
	RunMs    float64         `json:"run_ms"`  // of the run alone
	TookMs   float64         `json:"took_ms"` // of the whole call
	Command  string          `json:"command"` // that does the same in a terminal
}

func (d *Desk) try(ctx context.Context, in Try, progress func(float64)) (Tried, error) {
	begun := time.Now()
	if err := in.check(); err != nil {
		return Tried{}, err
	}
	if len(in.Pinned) > mostPinned {
		return Tried{}, Refuse("%d pinned runs: want at most %d", len(in.Pinned), mostPinned)
	}
	now, err := d.run(ctx, in.Place, in.Energies, progress)
	if err != nil {
		return Tried{}, err
	}
	defer d.kept.release(now)
	a := now.run
	shown, runs, names := []*tried{now}, []*record.Archive{a}, []string{"now"}
	for i, p := range in.Pinned {
		pinned, err := d.run(ctx, Place{in.Path, p.Text}, in.Energies, progress)
		if err != nil {
			return Tried{}, err
		}
		defer d.kept.release(pinned)
		name := p.Name
		if name == "" || slices.Contains(names, name) {
			name = fmt.Sprintf("pinned %d", i+1)
		}
		shown, runs, names = append(shown, pinned), append(runs, pinned.run), append(names, name)
	}
	d.kept.only(shown)
	out := Tried{Criteria: report.Cells(a), RunMs: 1e3 * a.WallS, Command: "rths run " + in.name(),
		Remarks: append(append([]string{}, a.Warnings...), a.Notes...)}
	for _, missed := range a.Unmet {
		out.Remarks = append(out.Remarks, "Not reached: "+missed)
	}
	said := make(chan string, 1) // the sentence looks through all samples too
	go func() {
		defer func() {
			if p := recover(); p != nil {
				said <- fmt.Sprintf("the program has failed: %v; please report this", p)
			}
		}()
		said <- report.Sentence(a)
	}()
	out.Page, err = report.Sketch(runs, names, min(max(in.Points, leastPoints), mostPoints))
	if out.Sentence = <-said; err != nil {
		return Tried{}, err
	}
	out.TookMs = 1e3 * time.Since(begun).Seconds()
	return out, nil
}

// run is the run of a text: the one that is kept, or a new one. The caller releases it.
func (d *Desk) run(ctx context.Context, in Place, energies bool, progress func(float64)) (*tried, error) {
	key := sha256.Sum256(fmt.Appendf(nil, "%s\x00%t\x00%s", in.Path, energies, in.Text))
	if t := d.kept.find(key); t != nil {
		return t, nil
	}
	var a *record.Archive
	err := error(nil)
	if energies {
		a, err = d.play(ctx, in, progress, "indicators.energies=true")
	}
	if !energies || err != nil && ctx.Err() == nil {
		a, err = d.play(ctx, in, progress)
	}
	if err != nil {
		return nil, err
	}
	return d.kept.add(key, a), nil
}

// play runs a text with some keys set, and keeps its record.
func (d *Desk) play(ctx context.Context, in Place, progress func(float64), sets ...string) (*record.Archive, error) {
	var kept *record.Kept
	v := &session.Virtual{Version: d.Version, Glance: true}
	ready := func(r *scenario.Run) (err error) {
		if bytes := 8 * float64(r.Samples) * float64(len(r.Channels)+40); bytes > mostBytes {
			return Refuse("%s: its record takes %.1f GB: want rths run %s in a terminal, or a shorter motion", in.name(),
				bytes/1e9, in.name())
		}
		kept, err = record.NewKept(r.Loop.Frame(), r.Channels, r.Samples, d.kept.memory())
		if err == nil {
			r.Loop.Attach(kept)
		}
		return err
	}
	m, err := d.virtual(ctx, v, textRun{Place: in, sets: sets, progress: progress, ready: ready})
	if err != nil {
		return nil, err
	}
	return kept.Archive(m)
}

// textRun is a run of a text: with some keys set, and with what is done before its first tick.
type textRun struct {
	Place
	sets     []string
	progress func(share float64)
	ready    func(*scenario.Run) error
}

// virtual runs a text. A panic is the run's, not the page's.
func (d *Desk) virtual(ctx context.Context, v *session.Virtual, of textRun) (m record.Manifest, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = Refuse("%s: the run has failed within the program: %v; please report this scenario", of.name(), p)
		}
	}()
	s, err := d.parse(of.Place, of.sets...)
	if err != nil {
		return m, &Refused{err}
	}
	if s.External() != nil {
		return m, Refuse("%s: another program integrates the structure: want rths run %s in a terminal", of.name(), of.name())
	}
	if s, err = v.Connect(ctx, s, ""); err != nil {
		return m, &Refused{err}
	}
	defer v.Close()
	r, err := s.Build(ctx, v.Options(d.Records))
	if err != nil {
		return m, &Refused{err}
	}
	if of.ready != nil {
		if err := of.ready(r); err != nil {
			return m, err
		}
	}
	if of.progress != nil {
		v.Progress = func(ticks int) { of.progress(float64(ticks) / float64(max(1, r.Samples))) }
	}
	m, err = v.Play(ctx, r)
	switch {
	case ctx.Err() != nil:
		return m, errGone
	case err != nil:
		return m, &Refused{err}
	}
	return m, nil
}
