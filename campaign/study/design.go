// Package study makes many virtual tests of one scenario: what varies, which tests are made, and how
// the best value of a key is searched.
package study

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/samplemv"
)

// Sampling is how a design of random points fills the unit cube.
type Sampling string

// Names of Sampling.
const (
	Random Sampling = "random" // independent points
	Latin  Sampling = "latin"  // Latin hypercube: each of n slices of every variable has one point
	Halton Sampling = "halton" // Halton sequence, scrambled by random digits (Owen 2017)
)

// most bounds the points of a design times its variables.
const most = 1 << 28

// leastU keeps points off 0 and 1, where a normal distribution has no value.
const leastU = 1.0 / (1 << 53)

// Points are n points of the unit cube of k variables, one a row. With random and halton, point i
// is the same whatever n is.
func Points(how Sampling, n, k int, seed uint64) ([][]float64, error) {
	if n < 1 || k < 1 || n > most/k {
		return nil, fmt.Errorf("%d points of %d variables: want 1 or more of each, together at most %d numbers", n, k, most)
	}
	points := mat.NewDense(n, k, nil)
	source := rand.NewPCG(seed, 0)
	switch how {
	case Random:
		for i := range n {
			r := rand.New(rand.NewPCG(RunSeed(seed, i), 0))
			for j := range k {
				points.Set(i, j, r.Float64())
			}
		}
	case Latin:
		samplemv.LatinHypercube{Q: distmv.NewUnitUniform(k, nil), Src: source}.Sample(points)
	case Halton:
		if k > 1000 {
			return nil, fmt.Errorf("%d variables of a Halton sequence: want at most 1000", k)
		}
		samplemv.Halton{Kind: samplemv.Owen, Q: distmv.NewUnitUniform(k, nil), Src: source}.Sample(points)
	default:
		return nil, fmt.Errorf("sampling %q: want %s, %s or %s", how, Random, Latin, Halton)
	}
	return rows(points), nil
}

// rows are the rows of a matrix, kept off 0 and 1.
func rows(m *mat.Dense) [][]float64 {
	n, _ := m.Dims()
	out := make([][]float64, n)
	for i := range out {
		out[i] = m.RawRowView(i)
		for j, u := range out[i] {
			out[i][j] = min(max(u, leastU), 1-leastU)
		}
	}
	return out
}

// RunSeed is the seed of run i of a study, by the mixing function of SplitMix64 (Steele, Lea and
// Flood 2014). It hangs on nothing but both numbers, so that a run is the same whoever makes it.
func RunSeed(seed uint64, run int) uint64 {
	z := seed + (uint64(run)+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
