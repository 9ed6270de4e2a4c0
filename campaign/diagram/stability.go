package diagram

import (
	"math"
	"math/cmplx"
	"rths/campaign/analyse"
	"rths/method/stability"
	"rths/result/panels"
	"rths/result/plotting"
	"slices"
)

// LoopColours are the colours of the loops by case.
var LoopColours = map[string]string{
	"uncompensated": plotting.Vermillion, "compensated": plotting.Ink, "undivided": plotting.SkyBlue,
}

// Nyquist is the curves near −1, and the closed loop's gain with the weight; nil where no loop has a curve.
func Nyquist(v *analyse.Verdict) []panels.Panel {
	loops := slices.DeleteFunc(slices.Clone(v.Loops), func(l analyse.LoopVerdict) bool { return !l.Drawn() })
	if len(loops) == 0 {
		return nil
	}
	curves := panels.Panel{Title: "Open loop near −1", X: "Re L", Y: "Im L", Box: [4]float64{-2.4, 2.4, -1.5, 1.5}}
	gains := panels.Panel{Title: "Closed loop", X: "frequency, Hz", Y: "|T| = |L/(1 + L)|, dB", LogX: true}
	bundle := panels.Line{Name: "perturbed", Colour: plotting.Bundle, Width: 0.5}
	for i := range v.Plants {
		l := nyquistLine(&v.Plants[i], "", 0)
		bundle.X, bundle.Y = append(append(bundle.X, l.X...), math.NaN()), append(append(bundle.Y, l.Y...), math.NaN())
	}
	if len(v.Plants) > 0 {
		curves.Lines = append(curves.Lines, bundle)
	}
	circle := panels.Line{Name: "|L| = 1", Colour: plotting.Grey, Width: 0.8, Dashed: true}
	for i := range 181 {
		at := cmplx.Rect(1, math.Pi*float64(i)/90)
		circle.X, circle.Y = append(circle.X, real(at)), append(circle.Y, imag(at))
	}
	curves.Lines = append(curves.Lines, circle, cross("−1", -1, 0))
	if v.Weight != nil {
		curves.Lines = append(curves.Lines, envelope(&loops[len(loops)-1], v.Weight))
	}
	for i := range loops {
		l := &loops[i]
		curves.Lines = append(curves.Lines, nyquistLine(l, LoopColours[l.Case], 1.5))
		gain := panels.Line{Name: l.Case, X: l.Curve.Hz, Colour: LoopColours[l.Case], Width: 1.5}
		for _, v := range l.Curve.L {
			gain.Y = append(gain.Y, 20*math.Log10(cmplx.Abs(v/(1+v))))
		}
		gains.Lines = append(gains.Lines, gain)
	}
	if v.Weight != nil {
		bound := panels.Line{Name: "1/|W|", X: loops[0].Curve.Hz, Colour: plotting.Blue, Width: 1.2, Dashed: true}
		for _, hz := range bound.X {
			bound.Y = append(bound.Y, -20*math.Log10(v.Weight.At(hz)))
		}
		gains.Lines = append(gains.Lines, bound)
	}
	hz := loops[0].Curve.Hz // gains far below the weight do not matter
	gains.Box = [4]float64{hz[0], hz[len(hz)-1], -60, math.Ceil(Highest(gains.Lines)) + 3}
	return []panels.Panel{curves, gains}
}

// envelope is the band of circles |W L| about a curve: the true curve lies within.
func envelope(l *analyse.LoopVerdict, w *stability.Weight) panels.Line {
	const apart, near = 0.06, 3
	out := panels.Line{Name: "within |W L|", Colour: plotting.SkyBlue, Width: 0.5}
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

func nyquistLine(l *analyse.LoopVerdict, colour string, width float64) panels.Line {
	out := panels.Line{Name: l.Case, Colour: colour, Width: width}
	for _, v := range l.Curve.L {
		out.X, out.Y = append(out.X, real(v)), append(out.Y, imag(v))
	}
	return out
}

// cross marks a point.
func cross(name string, x, y float64) panels.Line {
	const arm = 0.04
	gap := math.NaN()
	return panels.Line{
		Name: name, Colour: plotting.Unstable, Width: 1.6,
		X: []float64{x - arm, x + arm, gap, x - arm, x + arm}, Y: []float64{y - arm, y + arm, gap, y + arm, y - arm},
	}
}

// Highest is the largest finite value of the lines.
func Highest(list []panels.Line) float64 {
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
