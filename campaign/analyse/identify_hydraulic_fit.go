package analyse

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"rths/model/plant"
)

// hydraulicFitter holds what the rounds of a fit share.
type hydraulicFitter struct {
	*HydraulicTest
	start  plant.Hydraulic
	of     []unknown
	least  [2]float64 // σ at least
	runs   int
	coarse bool      // correlated residuals count less
	steps  []float64 // of z for derivatives
}

// at is the actuator at z.
func (t *hydraulicFitter) at(z []float64) *plant.Hydraulic {
	p := t.start
	for i, u := range t.of {
		v := u.of(&p)
		if u.absolute > 0 {
			*v += u.spread * z[i]
		} else {
			*v *= math.Exp(u.spread * z[i])
		}
	}
	settle(&p)
	return &p
}

// settle brings the numbers of an actuator inside their bounds.
func settle(p *plant.Hydraulic) {
	if p.RodArea > 0 {
		p.Overlap = max(p.Overlap, 0)
	}
	if p.StaticForce > 0 {
		p.StaticForce = max(p.StaticForce, p.CoulombForce)
	}
	if f := 4 * p.CoulombForce; f > 0 { // see device.LuGre.Check
		p.BristleDamping = min(p.BristleDamping, 0.999*(f+math.Sqrt(f*(f+2*p.Viscous))))
	}
}

// inside is z within the bounds of the parameters, at which they have derivatives.
func (t *hydraulicFitter) inside(z []float64) []float64 {
	p, out := t.at(z), make([]float64, len(z))
	for i, u := range t.of {
		if v, from := *u.of(p), *u.of(&t.start); u.absolute > 0 {
			out[i] = (v - from) / u.spread
		} else {
			out[i] = math.Log(v/from) / u.spread
		}
	}
	return out
}

// slopes are the derivatives of displacements and forces by z, without their means.
func (t *hydraulicFitter) slopes(z []float64, at *hydraulicRun) ([2]*mat.Dense, error) {
	n, m := len(t.Command), len(t.of)
	out := [2]*mat.Dense{mat.NewDense(m, n, nil), mat.NewDense(m, n, nil)}
	errs := make([]error, m)
	var wait sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range m {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			for _, step := range []float64{t.steps[i], -t.steps[i]} {
				to := slices.Clone(z)
				to[i] += step
				var run *hydraulicRun
				if run, errs[i] = t.simulate(t.at(to)); errs[i] != nil {
					continue // a bound of the parameters
				}
				for c := range out {
					row := out[c].RawRowView(i)
					for k := range row {
						row[k] = (at.r[c][k] - run.r[c][k]) / step
					}
				}
				return
			}
		})
	}
	wait.Wait()
	t.runs += m
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return out, fmt.Errorf("%s about %.4g: %w", t.of[i].key, *t.of[i].of(t.at(z)), errs[i])
	}
	return out, nil
}

// noise is the standard deviation with which a residual counts: its rms, more where each is like the one before, as in
// an autoregression of order 1, and not less than what rounding leaves.
func (t *hydraulicFitter) noise(run *hydraulicRun) (sigma [2]float64) {
	for c, r := range run.r {
		size := rms(r)
		if sigma[c] = max(size, t.least[c]); !t.coarse || size == 0 {
			continue
		}
		one := 0.0
		for k := 1; k < len(r); k++ {
			one += r[k] / size * r[k-1] / size / float64(len(r))
		}
		one = min(max(one, 0), 1-1/float64(len(r)))
		sigma[c] *= math.Sqrt((1 + one) / (1 - one))
	}
	return sigma
}

func rms(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x * x / float64(len(v))
	}
	return math.Sqrt(sum)
}

// cost is what is minimised.
func cost(run *hydraulicRun, z []float64, sigma [2]float64) (sum float64) {
	for c, r := range run.r {
		part := rms(r) / sigma[c]
		sum += part * part * float64(len(r))
	}
	for _, x := range z {
		sum += x * x
	}
	return sum
}

