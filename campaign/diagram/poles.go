package diagram

import (
	"fmt"
	"math"
	"slices"

	"rths/campaign/analyse"
	"rths/result/panels"
	"rths/result/plotting"
)

// Poles is the poles of the partition with the delays of the loops, and its impulse responses; nil where they are not
// known.
func Poles(v *analyse.Verdict) []panels.Panel {
	p := v.Poles
	if p == nil {
		return nil
	}
	plane := panels.Panel{Title: "Poles", X: "real part, 1/s (above 0: grows)", Y: "imaginary part / 2π, Hz",
		Box: poleBox(v)}
	plane.Lines = []panels.Line{{Name: "stability limit", Colour: plotting.Unstable, Dashed: true, X: []float64{0, 0},
		Y: slices.Clone(plane.Box[2:])}}
	ways := panels.Line{Name: "way with the delay", Colour: plotting.Grey, Width: 0.8}
	for _, path := range p.Paths {
		ways.X, ways.Y = append(ways.X, math.NaN()), append(ways.Y, math.NaN())
		for _, s := range path {
			ways.X, ways.Y = append(ways.X, real(s)), append(ways.Y, imag(s)/(2*math.Pi))
		}
	}
	plane.Lines = append(plane.Lines, ways)
	if len(p.Zeros) > 0 {
		plane.Lines = append(plane.Lines, roots("zeros", plotting.Grey, panels.Circle, p.Zeros))
	}
	motion := panels.Panel{Title: "Impulse response", X: "time, s", Y: "interface after 1 N·s, µm"}
	for _, set := range p.Sets {
		name, colour := fmt.Sprintf("%s, %.2f ms", set.Case, 1e3*set.Delay), LoopColours[set.Case]
		switch {
		case set.Case == "undivided":
			name = "no delay"
		case set.Delay < 0:
			name += " (ahead: none)"
			set.Impulse = nil
		}
		plane.Lines = append(plane.Lines, roots(name, colour, panels.Saltire, set.Poles))
		response := panels.Line{Name: name, Colour: colour}
		for i, x := range set.Impulse {
			response.X, response.Y = append(response.X, p.T[i]), append(response.Y, 1e6*x)
		}
		motion.Lines = append(motion.Lines, response)
	}
	return []panels.Panel{plane, motion}
}

// roots are marks at roots, by real part and frequency.
func roots(name, colour string, mark panels.Mark, at []complex128) panels.Line {
	out := panels.Line{Name: name, Colour: colour, Mark: mark}
	for _, s := range at {
		out.X, out.Y = append(out.X, real(s)), append(out.Y, imag(s)/(2*math.Pi))
	}
	return out
}

// poleBox has the ways of the roots up to five times the frequency of the verdict, the stability limit, and the pole
// that grows fastest.
func poleBox(v *analyse.Verdict) [4]float64 {
	top, worst := 5*v.At(), v.Poles.Rightmost()
	left, right := 0.0, max(0, real(worst))
	if real(worst) > 0 {
		top = max(top, 1.2*imag(worst)/(2*math.Pi))
	}
	for _, s := range slices.Concat(v.Poles.Paths...) {
		if imag(s)/(2*math.Pi) <= top {
			left, right = min(left, real(s)), max(right, real(s))
		}
	}
	room := 0.1 * (right - left)
	return [4]float64{left - room, right + room, 0, top}
}
