package structure

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"rths/kit/rthstest"
)

// The damping ratio of mode j is that asked for, one for each or one for all,
// whether the matrices are diagonal or full.
func TestModalDampingRecoversItsRatios(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, p := drawFull(t)
		n := len(p.Mass.Rows)
		p.Damping.ModalRatio = rapid.SliceOfN(rapid.Float64Range(0, 0.99), n, n).Draw(t, "ratios")
		if rapid.Bool().Draw(t, "one for all") {
			p.Damping.ModalRatio = p.Damping.ModalRatio[:1]
		}
		s := mustMake(t, p)
		modes := mustModes(t, s)
		phi := shapes(modes)
		for j, m := range modes {
			want := p.Damping.ModalRatio[min(j, len(p.Damping.ModalRatio)-1)]
			rthstest.Near(t, fmt.Sprintf("ratio of mode %d", j+1), m.Ratio, want, 1e-9)
		}
		// Classical damping: ΦᵀCΦ is diagonal.
		coupled := product(phi.T(), s.C, phi)
		for j := range n {
			coupled.Set(j, j, 0)
		}
		rthstest.Near(t, "largest modal coupling", largest(coupled), 0, 1e-9*modes[n-1].Omega)
	})
}

// C = aM + bK gives mode j the ratio a/2ω + bω/2: that asked for at the two
// frequencies, less between them and more outside.
func TestRayleighDampingRecoversItsRatio(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, p := drawFull(t)
		n := len(p.Mass.Rows)
		at := []int{rapid.IntRange(1, n).Draw(t, "first"), rapid.IntRange(1, n).Draw(t, "second")}
		ratio := rapid.Float64Range(0, 0.2).Draw(t, "ratio")
		p.Damping.Rayleigh = &Rayleigh{Ratio: ratio, Modes: at}
		s := mustMake(t, p)
		modes := mustModes(t, s)
		w1, w2 := modes[at[0]-1].Omega, modes[at[1]-1].Omega
		for _, i := range at {
			rthstest.Near(t, fmt.Sprintf("ratio of mode %d", i), modes[i-1].Ratio, ratio, 1e-9)
		}
		for _, m := range modes {
			rthstest.Near(t, "ratio", m.Ratio, ratio*(w1*w2/m.Omega+m.Omega)/(w1+w2), 1e-9)
		}
		p.Damping.Rayleigh = &Rayleigh{Ratio: ratio, FreqHz: []float64{modes[at[1]-1].FreqHz, modes[at[0]-1].FreqHz}}
		nearMatrix(t, "C by frequencies in place of modes", mustMake(t, p).C, s.C, 1e-12)
	})
}

// Paper 000, section 3.1: 2 % in modes 1 and 2, which are the default.
func TestRayleighDampingOfPaper000(t *testing.T) {
	p := &Shear{Masses: []float64{1000, 1000, 1000}, Stiffnesses: []float64{200e3, 200e3, 200e3}}
	p.Damping.Rayleigh = &Rayleigh{Ratio: 0.02}
	modes := mustModes(t, mustMake(t, p))
	rthstest.Near(t, "ratio of mode 1", modes[0].Ratio, 0.02, 1e-14)
	rthstest.Near(t, "ratio of mode 2", modes[1].Ratio, 0.02, 1e-14)
	if !(modes[2].Ratio > 0.02) {
		t.Errorf("ratio of mode 3 is %g: want more than 0.02", modes[2].Ratio)
	}
}

// Frequencies in place of modes need no mass at every degree of freedom.
func TestRayleighDampingOfMasslessCoordinates(t *testing.T) {
	s := mustMake(t, &Matrices{
		Mass: Rows([][]float64{{2, 0}, {0, 0}}), Stiffness: Rows([][]float64{{300, -100}, {-100, 100}}),
		Damping: Damping{Rayleigh: &Rayleigh{Ratio: 0.05, FreqHz: []float64{1, 3}}},
	})
	// a + b ω² = 2 ζ ω at both frequencies.
	b := 2 * 0.05 / (2 * math.Pi * (1 + 3))
	rthstest.Near(t, "C(2,2)", s.C.At(1, 1), b*100, 1e-14)
	a := 2 * 0.05 * 2 * math.Pi * 1 * 3 / (1 + 3)
	rthstest.Near(t, "C(1,1)", s.C.At(0, 0), a*2+b*300, 1e-13)
}

