package picture

import (
	"cmp"
	"regexp"
	"strings"

	"rths"
	"rths/result/report"
	"rths/scenario"
	"rths/scenario/syntax"
)

// label is the name of an input with its unit.
func (in StudyInput) label() string {
	_, unit := rths.CutUnit(in.Name)
	return report.Label(rths.Value{Name: in.Name, Unit: cmp.Or(in.Unit, unit)})
}

var placeInList = regexp.MustCompile(`\[\d+\]`)

// keyUnit is the unit of a key of a scenario, as its description states it: "" if the name says it, or if kinds of
// the block differ.
func keyUnit(key string) string {
	key = placeInList.ReplaceAllString(strings.TrimPrefix(key, "drawn."), "")
	block, rest, _ := strings.Cut(key, ".")
	units := map[string]bool{}
	add := func(list []syntax.ParamDoc) {
		for _, p := range list {
			if p.Key == rest {
				units[p.Unit()] = true
			}
		}
	}
	for _, b := range scenario.Blocks() {
		if b.Key != block {
			continue
		}
		add(b.Params)
		for _, k := range b.Kinds {
			add(k.Params)
		}
	}
	for unit := range units {
		if len(units) == 1 {
			return unit
		}
	}
	return ""
}
