package compensate_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"rths"
	"rths/method/compensate"
)

// A new kind says which of its keys a search tunes, or joins those that have none on purpose.
func TestTunedKinds(t *testing.T) {
	none := []string{
		"none", "amb-galmez2021", "amb-fixed", "kf-ning2020", "kf-table5", "kf-literal", "lqg", "rodeac",
		"tf", "zpk", "ss", "fir",
	}
	for _, k := range compensate.Kinds {
		if n := len(k.Tunable); (n == 0) != slices.Contains(none, k.Name) || n > 4 {
			t.Errorf("%s: %d keys that a search tunes: want 1 to 4, or none and the name in this list", k.Name, n)
		}
	}
}

// Pairs of weights of which only the ratio counts: with both times the same factor the commands
// are the same. A search of both would look along a valley.
func TestOnlyTheRatioCounts(t *testing.T) {
	for _, tc := range []struct {
		name      string
		one, both func() compensate.Maker
		within    float64 // relative: 0 where a factor of 4 is exact, else what rounding leaves of a Riccati equation
	}{
		{
			"kf: qf and the root of r_mm2",
			func() compensate.Maker { return kindOf(t, "kf") },
			func() compensate.Maker {
				p := kindOf(t, "kf").(*compensate.KF)
				p.QF, p.R = 2*p.QF, 4*p.R
				return p
			}, 0,
		},
		{
			"hinf: W1 and W2",
			func() compensate.Maker { return kindOf(t, "hinf") },
			func() compensate.Maker {
				p := kindOf(t, "hinf").(*compensate.HInf)
				for _, list := range [][]float64{p.W1Num, p.W2Num} {
					for i := range list {
						list[i] *= 10 // the search for γ goes by tens
					}
				}
				return p
			}, 1e-9,
		},
		{
			"msmc: error_weight and state_weight, qe_mm2_s and re_mm2_s",
			func() compensate.Maker { return kindOf(t, "msmc") },
			func() compensate.Maker {
				p := kindOf(t, "msmc").(*compensate.MSMC)
				p.ErrorWeight, p.StateWeight, p.Qe, p.Re = 4*p.ErrorWeight, 4*p.StateWeight, 4*p.Qe, 4*p.Re
				return p
			}, 1e-9,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			want, got := commandsOf(made(t, tc.one())), commandsOf(made(t, tc.both()))
			largest := slices.Max(want)
			for k := range want {
				if !(math.Abs(got[k]-want[k]) <= tc.within*largest) {
					t.Fatalf("command %d is %g: want %g", k, got[k], want[k])
				}
			}
		})
	}
}

// A relative key must not keep what a maker has computed with its default: the models in front
// of adm-msmc start from a test with δ, so that delta is no factor.
func TestStartFollowsDelta(t *testing.T) {
	start := func(delta float64) []float64 {
		p := kindOf(t, "adm-msmc").(*compensate.ADMMSMC)
		p.Delta = delta
		made(t, p)
		return p.Theta0[0]
	}
	if slow, fast := start(150), start(600); slices.Equal(slow, fast) {
		t.Errorf("θ(0) is %g with δ = 150 and 600: want each its own", slow)
	}
}

func kindOf(t *testing.T, name string) compensate.Maker {
	t.Helper()
	k, err := rths.Find(compensate.Kinds, name)
	if err != nil {
		t.Fatal(err)
	}
	return k.Defaults()
}

// commandsOf are the commands for a slow random target that the plant follows late, with
// noise.
func commandsOf(c rths.Compensator) []float64 {
	rng := rand.New(rand.NewPCG(1, 2))
	out, past := make([]float64, 4*rate), make([]float64, 80)
	target := rths.Motion{X: make([]float64, 1), V: make([]float64, 1), A: make([]float64, 1)}
	read := rths.Reading{Motion: rths.NewMotion(1), F: make([]float64, 1)}
	for k := range out {
		t := float64(k) / rate
		target.X[0] = 4e-3 * math.Sin(2*math.Pi*2*t) * math.Sin(2*math.Pi*0.3*t)
		read.X[0] = past[k%len(past)] + 1e-5*rng.NormFloat64()
		past[k%len(past)] = target.X[0]
		c.Step(out[k:k+1], &target, &read)
	}
	return out
}
