package stability

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"rths/kit/rthstest"
	"rths/maths/lti"
	"rths/model/structure"
)

// random is a stable partition of 1 to 4 degrees of freedom in a chain, with modal
// damping of 1 to 6 % and a specimen between the ground and any of them.
func random(rng *rand.Rand) *Hybrid {
	n := 1 + rng.IntN(4)
	shear := structure.Shear{Damping: structure.Damping{ModalRatio: []float64{0.01 + 0.05*rng.Float64()}}}
	for range n {
		shear.Masses = append(shear.Masses, 0.5+rng.Float64())
		shear.Stiffnesses = append(shear.Stiffnesses, 50+100*rng.Float64())
	}
	s, err := shear.Make()
	if err != nil {
		panic(err)
	}
	dof := rng.IntN(n)
	part := func(a *mat.Dense) float64 { return (0.05 + 0.35*rng.Float64()) * a.At(dof, dof) }
	me, ce, ke := part(s.M), part(s.C), part(s.K)/float64(n)
	p, err := s.Divide(dof, me, ce, ke)
	if err != nil {
		panic(err)
	}
	h, err := NewHybrid(p, me, ce, ke)
	if err != nil {
		panic(err)
	}
	return h
}

// simulation is the hybrid system in time: the numerical part advanced exactly
// under the force of its motion d samples ago, a cubic through the forces at t_k−1
// to t_k+2, which are all known from d = 2 on. (A force held over the sample, as in
// paper 001, adds half a sample of delay and takes 0.1 % of amplitude, which moves
// the critical delay by samples where |L| hardly exceeds 1.)
type simulation struct {
	h *Hybrid
	n int
	m blas64.General // [x; ẋ] at t_k+1 and ẍ of the interface at t_k, from [x; ẋ] and the forces at t_k−1 to t_k+2
}

func newSimulation(t *testing.T, h *Hybrid, step float64) *simulation {
	t.Helper()
	n, _ := h.M.Dims()
	a := rthstest.Must(stateMatrix(h.M, h.C, h.K))
	var inv mat.Dense
	if err := inv.Inverse(h.M); err != nil {
		t.Fatal(err)
	}
	// [x; ẋ] with the force and its derivatives by t/step as further states.
	all := mat.NewDense(2*n+4, 2*n+4, nil)
	all.Slice(0, 2*n, 0, 2*n).(*mat.Dense).Copy(a)
	for i := range n {
		all.Set(n+i, 2*n, -inv.At(i, h.DOF))
	}
	for j := range 3 {
		all.Set(2*n+j, 2*n+j+1, 1/step)
	}
	whole, _, err := lti.ZOHInputs(all, mat.NewDense(2*n+4, 1, nil), step)
	if err != nil {
		t.Fatal(err)
	}
	// Derivatives at t_k of the cubic through f[k−1], f[k], f[k+1], f[k+2].
	cubic := mat.NewDense(4, 4, []float64{0, 1, 0, 0, -1. / 3, -1. / 2, 1, -1. / 6, 1, -2, 1, 0, -1, 3, -3, 1})
	var gamma mat.Dense
	gamma.Mul(whole.Slice(0, 2*n, 2*n, 2*n+4), cubic)
	m := mat.NewDense(2*n+1, 2*n+4, nil)
	m.Slice(0, 2*n, 0, 2*n).(*mat.Dense).Copy(whole)
	m.Slice(0, 2*n, 2*n, 2*n+4).(*mat.Dense).Copy(&gamma)
	m.Slice(2*n, 2*n+1, 0, 2*n).(*mat.Dense).Copy(a.Slice(n+h.DOF, n+h.DOF+1, 0, 2*n))
	m.Set(2*n, 2*n+1, -inv.At(h.DOF, h.DOF))
	return &simulation{h: h, n: n, m: m.RawMatrix()}
}

// grows reports whether free motion grows with a delay of d ≥ 2 samples: the energy
// of the last tenth of the run against the energy of the tenth at the middle.
func (s *simulation) grows(d, samples int) bool {
	vector := func(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }
	in, out := make([]float64, 2*s.n+4), make([]float64, 2*s.n+1)
	z := in[:2*s.n]
	for i := range s.n {
		z[s.n+i] = 1 / float64(1+i)
	}
	forces := make([]float64, samples+d+3) // f at t_k is forces[k+1]
	var middle, last float64
	for k := range samples {
		copy(in[2*s.n:], forces[k:k+4])
		blas64.Gemv(blas.NoTrans, 1, s.m, vector(in), 0, vector(out))
		forces[k+1+d] = s.h.Me*out[2*s.n] + s.h.Ce*z[s.n+s.h.DOF] + s.h.Ke*z[s.h.DOF]
		switch k * 10 / samples {
		case 4:
			middle += blas64.Dot(vector(z), vector(z))
		case 9:
			last += blas64.Dot(vector(z), vector(z))
		}
		copy(z, out)
	}
	return last > middle
}

// critical bisects the delay, in samples, between growth and decay: halfway between
// the longest stable and the shortest unstable.
func (s *simulation) critical(samples, longest int) (float64, bool) {
	low, high := 1, 2
	for !s.grows(high, samples) {
		// Small strides: a longer delay may be stable again.
		if low, high = high, high+1+high/10; high > longest {
			return 0, false
		}
	}
	for high-low > 1 {
		if mid := (low + high) / 2; s.grows(mid, samples) {
			high = mid
		} else {
			low = mid
		}
	}
	return float64(low+high) / 2, true
}

// For random stable partitions, 200 with RTHS_FULL=1, the critical delay found by simulation and
// bisection lies within one sample of the exact one.
func TestExactAgainstSimulation(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	compared, worst, draws := 0, 0.0, rthstest.Draws(60, 200)
	for compared < draws {
		h := random(rng)
		want, err := h.Critical()
		if err != nil {
			t.Fatal(err)
		}
		modes, err := h.Whole().Modes()
		if err != nil {
			t.Fatal(err)
		}
		step := 2 * math.Pi / (40 * modes[len(modes)-1].Omega)
		if !want.Exists() || want.Delay < 3*step {
			continue // nothing to bisect
		}
		compared++
		got, ok := newSimulation(t, h, step).critical(12000, 1<<12)
		if !ok {
			t.Errorf("partition %d: no growth up to 4096 samples: exact %.3f samples", compared, want.Delay/step)
			continue
		}
		apart := got - want.Delay/step
		worst = max(worst, math.Abs(apart))
		if math.Abs(apart) > 1 {
			t.Errorf("partition %d: simulated %.1f samples, exact %.3f: want within 1", compared, got, want.Delay/step)
		}
	}
	t.Logf("%d partitions: at most %.3f samples apart", draws, worst)
}
