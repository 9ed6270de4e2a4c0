package stability

import (
	"fmt"

	"rths/model/device"
	"rths/model/structure"
)

// yielding follows the storeys that yield along the drifts of the numerical part. K has
// their stiffness at rest, so their work beyond ½ k₀ d² is the work of the excess
// r = f − k₀ d, summed like the work of the specimen's force:
//
//	∫ f dd = ½ k₀ d² + Σ r̄ Δd = E_s + E_h
//
// E_s is what the laws store, E_h what they have dissipated. As the work of the excess is
// that of one more force on a linear structure, the balance closes as well as without
// yielding: exactly where the integrator has an identity for it, else to the error of the
// trapezoids.
//
// SW does not count E_h. Small motions do not dissipate by yielding, so yielding gives an
// unstable loop no damping: it bounds the motion that the loop feeds. With E_h in (5.17),
// SW would stay below 100 % for ever in such a limit cycle, and in an earthquake the
// ground's energy that the storeys take would hide the loop's.
type yielding struct {
	list   []structure.Yielding
	paths  []*device.Path
	state  []float64   // z of all
	z      [][]float64 // of each: views of state
	drift  []float64   // of the tick before
	excess []float64   // r of the tick before, N
	work   float64     // ∫ r dd, J
	spare  float64     // Σ (stored − ½ k₀ d²) of the tick before, J
}

// addYielding follows the yielding storeys of a numerical part, if there are any.
func (e *Energies) addYielding(p *structure.Partition) error {
	if len(p.Yielding) == 0 {
		return nil
	}
	y := &yielding{list: p.Yielding, drift: make([]float64, len(p.Yielding)), excess: make([]float64, len(p.Yielding))}
	states := 0
	for _, s := range y.list {
		path, err := device.NewPath(s.Law, e.h)
		if err != nil {
			return fmt.Errorf("energies: storey %d: %w", s.Storey, err)
		}
		y.paths = append(y.paths, path)
		states += s.Law.States()
	}
	y.state = make([]float64, states)
	rest := y.state
	for _, s := range y.list {
		n := s.Law.States()
		y.z, rest = append(y.z, rest[:n:n]), rest[n:]
	}
	e.yields = y
	return nil
}

// begin takes the storeys as brought from rest to the starting state.
func (y *yielding) begin(e *Energies) {
	y.spare = 0
	for i := range y.list {
		s := &y.list[i]
		y.drift[i] = s.Drift(e.x)
		device.Bring(s.Law, y.z[i], y.drift[i])
		y.look(i)
	}
	y.work = y.spare
	e.strain += y.spare
}

// look sets the excess at the present drift of storey i, and adds to the spare energy.
func (y *yielding) look(i int) {
	law, d := y.list[i].Law, y.drift[i]
	k0 := law.Stiffness()
	y.excess[i] = law.Force(d, 0, y.z[i]) - k0*d
	y.spare += law.Stored(d, y.z[i]) - k0*d*d/2
}

// add adds a step. The Gui-λ family has the strain half a step before the displacements.
func (y *yielding) add(e *Energies) {
	before := y.spare
	y.spare = 0
	for i := range y.list {
		r, from, to := y.excess[i], y.drift[i], y.list[i].Drift(e.x)
		y.paths[i].Advance(y.z[i], from, to)
		y.drift[i] = to
		y.look(i)
		if e.lambda > 0 {
			y.work += r * y.list[i].Drift(e.mid)
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
