package signal

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"
)

// The transform is gonum's to the bit, both ways.
func TestFFTIsGonums(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("products and sums may be fused here, in each transform others")
	}
	r := rand.New(rand.NewPCG(7, 1))
	for size := 1; size <= 1<<15; size *= 2 {
		for _, n := range []int{size, 3 * size} {
			x := make([]complex128, n)
			for i := range x {
				x[i] = complex(r.NormFloat64(), r.NormFloat64())
			}
			f, g := newFFT(n), fourier.NewCmplxFFT(n)
			for sign, want := range map[float64][]complex128{-1: g.Coefficients(nil, x), 1: g.Sequence(nil, x)} {
				if got, _ := f.of(slices.Clone(x), make([]complex128, n), sign); !slices.Equal(got, want) {
					t.Errorf("%d numbers, sign %g: another transform than gonum's", n, sign)
				}
			}
		}
	}
}

func BenchmarkFFT(b *testing.B) {
	f, x, spare := newFFT(1<<21), make([]complex128, 1<<21), make([]complex128, 1<<21)
	for b.Loop() {
		x, spare = f.of(x, spare, -1)
	}
}
