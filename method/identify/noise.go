package identify

import (
	"math"

	"rths/maths/signal"
)

// Noise says how large white noise is after a filter with the impulse response f, and taps.
type Noise struct {
	sd     float64        // of the white noise, m
	filter *signal.Filter `c:"-"`
	rateHz float64        `c:"-"`
	r      []float64      // Σ_k f[k] f[k − i s], i = 0, 1, …, s samples between taps; nil: not computed yet
}

// NewNoise is for white noise of the standard deviation sd, m, through the filter b/a.
func NewNoise(sd, rateHz float64, b, a []float64) *Noise {
	return &Noise{sd: sd, filter: signal.NewFilter(b, a), rateHz: rateHz}
}

// Through is the standard deviation after the taps θ, s samples apart: σ² Σ_ij θ_i θ_j r[|i − j|].
func (n *Noise) Through(theta []float64, s int) float64 {
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

func (n *Noise) correlate(taps, s int) {
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
