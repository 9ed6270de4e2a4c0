package stability

import "rths"

// numbers are the single values that are remembered.
func (e *Energies) numbers() []*float64 {
	m := &e.most
	return []*float64{
		&e.kinetic, &e.dissipated, &e.strain, &e.input, &e.feedback, &e.residual, &e.sw, &e.eei, &e.pole, &e.swRate, &e.power,
		&e.apparent, &e.work, &e.mechanical, &e.ticks, &m.sw, &m.swCross, &m.eei, &m.poleAt, &m.input, &m.energy,
	}
}

// errorNumbers are those of the error work. (A longer list would leave the stack.)
func (e *Energies) errorNumbers() []*float64 {
	w, m := &e.errors, &e.most
	return []*float64{&w.specimen, &w.work, &w.share, &w.recent, &w.fed, &w.taken, &w.before, &m.share, &m.recent}
}

// lists are the values of the tick before.
func (e *Energies) lists() [][]float64 {
	return [][]float64{e.x, e.v, e.dx, e.dxm, e.w, e.f, e.fm, e.xm}
}

// Decaying is the rates of change, which fade.
func (e *Energies) Decaying() []rths.Stateful { return []rths.Stateful{e} }

// AppendState appends all sums and what is remembered of the tick before.
func (e *Energies) AppendState(dst []float64) []float64 {
	for _, v := range e.numbers() {
		dst = append(dst, *v)
	}
	for _, v := range e.errorNumbers() {
		dst = append(dst, *v)
	}
	for _, l := range e.lists() {
		dst = append(dst, l...)
	}
	if y := e.yields; y != nil {
		dst = append(append(append(dst, y.state...), y.drift...), y.excess...)
		dst = append(dst, e.hysteretic, y.work, y.spare)
	}
	return dst
}

// SetState restores what AppendState appended.
func (e *Energies) SetState(src []float64) []float64 {
	for i, v := range e.numbers() {
		*v = src[i]
	}
	src = src[len(e.numbers()):]
	for i, v := range e.errorNumbers() {
		*v = src[i]
	}
	src = src[len(e.errorNumbers()):]
	for _, l := range e.lists() {
		src = src[copy(l, src):]
	}
	if y := e.yields; y != nil {
		src = src[copy(y.state, src):]
		src = src[copy(y.drift, src):]
		src = src[copy(y.excess, src):]
		e.hysteretic, y.work, y.spare = src[0], src[1], src[2]
		src = src[3:]
	}
	e.begun = e.ticks > 0
	return src
}

var (
	_ rths.Observer   = (*Energies)(nil)
	_ rths.Stateful   = (*Energies)(nil)
	_ rths.Decaying   = (*Energies)(nil)
	_ rths.Channeler  = (*Energies)(nil)
	_ rths.RateUser   = (*Energies)(nil)
	_ rths.Summarizer = (*Energies)(nil)
)
