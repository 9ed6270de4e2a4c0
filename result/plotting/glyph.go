//go:build !js

package plotting

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// Circle is the path of a circle of radius r.
func Circle(p *vg.Path, at vg.Point, r vg.Length) {
	p.Move(vg.Point{X: at.X + r, Y: at.Y})
	p.Arc(at, r, 0, 2*math.Pi)
}

// Saltire is the path of two crossed strokes within a square of half width r.
func Saltire(p *vg.Path, at vg.Point, r vg.Length) {
	p.Move(vg.Point{X: at.X - r, Y: at.Y - r})
	p.Line(vg.Point{X: at.X + r, Y: at.Y + r})
	p.Move(vg.Point{X: at.X - r, Y: at.Y + r})
	p.Line(vg.Point{X: at.X + r, Y: at.Y - r})
}
