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

// moments are the sums of one signal, counted from its first value: so a
// constant has a variance of exactly 0, however many samples it has.
type moments struct{ n, first, sum, square, least, most float64 }

func (m *moments) add(v float64) {
	if m.n == 0 {
		m.first, m.least, m.most = v, v, v
	}
	m.n++
	d := v - m.first
	m.sum += d
	m.square += d * d
	if v < m.least {
		m.least = v
	}
	if v > m.most {
		m.most = v
	}
}

func (m *moments) mean() float64 { return m.first + m.sum/m.n }

// std is the sample standard deviation.
func (m *moments) std() float64 {
	return math.Sqrt(max(m.square-m.sum*m.sum/m.n, 0) / (m.n - 1))
}

func (m *moments) rms() float64 {
	return math.Sqrt(max(m.square/m.n+m.first*(2*m.sum/m.n+m.first), 0))
}

// peak is the largest distance from c.
func (m *moments) peak(c float64) float64 { return max(m.most-c, c-m.least) }

func (m *moments) append(dst []float64) []float64 {
	return append(dst, m.n, m.first, m.sum, m.square, m.least, m.most)
}

func (m *moments) set(src []float64) []float64 {
	m.n, m.first, m.sum, m.square, m.least, m.most = src[0], src[1], src[2], src[3], src[4], src[5]
	return src[6:]
}

// percent is a ratio in percent, NaN where there is nothing to compare with.
func percent(e, of float64) float64 {
	if !(of > 0) {
		return math.NaN()
	}
	return 100 * e / of
}

// Ratios of an error to what it is the error of, in percent.
func stdRatio(e, of *moments) float64  { return percent(e.std(), of.std()) }
func rmsRatio(e, of *moments) float64  { return percent(e.rms(), of.rms()) }
func peakRatio(e, of *moments) float64 { return percent(e.peak(0), of.peak(0)) }

// peakRatioCentred has the means removed from both.
func peakRatioCentred(e, of *moments) float64 {
	return percent(e.peak(e.mean()), of.peak(of.mean()))
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
