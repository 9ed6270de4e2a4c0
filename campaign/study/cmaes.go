package study

import (
	"errors"
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// CMAES is the evolution strategy with covariance matrix adaptation, as Hansen (2016) writes it in
// appendix A (figure 6), with the settings of his table 1: weighted recombination, cumulation,
// rank-one and rank-μ update with negative weights. Only the order of the fitnesses counts.
//
// Bounds are kept by reflection: x goes on beyond a face of the cube as in a mirror, and the candidate
// is its image in the cube. The distribution itself adapts to x, so that it meets a function without
// bounds, symmetric about every face.
//
// The search ends when its generations are used up, or by one of the stops of Hansen's section B.3 (see
// cmaes_stop.go). It is a local search of some global reach: where there are many optima take a larger
// population, or several seeds.
type CMAES struct {
	Population int `yaml:"population" doc:"candidates λ of a generation, 2 or more; 0: 4 + ⌊3 ln k⌋ of k tuned keys"`

	Generations int       `yaml:"generations" doc:"most generations, 1 or more"`
	Sigma       float64   `yaml:"sigma" doc:"initial standard deviation σ, as a share of the range, above 0 to 1"`
	Start       []float64 `yaml:"start" doc:"first mean, one number for each tuned key, as a share of the range (of its logarithm if log), 0 to 1; empty: the middle"`
	Tolerance   float64   `yaml:"tolerance" doc:"the search has converged when the standard deviation in every key is below this share of the range; 1e-12 to below sigma"`
}

func newCMAES() *CMAES {
	return &CMAES{Generations: 50, Sigma: 0.3, Tolerance: 1e-5}
}

func (p *CMAES) check(k int) error {
	lambda := p.Population
	if lambda == 0 {
		lambda = 4
	}
	if err := checkSizes(k, "population", lambda, 2, "generations", p.Generations); err != nil {
		return err
	}
	switch {
	case !(p.Sigma > 0 && p.Sigma <= 1):
		return fmt.Errorf("sigma %g: want above 0, at most 1", p.Sigma)
	case !(p.Tolerance >= 1e-12 && p.Tolerance < p.Sigma):
		return fmt.Errorf("tolerance %g: want 1e-12 or more, and below sigma, %g", p.Tolerance, p.Sigma)
	case len(p.Start) != 0 && len(p.Start) != k:
		return fmt.Errorf("start has %d numbers: want one for each of %d tuned keys, or none", len(p.Start), k)
	}
	for _, u := range p.Start {
		if !inCube(u) {
			return fmt.Errorf("start %g: want shares of the range, 0 to 1", u)
		}
	}
	return nil
}

// weights are the strategy parameters, fixed by n and λ.
type weights struct {
	n, mu                                   int
	w                                       []float64 // of all λ candidates, best first
	sum, mueff, cc, csigma, dsigma, c1, cmu float64   // cmu: c_μ
	chi                                     float64   // E‖N(0, I)‖
}

// newWeights is table 1 of Hansen 2016, α_cov = 2. Equations have the numbers of his first version; the
// 1/4 in eq. 58 is of the second, and lets C adapt with λ = 2 and 3 as well.
func newWeights(k, lambda int) weights {
	n, s := float64(k), weights{n: k, mu: lambda / 2, w: make([]float64, lambda)}
	for i := range s.w {
		s.w[i] = math.Log((float64(lambda)+1)/2) - math.Log(float64(i)+1) // eq. 49
	}
	up, down := s.w[:s.mu], s.w[s.mu:]
	s.mueff = effective(up)
	s.csigma = (s.mueff + 2) / (n + s.mueff + 5) // eq. 55
	s.dsigma = 1 + 2*max(0, math.Sqrt((s.mueff-1)/(n+1))-1) + s.csigma
	s.cc = (4 + s.mueff/n) / (n + 4 + 2*s.mueff/n)                                        // eq. 56
	s.c1 = 2 / ((n+1.3)*(n+1.3) + s.mueff)                                                // eq. 57
	s.cmu = min(1-s.c1, 2*(0.25+s.mueff+1/s.mueff-2)/((n+2)*(n+2)+s.mueff))               // eq. 58
	alpha := min(1+s.c1/s.cmu, 1+2*effective(down)/(s.mueff+2), (1-s.c1-s.cmu)/(n*s.cmu)) // eqs 50 to 52
	floats.Scale(1/floats.Sum(up), up)                                                    // eq. 53
	floats.Scale(alpha/-floats.Sum(down), down)                                           // eq. 53
	s.sum, s.chi = floats.Sum(s.w), math.Sqrt(n)*(1-1/(4*n)+1/(21*n*n))
	return s
}

// effective is the variance effective selection mass of some weights, eq. 8.
func effective(w []float64) float64 {
	return floats.Sum(w) * floats.Sum(w) / floats.Dot(w, w)
}

// cmaes is the search, with the symbols of the tutorial. It draws y = C^½ z with the symmetric root
// B D Bᵀ in place of B D: the distribution is the same, and the signs and the order of the eigenvectors
// do not matter.
type cmaes struct {
	random        generator
	weights       weights
	c             *mat.SymDense // C
	b             *mat.Dense    // B: eigenvectors of C, one a column
	d             []float64     // D: square roots of its eigenvalues, ascending
	root, inverse *mat.SymDense // C^½, C^−½
	cmaesState
}

type cmaesState struct {
	Parameters CMAES       `json:"parameters"`
	G          int         `json:"g"`          // generations told
	M          []float64   `json:"m"`          // mean, may be beyond the cube
	Sigma      float64     `json:"sigma"`      // σ
	PSigma     []float64   `json:"p_sigma"`    // evolution path of σ
	PC         []float64   `json:"p_c"`        // evolution path of C
	C          [][]float64 `json:"c"`          // covariance matrix, in a checkpoint
	Y          [][]float64 `json:"y"`          // steps of the present generation: x = m + σ y; none when done
	Last       Fitness     `json:"last"`       // best of the last generation told
	Flat       int         `json:"flat"`       // generations in a row with this best fitness, but the first
	Degenerate bool        `json:"degenerate"` // C lost its positive eigenvalues to rounding
	Found      found       `json:"best"`
	Random     []byte      `json:"random"` // state of the generator, in a checkpoint
}

// Make draws the first generation.
func (p *CMAES) Make(k int, seed uint64) (Search, error) {
	if err := p.check(k); err != nil {
		return nil, err
	}
	lambda := p.Population
	if lambda == 0 {
		lambda = 4 + int(3*math.Log(float64(k))) // eq. 48
	}
	s := &cmaes{random: newGenerator(seed), weights: newWeights(k, lambda), c: mat.NewSymDense(k, nil)}
	s.Parameters, s.Sigma, s.M = *p, p.Sigma, append([]float64(nil), p.Start...)
	s.Parameters.Start = append([]float64(nil), p.Start...)
	s.PSigma, s.PC = make([]float64, k), make([]float64, k)
	for j := range k {
		s.c.SetSym(j, j, 1)
		if len(p.Start) == 0 {
			s.M = append(s.M, 0.5)
		}
	}
	_ = s.decompose() // of I
	s.sample()
	return s, nil
}

// sample draws the steps of a generation: for each candidate component by component, z.
func (s *cmaes) sample() {
	s.Y = make([][]float64, len(s.weights.w))
	z := mat.NewVecDense(s.weights.n, nil)
	for i := range s.Y {
		for j := range s.weights.n {
			z.SetVec(j, s.random.NormFloat64()) // eq. 38
		}
		s.Y[i] = times(s.root, z.RawVector().Data) // eq. 39
	}
}

// times is A x.
func times(a mat.Symmetric, x []float64) []float64 {
	y := mat.NewVecDense(len(x), nil)
	y.MulVec(a, mat.NewVecDense(len(x), x))
	return y.RawVector().Data
}

// candidates are m + σ y (eq. 40) as the mirrors show them.
func (s *cmaes) candidates() [][]float64 {
	out := make([][]float64, len(s.Y))
	for i, y := range s.Y {
		out[i] = make([]float64, len(y))
		for j := range y {
			out[i][j] = reflected(s.M[j] + s.Sigma*y[j])
		}
	}
	return out
}

// reflected is the image of x between mirrors at 0 and 1.
func reflected(x float64) float64 {
	x = math.Mod(math.Abs(x), 2)
	if x > 1 {
		return 2 - x
	}
	return x
}

// Ask returns the candidates of the generation.
func (s *cmaes) Ask() [][]float64 {
	if s.Done() {
		return nil
	}
	return s.candidates()
}

// Tell adapts the distribution and draws the next generation.
func (s *cmaes) Tell(f []Fitness) {
	candidates := s.Ask()
	mustHaveAll(f, len(candidates))
	order := make([]int, len(f))
	for i := range order {
		order[i] = i
		s.Found.tell(candidates[i], f[i])
	}
	sort.SliceStable(order, func(i, j int) bool { return f[order[i]].Less(f[order[j]]) })
	y := make([][]float64, len(f)) // best first
	for i, o := range order {
		y[i] = s.Y[o]
	}
	s.flat(f[order[0]])
	s.adapt(y)
	s.G++
	s.Degenerate = s.decompose() != nil
	s.Y = nil
	if !s.Done() {
		s.sample()
	}
}

// adapt moves mean, step size and covariance matrix by the steps y, best first.
func (s *cmaes) adapt(y [][]float64) {
	w := &s.weights
	mean := make([]float64, w.n) // ⟨y⟩_w
	for i := range w.mu {
		floats.AddScaled(mean, w.w[i], y[i]) // eq. 41
	}
	floats.AddScaled(s.M, s.Sigma, mean) // eq. 42, c_m = 1

	floats.Scale(1-w.csigma, s.PSigma)
	floats.AddScaled(s.PSigma, math.Sqrt(w.csigma*(2-w.csigma)*w.mueff), times(s.inverse, mean)) // eq. 43
	norm := floats.Norm(s.PSigma, 2)
	s.Sigma = min(s.Sigma*math.Exp(w.csigma/w.dsigma*(norm/w.chi-1)), mostTame) // eq. 44

	delta := w.cc * (2 - w.cc) // δ(h_σ), 0 as long as p_σ is short
	floats.Scale(1-w.cc, s.PC)
	settled := math.Sqrt(1 - math.Pow(1-w.csigma, 2*float64(s.G+1)))
	if norm/settled < (1.4+2/(float64(w.n)+1))*w.chi { // h_σ = 1
		delta = 0
		floats.AddScaled(s.PC, math.Sqrt(w.cc*(2-w.cc)*w.mueff), mean) // eq. 45
	}
	s.covary(y, delta)
}

// covary is the update of the covariance matrix, eqs 46 and 47.
func (s *cmaes) covary(y [][]float64, delta float64) {
	w := &s.weights
	s.c.ScaleSym(1+w.c1*delta-w.c1-w.cmu*w.sum, s.c)
	s.c.SymRankOne(s.c, w.c1, mat.NewVecDense(w.n, s.PC))
	for i, weight := range w.w {
		if weight < 0 {
			z := times(s.inverse, y[i])
			if length := floats.Dot(z, z); length > 0 {
				weight *= float64(w.n) / length // eq. 46
			}
		}
		s.c.SymRankOne(s.c, w.cmu*weight, mat.NewVecDense(w.n, y[i]))
	}
}

// errCovariance is of a matrix that is no covariance matrix, or not in double precision.
var errCovariance = errors.New("covariance matrix without positive eigenvalues")

// decompose finds B and D of C = B D² Bᵀ, and the roots. It leaves them at an error.
func (s *cmaes) decompose() error {
	for _, x := range s.c.RawSymmetric().Data {
		if !tame(x) {
			return errCovariance
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(s.c, true) || eigen.Values(nil)[0] <= 0 {
		return errCovariance
	}
	k := s.weights.n
	s.d, s.b = eigen.Values(nil), mat.NewDense(k, k, nil)
	eigen.VectorsTo(s.b)
	s.root, s.inverse = mat.NewSymDense(k, nil), mat.NewSymDense(k, nil)
	for i := range s.d {
		s.d[i] = math.Sqrt(s.d[i])
		s.root.SymRankOne(s.root, s.d[i], s.b.ColView(i))
		s.inverse.SymRankOne(s.inverse, 1/s.d[i], s.b.ColView(i))
	}
	return nil
}

// Generation is the number of generations told.
func (s *cmaes) Generation() int { return s.G }

// Best is the best of all candidates, which the mean need not be.
func (s *cmaes) Best() ([]float64, Fitness, bool) { return s.Found.best() }

// Done holds when there is a reason to stop.
func (s *cmaes) Done() bool { return s.Reason() != "" }
