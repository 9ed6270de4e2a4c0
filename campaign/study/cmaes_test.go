package study

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rths/kit/rthstest"
)

// patient runs to 1e-10 and beyond, with the sizes of the defaults.
func patient(sigma float64) *CMAES {
	return &CMAES{Generations: 5000, Sigma: sigma, Tolerance: 1e-12}
}

func cma(t testing.TB, p *CMAES, k int, seed uint64) *cmaes {
	t.Helper()
	return search(t, p, k, seed).(*cmaes)
}

// ellipsoid has the condition number cond and its optimum at the middle, along the axes or turned.
func ellipsoid(k int, cond float64, turn *mat.Dense) func([]float64) float64 {
	return func(x []float64) float64 {
		d := make([]float64, k)
		for i := range d {
			d[i] = x[i] - 0.5
		}
		if turn != nil {
			y := mat.NewVecDense(k, nil)
			y.MulVec(turn, mat.NewVecDense(k, d))
			d = y.RawVector().Data
		}
		sum := 0.0
		for i, d := range d {
			sum += math.Pow(cond, float64(i)/float64(k-1)) * d * d
		}
		return sum
	}
}

// turned is a random rotation (or reflection): the Q of a matrix of normal numbers.
func turned(k int, seed uint64) *mat.Dense {
	random := rand.New(rand.NewPCG(seed, 0))
	a := mat.NewDense(k, k, nil)
	a.Apply(func(int, int, float64) float64 { return random.NormFloat64() }, a)
	var qr mat.QR
	qr.Factorize(a)
	q := mat.NewDense(k, k, nil)
	qr.QTo(q)
	return q
}

// numbers are those of kit/independent/cmaes.py.
func (s *cmaes) numbers() []float64 {
	out := append(slices.Clone(s.M), s.Sigma)
	for i := range s.M {
		for j := range s.M {
			out = append(out, s.c.At(i, j))
		}
	}
	return out
}

// prescribed makes eight generations with prescribed numbers in place of random ones.
func prescribed(t *testing.T) (first, last []float64, stalled float64) {
	s := cma(t, patient(0.005), 3, 1)
	for g := range 8 {
		for i := range s.Y {
			z := make([]float64, 3)
			for j := range z {
				z[j] = 1.2 * math.Sin(float64(1+7*g+3*i*i+11*j))
			}
			s.Y[i] = times(s.root, z)
		}
		path := slices.Clone(s.PC)
		s.Tell(fitnesses(s.Ask(), func(x []float64) float64 {
			a, b, c := x[0]-0.2, x[1]-0.8, x[2]-0.9
			return (a+b)*(a+b) + 100*(a-b)*(a-b) + 1000*(c-0.5*a)*(c-0.5*a)
		}))
		floats.Scale(1-s.weights.cc, path)
		if floats.EqualApprox(path, s.PC, 1e-15) {
			stalled++
		}
		if last = s.numbers(); g == 0 {
			first = last
		}
	}
	return first, last, stalled
}

// wantFirst and wantLast are numbers of kit/independent/cmaes.py: mean, step size, covariance matrix.
var (
	wantFirst = []float64{
		0.495516526409, 0.500774242435, 0.504490326717,
		0.00496342440783,
		1.02521519768, 0.025268592249, -0.0338277310979,
		0.025268592249, 0.909431891896, -0.0259920337692,
		-0.0338277310979, -0.0259920337692, 1.02476146958,
	}
	wantLast = []float64{
		0.379262083575, 0.506377563304, 0.620794366764,
		0.0698514317907,
		1.0856195503, -0.0142802862653, 0.378742214108,
		-0.0142802862653, 0.676845813203, 0.00730855192312,
		0.378742214108, 0.00730855192312, 1.08581064165,
	}
)

