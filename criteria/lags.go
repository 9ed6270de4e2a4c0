package criteria

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// maxLag is the largest delay J1 looks for, in samples; minLag, a lead of one
// sample, is there for the sub-sample delay only.
const (
	maxLag = 49
	minLag = -1
	lags   = maxLag - minLag + 1
)

// block is how many samples are correlated at a time: one dot product per lag
// and block runs at a third of the cost of one multiplication per lag and sample.
const block = 256

// lagged correlates a signal y with a reference x at lags of −1 to 49 samples:
// for each lag L the Pearson coefficient of y[i+L] with x[i] over all i for
// which both exist, exactly as if both records had been kept. Like moments, it
// counts both signals from their first values.
type lagged struct {
	x      [maxLag + block]float64 // the reference, newest maxLag samples of the past first
	y      [1 + block]float64      // the signal, with its last sample of the past first
	n      int                     // samples in the present block
	total  int                     // samples so far
	cross  [lags]float64           // Σ y[i+L] x[i], of whole blocks; lag −1 first
	first  [maxLag]float64         // of y
	x0, y0 float64
}

func (l *lagged) add(x, y float64) {
	if l.total == 0 {
		l.x0, l.y0 = x, y
	}
	x, y = x-l.x0, y-l.y0
	if l.total < maxLag {
		l.first[l.total] = y
	}
	l.x[maxLag+l.n], l.y[1+l.n] = x, y
	l.n++
	l.total++
	if l.n == block {
		l.correlate(&l.cross)
		copy(l.x[:maxLag], l.x[block:])
		l.y[0] = l.y[block]
		l.n = 0
	}
}

// correlate adds the present block to the sums.
func (l *lagged) correlate(cross *[lags]float64) {
	vec := func(s []float64) blas64.Vector { return blas64.Vector{N: l.n, Inc: 1, Data: s} }
	cross[0] += blas64.Dot(vec(l.y[:l.n]), vec(l.x[maxLag:maxLag+l.n])) // y[i−1] x[i]
	y := vec(l.y[1 : 1+l.n])
	for lag := 0; lag <= maxLag; lag++ {
		cross[lag-minLag] += blas64.Dot(y, vec(l.x[maxLag-lag:maxLag-lag+l.n]))
	}
}

// settled is the part of a signal's sum of squares below which a variance is
// rounding: the samples a lag leaves are constant.
const settled = 1e-12

// pearson is the coefficient of every lag, NaN where one of the signals is
// constant; mx and my are the moments of all samples of x and y.
func (l *lagged) pearson(mx, my *moments) [lags]float64 {
	cross := l.cross
	l.correlate(&cross)
	var r [lags]float64
	for i := range r {
		sx, sxx, sy, syy := mx.sum, mx.square, my.sum, my.square
		lag := i + minLag
		for j := range min(lag, l.total) { // the first of y and the last of x have no partner
			y, x := l.first[j], l.past(j)
			sy, syy = sy-y, syy-y*y
			sx, sxx = sx-x, sxx-x*x
		}
		if lag < 0 { // the last of y and the first of x, which is 0
			y := l.y[l.n]
			sy, syy = sy-y, syy-y*y
		}
		n := float64(l.total) - math.Abs(float64(lag))
		vx, vy := sxx-sx*sx/n, syy-sy*sy/n
		r[i] = math.NaN()
		if vx > settled*mx.square && vy > settled*my.square {
			r[i] = (cross[i] - sx*sy/n) / math.Sqrt(vx*vy)
		}
	}
	return r
}

// past is the reference j samples before the newest.
func (l *lagged) past(j int) float64 { return l.x[maxLag+l.n-1-j] }

// delay returns the whole-sample delay (0 to 49) with the largest correlation,
// as the benchmark's code finds J1, and the sub-sample delay: the vertex of the
// parabola through the largest coefficient and its neighbours, from −1 up
// (less where the parabola, extrapolated, says so). NaN means that there is
// none: fewer than 103 samples, a constant signal, or a parabola without a top.
func (l *lagged) delay(mx, my *moments) (whole, fine float64) {
	if l.total <= 2*lags {
		return math.NaN(), math.NaN()
	}
	r := l.pearson(mx, my)
	best := -minLag
	for i := best; i < lags; i++ {
		if r[i] > r[best] {
			best = i
		}
	}
	if math.IsNaN(r[best]) {
		return math.NaN(), math.NaN()
	}
	at := min(best, lags-2)
	left, mid, right := r[at-1], r[at], r[at+1]
	fine = math.NaN()
	if bend := left - 2*mid + right; bend < 0 {
		fine = float64(at+minLag) + (left-right)/(2*bend)
	}
	return float64(best + minLag), fine
}

func (l *lagged) appendState(dst []float64) []float64 {
	dst = append(dst, float64(l.n), float64(l.total), l.x0, l.y0)
	dst = append(append(dst, l.x[:maxLag+l.n]...), l.y[:1+l.n]...)
	dst = append(dst, make([]float64, 2*(block-l.n))...) // of constant length
	return append(append(dst, l.cross[:]...), l.first[:]...)
}

func (l *lagged) setState(src []float64) []float64 {
	l.n, l.total, l.x0, l.y0 = int(src[0]), int(src[1]), src[2], src[3]
	src = src[4:]
	src = src[copy(l.x[:maxLag+l.n], src):]
	src = src[copy(l.y[:1+l.n], src):]
	src = src[2*(block-l.n):]
	src = src[copy(l.cross[:], src):]
	return src[copy(l.first[:], src):]
}
