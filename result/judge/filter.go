package judge

import (
	"fmt"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/mat"

	"rths/maths/lti"
)

// Swing is how the target of a test answers its ground motion, by the filter model of Molina et al. (see Damping),
// whose numerical part need not be known:
//
//	x_n = Σ A_k x_(n−k) + Σ B_k u_(n−k) + A_0
//
// of order 6, least squares. Its poles z are p = ln z/Δt, f = |p|/2π, ζ = −cos arg p. The control errors are in it:
// what they added cannot be told without the numerical part. Not for structures that yield, nor for modes close
// together.
type Swing struct {
	FreqHz     float64 `json:"frequency_hz"`
	FreqSE     float64 `json:"frequency_se_hz"` // standard error, with the difference from the model of order 4
	Ratio      float64 `json:"ratio"`
	RatioSE    float64 `json:"ratio_se"`
	Thirds     []Third `json:"thirds"` // of the record, in turn
	CannotTell string  `json:"cannot_tell,omitempty"`
}

// Third is the response in a part of the record.
type Third struct {
	FreqHz float64 `json:"frequency_hz"`
	Ratio  float64 `json:"ratio"`
}

// Rules of Swing.
const (
	filterOrder = 6
	aPeriod     = 10.0 // samples: more make neighbours alike, fewer lose modes
	unlike      = 2.0  // times the frequency by zero crossings is another mode
)

// Swing finds it for the first actuator; nil: the ground motion is not recorded.
func (t *Test) Swing() *Swing {
	if t.Ground.None() {
		return nil
	}
	cannot := func(why string) *Swing { return &Swing{CannotTell: why} }
	list := crossings(t.Axes[0].Target)
	if len(list) < 2*leastPeriods {
		return cannot(fmt.Sprintf("the target crosses zero %d times: want %g", len(list), 2*leastPeriods))
	}
	hz := float64(len(list)-1) / 2 / (list[len(list)-1].at - list[0].at) * t.RateHz
	stride := max(1, int(t.RateHz/hz/aPeriod))
	x, u := averaged(t.Axes[0].Target, stride/2, stride), averaged(t.Ground, stride/2, stride)
	var parts [blocks]*moments
	row := make([]float64, 2*filterOrder+3) // x, u and 1 before, x
	for i := range parts {
		parts[i] = newMoments(len(row))
	}
	row[2*filterOrder+1] = 1
	for n := filterOrder; n < len(x); n++ {
		for k := range filterOrder {
			row[k], row[filterOrder+k] = x[n-1-k], u[n-1-k]
		}
		row[2*filterOrder], row[2*filterOrder+2] = u[n], x[n]
		parts[n*blocks/len(x)].see(row)
	}
	all, dt := sumOf(parts[:]), float64(stride)/t.RateHz
	var f, z [blocks + 2]float64
	for i := range f {
		from, order := all, filterOrder
		switch {
		case i == blocks+1:
			order = 4
		case i > 0:
			from = all.less(parts[i-1])
		}
		pole, ok := from.pole(order, hz, dt)
		if !ok {
			return cannot("the filter model has no pole near the frequency of the zero crossings")
		}
		f[i], z[i] = cmplx.Abs(pole)/(2*math.Pi), ratio(pole)
	}
	var thirds []Third
	for i := 0; i < blocks; i += blocks / 3 {
		pole, ok := sumOf(parts[i:i+blocks/3]).pole(filterOrder, hz, dt)
		if !ok {
			return cannot("a third of the record alone gives no pole")
		}
		thirds = append(thirds, Third{cmplx.Abs(pole) / (2 * math.Pi), ratio(pole)})
	}
	out := &Swing{Thirds: thirds, FreqHz: f[0], Ratio: z[0], FreqSE: math.Hypot(jackknife(f[1:blocks+1]), f[blocks+1]-f[0]),
		RatioSE: math.Hypot(jackknife(z[1:blocks+1]), z[blocks+1]-z[0])}
	if !(2*out.RatioSE <= widest) {
		out.CannotTell = fmt.Sprintf("its parts, or models of two orders, differ: %.2g ± %.2g %%", 100*out.Ratio, 200*out.RatioSE)
	}
	return out
}

// pole is the one of the filter model nearest to a frequency.
func (s *moments) pole(order int, hz, dt float64) (best complex128, ok bool) {
	by := append(append(run(0, order), run(filterOrder, order)...), 2*filterOrder, 2*filterOrder+1)
	c, ok := s.fit(by, s.of(by, []int{2*filterOrder + 2}))
	if !ok {
		return 0, false
	}
	companion := mat.NewDense(order, order, nil)
	for k := range order {
		companion.Set(0, k, c.At(k, 0))
		if k > 0 {
			companion.Set(k, k-1, 1)
		}
	}
	poles, err := lti.Eigenvalues(companion)
	if err != nil {
		return 0, false
	}
	off := math.Log(unlike)
	for _, z := range poles {
		p := cmplx.Log(z) / complex(dt, 0)
		if d := math.Abs(math.Log(cmplx.Abs(p) / (2 * math.Pi * hz))); imag(z) > 0 && d < off {
			best, off = p, d
		}
	}
	return best, best != 0
}

// Sentence says it in one line.
func (s *Swing) Sentence() string {
	if s.CannotTell != "" {
		return "Cannot tell frequency and damping of the response: " + s.CannotTell
	}
	parts := ""
	for i, w := range s.Thirds {
		parts += fmt.Sprintf("%s%.3g Hz and %.2f %%", [...]string{"", ", ", ", "}[i], w.FreqHz, 100*w.Ratio)
	}
	return fmt.Sprintf("The target swings at %.3g ± %.2g Hz with %.2f ± %.2f %% damping. How much of it control errors added cannot be "+
		"told without the numerical part. Thirds of the record: %s", s.FreqHz, 2*s.FreqSE, 100*s.Ratio, 200*s.RatioSE, parts)
}
