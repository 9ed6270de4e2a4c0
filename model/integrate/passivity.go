package integrate

import (
	"errors"
	"fmt"
	"math"

	"rths"
	"rths/model/structure"
)

// Passivity puts a passivity observer and a passivity controller (time-domain passivity,
// Hannaford and Ryu 2002) between the measured force and an integrator. Peiris, Plummer and
// du Bois 2020 brought passivity to hybrid tests. Neither paper is at hand: the equations are derived
// here and are no claim to be those of a paper.
//
// The transfer system (actuator, hold, delay of the force) is a two-port. The numerical part
// moves it by x with the force f that the integrator uses, and it moves the specimen by x_m with
// the force f_m. It has taken the work ∫ fᵀ dx and given the work ∫ f_mᵀ dx_m, so that
//
//	E = ∫ f_mᵀ dx_m − ∫ fᵀ dx                                                  (1)
//
// is the energy that it has made: the error work W_e of stability.Energies. A passive transfer
// system has E ≤ 0 at all times. One that lags by τ and loads a spring k makes the power k τ ẋ², a
// negative damper. With the energies of the numerical part (5.13 of paper 001), and the energies U
// that the specimen holds and D that it has dissipated,
//
//	E_k + E_s + U + E_d + D = W_I + E                                           (2)
//
// E ≤ E_0 therefore bounds the motion: no energy beyond E_0 comes from the transfer system.
//
// Observer. Energies are sums of the products that balance (2) for the integrator. With
// Δ[k] = x[k+1] − x[k], the work of f[k] is
//
//	f[k]ᵀ Δ[k]                    of an integrator that holds the force (RK4)   (3)
//	f[k]ᵀ (Δ[k] + Δ[k−1])/2       of all other leading integrators
//
// The second is exact for the Gui-λ family, central differences and Newmark explicit; the work on
// the specimen is summed alike, so that E is exactly 0 where f_m = f and x_m = x. With RK4 the work
// on the specimen is a sum of trapezoids: the hold makes energy like half a sample of delay, and
// it is observed.
//
// Controller. When E[k] > E_0, the force of the step is f + p with the virtual damper
//
//	p = α d                                                                     (4)
//
// d is the mean velocity over the products (3) of the step without damper: Δ⁰/h, or
// (Δ⁰ + Δ[k−1])/2h. A trial step gives Δ⁰; with the receptance G of a step, Δ = Δ⁰ − G p. The work
// of the damper is then known before the step,
//
//	w(α) = α h dᵀd − α² q,  q = dᵀG d, of the second line of (3) half of it         (5)
//
// and α is the smaller root of w(α) = E[k] − E_0, α = (E[k] − E_0)/(h dᵀd) but for q: at the end of
// the step E is E_0 and what the transfer system has made in this one step. Where there is no
// root, α = h dᵀd/2q takes the most. α is at most MaxDamping. The work counts in (1), as f + p
// is the force used; what α at its limit does not take is taken in later steps. While the numerical
// part stands still at a turning point, no damper takes energy, and E exceeds E_0 by what the specimen takes there. An
// α far above k τ then takes all of it as soon as the motion begins, and the motion sticks: MaxDamping is 1 to 1.5 k τ.
//
// The velocity is the numerical part's, free of sensor noise. (The impedance form: motion given,
// force returned. The admittance form, a correction of the motion, would spoil the target.) Noise
// of the sensors enters E: a ripple σ_x |f| and a random walk (see errorWork of package stability).
// The damper follows the crests of the ripple once, because only a new largest E is above E_0.
//
// Several interface coordinates: E is the sum, α is one. Not for coordinates of different units.
//
// When not to use it: in place of a compensator. The damper keeps the energy, and not the time: the
// specimen is as late as without it. Where the transfer system has taken energy for long (E far
// below 0), it may give all of this back before the damper acts.
type Passivity struct {
	MaxDamping float64 // N·s/m, limit of α
	Threshold  float64 // J, E_0
	Held       bool    // the integrator holds the force over its step (Holder)
}