// wantSettings are numbers of the same program, of k keys and a population of λ: the sum of the weights,
// μ_eff, c_σ, d_σ, c_c, c_1, c_μ and E‖N(0, I)‖. Each of eqs 50 to 52 limits the negative weights of some.
var wantSettings = []struct {
	k, lambda int
	want      []float64
}{
	{1, 2, []float64{-0.666666666667, 1, 0.428571428571, 1.42857142857, 0.714285714286, 0.317965023847, 0.05,
		0.797619047619}},
	{1, 4, []float64{-0.967893879149, 1.45978988885, 0.46379186819, 1.46379186819, 0.689403988861, 0.296305519569,
		0.0754929083228, 0.797619047619}},
	{3, 7, []float64{-1.25844752453, 2.2548150822, 0.414909001098, 1.4149090011, 0.558801322886, 0.0964096325793,
		0.0695884692329, 1.59687753026}},
	{10, 10, []float64{-0.648945714441, 3.16729928141, 0.284428587946, 1.28442858795, 0.294990383036, 0.0152838245248,
		0.0235517766504, 3.08472656517}},
	{50, 15, []float64{-0.341209964567, 4.54091520908, 0.109855805644, 1.10985580564, 0.0755019331319, 0.000758658882445,
		0.00222343706582, 7.03584715981}},
	{50, 4, []float64{-0.967893879149, 1.45978988885, 0.0612788303971, 1.0612788304, 0.0745341413027, 0.000759546611317,
		0.00029186904278, 7.03584715981}},
	{4, 100, []float64{0.949651815253, 26.9666550647, 0.805375284763, 4.36315150258, 0.5, 0.036326217015, 0.802130520447,
		1.88095238095}},
}

func TestCMAESSettings(t *testing.T) {
	for _, tc := range wantSettings {
		w := newWeights(tc.k, tc.lambda)
		got := []float64{w.sum, w.mueff, w.csigma, w.dsigma, w.cc, w.c1, w.cmu, w.chi}
		rthstest.NearAll(t, fmt.Sprintf("%d keys, population %d", tc.k, tc.lambda), got, tc.want, 1e-10)
	}
}

// h_σ is 1 up to a length of p_σ, of the first generation and of a later one.
func TestCMAESStallsAtALongPath(t *testing.T) {
	const k = 3
	for _, g := range []int{0, 2, 50} {
		for _, side := range []float64{1 - 1e-9, 1 + 1e-9} {
			s := cma(t, patient(0.1), k, 1)
			w := s.weights
			limit := (1.4 + 2.0/(k+1)) * w.chi * math.Sqrt(1-math.Pow(1-w.csigma, float64(2*g+2)))
			old := 0.3 // of it, from the generations before
			s.G, s.PSigma[0], s.PC[1] = g, old, 1
			step := (limit*side - (1-w.csigma)*old) / math.Sqrt(w.csigma*(2-w.csigma)*w.mueff)
			s.adapt(slices.Repeat([][]float64{{step, 0, 0}}, len(w.w)))
			want := 0.0
			if side < 1 {
				want = math.Sqrt(w.cc*(2-w.cc)*w.mueff) * step
			}
			if math.Abs(s.PC[0]-want) > 1e-12 || math.Abs(s.PC[1]-(1-w.cc)) > 1e-12 {
				t.Errorf("generation %d, %g of the limit: p_c %v, want %g and %g", g, side, s.PC, want, 1-w.cc)
			}
		}
	}
}

// Generations with prescribed z are those of the tutorial, with h_σ = 0 and 1.
func TestCMAESOfTheTutorial(t *testing.T) {
	first, last, stalled := prescribed(t)
	rthstest.NearAll(t, "generation 1", first, wantFirst, 1e-10)
	rthstest.NearAll(t, "generation 8", last, wantLast, 1e-8) // rounding grows by the condition number of C
	if stalled != 6 {
		t.Errorf("h_σ is 0 in %g generations: want 6", stalled)
	}
}

func TestProgramOfCMAES(t *testing.T) {
	got := rthstest.Independent(t, "cmaes.py")
	rthstest.NearAll(t, "generation 1", got["generation1"], wantFirst, 1e-10)
	rthstest.NearAll(t, "generation 8", got["generation8"], wantLast, 1e-10)
	for _, tc := range wantSettings {
		name := fmt.Sprintf("settings%dof%d", tc.k, tc.lambda)
		rthstest.NearAll(t, name, got[name], tc.want, 1e-10)
	}
	for name, want := range wantEvaluations { // numpy's random numbers and roots may differ with its version
		rthstest.NearAll(t, name, got[name], want, 0.05)
	}
}

