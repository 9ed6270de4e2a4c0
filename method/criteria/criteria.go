// Package criteria judges a run as it goes, in memory that does not grow with
// its length: the nine criteria of the single-actuator RTHS benchmark as its
// code computes them (Silva et al. 2020; docs/reference/benchmark-siso.md), on the measured and
// on the true displacement, and other indicators of papers.
//
// Ratios are in percent, delays in ms. Standard deviations have the mean
// removed and n − 1 in the denominator, as MATLAB's std; "rms" ratios have not.
package criteria

import (
	"math"

	"rths"
)

// moments are the sums of one signal less its first value, so that a constant has a
// variance of exactly 0. The observer keeps the number of samples for all its signals.
type moments struct{ first, sum, square, least, most float64 }

func (m *moments) add(v float64) {
	d := v - m.first
	m.sum += d
	m.square += d * d
	if d < m.least {
		m.least = d
	}
	if d > m.most {
		m.most = d
	}
}

func (m *moments) mean(n float64) float64 { return m.first + m.sum/n }

// std is the sample standard deviation.
func (m *moments) std(n float64) float64 {
	return math.Sqrt(max(m.square-m.sum*m.sum/n, 0) / (n - 1))
}

func (m *moments) rms(n float64) float64 {
	return math.Sqrt(max(m.square/n+m.first*(2*m.sum/n+m.first), 0))
}

// peak is the largest distance from c.
func (m *moments) peak(c float64) float64 {
	return max(m.most+m.first-c, c-m.first-m.least)
}

func (m *moments) visit(v *rths.StateVisitor) {
	v.Float(&m.first, &m.sum, &m.square, &m.least, &m.most)
}

// tally is the moments of several signals that are observed together.
type tally struct {
	n    float64 // samples
	sums []moments
}

func newTally(signals int) tally { return tally{sums: make([]moments, signals)} }

// start takes the first value of each signal; they are then added as well.
func (t *tally) start(values ...float64) {
	for i, v := range values {
		t.sums[i].first = v
	}
}

// stdRatio, rmsRatio and peakRatio compare signal e, an error, with signal of, in percent.
func (t *tally) stdRatio(e, of int) float64 {
	return percent(t.sums[e].std(t.n), t.sums[of].std(t.n))
}

func (t *tally) rmsRatio(e, of int) float64 {
	return percent(t.sums[e].rms(t.n), t.sums[of].rms(t.n))
}

func (t *tally) peakRatio(e, of int) float64 {
	return percent(t.sums[e].peak(0), t.sums[of].peak(0))
}

// peakRatioCentred has the means removed from both.
func (t *tally) peakRatioCentred(e, of int) float64 {
	a, b := &t.sums[e], &t.sums[of]
	return percent(a.peak(a.mean(t.n)), b.peak(b.mean(t.n)))
}

func (t *tally) visit(v *rths.StateVisitor) {
	v.Float(&t.n)
	for i := range t.sums {
		t.sums[i].visit(v)
	}
}

// percent is a ratio in percent, NaN where there is nothing to compare with.
func percent(e, of float64) float64 {
	if !(of > 0) {
		return math.NaN()
	}
	return 100 * e / of
}

// What some criteria are beside what every Criterion is.
var (
	_ rths.Decaying  = (*Response)(nil)
	_ rths.Channeler = (*Response)(nil)
	_ rths.Channeler = (*Floors)(nil)
	_ rths.Channeler = (*Acceleration)(nil)
	_ rths.RateUser  = (*Acceleration)(nil)
	_ rths.RateUser  = (*Floors)(nil)
	_ rths.Decaying  = (*Frame)(nil)
	_ rths.Channeler = (*Frame)(nil)
	_ rths.Decaying  = (*FloorSpectra)(nil)
	_ rths.RateUser  = (*FloorSpectra)(nil)
)
