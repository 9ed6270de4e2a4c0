package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"rths"
	"rths/result/plotting"
	"rths/result/record"
	"rths/scenario"
	"rths/scenario/syntax"
)

// fact is a line of the summary: a part of the test and what it is.
type fact struct{ Name, Text string }

// blocks are the top-level keys of a resolved scenario, in order. A scenario of another
// form has none, so that reports of old archives can still be made.
type blocks yaml.MapSlice

func newBlocks(a *record.Archive) blocks {
	var b yaml.MapSlice
	if err := yaml.UnmarshalWithOptions([]byte(a.Scenario), &b, yaml.UseOrderedMap()); err != nil {
		return nil
	}
	return blocks(b)
}

func (b blocks) value(key string) any {
	for _, item := range b {
		if item.Key == key {
			return item.Value
		}
	}
	return nil
}

// text is the value of a key if it is a text.
func (b blocks) text(key string) string {
	text, _ := b.value(key).(string)
	return text
}

// facts are the summary of a test: its parts with their parameters in units, and its timing.
func facts(a *record.Archive, b blocks) []fact {
	var out []fact
	for _, part := range []struct{ name, key string }{
		{"Structure", "structure"}, {"Specimen", "specimen"}, {"Actuator (transfer system)", "transfer"},
		{"Compensator", "compensator"}, {"Fallback", "fallback"}, {"Passivity", "passivity"}, {"Ground motion", "ground"},
		{"Target", "target"},
	} {
		if text := describe(b.value(part.key), part.key); text != "" {
			if a.Manifest.Rig != nil && slices.Contains([]string{"specimen", "transfer"}, part.key) {
				text = "as the loop's scenario has it, which the rig may not: " + text
			}
			out = append(out, fact{part.name, text})
		}
	}
	out = append(out, analysis(a)...)
	if r := a.Manifest.Rig; r != nil {
		out = append(out, fact{"Rig", elsewhere(r)})
	}
	return append(out, fact{"Test", timing(a)})
}

// elsewhere is a rig in another process, with its own word for whether it was a real one, and the
// datagrams of the loop.
func elsewhere(r *record.Rig) string {
	kind := "a laboratory"
	if r.Virtual {
		kind = "a virtual laboratory"
	}
	text := fmt.Sprintf("%s, %s, at %s, clock %s", kind, r.Laboratory, r.Address, r.Clock)
	if r.Sent+r.Received == 0 { // the loop was killed, and could not say
		return text + "; datagrams were not counted"
	}
	text += fmt.Sprintf("; %d datagrams sent, %d received, of them %d repeated, %d old, %d bad", r.Sent, r.Received,
		r.Repeated, r.Old, r.Bad)
	if !r.Parted {
		text += "; it did not answer the end of the session"
	}
	return text
}

// describe is the kind of a part with what it is and its parameters; several parts follow
// each other.
func describe(part any, family string) string {
	switch p := part.(type) {
	case string:
		return p
	case []any:
		var words []string
		for _, one := range p {
			words = append(words, describe(one, family))
		}
		return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " and ")
	case yaml.MapSlice:
		if family == "passivity" {
			return damper(blocks(p))
		}
		return describeBlock(blocks(p), family)
	}
	return ""
}

func describeBlock(b blocks, family string) string {
	kind := b.text("kind")
	name := cmp.Or(b.text("record"), b.text("file"), kind, b.text("name"))
	doc := findKind(family, kind)
	if name == kind && doc.Doc != "" {
		name += ": " + doc.Doc
	}
	var parameters []string
	for _, item := range b {
		key := fmt.Sprint(item.Key)
		if slices.Contains([]string{"kind", "record", "file", "name"}, key) {
			continue
		}
		if text := parameter(key, item.Value, doc); text != "" {
			parameters = append(parameters, text)
		}
	}
	if len(parameters) == 0 || name == "" {
		return name
	}
	return name + "; " + strings.Join(parameters, ", ")
}

// damper describes the virtual damper on the numerical part, which is a part of the test.
func damper(b blocks) string {
	most, _ := number(b.value("max_damping"))
	text := "a virtual damper on the numerical part, up to " + quantity(most, "N·s/m")
	if above, ok := number(b.value("threshold_j")); ok && above > 0 {
		text += ", from " + quantity(above, "J") + " on"
	}
	return text
}

// findKind is the description of a kind. Of an unknown kind it is empty.
func findKind(family, kind string) syntax.KindDoc {
	for _, f := range scenario.Families() {
		for _, k := range f.Kinds {
			if f.Key == family && k.Name == kind {
				return k
			}
		}
	}
	return syntax.KindDoc{}
}

// parameter writes a key with its value and unit, as in "stiffness 1190 kN/m". Keys that are
// off, empty or 0 have no text.
func parameter(key string, value any, doc syntax.KindDoc) string {
	name, unit := rths.CutUnit(key)
	if unit == "" {
		for _, p := range doc.Params {
			if p.Key == key {
				unit = p.Unit()
			}
		}
	}
	text := written(value, unit)
	if text == "" {
		return ""
	}
	return strings.ReplaceAll(name, "_", " ") + " " + text
}

// maxEntries is the longest list in a summary.
const maxEntries = 6

// written is a value with its unit, or "" if it says nothing or has no short form.
func written(value any, unit string) string {
	switch v := value.(type) {
	case string:
		if x, ok := number(v); ok {
			return quantity(x, unit)
		}
		return v
	case bool:
		if v {
			return "on"
		}
	case []any:
		var entries []string
		moves := false
		for _, one := range v {
			x, plain := number(one)
			if !plain {
				return ""
			}
			entries = append(entries, digits(x))
			moves = moves || x != 0
		}
		if moves && len(entries) <= maxEntries {
			return strings.TrimSpace("[" + strings.Join(entries, ", ") + "] " + unit)
		}
	default:
		if x, ok := number(value); ok && x != 0 {
			return quantity(x, unit)
		}
	}
	return ""
}

func number(value any) (float64, bool) {
	switch v := value.(type) {
	case float64:
		return v, true
	case uint64:
		return float64(v), true
	case int64:
		return float64(v), true
	case string: // 5e+06 has no point, and is a text to the parser
		x, err := strconv.ParseFloat(v, 64)
		return x, err == nil
	}
	return 0, false
}

// quantity writes a number with a unit in the size that is usual on paper: mm for short
// lengths, kN for large forces and stiffnesses.
func quantity(x float64, unit string) string {
	switch {
	case unit == "m" && math.Abs(x) < 1:
		x, unit = 1000*x, "mm"
	case strings.HasPrefix(unit, "N") && math.Abs(x) >= 1000 && unit != "N/V":
		x, unit = x/1000, "k"+unit
	}
	return strings.TrimSpace(digits(x) + " " + unit)
}

// digits writes a parameter: five digits tell any two settings of a laboratory apart.
func digits(x float64) string { return plotting.Powers(fmt.Sprintf("%.5g", x)) }
