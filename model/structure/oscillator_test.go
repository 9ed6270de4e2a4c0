package structure

import (
	"math"
	"testing"

	"rths/kit/rthstest"
)

// An oscillator is the frame of one storey with k = m (2πf)² and the same damping ratio, and
// its one mode has the frequency and ratio that were given. Its mass scales M, C and K.
func TestOscillatorIsAStorey(t *testing.T) {
	for _, p := range []Oscillator{{1, 3.5, 0.04}, {2500, 0.4, 0}, {0.02, 31, 0.6}} {
		s := mustMake(t, &p)
		w := 2 * math.Pi * p.FreqHz
		storey := mustMake(t, &Shear{Masses: []float64{p.Mass}, Stiffnesses: []float64{p.Mass * w * w},
			Damping: Damping{ModalRatio: []float64{p.Damping}}}).Dense()
		nearMatrix(t, "M", s.M, storey.M, 0)
		nearMatrix(t, "C", s.C, storey.C, 1e-14)
		nearMatrix(t, "K", s.K, storey.K, 0)
		nearMatrix(t, "Γ", s.Gamma, storey.Gamma, 0)
		mode := mustModes(t, s)[0]
		rthstest.Near(t, "frequency", mode.FreqHz, p.FreqHz, 1e-14*p.FreqHz)
		rthstest.Near(t, "damping ratio", mode.Ratio, p.Damping, 1e-14)
	}
}

func TestOscillatorErrors(t *testing.T) {
	for want, p := range map[string]Oscillator{
		"mass is 0 kg: want more than 0":         {0, 1, 0.05},
		"mass is +Inf kg":                        {math.Inf(1), 1, 0.05},
		"frequency_hz is 0: want more than 0":    {1, 0, 0.05},
		"frequency_hz is NaN":                    {1, math.NaN(), 0.05},
		"damping_ratio is -0.05: want 0 or more": {1, 1, -0.05},
		"damping_ratio is +Inf":                  {1, 1, math.Inf(1)},
		"stiffness":                              {1e200, 1e200, 0},
	} {
		_, err := p.Make()
		rthstest.WantError(t, err, "oscillator: ")
		rthstest.WantError(t, err, want)
	}
}