// Make wraps the leading integrator of a numerical part for the step h (s).
func (o *Passivity) Make(in rths.Integrator, p *structure.Partition, h float64) (rths.Integrator, error) {
	switch {
	case !(o.MaxDamping > 0) || math.IsInf(o.MaxDamping, 0):
		return nil, fmt.Errorf("max_damping %g N·s/m: want more than 0, about the specimen's stiffness times the delay "+
			"that is left", o.MaxDamping)
	case !(o.Threshold >= 0) || math.IsInf(o.Threshold, 0):
		return nil, fmt.Errorf("threshold_j %g J: want 0 or more", o.Threshold)
	case in.Closing():
		return nil, errors.New("a closing integrator, as average-acceleration, takes the force of the end of its step, and " +
			"the damper needs the force of its start: want rk4, central-difference, newmark-explicit, cr or gui")
	}
	state, ok := rths.As[rths.Stateful](in)
	if !ok {
		return nil, fmt.Errorf("%T: want an integrator that shows its state", in)
	}
	m := len(p.Interface)
	w := &passive{Integrator: in, o: *o, h: h, state: state, dofs: p.Interface}
	for _, s := range []*[]float64{&w.damper, &w.d, &w.x, &w.dx, &w.xm, &w.dxm, &w.fm, &w.seen} {
		*s = make([]float64, m)
	}
	w.used = rths.NewReading(m, m)
	w.g = w.receptance(p)
	return w, nil
}

// passive is an integrator with the observer and the controller.
type passive struct {
	rths.Integrator
	o       Passivity
	h       float64
	state   rths.Stateful // of the integrator
	saved   []float64
	visitor rths.StateVisitor
	g       []float64     // m × m, m/N: displacement at the end of a step per force
	dofs    []int         // of the interface
	felt    *rths.Reading // of the loop, before delay and prediction of the force; nil: the reading of Step

	used         rths.Reading // with the force f + p
	damper, d    []float64    // p, N; d, m/s
	x, dx        []float64    // x[k] and Δ[k−1] of the numerical part
	xm, dxm, fm  []float64    // of the reading before
	energy, most float64      // E and its largest value, J
	given        float64      // work of f + p in the step before, J
	taken        float64      // work of the damper so far, J
	alpha        float64      // N·s/m
	seen         []float64    // 1: a reading of the coordinate has been taken
	ideal        bool
}

// receptance is G of (5), by a step from rest with 1 N at each coordinate.
func (w *passive) receptance(p *structure.Partition) []float64 {
	m := len(w.dofs)
	_, comps := p.Load.Dims()
	ground, target, felt := make([]float64, 3*comps), rths.NewMotion(m), rths.NewReading(m, m)
	w.saved = rths.AppendState(nil, w.state)
	g := make([]float64, m*m)
	for j := range m {
		felt.F[j] = 1
		w.Integrator.Step(&target, ground, &felt)
		felt.F[j] = 0
		for i, x := range target.X {
			g[i*m+j] = -x
		}
		rths.SetState(w.saved, w.state)
	}
	return g
}

// UseReading takes the place of the loop's reading in interface coordinates.
func (w *passive) UseReading(felt *rths.Reading) { w.felt = felt }

// Step observes the step before, sets the damper and makes the step.
func (w *passive) Step(target *rths.Motion, ground []float64, felt *rths.Reading) {
	measured := w.felt
	if measured == nil {
		measured = felt
	}
	w.observe(measured)
	take(w.used.F, felt.F)
	w.alpha = 0
	clear(w.damper)
	if w.energy > w.o.Threshold && !w.ideal {
		w.damp(target, ground)
	}
	w.Integrator.Step(target, ground, &w.used)
	w.book(target)
}

// observe brings E to t_k: the work on the specimen, and the work of the step before. A reading
// that is old, or not a number, is left out: what the specimen did is not known, and the next one
// closes the gap.
func (w *passive) observe(felt *rths.Reading) {
	work := 0.0
	for i, f := range felt.F {
		x := felt.X[i]
		if felt.Age > 0 || !rths.Finite(x) || !rths.Finite(f) {
			continue
		}
		dx := x - w.xm[i]
		switch {
		case w.seen[i] == 0:
			dx = 0
		case w.o.Held:
			work += (f + w.fm[i]) / 2 * dx
		default:
			work += w.fm[i] * ((dx + w.dxm[i]) / 2)
		}
		w.xm[i], w.fm[i], w.dxm[i], w.seen[i] = x, f, dx, 1
	}
	w.energy += work - w.given
	w.most = max(w.most, w.energy)
}

