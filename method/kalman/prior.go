package kalman

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"

	"rths"
	"rths/maths/lti"
	"rths/method/identify"
)

// prior is what is known before the test: the covariance P0 of the parameters about the bare
// plant, their bounds, and the range of a₄. It comes from draws of
//
//	a(s) = [b₀ + Σ bᵢ (1 + εᵢ) sⁱ (1 + κ + γ s + μ s²)]/gain,  i = 1 … 3,
//
// the inverse of a plant whose gain and coefficients scatter and which a specimen loads with
// stiffness κ, damping γ and mass μ, all relative to the bare plant's own. The delay δ beside
// it is uniform from the pure delay of the transfer system to delay_ms above.
type prior struct {
	p0       [kalmanParams][kalmanParams]float64
	lo, hi   [kalmanParams]float64
	start    [kalmanParams]float64 // that P0 is the second moment about
	middle   [kalmanParams]float64 // of the draws
	c        [kalmanTerms]float64  // of a₄ = Σ cᵢ aᵢ
	undamped float64               // θ₂/θ₁ of a load without damping; 0: nothing loads the plant
	pure     float64               // δ at the start
	top      float64               // the largest a₄, s⁴
	mean     float64               // of a₄, s⁴
}

// Ranges of the prior: the largest load, and the number and seed of the draws. The mass of a
// specimen puts the resonance of the oil column at 46 Hz or above.
const (
	mostStiffness = 0.5
	mostDamping   = 0.25e-3 // s
	leastOilHz    = 46.0
	priorDraws    = 4000
	priorSeed     = 30
	snapReach     = 1.5 // times the largest a₄ drawn
	delayReach    = 1.5 // times delay_ms
)

// snapOf are the cᵢ of a₄ = Σ cᵢ aᵢ. Of the loaded plant a(s) = a₀ + L(s) (1 + κ + γs + μs²)
// with L = b₁s + b₂s² + b₃s³
//
//	a₁ = b₁ (1+κ),  a₂ = b₂ (1+κ) + b₁γ,  a₃ = b₃ (1+κ) + b₂γ + b₁μ,  a₄ = b₃γ + b₂μ,
//
// so that κ, γ and μ follow linearly from a₁ to a₃, and a₄ from them.
func snapOf(b [kalmanTerms]float64) (c [kalmanTerms]float64) {
	b1, b2, b3 := b[1], b[2], b[3]
	if b1 == 0 {
		return c
	}
	return [kalmanTerms]float64{0, (b2*b2*b2/b1 - 2*b2*b3) / (b1 * b1), (b3 - b2*b2/b1) / b1, b2 / b1}
}

// prior draws, about the inverse b and the pure delay, s.
func (p *Inverse) prior(b [kalmanTerms]float64, delay float64) (out prior) {
	loaded := p.Loading == bySpecimen
	if loaded {
		out.c = snapOf(b)
		if b[1] > 0 {
			out.undamped = b[2] / b[1] * kalmanW
		}
	}
	start := [kalmanParams]float64{kalmanTerms: delay * kalmanW}
	for i := range b {
		start[i] = b[i] * math.Pow(kalmanW, float64(i))
	}
	out.lo, out.hi = start, start
	random := rand.New(rand.NewPCG(priorSeed, 0))
	for range priorDraws {
		a, snap := p.draw(b, random)
		for i := range a {
			a[i] *= math.Pow(kalmanW, float64(i))
			out.lo[i], out.hi[i] = min(out.lo[i], a[i]), max(out.hi[i], a[i])
		}
		for i := range a {
			out.middle[i] += a[i] / priorDraws
			for j := range a {
				out.p0[i][j] += (a[i] - start[i]) * (a[j] - start[j]) / priorDraws
			}
		}
		if loaded {
			out.top = max(out.top, snapReach*snap)
			out.mean += snap / priorDraws
		}
	}
	for i := range start { // half as wide again on each side
		width := out.hi[i] - out.lo[i]
		out.hi[i] += width / 2
		out.lo[i] = max(out.lo[i]-width/2, min(start[i]/2, start[i]))
	}
	most := p.DelayMs / 1e3 * kalmanW
	out.pure = start[kalmanTerms]
	out.lo[kalmanTerms], out.hi[kalmanTerms] = max(0, out.pure-delayReach*most), out.pure+delayReach*most
	out.p0[kalmanTerms][kalmanTerms] = most * most / 3
	out.middle[kalmanTerms] = out.pure + most/2
	out.start = start
	return out
}

// about moves P0, the second moment of the draws, to other estimates at the start. The draws have the mean m:
//
//	E (a − θ)(a − θ)ᵀ = E (a − b)(a − b)ᵀ + (m − θ)(m − θ)ᵀ − (m − b)(m − b)ᵀ.
func (q *prior) about(theta [kalmanParams]float64) {
	from, to := q.middle, q.middle
	for i := range theta {
		from[i] -= q.start[i]
		to[i] -= theta[i]
	}
	for i := range kalmanParams {
		for j := range kalmanParams {
			if i == j || i < kalmanTerms && j < kalmanTerms { // the delay is drawn by itself
				q.p0[i][j] += to[i]*to[j] - from[i]*from[j]
			}
		}
	}
	q.start = theta
}

