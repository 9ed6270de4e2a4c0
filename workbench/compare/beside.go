package compare

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rths/result/catalogue"
	"rths/result/record"
	"rths/result/report"
	"rths/workbench"
)

// Bounds of what is compared and drawn.
const (
	mostRuns    = 10
	mostColumns = 24
	leastPoints = 200
	mostPoints  = 8000
)

// Some are runs that a page compares.
type Some struct {
	Runs []string `json:"runs"`
}

func (s Some) check() error {
	if n := len(s.Runs); n == 0 || n > mostRuns {
		return workbench.Refuse("%d runs: want 1 to %d to be compared", n, mostRuns)
	}
	return nil
}

// Compared are runs beside each other.
type Compared struct {
	Runs    []Known         `json:"runs"`
	Tables  []report.Beside `json:"tables"` // the settings that differ, and results
	Columns []Column        `json:"columns"`
	Command string          `json:"command"`
}

// Known is a run that is compared.
type Known struct {
	Run    string `json:"run"`
	Name   string `json:"name"` // in the tables and figures
	Kind   string `json:"kind"`
	Ended  string `json:"ended"`           // how, and what the results are worth
	Wrong  string `json:"wrong,omitempty"` // why there is nothing to be drawn
	Record bool   `json:"record"`          // there is one, to be drawn and downloaded
}

// Column is a column that at least one run has.
type Column struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
	Doc  string `json:"doc,omitempty"`
}

func (b *Bench) compare(ctx context.Context, in Some) (Compared, error) {
	if err := in.check(); err != nil {
		return Compared{}, err
	}
	out := Compared{Columns: []Column{}, Command: "rths runs show " + quoted(in.Runs[0])}
	if len(in.Runs) > 1 {
		out.Command = "rths report"
		for _, run := range in.Runs {
			out.Command += " " + quoted(run)
		}
	}
	var list []*record.Archive
	for _, run := range in.Runs {
		r, m, err := b.known(run)
		one := Known{Run: run, Kind: r.Kind, Ended: m.Ended(), Record: err == nil && r.Kind == catalogue.Run && !r.Gone}
		if m.Reason != "" {
			one.Ended += ": " + strings.TrimPrefix(m.Reason, m.Status+" ")
		}
		switch {
		case err != nil:
			one.Wrong, one.Ended = err.Error(), "not to be read"
		case r.Gone:
			one.Wrong = "its folder is gone: the catalogue has its results still"
		case r.Kind != catalogue.Run:
			one.Wrong = "a " + r.Kind + " has no curves of its own"
		}
		out.Runs = append(out.Runs, one)
		list = append(list, &record.Archive{Manifest: m, Dir: filepath.Join(b.folder, filepath.FromSlash(run))})
		for _, c := range m.Columns {
			if one.Record && !slices.ContainsFunc(out.Columns, func(d Column) bool { return d.Name == c.Name }) {
				out.Columns = append(out.Columns, Column{c.Name, c.Unit, c.Doc})
			}
		}
	}
	names, tables := report.Tables(list)
	for i := range out.Runs {
		out.Runs[i].Name = names[i]
	}
	out.Tables = append([]report.Beside{}, tables...)
	return out, nil
}

// known is what is known of a run, by its folder or else by the catalogue.
func (b *Bench) known(run string) (r catalogue.Item, m record.Manifest, err error) {
	dir, err := b.place(run)
	r = catalogue.Item{Entry: &catalogue.Entry{Kind: catalogue.Run, Name: run}}
	if err == nil && catalogue.IsRun(dir) {
		e, err := catalogue.Read(dir)
		if err != nil {
			return r, record.Manifest{Name: run}, err
		}
		r = catalogue.Item{Dir: filepath.Dir(dir), Entry: &e}
		m, err := r.Known()
		return r, m, err
	}
	if err != nil && !os.IsNotExist(err) {
		return r, record.Manifest{Name: run}, err
	}
	for _, dir := range b.below() {
		list, err := catalogue.List(dir, catalogue.Query{})
		if err != nil {
			return r, record.Manifest{Name: run}, err
		}
		for i := range list.Entries {
			if r := (catalogue.Item{Dir: dir, Entry: &list.Entries[i]}); b.nameOf(&r) == run {
				r.Gone = true
				return r, r.Manifest(), nil
			}
		}
	}
	return r, record.Manifest{Name: run}, fmt.Errorf("%s is gone, and no catalogue knows it", run)
}

