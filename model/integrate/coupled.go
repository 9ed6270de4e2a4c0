package integrate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
	"rths/model/structure"
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

// Element is a specimen in the structure. Its deformation is Along · x, with a coefficient
// for each degree of freedom of the numerical part: 1 at degree of freedom i and −1 at j
// for an element between both.
type Element struct {
	Specimen Specimen
	Along    []float64
	Absolute bool // on a shake table: the deformation contains the motion of the ground
}

// Coupled is the response of a numerical part with its specimens, as if no
// actuator, sensor or sample stood between them: the reference of a test whose
// specimens are not linear or are not a part of the structure,
//
//	(M_N + Σ m b bᵀ) ẍ + C_N ẋ + K_N x + Σ b f(bᵀx, bᵀẋ, z) = −L a_g,  ż = g(z, bᵀx, bᵀẋ)
//
// where L is the partition's load, b is Along of a specimen, and f contains its own
// dashpot. Mass and dashpot of a specimen taken out of the structure thus count once. On a
// shake table the deformation is absolute, bᵀ(x + Γ x_g), and the specimen's mass feels the
// absolute acceleration: L must not contain this mass. The ground motion is
// linear between samples. All parts are integrated together by the classical Runge–Kutta
// method of order 4, in sub-steps h with λ h ≤ 0.1 for the fastest rate λ of structure
// and specimens: an error of 1e-7 a sub-step.
type Coupled struct {
	n        int
	elements []element
	acc      *lti.Map // of [x; ẋ; a_g; f]
	w, out   []float64
	y, trial []float64 // [x; ẋ; z]
	k        [4][]float64
	g        [2][]float64 // a_g at the ends of the sample
	steps    int
	h        float64      // s, of a sub-step
	motion   rths.Motion  // where the last step started
	table    *tableMotion // nil: no specimen stands on a shake table
}

// element is an Element with its place among the states.
type element struct {
	Specimen
	commit committed // nil: none
	dofs   []int     // where Along is not 0
	along  []float64 // and what it is there
	gamma  []float64 // Along · Γ, of a specimen on a shake table; else nil
	from   int       // its states in y
	at     rths.Motion
}

// tableMotion is displacement and velocity of the ground where the last sample started, for
// each of its components.
type tableMotion struct{ x, v []float64 }

