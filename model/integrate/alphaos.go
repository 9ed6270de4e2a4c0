package integrate

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/model/structure"
)

// AlphaOS is the α-operator-splitting method (Nakashima et al. 1990; Combescure and Pegon 1997): the numerical part is
// implicit, as in Hilber, Hughes and Taylor's method, the specimen is loaded to a predicted displacement, and its
// force is corrected with its initial stiffness K_I:
//
//	M a[k+1] + (1+α) s[k+1] − α s[k] = 0,   s = C v + K d + L w + e r,   r = r̃(x) + K_I (d − x)
//	d[k+1] = d̃ + β h² a[k+1],   d̃ = d[k] + h v[k] + h² (½ − β) a[k]
//	v[k+1] = ṽ + γ h a[k+1],    ṽ = v[k] + h (1 − γ) a[k],   γ = ½ − α,  β = (1 − α)²/4
//
// x is the displacement where the force was measured: d̃ with one iteration. With N of them the step is an implicit
// one with N displacements: iteration i solves the equation about the present estimate of d[k+1], and goes the part
// 1/(N−i) of the way that is left to it, so that the last is the estimate itself and a path that yields is not left
// and entered again. That is for slow tests alone (Iterative).
//
// Order 2, stable for any step where K_I is at least half of the specimen's tangent stiffness. K_I is what the
// partition takes out of the structure: 0 of specimens beside it, which are explicit. Begins at rest. Not for sparse
// matrices, devices of the numerical part, or a structure released from a displacement.
type AlphaOS struct {
	Alpha      float64 `yaml:"alpha" doc:"numerical damping of high modes, -1/3 to 0: 0 damps nothing"`
	Iterations int     `yaml:"iterations" doc:"displacements that the specimen is brought to in a step, 1 to 100; more than 1 for pace ramp-hold alone, where a specimen yields within a step"`
}

const mostSplit = 100

// Make makes the integrator.
func (o *AlphaOS) Make(p *structure.Partition, h float64) (rths.Integrator, error) {
	switch {
	case checkPositive("alpha-os", h) != nil:
		return nil, checkPositive("alpha-os", h)
	case !(o.Alpha >= -1./3) || o.Alpha > 0:
		return nil, fmt.Errorf("alpha-os: alpha %g: want -1/3 to 0", o.Alpha)
	case o.Iterations < 1 || o.Iterations > mostSplit:
		return nil, fmt.Errorf("alpha-os: %d iterations: want 1 to %d", o.Iterations, mostSplit)
	case p.Sparse != nil:
		return nil, fmt.Errorf("alpha-os: a structure of %d degrees of freedom held as sparse matrices: want average-acceleration, "+
			"or a reduced structure", p.N())
	case len(p.Devices) > 0:
		return nil, fmt.Errorf("alpha-os: %d devices or yielding storeys in the numerical part: want an explicit method, such as "+
			"central-difference", len(p.Devices))
	}
	return newSplitting(o, p, h)
}

// splitting is the integrator.
type splitting struct {
	p                     *structure.Partition
	h, alpha, beta, gamma float64
	n, motions            int
	motion                int
	initial               *mat.Dense // K_I, a row for each interface coordinate
	solve                 *mat.Dense // (M/βh² + (1+α)(γ/βh C + K + K_I))⁻¹

	now         rths.Motion // d, v, a at t_k
	s           []float64   // at t_k
	pred, predV []float64   // d̃, ṽ
	est         []float64   // of d[k+1]
	x           []float64   // of the interface, where the specimen is told to go
	vel, acc    []float64   // of the estimate
	sum, change []float64   // s of the estimate, and its correction
	force       []float64   // r of the estimate
}

func newSplitting(o *AlphaOS, p *structure.Partition, h float64) (*splitting, error) {
	n, at := p.N(), len(p.Interface)
	y := &splitting{p: p, h: h, alpha: o.Alpha, beta: (1 - o.Alpha) * (1 - o.Alpha) / 4, gamma: 0.5 - o.Alpha, n: n,
		motions: o.Iterations, initial: mat.NewDense(max(1, at), max(1, at), nil), now: rths.NewMotion(n)}
	vector := func() []float64 { return make([]float64, n) }
	y.s, y.pred, y.predV, y.est, y.vel, y.acc, y.sum, y.change = vector(), vector(), vector(), vector(), vector(), vector(),
		vector(), vector()
	y.x, y.force = make([]float64, at), make([]float64, at)
	var left, part mat.Dense
	left.Scale(1/(y.beta*h*h), p.M)
	part.Scale((1+y.alpha)*y.gamma/(y.beta*h), p.C)
	left.Add(&left, &part)
	part.Scale(1+y.alpha, p.K)
	left.Add(&left, &part)
	for i, di := range p.Interface {
		for j, dj := range p.Interface {
			if p.Whole != nil && p.Whole.K != nil {
				y.initial.Set(i, j, p.SignOf(i)*p.SignOf(j)*(p.Whole.K.At(di, dj)-p.K.At(di, dj)))
			}
			left.Set(di, dj, left.At(di, dj)+(1+y.alpha)*p.SignOf(i)*p.SignOf(j)*y.initial.At(i, j))
		}
	}
	y.solve = new(mat.Dense)
	if err := y.solve.Inverse(&left); err != nil {
		return nil, fmt.Errorf("alpha-os: M/βh² + γ/βh C + K is singular: %w", err)
	}
	return y, nil
}

