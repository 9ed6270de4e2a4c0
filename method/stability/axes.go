package stability

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths/maths/lti"
)

// AxesLoop is the frequency response of a loop that is opened at n actuators at once: the n × n matrix L at a
// frequency, Hz, for which det(I + L) has the roots of the closed loop.
type AxesLoop func(hz float64) (*mat.CDense, error)

// AxesMargins are the margins of a stable loop of several actuators.
type AxesMargins struct {
	// Together is for the same change in every actuator: 1 + λ of the eigenvalues λ of L. Its Distance is the least
	// singular value of I + L: a change Δ L of L that is smaller, as a matrix of any kind, leaves the loop stable.
	Together Margins

	// Alone is for a change in one actuator, the others as they are: 1 + lᵢ of the loop that is opened at this
	// actuator alone, lᵢ = Tᵢᵢ/Sᵢᵢ with S = (I + L)⁻¹ and T = S L.
	Alone []Margins
}

// NewAxesMargins reads the margins of n actuators between two frequencies, Hz; resonances as for NewCurve.
//
//	(I + L) S = I    det(I + L D) = 0 with D = d I:                d = −1/λ
//	T = I − S        det(I + L D) = 0 with D = 1 but for dᵢ in i:  dᵢ = −1/lᵢ
//
// A gain is a real d, a delay τ is d = e^(−jωτ). Skogestad, Postlethwaite, Multivariable Feedback Control, 2nd ed.,
// sections 9.2 and 9.6.
func NewAxesMargins(of AxesLoop, n int, from, to float64, resonances []float64) (AxesMargins, error) {
	w := &axesPoints{of: of, n: n, from: from, at: map[float64]*axesPoint{}}
	margins := func(part func(*axesPoint) complex128) (Margins, error) {
		c, err := NewCurve(func(hz float64) complex128 { return part(w.point(hz)) }, from, to, resonances)
		if err = errors.Join(err, w.err); err != nil {
			return Margins{}, err
		}
		m := c.Margins()
		return m, w.err
	}
	// |1 + L| of the first curve is the least singular value.
	out := AxesMargins{}
	var err error
	if out.Together, err = margins(func(p *axesPoint) complex128 { return complex(p.least-1, 0) }); err != nil {
		return out, err
	}
	out.Together = Margins{GainUp: math.Inf(1), Delay: math.Inf(1), PhaseDeg: math.Inf(1),
		Distance: out.Together.Distance, DistanceHz: out.Together.DistanceHz}
	for i := range n {
		m, err := margins(func(p *axesPoint) complex128 { return p.loci[i] })
		if err != nil {
			return out, err
		}
		out.Together.tighten(m)
		if m, err = margins(func(p *axesPoint) complex128 { return p.alone[i] }); err != nil {
			return out, err
		}
		out.Alone = append(out.Alone, m)
	}
	return out, nil
}

// tighten takes what allows less, but for the distance.
func (m *Margins) tighten(o Margins) {
	if o.GainUp < m.GainUp {
		m.GainUp, m.GainUpHz = o.GainUp, o.GainUpHz
	}
	if o.GainDown > m.GainDown {
		m.GainDown, m.GainDownHz = o.GainDown, o.GainDownHz
	}
	if o.Delay < m.Delay {
		m.Delay, m.DelayHz = o.Delay, o.DelayHz
	}
	m.PhaseDeg = min(m.PhaseDeg, o.PhaseDeg)
}

// axesPoint is what counts of L at one frequency.
type axesPoint struct {
	loci  []complex128 // eigenvalues of L, the largest first
	alone []complex128 // lᵢ
	least float64      // singular value of I + L
}

// axesPoints keeps the points: several curves ask for the same frequencies.
type axesPoints struct {
	of   AxesLoop
	n    int
	from float64 // Hz
	at   map[float64]*axesPoint
	err  error // the first
}

func (w *axesPoints) point(hz float64) *axesPoint {
	if p := w.at[hz]; p != nil {
		return p
	}
	p, err := newAxesPoint(w.of, w.n, hz)
	if err != nil {
		if hz >= w.from { // next to 0 Hz there may be a pole, as of a free mass
			w.err = cmp.Or(w.err, fmt.Errorf("loop of %d actuators at %g Hz: %w", w.n, hz, err))
		}
		p = &axesPoint{loci: make([]complex128, w.n), alone: make([]complex128, w.n)}
	}
	w.at[hz] = p
	return p
}

// nothing is the size, of the whole matrix, below which a number is the rounding of 0.
const nothing = 1e-11

func newAxesPoint(of AxesLoop, n int, hz float64) (*axesPoint, error) {
	l, err := of(hz)
	if err != nil {
		return nil, err
	}
	p := &axesPoint{alone: make([]complex128, n)}
	if p.loci, err = lti.ComplexEigenvalues(l); err != nil {
		return nil, err
	}
	size := 0.0
	closed := mat.NewDense(2*n, 2*n, nil) // I + L, a complex number as a 2 × 2 block spread over four quarters
	for i := range n {
		for j := range n {
			v := l.At(i, j)
			size = math.Hypot(size, cmplx.Abs(v))
			if i == j {
				v++
			}
			closed.Set(i, j, real(v))
			closed.Set(n+i, n+j, real(v))
			closed.Set(i, n+j, -imag(v))
			closed.Set(n+i, j, imag(v))
		}
	}
	order(p.loci, size)
	var svd mat.SVD
	if !svd.Factorize(closed, mat.SVDNone) {
		return nil, errors.New("no singular values")
	}
	p.least = svd.Values(nil)[2*n-1]
	var s mat.Dense
	if err := s.Inverse(closed); err != nil && p.least == 0 {
		return nil, errors.New("the loop is on the verge of stability")
	}
	for i := range n {
		var t complex128
		for k := range n {
			t += complex(s.At(i, k), s.At(n+i, k)) * l.At(k, i)
		}
		if cmplx.Abs(t) > nothing*size/p.least {
			p.alone[i] = t / complex(s.At(i, i), s.At(n+i, i))
		}
	}
	return p, nil
}

// order sorts eigenvalues by magnitude, the largest first: the k-th magnitude then is continuous in the frequency,
// and every passage through 1 is seen. Like ones are sorted by their angle from 1 rad on, at which none of those that
// turn in a circle passes while another passes −1. The rounding of 0 is 0.
func order(loci []complex128, size float64) {
	for i, v := range loci {
		if cmplx.Abs(v) < nothing*size {
			loci[i] = 0
		}
	}
	slices.SortFunc(loci, func(a, b complex128) int {
		p, q := cmplx.Abs(a), cmplx.Abs(b)
		if math.Abs(p-q) > 1e-9*max(p, q) {
			return cmp.Compare(q, p)
		}
		return cmp.Compare(cmplx.Phase(a*cmplx.Exp(-1i)), cmplx.Phase(b*cmplx.Exp(-1i)))
	})
}
