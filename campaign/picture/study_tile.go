package picture

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths/result/plotting"
)

// picture is one or several diagrams that answer one question: a sheet as a file, a grid on the page.
type picture struct {
	file, title, caption string
	wide                 bool      // tiles of half the width of a sheet, not of a third
	size                 vg.Length // width of a tile, where it is another one
	beside               int       // with size: tiles beside each other on a sheet; 0: one
	tabled               bool      // a table stands on the page in its place
	explored             bool      // a script draws it on the page, from the runs
	stacked              bool      // tiles below each other
	tiles                []tile
}

// tile is one diagram.
type tile struct {
	words  string // its message, for readers who do not see it
	height vg.Length
	draw   func(draw.Canvas)

	explored bool // a script draws it on the page, from the runs
}

// Sizes of tiles, with text that can be read on paper and on a small screen.
const (
	narrowTile = 9 * vg.Centimeter
	wideTile   = 11.5 * vg.Centimeter
	usualTile  = 7 * vg.Centimeter // height
	tileMargin = 2 * vg.Millimeter
)

func (p picture) width() vg.Length {
	switch {
	case p.size > 0:
		return p.size
	case p.wide:
		return wideTile
	}
	return narrowTile
}

// Letters that names may take.
const (
	titleLetters = 42
	axisLetters  = 34
	rowLetters   = 26
	nameLetters  = 60 // in titles and sentences
)

// newTilePlot is an empty plot of a tile.
func newTilePlot(title, x, y string, across, up axis) *plot.Plot {
	p := plotting.NewPlot("", "")
	p.Title.Text = plotting.Short(title, titleLetters)
	p.Title.TextStyle.Font.Size = plotting.TextSize
	p.Title.Padding = vg.Points(4)
	across.set(&p.X, plotting.Short(x, axisLetters), acrossLetters)
	up.set(&p.Y, plotting.Short(y, axisLetters), upLetters)
	return p
}

// newTile is a tile of one plot.
func newTile(words string, p *plot.Plot) tile {
	return tile{words: words, height: usualTile, draw: func(c draw.Canvas) {
		p.Draw(draw.Crop(c, tileMargin, -2*tileMargin, tileMargin, -tileMargin))
	}}
}

// drawing is a part of a plot that uses its axes.
type drawing func(c draw.Canvas, x, y func(float64) vg.Length)

// Plot implements plot.Plotter.
func (d drawing) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	d(c, x, y)
}

// together is how many shapes one path holds: the time to draw a path grows faster than the path.
const together = 64

// fill fills shapes with one colour.
func fill[T any](c draw.Canvas, colour color.Color, shapes []T, add func(p *vg.Path, shape T)) {
	c.SetColor(colour)
	for len(shapes) > 0 {
		n := min(together, len(shapes))
		var p vg.Path
		for _, s := range shapes[:n] {
			add(&p, s)
			p.Close()
		}
		c.Fill(p)
		shapes = shapes[n:]
	}
}

func fillRects(c draw.Canvas, colour color.Color, list []vg.Rectangle) {
	fill(c, colour, list, func(p *vg.Path, r vg.Rectangle) {
		p.Move(r.Min)
		p.Line(vg.Point{X: r.Max.X, Y: r.Min.Y})
		p.Line(r.Max)
		p.Line(vg.Point{X: r.Min.X, Y: r.Max.Y})
	})
}

const dotRadius = vg.Length(1.6)

// fillDots draws dots; dots on the same place are drawn once.
func fillDots(c draw.Canvas, colour color.Color, list []vg.Point) {
	fill(c, colour, once(list), func(p *vg.Path, at vg.Point) {
		p.Move(vg.Point{X: at.X + dotRadius, Y: at.Y})
		p.Arc(at, dotRadius, 0, 2*math.Pi)
	})
}

