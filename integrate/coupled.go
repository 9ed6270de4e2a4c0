package integrate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/lti"
	"rths/structure"
)

// Specimen stands at the interface of a numerical part, as in package plant: mass (kg),
// own states z, and the force (N) with which the specimen resists the motion m of the
// interface. The force is without inertia.
type Specimen interface {
	Mass() float64
	States() int
	Rate(dz, force, z []float64, m *rths.Motion)
}

// committed and steep are package plant's Committed and Steep.
type committed interface {
	Commit(z []float64, m *rths.Motion)
}

type steep interface {
	Steepest() (k, c, rate float64)
}

// Coupled is the response of a numerical part with its specimen, as if no
// actuator, sensor or sample stood between them: the reference of a test whose
// specimen is not linear or is not a part of the structure,
//
//	(M_N + m e eᵀ) ẍ + C_N ẋ + K_N x + e f(x, ẋ, z) = −L a_g,  ż = g(z, x, ẋ)
//
// where L is the partition's load, and f contains the specimen's own dashpot. Mass and
// dashpot of a specimen taken out of the structure thus count once. The ground motion is
// linear between samples. Both parts are integrated together by the classical Runge–Kutta
// method of order 4, in sub-steps h with λ h ≤ 0.1 for the fastest rate λ of structure
// and specimen: an error of 1e-7 a sub-step.
type Coupled struct {
	n, dof   int
	specimen Specimen
	commit   committed // nil: none
	acc      *lti.Map  // of [x; ẋ; a_g; f]
	w, out   []float64
	y, trial []float64 // [x; ẋ; z]
	k        [4][]float64
	g        [2][]float64 // a_g at the ends of the sample
	steps    int
	h        float64 // s, of a sub-step
	at       rths.Motion
	motion   rths.Motion  // where the last step started
	table    *tableMotion // nil: the specimen's base moves relative to the ground
}

// tableMotion is the ground's share of a table's absolute motion, where the last
// sample started: Γ at the interface times displacement and velocity of the ground.
type tableMotion struct{ gamma, x, v []float64 }

// at is the share t (s) into a sample of h (s) with a_g from a to b.
func (g *tableMotion) at(t, h float64, a, b []float64) (x, v float64) {
	for j, gamma := range g.gamma {
		slope := (b[j] - a[j]) / h
		x += gamma * (g.x[j] + t*(g.v[j]+t*(a[j]/2+t*slope/6)))
		v += gamma * (g.v[j] + t*(a[j]+t*slope/2))
	}
	return x, v
}

// next goes to the end of the sample.
func (g *tableMotion) next(h float64, a, b []float64) {
	for j := range g.x {
		g.x[j] += h*g.v[j] + h*h*(2*a[j]+b[j])/6
		g.v[j] += h * (a[j] + b[j]) / 2
	}
}

// NewCoupledAbsolute is NewCoupled with the specimen's base in absolute motion, as of a
// table behind Absolute: f(x + Γ x_g, ẋ + Γ ẋ_g, z), and the mass of the base feels the
// absolute acceleration, so p.Load must not contain this mass. State shows absolute motion
// at the interface, relative motion elsewhere.
func NewCoupledAbsolute(p *structure.Partition, s Specimen, h float64) (*Coupled, error) {
	dof := p.Interface[0]
	pushed := *p
	pushed.Load = mat.DenseCopyOf(p.Load)
	gamma := append([]float64(nil), p.Whole.Gamma.RawRowView(dof)...)
	for j, g := range gamma {
		pushed.Load.Set(dof, j, pushed.Load.At(dof, j)+s.Mass()*g)
	}
	r, err := NewCoupled(&pushed, s, h)
	if err != nil {
		return nil, err
	}
	r.table = &tableMotion{gamma: gamma, x: make([]float64, len(gamma)), v: make([]float64, len(gamma))}
	return r, nil
}

// fastestStep is λ h of a sub-step; mostSteps of a sample are made.
const (
	fastestStep = 0.1
	mostSteps   = 5000
)

// NewCoupled makes the reference of a partition and its specimen, for the sample
// h (s).
func NewCoupled(p *structure.Partition, s Specimen, h float64) (*Coupled, error) {
	if err := checkPositive("coupled reference", h); err != nil {
		return nil, err
	}
	n, dof := p.N(), p.Interface[0]
	whole := *p
	whole.M = mat.DenseCopyOf(p.M)
	whole.M.Set(dof, dof, whole.M.At(dof, dof)+s.Mass())
	f, err := newFirstOrder(&whole)
	if err != nil {
		return nil, err
	}
	_, comps := f.g.Dims()
	r := &Coupled{n: n, dof: dof, specimen: s, at: rths.NewMotion(1), motion: rths.NewMotion(n)}
	r.motion.A = nil
	r.commit, _ = s.(committed)
	r.acc = lti.NewMap(sideBySide(sideBySide(f.a, f.g), f.e).Slice(n, 2*n, 0, 2*n+comps+1))
	r.w, r.out = make([]float64, 2*n+comps+1), make([]float64, r.acc.Rows())
	r.y, r.trial = make([]float64, 2*n+s.States()), make([]float64, 2*n+s.States())
	for i := range r.k {
		r.k[i] = make([]float64, len(r.y))
	}
	for i := range r.g {
		r.g[i] = make([]float64, comps)
	}
	return r, r.divide(whole, h)
}