// Draw asks for curves of runs.
type Draw struct {
	Some
	Columns  []string `json:"columns"`
	Together bool     `json:"together"` // columns of one unit share a figure
	Points   int      `json:"points"`   // of a curve
	From     float64  `json:"from"`     // the part of the time that is in sight, s; all of it if equal
	To       float64  `json:"to"`
}

// Drawn are the curves, as the script of reports draws them.
type Drawn struct {
	Page  json.RawMessage   `json:"page"`
	Wrong map[string]string `json:"wrong"` // why a run has no curves
	Quick bool              `json:"quick"` // no archive had to be read as a whole
}

func (b *Bench) draw(ctx context.Context, in Draw) (Drawn, error) {
	if err := in.check(); err != nil {
		return Drawn{}, err
	}
	if n := len(in.Columns); n == 0 || n > mostColumns {
		return Drawn{}, workbench.Refuse("%d columns: want 1 to %d to be drawn", n, mostColumns)
	}
	b.drawing.Lock()
	defer b.drawing.Unlock()
	out := Drawn{Wrong: map[string]string{}, Quick: true}
	o := report.Overlay{Columns: in.Columns, Together: in.Together, From: in.From, To: in.To,
		Points: min(max(in.Points, leastPoints), mostPoints)}
	var all []*record.Archive
	var taken []*opened
	for _, run := range in.Runs {
		if ctx.Err() != nil {
			return Drawn{}, ctx.Err()
		}
		a, err := b.archive(run)
		if err != nil {
			out.Wrong[run] = err.Error()
			all = append(all, &record.Archive{Manifest: record.Manifest{Name: run}, Dir: filepath.FromSlash(run)})
			continue
		}
		taken = append(taken, a)
		all, o.Runs = append(all, a.Archive), append(o.Runs, a.Archive)
		out.Quick = out.Quick && !a.WantsPyramid()
	}
	names, _ := report.Tables(all)
	for i, a := range all {
		if slices.Contains(o.Runs, a) {
			o.Names = append(o.Names, names[i])
		}
	}
	if len(o.Runs) == 0 {
		return out, nil
	}
	page, err := o.Sketch()
	if err != nil {
		b.drop(taken)
		return Drawn{}, workbench.Refuse("%w", err)
	}
	out.Page = page
	for _, a := range taken {
		b.pile(a)
	}
	return out, nil
}

// opened is an archive that is kept open, as it was at an instant.
type opened struct {
	*record.Archive
	run, stamp string
	piling     bool
}

// keptOpen is how many archives are kept open.
const keptOpen = mostRuns

// archive is the archive of a run, which is opened again where its files have changed.
func (b *Bench) archive(run string) (*opened, error) {
	dir, err := b.place(run)
	if err != nil {
		if os.IsNotExist(err) {
			err = fmt.Errorf("%s is gone", run)
		}
		return nil, err
	}
	now := ""
	for _, file := range []string{record.ManifestFile, record.FramesFile, record.PyramidFile} {
		if info, err := os.Stat(filepath.Join(dir, file)); err == nil {
			now += fmt.Sprintln(info.ModTime().UnixNano(), info.Size())
		}
	}
	i := slices.IndexFunc(b.archives, func(o *opened) bool { return o.run == run })
	if i >= 0 {
		o := b.archives[i]
		b.archives = slices.Delete(b.archives, i, i+1)
		if o.stamp == now {
			b.archives = slices.Insert(b.archives, 0, o)
			return o, nil
		}
		o.Close()
	}
	a, err := record.Reopen(dir)
	if err != nil {
		return nil, err
	}
	b.archives = slices.Insert(b.archives, 0, &opened{Archive: a, run: run, stamp: now})
	if n := len(b.archives); n > keptOpen {
		b.drop(b.archives[keptOpen:])
	}
	return b.archives[0], nil
}

// drop closes archives.
func (b *Bench) drop(list []*opened) {
	for _, o := range slices.Clone(list) {
		o.Close()
		b.archives = slices.DeleteFunc(b.archives, func(p *opened) bool { return p == o })
	}
}

func (b *Bench) closed() bool {
	select {
	case <-b.stop:
		return true
	default:
		return false
	}
}

// pile makes the pyramid of a long archive in the background, one at a time. Where it cannot be written, nothing is
// lost.
func (b *Bench) pile(o *opened) {
	if !o.WantsPyramid() || o.piling || b.closed() {
		return
	}
	o.piling = true
	b.piling.Go(func() {
		select {
		case b.busy <- struct{}{}:
			defer func() { <-b.busy }()
			_ = o.WritePyramid(b.stop) // the next opening finds it or not
		case <-b.stop:
		}
	})
}
