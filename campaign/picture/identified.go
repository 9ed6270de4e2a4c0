package picture

import (
	"math"

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
