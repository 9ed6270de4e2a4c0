package picture

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths/result/plotting"
	"rths/result/record"
)

const (
	failStrip = vg.Length(12)
	failRoom  = 0.09 // of the axis, kept free for the strip
	failMarks = 60   // of more runs that failed, bars show the share
	failBars  = 40
	failBar   = vg.Length(10) // the widest
)

// scatters are the main criterion over each input of numbers.
func (s *Study) scatters() (picture, bool) {
	o := s.Outputs[0]
	var inputs []StudyInput
	for _, in := range s.Inputs {
		if in.Values != nil && !in.Swept {
			inputs = append(inputs, in)
		}
	}
	limit, n := dotLimit(len(inputs)), len(s.values(o))
	pic := picture{file: "scatter", explored: true, title: criterion(o) + " over each input"}
	pic.caption = dotWords(n, limit, "run") + failWords(s.runs()-n) + s.rhoWords()
	for _, in := range inputs {
		pic.tiles = append(pic.tiles, s.scatter(in, o, limit))
	}
	return pic, len(inputs) > 0
}

// rhoWords say what ρ is.
func (s *Study) rhoWords() string {
	words := "ρ is Spearman's rank correlation: ±1 for a criterion that only rises or falls with the input, near 0 " +
		"without such a trend."
	if len(s.groups()) > 1 {
		words += " It is taken within each combination of levels."
	}
	return words
}

// dotWords say what dots are, or cells if there are more than limit.
func dotWords(n, limit int, thing string) string {
	if n <= limit {
		return "A dot is a " + thing + ". "
	}
	return fmt.Sprintf("Cells stand in place of %d dots: a darker cell holds more %ss, in steps of the logarithm. ", n,
		thing)
}

// failWords say how runs without a value are drawn.
func failWords(lost int) string {
	switch {
	case lost == 0:
		return ""
	case lost > failMarks:
		return "Bars in the grey strip are the share of runs there that failed; a bar over the whole strip is all of them. "
	}
	return "Crosses in the grey strip are runs that failed. "
}

// scatterData is an output over an input, at coordinates of the axes, and the inputs of runs that failed.
type scatterData struct {
	across, up axis
	x, y, lost []float64
	rho        []float64 // rank correlation within each combination of levels
	missing    int       // runs whose input is no number
}

// levelsOf are the levels of a run, as one text.
func (s *Study) levelsOf(run int) string {
	var text string
	for _, in := range s.Inputs {
		if in.Labels != nil {
			text += in.Labels[run] + "\n"
		}
	}
	return text
}

func (s *Study) scatterData(in StudyInput, o StudyOutput) scatterData {
	d := scatterData{across: newAxis(in.Log, in.Values...), up: newAxis(false, s.values(o)...)}
	apart := len(s.groups()) > 1
	groups, xs, ys := map[string]int{}, [][]float64{}, [][]float64{}
	for i, v := range in.Values {
		switch {
		case !shown(v):
			d.missing++
		case s.has(o, i):
			x, y := d.across.at(v), d.up.at(o.Values[i])
			d.x, d.y = append(d.x, x), append(d.y, y)
			levels := ""
			if apart {
				levels = s.levelsOf(i)
			}
			g, known := groups[levels]
			if !known {
				g = len(xs)
				groups[levels] = g
				xs, ys = append(xs, nil), append(ys, nil)
			}
			xs[g], ys[g] = append(xs[g], x), append(ys[g], y)
		default:
			d.lost = append(d.lost, d.across.at(v))
		}
	}
	for g := range xs { // axes keep the order of values
		if rho := rankCorrelation(xs[g], ys[g]); !math.IsNaN(rho) && len(xs[g]) > 2 {
			d.rho = append(d.rho, rho)
		}
	}
	if len(d.lost) > 0 {
		d.up.high += failRoom * (d.up.high - d.up.low)
	}
	return d
}

func (s *Study) scatter(in StudyInput, o StudyOutput, limit int) tile {
	d := s.scatterData(in, o)
	title, words := s.scatterWords(in, o, d)
	p := newTilePlot(title, in.label(), criterion(o), d.across, d.up)
	columns := 0
	if len(d.lost) > failMarks {
		columns = failBars
	}
	p.Add(cloud(d.x, d.y, limit), failures(d.lost, slices.Concat(d.x, d.lost), columns))
	return newTile(words, p)
}

// scatterWords are the title of a scatter, and its message.
func (s *Study) scatterWords(in StudyInput, o StudyOutput, d scatterData) (heading, words string) {
	var title []string
	words = fmt.Sprintf("%s over %s: %s", criterion(o), in.Name, plotting.CountOf(len(d.x), "run"))
	if len(d.rho) > 0 {
		text := record.Text("%.2f", slices.Min(d.rho))
		if most := record.Text("%.2f", slices.Max(d.rho)); most != text {
			text += " to " + most
		}
		title = append(title, "ρ = "+text)
		words += ", rank correlation " + text
	}
	if len(d.lost) > 0 {
		words += fmt.Sprintf("; %d failed", len(d.lost))
	}
	if d.missing > 0 {
		title = append(title, plotting.CountOf(d.missing, "run")+" without this input")
		words += "; " + plotting.CountOf(d.missing, "run") + " without this input"
	}
	return strings.Join(title, ", "), words + "."
}

// failures draws runs that failed in a strip at the top, at their coordinates: as crosses or, with
// columns above 0, as their shares of all runs in as many columns.
func failures(lost, all []float64, columns int) drawing {
	return func(c draw.Canvas, toX, _ func(float64) vg.Length) {
		if len(lost) == 0 {
			return
		}
		strip := vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: c.Max.Y - failStrip}, Max: c.Max}
		fillRects(c, plotting.RGB(plotting.FailStrip), []vg.Rectangle{strip})
		if columns > 0 {
			count := func(at []float64) []int {
				n := make([]int, columns)
				for _, v := range at {
					n[max(0, min(columns-1, int(vg.Length(columns)*(toX(v)-c.Min.X)/c.Size().X)))]++
				}
				return n
			}
			fillRects(c, plotting.RGB(plotting.Failed), failShares(strip, count(lost), count(all)))
			return
		}
		var marks []vg.Point
		for _, v := range lost {
			marks = append(marks, vg.Point{X: toX(v), Y: c.Max.Y - failStrip/2})
		}
		strokeCrosses(c, plotting.RGB(plotting.Failed), marks)
	}
}

// failShares are bars in the columns of a strip whose heights are the shares of runs that failed.
func failShares(strip vg.Rectangle, lost, all []int) []vg.Rectangle {
	var bars []vg.Rectangle
	w := strip.Size().X / vg.Length(len(lost))
	half := 0.4 * min(w, failBar)
	for i, n := range lost {
		if n > 0 {
			x := strip.Min.X + w*(vg.Length(i)+0.5)
			bars = append(bars, vg.Rectangle{Min: vg.Point{X: x - half, Y: strip.Min.Y},
				Max: vg.Point{X: x + half, Y: strip.Min.Y + failStrip*vg.Length(n)/vg.Length(all[i])}})
		}
	}
	return bars
}