func TestDampingErrors(t *testing.T) {
	nan := math.NaN()
	matrix := [][]float64{{1, 0}, {0, 1}}
	for _, c := range []struct {
		want string
		d    Damping
	}{
		{"damping: want only one of modal_ratio, rayleigh and matrix",
			Damping{ModalRatio: []float64{0.1}, Rayleigh: &Rayleigh{}}},
		{"want only one of", Damping{ModalRatio: []float64{0.1}, Matrix: Rows(matrix)}},
		{"want only one of", Damping{Rayleigh: &Rayleigh{}, Matrix: Rows(matrix)}},
		{"damping: 3 modal ratios: want 1 or 2", Damping{ModalRatio: []float64{0, 0, 0}}},
		{"damping: 0 modal ratios: want 1 or 2", Damping{ModalRatio: []float64{}}},
		{"damping ratio 1: want 0 to below 1", Damping{ModalRatio: []float64{0.1, 1}}},
		{"damping ratio -0.1: want", Damping{ModalRatio: []float64{-0.1}}},
		{"damping ratio NaN: want", Damping{ModalRatio: []float64{nan}}},
		{"damping ratio 5: want", Damping{Rayleigh: &Rayleigh{Ratio: 5}}},
		{"rayleigh damping: modes [0 1]: want two of 1 to 2, counted from 1, or freq_hz",
			Damping{Rayleigh: &Rayleigh{Modes: []int{0, 1}}}},
		{"rayleigh damping: modes [1 0]: want two of 1 to 2", Damping{Rayleigh: &Rayleigh{Modes: []int{1, 0}}}},
		{"rayleigh damping: modes [3 1]: want two of 1 to 2", Damping{Rayleigh: &Rayleigh{Modes: []int{3, 1}}}},
		{"rayleigh damping: modes [1 3]: want two of 1 to 2", Damping{Rayleigh: &Rayleigh{Modes: []int{1, 3}}}},
		{"rayleigh damping: modes [1]: want two", Damping{Rayleigh: &Rayleigh{Modes: []int{1}}}},
		{"rayleigh damping: freq_hz [1]: want two positive frequencies", Damping{Rayleigh: &Rayleigh{FreqHz: []float64{1}}}},
		{"freq_hz [1 0]: want two positive", Damping{Rayleigh: &Rayleigh{FreqHz: []float64{1, 0}}}},
		{"freq_hz [NaN 1]: want two positive", Damping{Rayleigh: &Rayleigh{FreqHz: []float64{nan, 1}}}},
		{"freq_hz [1 2]: want two positive frequencies, and no modes beside",
			Damping{Rayleigh: &Rayleigh{FreqHz: []float64{1, 2}, Modes: []int{1, 2}}}},
		{"damping matrix has an entry NaN", Damping{Rayleigh: &Rayleigh{Ratio: 0.1, FreqHz: []float64{1, math.Inf(1)}}}},
	} {
		_, err := (&Shear{Masses: []float64{1, 1}, Stiffnesses: []float64{1, 1}, Damping: c.d}).Make()
		rthstest.WantError(t, err, c.want)
	}
}

// One floor has no second mode, and a rigid-body mode has no ratio.
func TestRayleighModesMustVibrate(t *testing.T) {
	second := Damping{Rayleigh: &Rayleigh{Ratio: 0.02}}
	_, err := (&Shear{Masses: []float64{1}, Stiffnesses: []float64{1}, Damping: second}).Make()
	rthstest.WantError(t, err, "rayleigh damping: modes [1 2]: want two of 1 to 1, counted from 1, or freq_hz")
	free := freeChain()
	free.Damping = second
	_, err = free.Make()
	rthstest.WantError(t, err, "rayleigh damping: modes [1 2] have frequencies 0 and")
	free.Damping.Rayleigh.Modes = []int{2, 3}
	modes := mustModes(t, mustMake(t, free))
	rthstest.Near(t, "ratio of mode 2", modes[1].Ratio, 0.02, 1e-12)
	rthstest.Near(t, "ratio of mode 3", modes[2].Ratio, 0.02, 1e-12)
}