// normal are the normal equations H δ = g at z.
func normal(j [2]*mat.Dense, run *hydraulicRun, z []float64, sigma [2]float64) (h *mat.SymDense, g *mat.VecDense) {
	m := len(z)
	h, g = mat.NewSymDense(m, nil), mat.NewVecDense(m, nil)
	for i := range m {
		h.SetSym(i, i, 1)
		g.SetVec(i, -z[i])
	}
	for c := range j {
		var part mat.SymDense
		part.SymOuterK(1/(sigma[c]*sigma[c]), j[c])
		h.AddSym(h, &part)
		var side mat.VecDense
		side.MulVec(j[c], mat.NewVecDense(len(run.r[c]), run.r[c]))
		g.AddScaledVec(g, 1/(sigma[c]*sigma[c]), &side)
	}
	return h, g
}

// damped is the step of (H + λ diag H) δ = g, no part of it above 1.
func damped(h *mat.SymDense, g *mat.VecDense, lambda float64) ([]float64, bool) {
	m := g.Len()
	a := mat.NewSymDense(m, nil)
	a.CopySym(h)
	for i := range m {
		a.SetSym(i, i, h.At(i, i)*(1+lambda))
	}
	var factor mat.Cholesky
	var step mat.VecDense
	if !factor.Factorize(a) || factor.SolveVecTo(&step, g) != nil {
		return nil, false
	}
	if most := mat.Norm(&step, math.Inf(1)); most > 1 {
		step.ScaleVec(1/most, &step)
	}
	return step.RawVector().Data, true
}

// best is the fit of least cost. Where the first leaves more than noise or does not settle, others begin with an
// overlap and an underlap, between which a fit may be caught.
func (t *hydraulicFitter) best() (z []float64, run *hydraulicRun, rounds int, err error) {
	if z, run, rounds, err = t.fit(); err != nil {
		return nil, nil, 0, err
	}
	first, steps := t.start, t.steps
	for _, lap := range []float64{startLap, -startLap} {
		if rounds < mostRounds && !t.misfit(run, 0) && !t.misfit(run, 1) {
			break
		}
		before := t.start
		t.start = first
		t.start.Overlap += lap
		other, next, more, err := t.fit()
		if err == nil && rms(next.r[0])*rms(next.r[1]) < rms(run.r[0])*rms(run.r[1]) {
			z, run, rounds, steps = other, next, more, t.steps
		} else {
			t.start = before
		}
	}
	t.steps, t.coarse = steps, false
	return z, run, rounds, nil
}

// misfit reports whether a run leaves more of displacement (0) or force (1) than noise.
func (t *hydraulicFitter) misfit(run *hydraulicRun, c int) bool {
	v := [2][]float64{t.Measured, t.Force}[c]
	left := rms(run.r[c])
	return left > misfitTimes*quiet(v, t.stretch()) && left > misfitOf*rms(centred(v, make([]float64, len(v))))
}

// fit goes to the least cost from z = 0.
func (t *hydraulicFitter) fit() (z []float64, run *hydraulicRun, rounds int, err error) {
	z, t.coarse = make([]float64, len(t.of)), true
	t.steps = slices.Repeat([]float64{difference}, len(t.of))
	if run, err = t.simulate(t.at(z)); err != nil {
		return nil, nil, 0, fmt.Errorf("the first guess: %w", err)
	}
	t.runs++
	lambda := 1e-2
	for rounds = 1; rounds <= mostRounds; rounds++ {
		sigma := t.noise(run)
		j, err := t.slopes(z, run)
		if err != nil {
			return nil, nil, 0, err
		}
		h, g := normal(j, run, z, sigma)
		t.near(h)
		now, moved := cost(run, z, sigma), false
		for ; lambda < 1e5 && !moved; t.runs++ {
			step, ok := damped(h, g, lambda)
			if !ok {
				lambda *= 10
				continue
			}
			to := slices.Clone(z)
			for i, d := range step {
				to[i] += d
			}
			to = t.inside(to)
			next, err := t.simulate(t.at(to))
			if moved = err == nil && cost(next, to, sigma) < now; moved {
				z, run, lambda = to, next, max(lambda/10, 1e-9)
			} else {
				lambda *= 4
			}
		}
		whole, ok := damped(h, g, 0)
		done := ok && mat.Dot(g, mat.NewVecDense(len(z), whole)) < closeBy
		if !moved || done || t.coarse && rounds == mostRounds/2 {
			if !t.coarse {
				return z, run, rounds, nil
			}
			t.coarse, lambda = false, 1e-2
		}
	}
	return z, run, mostRounds, nil
}

