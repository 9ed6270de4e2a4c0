package integrate

import (
	"fmt"
	"math"
	"math/cmplx"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"rths"
	"rths/kit/rthstest"
	"rths/maths/lti"
	"rths/model/structure"
)

var rhos = []float64{0, 0.25, 0.5, 0.75, 1}

func TestKRAlphaIsOfOrder2(t *testing.T) {
	for _, rho := range rhos {
		wantOrder(t, &KRAlpha{RhoInf: rho}, 2)
		wantOrder(t, &MKRAlpha{RhoInf: rho}, 2)
	}
}

// As Ω = ω h grows, with A = h² α₁ ẍ, a step of one undamped mass is
//
//	X⁺ = X + V + (½+γ) A,   V⁺ = V + A,   (1−αf) A⁺ = −αf A − ((1−αf) X⁺ + αf X)/β
//
// whose characteristic polynomial is (λ + ρ∞)³ of KR-α and (λ + ρ∞)(λ² + ρ∞²) of MKR-α. A triple root has a third of the
// digits of its polynomial.
func TestKRAlphaRootsAtInfinity(t *testing.T) {
	for _, rho := range rhos {
		for name, a := range map[string]alphas{"KR-α": (&KRAlpha{rho}).alphas(), "MKR-α": (&MKRAlpha{rho}).alphas()} {
			g, f, b := 0.5+a.gamma, a.f, a.beta
			m := mat.NewDense(3, 3, []float64{1, 1, g, 0, 1, 1,
				-1 / (b * (1 - f)), -1 / b, -f/(1-f) - g/b})
			trace := m.At(0, 0) + m.At(1, 1) + m.At(2, 2)
			minors := 0.0
			for _, ij := range [][2]int{{0, 1}, {0, 2}, {1, 2}} {
				i, j := ij[0], ij[1]
				minors += m.At(i, i)*m.At(j, j) - m.At(i, j)*m.At(j, i)
			}
			what := fmt.Sprintf("%s, ρ∞ = %g, ", name, rho)
			times := map[string]float64{"KR-α": 3, "MKR-α": 1}[name]
			rthstest.Near(t, what+"sum of roots", trace, -times*rho, 1e-10)
			rthstest.Near(t, what+"sum of products", minors, times*rho*rho, 1e-10)
			rthstest.Near(t, what+"product", mat.Det(m), -rho*rho*rho, 1e-10)
			// and the integrator tends there
			kr, err := newKR(a, sdof(1e6/0.01, 0), 0.01)
			if err != nil {
				t.Fatal(err)
			}
			for _, z := range rthstest.Must(lti.Eigenvalues(stepOf(kr))) {
				rthstest.Near(t, what+"root at Ω = 1e6", cmplx.Abs(z), rho, 1e-3)
			}
		}
	}
}

// stepOf is the matrix of a step without loads.
func stepOf(m method) *mat.Dense {
	a := mat.NewDense(m.states(), m.states(), nil)
	for j := range m.states() {
		a.SetCol(j, m.step(unit(j, m.states(), 1, 1)).z)
	}
	return a
}

// No step is unstable, with any damping, and the largest root falls below 1 with ρ∞.
func TestKRAlphaIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rho := rapid.Float64Range(0, 1).Draw(t, "ρ∞")
		big := math.Pow(10, rapid.Float64Range(-3, 4).Draw(t, "log Ω"))
		xi := rapid.Float64Range(0, 1.5).Draw(t, "ξ")
		for _, a := range []alphas{(&KRAlpha{rho}).alphas(), (&MKRAlpha{rho}).alphas()} {
			kr, err := newKR(a, sdof(big/0.01, xi), 0.01)
			if err != nil {
				t.Fatal(err)
			}
			// the states have other sizes: x, h ẋ, forces over ω²
			m, d := stepOf(kr), []float64{1, 1 / 0.01, (big / 0.01) * (big / 0.01)}
			for i := range 3 {
				for j := range 3 {
					m.Set(i, j, m.At(i, j)*d[j]/d[i])
				}
			}
			if r, err := lti.SpectralRadius(m); err != nil || r > 1+1e-7 {
				t.Errorf("spectral radius %.10f, %v", r, err)
			}
		}
	})
}

// At ρ∞ = 1 KR-α has the displacements of CR.
func TestKRAlphaWithoutDampingIsCR(t *testing.T) {
	sameDisplacements(t, &KRAlpha{RhoInf: 1}, &CR{}, 3)
}

