package picture

import (
	"fmt"
	"math"
	"slices"

	"rths/campaign/analyse"
	"rths/maths/lti"
	"rths/result/panels"
	"rths/result/plotting"
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
