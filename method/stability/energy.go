package stability

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/model/structure"
)

// Energies watches the energy balance of the numerical part as the test goes
// (paper 001, section 5.3),
//
//	E_k + E_d + E_s = W_I + W_F                                        (5.13)
//
// in J, of M, C, K of the numerical part and any number of degrees of freedom:
//
//	E_k = ½ ẋᵀM ẋ,  E_s = ½ xᵀK x,  E_d = ∫ (C ẋ)ᵀ dx
//	W_I = −∫ wᵀLᵀ dx,  W_F = −∫ fᵀ dx₁
//
// with the actions w (ground motion and force histories), their load L of the whole
// structure, and the force f that the integrator used in the step. The integrals are
// sums of trapezoids (5.18). An integrator that holds the force over its step (RK4) does
// the work W_F = f[k−1] (x[k] − x[k−1]) in a step; a trapezoid would miss the work of
// half a sample of delay.
//
// The velocity of the Gui-λ family (CR too) lags half a step: h v[k] = x[k] − x[k−1].
// With δ² x = x[k+1] − 2 x[k] + x[k−1] the method then reads
//
//	M (v[k+1] − v[k])/h + C (v[k+1] + v[k])/2 + K (x[k] + δ²x/λ) = −L w[k] − f[k]
//
// (paper 003, eqs 2–4, multiplied by α⁻¹). Times (x[k+1] − x[k−1])/2 this gives an exact
// balance with the energies half a step before t[k],
//
//	E_k = ½ v[k]ᵀM v[k],  E_s = ½ x[k]ᵀK x[k−1] + h²/2λ v[k]ᵀK v[k]
//
// whose sum is positive while the method is stable. Central differences, and Newmark explicit,
// which makes the same displacements, are the limit λ → ∞.
//
// The stability warning indicator compares feedback work and dissipation,
//
//	SW = 100 W_F/(E_d + C_SW) where W_F > 0, else 0, %                 (5.17)
//
// SW of 100 % or more means that the loop feeds the structure more energy than its
// damping takes. The energy error indicator (Ahmadizadeh and Mosqueda 2009) is
//
//	EEI = 100 (W_I − (E_k* + E_d* + E_s − W_exp))/(W_I + C_EEI), %     (7.19)
//
// where * marks velocities by backward differences of x, and W_exp = −∫ fᵀ dx_m is the
// work of the measured force over the measured displacement. Where the structure gives
// the input work back, W_I + C_EEI falls to 0 and below and EEI has a pole (errata
// 001.14): EEI then keeps its last value and eei_pole is 1.
//
// What the specimen itself takes is a part of W_F and pulls SW down: see error_work.go.
//
// Of storeys that yield E_s has the energy that they can give back. What they dissipate is a
// term of its own, E_h, on the right side of (5.13) and (7.19) beside E_d. SW compares with
// E_d alone: see devices.
//
// A test that begins away from rest begins with W_F = −½ f x, and W_I the rest of the
// energy. A low SW proves no stability.
type Energies struct {
	kinetic, dissipated, strain, input, feedback float64 // J
	hysteretic                                   float64 // J, E_h, dissipated by yielding storeys
	residual                                     float64 // J, W_I + W_F − (E_k + E_d + E_s + E_h)
	sw, eei                                      float64 // %
	pole                                         float64 // 1 at the pole of EEI
	swRate, power                                float64 // %/s, W: of SW and of E_k + E_s
	errors                                       errorWork

	n, every       int
	h, rate, per2H float64 // step, s; 1/h; 1/2h
	perH2          float64
	held           bool
	heldGround     bool    // and with two rates the ground motion as well
	lambda         float64 // of the Gui-λ family; 0: another integrator
	cSW, cEEI      float64
	m, c, k, load  []float64         // n × n and n × actions, row-major
	mass           []float64         // the diagonal of m where it is diagonal
	sparse         *structure.Sparse // in the place of m, c, k
	kx             []float64         // K x of it
	interfaces     []int
	sign           []float64 // of the interface coordinates
	begun          bool
	x, v, dx, dxm  []float64 // of the tick before
	slope          []float64 // (x[k] − x[k−1])/h
	mid, middle    []float64 // (x[k] − x[k−2])/2 and (x[k] + x[k−1])/2
	devices        *devices  // nil: there are none
	w, f, fm, xm   []float64 // of the tick before: actions, force used, measured force and displacement
	change         []float64 // x − x of the tick before
	moved          float64   // E_k*
	apparent, work float64   // E_d*, W_exp
	mechanical     float64   // E_k + E_s of the tick before
	ticks          float64
	most           extremes
}

