package integrate

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
	"rths/model/structure"
)

// KRAlpha is the explicit method KR-α of Kolay and Ricles 2014, whose numerical damping takes high modes out:
//
//	x[k+1] = x[k] + h ẋ[k] + h² α₂ ẍ[k],   ẋ[k+1] = ẋ[k] + h α₁ ẍ[k]
//	M ((I − α₃) ẍ[k+1] + α₃ ẍ[k]) = (1 − αf) F[k+1] + αf F[k],   F = −L w − e f − C ẋ − K x
//	α = M + γ h C + β h² K,   α₁ = α⁻¹ M,   α₂ = (½ + γ) α₁,   α₃ = α⁻¹ (αm M + αf γ h C + αf β h² K)
//
// with M, C and K of the numerical part, h in s, and αm, αf, β and γ of ρ∞ (Malik et al. 2025 write both methods in their
// eqs 4–10). As ω h grows, all three roots of a step tend to the size ρ∞. At ρ∞ = 1 it is CR. It is stable for any step;
// the specimen's stiffness is not in α: with a stiff specimen it has a limit.
//
// The displacement is of order 2. The method's own velocity is γ h late; the velocity shown, ẋ + γ h α₁ ẍ, is of order 2,
// and the acceleration shown fulfils the equation of motion with it. Every degree of freedom needs a mass. It is not for
// structures with sparse matrices, nor where high modes are wanted: its damping takes them.
type KRAlpha struct {
	RhoInf float64 `yaml:"rho_inf" doc:"spectral radius ρ∞ of the highest modes, 0 to 1: 1 damps nothing, 0 takes them out in three steps"`
}

// MKRAlpha is the method MKR-α of Kolay and Ricles 2019: KRAlpha with other αm and β = ½ (½ + γ), and less overshoot. The
// print of Malik et al. 2025 has the β of KR-α, with which the roots do not tend to ρ∞.
type MKRAlpha struct {
	RhoInf float64 `yaml:"rho_inf" doc:"spectral radius ρ∞ of the highest modes, 0 to 1: 1 damps least, 0 takes them out in three steps"`
}

// alphas are the parameters of the family.
type alphas struct{ m, f, beta, gamma float64 }

func (p *KRAlpha) alphas() alphas {
	rho := p.RhoInf
	a := alphas{m: (2*rho - 1) / (rho + 1), f: rho / (rho + 1)}
	a.gamma = 0.5 - a.m + a.f
	a.beta = (1 - a.m + a.f) * (1 - a.m + a.f) / 4
	return a
}

func (p *MKRAlpha) alphas() alphas {
	rho := p.RhoInf
	a := alphas{m: (2*rho*rho*rho + rho*rho - 1) / (rho*rho*rho + rho*rho + rho + 1), f: rho / (rho + 1)}
	a.gamma = 0.5 - a.m + a.f
	a.beta = (0.5 + a.gamma) / 2
	return a
}

// Make makes the integrator; every step is stable.
func (p *KRAlpha) Make(part *structure.Partition, h float64) (rths.Integrator, error) {
	return makeKR("kr-alpha", p.RhoInf, p.alphas(), part, h)
}

// Make makes the integrator; every step is stable.
func (p *MKRAlpha) Make(part *structure.Partition, h float64) (rths.Integrator, error) {
	return makeKR("mkr-alpha", p.RhoInf, p.alphas(), part, h)
}

func makeKR(name string, rho float64, a alphas, part *structure.Partition, h float64) (rths.Integrator, error) {
	if err := checkPositive(name, h); err != nil {
		return nil, err
	}
	if !(rho >= 0 && rho <= 1) {
		return nil, fmt.Errorf("%s: rho_inf %g: want 0 to 1", name, rho)
	}
	if part.Sparse != nil {
		return nil, fmt.Errorf("%s: a structure with sparse matrices: want reduce, or integrator cr, gui or "+
			"average-acceleration", name)
	}
	m, err := newKR(a, part, h)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := m.checkHardening(name, part); err != nil {
		return nil, err
	}
	return leading(m, part, h)
}

// kr is the method of a numerical part. Its state is [x; ẋ; αf F − M α₃ ẍ], the last as the next step needs it.
type kr struct {
	alphas
	p    *structure.Partition
	h    float64
	inv  *mat.Dense // M⁻¹
	a1   *mat.Dense // α₁
	left *mat.Dense // (M (I − α₃))⁻¹
	ma3  *mat.Dense // M α₃
}

