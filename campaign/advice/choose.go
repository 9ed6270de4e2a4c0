package advice

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Score is how a candidate has done in some trials.
type Score struct {
	N        int
	Failures int     // runs that have failed or break a constraint
	Valued   int     // runs with a J2_true
	P90      float64 // 90th percentile of J2_true, %, of the runs that have one; +Inf: none
	Median   float64
}

// share of the runs that the score is a bound for.
const share = 0.9

// score is the score of some trials.
func score(trials []Trial) Score {
	s := Score{N: len(trials)}
	var j2 []float64
	for i := range trials {
		if trials[i].Why != "" {
			s.Failures++
		}
		if !math.IsNaN(trials[i].J2) {
			j2 = append(j2, trials[i].J2)
		}
	}
	slices.Sort(j2)
	s.Valued = len(j2)
	s.P90, s.Median = percentile(j2, share), percentile(j2, 0.5)
	return s
}

// percentile of sorted values, between the two next to (n − 1) p; +Inf of none.
func percentile(x []float64, p float64) float64 {
	if len(x) == 0 {
		return math.Inf(1)
	}
	at := p * float64(len(x)-1)
	below := int(at)
	if below == len(x)-1 {
		return x[below]
	}
	return x[below] + (at-float64(below))*(x[below+1]-x[below])
}

// compare puts the smaller share of failures first, then the larger share of runs with a J2_true, so
// that no method gains by losing its hard runs, then the smaller score.
func (s Score) compare(t Score) int {
	return cmp.Or(cmp.Compare(s.Failures*t.N, t.Failures*s.N), cmp.Compare(t.Valued*s.N, s.Valued*t.N),
		cmp.Compare(s.P90, t.P90))
}

// ranked are the candidates in order of a stream, equals by their names and values.
func ranked(of []*Candidate, stream int) []*Candidate {
	out, scores := slices.Clone(of), map[*Candidate]Score{}
	for _, c := range of {
		scores[c] = score(c.trials[stream])
	}
	slices.SortFunc(out, func(c, d *Candidate) int {
		return cmp.Or(scores[c].compare(scores[d]), cmp.Compare(c.Name(), d.Name()), slices.Compare(c.Values, d.Values))
	})
	return out
}

// preferred is the first choice of some candidates by the stream selecting: the best score of those
// whose share of failures may be the smallest. Those that tie with it are as good, but for those that
// lose most conditions to the smallest median: of them a method that does not adapt comes first, then
// the smoother command, then the larger delay margin.
func (a *Advice) preferred(of []*Candidate) *Candidate {
	sound := a.tied(ranked(of, selecting), failuresAt)
	tied := sortedBy(a.tied(sortedBy(sound, func(c *Candidate) float64 { return j2At(c.trials[selecting]) }), j2At),
		medianAt)
	tied = slices.DeleteFunc(tied, func(c *Candidate) bool { return wins(tied[0], c) })
	if still := slices.DeleteFunc(slices.Clone(tied),
		func(c *Candidate) bool { return c.Method.Adaptive }); len(still) > 0 {
		tied = still
	}
	smooth := a.tied(sortedBy(tied, func(c *Candidate) float64 { return roughAt(c.trials[selecting]) }), roughAt)
	return sortedBy(smooth, func(c *Candidate) float64 { return -orZero(c.MarginS) })[0]
}

func sortedBy(of []*Candidate, by func(*Candidate) float64) []*Candidate {
	out := slices.Clone(of)
	slices.SortStableFunc(out, func(c, d *Candidate) int { return cmp.Compare(by(c), by(d)) })
	return out
}

func orZero(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return x
}

// medianAt is the median of J2_true in the stream selecting, +Inf of none.
func medianAt(c *Candidate) float64 { return score(c.trials[selecting]).Median }

// wins reports whether c has the smaller J2_true than d in so many conditions of the stream selecting that chance
// would do it in 2.5 % of cases at most (sign test). Conditions in which one of them has none do not count.
func wins(c, d *Candidate) bool {
	x, y := c.trials[selecting], d.trials[selecting]
	won, lost := 0, 0
	for i := range min(len(x), len(y)) {
		switch {
		case x[i].J2 < y[i].J2:
			won++
		case x[i].J2 > y[i].J2:
			lost++
		}
	}
	return tail(won, won+lost) <= 0.025
}

// tail is the probability of at least k heads of n coins.
func tail(k, n int) (p float64) {
	for i := k; i <= n; i++ {
		p += math.Exp(choices(n, i) - float64(n)*math.Ln2)
	}
	return p
}