// extremes are the results of a run.
type extremes struct {
	sw, swCross   float64 // %, s: NaN until 100 % is reached
	share, recent float64 // %, of the error work
	eei, poleAt   float64 // %, up to the first pole; s
	input, energy float64 // J: largest |W_I|, |residual|
}

// Config of Energies.
type Config struct {
	RateHz float64
	Held   bool    // the integrator holds the force over its step
	Lambda float64 // of the Gui-λ family, +Inf of central differences; 0: another integrator
	Every  int     // two rates: samples of a main step, whose rate RateHz is; 0: one rate
	SW     float64 // C_SW, J
	EEI    float64 // E_E^max of (7.19), J
}

// rateS is the time constant of the rates of change, s.
const rateS = 0.1

// NewEnergies watches the numerical part of a partition.
func NewEnergies(p *structure.Partition, c Config) (*Energies, error) {
	switch {
	case !(c.RateHz > 0):
		return nil, fmt.Errorf("energies: rate %g Hz: want more than 0", c.RateHz)
	case !(c.SW > 0) || math.IsInf(c.SW, 0) || !(c.EEI > 0) || math.IsInf(c.EEI, 0):
		return nil, fmt.Errorf("energies: constants %g J of SW and %g J of EEI: want more than 0", c.SW, c.EEI)
	}
	n, forces := p.N(), len(p.Interface)
	_, actions := p.Load.Dims()
	e := &Energies{
		n: n, every: max(1, c.Every), h: 1 / c.RateHz, rate: c.RateHz, per2H: c.RateHz / 2, perH2: c.RateHz * c.RateHz,
		held: c.Held, heldGround: c.Held && c.Every > 0, lambda: c.Lambda, cSW: c.SW, cEEI: c.EEI, interfaces: p.Interface,
		load: flat(p.Load), sparse: p.Sparse, kx: make([]float64, n),
		x: make([]float64, n), v: make([]float64, n), dx: make([]float64, n), change: make([]float64, n),
		mid: make([]float64, n), slope: make([]float64, n), middle: make([]float64, n), dxm: make([]float64, forces),
		sign: make([]float64, forces), w: make([]float64, actions), f: make([]float64, forces), fm: make([]float64, forces),
		xm: make([]float64, forces),
	}
	for i := range e.sign {
		e.sign[i] = p.SignOf(i)
	}
	if p.Sparse == nil {
		e.m, e.c, e.k, e.mass = flat(p.M), flat(p.C), flat(p.K), diagonal(p.M)
	}
	e.most = extremes{swCross: math.NaN(), poleAt: math.NaN()}
	return e, e.addDevices(p)
}

func flat(m *mat.Dense) []float64 {
	return append([]float64(nil), mat.DenseCopyOf(m).RawMatrix().Data...)
}

// diagonal is the diagonal of a diagonal matrix, nil of any other.
func diagonal(m *mat.Dense) []float64 {
	n, _ := m.Dims()
	out := make([]float64, n)
	for i := range n {
		for j := range n {
			if i != j && m.At(i, j) != 0 {
				return nil
			}
		}
		out[i] = m.At(i, i)
	}
	return out
}

// UsesRates: velocities of the numerical part.
func (*Energies) UsesRates() {}

// UsesNumerical: the numerical part is set against others of its instant.
func (*Energies) UsesNumerical() {}