// damp adds the damper to the force of the step, (4) and (5).
func (w *passive) damp(target *rths.Motion, ground []float64) {
	w.saved = w.visitor.Append(w.saved[:0], w.state)
	w.Integrator.Step(target, ground, &w.used)
	w.visitor.Restore(w.saved, w.state)
	dd, q := 0.0, 0.0
	for i, x := range target.X {
		w.d[i] = w.moved(i, x-w.x[i]) / w.h
		dd += w.d[i] * w.d[i]
	}
	for i, d := range w.d {
		for j, e := range w.d {
			q += d * w.g[i*len(w.d)+j] * e
		}
	}
	if !w.o.Held {
		q /= 2
	}
	w.alpha = min(leastRoot(w.h*dd, q, w.energy-w.o.Threshold), w.o.MaxDamping)
	for i, d := range w.d {
		w.damper[i] = w.alpha * d
		w.used.F[i] += w.damper[i]
	}
}

// leastRoot is the smaller root of b α − q α² = c, or the α with the largest left side.
func leastRoot(b, q, c float64) float64 {
	if !(b > 0) {
		return 0
	}
	if left := b*b - 4*q*c; left > 0 {
		return 2 * c / (b + math.Sqrt(left))
	}
	return b / (2 * q)
}

// moved is the displacement by which a force of the step works, (3).
func (w *passive) moved(i int, dx float64) float64 {
	if w.o.Held {
		return dx
	}
	return (dx + w.dx[i]) / 2
}

// book keeps the work of the step just made.
func (w *passive) book(target *rths.Motion) {
	w.given = 0
	for i, x := range target.X {
		dx := x - w.x[i]
		moved := w.moved(i, dx)
		w.given += w.used.F[i] * moved
		w.taken += w.damper[i] * moved
		w.x[i], w.dx[i] = x, dx
	}
}

// Corrected is the force f + p of the step just made.
func (w *passive) Corrected() []float64 { return w.used.F }

// Idealise switches the damper off or on: a loop is linear about rest without it.
func (w *passive) Idealise(on bool) {
	w.ideal = on
	if i, ok := rths.As[rths.Idealiser](w.Integrator); ok {
		i.Idealise(on)
	}
}

// Unwrap is the integrator.
func (w *passive) Unwrap() any { return w.Integrator }

// InverseMass is the integrator's.
func (w *passive) InverseMass() []float64 {
	if m, ok := w.Integrator.(rths.Massive); ok {
		return m.InverseMass()
	}
	return nil
}

// Start releases the integrator where the rig has been brought to.
func (w *passive) Start(x, force []float64) error {
	s, ok := rths.As[Starter](w.Integrator)
	if !ok {
		return fmt.Errorf("%T cannot start away from rest", w.Integrator)
	}
	for i, d := range w.dofs {
		w.x[i] = x[d]
	}
	return s.Start(x, force)
}

// Channels are the observed energy, the damper and its work.
func (w *passive) Channels() []rths.Channel {
	return rths.NamedChannels([]rths.Channel{
		{Meaning: rths.Meaning{Quantity: "passivity_energy"}, Unit: "J", V: &w.energy},
		{Meaning: rths.Meaning{Quantity: "passivity_damping"}, Unit: "N·s/m", V: &w.alpha},
		{Meaning: rths.Meaning{Quantity: "passivity_dissipated"}, Unit: "J", V: &w.taken},
	})
}

// Summary has the largest observed energy and the work of the damper.
func (w *passive) Summary() []rths.Value {
	return rths.Named([]rths.Value{
		{Meaning: rths.Meaning{Quantity: "passivity_energy_max"}, Unit: "J", V: w.most,
			Doc: "largest energy that the transfer system has made beyond what the virtual damper had dissipated"},
		{Meaning: rths.Meaning{Quantity: "passivity_dissipated"}, Unit: "J", V: w.taken,
			Doc: "energy that the virtual damper has dissipated"},
	})
}

// VisitState visits the integrator's state, the energies, motion and force of the tick before,
// and whether there was a reading.
func (w *passive) VisitState(v *rths.StateVisitor) {
	v.State(w.state)
	v.Float(&w.energy, &w.most, &w.given, &w.taken)
	v.Floats(w.x, w.dx, w.xm, w.dxm, w.fm, w.seen)
}