// Closing is false: the target is known before the force.
func (y *splitting) Closing() bool { return false }

// Motions are the displacements of a step.
func (y *splitting) Motions() int { return y.motions }

// State is the motion at t_k, corrected by the force of t_k.
func (y *splitting) State() *rths.Motion { return &y.now }

// Corrected is the specimen's force of t_k at its displacement, by K_I from the one that was measured.
func (y *splitting) Corrected() []float64 { return y.force }

// Step takes the force at the displacement before, and gives the next.
func (y *splitting) Step(target *rths.Motion, ground []float64, felt *rths.Reading) {
	comps := len(ground) / 3
	if y.motion == 0 {
		y.iterate(ground[:comps], felt.F)
		y.commit(ground[:comps], felt.F)
	} else {
		y.iterate(ground[2*comps:], felt.F)
	}
	left := float64(y.motions - y.motion)
	for i, dof := range y.p.Interface {
		y.x[i] += (y.p.SignOf(i)*y.est[dof] - y.x[i]) / left
		if left == 1 {
			y.x[i] = y.p.SignOf(i) * y.est[dof]
		}
		target.X[i] = y.x[i]
		if len(target.V) > 0 {
			target.V[i], target.A[i] = y.p.SignOf(i)*y.predV[dof], y.p.SignOf(i)*y.now.A[dof]
		}
	}
	if y.motion++; y.motion == y.motions {
		y.motion = 0
	}
}

// balance is M a + (1+α) s − α s[k], and s, of the estimate; the specimen's force was f at x.
func (y *splitting) balance(w, f []float64) {
	for i := range y.est {
		y.acc[i] = (y.est[i] - y.pred[i]) / (y.beta * y.h * y.h)
		y.vel[i] = y.predV[i] + y.gamma*y.h*y.acc[i]
	}
	for i := range y.n {
		y.sum[i] = dot(y.p.C.RawRowView(i), y.vel) + dot(y.p.K.RawRowView(i), y.est)
		row := y.p.Load.RawRowView(i)
		for j := range row {
			y.sum[i] += row[j] * w[j]
		}
	}
	for i, dof := range y.p.Interface {
		r := f[i]
		for j, other := range y.p.Interface {
			r += y.initial.At(i, j) * (y.p.SignOf(j)*y.est[other] - y.x[j])
		}
		y.force[i] = r
		y.sum[dof] += y.p.SignOf(i) * r
	}
}

// iterate corrects the estimate once.
func (y *splitting) iterate(w, f []float64) {
	y.balance(w, f)
	for i := range y.n {
		y.change[i] = -dot(y.p.M.RawRowView(i), y.acc) - (1+y.alpha)*y.sum[i] + y.alpha*y.s[i]
	}
	for i := range y.n {
		y.est[i] += dot(y.solve.RawRowView(i), y.change)
	}
}

// commit takes the estimate as the motion at t_k, and predicts.
func (y *splitting) commit(w, f []float64) {
	y.balance(w, f)
	copy(y.now.X, y.est)
	copy(y.now.V, y.vel)
	copy(y.now.A, y.acc)
	copy(y.s, y.sum)
	h := y.h
	for i, a := range y.now.A {
		y.pred[i] = y.now.X[i] + h*y.now.V[i] + h*h*(0.5-y.beta)*a
		y.predV[i] = y.now.V[i] + h*(1-y.gamma)*a
	}
	copy(y.est, y.pred)
}

// Start refuses.
func (y *splitting) Start(x, force []float64) error {
	return fmt.Errorf("alpha-os begins at rest: want another integrator for a structure released from a displacement")
}

// VisitState visits what the next step needs.
func (y *splitting) VisitState(v *rths.StateVisitor) {
	v.Floats(y.pred, y.predV)
	if y.alpha != 0 {
		v.Floats(y.s)
	}
	if y.motions > 1 {
		v.Int(&y.motion)
		v.Floats(y.est, y.x)
		return
	}
	copy(y.est, y.pred)
	for i, dof := range y.p.Interface {
		y.x[i] = y.p.SignOf(i) * y.est[dof]
	}
}
