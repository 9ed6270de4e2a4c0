package plant

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rths/lti"
)

// stiff is a transfer system that moves as commanded whatever the specimen,
// which follows the displacement. Its commands may act late.
type stiff struct {
	name   string
	motion system
	delay  float64 // s
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
	return &stiff{name: name, delay: delay, motion: system{
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

// makeStiff makes the plant: held exactly with a linear specimen, integrated with
// any other.
func makeStiff(p stiffMaker, at At) (Plant, error) {
	s, err := p.stiff()
	if err != nil {
		return nil, err
	}
	if err := wantSpecimen(s.name, at); err != nil {
		return nil, err
	}
	if err := checkDelay(s.name, s.delay, at.RateHz); err != nil {
		return nil, err
	}
	h := 1 / at.RateHz
	sp, ok := formOf(at.Specimen)
	if !ok {
		return newIntegrated(&s.motion, at.Specimen, h, s.delay)
	}
	whole := s.motion.follow(sp)
	if s.delay > 0 || len(whole.x) > 1 {
		return newHeldAxes(whole, h, s.delay)
	}
	return newHeld(whole, h)
}

// modelStiff is the model with a specimen or without.
func modelStiff(p stiffMaker, specimen Specimen) (Model, error) {
	s, err := p.stiff()
	if err != nil {
		return Model{}, err
	}
	if specimen == nil {
		return s.motion.model(s.delay)
	}
	sp, ok := formOf(specimen)
	if !ok {
		return Model{}, notLinear(s.name)
	}
	return s.motion.follow(sp).model(s.delay)
}

func notLinear(name string) error {
	return fmt.Errorf("%s transfer system: no linear model with a specimen that is not linear: want a linear one, or the transfer system alone", name)
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

// follow lets one linear specimen for each axis follow its motion.
func (s *system) follow(sp form) *system {
	nz, nu := s.b.Dims()
	axes, ns := len(s.x), len(sp.cz)
	n := nz + axes*ns
	out := &system{a: mat.NewDense(n, n, nil), b: mat.NewDense(n, nu, nil)}
	out.a.Slice(0, nz, 0, nz).(*mat.Dense).Copy(s.a)
	out.b.Slice(0, nz, 0, nu).(*mat.Dense).Copy(s.b)
	wide := func(row []float64) []float64 { // over the longer state
		w := make([]float64, n+nu)
		copy(w, row[:nz])
		copy(w[n:], row[nz:])
		return w
	}
	for i := range axes {
		x, v, acc, at := wide(s.x[i]), wide(s.v[i]), wide(s.acc[i]), nz+i*ns
		f := make([]float64, n+nu)
		for j := range f {
			f[j] = sp.k*x[j] + sp.c*v[j] + sp.m*acc[j]
		}
		copy(f[at:], sp.cz)
		for r := range ns {
			row := make([]float64, n+nu)
			copy(row[at:], sp.a.RawRowView(r))
			for j := range row {
				row[j] += sp.b.At(r, 0)*x[j] + sp.b.At(r, 1)*v[j]
			}
			out.a.SetRow(at+r, row[:n])
			out.b.SetRow(at+r, row[n:])
		}
		out.x, out.v, out.acc, out.f = append(out.x, x), append(out.v, v), append(out.acc, acc), append(out.f, f)
	}
	return out
}