// strokeCrosses draws crosses; crosses on the same place are drawn once.
func strokeCrosses(c draw.Canvas, colour color.Color, list []vg.Point) {
	const r = vg.Length(2.2)
	c.SetLineStyle(draw.LineStyle{Color: colour, Width: vg.Points(1)})
	var p vg.Path
	for _, at := range once(list) {
		plotting.Saltire(&p, at, r)
	}
	if p != nil {
		c.Stroke(p)
	}
}

// apart is the distance of marks that the eye tells apart, points.
const apart = 0.5

// once leaves out points on the place of another.
func once(list []vg.Point) []vg.Point {
	seen := map[[2]int]bool{}
	var out []vg.Point
	for _, p := range list {
		place := [2]int{int(math.Round(float64(p.X) / apart)), int(math.Round(float64(p.Y) / apart))}
		if !seen[place] {
			seen[place] = true
			out = append(out, p)
		}
	}
	return out
}

// A cloud of many points is drawn as cells, by their numbers of points: a page of one picture has at
// most allDots dots.
const (
	cloudDots = 1500
	allDots   = 15000
	cellsX    = 48
	cellsY    = 36
)

// dotLimit is the number of dots of one of several tiles.
func dotLimit(tiles int) int { return min(cloudDots, allDots/max(1, tiles)) }

// cloud draws points at coordinates, up to limit of them as dots; NaN has no place.
func cloud(x, y []float64, limit int) drawing {
	return func(c draw.Canvas, toX, toY func(float64) vg.Length) {
		if len(x) > limit {
			fillCells(c, x, y, toX, toY)
			return
		}
		var dots []vg.Point
		for i := range x {
			if p := (vg.Point{X: toX(x[i]), Y: toY(y[i])}); c.Contains(p) {
				dots = append(dots, p)
			}
		}
		fillDots(c, plotting.RGB(plotting.Colours[0]), dots)
	}
}

// fillCells shades cells of the plot by the logarithm of the number of their points.
func fillCells(c draw.Canvas, x, y []float64, toX, toY func(float64) vg.Length) {
	var count [cellsY][cellsX]int
	size := c.Size()
	most := 1
	for i := range x {
		p := vg.Point{X: toX(x[i]), Y: toY(y[i])}
		if !c.Contains(p) {
			continue
		}
		at := &count[min(cellsY-1, int(cellsY*(p.Y-c.Min.Y)/size.Y))][min(cellsX-1, int(cellsX*(p.X-c.Min.X)/size.X))]
		*at++
		most = max(most, *at)
	}
	for s, colour := range plotting.Shades {
		var cells []vg.Rectangle
		for j := range cellsY {
			for i, n := range count[j] {
				if n > 0 && shadeOf(n, most) == s {
					corner := vg.Point{X: c.Min.X + size.X*vg.Length(i)/cellsX, Y: c.Min.Y + size.Y*vg.Length(j)/cellsY}
					cells = append(cells, vg.Rectangle{Min: corner,
						Max: corner.Add(vg.Point{X: size.X/cellsX + overlap, Y: size.Y/cellsY + overlap})})
				}
			}
		}
		fillRects(c, plotting.RGB(colour), cells)
	}
}

// shadeOf is the shade of a cell of n points.
func shadeOf(n, most int) int {
	if most < 2 {
		return len(plotting.Shades) - 1
	}
	return min(len(plotting.Shades)-1, int(float64(len(plotting.Shades))*math.Log(float64(n))/math.Log(float64(most))))
}

// upright draws a vertical line at a coordinate.
func upright(at float64, dashed bool) drawing {
	return func(c draw.Canvas, toX, _ func(float64) vg.Length) {
		stroke := draw.LineStyle{Color: plotting.RGB(plotting.Ink), Width: vg.Points(1.2)}
		if dashed {
			stroke.Dashes = plotting.Dashes
		}
		if x := toX(at); c.ContainsX(x) {
			c.StrokeLine2(stroke, x, c.Min.Y, x, c.Max.Y)
		}
	}
}
