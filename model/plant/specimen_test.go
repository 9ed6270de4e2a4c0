package plant

import (
	"math"
	"math/rand/v2"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// The specimen of the benchmark package: m_e 29.13, k_e 1190e3, ζ_e 0.0097,
// hence c_e = 114.22.
func TestSilvaSpecimen(t *testing.T) {
	kind := rthstest.Must(rths.Find(Specimens, "silva2020"))
	m, c, k := rthstest.Must(kind.Defaults().Make()).(Linear).Linear()
	if m != 29.13 || k != 1190e3 {
		t.Errorf("mass %g, stiffness %g: want 29.13 and 1.19e6", m, k)
	}
	rthstest.Near(t, "damping", c, 114.22, 0.005)
}

// f = c ẋ + k x; the plant adds m ẍ. Trying a stage changes nothing.
func TestLinearSpecimen(t *testing.T) {
	s := rthstest.Must((&LinearSpecimen{Mass: 3, Damping: 5, Stiffness: 7}).Make())
	if s.Mass() != 3 || s.States() != 0 {
		t.Errorf("mass %g, %d states: want 3 and none", s.Mass(), s.States())
	}
	if m, c, k := s.(Linear).Linear(); m != 3 || c != 5 || k != 7 {
		t.Errorf("linear %g, %g, %g: want 3, 5, 7", m, c, k)
	}
	f, motion := []float64{9}, rths.Motion{X: []float64{2}, V: []float64{-1}, A: []float64{100}}
	for range 2 {
		if s.Rate(nil, f, nil, &motion); f[0] != 7*2-5 {
			t.Errorf("force %g: want 9", f[0])
		}
	}
}

// k_e scatters by 5e4 N/m and the damping follows it at a fixed ratio, as in
// the benchmark's code; the mass stays (docs/reference/benchmark-siso.md, Scatter).
func TestSilvaSpecimenPerturb(t *testing.T) {
	const n = 40000
	normal := rand.New(rand.NewPCG(1, 50)).NormFloat64
	var stiffness []float64
	for range n {
		p := SilvaSpecimen{Mass: 29.13, Stiffness: 1190e3, DampingRatio: 0.0097}
		p.Perturb(normal)
		m, c, k := rthstest.Must(p.Make()).(Linear).Linear()
		stiffness = append(stiffness, k)
		if want := 114.22 * math.Sqrt(k/1190e3); m != 29.13 || math.Abs(c-want) > 0.005 {
			t.Fatalf("stiffness %g: mass %g, damping %g: want 29.13 and %g", k, m, c, want)
		}
	}
	// four standard errors
	rthstest.Near(t, "mean of the stiffness", mean(stiffness), 1190e3, 0.02*5e4)
	rthstest.Near(t, "standard deviation of the stiffness", sd(stiffness), 5e4, 0.0142*5e4)
}

// Mass, damping and stiffness of the random specimen are uniform in their ranges:
// mean and standard deviation (b − a)/√12, all within the ends, one independent of
// the other (paper 001, Table 7.3).
func TestRandomSpecimenPerturb(t *testing.T) {
	const n = 20000
	normal := rand.New(rand.NewPCG(2, 50)).NormFloat64
	kind := rthstest.Must(rths.Find(Specimens, "random-linear"))
	var drawn [3][]float64
	for range n {
		p := kind.Defaults()
		p.(Perturbed).Perturb(normal)
		m, c, k := rthstest.Must(p.Make()).(Linear).Linear()
		for i, v := range []float64{m, c, k} {
			drawn[i] = append(drawn[i], v)
		}
	}
	for i, r := range [][2]float64{{10, 40}, {50, 1000}, {1e4, 2e6}} {
		width := r[1] - r[0]
		rthstest.Near(t, "mean", mean(drawn[i]), (r[0]+r[1])/2, 0.01*width) // four standard errors are 0.008
		rthstest.Near(t, "standard deviation", sd(drawn[i]), width/math.Sqrt(12), 0.01*width)
		for _, v := range drawn[i] {
			if v < r[0] || v > r[1] {
				t.Fatalf("drawn %g: want %g to %g", v, r[0], r[1])
			}
		}
		rthstest.Near(t, "correlation", correlation(drawn[i], drawn[(i+1)%3]), 0, 0.03)
	}
}

func TestSpecimenErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		p    SpecimenMaker
		want string
	}{
		{&LinearSpecimen{-1, 0, 0}, "linear specimen: mass -1 kg: want 0 or more"},
		{&LinearSpecimen{nan, 0, 0}, "mass NaN kg"},
		{&LinearSpecimen{inf, 0, 0}, "mass +Inf kg"},
		{&LinearSpecimen{1, -2, 3}, "linear specimen: damping -2 N·s/m: want 0 or more"},
		{&LinearSpecimen{1, 2, -3}, "linear specimen: stiffness -3 N/m: want 0 or more"},
		{&LinearSpecimen{1, 2, inf}, "stiffness +Inf N/m"},
		{&RandomSpecimen{1, 1, 1, []float64{10}, []float64{1, 2}, []float64{1, 2}},
			"random-linear specimen: mass_range [10]: want the least and the largest, 0 or more"},
		{&RandomSpecimen{1, 1, 1, []float64{1, 2}, []float64{2, 1}, []float64{1, 2}}, "damping_range [2 1]"},
		{&RandomSpecimen{1, 1, 1, []float64{1, 2}, []float64{1, 2}, []float64{nan, 1}}, "stiffness_range [NaN 1]"},
		{&RandomSpecimen{-1, 1, 1, []float64{1, 2}, []float64{1, 2}, []float64{0, 1}}, "mass -1 kg"},
		{&SilvaSpecimen{-29, 1190e3, 0.0097}, "mass -29 kg"},
		// not the damping that follows from it, which is not a number
		{&SilvaSpecimen{29, -1190e3, 0.0097}, "stiffness -1.19e+06 N/m: want 0 or more"},
		{&SilvaSpecimen{29, 1190e3, -0.01}, "damping -"},
		{&SilvaSpecimen{29, 1190e3, nan}, "damping NaN"},
	} {
		_, err := c.p.Make()
		rthstest.WantError(t, err, c.want)
	}
}
