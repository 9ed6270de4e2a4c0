package integrate

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/kit/rthstest"
	"rths/model/structure"
)

func marths(t *testing.T, c int) *structure.Partition {
	t.Helper()
	s := &structure.MaRTHS{Case: c}
	p, err := s.Divide(mustStructure(t, s))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// literal is Newmark's method as textbooks write it, with accelerations of all 29
// coordinates, the matrix inverted and the load vector in full.
type literal struct {
	p       *structure.Partition
	h       float64
	inv     mat.Dense
	u, v, a *mat.VecDense
}

func newLiteral(p *structure.Partition, h float64) *literal {
	n := p.N()
	l := &literal{p: p, h: h, u: mat.NewVecDense(n, nil), v: mat.NewVecDense(n, nil), a: mat.NewVecDense(n, nil)}
	var k, c mat.Dense
	k.Scale(4/(h*h), p.M)
	c.Scale(2/h, p.C)
	k.Add(&k, &c)
	k.Add(&k, p.K)
	if err := l.inv.Inverse(&k); err != nil {
		panic(err)
	}
	return l
}

func (l *literal) step(ground float64, force []float64) {
	var x, y, load, part mat.VecDense
	x.AddScaledVec(l.a, 4/l.h, l.v)
	x.AddScaledVec(&x, 4/(l.h*l.h), l.u)
	y.AddScaledVec(l.v, 2/l.h, l.u)
	load.MulVec(l.p.M, &x)
	part.MulVec(l.p.C, &y)
	load.AddVec(&load, &part)
	load.AddScaledVec(&load, -ground, l.p.Load.ColView(0))
	for i, dof := range l.p.Interface {
		load.SetVec(dof, load.AtVec(dof)-l.p.SignOf(i)*force[i])
	}
	var u, v, a mat.VecDense
	u.MulVec(&l.inv, &load)
	var d mat.VecDense
	d.SubVec(&u, l.u)
	a.ScaleVec(4/(l.h*l.h), &d)
	a.AddScaledVec(&a, -4/l.h, l.v)
	a.SubVec(&a, l.a)
	v.AddVec(l.a, &a)
	v.AddScaledVec(l.v, l.h/2, &v)
	l.u, l.v, l.a = &u, &v, &a
}

// The 73 numbers are the 87 of the method, with and without forces: those left
// out have no part in the others.
func TestAverageAccelerationIsItsDefinition(t *testing.T) {
	const h = 1.0 / 1024
	p := marths(t, 1)
	in := must(t, &AverageAcceleration{}, p, h)
	l := newLiteral(p, h)
	target, felt := rths.NewMotion(2), rths.NewReading(2, 3)
	for k := range 2048 {
		s := float64(k) * h
		ground := 2 * math.Sin(40*s) * math.Cos(7*s)
		felt.F[0], felt.F[1], felt.F[2] = 900*math.Sin(11*s), 4000*math.Cos(17*s), 60*math.Sin(300*s)
		in.Step(&target, []float64{ground, math.NaN(), math.NaN()}, &felt)
		l.step(ground, felt.F)
	}
	derive(in, &target)
	now := in.(rths.NumericalState).State()
	nearAll(t, "displacement", now.X, l.u.RawVector().Data, 1e-7)
	nearAll(t, "velocity", now.V, l.v.RawVector().Data, 1e-7)
	for i := range 29 {
		if p.M.At(i, i) > 0 {
			rthstest.Near(t, "acceleration", now.A[i], l.a.AtVec(i), 1e-6*largest(now.A))
		}
	}
	rthstest.Near(t, "x", target.X[0], l.u.AtVec(26), 1e-9)
	rthstest.Near(t, "theta turns the other way", target.X[1], -l.u.AtVec(20), 1e-9)
	if n := len(rths.AppendState(nil, in)); n != 29+29+15 {
		t.Errorf("%d states: want 73", n)
	}
	still := []float64{0, 0, 0}
	rthstest.NoAllocation(t, func() { in.Step(&target, still, &felt) })
}

// No case gains energy by itself: the numerical part alone and joined with nothing
// decays at every frequency, with none of the eigenvalues at −1 that the
// accelerations of coordinates without mass have.
func TestAverageAccelerationDecays(t *testing.T) {
	for c := 1; c <= 4; c++ {
		in := must(t, &AverageAcceleration{}, marths(t, c), 1.0/1024).(*Average)
		n := len(rths.AppendState(nil, in))
		j, target, felt := mat.NewDense(n, n, nil), rths.NewMotion(2), rths.NewReading(2, 3)
		for i := range n {
			s := make([]float64, n)
			s[i] = 1
			rths.SetState(s, in)
			in.Step(&target, []float64{0, 0, 0}, &felt)
			j.SetCol(i, rths.AppendState(nil, in))
		}
		if r := radius(t, j); !(r < 1-1e-5) {
			t.Errorf("case %d: spectral radius %.8f, want below 1", c, r)
		}
	}
}

func TestAverageAccelerationErrors(t *testing.T) {
	none := make([]float64, 4)
	_, err := (&AverageAcceleration{}).Make(byHand(2, []float64{1, 0, 0, 0}, none, []float64{1, 0, 0, 0},
		mat.NewDense(2, 1, nil), 0), 0.01)
	rthstest.WantError(t, err, "singular")
	_, err = (&AverageAcceleration{}).Make(marths(t, 1), 0)
	rthstest.WantError(t, err, "want")
}

// The reference is the integrator without forces.
func TestAverageReference(t *testing.T) {
	const h = 1.0 / 1024
	p := marths(t, 3)
	r, err := NewAverageReference(p.Whole.Undivided(), h)
	if err != nil {
		t.Fatal(err)
	}
	l := newLiteral(p.Whole.Undivided(), h)
	for k := range 1024 {
		g := math.Sin(float64(k) / 40)
		r.Step([]float64{g, 0, 0})
		l.step(g, nil)
	}
	nearAll(t, "displacement", r.State().X, l.u.RawVector().Data, 1e-7)
	saved := rths.AppendState(nil, r)
	rthstest.NoAllocation(t, func() { r.Step([]float64{1, 2, 3}) })
	if rest := rths.SetState(saved, r); len(rest) > 0 {
		t.Errorf("%d numbers left over", len(rest))
	}
}

func BenchmarkAverageAcceleration(b *testing.B) {
	s := &structure.MaRTHS{Case: 1}
	whole, _ := s.Make()
	p, _ := s.Divide(whole)
	in, _ := (&AverageAcceleration{}).Make(p, 1.0/1024)
	target, felt, g := rths.NewMotion(2), rths.NewReading(2, 3), []float64{1, 2, 3}
	for b.Loop() {
		in.Step(&target, g, &felt)
	}
}

func TestAverageAccelerationIsOfOrder2(t *testing.T) { wantOrder(t, &AverageAcceleration{}, 2) }