// near makes steps for derivatives of a few standard errors, so that they are straight and above rounding.
func (t *hydraulicFitter) near(h *mat.SymDense) {
	var factor mat.Cholesky
	var inverse mat.SymDense
	if !factor.Factorize(h) || factor.InverseTo(&inverse) != nil {
		return
	}
	for i := range t.steps {
		t.steps[i] = min(max(3*math.Sqrt(inverse.At(i, i)), difference/100), difference)
	}
}

// covariance of z: H⁻¹ (Jᵀ R⁻¹ C R⁻¹ J + 1) H⁻¹ with the residuals' covariance C.
func (t *hydraulicFitter) covariance(z []float64, run *hydraulicRun, j [2]*mat.Dense) (*mat.SymDense, error) {
	sigma := t.noise(run)
	h, _ := normal(j, run, z, sigma)
	m, n := len(z), len(t.Command)
	var factor mat.Cholesky
	if !factor.Factorize(h) {
		return nil, errors.New("the data do not fit the actuator: want a better first guess")
	}
	middle := mat.NewSymDense(m, nil)
	for i := range m {
		middle.SetSym(i, i, 1)
	}
	for c, r := range run.r {
		lags := correlations(r, t.least[c], min(n/5, int(correlatedS*t.RateHz)))
		coloured := mat.NewDense(m, n, nil)
		var wait sync.WaitGroup
		for i := range m {
			wait.Go(func() { weighted(coloured.RawRowView(i), j[c].RawRowView(i), lags) })
		}
		wait.Wait()
		for i := range m {
			for k := range i + 1 {
				sum := 0.0
				for l, v := range coloured.RawRowView(i) {
					sum += v * j[c].At(k, l)
				}
				middle.SetSym(i, k, middle.At(i, k)+sum/math.Pow(sigma[c], 4))
			}
		}
	}
	var inverse mat.SymDense
	if err := factor.InverseTo(&inverse); err != nil {
		return nil, fmt.Errorf("the data do not fit the actuator: %w: want a better first guess", err)
	}
	var left, full mat.Dense
	left.Mul(&inverse, middle)
	full.Mul(&left, &inverse)
	out := mat.NewSymDense(m, nil)
	for i := range m {
		for k := range i + 1 {
			out.SetSym(i, k, (full.At(i, k)+full.At(k, i))/2)
		}
	}
	return out, nil
}

// correlations are covariances of r with itself some lags later, with the weights of Bartlett. least is the least
// standard deviation.
func correlations(r []float64, least float64, lags int) []float64 {
	out := make([]float64, lags)
	for l := range out {
		sum := 0.0
		for k := l; k < len(r); k++ {
			sum += r[k] * r[k-l]
		}
		out[l] = sum / float64(len(r)) * (1 - float64(l)/float64(lags))
	}
	out[0] = max(out[0], least*least)
	return out
}

// weighted is the sum of v over all lags to both sides.
func weighted(to, v, lags []float64) {
	for k := range to {
		to[k] = lags[0] * v[k]
	}
	for l := 1; l < len(lags); l++ {
		for k := l; k < len(v); k++ {
			to[k] += lags[l] * v[k-l]
			to[k-l] += lags[l] * v[k]
		}
	}
}
