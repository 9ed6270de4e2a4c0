package stability

import (
	"fmt"

	"rths/model/device"
	"rths/model/structure"
)

// devices follows the devices and yielding storeys along the deformations of the numerical part. K and C have their
// linear part, so their work beyond it is the work of the excess r = f − k d − c ḋ, summed like the work of the
// specimen's force:
//
//	∫ f dd = ½ k d² + ∫ c ḋ dd + Σ r̄ Δd = E_s + ∫ c ḋ dd + E_h
//
// E_s is what the laws store, E_h what they have dissipated beyond their linear damping, which is in E_d. As the work of
// the excess is that of one more force on a linear structure, the balance closes as well as without devices: exactly
// where the integrator has an identity for it, else to the error of the trapezoids. Where a law learns, the energy by
// which its store changes is in E_h.
//
// SW does not count E_h. Small motions do not dissipate by yielding, so yielding gives an
// unstable loop no damping: it bounds the motion that the loop feeds. With E_h in (5.17),
// SW would stay below 100 % for ever in such a limit cycle, and in an earthquake the
// ground's energy that the devices take would hide the loop's.
type devices struct {
	*structure.Memory
	list   []structure.Device
	d      []float64 // of the tick before
	past   []float64 // of the two ticks before that: see rate
	excess []float64 // r of the tick before, N
	work   float64   // ∫ r dd, J
	spare  float64   // Σ (stored − ½ k d²) of the tick before, J
}

// addDevices follows the devices of a numerical part, if there are any.
func (e *Energies) addDevices(p *structure.Partition) error {
	n := len(p.Devices)
	if n == 0 {
		return nil
	}
	memory, err := structure.NewMemory(p.Devices, e.h)
	if err != nil {
		return fmt.Errorf("energies: %w", err)
	}
	e.devices = &devices{Memory: memory, list: p.Devices, d: make([]float64, n), past: make([]float64, 2*n),
		excess: make([]float64, n)}
	return nil
}

// begin takes the devices as brought from rest to the starting state.
func (y *devices) begin(e *Energies) {
	y.spare = 0
	for i := range y.list {
		d := &y.list[i]
		y.d[i] = d.Deformation(e.x)
		device.Bring(d.Law, y.Each[i], y.d[i])
		y.look(i, 0)
	}
	copy(y.past[copy(y.past, y.d):], y.d)
	y.work = y.spare
	e.strain += y.spare
}

// look sets the excess of device i at the rate v, and adds to the spare energy.
func (y *devices) look(i int, v float64) {
	of, d := &y.list[i], y.d[i]
	y.excess[i] = of.Law.Force(d, v, y.Each[i]) - of.K*d - of.C*v
	y.spare += of.Law.Stored(d, y.Each[i]) - of.K*d*d/2
}

// rate is ḋ of device i: the numerical part's, or by backward differences where its velocity lags half a step.
func (y *devices) rate(e *Energies, i int, v []float64) float64 {
	if n := len(y.list); e.lambda > 0 {
		return structure.BackwardRate(y.d[i], y.past[i], y.past[n+i], e.h)
	}
	return y.list[i].Deformation(v)
}

// add adds a step to the velocities v. The Gui-λ family has the strain half a step before the displacements.
func (y *devices) add(e *Energies, v []float64) {
	before, n := y.spare, len(y.list)
	y.spare = 0
	for i := range y.list {
		of := &y.list[i]
		r, from, to := y.excess[i], y.d[i], of.Deformation(e.x)
		y.Paths[i].Advance(y.Each[i], from, to)
		y.past[n+i], y.past[i], y.d[i] = y.past[i], from, to
		y.look(i, y.rate(e, i, v))
		if e.lambda > 0 {
			y.work += r * of.Deformation(e.mid)
		} else {
			y.work += (r + y.excess[i]) / 2 * (to - from)
		}
	}
	spare := y.spare
	if e.lambda > 0 {
		spare = (spare + before) / 2
	}
	e.strain += spare
	e.hysteretic = y.work - spare
}
