package rthstest

import (
	"testing"

	"rths"
)

type rowParameters struct {
	Gain   float64   `yaml:"gain" doc:"gain, -"`
	Limits []float64 `yaml:"limits" doc:"limits, m"`
}

func TestBadTablesAreSeen(t *testing.T) {
	type row = rths.Kind[any]
	shared, one := []float64{1, 2}, &rowParameters{}
	fresh := func() any { return &rowParameters{Limits: []float64{1, 2}} }
	good := row{Name: "good", Doc: "what it is", Ref: "definition", Defaults: fresh}
	for name, b := range map[string]struct {
		promises []string
		change   func(r *row)
	}{
		"none":             {nil, func(*row) {}},
		"no reference":     {[]string{Described}, func(r *row) { r.Ref = " " }},
		"no documentation": {[]string{Described}, func(r *row) { r.Doc = "" }},
		"two lines":        {[]string{Described}, func(r *row) { r.Doc = "one\ntwo" }},
		"no name":          {[]string{Described}, func(r *row) { r.Name = "" }},
		"a name twice":     {[]string{Described}, func(r *row) { r.Name = "first" }},
		"shared struct":    {[]string{FreshEach, FreshEach}, func(r *row) { r.Defaults = func() any { one.Limits = shared; return one } }},
		"shared numbers":   {[]string{FreshEach}, func(r *row) { r.Defaults = func() any { return &rowParameters{Limits: shared} } }},
		"not a struct":     {[]string{FreshEach}, func(r *row) { r.Defaults = func() any { return 1 } }},
		"undescribed":      {[]string{KeysAreText}, func(r *row) { r.Defaults = func() any { return &struct{ Gain float64 }{} } }},
	} {
		t.Run(name, func(t *testing.T) {
			first, changed := good, good
			first.Name = "first"
			b.change(&changed)
			wantBroken(t, Table([]row{first, changed}), b.promises...)
		})
	}
	wantBroken(t, Table([]row{}), Described)
}

// fake is a test that counts its failures.
type fake struct {
	testing.TB
	errors int
}

func (*fake) Helper()                 {}
func (f *fake) Error(...any)          { f.errors++ }
func (f *fake) Errorf(string, ...any) { f.errors++ }

func TestKeepsFails(t *testing.T) {
	f := &fake{}
	Keeps(f, nil)
	NoAllocation(f, func() {})
	if f.errors != 0 {
		t.Errorf("%d failures without a broken promise", f.errors)
	}
	Keeps(f, []Broken{{EqualBits, "one"}, {Filled, "other"}})
	k := 0
	NoAllocation(f, func() {
		if k++; k%400 == 0 {
			heap = make([]float64, 3)
		}
	})
	if f.errors != 3 {
		t.Errorf("%d failures: want 3", f.errors)
	}
}
