package structure

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"rths/kit/rthstest"
)

// chain is a shear frame of n equal storeys.
func chain(n int, d Damping) *Shear {
	return &Shear{Masses: slices.Repeat([]float64{1000}, n), Stiffnesses: slices.Repeat([]float64{1e8}, n), Damping: d}
}

// randomFrame has storeys of 1e7 to 1e8 N/m and floors of 500 to 2000 kg.
func randomFrame(seed uint64, n int, d Damping) *Shear {
	r := rand.New(rand.NewPCG(seed, 1))
	p := &Shear{Damping: d}
	for range n {
		p.Masses = append(p.Masses, 500+1500*r.Float64())
		p.Stiffnesses = append(p.Stiffnesses, 1e7+9e7*r.Float64())
	}
	return p
}

var fivePercent = &Rayleigh{Ratio: 0.05}

// What is held as sparse matrices has the entries of dense ones. Dense eigenvalues have
// an error of some ε of the largest, which at 200 storeys is 1.6e4 of the lowest.
func TestNarrowIsDense(t *testing.T) {
	for seed, n := range []int{101, 130, 200} {
		for _, c := range []struct {
			d   Damping
			tol float64
		}{{Damping{}, 0}, {Damping{Rayleigh: &Rayleigh{Ratio: 0.05, FreqHz: []float64{1, 8}}}, 1e-15},
			{Damping{Rayleigh: fivePercent}, 1e-10}} {
			s := mustMake(t, randomFrame(uint64(seed), n, c.d))
			if s.Sparse == nil || s.M != nil {
				t.Fatalf("%d storeys have dense matrices", n)
			}
			got := s.Dense()
			want, err := c.d.make(got.M, got.K)
			if err != nil {
				t.Fatal(err)
			}
			nearMatrix(t, fmt.Sprintf("%d storeys, tolerance %g: C", n, c.tol), got.C, want, c.tol)
		}
	}
}

// Frequencies of a chain in closed form: 2 √(k/m) sin((2j−1)π/(4n+2)) (Chopra,
// Dynamics of Structures, problem 9.5 with n storeys).
func TestFrequenciesOfAChain(t *testing.T) {
	for _, n := range []int{101, 2000, 10000} {
		s := mustMake(t, chain(n, Damping{}))
		want := func(j int) float64 {
			return 2 * math.Sqrt(1e8/1000) * math.Sin(float64(2*j-1)*math.Pi/float64(4*n+2))
		}
		low, err := s.Sparse.Lowest(5)
		if err != nil {
			t.Fatal(err)
		}
		for i, omega := range low {
			rthstest.Near(t, fmt.Sprintf("%d storeys, ω(%d)", n, i+1), omega/want(i+1), 1, 1e-9)
		}
		top, err := s.Sparse.Highest()
		if err != nil {
			t.Fatal(err)
		}
		rthstest.Near(t, fmt.Sprintf("%d storeys, highest", n), top/want(n), 1, 1e-12)
	}
}

// Bands wider than a chain's have the highest frequency of dense matrices too.
func TestHighestByFactors(t *testing.T) {
	for _, width := range []int{0, 1, 3, factorBand, factorBand + 1} {
		s := mustMake(t, banded(120, width, Damping{}))
		if got := s.Sparse.K.HalfBandwidth(); got != width {
			t.Fatalf("half bandwidth %d: want %d", got, width)
		}
		modes := mustModes(t, s.Dense())
		top, err := s.Sparse.Highest()
		if err != nil {
			t.Fatal(err)
		}
		rthstest.Near(t, fmt.Sprintf("half bandwidth %d: highest", width), top/modes[s.N-1].Omega, 1, 1e-12)
	}
}

// banded is a structure given by matrices, each of whose masses is joined with the
// ground and with the next ones by random springs.
func banded(n, width int, d Damping) *Matrices {
	r := rand.New(rand.NewPCG(uint64(width), 2))
	p := &Matrices{Damping: d}
	for range n {
		p.Mass.Rows, p.Stiffness.Rows = append(p.Mass.Rows, make([]float64, n)), append(p.Stiffness.Rows, make([]float64, n))
	}
	for i := range n {
		p.Mass.Rows[i][i] = 500 + 1500*r.Float64()
		p.Stiffness.Rows[i][i] += 1e6
		for j := i + 1; j <= min(i+width, n-1); j++ {
			v := 1e7 + 9e7*r.Float64()
			p.Stiffness.Rows[i][i] += v
			p.Stiffness.Rows[j][j] += v
			p.Stiffness.Rows[i][j] -= v
			p.Stiffness.Rows[j][i] -= v
		}
	}
	return p
}

