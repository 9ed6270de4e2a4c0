package study

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"rths/result/record"
)

// saltelliPoints is Saltelli's design for Sobol' indices (Saltelli et al. 2010): n points A, n points B,
// and for every variable i the points A with column i of B, n (k + 2) in all, in this order.
// A and B are halves of the same points of 2k variables.
func saltelliPoints(how Sampling, n, k int, seed uint64) ([][]float64, error) {
	if k < 1 || n < 2 || n > most/k/(k+2) {
		return nil, fmt.Errorf("%d points of %d variables: want 2 or more points and 1 or more variables, together at most "+
			"%d numbers", n, k, most)
	}
	both, err := Points(how, n, 2*k, seed)
	if err != nil {
		return nil, err
	}
	out := make([][]float64, 0, n*(k+2))
	for _, half := range []int{0, k} {
		for _, p := range both {
			out = append(out, p[half:half+k:half+k])
		}
	}
	for i := range k {
		for _, p := range both {
			ab := slices.Clone(p[:k])
			ab[i] = p[k+i]
			out = append(out, ab)
		}
	}
	return out, nil
}

// Index is an estimate with its bootstrap interval.
type Index struct{ Value, From, To float64 }

// MarshalJSON writes null for a number that is not finite: a resample may have no variance.
func (i Index) MarshalJSON() ([]byte, error) {
	return record.Row{{Key: "value", V: i.Value}, {Key: "from", V: i.From}, {Key: "to", V: i.To}}.MarshalJSON()
}

// SobolIndices are the first-order and total indices of every variable.
type SobolIndices struct{ First, Total []Index }

// bootstraps is the number of resamples of an interval; it holds 95 %.
const bootstraps = 1000

// sobolIndices estimates the indices of an output of the points of saltelliPoints, in their order, by
// the estimators of Jansen (1999):
//
//	S_i = 1 − Σ (f_B − f_ABi)²/(2n V),   T_i = Σ (f_A − f_ABi)²/(2n V)
//
// with V the variance of f over A and B. The intervals are the 2.5 and 97.5 % quantiles of resamples of
// the n points. A point whose run gave no number in A, B or any of its AB is left out, and
// counted.
func sobolIndices(f []float64, k int, seed uint64) (out SobolIndices, lost int, err error) {
	if k < 1 || len(f) == 0 || len(f)%(k+2) != 0 {
		return out, 0, fmt.Errorf("%d outputs: want n (k + 2) of a design of %d variables", len(f), k)
	}
	n := len(f) / (k + 2)
	var whole []int
	for j := range n {
		ok := true
		for b := range k + 2 {
			v := f[b*n+j]
			ok = ok && !math.IsNaN(v) && !math.IsInf(v, 0)
		}
		if ok {
			whole = append(whole, j)
		}
	}
	if len(whole) < 2 || 2*len(whole) < n {
		return out, n - len(whole),
			fmt.Errorf("%d of %d points have a number in all their %d runs: want half of them, and 2 or more", len(whole), n,
				k+2)
	}
	if constant(f, n, whole) {
		return out, n - len(whole), errors.New("all runs have the same value, and there is no variance to divide")
	}
	first, total := jansen(f, n, k, whole)
	firsts, totals := make([][]float64, k), make([][]float64, k)
	random := rand.New(rand.NewPCG(seed, 1))
	picked := make([]int, len(whole))
	for range bootstraps {
		for i := range picked {
			picked[i] = whole[random.IntN(len(whole))]
		}
		s, t := jansen(f, n, k, picked)
		for i := range k {
			firsts[i], totals[i] = append(firsts[i], s[i]), append(totals[i], t[i])
		}
	}
	for i := range k {
		out.First = append(out.First, interval(first[i], firsts[i]))
		out.Total = append(out.Total, interval(total[i], totals[i]))
	}
	return out, n - len(whole), nil
}

// constant reports whether the values of A and B differ by no more than rounding.
func constant(f []float64, n int, points []int) bool {
	least, largest := math.Inf(1), math.Inf(-1)
	for _, j := range points {
		least, largest = min(least, f[j], f[n+j]), max(largest, f[j], f[n+j])
	}
	return largest-least <= 1e-12*max(math.Abs(least), math.Abs(largest))
}

// jansen are both estimators over the points j.
func jansen(f []float64, n, k int, points []int) (first, total []float64) {
	mean, square := 0.0, 0.0
	for _, j := range points {
		mean += f[j] + f[n+j]
	}
	count := 2 * float64(len(points))
	mean /= count
	for _, j := range points {
		square += (f[j]-mean)*(f[j]-mean) + (f[n+j]-mean)*(f[n+j]-mean)
	}
	first, total = make([]float64, k), make([]float64, k)
	for i := range k {
		for _, j := range points {
			ab := f[(2+i)*n+j]
			first[i] += (f[n+j] - ab) * (f[n+j] - ab)
			total[i] += (f[j] - ab) * (f[j] - ab)
		}
		first[i], total[i] = 1-first[i]/square, total[i]/square // 2n V is square
	}
	return first, total
}

// interval has the 2.5 and 97.5 % quantiles of the resamples.
func interval(value float64, resamples []float64) Index {
	slices.Sort(resamples)
	last := float64(len(resamples) - 1)
	return Index{value, resamples[int(math.Floor(0.025*last))], resamples[int(math.Ceil(0.975*last))]}
}
