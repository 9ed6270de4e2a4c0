package lti

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// drawGeneralised draws a plant of order 1 to 5 with entries up to 2 in eighths, stable or not, with cross
// terms D12ᵀC1 and B1D21ᵀ.
func drawGeneralised(t *rapid.T) Generalised {
	draw := func(what string, r, c int, least float64) *mat.Dense {
		v := make([]float64, r*c)
		for i, eighths := range rapid.SliceOfN(rapid.IntRange(-16, 16), r*c, r*c).Draw(t, what) {
			v[i] = float64(eighths) / 8
		}
		v[len(v)-1] += math.Copysign(least, v[len(v)-1])
		return mat.NewDense(r, c, v)
	}
	n, m, p := rapid.IntRange(1, 5).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "m"), rapid.IntRange(1, 3).Draw(t, "p")
	return Generalised{
		A: draw("A", n, n, 0), B1: draw("B1", n, m, 0), B2: draw("B2", n, 1, 0.5), C1: draw("C1", p, n, 0),
		D12: draw("D12", p, 1, 0.5), C2: draw("C2", 1, n, 0.5), D21: draw("D21", 1, m, 0.5),
	}
}

// largestGain is the largest singular value of the response at 0 and on a grid of jω.
func largestGain(t fataler, s SS) (largest float64) {
	_, m, p := s.Dims()
	sweep := s.Sweep()
	for i := range 1200 {
		omega := math.Pow(10, -3+float64(i)/200)
		if i == 0 { // a slow pole has its peak there
			omega = 0
		}
		g, err := sweep.At(complex(0, omega))
		if err != nil {
			t.Fatalf("%v", err)
		}
		real2 := mat.NewDense(2*p, 2*m, nil)
		for i := range p {
			for j := range m {
				v := g.At(i, j)
				real2.Set(i, j, real(v))
				real2.Set(i, m+j, -imag(v))
				real2.Set(p+i, j, imag(v))
				real2.Set(p+i, m+j, real(v))
			}
		}
		largest = max(largest, singular(real2))
	}
	return largest
}

func singular(m *mat.Dense) float64 {
	var svd mat.SVD
	svd.Factorize(m, mat.SVDNone)
	return svd.Values(nil)[0]
}

// The gain of the closed loop is below γ, and no controller can be below the least γ: the
// central one lies between. The bound below allows 1 % for peaks between points of the grid. Beyond a
// γ of 1e5 rounding ends the bisection, and the γ that is found is not the least. The Riccati equations hold γ⁻², of
// which rounding takes a share of some 1e-16 γ²: the bound above allows ten times as much.
func TestHInfGainIsBetweenTheLeastAndGamma(t *testing.T) {
	tried, made := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawGeneralised(t)
		tried++
		h, err := HInf(p)
		if err != nil {
			return // not stabilisable, or a zero on the axis
		}
		if h.Gamma < 1e-5 { // rounding may end the bisection on its way to 0
			return // z can be kept at 0: p = m = 1
		}
		made++
		closed := must(p.Closed(h.K))
		if stable, err := closed.Stable(); err != nil || !stable {
			t.Fatalf("closed loop unstable, γ %g (%v)", h.Gamma, err)
		}
		got, least := largestGain(t, closed), h.Gamma/gammaMargin/gammaStep
		if !(got <= h.Gamma*(1+1e-6+1e-15*h.Gamma*h.Gamma)) || h.Gamma < 1e5 && !(got >= 0.99*least) {
			t.Fatalf("gain %.6g: want at most γ %.6g and at least %.6g", got, h.Gamma, least)
		}
	})
	if made < tried/2 {
		t.Errorf("%d of %d plants with a controller: want half", made, tried)
	}
}

