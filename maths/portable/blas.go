package portable

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
)

// BLAS is gonum's, with sums of products in the order of its assembly for amd64 on every processor. The other routines
// work on each element by itself, in one order everywhere.
type BLAS struct{ gonum.Implementation }

// first is the index of the first of n elements in steps of inc.
func first(n, inc int) int {
	if inc < 0 {
		return (1 - n) * inc
	}
	return 0
}

// Dot is the sum of products of as many numbers.
func Dot(x, y []float64) float64 { return blas64.Implementation().Ddot(len(x), x, 1, y, 1) }

// Ddot is the sum of n products x·y.
func (BLAS) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	if n > 0 && incX == 1 && incY == 1 {
		return dot(x[:n], y)
	}
	return dotInc(n, x, first(n, incX), incX, y, first(n, incY), incY)
}

// dot adds every fourth product into a sum of its own.
func dot(x, y []float64) float64 {
	y = y[:len(x)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(x); i += 4 {
		s0 += x[i] * y[i]
		s1 += x[i+1] * y[i+1]
		s2 += x[i+2] * y[i+2]
		s3 += x[i+3] * y[i+3]
	}
	for ; i < len(x); i++ {
		s0 += x[i] * y[i]
	}
	return (s0 + s2) + (s1 + s3)
}

// dotInc adds even and odd products apart.
func dotInc(n int, x []float64, ix, incX int, y []float64, iy, incY int) float64 {
	var even, odd float64
	for ; n >= 2; n -= 2 {
		even += x[ix] * y[iy]
		odd += x[ix+incX] * y[iy+incY]
		ix, iy = ix+2*incX, iy+2*incY
	}
	if n > 0 {
		odd += x[ix] * y[iy]
	}
	return odd + even
}

// Dgemv is y = alpha·A·x + beta·y. A row's even and odd products have sums of their own, and a last single product
// comes after both; in a last single row before.
func (b BLAS) Dgemv(t blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int,
	beta float64,
	y []float64, incY int) {
	if t != blas.NoTrans || m <= 0 || n <= 0 || alpha == 0 {
		b.Implementation.Dgemv(t, m, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	iy := first(m, incY)
	for i := range m {
		row, ix := a[i*lda:i*lda+n], first(n, incX)
		var even, odd float64
		for len(row) >= 2 {
			even += row[0] * x[ix]
			odd += row[1] * x[ix+incX]
			row, ix = row[2:], ix+2*incX
		}
		sum := even + odd
		switch {
		case len(row) > 0 && i+1 == m && m%2 == 1:
			sum = even + row[0]*x[ix] + odd
		case len(row) > 0:
			sum += row[0] * x[ix]
		}
		if beta == 0 {
			y[iy] = 0 // also where it is no number
		}
		y[iy] = beta*y[iy] + alpha*sum
		iy += incY
	}
}

// Dtrmv is x = A·x for a triangle A.
func (b BLAS) Dtrmv(ul blas.Uplo, t blas.Transpose, d blas.Diag, n int, a []float64, lda int, x []float64, incX int) {
	if t != blas.NoTrans || n <= 1 {
		b.Implementation.Dtrmv(ul, t, d, n, a, lda, x, incX)
		return
	}
	at, kx := func(i int) int { return first(n, incX) + i*incX }, first(n, incX)
	of := func(n int, row []float64, from int) float64 {
		if incX == 1 {
			return dot(row[:n], x[from:])
		}
		return dotInc(n, x, from, incX, row, 0, 1)
	}
	for k := range n {
		i := k
		if ul != blas.Upper {
			i = n - 1 - k
		}
		row, v := a[i*lda:i*lda+n], x[at(i)]
		if d == blas.NonUnit {
			v *= row[i]
		}
		if ul == blas.Upper {
			x[at(i)] = v + of(n-1-i, row[i+1:], min(at(i+1), len(x)))
		} else {
			x[at(i)] = v + of(i, row, kx)
		}
	}
}

// Dgemm is C = alpha·A·B + beta·C. With B transposed, large products are added in blocks of 64.
func (b BLAS) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, bb []float64, ldb int,
	beta float64, c []float64, ldc int) {
	const block, fewBlocks = 64, 4
	if tA != blas.NoTrans || tB == blas.NoTrans || m <= 0 || n <= 0 || k <= 0 || (alpha == 0 && beta == 1) {
		b.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, bb, ldb, beta, c, ldc)
		return
	}
	length := k
	if ((m+block-1)/block)*((n+block-1)/block) >= fewBlocks {
		length = block
	}
	for i := range m {
		for j := range n {
			to := &c[i*ldc+j]
			switch beta {
			case 0:
				*to = 0
			case 1:
			default:
				*to *= beta
			}
			for l := 0; l < k; l += length {
				end := min(k, l+length)
				*to += alpha * dot(a[i*lda+l:i*lda+end], bb[j*ldb+l:j*ldb+end])
			}
		}
	}
}

// Dsyrk is the triangle of C = alpha·A·Aᵀ + beta·C.
func (b BLAS) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64,
	c []float64, ldc int) {
	if t != blas.NoTrans || n <= 0 || k <= 0 || alpha == 0 {
		b.Implementation.Dsyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
		return
	}
	for i := range n {
		from, to := 0, i+1
		if ul == blas.Upper {
			from, to = i, n
		}
		for j := from; j < to; j++ {
			sum := alpha * dot(a[i*lda:i*lda+k], a[j*lda:j*lda+k])
			if beta != 0 {
				sum = c[i*ldc+j]*beta + sum
			}
			c[i*ldc+j] = sum
		}
	}
}

// Dtrsm solves X·Aᵀ = alpha·B for a triangle A; X comes in place of B.
func (b BLAS) Dtrsm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64,
	lda int, bb []float64, ldb int) {
	if s != blas.Right || t == blas.NoTrans || m <= 0 || n <= 0 || alpha == 0 {
		b.Implementation.Dtrsm(s, ul, t, d, m, n, alpha, a, lda, bb, ldb)
		return
	}
	for i := range m {
		x := bb[i*ldb : i*ldb+n]
		for l := range n {
			j, row := l, a[l*lda:]
			done := x[:l]
			if ul == blas.Upper {
				j = n - 1 - l
				row, done = a[j*lda+j+1:], x[j+1:]
			}
			v := alpha*x[j] - dot(done, row)
			if d == blas.NonUnit {
				v /= a[j*lda+j]
			}
			x[j] = v
		}
	}
}

// Dtrmm is B = alpha·B·Aᵀ for a triangle A.
func (b BLAS) Dtrmm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64,
	lda int, bb []float64, ldb int) {
	if s != blas.Right || t == blas.NoTrans || m <= 0 || n <= 0 || alpha == 0 {
		b.Implementation.Dtrmm(s, ul, t, d, m, n, alpha, a, lda, bb, ldb)
		return
	}
	for i := range m {
		x := bb[i*ldb : i*ldb+n]
		for l := range n {
			j, row, left := l, a[l*lda+min(l+1, lda):], x[l+1:]
			if ul != blas.Upper {
				j = n - 1 - l
				row, left = a[j*lda:], x[:j]
			}
			v := x[j]
			if d == blas.NonUnit {
				v *= a[j*lda+j]
			}
			x[j] = alpha * (v + dot(left, row))
		}
	}
}
