package ground

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/dsp/fourier"
)

// stream is the random stream "ground" of a scenario's seed. Other consumers
// have streams of their own, so that none shifts another's numbers.
func stream(seed uint64) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte("ground"))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// gaussian fills a with a stationary Gaussian process of zero mean, sampled
// with step dt (s), whose one-sided spectral density at the frequency f (Hz)
// is density(f), in (m/s²)²/Hz. It returns how many frequencies were above zero.
//
// Spectral representation with random amplitudes (Shinozuka & Deodatis 1991,
// doi:10.1115/1.3119501, in the Gaussian form of Rice 1944):
//
//	a(t) = Σ_k √(G(f_k) Δf) (X_k cos 2πf_k t + Y_k sin 2πf_k t), X, Y ~ N(0, 1)
//
// summed by FFT over a period of at least twice the length of a, so that its
// end is not correlated with its beginning. Nothing is aliased: the density
// ends below the Nyquist frequency.
func gaussian(a []float64, dt float64, density func(hz float64) float64, rng *rand.Rand) (lines int) {
	n := 2
	for n < 2*len(a) {
		n *= 2
	}
	df := 1 / (float64(n) * dt)
	c := make([]complex128, n/2+1) // mean and Nyquist frequency stay zero
	for k := 1; k < n/2; k++ {
		x, y := rng.NormFloat64(), rng.NormFloat64() // drawn for all, so that a band does not shift its neighbour
		g := density(float64(k) * df)
		if g > 0 {
			lines++
		}
		s := 0.5 * math.Sqrt(g*df)
		c[k] = complex(s*x, -s*y)
	}
	copy(a, fourier.NewFFT(n).Sequence(nil, c))
	return lines
}
