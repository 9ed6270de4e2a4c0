package picture

import (
	"fmt"

	"rths/campaign/analyse"
	"rths/campaign/diagram"
	"rths/result/panels"
	"rths/result/plotting"
)

// Stability draws nyquist, poles and the maps into a folder, and returns the paths. maps are nil without --map.
func Stability(dir string, v *analyse.Verdict, maps *analyse.Maps) ([]string, error) {
	var files []string
	draw := func(name string, list []panels.Panel) error {
		if list == nil {
			return nil
		}
		more, err := panels.Draw(dir, name, v.Name, list)
		files = append(files, more...)
		return err
	}
	if err := draw("nyquist", diagram.Nyquist(v)); err != nil {
		return files, err
	}
	if err := draw("poles", diagram.Poles(v)); err != nil {
		return files, err
	}
	if maps == nil {
		return files, nil
	}
	if maps.Points != nil {
		if err := draw("map", mapPanels(v, maps.Points)); err != nil {
			return files, err
		}
	}
	more, err := savePictures(dir, "", planePictures(v.Name, maps.Planes))
	return append(files, more...), err
}

var mapColours = []string{plotting.Ink, plotting.SkyBlue, plotting.Green, plotting.Purple}

// mapPanels are the critical delay by mass ratio and method, by damping ratio, and
// the growth of the whole loop, over the stiffness ratio.
func mapPanels(v *analyse.Verdict, points []analyse.MapPoint) []panels.Panel {
	list := []panels.Panel{
		{Y: "critical delay, ms", Lines: massLines(v, points)},
		{Y: "critical delay, ms", Lines: dampingLines(points)},
		{Y: "growth of the loop, 1/s", Lines: growthLines(v, points)},
	}
	for i := range list {
		p := &list[i]
		p.X = "stiffness ratio"
		if i < 2 {
			p.Box = [4]float64{0, 1, 0, 1.05 * diagram.Highest(p.Lines)}
		}
	}
	return list
}

// mapLine is a quantity of some points of a map.
func mapLine(
	name, colour string, points []analyse.MapPoint, keep func(analyse.MapPoint) bool, of func(analyse.MapPoint) float64,
) panels.Line {
	l := panels.Line{Name: name, Colour: colour, Width: 1.4}
	for _, p := range points {
		if keep(p) {
			l.X, l.Y = append(l.X, p.StiffnessRatio), append(l.Y, of(p))
		}
	}
	return l
}

func exactMs(p analyse.MapPoint) float64 { return 1e3 * p.Exact.Delay }
func isOwn(p analyse.MapPoint) bool      { return p.Own }

func massLines(v *analyse.Verdict, points []analyse.MapPoint) []panels.Line {
	var out []panels.Line
	for i, mass := range analyse.Masses(points) {
		keep := func(p analyse.MapPoint) bool { return p.MassRatio == mass && p.DampingFactor == 1 }
		colour := mapColours[i%len(mapColours)]
		out = append(out, mapLine(fmt.Sprintf("mass ratio %.3g", mass), colour, points, keep, exactMs))
	}
	padeMs := func(p analyse.MapPoint) float64 { return 1e3 * p.Pade.Delay }
	modalMs := func(p analyse.MapPoint) float64 { return 1e3 * p.Modal.Delay }
	stepMs := func(p analyse.MapPoint) float64 { return 1e3 * p.StepLimit }
	pade := mapLine(fmt.Sprintf("Padé %d", v.Order), plotting.Vermillion, points, isOwn, padeMs)
	modal := mapLine("modal", plotting.Orange, points, isOwn, modalMs)
	step := mapLine("longest step", plotting.Grey, points, isOwn, stepMs)
	pade.Dashed, modal.Dashed, step.Width = true, true, 0.8
	return append(out, pade, modal, step)
}

func dampingLines(points []analyse.MapPoint) []panels.Line {
	var out []panels.Line
	own := points[0].MassRatio
	for _, first := range points {
		if first.MassRatio != own || first.StiffnessRatio != points[0].StiffnessRatio {
			continue
		}
		keep := func(p analyse.MapPoint) bool { return p.MassRatio == own && p.DampingFactor == first.DampingFactor }
		name, colour := fmt.Sprintf("damping %.3g %%", 100*first.DampingRatio), mapColours[len(out)%len(mapColours)]
		out = append(out, mapLine(name, colour, points, keep, exactMs))
	}
	return out
}

func growthLines(v *analyse.Verdict, points []analyse.MapPoint) []panels.Line {
	out := []panels.Line{{X: []float64{0, 1}, Y: []float64{0, 0}, Colour: plotting.Unstable, Width: 0.8, Dashed: true}}
	for i := range v.Loops {
		name := v.Loops[i].Case
		growth := func(p analyse.MapPoint) float64 { return p.Growth[i] }
		out = append(out, mapLine(name, diagram.LoopColours[name], points, isOwn, growth))
	}
	return out
}
