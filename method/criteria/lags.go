package criteria

import (
	"math"
	"rths/maths/portable"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"rths"
)

// maxLag is the largest delay J1 looks for, in samples; minLag, a lead of one
// sample, is there for the sub-sample delay only.
const (
	maxLag = 49
	minLag = -1
	lags   = maxLag - minLag + 1
)

// block is how many samples are correlated at a time: rows matrix rows at each
// of stride offsets (see correlate).
const (
	stride = lags + 1 // a multiple of four
	rows   = 16
	block  = rows * stride
)

// lagged correlates one or two signals y with a reference x at lags of −1 to 49 samples:
// for each lag L the Pearson coefficient of y[i+L] and x[i] over all i with both, exactly
// as from whole records. Like moments it subtracts the first values.
type lagged struct {
	x     [past + block]float64 // the reference, newest samples of the past first
	n     int                   // samples in the present block
	total int                   // samples so far
	x0    float64
	of    []correlated
}

// past is how many samples before the block the reference reaches: y begins with
// the last one before it, which meets references up to maxLag earlier.
const past = maxLag + 1

// correlated has the sums and past samples of a signal.
type correlated struct {
	y           [1 + block]float64 // with its last sample of the past first
	y0          float64
	first       [maxLag]float64
	sum, square float64       // of whole blocks
	cross       [lags]float64 // Σ y[i+L] x[i], of whole blocks; lag 49 first
}

func newLagged(signals int) lagged { return lagged{of: make([]correlated, signals)} }

// add takes a sample of the reference, of the first signal and of the second,
// if there is one.
func (l *lagged) add(x, y, z float64) {
	if l.total < maxLag {
		l.begin(x, []float64{y, z}[:len(l.of)])
	}
	n, of := l.n, l.of
	l.x[past+n] = x - l.x0
	of[0].y[1+n] = y - of[0].y0
	if len(of) > 1 {
		of[1].y[1+n] = z - of[1].y0
	}
	l.n++
	l.total++
	if l.n == block {
		l.next()
	}
}

// begin keeps the first samples of every y, and the first value of each signal.
func (l *lagged) begin(x float64, ys []float64) {
	for i, y := range ys {
		c := &l.of[i]
		if l.total == 0 {
			l.x0, c.y0 = x, y
		}
		c.first[l.total] = y - c.y0
	}
}

// next begins another block.
func (l *lagged) next() {
	for i := range l.of {
		l.correlate(&l.of[i])
	}
	copy(l.x[:past], l.x[block:])
	for i := range l.of {
		l.of[i].y[0] = l.of[i].y[block]
	}
	l.n = 0
}

// correlate adds the present block, filled up with zeros, to the sums of a signal.
// The newest sample of a full block is left to the next one, where the reference
// after it is known.
//
// cross = Σ_i y[i] X[i] with X[i] the references x[i] to x[i+lags-1] that y[i]
// meets: a vector times a matrix whose rows overlap. Every stride-th row does
// not, and is a matrix as BLAS wants it, which takes several rows and lags at a
// time.
func (l *lagged) correlate(c *correlated) {
	y := c.y[1 : 1+l.n]
	c.sum += floats.Sum(y)
	c.square += portable.Dot(y, y)
	cross := blas64.Vector{N: lags, Inc: 1, Data: c.cross[:]}
	for i := range stride {
		x := blas64.General{Rows: rows, Cols: lags, Stride: stride, Data: l.x[i:]}
		y := blas64.Vector{N: rows, Inc: stride, Data: c.y[i:]}
		blas64.Gemv(blas.Trans, 1, x, y, 1, cross)
	}
}

// settled is the part of a signal's sum of squares below which a variance is
// rounding: the samples a lag leaves are constant.
const settled = 1e-12

// pearson is the coefficient of signal i at every lag, NaN where one of both is
// constant; mx is the moments of all samples of x.
func (l *lagged) pearson(i int, mx *moments) [lags]float64 {
	c := l.of[i]
	clear(l.x[past+l.n:]) // of the block that was here before
	clear(c.y[1+l.n:])
	l.correlate(&c)
	var r [lags]float64
	for i := range r {
		sx, sxx, sy, syy := mx.sum, mx.square, c.sum, c.square
		lag := i + minLag
		for j := range min(lag, l.total) { // the first of y and the last of x have no partner
			y, x := c.first[j], l.last(j)
			sy, syy = sy-y, syy-y*y
			sx, sxx = sx-x, sxx-x*x
		}
		if lag < 0 { // the last of y and the first of x, which is 0
			y := c.y[l.n]
			sy, syy = sy-y, syy-y*y
		}
		n := float64(l.total) - math.Abs(float64(lag))
		vx, vy := sxx-sx*sx/n, syy-sy*sy/n
		r[i] = math.NaN()
		if vx > settled*mx.square && vy > settled*c.square {
			r[i] = (c.cross[maxLag-lag] - sx*sy/n) / math.Sqrt(vx*vy)
		}
	}
	return r
}

// early reports whether signal i is closer to the reference a sample earlier than at any lag
// from 0 on: the signal leads.
func (l *lagged) early(i int, mx *moments) bool {
	if l.total <= 2*lags {
		return false
	}
	r := l.pearson(i, mx)
	return r[0] > slices.Max(r[-minLag:])
}

// std is the sample standard deviation of signal i.
func (l *lagged) std(i int) float64 {
	c := &l.of[i]
	sum, square, n := c.sum, c.square, float64(l.total)
	for _, y := range c.y[1 : 1+l.n] {
		sum, square = sum+y, square+y*y
	}
	return math.Sqrt(max(square-sum*sum/n, 0) / (n - 1))
}

// last is the reference j samples before the newest.
func (l *lagged) last(j int) float64 { return l.x[past+l.n-1-j] }

// best returns, for signal i, the whole-sample delay (0 to 49) with the largest correlation,
// as the benchmark's code finds J1, and the sub-sample delay: the vertex of the
// parabola through the largest coefficient and its neighbours, from −1 up
// (less where the parabola, extrapolated, says so); top is the largest coefficient. NaN
// means that there is none: fewer than 103 samples, a constant signal, or a parabola
// without a top.
func (l *lagged) best(i int, mx *moments) (whole, fine, top float64) {
	if l.total <= 2*lags {
		return math.NaN(), math.NaN(), math.NaN()
	}
	r := l.pearson(i, mx)
	best := -minLag
	for j := best; j < lags; j++ {
		if r[j] > r[best] {
			best = j
		}
	}
	if math.IsNaN(r[best]) {
		return math.NaN(), math.NaN(), math.NaN()
	}
	at := min(best, lags-2)
	left, mid, right := r[at-1], r[at], r[at+1]
	fine = math.NaN()
	if bend := left - 2*mid + right; bend < 0 {
		fine = float64(at+minLag) + (left-right)/(2*bend)
	}
	return float64(best + minLag), fine, r[best]
}

func (l *lagged) visit(v *rths.StateVisitor) {
	v.Int(&l.n, &l.total)
	v.Float(&l.x0)
	clear(l.x[past+l.n:]) // not reached yet
	v.Floats(l.x[:])
	for i := range l.of {
		c := &l.of[i]
		clear(c.y[1+l.n:])
		v.Float(&c.y0, &c.sum, &c.square)
		v.Floats(c.y[:], c.first[:], c.cross[:])
	}
}
