package plant

import "math"

// leastPivot is that part of a diagonal below which a pivot counts as 0.
const leastPivot = 1e-12

// factorise replaces a symmetric positive definite matrix a, n×n by rows, of which the lower triangle is used, by its
// factor L of L Lᵀ. Not ok: it is none.
func factorise(a []float64, n int) (ok bool) {
	for i := range n {
		row := a[i*n : i*n+n]
		for j := range i + 1 {
			other := a[j*n : j*n+n]
			sum := row[j]
			for k := range j {
				sum -= row[k] * other[k]
			}
			if j < i {
				row[j] = sum / other[j]
				continue
			}
			if !(sum > leastPivot*row[i]) {
				return false
			}
			row[i] = math.Sqrt(sum)
		}
	}
	return true
}

// solveFactored replaces x by the solution of L Lᵀ y = x.
func solveFactored(l, x []float64) {
	n := len(x)
	for i := range n {
		for k := range i {
			x[i] -= l[i*n+k] * x[k]
		}
		x[i] /= l[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			x[i] -= l[k*n+i] * x[k]
		}
		x[i] /= l[i*n+i]
	}
}
