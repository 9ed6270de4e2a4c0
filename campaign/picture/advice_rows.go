package picture

import (
	"image/color"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths/result/plotting"
)

// Pictures of an advice are rows: a line of text, and below it what is drawn.
const (
	textedRow = 11 * vg.Millimeter
	textUp    = vg.Length(9)  // of the text, above the middle of its row
	drawnDown = vg.Length(3)  // of what is drawn, below the middle
	halfBar   = vg.Length(4)  // half the height of a bar
	textGap   = vg.Length(14) // between the two texts of a row
)

// textedRows is a tile of n rows over an axis; each gives its texts at both ends and draws what
// is below them.
type textedRows struct {
	x      string // name of the axis
	across axis
	lines  []float64 // dashed, over all rows
	rows   []textedOne
}

// textedOne is a row; draw gets the height of what it draws.
type textedOne struct {
	left, right string
	band        bool // a ground of its own
	draw        func(c draw.Canvas, y vg.Length, toX func(float64) vg.Length)
}

// ground is the colour behind a row.
func (r *textedOne) ground() color.Color {
	if r.band {
		return plotting.RGB(plotting.Band)
	}
	return color.White
}

// tile is the tile of the rows.
func (t textedRows) tile(words string) tile {
	n := len(t.rows)
	p := newTilePlot("", t.x, "", t.across, axis{low: -0.5, high: float64(n) - 0.5, bare: true})
	p.Y.Tick.Length = 0
	p.Add(drawing(func(c draw.Canvas, toX, toY func(float64) vg.Length) {
		at := func(v float64) vg.Length { return toX(t.across.at(v)) }
		for i, r := range t.rows {
			if y := toY(rowAt(i, n)); r.band {
				half := c.Size().Y / vg.Length(2*n)
				fillRects(c, r.ground(), []vg.Rectangle{{Min: vg.Point{X: c.Min.X, Y: y - half},
					Max: vg.Point{X: c.Max.X, Y: y + half}}})
			}
		}
		for _, v := range t.lines {
			upright(t.across.at(v), true)(c, toX, toY)
		}
		for i, r := range t.rows {
			y := toY(rowAt(i, n))
			rowText(c, p.X.Tick.Label, y+textUp, r.ground(), r.left, r.right)
			if r.draw != nil {
				r.draw(c, y-drawnDown, at)
			}
		}
	}))
	return tile{words: words, height: 14*vg.Millimeter + textedRow*vg.Length(n), draw: newTile("", p).draw}
}

// rowText writes at both ends of a row, on its ground where lines cross the text.
func rowText(c draw.Canvas, style draw.TextStyle, y vg.Length, ground color.Color, left, right string) {
	style.YAlign = draw.YCenter
	style.Font.Size = plotting.SmallText
	write := func(align text.XAlignment, x vg.Length, words string) {
		style.XAlign = align
		if words != "" {
			fillRects(c, ground, []vg.Rectangle{style.Rectangle(words).Add(vg.Point{X: x, Y: y})})
			c.FillText(style, vg.Point{X: x, Y: y}, words)
		}
	}
	right = plotting.Short(right, titleLetters)
	letters := nameLetters
	for free := c.Size().X - style.Width(right) - textGap; letters > 3 &&
		style.Width(plotting.Short(left, letters)) > free; {
		letters--
	}
	write(draw.XRight, c.Max.X-3, right)
	write(draw.XLeft, c.Min.X+3, plotting.Short(left, letters))
}

// bar fills a bar between two places.
func bar(c draw.Canvas, colour string, from, to, y vg.Length) {
	fillRects(c, plotting.RGB(colour), []vg.Rectangle{{Min: vg.Point{X: min(from, to), Y: y - halfBar},
		Max: vg.Point{X: max(from, to), Y: y + halfBar}}})
}

// diamond is the mark of a 90th percentile.
func diamond(c draw.Canvas, at vg.Point) {
	const r = vg.Length(4)
	polygon(c, plotting.Ink, true, vg.Point{X: at.X - r, Y: at.Y}, vg.Point{X: at.X, Y: at.Y + r},
		vg.Point{X: at.X + r, Y: at.Y}, vg.Point{X: at.X, Y: at.Y - r})
}

// polygon is a mark: filled, or its outline on white.
func polygon(c draw.Canvas, colour string, filled bool, corners ...vg.Point) {
	if filled {
		c.FillPolygon(plotting.RGB(colour), corners)
		return
	}
	c.FillPolygon(plotting.RGB(plotting.White), corners)
	c.StrokeLines(draw.LineStyle{Color: plotting.RGB(colour), Width: vg.Points(1.2)}, append(corners, corners[0]))
}
