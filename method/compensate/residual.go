package compensate

import (
	"math"

	"rths"
	"rths/maths/signal"
)

// Watched is implemented by compensators that identify the plant by a regression of their
// commands on the measurement. Residual is, after each Step, what the parameters in use leave
// of the newest pair of filtered command y and regressor φ,
//
//	left = y − φ'θ, m,
//
// and the standard deviation of left, m, that the noise of the displacement sensor explains:
// white noise of At.Noise through the filter and the taps θ. It is not the error of the
// motion, and it says nothing of noise inside the loop, which the command y has too. It
// allocates nothing, but for the first call, and is asked in the tick of the Step: a state that
// was restored has not all of the histories. Package compensate looks for it in Fallback.
// A method whose residual is something else says so by Watches.
type Watched interface {
	Residual() (left, noise float64)
}

// noise is white noise after a filter with the impulse response f.
type noise struct {
	sd     float64        // of the white noise, m
	filter *signal.Filter `c:"-"`
	rateHz float64        `c:"-"`
	r      []float64      // Σ_k f[k] f[k − i s], i = 0, 1, …, s samples between taps; nil: not computed yet
}

func newNoise(at At, b, a []float64) *noise {
	return &noise{sd: at.Noise, filter: signal.NewFilter(b, a), rateHz: at.RateHz}
}

// through is the standard deviation after the taps θ, s samples apart: σ² Σ_ij θ_i θ_j r[|i − j|].
func (n *noise) through(theta []float64, s int) float64 {
	if n.r == nil {
		n.correlate(len(theta), s)
	}
	sum := 0.0
	for i, v := range theta {
		for j, w := range theta {
			sum += v * w * n.r[max(i-j, j-i)]
		}
	}
	return n.sd * math.Sqrt(max(sum, 0))
}

// longestResponse is the time after which a filter of the adaptation is still, s.
const longestResponse = 2.0

func (n *noise) correlate(taps, s int) {
	f := make([]float64, int(longestResponse*n.rateHz)+1)
	f[0] = n.filter.Step(1)
	for k := 1; k < len(f); k++ {
		f[k] = n.filter.Step(0)
	}
	n.r = make([]float64, taps)
	for i := range n.r {
		for k := i * s; k < len(f); k++ {
			n.r[i] += f[k] * f[k-i*s]
		}
	}
}

// Residual is of (6.3) with the parameters as used.
func (s *series) Residual() (left, noise float64) {
	x := s.derivatives(s.measured)
	left = s.xcf
	var taps [maxSeries]float64
	for i := range s.n {
		left -= s.a[i] * x[i]
		for j := range s.n {
			taps[j] += s.a[i] * s.diff[i][j]
		}
	}
	return left, s.noise.through(taps[:s.n], 1)
}

// Residual is of (4) with the parameters as used.
func (c *kf) Residual() (left, noise float64) {
	left = c.y
	for i := range c.n {
		left -= c.used[i] * c.measured.At(i*c.s)
	}
	return left, c.noise.through(c.used[:c.n], c.s)
}

// Residual is of (1) with the parameters as used.
func (c *adm) Residual() (left, noise float64) {
	left = c.y.At(0)
	for j := range c.p {
		left -= c.theta[j] * c.y.At((j+1)*c.s)
	}
	for k := range c.q {
		left -= c.theta[c.p+k] * c.x.At(k*c.s)
	}
	return left, c.noise.through(c.theta[c.p:], c.s)
}

// Residual is of all parts: the roots of the sums of squares.
func (g group) Residual() (left, noise float64) {
	for _, p := range g {
		if w, ok := rths.As[Watched](p); ok {
			e, n := w.Residual()
			left, noise = math.Hypot(left, e), math.Hypot(noise, n)
		}
	}
	return left, noise
}
