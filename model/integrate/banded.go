package integrate

import (
	"fmt"

	"rths"
	"rths/maths/lti"
	"rths/model/structure"
)

// Banded is an explicit method on a numerical part too large for a dense matrix
// of its step: one solution with a band matrix factorised beforehand and one
// product with the sparse stiffness per step. Gui-λ, Newmark's explicit method
// and central difference are one recursion,
//
//	r[k] = −L w[k] − e f[k] − C v[k] − K x[k]
//	(M + h/2 C + h²/λ K) q[k] = r[k]
//	v[k+1] = v[k] + h q[k],   x[k+1] = x[k] + h v[k+1]
//
// with 1/λ = 0 for the last two. For Gui-λ q is α ü and v the method's velocity. With
// 1/λ = 0 q is the acceleration of t_k and v = (x[k] − x[k−1])/h the velocity half a step
// before. The state is [x; v] for all three.
type Banded struct {
	p      *sparsePart
	left   *lti.Banded
	h      float64
	x, v   []float64 // at t_k+1
	known  []float64 // v where the last step started
	r, q   []float64
	g, f   []float64 // the inputs, g at three instants
	now    rths.Motion
	gui    bool // Gui-λ: Start and the rates shown
	derive func(b *Banded, target *rths.Motion)
}

// newBanded factorises M + h/2 C + h² overLambda K.
func newBanded(method string, part *structure.Partition, h, overLambda float64,
	derive func(*Banded, *rths.Motion)) (*Banded, error) {
	p, n := part.Sparse, part.N()
	diagonal := make([]float64, n)
	for i := range diagonal {
		diagonal[i] = p.M[i] + h/2*p.C[i]
	}
	left, err := lti.NewBanded(p.K.Shifted(h/2*p.A1+h*h*overLambda, diagonal))
	if err != nil {
		return nil, fmt.Errorf("%s: numerical part: %w", method, err)
	}
	b := &Banded{p: newSparsePart(part), left: left, h: h, now: rths.NewMotion(n), gui: overLambda > 0, derive: derive}
	for _, s := range []*[]float64{&b.x, &b.v, &b.known, &b.r, &b.q} {
		*s = make([]float64, n)
	}
	b.g, b.f = make([]float64, 3*len(b.p.load)), make([]float64, len(part.Interface))
	return b, nil
}

// HalfBandwidth is the half bandwidth of the matrix that each step solves with.
func (b *Banded) HalfBandwidth() int { return b.left.HalfBandwidth() }

// Step advances by one sample with the force of felt held, and gives the
// displacements of the target; see Derive for its rates. It uses nothing else of
// felt.
func (b *Banded) Step(target *rths.Motion, ground []float64, felt *rths.Reading) {
	take(b.g, ground)
	take(b.f, felt.F)
	copy(b.now.X, b.x)
	copy(b.known, b.v)
	b.balance(b.r, b.g[:len(b.p.load)])
	copy(b.q, b.r)
	b.left.Solve(b.q)
	x, v, h := b.x, b.v[:len(b.x)], b.h
	for i, q := range b.q[:len(b.x)] {
		v[i] += h * q
		x[i] += h * v[i]
	}
	for i, d := range b.p.iface {
		target.X[i] = x[d]
	}
}

// balance sets r = −L w − e f − C v − K x at the present state.
func (b *Banded) balance(r, w []float64) { b.p.balance(r, b.x, b.v, w, b.f) }

// Derive gives velocities and accelerations of State and of the target of the step just
// made, as the dense form does. The target's rates assume that the force is held to the
// end of the step. With Newmark's method a call costs another solution.
func (b *Banded) Derive(target *rths.Motion) { b.derive(b, target) }

// end are the actions at t_k+1.
func (b *Banded) end() []float64 { return b.g[2*len(b.p.load):] }

// deriveGui: u̇ is v, M ü = r.
func deriveGui(b *Banded, target *rths.Motion) {
	copy(b.now.V, b.known)
	for i, m := range b.p.M {
		b.now.A[i] = b.r[i] / m
	}
	b.balance(b.q, b.end())
	for i, d := range b.p.iface {
		target.V[i], target.A[i] = b.v[d], b.q[d]/b.p.M[d]
	}
}

// centred: ẍ is q, ẋ is v + h/2 q.
func (b *Banded) centred() {
	for i, q := range b.q {
		b.now.V[i], b.now.A[i] = b.known[i]+b.h/2*q, q
	}
}

func deriveNewmark(b *Banded, target *rths.Motion) {
	b.centred()
	b.balance(b.r, b.end())
	b.left.Solve(b.r)
	for i, d := range b.p.iface {
		target.V[i], target.A[i] = b.v[d]+b.h/2*b.r[d], b.r[d]
	}
}

func deriveCentral(b *Banded, target *rths.Motion) {
	b.centred()
	for i, d := range b.p.iface {
		target.V[i], target.A[i] = b.v[d], b.q[d]
	}
}

// Start begins a run at t_0 away from rest, before the first step: all DOF are
// released from the displacements x (m), where the interface forces (N) act. v
// starts with the velocity of half a step before t_0.
func (b *Banded) Start(x, force []float64) error {
	copy(b.x, x)
	clear(b.v)
	copy(b.f, force)
	clear(b.g)
	b.balance(b.q, b.end())
	if b.gui {
		b.left.Solve(b.q)
	} else {
		for i, m := range b.p.M {
			b.q[i] /= m
		}
	}
	for i, q := range b.q {
		b.v[i] = -b.h / 2 * q
	}
	return nil
}

// Closing is false: the step leads from t_k to t_k+1 with the force of t_k.
func (b *Banded) Closing() bool { return false }

// State is the motion of all DOF where the last step started. V and A are of the last
// call of Derive.
func (b *Banded) State() *rths.Motion { return &b.now }

// VisitState visits the state at t_k+1, which the next step starts from.
func (b *Banded) VisitState(v *rths.StateVisitor) { v.Floats(b.x, b.v) }