func newKR(a alphas, part *structure.Partition, h float64) (*kr, error) {
	inv, err := part.InverseMass()
	if err != nil {
		return nil, err
	}
	sum := func(m, c, k float64) *mat.Dense {
		var out, other mat.Dense
		out.Scale(m, part.M)
		other.Scale(c, part.C)
		out.Add(&out, &other)
		other.Scale(k, part.K)
		out.Add(&out, &other)
		return &out
	}
	m := &kr{alphas: a, p: withDevices(part), h: h, inv: inv, a1: new(mat.Dense), left: new(mat.Dense), ma3: new(mat.Dense)}
	alpha := sum(1, a.gamma*h, a.beta*h*h)
	var a3 mat.Dense
	if err := m.a1.Solve(alpha, part.M); err != nil {
		return nil, err
	}
	if err := a3.Solve(alpha, sum(a.m, a.f*a.gamma*h, a.f*a.beta*h*h)); err != nil {
		return nil, err
	}
	m.ma3.Mul(part.M, &a3)
	var rest mat.Dense
	rest.Sub(part.M, m.ma3)
	return m, m.left.Inverse(&rest)
}

func (m *kr) states() int { return 3 * m.p.N() }

// acceleration is ẍ of the method under the forces F.
func (m *kr) acceleration(forces, before []float64) []float64 {
	return multiply(m.left, axpy(before, 1-m.f, forces))
}

// next is αf F − M α₃ ẍ.
func (m *kr) next(forces, a []float64) []float64 {
	out := multiply(m.ma3, a)
	for i := range out {
		out[i] = m.f*forces[i] - out[i]
	}
	return out
}

// start is at rest with ẋ γ h late, as if the forces had stood before, so that ẍ = M⁻¹ F.
func (m *kr) start(x, force []float64) ([]float64, error) {
	n := m.p.N()
	forces := balance(m.p, x, make([]float64, n), nil, force)
	a := multiply(m.inv, forces)
	v := make([]float64, n)
	for i, w := range multiply(m.a1, a) {
		v[i] = -m.gamma * m.h * w
	}
	return append(append(append([]float64(nil), x...), v...), m.next(forces, a)...), nil
}

func (m *kr) step(in *input) *output {
	n, h := m.p.N(), m.h
	x, v, before := in.z[:n], in.z[n:2*n], in.z[2*n:]
	forces := balance(m.p, x, v, in.g[0], in.force)
	a := m.acceleration(forces, before)
	a1 := multiply(m.a1, a)
	nextX := axpy(axpy(x, h, v), (0.5+m.gamma)*h*h, a1)
	nextV := axpy(v, h, a1)
	next := m.next(forces, a)
	shown := axpy(v, m.gamma*h, a1)
	held := balance(m.p, nextX, nextV, in.g[2], in.force) // the force held to the end of the step
	then := axpy(nextV, m.gamma*h, multiply(m.a1, m.acceleration(held, next)))
	return &output{
		z: append(append(append([]float64(nil), nextX...), nextV...), next...), v: shown,
		a: multiply(m.inv, balance(m.p, x, shown, in.g[0], in.force)),
		target: rths.Motion{X: nextX, V: then,
			A: multiply(m.inv, balance(m.p, nextX, then, in.g[2], in.force))},
	}
}

// checkHardening wants the method, whose α has the linear parts of the devices, to be stable with every device at its
// steepest: in a step with the excess of these slopes fed back as deviceStep does, from deformations of three instants.
func (m *kr) checkHardening(name string, part *structure.Partition) error {
	n, nz := len(part.Devices), m.states()
	if n == 0 {
		return nil
	}
	_, comps := part.Load.Dims()
	forces, dofs := len(m.p.Interface), dofsOf(part)
	a := mat.NewDense(nz+2*n, nz+2*n, nil)
	for j := range nz {
		a.Slice(0, nz, 0, nz).(*mat.Dense).SetCol(j, m.step(unit(j, nz, comps, forces)).z)
	}
	for i := range part.Devices {
		d := &part.Devices[i]
		k, c, _ := d.Steepest()
		k, c = max(k-d.K, 0), max(c-d.C, 0)/(2*m.h)
		next := make([]float64, nz) // states after a unit force of the device
		for dof, b := range d.Along(part.N()) {
			if b == 0 {
				continue
			}
			at := nz + 3*comps + len(part.Interface) + slices.Index(dofs, dof)
			next = axpy(next, b, m.step(unit(at, nz, comps, forces)).z)
			a.Set(nz+i, dof, b)
		}
		for row, f := range next {
			for dof, b := range d.Along(part.N()) {
				a.Set(row, dof, a.At(row, dof)+f*b*(k+3*c))
			}
			a.Set(row, nz+i, a.At(row, nz+i)-4*f*c)
			a.Set(row, nz+n+i, a.At(row, nz+n+i)+f*c)
		}
		a.Set(nz+n+i, nz+i, 1)
	}
	r, err := lti.SpectralRadius(a)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	const within = 1e-6 // rounding of a double root at 1, of a part that moves freely, is 1e-8
	if r > 1+within {
		return fmt.Errorf("%s: stable by the stiffness at rest alone; %s: the spectral radius of a step is %.6g: want less "+
			"hardening or damping, a higher rate, or average-acceleration", name, atSteepest(part), r)
	}
	return nil
}
