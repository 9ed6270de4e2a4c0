package compensate

import (
	"math"

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
