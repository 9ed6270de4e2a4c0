package plant

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths/maths/lti"
)

// stiff is a transfer system that moves as commanded whatever the specimen,
// which follows the displacement. Its commands may act late.
type stiff struct {
	name   string
	motion system
	delays []float64 // s, of each command
}

// newStiff takes ż = A z + B u, x = C z + D u. Velocity is C ż and acceleration C z̈, both
// under a held command. Jumps of displacement or velocity with the command (relative
// degree 0 or 1) count neither as velocity nor as acceleration.
func newStiff(name string, ss lti.SS, delay float64) *stiff {
	var va, vb, aa, ab mat.Dense
	va.Mul(ss.C, ss.A)
	vb.Mul(ss.C, ss.B)
	aa.Mul(&va, ss.A)
	ab.Mul(&va, ss.B)
	rows := func(c, d *mat.Dense) [][]float64 {
		var both mat.Dense
		both.Augment(c, d)
		return rowsOf(&both)
	}
	_, inputs := ss.B.Dims()
	return &stiff{name: name, delays: slices.Repeat([]float64{delay}, inputs), motion: system{
		a: ss.A, b: ss.B, x: rows(ss.C, ss.D), v: rows(&va, &vb), acc: rows(&aa, &ab),
	}}
}

func rowsOf(m *mat.Dense) (out [][]float64) {
	n, _ := m.Dims()
	for i := range n {
		out = append(out, mat.Row(nil, i, m))
	}
	return out
}

// stiffMaker is the parameters of a stiff transfer system.
type stiffMaker interface{ stiff() (*stiff, error) }

// makeStiff makes the plant.
func makeStiff(p stiffMaker, at At) (Plant, error) {
	s, err := p.stiff()
	if err != nil {
		return nil, err
	}
	return s.make(at)
}

// make makes the plant: held exactly with linear specimens, integrated with any other.
func (s *stiff) make(at At) (Plant, error) {
	if err := wantSpecimen(s.name, at); err != nil {
		return nil, err
	}
	for _, delay := range s.delays {
		if err := checkDelay(s.name, delay, at.RateHz); err != nil {
			return nil, err
		}
	}
	h, axes := 1/at.RateHz, len(s.motion.x)
	load, err := onEachAxis(at.Specimen, axes)
	if err != nil {
		return nil, err
	}
	forms, ok := load.forms()
	if !ok {
		return newIntegrated(&s.motion, load, h, s.delays)
	}
	whole := s.motion.follow(load, forms)
	if axes > 1 || s.delays[0] > 0 {
		return newHeldAxes(whole, h, s.delays)
	}
	return newHeld(whole, h)
}

// modelStiff is the model with a specimen or without.
func modelStiff(p stiffMaker, specimen Specimen) (Model, error) {
	s, err := p.stiff()
	if err != nil {
		return Model{}, err
	}
	return s.model(specimen)
}

func (s *stiff) model(specimen Specimen) (Model, error) {
	if specimen == nil {
		return s.motion.model(s.delays)
	}
	load, err := onEachAxis(specimen, len(s.motion.x))
	if err != nil {
		return Model{}, err
	}
	forms, ok := load.forms()
	if !ok {
		return Model{}, notLinear(s.name)
	}
	return s.motion.follow(load, forms).model(s.delays)
}

func notLinear(name string) error {
	return fmt.Errorf(
		"%s transfer system: no linear model with a specimen that is not linear: want a linear one, or the transfer "+
			"system alone", name)
}

func wantSpecimen(name string, at At) error {
	if at.Specimen == nil {
		return fmt.Errorf("%s transfer system: no specimen: want one", name)
	}
	return nil
}

// checkDelay wants a delay (s) of 0 or more whose samples fit in memory; rateHz 0 skips
// the second check.
func checkDelay(name string, delay, rateHz float64) error {
	if delay != 0 && !(delay > 0 && delay*max(rateHz, 1) <= 1e6) {
		return fmt.Errorf("%s transfer system: delay %g ms: want 0 to a million samples", name, delay*1e3)
	}
	return nil
}

// form is a linear specimen: f = m ẍ + c ẋ + k x + C z with ż = A z + B [x; ẋ].
type form struct {
	m, c, k float64
	a, b    *mat.Dense // n×n and n×2; nil without states
	cz      []float64
}

// former is implemented by specimens beside the structure that are linear, with or
// without states. (A scenario takes a Linear specimen out of the structure.)
type former interface{ form() (form, bool) }

// formOf is the linear form of a specimen that has one.
func formOf(s Specimen) (form, bool) {
	switch s := s.(type) {
	case Linear:
		m, c, k := s.Linear()
		return form{m: m, c: c, k: k}, true
	case former:
		return s.form()
	}
	return form{}, false
}

// follow lets the specimens of a linear assembly follow the motion of all axes.
func (s *system) follow(load *Assembly, forms []form) *system {
	nz, nu := s.b.Dims()
	n := nz + load.States()
	out := &system{a: mat.NewDense(n, n, nil), b: mat.NewDense(n, nu, nil)}
	out.a.Slice(0, nz, 0, nz).(*mat.Dense).Copy(s.a)
	out.b.Slice(0, nz, 0, nu).(*mat.Dense).Copy(s.b)
	wide := func(rows [][]float64) (all [][]float64) { // over the longer state
		for _, row := range rows {
			w := make([]float64, n+nu)
			copy(w, row[:nz])
			copy(w[n:], row[nz:])
			all = append(all, w)
		}
		return all
	}
	out.x, out.v, out.acc = wide(s.x), wide(s.v), wide(s.acc)
	for range s.x {
		out.f = append(out.f, make([]float64, n+nu))
	}
	for i := range load.parts {
		out.place(&load.parts[i], &forms[i], nz)
	}
	return out
}

// place puts a linear specimen on its axes. The states of all specimens begin at place nz.
func (s *system) place(p *placed, sp *form, nz int) {
	n, nu := s.b.Dims()
	x, v, acc, f := p.sum(s.x), p.sum(s.v), p.sum(s.acc), make([]float64, n+nu)
	for j := range f {
		f[j] = sp.k*x[j] + sp.c*v[j] + sp.m*acc[j]
	}
	at := nz + p.from
	copy(f[at:], sp.cz)
	for r := range sp.cz {
		row := make([]float64, n+nu)
		copy(row[at:], sp.a.RawRowView(r))
		for j := range row {
			row[j] += sp.b.At(r, 0)*x[j] + sp.b.At(r, 1)*v[j]
		}
		s.a.SetRow(at+r, row[:n])
		s.b.SetRow(at+r, row[n:])
	}
	for i, axis := range p.axes {
		for j, v := range f {
			s.f[axis][j] += p.g[i] * v
		}
	}
}

// sum is the row of a part's deformation from the rows of its axes.
func (p *placed) sum(rows [][]float64) []float64 {
	out := make([]float64, len(rows[0]))
	for i, axis := range p.axes {
		for j, v := range rows[axis] {
			out[j] += p.g[i] * v
		}
	}
	return out
}
