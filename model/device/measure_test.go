package device

import (
	"math"
	"testing"

	"rths/kit/rthstest"
)

// What is measured is what a law says of itself, but for an exponent above 1, where it speaks of 1 m/s, LuGre, which
// speaks of bounds, and branches, which give way under a slow motion.
func TestMeasured(t *testing.T) {
	for _, c := range []struct {
		name string
		law  Law
		want Slopes // 0: as the law says
	}{
		{"viscous 0.3", &Viscous{C: 1e4, Alpha: 0.3, V0: 1e-3, K: 1e5}, Slopes{}},
		{"viscous 2", &Viscous{C: 1e4, Alpha: 2, K: 1e5}, Slopes{C: 1e4}},
		{"dashpot and spring", &Viscoelastic{K: 3e5, C: 200}, Slopes{}},
		{"three branches", &Viscoelastic{K: 1e5, C: 200, Branches: []Branch{{2e5, 3}, {4e5, 50}, {1e3, 9}}},
			Slopes{AtRest: 701e3}},
		{"maxwell 0.4", &Maxwell{K: 1e6, C: 1e4, Alpha: 0.4}, Slopes{}},
		{"bouc-wen", &BoucWen{Ke: 1e6, A: 0.1, Fy: 2e4, N: 1, Eta1: 0.5, Eta2: 0.5}, Slopes{}},
		{"lugre", &LuGre{Sigma0: 1e6, Sigma1: 2e3, Sigma2: 100, Fc: 700, Fs: 900, Vs: 0.02}, Slopes{K: 1e6, C: 4100}},
		{"stop", &Stop{K: 1e6, Travel: 0.003, Gap: true, Hook: true}, Slopes{}},
	} {
		want := c.want
		rest, _ := c.law.AtRest()
		k, damping, rate := c.law.Steepest()
		got := rthstest.Must(Measure(c.law))
		for _, v := range []struct {
			what            string
			got, want, says float64
		}{
			{"stiffness at rest", got.AtRest, want.AtRest, rest}, {"stiffness", got.K, want.K, k},
			{"damping", got.C, want.C, damping}, {"rate", got.Rate, want.Rate, rate},
		} {
			if v.want == 0 {
				v.want = v.says
			}
			rthstest.Near(t, c.name+": "+v.what, v.got, v.want, 1e-6*math.Abs(v.want))
		}
	}
}

// unfit is a law that breaks what Measure wants: beside the branches a force at x, and a rate at v and z.
type unfit struct {
	Viscoelastic
	force func(x float64) float64
	rate  func(v, z float64) float64
}

func (u *unfit) Force(x, v float64, z []float64) float64 {
	return u.Viscoelastic.Force(x, v, z) + u.force(x)
}

func (u *unfit) Rate(dz, z []float64, v float64) {
	for i := range dz {
		dz[i] = u.rate(v, z[i])
	}
}

func TestUnfitLaws(t *testing.T) {
	none := func(float64) float64 { return 0 }
	one := Viscoelastic{Branches: []Branch{{1, 1}}}
	still := func(_, _ float64) float64 { return 2 }
	blowsUp := func(v, z float64) float64 { return v + 1e9*z*z*z }
	for want, l := range map[string]Law{
		"a force of 3 N at rest: want 0 without deformation and speed": &unfit{force: func(float64) float64 { return 3 }},
		"state 1 moves by 2 1/s at rest":                               &unfit{one, none, still},
		"a state is not finite at ":                                    &unfit{one, none, blowsUp},
		"slopes of +Inf N/m": &unfit{force: func(x float64) float64 {
			return math.Copysign(math.MaxFloat64, x) * min(1, math.Abs(x)*1e9)
		}},
	} {
		_, err := Measure(l)
		rthstest.WantError(t, err, want)
	}
}
