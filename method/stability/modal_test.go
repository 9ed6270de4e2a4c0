package stability

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths/kit/rthstest"
)

// Eqs 7.22 to 7.24 written with full matrices: Φ Δ Φ⁻¹ and the others between the
// specimen's mass, damping and stiffness at the interface, of an amplitude and a delay
// for every mode of its own.
func TestEquivalentIsTheEquation(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	for range 40 {
		h := random(rng)
		whole := h.Whole()
		modes, err := whole.Modes()
		if err != nil {
			t.Fatal(err)
		}
		n := whole.N
		amplitude, delay := make([]float64, n), make([]float64, n)
		phi := mat.NewDense(n, n, nil)
		for j, mode := range modes {
			amplitude[j], delay[j] = 0.8+0.4*rng.Float64(), 0.05*rng.Float64()
			phi.SetCol(j, mode.Shape)
		}
		between := func(d func(j int) float64) *mat.Dense {
			middle := mat.NewDense(n, n, nil)
			for j := range n {
				middle.Set(j, j, d(j))
			}
			var inv, out mat.Dense
			if err := inv.Inverse(phi); err != nil {
				t.Fatal(err)
			}
			out.Product(phi, middle, &inv)
			return &out
		}
		only := func(v float64) *mat.Dense {
			out := mat.NewDense(n, n, nil)
			out.Set(h.DOF, h.DOF, v)
			return out
		}
		times := func(v float64, by *mat.Dense) *mat.Dense {
			var out mat.Dense
			out.Mul(only(v), by)
			return &out
		}
		gain := between(func(j int) float64 { return amplitude[j] })
		late := between(func(j int) float64 { return amplitude[j] * delay[j] })
		jerk := between(func(j int) float64 { return amplitude[j] * delay[j] * modes[j].Omega * modes[j].Omega })
		sum := func(parts ...*mat.Dense) *mat.Dense {
			out := mat.NewDense(n, n, nil)
			for _, p := range parts {
				out.Add(out, p)
			}
			return out
		}
		m, c, k, err := h.Equivalent(amplitude, delay)
		if err != nil {
			t.Fatal(err)
		}
		for i, pair := range [][2]*mat.Dense{
			{m, sum(h.M, times(h.Me, gain), times(-h.Ce, late))},
			{c, sum(h.C, times(h.Me, jerk), times(h.Ce, gain), times(-h.Ke, late))},
			{k, sum(h.K, times(h.Ke, gain))},
		} {
			if !mat.EqualApprox(pair[0], pair[1], 1e-9) {
				t.Fatalf("matrix %d of M, C, K: %v: want %v", i+1, mat.Formatted(pair[0]), mat.Formatted(pair[1]))
			}
		}
	}
}

// One degree of freedom without delay is an oscillator: growth −ζω at ω√(1 − ζ²). With
// negative damping it grows.
func TestModalGrowthOfAnOscillator(t *testing.T) {
	for _, c := range []float64{3, -3} {
		h := SDOF(1, 0.4*c, 60, 1, 0.6*c, 40)
		growth, omega, err := h.ModalGrowth([]float64{1}, []float64{0})
		if err != nil {
			t.Fatal(err)
		}
		w := math.Sqrt(50)
		zeta := c / (2 * 2 * w)
		rthstest.Near(t, "growth", growth, -zeta*w, 1e-12)
		rthstest.Near(t, "frequency", omega, w*math.Sqrt(1-zeta*zeta), 1e-12)
	}
}

// Of several modes it is the one that grows most.
func TestModalGrowthIsTheLargest(t *testing.T) {
	h := random(rand.New(rand.NewPCG(2, 21)))
	for n, _ := h.M.Dims(); n < 2; n, _ = h.M.Dims() {
		h = random(rand.New(rand.NewPCG(3, 21)))
	}
	n, _ := h.M.Dims()
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	growth, omega, err := h.ModalGrowth(ones, make([]float64, n))
	if err != nil {
		t.Fatal(err)
	}
	whole := h.Whole()
	best, at := math.Inf(-1), 0.0
	for _, s := range rthstest.Must(roots(whole.M, whole.C, whole.K)) {
		if real(s) > best {
			best, at = real(s), math.Abs(imag(s))
		}
	}
	rthstest.Near(t, "growth", growth, best, 1e-9)
	rthstest.Near(t, "frequency", omega, at, 1e-9)
}

// M_eq = Mn − Ce δ of a damper: at δ = Mn/Ce a root goes through infinity.
func TestModalGrowthWithoutMass(t *testing.T) {
	growth, omega, err := SDOF(1, 0, 1, 0, 2, 1).ModalGrowth([]float64{1}, []float64{0.5})
	if err != nil || !math.IsInf(growth, 1) || omega != 0 {
		t.Errorf("growth %g at %g rad/s, %v: want it without end", growth, omega, err)
	}
}

// The critical delay of the closed form is found when the search reaches as far and only
// then, and the frequency there is √(K_eq/M_eq), C_eq being 0.
func TestCriticalModalWithinReach(t *testing.T) {
	h := galmez(100, 2, 0.03, 0.1, 0.4, 0.4)
	w := h.Whole()
	want := w.C.At(0, 0) / (h.Ke - h.Me*w.K.At(0, 0)/w.M.At(0, 0))
	mass := w.M.At(0, 0) - h.Ce*want
	for _, longest := range []float64{1.0001 * want, 3 * want, 0.3} {
		c := rthstest.Must(h.CriticalModal(longest))
		rthstest.Near(t, "critical delay", c.Delay, want, 1e-10)
		rthstest.Near(t, "frequency", c.Omega, math.Sqrt(w.K.At(0, 0)/mass), 1e-6)
	}
	if c := rthstest.Must(h.CriticalModal(0.9999 * want)); c.Exists() || c.Omega != 0 {
		t.Errorf("critical delay %+v within less: want none", c)
	}
}

// An unstable structure grows with any delay: the search comes down to none.
func TestCriticalModalOfAnUnstableStructure(t *testing.T) {
	rthstest.Near(t, "critical delay", rthstest.Must(SDOF(1, -0.5, 60, 0, 0.1, 40).CriticalModal(0.1)).Delay, 0, 1e-15)
}

func TestModalRefuses(t *testing.T) {
	h := benchmark(t, 1)
	three, two := []float64{1, 1, 1}, []float64{1, 1}
	if _, _, _, err := h.Equivalent(two, three); err == nil {
		t.Error("two amplitudes of three modes: want an error")
	}
	if _, _, _, err := h.Equivalent(three, two); err == nil {
		t.Error("two delays of three modes: want an error")
	}
	if _, _, err := h.ModalGrowth(two, three); err == nil {
		t.Error("growth of two modes of three: want an error")
	}
	if _, err := SDOF(-1, 0, 1, 0, 0, 1).CriticalModal(0.1); err == nil {
		t.Error("a negative mass: want an error")
	}
}
