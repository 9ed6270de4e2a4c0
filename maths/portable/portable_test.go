package portable

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
)

func same(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

// On amd64 this package computes what the assembly there computes, to the bit.
func onlyOnAMD64(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("compares with the assembly for amd64")
	}
}

func TestSumsHaveTheOrderOfTheAssembly(t *testing.T) {
	onlyOnAMD64(t)
	r := rand.New(rand.NewPCG(1, 2))
	random := func(n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = r.NormFloat64() * math.Exp(5*r.NormFloat64())
		}
		return out
	}
	either := func(n int) bool { return r.IntN(n) > 0 }
	var theirs gonum.Implementation
	for range 4000 {
		n, incX, incY := r.IntN(70), 1+r.IntN(2), 1+r.IntN(2)
		x, y := random(n*incX+1), random(n*incY+1)
		if got, want := (BLAS{}).Ddot(n, x, incX, y, incY), theirs.Ddot(n, x, incX, y, incY); !same(got, want) {
			t.Fatalf("dot of %d in steps of %d and %d: %v: want %v", n, incX, incY, got, want)
		}
	}
	for k := range 3000 {
		size := 12
		if k%300 == 0 {
			size = 150 // blocks
		}
		m, n, l := 1+r.IntN(size), 1+r.IntN(size), 1+r.IntN(size)
		stride := max(m, n, l) + r.IntN(3)
		a, b, c := random(stride*stride), random(stride*stride), random(stride*stride)
		for i := range a {
			a[i] += math.Copysign(1, a[i]) // no pivot is small
		}
		alpha, beta := []float64{1, -1, r.NormFloat64()}[r.IntN(3)], []float64{0, 1, r.NormFloat64()}[r.IntN(3)]
		tA, tB, ul, side, d := blas.NoTrans, blas.Trans, blas.Upper, blas.Right, blas.NonUnit
		if !either(4) {
			tA, tB, side = blas.Trans, blas.NoTrans, blas.Left
		}
		if either(2) {
			ul = blas.Lower
		}
		if !either(3) {
			d = blas.Unit
		}
		incX, incY := []int{1, 1, -1}[r.IntN(3)], []int{1, 1, -1}[r.IntN(3)]
		for name, call := range map[string]func(blas.Float64, []float64){
			"Dgemv": func(f blas.Float64, c []float64) {
				f.Dgemv(tA, m, n, alpha, a, stride, b, incX, beta, c, incY)
			},
			"Dtrmv": func(f blas.Float64, c []float64) { f.Dtrmv(ul, tA, d, n, a, stride, c, incX) },
			"Dgemm": func(f blas.Float64, c []float64) {
				f.Dgemm(tA, tB, m, n, l, alpha, a, stride, b, stride, beta, c, stride)
			},
			"Dsyrk": func(f blas.Float64, c []float64) { f.Dsyrk(ul, tA, n, l, alpha, a, stride, beta, c, stride) },
			"Dtrsm": func(f blas.Float64, c []float64) {
				f.Dtrsm(side, ul, tB, d, m, n, alpha, a, stride, c, stride)
			},
			"Dtrmm": func(f blas.Float64, c []float64) {
				f.Dtrmm(side, ul, tB, d, m, n, alpha, a, stride, c, stride)
			},
		} {
			got, want := slices.Clone(c), slices.Clone(c)
			call(BLAS{}, got)
			call(theirs, want)
			if !slices.EqualFunc(got, want, same) {
				t.Fatalf("%s: m %d n %d k %d tA %c tB %c %c %c %c alpha %v beta %v inc %d %d: differs", name, m, n, l, tA, tB,
					ul, side, d, alpha, beta, incX, incY)
			}
		}
	}
}

// Elsewhere gonum takes its sums from here.
func TestGonumTakesTheSums(t *testing.T) {
	if _, ours := blas64.Implementation().(BLAS); ours == (runtime.GOARCH == "amd64") {
		t.Errorf("on %s gonum takes its sums from %T", runtime.GOARCH, blas64.Implementation())
	}
}

func TestExpAndPowHaveTheBitsOfAMD64(t *testing.T) {
	onlyOnAMD64(t)
	r := rand.New(rand.NewPCG(3, 4))
	exp := func(x float64) {
		got, want := Exp(x), math.Exp(x)
		if 709.4 < x && x <= 7.09782712893384e+02 { // Go's assembly gives +Inf already
			want = got
			if half := math.Exp(x / 2); !(math.Abs(got/half/half-1) < 1e-15) {
				t.Fatalf("exp(%v) = %v", x, got)
			}
		}
		if !same(got, want) {
			t.Fatalf("exp(%v) = %v: want %v", x, got, want)
		}
	}
	for _, x := range []float64{0, math.Copysign(0, -1), 1, -1, 709.0, 709.79, -745.1, -745.2, 1e300, -1e300, 5e-324,
		math.NaN(), math.Inf(1), math.Inf(-1)} {
		exp(x)
		for _, y := range []float64{0, 0.5, -0.5, 1, 1.5, 2, 0.3, -1.7, 1e6 + 0.3, math.NaN(), math.Inf(1), math.Inf(-1)} {
			if got, want := Pow(x, y), math.Pow(x, y); !same(got, want) {
				t.Errorf("%v to the power of %v = %v: want %v", x, y, got, want)
			}
		}
	}
	for range 500_000 {
		exp(math.Ldexp(2*r.Float64()-1, r.IntN(30)-19))
		exp(1416*r.Float64() - 707) // normal numbers
		x, y := math.Ldexp(r.Float64(), r.IntN(20)-10), 20*r.NormFloat64()
		if got, want := Pow(x, y), math.Pow(x, y); !same(got, want) {
			t.Fatalf("%v to the power of %v = %v: want %v", x, y, got, want)
		}
	}
}
