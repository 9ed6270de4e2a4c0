package picture

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths/result/plotting"
)

// matrix is the mean of the main criterion in each cell of two categories.
type matrix struct {
	rows, columns *category
	mean          [][]float64 // NaN where no run has a value
	n, lost       [][]int
}

// matrices are one for each pair of categories.
func (s *Study) matrices() []matrix {
	var out []matrix
	for _, pair := range s.pairs() {
		if pair[1] != nil {
			out = append(out, s.matrix(pair[0], pair[1]))
		}
	}
	return out
}

func (s *Study) matrix(rows, columns *category) matrix {
	m := matrix{rows: rows, columns: columns}
	for range rows.levels {
		m.mean = append(m.mean, make([]float64, len(columns.levels)))
		m.n, m.lost = append(m.n, make([]int, len(columns.levels))), append(m.lost, make([]int, len(columns.levels)))
	}
	o := s.Outputs[0]
	for run, i := range rows.of {
		j := columns.of[run]
		if s.has(o, run) {
			m.n[i][j]++
			m.mean[i][j] += o.Values[run]
		} else {
			m.lost[i][j]++
		}
	}
	for i, row := range m.mean {
		for j := range row {
			row[j] /= float64(m.n[i][j])
		}
	}
	return m
}

// title is the title of the matrix.
func (m matrix) title(o StudyOutput) string {
	return fmt.Sprintf("Mean of %s: %s × %s", criterion(o), plotting.Short(m.rows.name, nameLetters),
		plotting.Short(m.columns.name, nameLetters))
}

// shade is the colour of each cell, and whether its text is white; nil where there is no value. A
// darker cell has a larger mean.
func (m matrix) shade() func(v float64) (ground color.RGBA, white bool) {
	scale := newScale(false, slices.Concat(m.mean...)...)
	return func(v float64) (color.RGBA, bool) {
		share := (scale.at(v) - scale.low) / (scale.high - scale.low)
		ground := blend(plotting.Blues, share)
		return ground, luminance(ground) < 0.18
	}
}

// luminance is the relative luminance of WCAG 2: white text has more contrast than black below 0.18.
func luminance(c color.RGBA) float64 {
	linear := func(v uint8) float64 { return math.Pow(float64(v)/math.MaxUint8, 2.2) }
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// blend is the colour at a share from 0 to 1 of a scale of colours.
func blend(scale []string, share float64) color.RGBA {
	at := max(0, min(1, share)) * float64(len(scale)-1)
	i := min(int(at), len(scale)-2)
	a, b := plotting.RGB(scale[i]).(color.RGBA), plotting.RGB(scale[i+1]).(color.RGBA)
	mix := func(a, b uint8) uint8 {
		return uint8(math.Round(float64(a) + (at-float64(i))*(float64(b)-float64(a))))
	}
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), math.MaxUint8}
}

// pictures of the matrices are files: on the page they are tables.
func (s *Study) matrixPictures() []picture {
	var out []picture
	for i, m := range s.matrices() {
		pic := picture{file: fileName("matrix", i), title: m.title(s.Outputs[0]), wide: true, tabled: true,
			tiles: []tile{m.tile()}}
		pic.caption = "A darker cell has a larger mean. A star says that some runs of the cell failed. A cross is a cell " +
			"without a value: all its runs failed. An empty cell has no run."
		out = append(out, pic)
	}
	return out
}

const (
	cellRoom    = 11 * vg.Millimeter // width of a cell
	headLetters = 20
)

func (m matrix) tile() tile {
	out, _ := cellsTile(m.words(), "", m.columns.name, m.rows.levels, m.columns.levels, m.drawing)
	return out
}

// cellsTile is a tile of cells with names of rows and columns, and the width that they need.
func cellsTile(words, title, x string, rows, columns []string, cells func(draw.TextStyle) drawing) (tile, vg.Length) {
	p := newRows(title, x, axis{low: -0.5, high: float64(len(columns)) - 0.5}, rows, 0)
	var ticks []plot.Tick
	for j, name := range columns {
		ticks = append(ticks, plot.Tick{Value: float64(j), Label: plotting.Short(name, headLetters)})
	}
	p.X.Tick.Marker, p.X.Tick.Length = plot.ConstantTicks(ticks), 0
	p.X.Tick.Label.Rotation, p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = math.Pi/4, draw.XRight, draw.YTop
	style := p.Y.Tick.Label
	style.XAlign, style.YAlign, style.Font.Size = draw.XCenter, draw.YCenter, plotting.SmallText
	p.Add(cells(style))
	out := rowsTile(words, p, len(rows), 0)
	out.height += letter / math.Sqrt2 * vg.Length(longest(columns, headLetters)) // at a slant
	return out, letter*vg.Length(longest(rows, rowLetters)) + cellRoom*vg.Length(len(columns)) + 6*tileMargin
}

// longest is the number of letters of the longest name, at most so many.
func longest(names []string, most int) (n int) {
	for _, name := range names {
		n = max(n, min(most, utf8.RuneCountInString(name)))
	}
	return n
}

// drawing fills the cells.
func (m matrix) drawing(style draw.TextStyle) drawing {
	shade := m.shade()
	return func(c draw.Canvas, toX, toY func(float64) vg.Length) {
		for i, row := range m.mean {
			for j, v := range row {
				x, y := float64(j), rowAt(i, len(m.mean))
				at := vg.Point{X: toX(x), Y: toY(y)}
				if m.n[i][j] == 0 {
					strokeCrosses(c, plotting.RGB(plotting.Failed), slices.Repeat([]vg.Point{at}, min(1, m.lost[i][j])))
					continue
				}
				ground, white := shade(v)
				fillRects(c, ground, []vg.Rectangle{{Min: vg.Point{X: toX(x - 0.5), Y: toY(y - 0.5)},
					Max: vg.Point{X: toX(x + 0.5), Y: toY(y + 0.5)}}})
				style.Color = color.Black
				if white {
					style.Color = color.White
				}
				c.FillText(style, at, shortNumber(v)+strings.Repeat("*", min(1, m.lost[i][j])))
			}
		}
	}
}

// words name the cells with the smallest and the largest mean.
func (m matrix) words() string {
	var low, high [2]int
	found := false
	for i, row := range m.mean {
		for j, v := range row {
			if m.n[i][j] == 0 {
				continue
			}
			if !found || v < m.mean[low[0]][low[1]] {
				low = [2]int{i, j}
			}
			if !found || v > m.mean[high[0]][high[1]] {
				high = [2]int{i, j}
			}
			found = true
		}
	}
	if !found {
		return "No run has a value."
	}
	of := func(at [2]int) string {
		return fmt.Sprintf("%s (%s, %s)", inDigits(m.mean[at[0]][at[1]]), plotting.Short(m.rows.levels[at[0]], nameLetters),
			plotting.Short(m.columns.levels[at[1]], nameLetters))
	}
	return fmt.Sprintf("Smallest mean %s, largest %s.", of(low), of(high))
}
