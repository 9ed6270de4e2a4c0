//go:build !js

package report

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths/result/plotting"
)

const (
	thinnest = vg.Length(1) // points
	lowMark  = vg.Length(5) // height of a mark at the lower edge
)

// marked draws marks behind the curves of a plot over time. A wide plot labels them, each in
// a line of its own.
type marked struct {
	list []mark
	bare bool
}

// Plot draws them.
func (m marked) Plot(c draw.Canvas, p *plot.Plot) {
	toX, _ := p.Transforms(&c)
	column := func(c draw.Canvas, colour string, from, to vg.Length) {
		c.FillPolygon(plotting.RGB(colour), []vg.Point{{X: from, Y: c.Min.Y}, {X: to, Y: c.Min.Y}, {X: to, Y: c.Max.Y},
			{X: from, Y: c.Max.Y}})
	}
	for _, one := range m.list {
		from, to := toX(max(one.From, p.X.Min)), toX(min(one.To, p.X.Max))
		if from > to {
			continue // out of sight
		}
		if one.low() {
			foot := c
			foot.Max.Y = c.Min.Y + lowMark
			column(foot, plotting.Acted, from, max(to, from+thinnest))
			continue
		}
		column(c, plotting.Fault, from, to)
		if one.From >= p.X.Min {
			column(c, one.edge(), from, from+thinnest)
		}
	}
	if m.bare {
		return
	}
	style := p.X.Tick.Label
	style.XAlign, style.YAlign = draw.XLeft, draw.YTop
	for i, one := range m.list {
		if one.low() {
			return // these are the last
		}
		if one.From <= p.X.Max && one.To >= p.X.Min {
			left := min(toX(max(one.From, p.X.Min)), c.Max.X-style.Width(one.Label)) + 2*thinnest
			c.FillText(style, vg.Point{X: left, Y: c.Max.Y - vg.Length(i)*style.Height(one.Label)}, one.Label)
		}
	}
}

func (m mark) edge() string {
	if m.From == m.To {
		return plotting.Acted
	}
	return plotting.FaultBegins
}
