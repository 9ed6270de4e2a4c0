package stability

import (
	"math"
	"math/cmplx"

	"rths"
)

// slidingFEI is the frequency-domain evaluation index (Guo et al. 2014; online:
// Xu et al. 2019) of the last 2 s,
//
//	FEI = Σ Y_O conj(Y_I) / Σ |Y_I|²,  amplitude |FEI|,  delay −arg FEI/(2π f_eq)
//
// with the discrete Fourier transforms Y of measured and target displacement at
// 0.5 to 20 Hz, under a Hann window. Signals are decimated by means over blocks at about
// 128 Hz. The transform slides: every frequency gains the newest value and loses the
// oldest. Phases count from the start of the run, so rounding does not grow.
type slidingFEI struct {
	every, in  int // samples of a block, of the present one
	sumD, sumX float64
	blockHz    float64
	n          int // blocks so far
	d, x       []float64
	phase      []complex128 // e^{−2πi j/N}
	yd, yx     []complex128 // of bins 0 to bins+1
	found      float64      // 1 once there was an index
	amplitude  float64
	delayMs    float64
}

// About feiHz values a second are kept of feiWindow; feiTop is the highest
// frequency, Hz.
const (
	feiHz     = 128
	feiWindow = 2.0
	feiTop    = 20
	perIndex  = 8 // blocks from one index to the next
)

// coherent is the least coherence |Σ Y_O conj(Y_I)|²/(Σ|Y_O|² Σ|Y_I|²) of a window with an
// index. Noise alone has 1 over the number of frequencies.
const coherent = 0.25

func newSlidingFEI(rateHz float64) *slidingFEI {
	every := max(1, int(math.Round(rateHz/feiHz)))
	hz := rateHz / float64(every)
	n := max(8, int(math.Round(feiWindow*hz)))
	bins := min(int(feiTop*float64(n)/hz), n/2-2)
	s := &slidingFEI{
		every: every, blockHz: hz, d: make([]float64, n), x: make([]float64, n), phase: make([]complex128, n),
		yd: make([]complex128, bins+2), yx: make([]complex128, bins+2),
	}
	for j := range s.phase {
		s.phase[j] = cmplx.Exp(complex(0, -2*math.Pi*float64(j)/float64(n)))
	}
	return s
}

// add adds a sample, and says whether a block is full.
func (s *slidingFEI) add(d, x float64) bool {
	s.sumD += d
	s.sumX += x
	if s.in++; s.in < s.every {
		return false
	}
	s.slide(s.sumD/float64(s.every), s.sumX/float64(s.every))
	s.in, s.sumD, s.sumX = 0, 0, 0
	s.n++
	if s.n >= len(s.d) && s.n%perIndex == 0 {
		s.index()
	}
	return true
}

// slide puts a block in the place of the oldest.
func (s *slidingFEI) slide(d, x float64) {
	size := len(s.d)
	m := s.n % size
	newD, newX := d-s.d[m], x-s.x[m]
	s.d[m], s.x[m] = d, x
	at := 0
	for k := range s.yd {
		p := s.phase[at]
		s.yd[k] += complex(real(p)*newD, imag(p)*newD)
		s.yx[k] += complex(real(p)*newX, imag(p)*newX)
		if at += m; at >= size {
			at -= size
		}
	}
}

// index computes the index of a full window. Where the measurement does not follow the
// target, as in quiet times, the index keeps its value. The Hann window, which begins at
// the oldest block, is a sum over neighbouring frequencies.
func (s *slidingFEI) index() {
	turn := s.phase[s.n%len(s.d)] // s.n blocks are in: the oldest is at this place
	back := cmplx.Conj(turn)
	var sum complex128
	var weight, power, moment float64
	for k := 1; k < len(s.yd)-1; k++ {
		yi := 2*s.yd[k] - turn*s.yd[k-1] - back*s.yd[k+1]
		yo := 2*s.yx[k] - turn*s.yx[k-1] - back*s.yx[k+1]
		w := real(yi)*real(yi) + imag(yi)*imag(yi)
		sum += yo * cmplx.Conj(yi)
		weight += w
		power += real(yo)*real(yo) + imag(yo)*imag(yo)
		moment += w * float64(k)
	}
	size := real(sum)*real(sum) + imag(sum)*imag(sum)
	if !(size > coherent*weight*power) {
		return
	}
	s.found = 1
	fEq := moment / weight * s.blockHz / float64(len(s.d))
	s.amplitude = cmplx.Abs(sum) / weight
	s.delayMs = -1e3 * cmplx.Phase(sum) / (2 * math.Pi * fEq)
}

// VisitState visits blocks, sums and indices; the transforms as they stand,
// so that a resumed run gives the same bits.
func (s *slidingFEI) VisitState(v *rths.StateVisitor) {
	v.Int(&s.in)
	v.Float(&s.sumD, &s.sumX)
	v.Int(&s.n)
	v.Float(&s.found, &s.amplitude, &s.delayMs)
	v.Floats(s.d, s.x)
	for k := range s.yd {
		v.Complex(&s.yd[k], &s.yx[k])
	}
}
