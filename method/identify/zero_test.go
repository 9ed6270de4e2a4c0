package identify

import (
	"math"
	"math/rand/v2"
	"testing"

	"rths"
)

// At rest the offset is the mean of the readings, and its error that of a mean of independent ones.
func TestZeroIsTheMeanAtRest(t *testing.T) {
	const sd, n = 5e-6, 4000
	for _, offset := range []float64{0, 1e-3, -3e-3} {
		z, r, read := NewZero(true, sd), rand.New(rand.NewPCG(1, 2)), rths.NewReading(1, 0)
		sum := 0.0
		for range n {
			x := offset + sd*r.NormFloat64()
			sum += x
			z.Of(x, 0, &read)
		}
		if off := z.offset - sum/n; math.Abs(off) > 1e-3*sd+1e-9 {
			t.Errorf("offset %g m: the estimate is %g m off the mean", offset, off)
		}
		if want := sd / math.Sqrt(n); math.Abs(math.Sqrt(z.p)-want) > 0.01*want {
			t.Errorf("offset %g m: standard error %g m: want %g", offset, math.Sqrt(z.p), want)
		}
	}
}

// A motion that grows for a second, with a fifth of a period of lag, moves the offset by less than the noise; old
// readings do not count; off, a reading passes.
func TestZeroStaysInMotion(t *testing.T) {
	const rate, sd = 1024.0, 5e-6
	z, read := NewZero(true, sd), rths.NewReading(1, 0)
	for range int(rate) {
		z.Of(1e-3, 0, &read)
	}
	for k := range int(20 * rate) {
		motion := func(at float64) float64 { return 5e-3 * min(1, max(0, at)) * math.Sin(2*math.Pi*3*at) }
		at := float64(k) / rate
		z.Of(1e-3+motion(at-0.2/3), motion(at), &read)
	}
	if off := math.Abs(z.offset - 1e-3); off > sd {
		t.Errorf("offset after motion %g m off", off)
	}
	before := z
	read.Age = 1
	if got := z.Of(0.7, 0, &read); math.Abs(got-(0.7-1e-3)) > sd || z != before {
		t.Errorf("an old reading gives %g m and changed the estimate", got)
	}
	none := NewZero(false, sd)
	if got := none.Of(0.7, 0, &read); got != 0.7 {
		t.Errorf("off: %g m", got)
	}
	for _, bad := range []float64{math.Inf(1), math.NaN()} {
		read.Age = 0
		z.Of(0, bad, &read)
		if !rths.Finite(z.offset) {
			t.Errorf("target %g: offset %g m", bad, z.offset)
		}
	}
}
