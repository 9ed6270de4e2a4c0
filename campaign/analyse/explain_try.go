package analyse

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// attempt is one knob more at several values.
type attempt struct {
	from   *explainFit
	slopes *mat.Dense // of the knobs before
	knob   int
	at     []*explainFit // by the value
}

// oneMore is a fit with one knob more that leaves clearly less; nil: there is none. Of all knobs at some values, those
// three that promise to leave least are tried at values between. The first one, and others that promise enough, are
// fitted.
func (f *explainFit) oneMore() (*explainFit, error) {
	fresh := *f // the fitted numbers may have made up for what is tried
	fresh.at.DelayS, fresh.at.RatedFlow, fresh.at.BulkModulus = f.WireS, f.Rehearsed.RatedFlow, f.Rehearsed.BulkModulus
	fresh.at.CoulombForce, fresh.at.StaticForce = f.Rehearsed.CoulombForce, f.Rehearsed.StaticForce
	var err error
	if fresh.run, err = fresh.follow(&fresh.at, f.commands); err != nil {
		return nil, err
	}
	var all []*attempt
	for _, from := range []*explainFit{f, &fresh} {
		all = append(all, from.attempts()...)
	}
	slices.SortStableFunc(all, func(a, b *attempt) int { return cmp.Compare(a.best().promise, b.best().promise) })
	var promising []*attempt
	for _, a := range all {
		known := slices.ContainsFunc(promising, func(o *attempt) bool { return o.knob == a.knob })
		if len(promising) < mostTrials && !known {
			promising = append(promising, a)
		}
	}
	var next []*explainFit
	for i, a := range promising {
		for range closer {
			a.try(a.between())
		}
		if best := a.best(); i == 0 || best.promise < hope*rms(f.run.r) {
			next = append(next, best)
		}
	}
	together(next, func(t *explainFit) error {
		if run, err := t.follow(&t.relaxed, t.commands); err == nil && rms(run.r) < rms(t.run.r) {
			t.at, t.run = t.relaxed, run
		}
		t.descend(raceRounds)
		return nil
	})
	var best *explainFit
	for _, t := range next {
		if left := rms(t.run.r) / rms(f.run.r); left*left < worthIt && (best == nil || rms(t.run.r) < rms(best.run.r)) {
			best = t
		}
	}
	if best != nil {
		best.descend(nextRounds)
	}
	return best, nil
}

// attempts are one with each knob that is not used yet and that the commands may show.
func (f *explainFit) attempts() (out []*attempt) {
	j := f.slopes()
	for i, k := range knobs {
		if k.trials == nil || slices.Contains(f.used, i) {
			continue
		}
		a := &attempt{from: f, slopes: j, knob: i}
		if a.try(k.trials(f)); a.best() != nil {
			out = append(out, a)
		}
	}
	return out
}

// try follows the commands with more values of the knob.
func (a *attempt) try(values []float64) {
	k := &knobs[a.knob]
	for _, v := range values {
		t := *a.from
		t.used, t.promise, t.run = append(slices.Clone(t.used), a.knob), math.Inf(1), nil
		*k.of(&t.at) = v
		t.complete(&t.at)
		t.relaxed = t.at
		a.at = append(a.at, &t)
	}
	together(a.at[len(a.at)-len(values):], func(t *explainFit) (err error) {
		if t.run, err = t.follow(&t.at, t.commands); err == nil {
			t.relax(a.slopes)
		}
		return err
	})
	slices.SortFunc(a.at, func(x, y *explainFit) int { return cmp.Compare(*k.of(&x.at), *k.of(&y.at)) })
}

// best is the attempt that promises to leave least; nil: none follows the commands.
func (a *attempt) best() (best *explainFit) {
	for _, t := range a.at {
		if t.run != nil && (best == nil || t.promise < best.promise) {
			best = t
		}
	}
	return best
}

// between are the values in the middle between the best one and its neighbours.
func (a *attempt) between() (values []float64) {
	k := &knobs[a.knob]
	i := slices.Index(a.at, a.best())
	for _, o := range []int{i - 1, i + 1} {
		if o < 0 || o >= len(a.at) {
			continue
		}
		x, y := *k.of(&a.at[i].at), *k.of(&a.at[o].at)
		if k.added {
			values = append(values, (x+y)/2)
		} else {
			values = append(values, math.Sqrt(x*y))
		}
	}
	return values
}

// relax finds where the knobs before the newest one, whose derivatives are known, promise to leave least.
func (f *explainFit) relax(j *mat.Dense) {
	m, n := j.Dims()
	sigma := max(rms(f.run.r), 1e-12)
	h, g := mat.NewSymDense(m, nil), mat.NewVecDense(m, nil)
	h.SymOuterK(1/(sigma*sigma), j)
	r := mat.NewVecDense(n, slices.Clone(f.run.r))
	g.MulVec(j, r)
	g.ScaleVec(1/(sigma*sigma), g)
	for i := range m {
		h.SetSym(i, i, h.At(i, i)+unseen*float64(n))
	}
	step, ok := boxed(h, g, 0)
	if !ok {
		return
	}
	var taken mat.VecDense
	taken.MulVec(j.T(), mat.NewVecDense(m, step))
	r.SubVec(r, &taken)
	f.promise = rms(r.RawVector().Data)
	f.relaxed = f.moved(append(step, 0))
}

// boxed is a damped step of Gauss and Newton no component of which is larger than 1: the largest one stops there, and
// the others are found again.
func boxed(h *mat.SymDense, g *mat.VecDense, lambda float64) ([]float64, bool) {
	m := g.Len()
	step := make([]float64, m)
	free := make([]int, m)
	for i := range free {
		free[i] = i
	}
	for len(free) > 0 {
		a, b := mat.NewSymDense(len(free), nil), mat.NewVecDense(len(free), nil)
		for p, i := range free {
			rest := g.AtVec(i)
			for k, s := range step {
				if !slices.Contains(free, k) {
					rest -= h.At(i, k) * s
				}
			}
			b.SetVec(p, rest)
			for q, k := range free[:p+1] {
				a.SetSym(p, q, h.At(i, k))
			}
			a.SetSym(p, p, h.At(i, i)*(1+lambda))
		}
		var factor mat.Cholesky
		var found mat.VecDense
		if !factor.Factorize(a) || factor.SolveVecTo(&found, b) != nil {
			return nil, false
		}
		far := 0
		for p, i := range free {
			step[i] = found.AtVec(p)
			if math.Abs(step[i]) > math.Abs(step[free[far]]) {
				far = p
			}
		}
		if i := free[far]; math.Abs(step[i]) > 1 {
			step[i] = math.Copysign(1, step[i])
			free = slices.Delete(free, far, far+1)
			continue
		}
		break
	}
	return step, true
}