// divide finds the sub-steps: the structure's fastest rate is looked for with the
// specimen where it is steepest.
func (r *Coupled) divide(p structure.Partition, h float64) error {
	own := 0.0
	if s, ok := r.specimen.(steep); ok {
		k, c, rate := s.Steepest()
		p.K, p.C, own = mat.DenseCopyOf(p.K), mat.DenseCopyOf(p.C), rate
		p.K.Set(r.dof, r.dof, p.K.At(r.dof, r.dof)+k)
		p.C.Set(r.dof, r.dof, p.C.At(r.dof, r.dof)+c)
	}
	f, err := newFirstOrder(&p)
	if err != nil {
		return err
	}
	radius, err := lti.SpectralRadius(f.a)
	if err != nil {
		return fmt.Errorf("coupled reference: %w", err)
	}
	lambda := max(radius, own)
	steps := math.Ceil(lambda * h / fastestStep)
	if !(steps <= mostSteps) {
		return fmt.Errorf("coupled reference: the fastest rate %.3g 1/s of structure and specimen needs %.3g sub-steps of a sample of %.3g s: want at most %d", lambda, steps, h, mostSteps)
	}
	r.steps = max(int(steps), 1)
	r.h = h / float64(r.steps)
	return nil
}

// rate is dy at the part t (0 to 1) of the sample.
func (r *Coupled) rate(dy, y []float64, t float64) {
	n, w := r.n, r.w
	copy(w, y[:2*n])
	for i := range r.g[0] {
		w[2*n+i] = r.g[0][i] + t*(r.g[1][i]-r.g[0][i])
	}
	r.interfaceAt(y, t)
	r.specimen.Rate(dy[2*n:], w[len(w)-1:], y[2*n:], &r.at)
	r.acc.Apply(r.out, w)
	copy(dy[:n], y[n:2*n])
	copy(dy[n:2*n], r.out)
}

// interfaceAt is the motion of the specimen's base at the part t of the sample.
func (r *Coupled) interfaceAt(y []float64, t float64) {
	r.at.X[0], r.at.V[0] = y[r.dof], y[r.n+r.dof]
	if r.table != nil {
		h := r.h * float64(r.steps)
		x, v := r.table.at(t*h, h, r.g[0], r.g[1])
		r.at.X[0] += x
		r.at.V[0] += v
	}
}

// ahead is y + h k.
func (r *Coupled) ahead(h float64, k []float64) []float64 {
	for i := range r.trial {
		r.trial[i] = r.y[i] + h*k[i]
	}
	return r.trial
}

// Step advances by one sample; ground is the window of a Frame, of which the
// half step is not used.
func (r *Coupled) Step(ground []float64) {
	copy(r.motion.X, r.y)
	copy(r.motion.V, r.y[r.n:])
	take(r.g[0], ground)
	take(r.g[1], ground[2*len(r.g[0]):])
	if r.table != nil {
		r.interfaceAt(r.y, 0)
		r.motion.X[r.dof], r.motion.V[r.dof] = r.at.X[0], r.at.V[0]
	}
	k, h, part := &r.k, r.h, 1/float64(r.steps)
	for i := range r.steps {
		t := float64(i) * part
		r.rate(k[0], r.y, t)
		r.rate(k[1], r.ahead(h/2, k[0]), t+part/2)
		r.rate(k[2], r.ahead(h/2, k[1]), t+part/2)
		r.rate(k[3], r.ahead(h, k[2]), t+part)
		for j := range r.y {
			r.y[j] += h / 6 * (k[0][j] + 2*k[1][j] + 2*k[2][j] + k[3][j])
		}
		if r.commit != nil {
			r.interfaceAt(r.y, t+part)
			r.commit.Commit(r.y[2*r.n:], &r.at)
		}
	}
	if r.table != nil {
		r.table.next(r.h*float64(r.steps), r.g[0], r.g[1])
	}
}

// Start releases structure and specimen from rest at the displacements x (m) at t_0. The
// specimen's states follow path, the motion by which the specimen was brought there.
func (r *Coupled) Start(x []float64, path func(t float64) (x, v float64), duration float64) {
	copy(r.y, x)
	z := r.y[2*r.n:]
	rate := func(dz, z []float64, t float64) {
		r.at.X[0], r.at.V[0] = path(t)
		r.specimen.Rate(dz, r.w[:1], z, &r.at)
	}
	trial := make([]float64, len(z))
	ahead := func(h float64, k []float64) []float64 {
		for i := range trial {
			trial[i] = z[i] + h*k[i]
		}
		return trial
	}
	var k [4][]float64
	for i := range k {
		k[i] = make([]float64, len(z))
	}
	for i := range int(duration / r.h) {
		t := float64(i) * r.h
		rate(k[0], z, t)
		rate(k[1], ahead(r.h/2, k[0]), t+r.h/2)
		rate(k[2], ahead(r.h/2, k[1]), t+r.h/2)
		rate(k[3], ahead(r.h, k[2]), t+r.h)
		for j := range z {
			z[j] += r.h / 6 * (k[0][j] + 2*k[1][j] + 2*k[2][j] + k[3][j])
		}
		if r.commit != nil {
			r.at.X[0], r.at.V[0] = path(t + r.h)
			r.commit.Commit(z, &r.at)
		}
	}
}

// State is the motion where the last step started: all DOF, without
// acceleration.
func (r *Coupled) State() *rths.Motion { return &r.motion }

// AppendState appends the state the next step starts from.
func (r *Coupled) AppendState(dst []float64) []float64 {
	dst = append(dst, r.y...)
	if r.table != nil {
		dst = append(append(dst, r.table.x...), r.table.v...)
	}
	return dst
}

// SetState restores what AppendState appended.
func (r *Coupled) SetState(src []float64) []float64 {
	src = src[copy(r.y, src):]
	if r.table != nil {
		src = src[copy(r.table.x, src):]
		src = src[copy(r.table.v, src):]
	}
	return src
}