// A mode that a step cannot follow dies out by ρ∞ a step, one that it follows keeps its amplitude.
func TestKRAlphaDecay(t *testing.T) {
	const h = 0.01
	for _, m := range []Maker{&KRAlpha{0.5}, &MKRAlpha{0.5}} {
		for _, c := range []struct{ big, least, most float64 }{{0.05, 0.99, 1.01}, {300, 0, 1e-9}} {
			in := must(t, m, sdof(c.big/h, 0), h)
			k := (c.big / h) * (c.big / h)
			if err := in.(Starter).Start([]float64{1}, []float64{-k}); err != nil { // held, then released
				t.Fatal(err)
			}
			target, largest := rths.NewMotion(1), 0.0
			for i := range 400 {
				in.Step(&target, []float64{0, 0, 0}, &rths.Reading{F: []float64{0}})
				if i >= 270 { // more than a period of the slow one
					largest = max(largest, math.Abs(target.X[0]))
				}
			}
			if largest < c.least || largest > c.most {
				t.Errorf("%T, Ω = %g: amplitude %g after 270 steps: want %g to %g", m, c.big, largest, c.least, c.most)
			}
		}
	}
}

// Of a mode that a step cannot follow, which begins with x = 0 and h ẋ = 1, MKR-α never goes beyond 1; KR-α does.
func TestMKRAlphaOvershootsLess(t *testing.T) {
	const h, big = 0.01, 300.0
	largest := func(m Maker) (most float64) {
		in, target := must(t, m, sdof(big/h, 0), h), rths.NewMotion(1)
		rths.SetState([]float64{0, 1 / h, 0}, in)
		for range 40 {
			in.Step(&target, []float64{0, 0, 0}, &rths.Reading{F: []float64{0}})
			most = max(most, math.Abs(target.X[0]))
		}
		return most
	}
	for _, rho := range rhos {
		kr, mkr := largest(&KRAlpha{rho}), largest(&MKRAlpha{rho})
		if mkr > 1+1e-3 || kr < mkr-1e-3 || rho == 0.75 && kr < 1.5 {
			t.Errorf("ρ∞ = %g: KR-α reaches %g, MKR-α %g", rho, kr, mkr)
		}
	}
}

// A storey that stiffens is refused where the loop with its steepest tangent is unstable: at ρ∞ = 1 at the limit of CR.
func TestHardeningThatBreaksKRAlpha(t *testing.T) {
	const h, omega = 0.01, 3.0
	crs := (16/(omega*omega) + 4) / 4 // K_t/K₀
	for _, m := range []Maker{&KRAlpha{1}, &KRAlpha{0.5}, &MKRAlpha{0.5}} {
		refused := 0
		for _, part := range []float64{0.2, 0.99, 1.01, 1.5, 4} {
			p := sdof(omega/h, 0.02)
			law := stiffening{p.K.At(0, 0), part * crs}
			p.Devices = []structure.Device{{Storey: 1, Up: 0, Down: -1, K: law.k0, Law: law}}
			_, err := m.Make(p, h)
			if err != nil {
				refused++
				rthstest.Contains(t, err.Error(), "storey 1 with a tangent of up to")
			}
			if k, ok := m.(*KRAlpha); ok && k.RhoInf == 1 && (err != nil) != (part > 1) {
				t.Errorf("ρ∞ = 1, %g of CR's limit: %v", part, err)
			}
			p.Devices[0].Law = unsaid{law}
			if r := radius(t, iteration(must(t, m, p, h), p)); (r > 1+1e-6) != (err != nil) {
				t.Errorf("%+v, %g of CR's limit: spectral radius %g, %v", m, part, r, err)
			}
		}
		if refused == 0 || refused == 5 {
			t.Errorf("%+v: %d of 5 refused", m, refused)
		}
	}
}

func TestKRAlphaRefuses(t *testing.T) {
	for _, rho := range []float64{-0.1, 1.1, math.NaN()} {
		for _, m := range []Maker{&KRAlpha{rho}, &MKRAlpha{rho}} {
			if _, err := m.Make(sdof(10, 0.02), 0.01); err == nil || !strings.Contains(err.Error(), "want 0 to 1") {
				t.Errorf("%+v: %v", m, err)
			}
		}
	}
}
