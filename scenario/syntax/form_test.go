package syntax

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"rths/kit/rthstest"
)

// formed is the form of a kitchen.
func formed(text string) *Form {
	return kitchens().Form(rthstest.Must(Parse("k.yaml", []byte(text), "a kitchen")))
}

// A slot says what it holds, what the text has and where, and what is left at its default.
func TestForm(t *testing.T) {
	form := formed(kitchenText + "odd: {a: 1}\n")
	var got []string
	var look func(list []Slot)
	look = func(list []Slot) {
		for _, s := range list {
			line := fmt.Sprintf("%s %s %d:%d %q", s.Path, s.Holds, s.Line, s.Column, s.Value+s.Kind+s.Each)
			if !s.Given {
				line += " default " + s.Default
			}
			got = append(got, line)
			look(s.Slots)
		}
	}
	look(form.Slots)
	want := []string{
		`name text 1:1 "k"`, `seats whole 0:0 "" default 2`, `stove choice 2:1 "wood"`, `stove.logs list 2:21 "3, 4, 5"`,
		`pots blocks 3:1 "block"`, `pots[1] block 3:9 ""`, `pots[1].litres number 3:9 "2"`,
		`pots[1].lid block 0:0 "" default `,
		`pots[1].heat choice 3:20 "gas"`, `pots[1].heat.flames whole 0:0 "" default 4`, `pots[2] block 3:41 ""`,
		`pots[2].litres number 0:0 "" default 1`, `pots[2].lid block 3:41 ""`, `pots[2].lid.litres number 3:47 "3"`,
		`pots[2].heat choice 0:0 "" default `, `herbs named 4:1 "number"`, `herbs.sage number 4:9 "1.5"`,
		`odd unknown 5:1 "{a: 1}"`,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if want := (map[string][]KindLine{"stove": {{"gas", "gas stove"}, {"wood", "wood stove"}}}); !reflect.DeepEqual(
		form.Tables, want) {
		t.Errorf("%v: want %v", form.Tables, want)
	}
	if s, _ := form.Find(Path{"pots", "2", "lid", "litres"}); s.Unit != "" || s.Doc != "volume under it, L" {
		t.Errorf("%+v: want its line", s)
	}
}

// A list of many values is counted and not shown.
func TestFormOfLongList(t *testing.T) {
	for n, long := range map[int]bool{longestList: false, longestList + 1: true} {
		form := formed("stove: {kind: wood, logs: [" + strings.Repeat("1, ", n-1) + "1]}\n")
		s, _ := form.Find(Path{"stove", "logs"})
		if s.Long != long || s.Count != n || (s.Value == "") != long {
			t.Errorf("%d values: %+v", n, s)
		}
	}
	if s, _ := formed("stove: {kind: wood, logs: x}\n").Find(Path{"stove", "logs"}); s.Value != "x" || s.Count != 1 {
		t.Errorf("%+v: want what stands in place of the list", s)
	}
}

// The keys of a block are put in their order, kind first; another kind takes away what it has not got.
func TestFormFinds(t *testing.T) {
	form := formed(kitchenText)
	_, orders := form.Find(Path{"stove", "logs"})
	want := [][]string{{"name", "seats", "stove", "pots", "herbs"}, {"kind", "logs"}}
	if !reflect.DeepEqual(orders, want) {
		t.Errorf("%q: want %q", orders, want)
	}
	if s, _ := form.Find(Path{"stove", "flames"}); s != nil {
		t.Errorf("%+v: want nothing", s)
	}
	s, _ := form.Find(Path{"stove"})
	if gone := s.Gone("gas"); len(gone) != 1 || gone[0].String() != "stove.logs" {
		t.Errorf("%v: want stove.logs", gone)
	}
	if gone := s.Gone("wood"); len(gone) != 0 {
		t.Errorf("%v: want nothing", gone)
	}
	for _, c := range []struct {
		message      string
		line, column int
		want         string
	}{
		{"pots[1].litres: found x", 0, 0, "pots[1].litres"}, {"pots[1].heat.odd: found x", 0, 0, "pots[1].heat"},
		{"found x", 2, 21, "stove.logs"}, {"found x", 2, 27, "stove.logs"}, {"stove: found x", 2, 21, "stove.logs"},
		{"found x", 9, 9, ""}, {"potsy: found x", 0, 0, ""},
	} {
		if got := form.Locate(c.message, c.line, c.column).String(); got != c.want {
			t.Errorf("%s at %d:%d: %q: want %q", c.message, c.line, c.column, got, c.want)
		}
	}
}
