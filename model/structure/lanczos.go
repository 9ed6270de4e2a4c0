package structure

import (
	"errors"
	"math"
	"math/rand/v2"
	"rths/maths/portable"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
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
	passes := 0
	if want > 1 {
		passes = 1
	}
	l := newKrylov(n, passes, multiply)
	values, _ := l.largest(want, func([]float64) bool { return true })
	if len(values) < want || !(values[want-1] > 0) {
		return nil, errors.New("modes: the eigenvalue iteration did not converge")
	}
	return values, nil
}

// lanczosVectors finds at most want of the largest eigenvalues, above 0, and their vectors of
// unit length: fewer if the random first vector meets no more, as may be where eigenvalues are equal.
func lanczosVectors(n, want int, multiply func(y, x []float64)) (values []float64, vectors [][]float64, err error) {
	l := newKrylov(n, 2, multiply)
	values, done := l.largest(want, l.sharp)
	small := l.smallVectors(len(values))
	if !done || small == nil {
		return nil, nil, errors.New("modes: the eigenvalue iteration did not converge")
	}
	for j, v := range values {
		if !(v > float64(n)*epsilon*values[0]) {
			return values[:j], vectors, nil
		}
		vectors = append(vectors, l.combined(mat.Col(nil, j, small)))
	}
	return values, vectors, nil
}

// krylov is the state of Lanczos' method: a tridiagonal matrix and the vectors it belongs to.
type krylov struct {
	multiply      func(y, x []float64)
	passes        int // in which each vector is made orthogonal to all before; 0: these are not kept
	kept          [][]float64
	q, before, y  []float64
	diagonal, off []float64
	beta          float64
}

func newKrylov(n, passes int, multiply func(y, x []float64)) *krylov {
	r := rand.New(rand.NewPCG(1, 1))
	l := &krylov{multiply: multiply, passes: passes, q: make([]float64, n), before: make([]float64, n),
		y: make([]float64, n)}
	for i := range l.q {
		l.q[i] = r.NormFloat64()
	}
	scaleTo(l.q, 1/norm(l.q))
	return l
}

// largest iterates until the largest eigenvalues have settled and enough says that they are
// good enough, or until the vectors span all there is.
func (l *krylov) largest(want int, enough func(values []float64) bool) (values []float64, done bool) {
	var last []float64
	for m := 1; m <= lanczosMost; m++ {
		l.step()
		spanned := l.beta <= epsilon*math.Abs(l.diagonal[0]) || m == len(l.q) && l.passes > 0
		if m%lanczosStretch == 0 || spanned {
			last, values = values, largestOf(l.diagonal, l.off, min(want, m))
			if spanned || settled(values, last, want) && enough(values) {
				return values, true
			}
		}
		l.next()
	}
	return values, false
}

// step multiplies the newest vector.
func (l *krylov) step() {
	q, y := l.q, l.y
	l.multiply(y, q)
	alpha := inner(q, y)
	for i := range y {
		y[i] -= alpha*q[i] + l.beta*l.before[i]
	}
	if l.passes > 0 {
		l.kept = append(l.kept, append([]float64(nil), q...))
	}
	switch l.passes {
	case 1:
		for _, v := range l.kept {
			c := inner(v, y)
			for i := range y {
				y[i] -= c * v[i]
			}
		}
	case 2:
		takeOff(y, l.kept)
		takeOff(y, l.kept)
	}
	l.diagonal = append(l.diagonal, alpha)
	l.beta = norm(y)
}

// takeOff takes the parts along orthonormal vectors off y.
func takeOff(y []float64, vectors [][]float64) {
	for _, v := range vectors {
		floats.AddScaled(y, -portable.Dot(v, y), v)
	}
}

// next makes the product the newest vector.
func (l *krylov) next() {
	l.off = append(l.off, l.beta)
	l.before, l.q, l.y = l.q, l.y, l.before
	scaleTo(l.q, 1/l.beta)
}

// smallVectors are the eigenvectors of the tridiagonal matrix, those of its largest
// eigenvalues.
func (l *krylov) smallVectors(want int) *mat.Dense {
	m := len(l.diagonal)
	t := mat.NewSymDense(m, nil)
	for i, d := range l.diagonal {
		t.SetSym(i, i, d)
		if i > 0 {
			t.SetSym(i-1, i, l.off[i-1])
		}
	}
	var e mat.EigenSym
	if !e.Factorize(t, true) {
		return nil
	}
	var v mat.Dense
	e.VectorsTo(&v)
	out := mat.NewDense(m, want, nil)
	for j := range want {
		out.SetCol(j, mat.Col(nil, m-1-j, &v))
	}
	return out
}

// lanczosResidual is the residual of a vector that counts as an eigenvector, relative to its
// eigenvalue.
const lanczosResidual = 1e-9

// sharp reports whether the vectors have small residuals: β times the last entry each.
func (l *krylov) sharp(values []float64) bool {
	small := l.smallVectors(len(values))
	if small == nil {
		return false
	}
	for j, v := range values {
		if !(l.beta*math.Abs(small.At(len(l.diagonal)-1, j)) <= lanczosResidual*v) {
			return false
		}
	}
	return true
}

// combined is the sum of the kept vectors times the entries of x, of unit length.
func (l *krylov) combined(x []float64) []float64 {
	out := make([]float64, len(l.q))
	for i, c := range x {
		floats.AddScaled(out, c, l.kept[i])
	}
	scaleTo(out, 1/norm(out))
	return out
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