// Sparse matrices are for what is large, narrow, lumped and not damped by a full
// matrix.
func TestWhatIsHeldAsSparse(t *testing.T) {
	with := func(p *Matrices, change func(*Matrices)) *Matrices { change(p); return p }
	freq := Damping{Rayleigh: &Rayleigh{Ratio: 0.02, FreqHz: []float64{1, 8}}}
	for _, c := range []struct {
		what   string
		m      Maker
		sparse bool
	}{
		{"frame of as many storeys as are dense", chain(DenseUpTo, freq), false},
		{"frame of one storey more", chain(DenseUpTo+1, freq), true},
		{"undamped frame", chain(DenseUpTo+1, Damping{}), true},
		{"frame with modal damping", chain(DenseUpTo+1, Damping{ModalRatio: []float64{0.02}}), false},
		{"frame with a matrix of damping", chain(104, Damping{Matrix: banded(104, 1, freq).Stiffness}), false},
		{"matrices, small", banded(DenseUpTo, 2, freq), false},
		{"matrices, narrow", banded(104, 13, freq), true},
		{"matrices, wide", banded(104, 14, freq), false},
		{"matrices with modal damping", banded(104, 2, Damping{ModalRatio: []float64{0.02}}), false},
		{"matrices with coupled masses", with(banded(104, 2, freq),
			func(p *Matrices) { p.Mass.Rows[3][4], p.Mass.Rows[4][3] = 1, 1 }), false},
		{"matrices with a coordinate without mass", with(banded(104, 2, freq), func(p *Matrices) { p.Mass.Rows[3][3] = 0 }),
			false},
	} {
		s := mustMake(t, c.m)
		if got := s.Sparse != nil; got != c.sparse || (s.K == nil) != c.sparse {
			t.Errorf("%s: sparse is %v: want %v", c.what, got, c.sparse)
		}
	}
}

// Narrow matrices keep what they are given, and their influence vector is checked.
func TestNarrowMatrices(t *testing.T) {
	p := banded(104, 3, Damping{Rayleigh: &Rayleigh{Ratio: 0.02, FreqHz: []float64{1, 8}}})
	p.Influence = Vector{Values: slices.Repeat([]float64{0.5}, 104)}
	s := mustMake(t, p)
	d := s.Dense()
	for i := range s.N {
		for j := range s.N {
			rthstest.Near(t, "K", d.K.At(i, j), p.Stiffness.Rows[i][j], 0)
			rthstest.Near(t, "M", d.M.At(i, j), p.Mass.Rows[i][j], 0)
		}
	}
	rthstest.Near(t, "Γ", s.Gamma.At(50, 0), 0.5, 0)
	p.Influence.Values = p.Influence.Values[1:]
	_, err := p.Make()
	rthstest.WantError(t, err, "influence vector of 103 entries: want 104, one per degree of freedom")
	p.Influence.Values = append(p.Influence.Values, math.NaN())
	_, err = p.Make()
	rthstest.WantError(t, err, "influence vector has an entry NaN: want finite numbers")
}

func TestLargeDampingErrors(t *testing.T) {
	for _, c := range []struct {
		want string
		m    Maker
	}{
		{"shear frame: damping: modal_ratio makes a full matrix of 501 × 501 entries: want rayleigh, whose matrix is as " +
			"narrow as the stiffness, or at most 500 degrees of freedom", chain(501, Damping{ModalRatio: []float64{0.02}})},
		{"shear frame: damping: want only one of modal_ratio, rayleigh and matrix",
			chain(200, Damping{ModalRatio: []float64{0.02}, Rayleigh: fivePercent})},
		{"shear frame: damping ratio 1: want 0 to below 1", chain(200, Damping{Rayleigh: &Rayleigh{Ratio: 1}})},
		{"shear frame: rayleigh damping: modes [1 201]: want two of 1 to 200",
			chain(200, Damping{Rayleigh: &Rayleigh{Ratio: 0.02, Modes: []int{1, 201}}})},
		{"shear frame: rayleigh damping: mode 3000 of a structure held as sparse matrices: want freq_hz, or modes up to 200",
			chain(3200, Damping{Rayleigh: &Rayleigh{Ratio: 0.02, Modes: []int{1, 3000}}})},
	} {
		_, err := c.m.Make()
		rthstest.WantError(t, err, c.want)
	}
}

// No matrix of n × n is made on the way: 2000 storeys take less than 200 numbers each,
// of which a dense matrix alone would take 2000.
func TestLargeFrameMakesNoDenseMatrix(t *testing.T) {
	const n = 2000
	p := chain(n, Damping{Rayleigh: fivePercent})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s := mustMake(t, p)
	if _, err := s.Divide(3, 10, 10, 10); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := (after.TotalAlloc - before.TotalAlloc) / (8 * n); got > 200 {
		t.Errorf("%d numbers are allocated per storey: want at most 200", got)
	}
}
