package stability

import "rths"

// Decaying is the rates of change, which fade.
func (e *Energies) Decaying() []rths.Stateful { return []rths.Stateful{e} }

// VisitState visits all sums and what is remembered of the tick before.
func (e *Energies) VisitState(v *rths.StateVisitor) {
	m, w := &e.most, &e.errors
	v.Float(&e.kinetic, &e.dissipated, &e.strain, &e.input, &e.feedback, &e.residual, &e.sw, &e.eei, &e.pole, &e.swRate,
		&e.power, &e.apparent, &e.work, &e.mechanical, &e.ticks, &m.sw, &m.swCross, &m.eei, &m.poleAt, &m.input, &m.energy)
	v.Float(&w.specimen, &w.work, &w.share, &w.recent, &w.fed, &w.taken, &w.before, &m.share, &m.recent)
	v.Floats(e.x, e.v, e.dx, e.dxm, e.w, e.f, e.fm, e.xm)
	if y := e.devices; y != nil {
		v.Floats(y.Z, y.d, y.past, y.excess)
		v.Float(&e.hysteretic, &y.work, &y.spare)
	}
	if v.Restoring() {
		e.begun = e.ticks > 0
	}
}

var (
	_ rths.Observer   = (*Energies)(nil)
	_ rths.Stateful   = (*Energies)(nil)
	_ rths.Decaying   = (*Energies)(nil)
	_ rths.Channeler  = (*Energies)(nil)
	_ rths.RateUser   = (*Energies)(nil)
	_ rths.Summarizer = (*Energies)(nil)
)
