package identify

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"rths/kit/rthstest"
)

// directFEI is the index of a window as its definition says: transforms of a Hann window
// that begins at the oldest block, summed over bins 1 to top.
func directFEI(d, x []float64, hz float64, top int) (amplitude, delayMs, coherence float64) {
	n := float64(len(d))
	var sum complex128
	var in, out, moment float64
	for k := 1; k <= top; k++ {
		var yi, yo complex128
		for j := range d {
			turn := cmplx.Rect(1-math.Cos(2*math.Pi*float64(j)/n), -2*math.Pi*float64(j*k)/n)
			yi += turn * complex(d[j], 0)
			yo += turn * complex(x[j], 0)
		}
		power := real(yi)*real(yi) + imag(yi)*imag(yi)
		sum += yo * cmplx.Conj(yi)
		in += power
		out += real(yo)*real(yo) + imag(yo)*imag(yo)
		moment += power * float64(k) * hz / n
	}
	fei := sum / complex(in, 0)
	return cmplx.Abs(fei), -1e3 * cmplx.Phase(fei) / (2 * math.Pi * moment / in), real(sum*cmplx.Conj(sum)) / (in * out)
}

// At any rate the index follows its definition: blocks at about 128 Hz, 2 s and at least 8
// blocks of them, 0.5 to 20 Hz as far as the blocks go. It is new every 8 blocks from the
// first full window on, unless a quarter of coherence is missing.
func TestIndexIsItsDefinition(t *testing.T) {
	for _, c := range []struct {
		rate        float64
		every, n    int
		top         int
		noise, lag  float64
		least, most int // indices taken and left
	}{
		{100, 1, 200, 40, 0, 2, 10, 0}, {512, 4, 256, 40, 0, 3, 10, 0}, {1000, 8, 250, 40, 0, 9, 10, 0},
		{4096, 32, 256, 40, 0, 9, 10, 0},
		{30, 1, 60, 28, 0, 1, 5, 0}, {4, 1, 8, 2, 0, 1, 5, 0}, {1, 1, 8, 2, 0, 1, 5, 0},
		{200, 2, 200, 40, 0.5, 1, 5, 10}, {4, 1, 8, 2, 1.5, 1, 10, 5},
	} {
		s := NewRunningIndex(c.rate, 2)
		r := rand.New(rand.NewPCG(17, 1))
		d := rthstest.Slow(r, max(c.rate, 30), (c.n+max(100, 8*c.least+24*c.most))*c.every)
		x := slices.Clone(d)
		for i := range x {
			x[i] = 0.7*d[max(0, i-int(c.lag))] + c.noise*r.NormFloat64()
		}
		hz := c.rate / float64(c.every)
		var blocksD, blocksX []float64
		taken, left, amplitude, delay := 0, 0, 0.0, 0.0
		for i := range d {
			full, _ := s.Add(d[i], x[i])
			if full != ((i+1)%c.every == 0) {
				t.Fatalf("%g Hz: sample %d: block full: %v", c.rate, i, full)
			}
			if !full {
				continue
			}
			sumD, sumX := 0.0, 0.0
			for j := range c.every {
				sumD += d[i-j]
				sumX += x[i-j]
			}
			blocksD, blocksX = append(blocksD, sumD/float64(c.every)), append(blocksX, sumX/float64(c.every))
			if b := len(blocksD); b >= c.n && b%8 == 0 {
				a, ms, coherence := directFEI(blocksD[b-c.n:], blocksX[b-c.n:], hz, c.top)
				if math.Abs(coherence-0.25) < 1e-9 {
					continue
				}
				if coherence > 0.25 {
					amplitude, delay = a, ms
					taken++
				} else {
					left++
				}
			}
			if s.Found() != (taken > 0) {
				t.Fatalf("%g Hz: block %d: found %v: want %v", c.rate, len(blocksD), s.Found(), taken > 0)
			}
			if !s.Found() {
				continue
			}
			gotAmplitude := math.Hypot(s.Re, s.Im) / s.Weight
			gotDelay := -1e3 * math.Atan2(s.Im, s.Re) / (2 * math.Pi * s.FEq)
			if !(math.Abs(gotAmplitude-amplitude) <= 1e-8) || !(math.Abs(gotDelay-delay) <= 1e-6*(1+math.Abs(delay))) {
				t.Fatalf("%g Hz: block %d: amplitude %.12g, delay %.12g ms: want %.12g, %.12g", c.rate, len(blocksD),
					gotAmplitude, gotDelay, amplitude, delay)
			}
		}
		if taken < c.least || left < c.most {
			t.Errorf("%g Hz: %d indices taken, %d left: want at least %d and %d", c.rate, taken, left, c.least, c.most)
		}
	}
}

// The sliding transform is the transform of the window: after a long run its bins equal a direct sum, to rounding.
func TestSlidingTransformDoesNotDrift(t *testing.T) {
	s := NewRunningIndex(512, 2)
	r := rand.New(rand.NewPCG(5, 5))
	for range 200_000 {
		s.Add(r.NormFloat64(), r.NormFloat64())
	}
	n := len(s.d)
	for k := range s.dRe {
		re, im := 0.0, 0.0
		for m := range n {
			re += s.d[m] * s.cos[k*m%n]
			im += s.d[m] * s.sin[k*m%n]
		}
		if d := math.Hypot(re-s.dRe[k], im-s.dIm[k]); d > 1e-10 {
			t.Errorf("bin %d differs by %g", k, d)
		}
	}
}

// Of a sine with whole periods in the window, the mean square is its own, and the window has its length.
func TestMeanSquareOfASine(t *testing.T) {
	for _, rate := range []float64{128, 1024, 4096} {
		s := NewRunningIndex(rate, 3)
		for k := range int(5 * rate) {
			x := 2e-3 * math.Sin(2*math.Pi*4*float64(k)/rate)
			s.Add(x, 0.5*x)
		}
		if got := s.MeanSquare(); math.Abs(got-2e-6) > 0.01*2e-6 || math.Abs(s.WindowS()-3) > 1e-9 ||
			math.Abs(s.StepS()-1./16) > 1e-9 {
			t.Errorf("%g Hz: mean square %g m², window %g s, step %g s: want 2e-6, 3, 1/16", rate, got, s.WindowS(), s.StepS())
		}
	}
}
