package learn

import (
	"math"

	"rths"
	"rths/model/device"
)

// UKF is an unscented Kalman filter of parameters θ that wander slowly, constrained to their bounds (Malik et al. 2025;
// van der Merwe 2004 for the standard form). Every tick, with the measured deformation x, its rate v and the force y:
//
//	P ← P + Q
//	θ₀ = θ̄,  θᵢ = θ̄ ± α √L column i of √P,  α = 1, or less so that all keep the bounds
//	yᵢ = f(x, v, z̄ + S (θᵢ − θ̄); θᵢ),  ȳ = Σ Wmᵢ yᵢ
//	K = Pxy/Pyy,  θ̄ ← θ̄ + K (y − ȳ),  P ← P − K Pyy Kᵀ
//
// z̄ is the state of the law with the mean parameters, and S = ∂z/∂θ goes along with it: every point has the state that
// its own parameters would have led to. Published settings (P₀ = (3e-4 θ)², α = 1e-3, a state of each point that
// forgets the parameters it had) fail on devices whose truth is known; here P₀ = (0.1 θ)² and Q = (3e-5 θ)² a tick at
// 1024 Hz, in the parameters' nominal values.
//
// While the device stands nearly still, or the reading is old, the states go on and nothing is learned. Parameters that
// stay at a bound come back to the last sound ones, once in each stay.
type UKF struct {
	follower
	cov      []float64 // P, L×L by rows
	root     []float64 // √P, lower, by rows
	points   []float64 // θᵢ − θ̄ of the 2L points, by rows
	y        []float64 // ȳ's points
	gain     []float64
	sound    []float64 // θ, while no parameter was at a bound
	pinned   float64
	soundFor float64 // s without a bound

	fellBack float64 // events so far
}

const (
	startSD  = 0.1    // of θ in nominal values
	wanderSD = 3e-5   // a tick at 1024 Hz
	wanderHz = 1024.0 // where wanderSD holds
	beta     = 2.0
	leastVar = 1e-12 // P's diagonal does not fall below it
	whiteS   = 3.0   // s over which the residual is judged
	soundS   = 1.0   // s without a bound after which parameters are sound
)

// NewUKF starts a filter at the law's parameters, whose law is at rest.
func NewUKF(law device.Law, p []device.Parameter, s Settings) (*UKF, error) {
	f, err := newFollower(law, p, s)
	if err != nil {
		return nil, err
	}
	n := len(p)
	u := &UKF{follower: *f, cov: make([]float64, n*n), root: make([]float64, n*n), points: make([]float64, 2*n*n),
		y: make([]float64, 2*n), gain: make([]float64, n)}
	for i := range n {
		u.cov[i*n+i] = startSD * startSD
	}
	u.sound = append(u.sound, u.theta...)
	return u, nil
}

// Step takes one reading: deformation x (m), its rate v (m/s) and force (N). Nothing is learned from an old reading, and
// a motion that is no number moves nothing.
func (u *UKF) Step(x, v, force float64, old bool) {
	if !u.goes(x, v, force, old) {
		return
	}
	u.learn(x, v, force)
	u.guard()
	u.set(u.theta)
}

// learn is the filter's step.
func (u *UKF) learn(x, v, force float64) {
	n := len(u.p)
	q := wanderSD * wanderSD * wanderHz * u.h
	for i := range n {
		u.cov[i*n+i] += q
	}
	alpha := u.spread()
	y0 := u.forceAt(x, v, nil)
	a2 := alpha * alpha
	wm0, w := 1-1/a2, 1/(2*float64(n)*a2)
	mean := wm0 * y0
	for i := range u.y {
		u.y[i] = u.forceAt(x, v, u.points[i*n:(i+1)*n])
		mean += w * u.y[i]
	}
	pyy := u.s.Noise*u.s.Noise + (wm0+1-a2+beta)*(y0-mean)*(y0-mean)
	clear(u.gain) // Pxy
	for i, y := range u.y {
		d := y - mean
		pyy += w * d * d
		for j := range u.gain {
			u.gain[j] += w * u.points[i*n+j] * d
		}
	}
	e := force - mean
	if !rths.Finite(e/pyy) || !(pyy > 0) {
		return
	}
	u.judge(e, math.Sqrt(pyy))
	for i := range n {
		for j := range n {
			u.cov[i*n+j] -= u.gain[i] * u.gain[j] / pyy
		}
	}
	for j := range n {
		u.move(j, u.gain[j]/pyy*e)
	}
}