// draw is one a(s), to s³, and the a₄ of its load.
func (p *Inverse) draw(b [kalmanTerms]float64, random *rand.Rand) (a [kalmanTerms]float64, snap float64) {
	uniform := func() float64 { return math.Sqrt(3) * p.LagSD * (2*random.Float64() - 1) } // standard deviation lag_sd
	gain := 1 + uniform()
	for i := 1; i < kalmanTerms; i++ {
		b[i] *= 1 + uniform()
	}
	oil := 2 * math.Pi * leastOilHz
	kappa, gamma, mu := mostStiffness*random.Float64(), mostDamping*random.Float64(), random.Float64()/(oil*oil)
	a = [kalmanTerms]float64{
		b[0],
		b[1] * (1 + kappa),
		b[2]*(1+kappa) + b[1]*gamma,
		b[3]*(1+kappa) + b[2]*gamma + b[1]*mu,
	}
	for i := range a {
		a[i] /= gain
	}
	return a, max(0, b[3]*gamma+b[2]*mu)
}

// prefilter is G(s) = b₀/(b₀ + b₁ s + b₂ s² + b₃ s³) times a Butterworth low-pass that brings
// the order to 5, so that the filtered signal w has four derivatives and they are states:
//
//	w⁽⁵⁾ = (y − Σ dᵢ w⁽ⁱ⁾)/d₅,  i = 0 … 4,  d₀ = 1.
//
// The bilinear transform (Tustin) integrates every state by the trapezoidal rule.
type prefilter struct {
	d       [prefilterOrder]float64 // d₀ … d₄
	power   [prefilterOrder]float64 // (h/2)^(5−i)
	half    float64                 // h/2
	highest float64                 // d₅
	over    float64                 // 1/(d₅ + Σ dᵢ (h/2)^(5−i))
}

const prefilterOrder = 5

// derived is a signal after its running mean and the prefilter.
type derived struct {
	mean float64
	w    [prefilterOrder]float64 // w, w′, … w⁗
	top  float64                 // w⁽⁵⁾
}

// newPrefilter designs it. A b with roots on the right, whose inverse would grow, is cut
// after its term of order 2, else 1, else 0.
func newPrefilter(b [kalmanTerms]float64, cutoff, h float64) prefilter {
	order := kalmanTerms - 1
	for order > 0 && !hurwitz(b, order) {
		order--
	}
	low := butterworthPolynomial(prefilterOrder-order, cutoff)
	var d [prefilterOrder + 1]float64
	for i := range order + 1 {
		for j, v := range low {
			d[i+j] += b[i] / b[0] * v
		}
	}
	f := prefilter{half: h / 2, highest: d[prefilterOrder]}
	power, sum := 1.0, d[prefilterOrder]
	for i := prefilterOrder - 1; i >= 0; i-- {
		power *= h / 2
		f.d[i], f.power[i] = d[i], power
		sum += d[i] * power
	}
	f.over = 1 / sum
	return f
}

// hurwitz reports whether b₀ + … + b_n sⁿ with b₀ > 0, n up to 3, has order n and all roots on
// the left. A last term of less than 1e-9 at W is none.
func hurwitz(b [kalmanTerms]float64, n int) bool {
	for i := 1; i <= n; i++ {
		if !(b[i] > 0) {
			return false
		}
	}
	if b[n]*math.Pow(kalmanW, float64(n)) < 1e-9*b[0] {
		return false
	}
	return n < 3 || b[1]*b[2] > b[0]*b[3]
}

// butterworthPolynomial is the denominator of an analogue Butterworth low-pass, 1 at s = 0,
// in ascending powers of s.
func butterworthPolynomial(order int, cutoff float64) []float64 {
	p := []complex128{1}
	for k := range order {
		pole := cmplx.Exp(complex(0, math.Pi*(0.5+(2*float64(k)+1)/(2*float64(order)))))
		next := make([]complex128, len(p)+1)
		for i, v := range p { // times (1 − s/(pole cutoff))
			next[i] += v
			next[i+1] -= v / (pole * complex(cutoff, 0))
		}
		p = next
	}
	out := make([]float64, len(p))
	for i, v := range p {
		out[i] = real(v)
	}
	return out
}

// step takes one sample. A value that is no displacement leaves all as it is.
func (f *prefilter) step(s *derived, y, memory float64) {
	if !(math.Abs(y) <= identify.Absurd) {
		return
	}
	s.mean += (y - s.mean) * memory
	y -= s.mean
	w, d, q := &s.w, &f.d, f.half
	w4 := w[4] + q*s.top
	w3 := w[3] + q*(w[4]+w4)
	w2 := w[2] + q*(w[3]+w3)
	w1 := w[1] + q*(w[2]+w2)
	w0 := w[0] + q*(w[1]+w1)
	top := (y - d[0]*w0 - d[1]*w1 - d[2]*w2 - d[3]*w3 - d[4]*w4) * f.over
	s.top = top
	g := &f.power
	w[0], w[1], w[2], w[3], w[4] = w0+g[0]*top, w1+g[1]*top, w2+g[2]*top, w3+g[3]*top, w4+g[4]*top
}

func (s *derived) visit(v *rths.StateVisitor) {
	v.Float(&s.mean)
	v.Floats(s.w[:])
	v.Float(&s.top)
}

// slowest is the magnitude of the slowest pole after the bilinear transform.
func (f *prefilter) slowest() (most float64, err error) {
	d := &f.d
	poles, err := lti.Roots([]float64{f.highest, d[4], d[3], d[2], d[1], d[0]})
	if err != nil {
		return 0, fmt.Errorf("prefilter: %w", err)
	}
	for _, s := range poles {
		re, im := real(s)*f.half, imag(s)*f.half
		most = max(most, math.Hypot(1+re, im)/math.Hypot(1-re, im))
	}
	return most, nil
}