// Two searches, one with all its steps turned, keep turned means, paths and matrices: the update prefers
// no direction.
func TestCMAESTurnsWithItsSteps(t *testing.T) {
	for _, k := range []int{2, 5, 12} {
		q, f := turned(k, 7), ellipsoid(k, 100, nil)
		back := func(x []float64) []float64 { // f of the turned search turns back
			y := mat.NewVecDense(k, nil)
			y.MulVec(q.T(), mat.NewVecDense(k, x))
			return y.RawVector().Data
		}
		a, b := cma(t, patient(0.01), k, 3), cma(t, patient(0.01), k, 4)
		for range 40 {
			values := []Fitness{}
			for i, y := range a.Y {
				turn := mat.NewVecDense(k, nil)
				turn.MulVec(q, mat.NewVecDense(k, y))
				b.Y[i] = turn.RawVector().Data
				x := slices.Clone(a.M)
				floats.AddScaled(x, a.Sigma, y)
				values = append(values, Fitness{Value: f(x)})
			}
			a.Tell(values)
			b.Tell(values)
		}
		mean := slices.Clone(b.M)
		floats.AddConst(-0.5, mean)
		mean = back(mean)
		floats.AddConst(0.5, mean)
		var c mat.Dense
		c.Product(q.T(), b.c, q)
		c.Sub(&c, a.c)
		if !floats.EqualApprox(mean, a.M, 1e-9) || !floats.EqualApprox(back(b.PC), a.PC, 1e-9) ||
			mat.Norm(&c, math.Inf(1)) > 1e-9 || math.Abs(a.Sigma/b.Sigma-1) > 1e-9 {
			t.Errorf("%d keys: means %v and %v, σ %g and %g, matrices %g apart", k, a.M, mean, a.Sigma, b.Sigma, mat.Norm(&c, 1))
		}
	}
}

// A function that is moved and stretched gives a path that is moved and stretched.
func TestCMAESMovesWithItsFunction(t *testing.T) {
	const k, scale, shift = 4, 3.0, 0.1
	far := patient(0.02 * scale)
	near := patient(0.02)
	near.Start, far.Start = []float64{0.45, 0.45, 0.5, 0.6}, make([]float64, k)
	there := func(x float64) float64 { return 0.5 + shift + scale*(x-0.5) }
	for j, x := range near.Start {
		far.Start[j] = there(x)
	}
	a, b, f := cma(t, near, k, 3), cma(t, far, k, 3), ellipsoid(k, 100, nil)
	for range 60 {
		a.Tell(fitnesses(a.Ask(), f))
		b.Tell(fitnesses(b.Ask(), func(x []float64) float64 {
			y := make([]float64, k)
			for j := range y {
				y[j] = 0.5 + (x[j]-0.5-shift)/scale
			}
			return f(y)
		}))
		for j := range a.M {
			if math.Abs(there(a.M[j])-b.M[j]) > 1e-9 || math.Abs(b.Sigma/a.Sigma/scale-1) > 1e-6 {
				t.Fatalf("generation %d: means %v and %v, σ %g and %g", a.G, a.M, b.M, a.Sigma, b.Sigma)
			}
		}
	}
	if a.Sigma > 1e-3 { // or nothing was learnt
		t.Errorf("σ %g", a.Sigma)
	}
}

// Under random selection nothing is learnt: the mean moves by σ/√μ_eff times a standard normal step,
// ln σ and C stay in the mean. Evolution paths start as in the long run, standard normal. (Of one key
// h_σ is 0 in one generation of 18, in those of large steps, and C shrinks by 5 %.)
func TestCMAESWithoutSelectionDoesNotDrift(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and other tests run the same goroutines")
	}
	for _, k := range []int{2, 6} {
		s, random := cma(t, patient(0.1), k, 1), rand.New(rand.NewPCG(9, 9))
		w, n, identity := s.weights, 40_000, mat.NewDiagDense(k, slices.Repeat([]float64{1}, k))
		move, growth, diagonal, cross := 0.0, 0.0, 0.0, 0.0
		for range n {
			s.M, s.Sigma, s.G = slices.Repeat([]float64{0.5}, k), 0.1, 1000
			for i := range k {
				s.PC[i], s.PSigma[i] = random.NormFloat64(), random.NormFloat64()
			}
			s.c.CopySym(identity)
			_ = s.decompose()
			s.sample()
			s.adapt(s.Y)
			for j, m := range s.M {
				move += (m - 0.5) * (m - 0.5) / 0.01 * w.mueff / float64(n*k)
				diagonal += s.c.At(j, j) / float64(n*k)
			}
			cross += s.c.At(0, k-1) / float64(n)
			growth += math.Log(s.Sigma/0.1) / (w.csigma / w.dsigma) / float64(n)
		}
		se := 4 / math.Sqrt(float64(n)) // four standard errors of a number of variance 1
		if math.Abs(move-1) > se*math.Sqrt2 || math.Abs(growth) > se || math.Abs(diagonal-1) > se || math.Abs(cross) > se {
			t.Errorf("%d keys: mean square move %.4f σ²/μ_eff, growth %.4f, C %.4f and %.4f", k, move, growth, diagonal, cross)
		}
	}
}
