package picture

import (
	"regexp"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths/method/compensate"
	"rths/result/plotting"
)

// mark is how a level is drawn in every picture: a colour of the table, and from 0 up how often the colours have
// been used before it. Lines of round 1 and more are dashed, points of them hollow.
type mark struct {
	colour string
	round  int
}

// firstMethods have colours of their own. The others repeat them, in the order of their table.
var firstMethods = []string{"amb", "kf", "ats", "adm", "mbc", "cats", "kalman-inverse", "pi", "none", "pe"}

// methodPlace is the place of a kind of compensator among all, -1 of an unknown one.
func methodPlace(kind string) int {
	if i := slices.Index(firstMethods, kind); i >= 0 {
		return i
	}
	i := len(firstMethods)
	for _, k := range compensate.Kinds {
		switch {
		case k.Name == kind:
			return i
		case !slices.Contains(firstMethods, k.Name):
			i++
		}
	}
	return -1
}

var kindInBlock = regexp.MustCompile(`\bkind: ?([\w-]+)`)

// levelMarks are the marks of the levels of a category. A method has one colour in all pictures of all studies; a
// second level of the same method has the next round.
func levelMarks(category string, levels []string) []mark {
	var out []mark
	for i, level := range levels {
		if found := kindInBlock.FindStringSubmatch(level); found != nil {
			level = found[1]
		}
		at := i
		if isMethod(category) {
			if at = methodPlace(level); at < 0 {
				at = len(firstMethods) + len(compensate.Kinds) + i
			}
		}
		m := mark{plotting.Colour(at), at / len(plotting.Colours)}
		for slices.Contains(out, m) {
			m.round++
		}
		out = append(out, m)
	}
	return out
}

// methodColour is the colour of a method of an advice, as "kf, tuned".
func methodColour(name string) string {
	kind, _, _ := strings.Cut(name, ",")
	return levelMarks("compensator.kind", []string{kind})[0].colour
}

// isMethod reports whether an input chooses the compensator.
func isMethod(name string) bool { return name == "compensator.kind" || name == "compensator" }

// dotted are the dashes of round 2 and more.
var dotted = []vg.Length{vg.Points(1.5), vg.Points(2.5)}

// stroke is the line of a level.
func (m mark) stroke() draw.LineStyle {
	dashes := [][]vg.Length{nil, plotting.Dashes, dotted}[min(m.round, 2)]
	return draw.LineStyle{Color: plotting.RGB(m.colour), Width: vg.Points(1.4), Dashes: dashes}
}
