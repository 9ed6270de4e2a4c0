package kit

import (
	"fmt"
	"math"
	"testing"

	"rths"
)

type rowParameters struct {
	Gain   float64   `yaml:"gain" doc:"gain, -"`
	Limits []float64 `yaml:"limits" doc:"limits, m"`
	Order  int       `yaml:"order,omitempty" doc:"order, left out: by the plant"`
	Word   string    `yaml:"word" doc:"a word"`
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
		"shared struct": {[]string{FreshEach, FreshEach},
			func(r *row) { r.Defaults = func() any { one.Limits = shared; return one } }},
		"shared numbers": {[]string{FreshEach},
			func(r *row) { r.Defaults = func() any { return &rowParameters{Limits: shared} } }},
		"not a struct": {[]string{FreshEach}, func(r *row) { r.Defaults = func() any { return 1 } }},
		"undescribed": {[]string{KeysAreText},
			func(r *row) { r.Defaults = func() any { return &struct{ Gain float64 }{} } }},
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

func TestBadRangesAreSeen(t *testing.T) {
	for _, good := range []rths.Tunable{
		{Key: "gain", From: 1, To: 2},
		{Key: "gain", From: 2, To: 4, Log: true},
		{Key: "gain", From: 0.5, To: 1, Relative: true},
		{Key: "gain", From: 0, To: 3, Whole: true},
		{Key: "order", From: 1, To: 3, Whole: true}, // left open: 0 is no order
		{Key: "limits", From: 0.5, To: 2, Relative: true},
		{Key: "limits[2]", From: 0.5, To: 2, Relative: true},
	} {
		wantBroken(t, Table(rowWith(good)))
	}
	for _, bad := range []rths.Tunable{
		{Key: "gian", From: 1, To: 2},
		{Key: "word", From: 1, To: 2},
		{Key: "gain", From: 2, To: 2},
		{Key: "gain", From: 3, To: 1},
		{Key: "gain", From: 1, To: math.Inf(1)},
		{Key: "gain", From: math.NaN(), To: 3},
		{Key: "gain", From: 0, To: 3, Log: true},
		{Key: "gain", From: 0, To: 3, Relative: true},
		{Key: "gain", From: 1.1, To: 3, Relative: true},
		{Key: "gain", From: 0.1, To: 0.9, Relative: true},
		{Key: "gain", From: 1.5, To: 3, Whole: true},
		{Key: "gain", From: 1, To: 2, Whole: true, Relative: true},
		{Key: "gain", From: 2.5, To: 3}, // the default is 2
		{Key: "gain", From: 1, To: 1.5},
		{Key: "gain[1]", From: 1, To: 3, Relative: true},
		{Key: "order", From: 1, To: 3},
		{Key: "limits", From: 1, To: 3},
		{Key: "limits[1]", From: 1, To: 3},
		{Key: "limits[0]", From: 1, To: 3, Relative: true},
		{Key: "limits[3]", From: 1, To: 3, Relative: true},
		{Key: "limits[one]", From: 1, To: 3, Relative: true},
		{Key: "limits[1", From: 1, To: 3, Relative: true},
	} {
		t.Run(fmt.Sprintf("%+v", bad), func(t *testing.T) { wantBroken(t, Table(rowWith(bad)), InRange) })
	}
	twice := rths.Tunable{Key: "gain", From: 1, To: 2}
	wantBroken(t, Table(rowWith(twice, twice)), InRange)
}

// rowWith is a good table but for its keys to tune.
func rowWith(keys ...rths.Tunable) []rths.Kind[any] {
	fresh := func() any { return &rowParameters{Gain: 2, Limits: []float64{1, 2}} }
	return []rths.Kind[any]{{Name: "good", Doc: "what it is", Ref: "definition", Defaults: fresh, Tunable: keys}}
}
