package picture

import (
	"fmt"
	"math"
	"slices"

	"rths/campaign/analyse"
	"rths/maths/lti"
	"rths/result/panels"
	"rths/result/plotting"
	"rths/result/record"
)

// Identified draws fit, residual and frequency response of an identification into a folder, and returns the paths.
func Identified(dir, name string, s *analyse.Identify, r *analyse.Identification) ([]string, error) {
	files, err := panels.DrawFit(dir, name, s.RateHz, s.Measured, r.Simulated)
	if err != nil || r.Continuous == nil {
		return files, err
	}
	h, spectrum := 1/s.RateHz, r.Spectrum
	band := lti.Bode{}
	model := lti.Bode{}
	for k, hz := range spectrum.Hz {
		if hz < r.Continuous.FromHz || hz > r.Continuous.ToHz {
			continue
		}
		addBode(&band, hz, spectrum.H[k])
		addBode(&model, hz, r.Continuous.At(hz, h))
	}
	more, err := panels.DrawBode(dir, name+": frequency response", []panels.BodeCurve{
		{Name: "measured", Bode: band, Colour: plotting.Ink, Width: 1.6},
		{Name: "continuous model", Bode: model, Colour: plotting.Vermillion, Width: 1.2, Dashed: true},
	})
	return append(files, more...), err
}

// IdentifiedAxes draws the magnitudes of a matrix of frequency responses into a folder, and returns the paths. The axes
// reach down to 1/10⁴ of the largest.
func IdentifiedAxes(dir, name string, r *analyse.AxesIdentification) ([]string, error) {
	n, largest := len(r.Axes), 0.0
	rows := make([][]panels.Panel, n)
	for i := range n {
		for j := range n {
			size, sd := r.Magnitudes(i, j)
			largest = max(largest, slices.Max(size))
			p := panels.Panel{Title: fmt.Sprintf("%d by %d", i+1, j+1), LogX: true, LogY: true, Lines: []panels.Line{
				{Name: "response", X: r.Hz, Y: size, Colour: plotting.Blue},
				{Name: "standard error", X: r.Hz, Y: sd, Colour: plotting.Grey, Width: 0.8},
			}}
			if i == n-1 {
				p.X = "Hz"
			}
			rows[i] = append(rows[i], p)
		}
	}
	rows[0][0].Box = [4]float64{r.Hz[0], r.Hz[len(r.Hz)-1], largest / 1e4, 1.5 * largest}
	return panels.DrawGrid(dir, "axes", name+": displacement of each actuator over command of each", rows)
}

// addBode appends a frequency, its phase followed from the one before.
func addBode(b *lti.Bode, hz float64, v complex128) {
	phase := 180 / math.Pi * math.Atan2(imag(v), real(v))
	before := 0.0
	if n := len(b.PhaseDeg); n > 0 {
		before = b.PhaseDeg[n-1]
	}
	phase -= 360 * math.Round((phase-before)/360)
	b.Hz, b.MagDB = append(b.Hz, hz), append(b.MagDB, 20*math.Log10(math.Hypot(real(v), imag(v))))
	b.PhaseDeg, b.DelayMs = append(b.PhaseDeg, phase), append(b.DelayMs, -phase/360/hz*1e3)
}

// IdentifiedHydraulic draws measured and modelled displacement and force over time, each above its residual, into
// hydraulic.png and hydraulic.svg of a folder, and returns the paths.
func IdentifiedHydraulic(dir, name string, s *analyse.HydraulicTest, r *analyse.HydraulicFit) ([]string, error) {
	left := [2][]float64{make([]float64, len(r.X)), make([]float64, len(r.F))}
	for k := range r.X {
		left[0][k], left[1][k] = s.Measured[k]-r.X[k], s.Force[k]-r.F[k]
	}
	over := func(y []float64, unit float64, title, colour string) panels.Line {
		return overTime(y, unit, s.RateHz, title, colour)
	}
	list := []panels.Panel{
		{Y: "displacement, mm", Lines: []panels.Line{over(s.Measured, 1e-3, "measured", plotting.Ink),
			over(r.X, 1e-3, "model", plotting.Vermillion)}},
		{Y: "residual, µm", Lines: []panels.Line{over(left[0], 1e-6, "", plotting.Blue)}},
		{Y: "force, kN", Lines: []panels.Line{over(s.Force, 1e3, "measured", plotting.Ink),
			over(r.F, 1e3, "model", plotting.Vermillion)}},
		{X: "time, s", Y: "residual, N", Lines: []panels.Line{over(left[1], 1, "", plotting.Blue)}},
	}
	for i := range list {
		list[i].Box = list[i].Room(0)
	}
	return panels.Draw(dir, "hydraulic", name, list)
}

// overTime is a signal in a unit. Each column of the picture shows its extremes.
func overTime(y []float64, unit, rateHz float64, title, colour string) panels.Line {
	columns := min(len(y), 1000)
	out := panels.Line{Name: title, Colour: colour, Width: 0.8}
	for c := range columns {
		low, high := record.SignalOf(y).Extremes(c*len(y)/columns, (c+1)*len(y)/columns)
		for _, k := range []int{min(low, high), max(low, high)} {
			out.X, out.Y = append(out.X, float64(k)/rateHz), append(out.Y, y[k]/unit)
		}
	}
	return out
}

// Explained draws the tracking error over time, above its largest parts, into explained.png and explained.svg of a folder,
// and returns the paths.
func Explained(dir, name string, e *analyse.Explain, r *analyse.Explanation) ([]string, error) {
	failure := make([]float64, len(e.Target))
	for k := range failure {
		failure[k] = e.Measured[k] - e.Target[k]
	}
	const shown = 4
	names, parts := r.Ranked()
	list := []panels.Panel{{Y: "error, mm", Lines: []panels.Line{overTime(failure, 1e-3, e.RateHz, "measured less target",
		plotting.Ink)}}}
	for i := range shown {
		colour := []string{plotting.Vermillion, plotting.Blue, plotting.Green, plotting.Purple}[i]
		list = append(list, panels.Panel{Y: "mm", Lines: []panels.Line{overTime(parts[i], 1e-3, e.RateHz, names[i], colour)}})
	}
	list[shown].X = "time, s"
	for i := range list {
		list[i].Box = list[i].Room(0)
	}
	return panels.Draw(dir, "explained", name, list)
}