// Observe adds the step that led to the shown state, with two rates the main step. A
// failed tick is left out.
func (e *Energies) Observe(f *rths.Frame) {
	if f.Err != nil || e.every > 1 && f.K%e.every != 0 {
		return
	}
	if !e.begun {
		e.begin(f)
		return
	}
	x, v := f.Num.X[:e.n], f.Num.V[:e.n]
	change, before := e.change[:len(x)], e.x[:len(x)]
	for i, now := range x {
		change[i] = now - before[i]
		before[i] = now
	}
	switch {
	case e.lambda > 0:
		if math.IsInf(e.lambda, 1) {
			v = e.slope
			for i, d := range change {
				v[i] = d * e.rate
			}
		}
		e.sumLagging(v)
		e.input -= e.loaded(e.mid, e.w) // which acted in the step
		copy(e.w, f.Ground)
	case e.n == 3 && e.mass != nil && !e.heldGround:
		e.sum3((*[3]float64)(x), (*[3]float64)(v))
		e.input -= e.loaded(e.change, f.Ground)
	case e.heldGround:
		e.sum(x, v)
		e.input -= e.loaded(e.change, e.w)
		copy(e.w, f.Ground)
	default:
		e.sum(x, v)
		e.input -= e.loaded(e.change, f.Ground)
	}
	if e.devices != nil {
		e.devices.add(e, v)
	}
	e.feed(f)
	copy(e.v, v)
	e.dx, e.change = e.change, e.dx
	e.ticks++
	e.indicate(f.T)
}

// begin takes the starting state of the test.
func (e *Energies) begin(f *rths.Frame) {
	e.begun = true
	copy(e.x, f.Num.X)
	copy(e.v, f.Num.V)
	if math.IsInf(e.lambda, 1) {
		for i, a := range f.Num.A[:e.n] {
			e.v[i] -= e.h / 2 * a // the backward difference
		}
	}
	copy(e.w, f.Ground)
	copy(e.f, f.Force)
	copy(e.fm, f.InterfaceRead.F)
	for i, d := range e.interfaces {
		e.xm[i] = e.measured(f, i)
		e.feedback -= e.f[i] * e.sign[i] * e.x[d] / 2
		e.work -= e.fm[i] * e.xm[i] / 2
	}
	e.kinetic, e.strain = e.halfM(e.v), e.halfK(e.x)
	if e.lambda > 0 {
		for i, v := range e.v {
			e.dx[i] = e.h * v
		}
		e.strain = e.strainBetween(e.dx)
	}
	if e.devices != nil {
		e.devices.begin(e)
	}
	e.errors.begin(e)
	e.mechanical = e.kinetic + e.strain
	e.input = e.mechanical - e.feedback
	e.ticks++
	e.indicate(f.T)
}

// sum is the energies of the numerical part at the end of a step. As C is
// symmetric, E_d and E_d* are both products with C dx.
func (e *Energies) sum(x, v []float64) {
	if e.sparse != nil {
		e.sumSparse(x, v)
		return
	}
	dx, c, sum, apparent := e.change[:e.n], e.c, 0.0, 0.0
	before, vBefore := e.dx[:e.n], e.v[:e.n]
	for i := range dx {
		row := c[:len(dx)]
		c = c[len(dx):]
		damped := 0.0
		for j, d := range dx {
			damped += row[j] * d
		}
		sum += damped * (v[i] + vBefore[i])
		apparent += damped * (dx[i] + before[i])
	}
	e.dissipated += sum / 2
	e.apparent += apparent * e.per2H
	e.strain = half(e.k, x)
	e.kinetic = half(e.m, v)
	e.moved = half(e.m, dx) * e.perH2
}

// sumSparse is sum of sparse matrices, whose C is diag(C) + A1 K.
func (e *Energies) sumSparse(x, v []float64) {
	dx, before, vBefore, sum, apparent := e.change[:e.n], e.dx[:e.n], e.v[:e.n], 0.0, 0.0
	e.sparse.K.MulVec(e.kx, dx)
	for i, d := range dx {
		damped := e.sparse.C[i]*d + e.sparse.A1*e.kx[i]
		sum += damped * (v[i] + vBefore[i])
		apparent += damped * (d + before[i])
	}
	e.dissipated += sum / 2
	e.apparent += apparent * e.per2H
	e.strain = e.halfK(x)
	e.kinetic = e.halfM(v)
	e.moved = e.halfM(dx) * e.perH2
}

// sumLagging is the same for the Gui-λ family, whose v is (x[k] − x[k−1])/h.
func (e *Energies) sumLagging(v []float64) {
	for i, d := range e.change[:e.n] {
		e.mid[i] = (d + e.dx[i]) / 2
	}
	// v̄ᵀC (x[k] − x[k−2])/2, and v̄ h is that difference.
	e.dissipated += 2 * e.halfC(e.mid) * e.rate
	e.strain = e.strainBetween(e.change)
	e.kinetic = e.halfM(v)
	e.moved, e.apparent = e.kinetic, e.dissipated // v is the backward difference
}

