package integrate

import (
	"math"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/model/plant"
	"rths/model/structure"
)

// The ground's motion is exact for an acceleration linear between samples:
// a_g = t gives x_g = t³/6, v_g = t²/2.
func TestAbsoluteAddsTheGround(t *testing.T) {
	const h = 0.01
	p := shearFrame(t, 2)
	w, err := NewAbsolute(must(t, &CR{}, p, h), p, h)
	if err != nil {
		t.Fatal(err)
	}
	plain := must(t, &CR{}, p, h)
	got, want, felt := rths.NewMotion(1), rths.NewMotion(1), rths.NewReading(1, 1)
	for k := range 200 {
		at := float64(k) * h
		window := []float64{at, at + h/2, at + h}
		w.Step(&got, window, &felt)
		plain.Step(&want, window, &felt)
		w.Derive(&got)
		plain.(rths.Deriver).Derive(&want)
		end := at + h
		rthstest.Near(t, "displacement", got.X[0]-want.X[0], math.Pow(end, 3)/6, 1e-13)
		rthstest.Near(t, "velocity", got.V[0]-want.V[0], end*end/2, 1e-13)
		rthstest.Near(t, "acceleration", got.A[0]-want.A[0], end, 1e-13)
	}
}

// Sections 3.3 of paper 001: a frame of two floors in the computer, one of three
// on the table, the table being where the second floor is in absolute
// coordinates. Together they are the undivided frame of five floors under the
// ground's motion, with an error of the first order: the force is held for a
// step.
func TestShakeTableSubstructuring(t *testing.T) {
	lower := structure.Shear{Masses: []float64{2000, 2000}, Stiffnesses: []float64{4e6, 4e6}}
	upper := structure.Shear{Masses: []float64{100, 150, 80}, Stiffnesses: []float64{2e5, 1e5, 1e5}}
	whole := structure.Shear{Masses: append(append([]float64(nil), lower.Masses...), upper.Masses...),
		Stiffnesses: append(append([]float64(nil), lower.Stiffnesses...), upper.Stiffnesses...)}
	wave := func(at float64) float64 { // ends at rest, where it began
		return math.Sin(2*math.Pi*at) - 2*math.Sin(4*math.Pi*at) + 0.7*math.Sin(2*math.Pi*3*at)
	}
	worst := func(h float64) (e float64) {
		part, err := mustStructure(t, &lower).Divide(1, 0, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		in, err := NewAbsolute(must(t, &RK4{}, part, h), part, h)
		if err != nil {
			t.Fatal(err)
		}
		ref := mustReference(t, mustStructure(t, &whole), h)
		table := newTable(t, &upper)
		target, felt, most := rths.NewMotion(1), rths.NewReading(1, 1), 0.0
		for k := range int(3 / h) {
			at := float64(k) * h
			window := []float64{wave(at), wave(at + h/2), wave(at + h)}
			in.Step(&target, window, &felt)
			ref.Step(window)
			now, _ := rths.As[rths.NumericalState](in)
			most = max(most, math.Abs(ref.State().X[1]))
			e = max(e, math.Abs(now.State().X[1]-ref.State().X[1]))
			felt.F[0] = table.move(target.X[0], h)
		}
		return e / most
	}
	coarse, fine := worst(1.0/1024), worst(1.0/2048)
	rthstest.Near(t, "error", coarse, 0, 0.01)
	rthstest.Near(t, "order", slope(coarse, fine), 1, 0.1)
}

// table is a shear frame whose base is moved along a straight line in each step,
// integrated by RK4; its force is the first storey's.
type table struct {
	p    *structure.Shear
	x    float64 // of the base
	y, v []float64
}

func newTable(t rthstest.TB, p *structure.Shear) *table {
	t.Helper()
	return &table{p: p, y: make([]float64, len(p.Masses)), v: make([]float64, len(p.Masses))}
}

// pull are the absolute accelerations of the floors with the base at x.
func (t *table) pull(y []float64, x float64) []float64 {
	a := make([]float64, len(y))
	for i := range y {
		below := x
		if i > 0 {
			below = y[i-1]
		}
		f := t.p.Stiffnesses[i] * (y[i] - below)
		a[i] -= f / t.p.Masses[i]
		if i > 0 {
			a[i-1] += f / t.p.Masses[i-1]
		}
	}
	return a
}

func (t *table) move(x, h float64) float64 {
	const steps = 4
	d := h / steps
	for i := range steps {
		from, to := t.x+(x-t.x)*float64(i)/steps, t.x+(x-t.x)*float64(i+1)/steps
		a1 := t.pull(t.y, from)
		y2, v2 := axpy(t.y, d/2, t.v), axpy(t.v, d/2, a1)
		a2 := t.pull(y2, (from+to)/2)
		y3, v3 := axpy(t.y, d/2, v2), axpy(t.v, d/2, a2)
		a3 := t.pull(y3, (from+to)/2)
		y4, v4 := axpy(t.y, d, v3), axpy(t.v, d, a3)
		a4 := t.pull(y4, to)
		for j := range t.y {
			t.y[j] += d / 6 * (t.v[j] + 2*v2[j] + 2*v3[j] + v4[j])
			t.v[j] += d / 6 * (a1[j] + 2*a2[j] + 2*a3[j] + a4[j])
		}
	}
	t.x = x
	return t.p.Stiffnesses[0] * (x - t.y[0])
}

// Under a free field the ground's own mass is not shaken: without a specimen the
// interface moves as the free field does.
func TestFreeField(t *testing.T) {
	const h = 1.0 / 1024
	s := foundation(t, 6, 4)
	p, err := s.Divide(s.Interface, 0, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Push(3); err != nil {
		t.Fatal(err)
	}
	free := p.FreeField()
	w, err := NewAbsolute(must(t, &Gui{Lambda: 3}, free, h), free, h)
	if err != nil {
		t.Fatal(err)
	}
	target, felt := rths.NewMotion(1), rths.NewReading(1, 1)
	for k := range 100 {
		w.Step(&target, []float64{2, 2, 2}, &felt)
		rthstest.Near(t, "displacement", target.X[0], math.Pow(float64(k+1)*h, 2), 1e-15)
	}
	felt.F[0] = 1e6
	w.Step(&target, []float64{0, 0, 0}, &felt)
	if target.X[0] >= math.Pow(100*h, 2)+200*h*h {
		t.Errorf("the force of a specimen does not act")
	}
	if p.Load.At(s.Interface, 0) == 0 {
		t.Errorf("the partition itself has changed")
	}
}

func TestAbsoluteErrors(t *testing.T) {
	p := shearFrame(t, 1)
	_, err := NewAbsolute(closing{must(t, &CR{}, p, 0.01)}, p, 0.01)
	rthstest.WantError(t, err, "closes its step with the force of its end: want a leading integrator")
	w, err := NewAbsolute(NewPrescribed(nil, 0.01), p, 0.01)
	if err != nil {
		t.Fatal(err)
	}
	rthstest.WantError(t, w.Start(nil, nil), "cannot start away from rest")
}

type closing struct{ rths.Integrator }

func (closing) Closing() bool { return true }

func TestAbsoluteDoesNotAllocate(t *testing.T) {
	p := shearFrame(t, 3)
	w, err := NewAbsolute(must(t, &RK4{}, p, 1e-3), p, 1e-3)
	if err != nil {
		t.Fatal(err)
	}
	target, felt, window := rths.NewMotion(1), rths.NewReading(1, 1), []float64{1, 2, 3}
	rthstest.NoAllocation(t, func() { w.Step(&target, window, &felt); w.Derive(&target) })
}

// The reference of a frame on a table, whose base has a mass of its own, is the
// undivided frame; the interface moves in absolute motion.
func TestCoupledOnATable(t *testing.T) {
	const h = 1.0 / 512
	lower := structure.Shear{Masses: []float64{2000, 2000}, Stiffnesses: []float64{4e6, 4e6}}
	upper := plant.Frame{Masses: []float64{100, 150, 80}, Stiffnesses: []float64{2e5, 1e5, 1e5}, Mass: 30}
	whole := structure.Shear{Masses: []float64{2000, 2030, 100, 150, 80}, Stiffnesses: []float64{4e6, 4e6, 2e5, 1e5, 1e5}}
	part, err := mustStructure(t, &lower).Divide(1, 0, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	frame, err := upper.Make()
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCoupled(part, []Element{{Specimen: frame, Along: []float64{0, 1}, Absolute: true}}, h)
	if err != nil {
		t.Fatal(err)
	}
	ref := mustReference(t, mustStructure(t, &whole), h)
	var got, want, gotV, wantV []float64
	x, v := 0.0, 0.0 // of the ground
	for k := range 1000 {
		a, b := math.Sin(0.05*float64(k)), math.Sin(0.05*float64(k+1))
		window := []float64{a, (a + b) / 2, b}
		c.Step(window)
		ref.Step(window)
		if k == 500 { // resumed, it goes on
			state := rths.AppendState(nil, c)
			if rest := rths.SetState(append(state, 7), c); len(rest) != 1 || len(state) != 4+6+2 {
				t.Fatalf("state of %d numbers, rest %g: want 12 and one", len(state), rest)
			}
		}
		got = append(got, c.State().X[0], c.State().X[1])
		want = append(want, ref.State().X[0], ref.State().X[1]+x)
		gotV = append(gotV, c.State().V[0], c.State().V[1])
		wantV = append(wantV, ref.State().V[0], ref.State().V[1]+v)
		x += h*v + h*h*(2*a+b)/6
		v += h * (a + b) / 2
	}
	nearAll(t, "displacement", got, want, 1e-7)
	nearAll(t, "velocity", gotV, wantV, 1e-6)
}
