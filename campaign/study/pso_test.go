package study

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"rths/kit/rthstest"
)

func pso(t testing.TB, p *PSO, k int, seed uint64) *swarm {
	t.Helper()
	return search(t, p, k, seed).(*swarm)
}

// Every move of a run follows eqs 7.10 and 7.11 by hand: velocities and positions computed again from
// the candidates, their fitness and the draws alone.
func TestPSOByHand(t *testing.T) {
	const k, seed = 3, 11
	s, random := search(t, newPSO(), k, seed), rand.New(rand.NewPCG(seed, searchStream))
	I := 15
	p, v, pm := make([][k]float64, I), make([][k]float64, I), make([][k]float64, I)
	best, g, least := make([]float64, I), [k]float64{}, math.Inf(1)
	for i := range I {
		best[i] = math.Inf(1)
		for j := range k {
			p[i][j] = random.Float64()
			v[i][j] = 0.0625 * (2*random.Float64() - 1)
		}
	}
	onBound := 0
	f := func(x []float64) float64 { return math.Abs(x[0]) + math.Abs(x[1]-0.3) + math.Abs(x[2]-1.5) }
	for h := range 11 {
		x := s.Ask()
		for i := range I {
			if !slices.Equal(x[i], p[i][:]) {
				t.Fatalf("generation %d, particle %d: at %v, by hand %v", h, i, x[i], p[i])
			}
			if y := f(x[i]); y < best[i] {
				best[i], pm[i] = y, p[i]
			}
			if best[i] < least {
				least, g = best[i], pm[i]
			}
		}
		s.Tell(fitnesses(x, f))
		for i := range I {
			for j := range k {
				r1, r2 := random.Float64(), random.Float64()
				v[i][j] = 0.5*v[i][j] + r1*0.5*(pm[i][j]-p[i][j]) + r2*0.5*(g[j]-p[i][j])
				p[i][j] = math.Max(0, math.Min(1, p[i][j]+v[i][j]))
				if p[i][j] == 0 || p[i][j] == 1 {
					onBound++
				}
			}
		}
	}
	if x, got, _ := s.Best(); !s.Done() || got.Value != least || !slices.Equal(x, g[:]) || onBound == 0 {
		t.Errorf("after 11 generations: done %v, best %v at %v, by hand %g at %v; on a bound %d times", s.Done(), got, x,
			least, g, onBound)
	}
}

// Ten iterations of 15 particles are 165 evaluations: the initial positions are evaluated and are no
// iteration.
func TestPSOEvaluations(t *testing.T) {
	if _, _, n := minimise(search(t, newPSO(), 4, 1), sphere, -1); n != 165 {
		t.Errorf("%d evaluations: want 15 (10 + 1)", n)
	}
}

// One particle without inertia stays, for it is at its own best and at the best of the swarm. With
// inertia alone it goes straight on, to the bound and against it, where its velocity stays.
func TestPSOOfOneParticle(t *testing.T) {
	s := pso(t, &PSO{Particles: 1, Iterations: 20, C1: 2, C2: 2, Velocity: 1}, 3, 5)
	first := s.Ask()
	for !s.Done() {
		if !slices.Equal(s.Ask()[0], first[0]) {
			t.Fatalf("from %v to %v", first, s.Ask())
		}
		s.Tell(fitnesses(s.Ask(), sphere))
	}
	s = pso(t, &PSO{Particles: 1, Iterations: 20, Inertia: 1, Velocity: 0.25}, 3, 5)
	first, v := s.Ask(), slices.Clone(s.V[0])
	for h := 0; !s.Done(); h++ {
		for j, x := range s.Ask()[0] {
			want := min(max(first[0][j]+float64(h)*v[j], 0), 1)
			if math.Abs(x-want) > 1e-14 || s.V[0][j] != v[j] {
				t.Fatalf("iteration %d: %g with velocity %g, want %g with %g", h, x, s.V[0][j], want, v[j])
			}
		}
		s.Tell(fitnesses(s.Ask(), sphere))
	}
	other := pso(t, &s.Parameters, 3, 6)
	if err := other.UnmarshalJSON(checkpoint(t, s)); err != nil || !slices.Equal(other.P[0], s.P[0]) {
		t.Errorf("from a checkpoint: %v, %v", err, other.P)
	}
	for j, x := range s.P[0] {
		if x != 0 && x != 1 {
			t.Errorf("component %d ends at %g with velocity %g", j, x, v[j])
		}
	}
}

