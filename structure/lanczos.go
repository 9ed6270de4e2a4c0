package structure

import (
	"errors"
	"math"
	"math/rand/v2"
)

// The iteration is over when the eigenvalues wanted have not grown by more than
// lanczosChange, relative, in lanczosStretch steps.
const (
	lanczosChange  = 1e-14
	lanczosStretch = 10
	lanczosMost    = 2000
)

// lanczos finds the largest eigenvalues of a symmetric matrix that is known by
// its products only, largest first (Golub and Van Loan, Matrix Computations,
// ch. 10). For more than one eigenvalue every new vector is made orthogonal to all
// before, so that no eigenvalue is found twice. The first vector is random, from a fixed
// seed.
func lanczos(n, want int, multiply func(y, x []float64)) ([]float64, error) {
	r := rand.New(rand.NewPCG(1, 1))
	q, before, y := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range q {
		q[i] = r.NormFloat64()
	}
	scaleTo(q, 1/norm(q))
	var kept [][]float64
	var diagonal, off, values, last []float64 // of the tridiagonal matrix
	beta := 0.0
	for m := 1; m <= lanczosMost; m++ {
		multiply(y, q)
		alpha := inner(q, y)
		for i := range y {
			y[i] -= alpha*q[i] + beta*before[i]
		}
		if want > 1 {
			kept = append(kept, append([]float64(nil), q...))
			for _, v := range kept {
				c := inner(v, y)
				for i := range y {
					y[i] -= c * v[i]
				}
			}
		}
		diagonal = append(diagonal, alpha)
		beta = norm(y)
		done := beta <= epsilon*math.Abs(diagonal[0]) || m == n && want > 1 // the vectors span all there is
		if m%lanczosStretch == 0 || done {
			last, values = values, largestOf(diagonal, off, min(want, m))
			if done || settled(values, last, want) {
				break
			}
		}
		off = append(off, beta)
		before, q, y = q, y, before
		scaleTo(q, 1/beta)
	}
	if len(values) < want || !(values[want-1] > 0) {
		return nil, errors.New("modes: the eigenvalue iteration did not converge")
	}
	return values, nil
}

func settled(values, last []float64, want int) bool {
	if len(last) < want {
		return false
	}
	for i, v := range values {
		if !(math.Abs(v-last[i]) <= lanczosChange*math.Abs(v)) {
			return false
		}
	}
	return true
}

// largestOf are the largest eigenvalues of a symmetric tridiagonal matrix, by
// bisection with Sturm's count.
func largestOf(diagonal, off []float64, want int) []float64 {
	bound := 0.0 // Gershgorin
	for i, d := range diagonal {
		sum := math.Abs(d)
		if i > 0 {
			sum += math.Abs(off[i-1])
		}
		if i < len(off) {
			sum += math.Abs(off[i])
		}
		bound = max(bound, sum)
	}
	out := make([]float64, want)
	for k := range out {
		low, high := -bound, bound
		for {
			mid := (low + high) / 2
			if !(mid > low && mid < high) {
				break
			}
			if above(diagonal, off, mid) > k {
				low = mid
			} else {
				high = mid
			}
		}
		out[k] = high
	}
	return out
}

// above is the number of eigenvalues above x.
func above(diagonal, off []float64, x float64) int {
	count, d := 0, 1.0
	for i, a := range diagonal {
		square := 0.0
		if i > 0 {
			square = off[i-1] * off[i-1]
		}
		if d == 0 {
			d = math.SmallestNonzeroFloat64 / epsilon
		}
		if d = a - x - square/d; d > 0 {
			count++
		}
	}
	return count
}

func inner(x, y []float64) (sum float64) {
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}

func norm(x []float64) float64 { return math.Sqrt(inner(x, x)) }

func scaleTo(x []float64, f float64) {
	for i := range x {
		x[i] *= f
	}
}