// tied are the candidates that may be as good as the first: 0 lies in the 95 % interval of the
// difference of a statistic.
func (a *Advice) tied(of []*Candidate, at func([]Trial) float64) (out []*Candidate) {
	for i, c := range of {
		if from, to := a.difference(c.trials[selecting], of[0].trials[selecting], at); i == 0 || from <= 0 && to >= 0 {
			out = append(out, c)
		}
	}
	return out
}

// tie says why the winner comes before another candidate that may be as good; "": it is no tie.
func (a *Advice) tie(c *Candidate) string {
	w := a.Winner
	if w == nil || len(a.tied([]*Candidate{w, c}, failuresAt)) < 2 || len(a.tied([]*Candidate{w, c}, j2At)) < 2 ||
		wins(w, c) || wins(c, w) {
		return ""
	}
	switch {
	case !w.Method.Adaptive && c.Method.Adaptive:
		return " (a tie in the selection; the recommended method does not adapt)"
	case roughAt(w.trials[selecting]) < roughAt(c.trials[selecting]):
		return " (a tie in the selection; the recommended method has the smoother command)"
	}
	return " (a tie in the selection)"
}

// failuresAt is the share of the trials that have failed.
func failuresAt(trials []Trial) float64 {
	s := score(trials)
	return float64(s.Failures) / float64(max(1, s.N))
}

func j2At(trials []Trial) float64 { return score(trials).P90 }

// roughAt is the median roughness, µm.
func roughAt(trials []Trial) float64 {
	return median(trials, func(t *Trial) float64 { return t.Rough })
}

// median of a value of the trials that have one; NaN: none.
func median(trials []Trial, of func(*Trial) float64) float64 {
	var x []float64
	for i := range trials {
		if v := of(&trials[i]); !math.IsNaN(v) {
			x = append(x, v)
		}
	}
	if len(x) == 0 {
		return math.NaN()
	}
	slices.Sort(x)
	return percentile(x, 0.5)
}

// resamples of a bootstrap.
const resamples = 2000

// difference is the 95 % interval of the difference of a statistic of two candidates under the same
// conditions, x less y, by the paired bootstrap: conditions are drawn with replacement, the
// same for both.
func (a *Advice) difference(x, y []Trial, of func([]Trial) float64) (from, to float64) {
	n := min(len(x), len(y))
	r := rand.New(rand.NewPCG(a.Seed, bootstrapStream))
	p, q, d := make([]Trial, n), make([]Trial, n), make([]float64, resamples)
	for k := range d {
		for i := range n {
			at := r.IntN(n)
			p[i], q[i] = x[at], y[at]
		}
		d[k] = of(p) - of(q)
		if math.IsNaN(d[k]) { // neither has one
			d[k] = 0
		}
	}
	slices.Sort(d)
	return percentile(d, 0.025), percentile(d, 0.975)
}

// bootstrapStream keeps the draws of the bootstrap apart from others with the same seed.
const bootstrapStream = 18

// interval is where the score of as many further runs lies with 95 %, whatever the distribution:
// between two of the values, by the ranks of one sample in another of the same size
// (David and Nagaraja 2003, section 7.3). NaN and +Inf: so few runs say no lower or upper end.
func interval(trials []Trial) (from, to float64) {
	var x []float64
	for i := range trials {
		if v := trials[i].J2; !math.IsNaN(v) {
			x = append(x, v)
		}
	}
	n := len(x)
	if n == 0 {
		return math.NaN(), math.Inf(1)
	}
	slices.Sort(x)
	at := share * float64(n-1) // the score lies between the values at, counted from 0
	low, high := int(math.Floor(at))+1, int(math.Ceil(at))+1
	from, to = math.NaN(), math.Inf(1)
	for i, p := range above(low, n) { // the largest i with P(Y_low < x_i) ≤ 2.5 %
		if 1-p <= 0.025 {
			from = x[i]
		}
	}
	for i, p := range above(high, n) { // the least i with P(Y_high > x_i) ≤ 2.5 %
		if p <= 0.025 {
			to = x[i]
			break
		}
	}
	return from, to
}

// above are the probabilities that value k, counted from 1, of a second sample of n lies above
// value 1, 2, … n of the first: at least so many of the first sample are below it.
func above(k, n int) []float64 {
	out, sum := make([]float64, n), 0.0
	for i := n; i >= 1; i-- {
		sum += math.Exp(choices(i+k-1, i) + choices(2*n-i-k, n-i) - choices(2*n, n))
		out[i-1] = sum
	}
	return out
}

// choices is the logarithm of n over k.
func choices(n, k int) float64 {
	of := func(n int) float64 { v, _ := math.Lgamma(float64(n) + 1); return v }
	return of(n) - of(k) - of(n-k)
}