// While no particle improves, eqs 7.10 and 7.11 are linear with random coefficients. With φ = r1 c1 +
// r2 c2 and e the way from the best position, v' = ω v − φ e and e' = e + v': mean and mean square over
// many particles follow in closed form. Components draw r1 and r2 of their own: they are not correlated.
func TestPSOMoments(t *testing.T) {
	const n, e0, v0, omega, c1, c2 = 40_000, 0.2, 0.05, 0.6, 0.5, 0.9
	s := pso(t, &PSO{Particles: 10_000, Iterations: 12, Inertia: omega, C1: c1, C2: c2}, 4, 2)
	for i := range s.P {
		for j := range s.P[i] {
			s.P[i][j], s.V[i][j], s.PM[i][j] = 0.5+e0, v0, 0.5
		}
	}
	s.H, s.G = 1, found{X: []float64{0.5, 0.5, 0.5, 0.5}, F: Fitness{}}
	phi, phi2 := (c1+c2)/2, (c1*c1+c2*c2)/12+(c1+c2)*(c1+c2)/4
	e, v, ee, ev, vv := e0, v0, e0*e0, e0*v0, v0*v0
	for !s.Done() {
		mean, square, cross := 0.0, 0.0, 0.0
		for _, p := range s.P {
			for _, x := range p {
				mean += (x - 0.5) / n
				square += (x - 0.5) * (x - 0.5) / n
			}
			cross += (p[0] - 0.5 - e) * (p[1] - 0.5 - e) / float64(len(s.P))
		}
		sd := math.Sqrt(ee - e*e)
		if math.Abs(mean-e) > 4*sd/math.Sqrt(n)+1e-12 {
			t.Errorf("generation %d: mean %.5f, want %.5f", s.H, mean, e)
		}
		if math.Abs(square-ee) > 0.05*ee { // the distribution has long tails: five standard errors of about 1 %
			t.Errorf("generation %d: mean square %.3g, want %.3g", s.H, square, ee)
		}
		if math.Abs(cross) > 5*sd*sd/math.Sqrt(float64(len(s.P)))+1e-12 {
			t.Errorf("generation %d: covariance of two components %.3g, variance %.3g", s.H, cross, sd*sd)
		}
		s.Tell(slices.Repeat([]Fitness{{Value: 1}}, len(s.P)))
		vv, ev = omega*omega*vv-2*omega*phi*ev+phi2*ee, omega*ev-phi*ee // v'², e v'
		ee, ev = ee+2*ev+vv, ev+vv
		v = omega*v - phi*e
		e += v
	}
}

// With the settings of the paper, 165 evaluations over four keys come nearer to an optimum than 165
// random points, in nearly all seeds.
func TestPSOBesideRandomPoints(t *testing.T) {
	const k = 4
	better, seeds := 0, rthstest.Draws(40, 200)
	var swarms, scattered []float64
	for seed := range uint64(seeds) {
		_, got, n := minimise(search(t, newPSO(), k, seed), sphere, -1)
		random := math.Inf(1)
		for _, x := range points(t, Random, n, k, seed) {
			random = min(random, sphere(x))
		}
		if got < random {
			better++
		}
		swarms, scattered = append(swarms, got), append(scattered, random)
	}
	a, b := stat.Mean(swarms, nil), stat.Mean(scattered, nil)
	t.Logf("mean square distance %.2g, of random points %.2g; nearer in %d of %d seeds", a, b, better, seeds)
	if a > b/4 || better < seeds*9/10 {
		t.Errorf("mean square distance %.2g, of random points %.2g; nearer in %d of %d seeds", a, b, better, seeds)
	}
}

// Among many optima a swarm of usual settings (Clerc and Kennedy 2002) finds the best with most seeds;
// the few evaluations of the paper's settings find its neighbourhood at most.
func TestPSOAmongManyOptima(t *testing.T) {
	usual := &PSO{Particles: 30, Iterations: 200, Inertia: 0.7298, C1: 1.4962, C2: 1.4962, Velocity: 0.1}
	found, paper, seeds := 0.0, 0.0, rthstest.Draws(40, 200)
	for seed := range uint64(seeds) {
		if _, best, _ := minimise(search(t, usual, 2, seed), rastrigin, 1e-8); best <= 1e-8 {
			found += 1 / float64(seeds)
		}
		if _, best, _ := minimise(search(t, newPSO(), 2, seed), rastrigin, 1e-8); best <= 1e-8 {
			paper += 1 / float64(seeds)
		}
	}
	t.Logf("Rastrigin of 2 keys: found by %.0f %% of the seeds, with the settings of the paper by %.0f %%", 100*found,
		100*paper)
	if found < 0.9 || paper > 0.05 {
		t.Errorf("found by %.2f of the seeds, with the settings of the paper by %.2f", found, paper)
	}
}