// With one disturbance and D21 of length 1, B1(I − D21ᵀD21)B1ᵀ is 0 but for rounding, and Y is 0: the
// rounding must not end the search at a larger γ. Of this plant the search ended at 1.087.
func TestHInfOfOneDisturbance(t *testing.T) {
	eighths := func(r, c int, v ...float64) *mat.Dense {
		m := mat.NewDense(r, c, v)
		m.Scale(1.0/8, m)
		return m
	}
	p := Generalised{
		A: eighths(4, 4, -9, 2, -1, -7, 7, -14, 3, -2, -15, -2, -15, 1, -8, 14, 2, -5), B1: eighths(4, 1, -2, 9, -4, -12),
		B2: eighths(4, 1, -15, 0, 14, 10),
		C1: eighths(3, 4, -2, 1, -15, -10, -1, 13, -3, 16, 9, -1, -7, -15), D12: eighths(3, 1, -5, -16, -7),
		C2: eighths(1, 4, -3, 16, 10, 6), D21: eighths(1, 1, -5),
	}
	h, err := HInf(p)
	if err != nil {
		t.Fatal(err)
	}
	got, least := largestGain(t, must(p.Closed(h.K))), h.Gamma/gammaMargin/gammaStep
	if !(got <= h.Gamma*(1+1e-6+1e-15*h.Gamma*h.Gamma)) || !(got >= 0.99*least) || mat.Norm(h.Y, 1) != 0 {
		t.Errorf("gain %.6g: want at most γ %.6g and at least %.6g; Y of norm %g: want 0", got, h.Gamma, least,
			mat.Norm(h.Y, 1))
	}
}

// x' = a x + w₁ + u, z = (x, u), y = x + w₂: with β = 1 − 1/γ² both equations are
// 2aX + 1 − βX² = 0, so X = Y = (a + √(a²+β))/β, and the least γ has X = γ.
func TestHInfScalarClosedForm(t *testing.T) {
	one := func(r, c int, v ...float64) *mat.Dense { return mat.NewDense(r, c, v) }
	for _, a := range []float64{-2, -0.5, 0, 0.5, 2} {
		h, err := HInf(Generalised{A: one(1, 1, a), B1: one(1, 2, 1, 0), B2: one(1, 1, 1), C1: one(2, 1, 1, 0),
			D12: one(2, 1, 0, 1), C2: one(1, 1, 1), D21: one(1, 2, 0, 1)})
		if err != nil {
			t.Fatal(err)
		}
		x := func(gamma float64) float64 {
			beta := 1 - 1/(gamma*gamma)
			return (a + math.Sqrt(a*a+beta)) / beta
		}
		near(t, "X", complex(h.X.At(0, 0), 0), complex(x(h.Gamma), 0), 1e-9, 0)
		near(t, "Y", complex(h.Y.At(0, 0), 0), complex(x(h.Gamma), 0), 1e-9, 0)
		low, high := 1/math.Sqrt(1+a*a)*(1+1e-9), 100.0 // below, the root is not real
		if a >= 0 {
			low = 1 + 1e-9
		}
		for range 100 {
			if middle := (low + high) / 2; x(middle) < middle {
				high = middle
			} else {
				low = middle
			}
		}
		near(t, "least γ", complex(h.Gamma/gammaMargin, 0), complex(high, 0), 1.1*(gammaStep-1), 0)
	}
}

// With R > 0 the sign function solves the same equation as doubling.
func TestSignFunctionIsDoubling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawGeneralised(t)
		q, r := Symmetric(Product(p.C1.T(), p.C1)), Diagonal(1, 1)
		want, err := CARE(p.A, p.B2, q, r)
		if err != nil {
			return
		}
		got, err := (&equation{a: p.A, b: p.B2, q: q, r: r}).signed()
		if err != nil {
			return // an eigenvalue of the Hamiltonian matrix next to the axis: CARE goes further
		}
		var d mat.Dense
		d.Sub(got, want)
		if mat.Norm(&d, 2) > 1e-6*mat.Norm(want, 2) {
			t.Fatalf("X differs by %.2g of %.2g", mat.Norm(&d, 2), mat.Norm(want, 2))
		}
	})
}

// What cannot be is said: no command, no measurement, an unstable mode out of reach.
func TestHInfErrors(t *testing.T) {
	one := func(r, c int, v ...float64) *mat.Dense { return mat.NewDense(r, c, v) }
	good := Generalised{A: one(1, 1, 1), B1: one(1, 2, 1, 0), B2: one(1, 1, 1), C1: one(2, 1, 1, 0), D12: one(2, 1, 0, 1),
		C2: one(1, 1, 1), D21: one(1, 2, 0, 1)}
	for text, spoil := range map[string]func(*Generalised){
		"the command costs nothing":           func(p *Generalised) { p.D12 = one(2, 1, 0, 0) },
		"the measurement has no disturbance":  func(p *Generalised) { p.D21 = one(1, 2, 0, 0) },
		"no controller at any γ up to 1e9: f": func(p *Generalised) { p.B2 = one(1, 1, 0) },
		"no controller at any γ up to 1e9: s": func(p *Generalised) { p.C2 = one(1, 1, 0) },
	} {
		p := good
		spoil(&p)
		_, err := HInf(p)
		wantError(t, err, text)
	}
}