// spread sets the sigma points, and gives the α with which they keep the bounds: 1, 0.9 … 0.1, or what is left. (Points
// that are cut off one by one would lie unevenly, which turns the sign of the gain at a bound.)
func (u *UKF) spread() float64 {
	u.factor()
	n := len(u.p)
	fits, alpha := 1.0, 1.0
	for j := range n {
		room := min(u.high[j]-u.theta[j], u.theta[j]-u.low[j])
		for i := range n {
			if d := math.Sqrt(float64(n)) * math.Abs(u.root[j*n+i]); d*fits > room {
				fits = room / d
			}
		}
	}
	for alpha > fits && alpha > 0.15 {
		alpha -= 0.1
	}
	alpha = min(alpha, fits)
	size := alpha * math.Sqrt(float64(n))
	for i := range n {
		for j := range n {
			d := size * u.root[j*n+i]
			u.points[2*i*n+j], u.points[(2*i+1)*n+j] = d, -d
		}
	}
	return alpha
}

// factor is the Cholesky factor of P, whose pivots are lifted to leastVar where rounding has taken them.
func (u *UKF) factor() {
	n, p, l := len(u.p), u.cov, u.root
	for j := range n {
		for i := j; i < n; i++ {
			sum := p[i*n+j]
			for k := range j {
				sum -= l[i*n+k] * l[j*n+k]
			}
			if i > j {
				l[i*n+j] = sum / l[j*n+j]
				continue
			}
			if sum < leastVar {
				p[j*n+j] += leastVar - sum
				sum = leastVar
			}
			l[j*n+j] = math.Sqrt(sum)
		}
	}
}

// guard remembers sound parameters, and goes back to them from a bound.
func (u *UKF) guard() {
	if !u.AtBound() {
		u.pinned = 0
		if u.soundFor += u.h; u.soundFor >= soundS {
			copy(u.sound, u.theta)
			u.soundFor = 0
		}
		return
	}
	u.soundFor = 0
	if u.pinned += u.h; u.pinned < u.s.PinnedS || u.pinned-u.h >= u.s.PinnedS {
		return
	}
	n := len(u.p)
	clear(u.cov)
	for j := range n {
		u.move(j, u.sound[j]-u.theta[j])
		u.cov[j*n+j] = startSD * startSD
	}
	u.fellBack++
}

// Covariance is the covariance of two parameters, in their own units.
func (u *UKF) Covariance(i, j int) float64 { return u.cov[i*len(u.p)+j] * u.unit[i] * u.unit[j] }

// Value is a parameter and its standard deviation, in its own unit.
func (u *UKF) Value(j int) (value, sd float64) {
	n := len(u.p)
	return u.theta[j] * u.unit[j], math.Sqrt(max(u.cov[j*n+j], 0)) * u.unit[j]
}

// FellBack is how often parameters at a bound went back to sound ones.
func (u *UKF) FellBack() int { return int(u.fellBack) }

// VisitAdaptation visits what was learned.
func (u *UKF) VisitAdaptation(v *rths.StateVisitor) {
	u.follower.VisitAdaptation(v)
	v.Floats(u.cov, u.sound)
	v.Float(&u.pinned, &u.soundFor, &u.fellBack)
}

// whiteness sums residuals e in their standard deviation, the older the less: 1, e² and e[k] e[k−1].
type whiteness struct{ n, square, lagged, last float64 }

func (w *whiteness) take(e, keep float64) {
	const far = 4 // a search that begins far off is soon forgotten
	e = min(max(e, -far), far)
	w.n = keep*w.n + 1
	w.square = keep*w.square + e*e
	w.lagged = keep*w.lagged + e*w.last
	w.last = e
}

// is wants products of neighbours and a mean square that white noise of size 1 has with a chance of 1e-4 or more.
// Residuals smaller than that pass: the force was measured better than was said.
func (w *whiteness) is() bool {
	const bound = 3.9
	return math.Abs(w.lagged)/math.Sqrt(w.n) < bound && (w.square/w.n-1)*math.Sqrt(w.n/2) < bound
}

// VisitState visits the sums.
func (w *whiteness) VisitState(v *rths.StateVisitor) { v.Float(&w.n, &w.square, &w.lagged, &w.last) }
