package report

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"rths/result/plotting"
	"rths/result/record"
	"rths/scenario/files"
)

//go:embed assets
var assets embed.FS

// Drawing are the scripts that draw the figures of a page (drawPlots of plots.js), after uPlot and plotting's plot.js.
var Drawing = []string{"unpack.js", "theme.js", "picture.js", BodyScript, "moving.js", "plots.js"}

// BodyScript draws a Body, on the live page too.
const BodyScript = "body.js"

// Script is a script by its name.
func Script(name string) string { return plotting.TextOf(assets, name) }

// page is the input of the template.
type page struct {
	Title       string
	Tab         string // title of the browser's tab and of printed sheets
	Places      []place
	Several     bool
	Runs        []pageRun
	Facts       []fact   // of all runs
	Remarks     []string // of all runs
	Headline    table
	Against     []string // a test and its rehearsal, in sentences
	Differences table    // of the settings
	Tables      []table
	Note        string
	Footer      string

	UPlotCSS, CSS plotting.Raw
	UPlotJS, JS   plotting.Raw
	Data          plotting.Raw
}

type pageRun struct {
	Name, Status, Verdict, Scenario string

	Place   place
	Remarks []string
	Facts   []fact
	Events  []pageEvent // limits that were crossed, faults on request
	Test    *labTest    // nil: a virtual run
}

type pageEvent struct{ Time, Channel, Fault, Value, Limit, Action string } // a fault stands in place of the last three

func events(a *record.Archive) []pageEvent {
	var out []pageEvent
	for _, e := range a.Events {
		if e.Fault != "" {
			out = append(out, pageEvent{Time: fmt.Sprintf("%.4f", e.TimeS), Channel: e.Channel,
				Fault: "fault " + e.Fault + " " + e.Action})
			continue
		}
		if e.Action == record.FallsBack || e.Action == record.Returns {
			out = append(out, pageEvent{Time: fmt.Sprintf("%.4f", e.TimeS), Channel: e.Channel,
				Fault: strings.TrimSuffix(e.Action+": "+e.Cause, ": ")})
			continue
		}
		if why := stopOf(a, e); why != "" {
			out = append(out, pageEvent{Time: fmt.Sprintf("%.4f", e.TimeS), Channel: e.Channel, Fault: why + ": " + e.Action})
			continue
		}
		if e.Channel == record.FailedReading {
			out = append(out, pageEvent{Time: fmt.Sprintf("%.4f", e.TimeS), Channel: e.Channel, Value: "failed", Limit: "–",
				Action: e.Action})
			continue
		}
		out = append(out, pageEvent{Time: fmt.Sprintf("%.4f", e.TimeS), Channel: e.Channel,
			Value: fmt.Sprintf("%.5g", float64(e.Value)), Limit: fmt.Sprintf("%.5g", float64(e.Limit)), Action: e.Action})
	}
	return out
}

// File is the name of a page in the folder of what it is of.
const File = "report.html"

// WritePage writes the page of runs into a file.
func WritePage(path string, runs []*record.Archive) error {
	return files.Write(path, func(w io.Writer) error { return Page(w, runs) })
}

// Page writes one HTML page that needs no network: of one run, or comparing
// several.
func Page(w io.Writer, runs []*record.Archive) error {
	if len(runs) == 0 {
		return errors.New("report: no runs: want at least one")
	}
	runs = testFirst(runs)
	names, beginning := namesOf(runs)
	p := page{Title: names[0], Several: len(runs) > 1, Headline: newHeadline(runs, names), Tables: newTables(runs, names),
		Differences: differences(runs, names), Footer: footer(runs[0])}
	if p.Several {
		p.Title = strings.TrimSuffix(fmt.Sprintf("Comparison of %d runs: %s", len(runs), beginning), ": ")
	}
	for i, a := range runs {
		b := newBlocks(a)
		r := pageRun{Name: names[i], Status: status(a), Verdict: verdict(a), Scenario: a.Scenario, Place: placeOf(a),
			Remarks: remarks(a, b), Facts: facts(a, b), Events: events(a)}
		title := ""
		if p.Several {
			title = names[i]
		}
		r.Test = newLabTest(a, title)
		p.Runs = append(p.Runs, r)
	}
	p.Places = places(runs, names)
	fs := newFigures(runs, names)
	missing := fs.session(runs, names)
	p.Facts = common(p.Runs, func(r pageRun) []fact { return r.Facts })
	switch {
	case paired(runs):
		p.Title = runs[0].Name + ": test and rehearsal"
		p.Facts = p.Runs[0].Facts
		p.Against = against(runs[0], runs[1])
		fs.rehearsed(newSource(runs[0]), newSource(runs[1]))
	case !p.Several:
		p.Against = against(runs[0], nil)
	}
	if fs.added != "" {
		missing = append(missing, fs.added)
	}
	p.Tab = p.Places[0].Name + " · " + p.Title
	p.Remarks = append(common(p.Runs, func(r pageRun) []string { return r.Remarks }), missing...)
	for i := range p.Runs {
		p.Runs[i].Remarks = slices.DeleteFunc(p.Runs[i].Remarks, func(s string) bool { return slices.Contains(p.Remarks, s) })
	}
	if err := errors.Join(p.draw(fs), unread(runs)); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return p.write(w)
}

// unread is the first error met while columns of the runs were read.
func unread(runs []*record.Archive) error {
	for _, a := range runs {
		if err := a.Err(); err != nil {
			return err
		}
	}
	return nil
}

// common is what all runs have of a list.
func common[T comparable](runs []pageRun, of func(pageRun) []T) []T {
	return slices.DeleteFunc(slices.Clone(of(runs[0])), func(one T) bool {
		return slices.ContainsFunc(runs, func(r pageRun) bool { return !slices.Contains(of(r), one) })
	})
}

func footer(a *record.Archive) string {
	var parts []string
	for _, s := range []string{a.Version, a.Go, a.Machine} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(append(parts, "plots by uPlot (MIT licence)"), " · ")
}

// draw sets the data of the plots.
func (p *page) draw(fs *figures) error {
	fs.relate()
	g := fs.grid()
	p.Note = g.note(fs.marks)
	data, err := fs.encode(g)
	p.Data = plotting.Raw(data)
	return err
}

// write writes the page.
func (p *page) write(w io.Writer) error {
	js := plotting.Asset("plot.js")
	for _, name := range append(slices.Clone(Drawing), "tables.js", "page.js") {
		js += Script(name)
	}
	p.CSS, p.JS = plotting.Raw(plotting.Asset("page.css")), plotting.Raw(js)
	p.UPlotCSS, p.UPlotJS = plotting.Raw(plotting.Asset("uplot/uPlot.min.css")),
		plotting.Raw(plotting.Asset("uplot/uPlot.iife.min.js"))
	return plotting.NewTemplate(plotting.TextOf(assets, "page.html")).Execute(w, p)
}
