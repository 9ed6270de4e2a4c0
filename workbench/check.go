package workbench

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"rths/campaign/analyse"
	"rths/scenario"
	"rths/scenario/doubts"
	"rths/scenario/syntax"
)

// Remark is what rths lint says of a place in a text.
type Remark struct {
	Severity string `json:"severity"`         // error, warning or info
	Line     int    `json:"line,omitempty"`   // from 1; 0: of the whole
	Column   int    `json:"column,omitempty"` // from 1, in letters
	Text     string `json:"text"`             // without the place

	Key syntax.Path `json:"key,omitempty"` // of the form, that it is about
}

// Checked is what rths lint says of a text.
type Checked struct {
	OK      bool     `json:"ok"`
	Remarks []Remark `json:"remarks"`
	Study   bool     `json:"study,omitempty"` // the text is a study, which rths study runs
}

func (d *Desk) check(ctx context.Context, in Place) (Checked, error) {
	if err := in.check(); err != nil {
		return Checked{}, err
	}
	if isStudy, _ := syntax.HasKey(in.name(), []byte(in.Text), "scenario"); isStudy {
		return d.checkStudy(ctx, in)
	}
	out := Checked{Remarks: []Remark{}}
	s, err := d.parse(in)
	var r *scenario.Run
	if err == nil {
		out.add("warning", in, doubts.Of(s)...)
		r, _, err = analyse.Lint(ctx, in.name(), s, d.options(), false,
			func(ctx context.Context, s *scenario.Scenario, o scenario.Options) (*scenario.Run, error) {
				return s.Build(ctx, o)
			},
			func(set string) (*scenario.Scenario, error) { return d.parse(in, set) })
	}
	if ctx.Err() != nil {
		return out, errGone
	}
	if r != nil {
		out.add("warning", in, r.Warnings...)
		out.add("info", in, r.Notes...)
	}
	for _, e := range each(err) {
		out.add("error", in, e.Error())
	}
	out.OK = err == nil
	out.locate(in)
	return out, nil
}

// parse reads a text as rths does in the folder of its file.
func (d *Desk) parse(in Place, sets ...string) (*scenario.Scenario, error) {
	if err := d.within(in); err != nil {
		return nil, err
	}
	at := filepath.Join(d.Folder, filepath.FromSlash(in.Path))
	return scenario.Parse(in.name(), []byte(in.Text), filepath.Dir(at), sets)
}

func (d *Desk) options() scenario.Options {
	return scenario.Options{RecordsDir: d.Records, Shared: scenario.NewShared()}
}

// each are the errors that were joined.
func each(err error) []error {
	var joined interface{ Unwrap() []error }
	switch {
	case err == nil:
		return nil
	case errors.As(err, &joined) && sameText(err, joined.Unwrap()):
		return slices.Concat(mapped(joined.Unwrap(), each)...)
	}
	return []error{err}
}

// sameText reports whether an error is the lines of others and nothing more.
func sameText(err error, list []error) bool {
	return err.Error() == errors.Join(list...).Error()
}

func mapped[A, B any](list []A, of func(A) B) []B {
	out := make([]B, len(list))
	for i, a := range list {
		out[i] = of(a)
	}
	return out
}

// locate finds the keys that the remarks are about.
func (c *Checked) locate(in Place) {
	root, err := syntax.Parse(in.name(), []byte(in.Text), "a scenario")
	if err != nil || len(c.Remarks) == 0 {
		return
	}
	form := scenario.Form(root)
	for i, r := range c.Remarks {
		c.Remarks[i].Key = form.Locate(strings.TrimPrefix(r.Text, in.name()+": "), r.Line, r.Column)
	}
}

// add adds remarks of one severity.
func (c *Checked) add(severity string, in Place, texts ...string) {
	for _, text := range texts {
		c.Remarks = append(c.Remarks, placed(severity, in, text))
	}
}

// placed takes the place off a text that begins with one, as in frame.yaml:3:7: ….
func placed(severity string, in Place, text string) Remark {
	r := Remark{Severity: severity, Text: text}
	rest, ok := strings.CutPrefix(text, in.name()+":")
	if !ok {
		return r
	}
	line, rest, _ := strings.Cut(rest, ":")
	column, rest, found := strings.Cut(rest, ": ")
	l, err := strconv.Atoi(line)
	k, failed := strconv.Atoi(column)
	if found && err == nil && failed == nil {
		r.Line, r.Column, r.Text = l, k, rest
	}
	return r
}
