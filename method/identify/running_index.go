package identify

import (
	"math"

	"rths"
)

// RunningIndex is the frequency-domain evaluation index (Guo et al. 2014; online: Xu et al. 2019) of the last seconds,
//
//	FEI = Σ Y_O conj(Y_I) / Σ |Y_I|²,   f_eq = Σ |Y_I|² f / Σ |Y_I|²
//
// with the discrete Fourier transforms Y of measured and target displacement up to 20 Hz, without 0, under a Hann
// window. |FEI| is the amplitude, −arg FEI/(2π f_eq) the delay. Signals are decimated by means over blocks at about 128
// Hz. The transform slides: every frequency gains the newest value and loses the oldest. Phases count from the start of
// the run, so rounding does not grow.
type RunningIndex struct {
	Re, Im float64 // Σ Y_O conj(Y_I), m², of the last window that had an index
	Weight float64 // Σ |Y_I|², m²
	FEq    float64 // f_eq, Hz

	found      float64 // 1: there was an index
	every, in  int     // samples of a block, of the present one
	sumD, sumX float64
	blockHz    float64
	n          int // blocks so far
	d, x       []float64
	cos, sin   []float64 // of −2π j/N
	dRe, dIm   []float64 // Y_I of bins 0 to bins+1
	xRe, xIm   []float64 // Y_O
}

// About indexHz values a second are kept of a window; indexTop is the highest frequency, Hz.
const (
	indexHz  = 128
	indexTop = 20
	perIndex = 8 // blocks from one index to the next
)

// coherent is the least coherence |Σ Y_O conj(Y_I)|²/(Σ|Y_O|² Σ|Y_I|²) of a window with an index. Noise alone has 1
// over the number of frequencies.
const coherent = 0.25

// NewRunningIndex is of a window of so many seconds.
func NewRunningIndex(rateHz, windowS float64) *RunningIndex {
	every := max(1, int(math.Round(rateHz/indexHz)))
	hz := rateHz / float64(every)
	n := max(8, int(math.Round(windowS*hz)))
	bins := 2 + min(int(indexTop*float64(n)/hz), n/2-2)
	zeros := func(n int) []float64 { return make([]float64, n) }
	s := &RunningIndex{
		every: every, blockHz: hz, d: zeros(n), x: zeros(n), cos: zeros(n), sin: zeros(n),
		dRe: zeros(bins), dIm: zeros(bins), xRe: zeros(bins), xIm: zeros(bins),
	}
	for j := range n {
		s.sin[j], s.cos[j] = math.Sincos(-2 * math.Pi * float64(j) / float64(n))
	}
	return s
}

// Found reports whether there was an index.
func (s *RunningIndex) Found() bool { return s.found != 0 }

// WindowS is the length of the window, s.
func (s *RunningIndex) WindowS() float64 { return float64(len(s.d)) / s.blockHz }

// StepS is the time from one index to the next, s.
func (s *RunningIndex) StepS() float64 { return perIndex / s.blockHz }

// MeanSquare is about the mean square of the target in the last window that had an index, m²: the Hann window passes
// 3/8 of it, and Weight has half of the lines, 16-fold.
func (s *RunningIndex) MeanSquare() float64 {
	return s.Weight / (3 * float64(len(s.d)) * float64(len(s.d)))
}

// Add adds target and measured displacement of one instant, m. It says whether a block is full, and whether there is a
// new index.
func (s *RunningIndex) Add(d, x float64) (block, index bool) {
	s.sumD += d
	s.sumX += x
	if s.in++; s.in < s.every {
		return false, false
	}
	s.slide(s.sumD/float64(s.every), s.sumX/float64(s.every))
	s.in, s.sumD, s.sumX = 0, 0, 0
	s.n++
	return true, s.n >= len(s.d) && s.n%perIndex == 0 && s.index()
}

// slide puts a block in the place of the oldest.
func (s *RunningIndex) slide(d, x float64) {
	size := len(s.d)
	m := s.n % size
	newD, newX := d-s.d[m], x-s.x[m]
	s.d[m], s.x[m] = d, x
	at := 0
	for k := range s.dRe {
		re, im := s.cos[at], s.sin[at]
		s.dRe[k] += re * newD
		s.dIm[k] += im * newD
		s.xRe[k] += re * newX
		s.xIm[k] += im * newX
		if at += m; at >= size {
			at -= size
		}
	}
}

// index computes the index of a full window. Where the measurement does not follow the target, as in quiet times, the
// index keeps its value. The Hann window, which begins at the oldest block, is a sum over neighbouring frequencies.
func (s *RunningIndex) index() bool {
	re, im := s.cos[s.n%len(s.d)], s.sin[s.n%len(s.d)] // s.n blocks are in: the oldest is at this place
	var sumRe, sumIm, weight, power, moment float64
	for k := 1; k < len(s.dRe)-1; k++ {
		iRe, iIm := hann(s.dRe[k-1:], s.dIm[k-1:], re, im)
		oRe, oIm := hann(s.xRe[k-1:], s.xIm[k-1:], re, im)
		w := iRe*iRe + iIm*iIm
		sumRe += oRe*iRe + oIm*iIm
		sumIm += oIm*iRe - oRe*iIm
		weight += w
		power += oRe*oRe + oIm*oIm
		moment += w * float64(k)
	}
	if size := sumRe*sumRe + sumIm*sumIm; !(size > coherent*weight*power) {
		return false
	}
	s.Re, s.Im, s.Weight, s.found = sumRe, sumIm, weight, 1
	s.FEq = moment / weight * s.blockHz / float64(len(s.d))
	return true
}

// hann is four times the Hann window's transform, of three neighbouring frequencies: 2 y₁ − t y₀ − conj(t) y₂ with the
// turn t = re + i im to the oldest value.
func hann(yRe, yIm []float64, re, im float64) (float64, float64) {
	return 2*yRe[1] - (re*yRe[0] - im*yIm[0]) - (re*yRe[2] + im*yIm[2]),
		2*yIm[1] - (re*yIm[0] + im*yRe[0]) - (re*yIm[2] - im*yRe[2])
}

// VisitState visits blocks, sums and the index; the transforms as they stand, so that a resumed run gives the same
// bits.
func (s *RunningIndex) VisitState(v *rths.StateVisitor) {
	v.Int(&s.in)
	v.Float(&s.sumD, &s.sumX)
	v.Int(&s.n)
	v.Float(&s.found, &s.Re, &s.Im, &s.Weight, &s.FEq)
	v.Floats(s.d, s.x, s.dRe, s.dIm, s.xRe, s.xIm)
}