// strainBetween is ½ xᵀK (x − dx) + dxᵀK dx/2λ, with x now and x − dx before: the strain
// energy at the middle x − dx/2, plus (1/λ − 1/4) of the strain energy of dx.
func (e *Energies) strainBetween(dx []float64) float64 {
	middle := e.middle[:len(dx)]
	for i, d := range dx {
		middle[i] = e.x[i] - d/2
	}
	if e.lambda == 4 {
		return e.halfK(middle)
	}
	return e.halfK(middle) + (1/e.lambda-0.25)*e.halfK(dx)
}

// sum3 is sum of three degrees of freedom with a diagonal mass matrix, written
// out: half of the time.
func (e *Energies) sum3(x, v *[3]float64) {
	d, before, vBefore := (*[3]float64)(e.change), (*[3]float64)(e.dx), (*[3]float64)(e.v)
	c, k, m := (*[9]float64)(e.c), (*[9]float64)(e.k), (*[3]float64)(e.mass)
	d0, d1, d2, v0, v1, v2, x0, x1, x2 := d[0], d[1], d[2], v[0], v[1], v[2], x[0], x[1], x[2]
	f0 := c[0]*d0 + c[1]*d1 + c[2]*d2
	f1 := c[3]*d0 + c[4]*d1 + c[5]*d2
	f2 := c[6]*d0 + c[7]*d1 + c[8]*d2
	e.dissipated += (f0*(v0+vBefore[0]) + f1*(v1+vBefore[1]) + f2*(v2+vBefore[2])) / 2
	e.apparent += (f0*(d0+before[0]) + f1*(d1+before[1]) + f2*(d2+before[2])) * e.per2H
	e.strain = (x0*(k[0]*x0+2*(k[1]*x1+k[2]*x2)) + x1*(k[4]*x1+2*k[5]*x2) + k[8]*x2*x2) / 2
	e.kinetic = (m[0]*v0*v0 + m[1]*v1*v1 + m[2]*v2*v2) / 2
	e.moved = (m[0]*d0*d0 + m[1]*d1*d1 + m[2]*d2*d2) / 2 * e.perH2
}

// loaded is ∫ wᵀLᵀ dx over the step, with the mean of w of the tick before and now.
func (e *Energies) loaded(dx, ground []float64) float64 {
	w, load, work := e.w, e.load, 0.0
	if len(w) == 1 {
		for i, d := range dx {
			work += load[i] * d
		}
		work *= w[0] + ground[0]
		w[0] = ground[0]
		return work / 2
	}
	ground = ground[:len(w)]
	for _, d := range dx {
		row, sum := load[:len(w)], 0.0
		load = load[len(w):]
		for j, l := range row {
			sum += l * (w[j] + ground[j])
		}
		work += sum * d
	}
	copy(w, ground)
	return work / 2
}

// feed adds to W_F and W_exp.
func (e *Energies) feed(f *rths.Frame) {
	for i, d := range e.interfaces {
		force, measured, x := f.Force[i], f.InterfaceRead.F[i], e.measured(f, i)
		mean, moved := (force+e.f[i])/2, e.change[d]
		meanM, movedM := (measured+e.fm[i])/2, x-e.xm[i]
		switch {
		case e.lambda > 0:
			mean, moved = e.f[i], e.mid[d]
			meanM, movedM, e.dxm[i] = e.fm[i], (movedM+e.dxm[i])/2, movedM
		case e.held:
			mean = e.f[i]
		}
		e.feedback -= mean * e.sign[i] * moved
		e.work -= meanM * movedM
		e.f[i], e.fm[i], e.xm[i] = force, measured, x
	}
}

// measured is the measured displacement of interface coordinate i, or the numerical
// part's where only the force comes back.
func (e *Energies) measured(f *rths.Frame, i int) float64 {
	if i < len(f.InterfaceRead.X) {
		return f.InterfaceRead.X[i]
	}
	return e.sign[i] * f.Num.X[e.interfaces[i]]
}
