// Package criteria judges a run as it goes, in memory that does not grow with
// its length: the nine criteria of the single-actuator RTHS benchmark as its
// code computes them (Silva et al. 2020; facts section 6), on the measured and
// on the true displacement, and what else papers quote.
//
// Ratios are in percent, delays in ms. Standard deviations have the mean
// removed and n − 1 in the denominator, as MATLAB's std; "rms" ratios have not.
package criteria

import (
	"math"

	"rths"
)

// moments are the sums of one signal.
type moments struct{ n, sum, square, least, most float64 }

func (m *moments) add(v float64) {
	if m.n == 0 {
		m.least, m.most = v, v
	}
	m.n++
	m.sum += v
	m.square += v * v
	if v < m.least {
		m.least = v
	}
	if v > m.most {
		m.most = v
	}
}

func (m *moments) mean() float64 { return m.sum / m.n }

// std is the sample standard deviation.
func (m *moments) std() float64 {
	return math.Sqrt(max(m.square-m.sum*m.sum/m.n, 0) / (m.n - 1))
}

func (m *moments) rms() float64 { return math.Sqrt(m.square / m.n) }

// peak is the largest distance from c.
func (m *moments) peak(c float64) float64 { return max(m.most-c, c-m.least) }

func (m *moments) append(dst []float64) []float64 {
	return append(dst, m.n, m.sum, m.square, m.least, m.most)
}

func (m *moments) set(src []float64) []float64 {
	m.n, m.sum, m.square, m.least, m.most = src[0], src[1], src[2], src[3], src[4]
	return src[5:]
}

// Ratios of an error to what it is the error of, in percent.
func stdRatio(e, of *moments) float64  { return 100 * e.std() / of.std() }
func rmsRatio(e, of *moments) float64  { return 100 * e.rms() / of.rms() }
func peakRatio(e, of *moments) float64 { return 100 * e.peak(0) / of.peak(0) }

// peakRatioCentred has the means removed from both.
func peakRatioCentred(e, of *moments) float64 {
	return 100 * e.peak(e.mean()) / of.peak(of.mean())
}

func appendAll(dst []float64, list ...*moments) []float64 {
	for _, m := range list {
		dst = m.append(dst)
	}
	return dst
}

func setAll(src []float64, list ...*moments) []float64 {
	for _, m := range list {
		src = m.set(src)
	}
	return src
}

var (
	_ rths.Observer   = (*Tracking)(nil)
	_ rths.Summarizer = (*Tracking)(nil)
	_ rths.Stateful   = (*Tracking)(nil)
	_ rths.Observer   = (*Response)(nil)
	_ rths.Summarizer = (*Response)(nil)
	_ rths.Stateful   = (*Response)(nil)
)
