package picture

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"rths/campaign/analyse"
	"rths/method/stability"
	"rths/result/plotting"
	"rths/result/report"
)

// Stability draws nyquist, poles and the maps into a folder, and returns the paths. maps are nil without --map.
func Stability(dir string, v *analyse.Verdict, maps *analyse.Maps) ([]string, error) {
	var files []string
	draw := func(name string, panels []report.Panel) error {
		more, err := report.Panels(dir, name, v.Name, panels)
		files = append(files, more...)
		return err
	}
	if slices.ContainsFunc(v.Loops, func(l analyse.LoopVerdict) bool { return l.Drawn() }) {
		if err := draw("nyquist", nyquistPanels(v)); err != nil {
			return files, err
		}
	}
	if v.Poles != nil {
		if err := draw("poles", polePanels(v)); err != nil {
			return files, err
		}
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

var loopColours = map[string]string{
	"uncompensated": plotting.Vermillion, "compensated": plotting.Ink, "undivided": plotting.SkyBlue,
}

// nyquistPanels are the curves near −1, and the closed loop's gain with the weight.
func nyquistPanels(v *analyse.Verdict) []report.Panel {
	curves := report.Panel{X: "Re L", Y: "Im L", Box: [4]float64{-2.4, 2.4, -1.5, 1.5}}
	gains := report.Panel{X: "frequency, Hz", Y: "|T| = |L/(1 + L)|, dB", LogX: true}
	for i := range v.Plants {
		l := nyquistLine(&v.Plants[i], plotting.Bundle, 0.5)
		if l.Name = ""; i == 0 {
			l.Name = "perturbed"
		}
		curves.Lines = append(curves.Lines, l)
	}
	circle := report.Line{Name: "|L| = 1", Colour: plotting.Grey, Width: 0.8, Dashed: true}
	for i := range 181 {
		at := cmplx.Rect(1, math.Pi*float64(i)/90)
		circle.X, circle.Y = append(circle.X, real(at)), append(circle.Y, imag(at))
	}
	curves.Lines = append(curves.Lines, circle, cross("−1", -1, 0))
	loops := slices.DeleteFunc(slices.Clone(v.Loops), func(l analyse.LoopVerdict) bool { return !l.Drawn() })
	if v.Weight != nil {
		curves.Lines = append(curves.Lines, envelope(&loops[len(loops)-1], v.Weight))
	}
	for i := range loops {
		l := &loops[i]
		curves.Lines = append(curves.Lines, nyquistLine(l, loopColours[l.Case], 1.5))
		gain := report.Line{Name: l.Case, X: l.Curve.Hz, Colour: loopColours[l.Case], Width: 1.5}
		for _, v := range l.Curve.L {
			gain.Y = append(gain.Y, 20*math.Log10(cmplx.Abs(v/(1+v))))
		}
		gains.Lines = append(gains.Lines, gain)
	}
	if v.Weight != nil {
		bound := report.Line{Name: "1/|W|", X: loops[0].Curve.Hz, Colour: plotting.Blue, Width: 1.2, Dashed: true}
		for _, hz := range bound.X {
			bound.Y = append(bound.Y, -20*math.Log10(v.Weight.At(hz)))
		}
		gains.Lines = append(gains.Lines, bound)
	}
	hz := loops[0].Curve.Hz // gains far below the weight do not matter
	gains.Box = [4]float64{hz[0], hz[len(hz)-1], -60, math.Ceil(highest(gains.Lines)) + 3}
	return []report.Panel{curves, gains}
}

// envelope is the band of circles |W L| about a curve: the true curve lies within.
func envelope(l *analyse.LoopVerdict, w *stability.Weight) report.Line {
	const apart, near = 0.06, 3
	out := report.Line{Name: "within |W L|", Colour: plotting.SkyBlue, Width: 0.5}
	last := complex(math.Inf(1), 0)
	for i, at := range l.Curve.L {
		radius := w.At(l.Curve.Hz[i]) * cmplx.Abs(at)
		if cmplx.Abs(at) > near || radius > near || cmplx.Abs(at-last) < apart {
			continue
		}
		last = at
		for k := range 37 {
			p := at + cmplx.Rect(radius, math.Pi*float64(k)/18)
			out.X, out.Y = append(out.X, real(p)), append(out.Y, imag(p))
		}
		out.X, out.Y = append(out.X, math.NaN()), append(out.Y, math.NaN())
	}
	return out
}

func nyquistLine(l *analyse.LoopVerdict, colour string, width float64) report.Line {
	out := report.Line{Name: l.Case, Colour: colour, Width: width}
	for _, v := range l.Curve.L {
		out.X, out.Y = append(out.X, real(v)), append(out.Y, imag(v))
	}
	return out
}

// cross marks a point.
func cross(name string, x, y float64) report.Line {
	const arm = 0.04
	gap := math.NaN()
	return report.Line{
		Name: name, Colour: plotting.Unstable, Width: 1.6,
		X: []float64{x - arm, x + arm, gap, x - arm, x + arm}, Y: []float64{y - arm, y + arm, gap, y + arm, y - arm},
	}
}

var mapColours = []string{plotting.Ink, plotting.SkyBlue, plotting.Green, plotting.Purple}

// mapPanels are the critical delay by mass ratio and method, by damping ratio, and
// the growth of the whole loop, over the stiffness ratio.
func mapPanels(v *analyse.Verdict, points []analyse.MapPoint) []report.Panel {
	panels := []report.Panel{
		{Y: "critical delay, ms", Lines: massLines(v, points)},
		{Y: "critical delay, ms", Lines: dampingLines(points)},
		{Y: "growth of the loop, 1/s", Lines: growthLines(v, points)},
	}
	for i := range panels {
		p := &panels[i]
		p.X = "stiffness ratio"
		if i < 2 {
			p.Box = [4]float64{0, 1, 0, 1.05 * highest(p.Lines)}
		}
	}
	return panels
}

// mapLine is a quantity of some points of a map.
func mapLine(
	name, colour string, points []analyse.MapPoint, keep func(analyse.MapPoint) bool, of func(analyse.MapPoint) float64,
) report.Line {
	l := report.Line{Name: name, Colour: colour, Width: 1.4}
	for _, p := range points {
		if keep(p) {
			l.X, l.Y = append(l.X, p.StiffnessRatio), append(l.Y, of(p))
		}
	}
	return l
}

func exactMs(p analyse.MapPoint) float64 { return 1e3 * p.Exact.Delay }
func isOwn(p analyse.MapPoint) bool      { return p.Own }

func massLines(v *analyse.Verdict, points []analyse.MapPoint) []report.Line {
	var out []report.Line
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

func dampingLines(points []analyse.MapPoint) []report.Line {
	var out []report.Line
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

func growthLines(v *analyse.Verdict, points []analyse.MapPoint) []report.Line {
	out := []report.Line{{X: []float64{0, 1}, Y: []float64{0, 0}, Colour: plotting.Unstable, Width: 0.8, Dashed: true}}
	for i := range v.Loops {
		name := v.Loops[i].Case
		growth := func(p analyse.MapPoint) float64 { return p.Growth[i] }
		out = append(out, mapLine(name, loopColours[name], points, isOwn, growth))
	}
	return out
}

// highest is the largest finite value of the lines.
func highest(list []report.Line) float64 {
	most := 1e-9
	for _, l := range list {
		for _, y := range l.Y {
			if !math.IsInf(y, 0) {
				most = max(most, y)
			}
		}
	}
	return most
}
