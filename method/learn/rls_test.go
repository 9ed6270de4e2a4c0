package learn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/kit/rthstest"
	"rths/model/device"
)

// viscoelastic is a law whose force is linear in spring, dashpot and a branch, which has a state.
func viscoelastic() (*device.Viscoelastic, []device.Parameter) {
	l := &device.Viscoelastic{K: 1e5, C: 2e3, Branches: []device.Branch{{K: 8e4, Rate: 5}}}
	return l, []device.Parameter{bounded("k", &l.K, 5e4, 3e5), bounded("c", &l.C, 500, 8e3), bounded("k1", &l.Branches[0].K, 3e4, 2e5)}
}

// The recursion is the minimum of Σ λ^(n−k) (y − φᵀθ)²/R + λⁿ (θ − θ₀)ᵀ P₀⁻¹ (θ − θ₀), found at once.
func TestRLSIsLeastSquares(t *testing.T) {
	const rate, noise, n = 256.0, 50.0, 1500
	l, p := viscoelastic()
	r := rthstest.Must(NewRLS(l, p, Settings{RateHz: rate, Noise: noise, PinnedS: 1}))
	random := rand.New(rand.NewPCG(7, 53))
	move := motion(random, 0.02)
	keep := math.Exp(-1 / rate / memoryS)
	normal, right := mat.NewSymDense(3, nil), mat.NewVecDense(3, nil)
	for i := range 3 {
		normal.SetSym(i, i, 100)
		right.SetVec(i, 100) // θ₀ = 1
	}
	for k := range n {
		x, v := move(2 + float64(k+1)/rate)
		r.goes(x, v, 0, true)
		z := r.state[0] / r.theta[2] // of the nominal branch
		phi := []float64{1e5 * x, 2e3 * v, z}
		y := 1.3e5*x + 1.5e3*v + 1.2*z + noise*random.NormFloat64()
		for i := range 3 {
			for j := i; j < 3; j++ {
				normal.SetSym(i, j, keep*normal.At(i, j)+phi[i]*phi[j]/noise/noise)
			}
			right.SetVec(i, keep*right.AtVec(i)+phi[i]*y/noise/noise)
		}
		r.learn(x, v, y)
	}
	var want mat.VecDense
	if err := want.SolveVec(normal, right); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		rthstest.Near(t, p[i].Name, r.theta[i], want.AtVec(i), 1e-9)
	}
}

// A law with a state is found within its noise, allocates nothing, and goes on from its state to the bit.
func TestRLSFindsALaw(t *testing.T) {
	l, p := viscoelastic()
	r := rthstest.Must(NewRLS(l, p, Settings{RateHz: 512, Noise: 50, StillBelow: 1e-3, PinnedS: 1}))
	other, q := viscoelastic()
	again := rthstest.Must(NewRLS(other, q, Settings{RateHz: 512, Noise: 50, StillBelow: 1e-3, PinnedS: 1}))
	truth, _ := viscoelastic()
	truth.K, truth.C, truth.Branches[0].K = 1.4e5, 1.5e3, 6e4
	random := rand.New(rand.NewPCG(8, 53))
	move := motion(random, 0.02)
	lab := newTruth(truth, 512, 0, move)
	step := func(k int, to ...*RLS) {
		x, v := move(float64(k+1) / 512)
		y := lab.next() + 50*random.NormFloat64()
		for _, r := range to {
			r.Step(x, v, y, k%7 == 3)
		}
	}
	for k := range 20 * 512 {
		step(k, r)
	}
	for i, want := range []float64{1.4e5, 1.5e3, 6e4} {
		got, sd := r.Value(i)
		if !(math.Abs(got-want) < 4*sd) || !(sd < 0.02*want) || *p[i].V != got {
			t.Errorf("%s: %g ± %g: want %g", p[i].Name, got, sd, want)
		}
	}
	var v rths.StateVisitor
	if rest := v.Restore(v.Append(nil, whole{r}), whole{again}); len(rest) != 0 || other.K != l.K {
		t.Errorf("%d numbers left, %+v: want %+v", len(rest), other, l)
	}
	for k := range 512 {
		step(20*512+k, r, again)
	}
	if !slices.Equal(v.Append(nil, whole{r}), new(rths.StateVisitor).Append(nil, whole{again})) {
		t.Error("the recursion goes on otherwise from its state")
	}
	k := 21 * 512
	rthstest.NoAllocation(t, func() { step(k, r); k++ })
}

// At rest and from old readings nothing is learned, and P does not grow where the motion tells little.
func TestRLSDoesNotForgetForNothing(t *testing.T) {
	l, p := viscoelastic()
	l.Branches = nil
	r := rthstest.Must(NewRLS(l, p[:2], Settings{RateHz: 512, Noise: 50, StillBelow: 0.01, PinnedS: 1}))
	r.Step(0.01, 0.001, 1e6, false)
	r.Step(0.01, 0.5, 1e6, true)
	r.Step(0.01, 0.5, math.Inf(1), false)
	if v, sd := r.Value(0); v != 1e5 || sd != 1e4 {
		t.Errorf("%g ± %g N/m: want 1e5 ± 1e4", v, sd)
	}
	for range 100 * 512 { // a speed at no displacement tells the dashpot alone
		r.Step(0, 0.02, 0.02*3e3, false)
	}
	_, sdK := r.Value(0)
	c, sdC := r.Value(1)
	if !(sdK <= 1e4*(1+1e-9)) || !(math.Abs(c-3e3) < 0.01) || !(sdC < 200) {
		t.Errorf("k ± %g, c %g ± %g", sdK, c, sdC)
	}
}

func TestRLSRefuses(t *testing.T) {
	s := Settings{RateHz: 512, Noise: 50, PinnedS: 1}
	damper := &device.Viscous{C: 1e4, Alpha: 0.4, V0: 1e-3}
	if _, err := NewRLS(damper, []device.Parameter{bounded("c", &damper.C, 5e3, 2e4)}, s); err != nil {
		t.Errorf("a power law is linear in c: %v", err)
	}
	_, err := NewRLS(damper, []device.Parameter{bounded("c", &damper.C, 5e3, 2e4), bounded("alpha", &damper.Alpha, 0.3, 0.6)}, s)
	rthstest.WantError(t, err, "alpha: the force is not linear in it, by 0.")
	spring := &device.BoucWen{Ke: 1e6, Fy: 1e3, N: 2, Eta1: 0.5, Eta2: 0.5}
	_, err = NewRLS(spring, []device.Parameter{bounded("fy", &spring.Fy, 500, 2e3)}, s)
	rthstest.WantError(t, err, "fy: the force is not linear in it")
	if spring.Fy != 1e3 || damper.Alpha != 0.4 {
		t.Errorf("a law that was refused has other parameters: %+v, %+v", spring, damper)
	}
	_, err = NewRLS(spring, nil, s)
	rthstest.WantError(t, err, "0 parameters to learn")
}