// at is the motion in the direction gamma, t (s) into a sample of h (s) with a_g from a to b.
func (g *tableMotion) at(gamma []float64, t, h float64, a, b []float64) (x, v float64) {
	for j, gamma := range gamma {
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

// fastestStep is λ h of a sub-step; mostSteps of a sample are made.
const (
	fastestStep = 0.1
	mostSteps   = 5000
)

// NewCoupled makes the reference of a numerical part and its specimens, for the sample
// h (s).
func NewCoupled(p *structure.Partition, elements []Element, h float64) (*Coupled, error) {
	if err := checkPositive("coupled reference", h); err != nil {
		return nil, err
	}
	n := p.N()
	_, comps := p.Load.Dims()
	r := &Coupled{n: n, motion: rths.NewMotion(n), y: make([]float64, 2*n)}
	r.motion.A = nil
	for _, e := range elements {
		r.add(p, e)
	}
	f, err := firstOrderOf(r.withMass(p), r.places())
	if err != nil {
		return nil, err
	}
	r.acc = lti.NewMap(sideBySide(sideBySide(f.a, f.g), f.e).Slice(n, 2*n, 0, 2*n+comps+len(elements)))
	r.w, r.out = make([]float64, 2*n+comps+len(elements)), make([]float64, r.acc.Rows())
	r.trial = make([]float64, len(r.y))
	for i := range r.k {
		r.k[i] = make([]float64, len(r.y))
	}
	for i := range r.g {
		r.g[i] = make([]float64, comps)
	}
	return r, r.divide(p, h)
}

// add appends an element and its states to the others.
func (r *Coupled) add(p *structure.Partition, of Element) {
	e := element{Specimen: of.Specimen, from: len(r.y), at: rths.NewMotion(1)}
	e.commit, _ = of.Specimen.(committed)
	for dof, c := range of.Along {
		if c != 0 {
			e.dofs, e.along = append(e.dofs, dof), append(e.along, c)
		}
	}
	if of.Absolute {
		_, comps := p.Whole.Gamma.Dims()
		e.gamma = make([]float64, comps)
		for i, dof := range e.dofs {
			for j := range e.gamma {
				e.gamma[j] += e.along[i] * p.Whole.Gamma.At(dof, j)
			}
		}
		r.table = &tableMotion{x: make([]float64, comps), v: make([]float64, comps)}
	}
	r.y = append(r.y, make([]float64, of.Specimen.States())...)
	r.elements = append(r.elements, e)
}

// places has the column b of each element.
func (r *Coupled) places() *mat.Dense {
	out := mat.NewDense(r.n, len(r.elements), nil)
	for j := range r.elements {
		e := &r.elements[j]
		for i, dof := range e.dofs {
			out.Set(dof, j, e.along[i])
		}
	}
	return out
}

// withMass is the numerical part with the mass of all elements.
func (r *Coupled) withMass(p *structure.Partition) *structure.Partition {
	whole := *p
	whole.M, whole.Load = mat.DenseCopyOf(p.M), mat.DenseCopyOf(p.Load)
	for i := range r.elements {
		e := &r.elements[i]
		e.addTo(whole.M, e.Mass())
		for k, dof := range e.dofs {
			for j, gamma := range e.gamma {
				whole.Load.Set(dof, j, whole.Load.At(dof, j)+e.along[k]*e.Mass()*gamma)
			}
		}
	}
	return &whole
}

// addTo adds v b bᵀ to a matrix.
func (e *element) addTo(a *mat.Dense, v float64) {
	for i, di := range e.dofs {
		for j, dj := range e.dofs {
			a.Set(di, dj, a.At(di, dj)+v*e.along[i]*e.along[j])
		}
	}
}

// divide finds the sub-steps: the structure's fastest rate is looked for with every
// specimen where it is steepest.
func (r *Coupled) divide(p *structure.Partition, h float64) error {
	whole, own := r.withMass(p), 0.0
	whole.K, whole.C = mat.DenseCopyOf(p.K), mat.DenseCopyOf(p.C)
	for i := range r.elements {
		e := &r.elements[i]
		if s, ok := e.Specimen.(steep); ok {
			k, c, rate := s.Steepest()
			e.addTo(whole.K, k)
			e.addTo(whole.C, c)
			own = max(own, rate)
		}
	}
	f, err := newFirstOrder(whole)
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
		return fmt.Errorf(
			"coupled reference: the fastest rate %.3g 1/s of structure and specimens needs %.3g sub-steps of a sample of %.3g "+
				"s: want at most %d", lambda, steps, h, mostSteps)
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
	forces := w[2*n+len(r.g[0]):]
	for i := range r.elements {
		e := &r.elements[i]
		r.deform(e, y, t)
		e.Rate(dy[e.from:e.from+e.States()], forces[i:i+1], y[e.from:e.from+e.States()], &e.at)
	}
	r.acc.Apply(r.out, w)
	copy(dy[:n], y[n:2*n])
	copy(dy[n:2*n], r.out)
}

// deform is the deformation of an element at the part t of the sample.
func (r *Coupled) deform(e *element, y []float64, t float64) {
	x, v := 0.0, 0.0
	for i, dof := range e.dofs {
		x += e.along[i] * y[dof]
		v += e.along[i] * y[r.n+dof]
	}
	if e.gamma != nil {
		h := r.h * float64(r.steps)
		xg, vg := r.table.at(e.gamma, t*h, h, r.g[0], r.g[1])
		x, v = x+xg, v+vg
	}
	e.at.X[0], e.at.V[0] = x, v
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
	r.showTable()
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
		for j := range r.elements {
			if e := &r.elements[j]; e.commit != nil {
				r.deform(e, r.y, t+part)
				e.commit.Commit(r.y[e.from:e.from+e.States()], &e.at)
			}
		}
	}
	if r.table != nil {
		r.table.next(r.h*float64(r.steps), r.g[0], r.g[1])
	}
}

// showTable shows the absolute motion of a shake table at its degree of freedom.
func (r *Coupled) showTable() {
	for i := range r.elements {
		if e := &r.elements[i]; e.gamma != nil {
			r.deform(e, r.y, 0)
			r.motion.X[e.dofs[0]], r.motion.V[e.dofs[0]] = e.at.X[0], e.at.V[0]
		}
	}
}

// Start releases structure and specimens from rest at the displacements x (m) at t_0. The
// states of each specimen follow its deformation on the way there: all degrees of freedom
// move by path, the share of x at a time and its rate, 1/s.
func (r *Coupled) Start(x []float64, path func(t float64) (share, rate float64), duration float64) {
	copy(r.y, x)
	for i := range r.elements {
		e := &r.elements[i]
		whole := 0.0
		for k, dof := range e.dofs {
			whole += e.along[k] * x[dof]
		}
		r.bring(e, func(t float64) (x, v float64) {
			share, rate := path(t)
			return share * whole, rate * whole
		}, duration)
	}
}

// bring integrates the states of an element along its deformation.
func (r *Coupled) bring(e *element, path func(t float64) (x, v float64), duration float64) {
	z, force := r.y[e.from:e.from+e.States()], []float64{0}
	rate := func(dz, z []float64, t float64) {
		e.at.X[0], e.at.V[0] = path(t)
		e.Rate(dz, force, z, &e.at)
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
		if e.commit != nil {
			e.at.X[0], e.at.V[0] = path(t + r.h)
			e.commit.Commit(z, &e.at)
		}
	}
}

// State is the motion where the last step started: all DOF, without
// acceleration.
func (r *Coupled) State() *rths.Motion { return &r.motion }

// VisitState visits the state the next step starts from.
func (r *Coupled) VisitState(v *rths.StateVisitor) {
	v.Floats(r.y)
	if r.table != nil {
		v.Floats(r.table.x, r.table.v)
	}
}
