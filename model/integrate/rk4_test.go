package integrate

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"rths"
	"rths/kit/rthstest"
	"rths/maths/lti"
	"rths/model/structure"
)

// acceleration solves M a = −C v − K x − L g − e f.
func acceleration(p *structure.Partition, x, v, ground, force []float64) []float64 {
	return solve(p.M, combine([]float64{-1, -1, -1}, times(p.C, v), times(p.K, x), pull(p, ground, force)))
}

// fourStages is a step of the classical Runge–Kutta method on x′ = v, v′ = a,
// stage by stage, with the ground at t_k, t_k + h/2 and t_k+1 and the force
// held: independent of the matrix under test.
func fourStages(p *structure.Partition, h float64, x, v []float64, ground [3][]float64, force []float64) (x1,
	v1 []float64) {
	a1 := acceleration(p, x, v, ground[0], force)
	x2, v2 := combine([]float64{1, h / 2}, x, v), combine([]float64{1, h / 2}, v, a1)
	a2 := acceleration(p, x2, v2, ground[1], force)
	x3, v3 := combine([]float64{1, h / 2}, x, v2), combine([]float64{1, h / 2}, v, a2)
	a3 := acceleration(p, x3, v3, ground[1], force)
	x4, v4 := combine([]float64{1, h}, x, v3), combine([]float64{1, h}, v, a3)
	a4 := acceleration(p, x4, v4, ground[2], force)
	weights := []float64{1, h / 6, h / 3, h / 3, h / 6}
	return combine(weights, x, v, v2, v3, v4), combine(weights, v, a1, a2, a3, a4)
}

// The matrix is the method: on random structures, grounds, forces and starts it
// does what the four stages do, for the state shown and the target alike.
func TestRK4IsItsFourStages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPartition(t)
		compareWithStages(t, p, rapid.Float64Range(0.01, 1).Draw(t, "ωh")/highest(t, p), drawLoads(t, p, 12),
			drawMany(t, "start", 2*p.N(), 0.1))
	})
}

// Thirty storeys take the way of large matrices.
func TestRK4OfALargeFrame(t *testing.T) {
	p := shearFrame(t, 30)
	l := &loads{comps: 1}
	for k := range 20 {
		l.force = append(l.force, []float64{1000 * math.Cos(float64(k))})
	}
	for i := range 41 {
		l.ground = append(l.ground, math.Sin(float64(i)))
	}
	compareWithStages(t, p, 1e-3, l, make([]float64, 60))
}

func compareWithStages(t rthstest.TB, p *structure.Partition, h float64, l *loads, start []float64) {
	t.Helper()
	in := must(t, &RK4{}, p, h)
	n := p.N()
	x, v := start[:n], start[n:]
	still := &loads{comps: l.comps, ground: make([]float64, 3*l.comps),
		force: [][]float64{make([]float64, len(p.Interface))}}
	startAt(t, in, still, len(p.Interface), x, v)
	got := run(in, l, len(p.Interface))
	var gotX, wantX, gotV, wantV, gotA, wantA []float64
	for k, f := range l.force {
		wantX, wantV = append(wantX, x...), append(wantV, v...)
		wantA = append(wantA, acceleration(p, x, v, l.at(k, 0), f)...)
		gotX, gotV, gotA = append(gotX, got[k].state.X...), append(gotV, got[k].state.V...), append(gotA, got[k].state.A...)
		x, v = fourStages(p, h, x, v, [3][]float64{l.at(k, 0), l.at(k, 1), l.at(k, 2)}, f)
		a := acceleration(p, x, v, l.at(k, 2), f)
		for i, d := range p.Interface {
			wantX, wantV, wantA = append(wantX, x[d]), append(wantV, v[d]), append(wantA, a[d])
			gotX, gotV, gotA = append(gotX, got[k].target.X[i]), append(gotV, got[k].target.V[i]),
				append(gotA, got[k].target.A[i])
		}
	}
	nearAll(t, "displacement", gotX, wantX, 1e-11)
	nearAll(t, "velocity", gotV, wantV, 1e-11)
	nearAll(t, "acceleration", gotA, wantA, 1e-11)
}

func TestRK4IsOfOrder4(t *testing.T) { wantOrder(t, &RK4{}, 4) }

// Undamped free vibration: a step multiplies the energy by |R(iωh)|², which is
// 1 − y⁶/72 + y⁸/576 with y = ωh.
func TestRK4EnergyOfFreeVibration(t *testing.T) {
	const omega = 20.0
	for _, y := range []float64{0.1, 0.5, 1, 2, 2.8, 2 * math.Sqrt2} {
		p := sdof(omega, 0)
		in := must(t, &RK4{}, p, y/omega)
		rths.SetState([]float64{0.01, -0.1}, in)
		factor := 1 - math.Pow(y, 6)/72 + math.Pow(y, 8)/576
		energy := func() float64 {
			s := rths.AppendState(nil, in)
			return math.Pow(omega*s[0], 2) + s[1]*s[1]
		}
		for range 50 {
			before := energy()
			shake(in, y/omega, 1, resting)
			rthstest.Near(t, fmt.Sprintf("energy factor at ωh = %g", y), energy()/before, factor, 1e-12)
		}
		rthstest.Near(t, "growth factor", rk4Growth(complex(0, y)), math.Sqrt(factor), 1e-14)
		rthstest.Near(t, "spectral radius", radius(t, iteration(in, p)), math.Sqrt(factor), 1e-12)
	}
}

// A constant force from rest: the closed form, to order 4, and in the end the
// static displacement −f/k exactly.
func TestRK4UnderConstantForce(t *testing.T) {
	const omega, zeta, f = 20.0, 0.05, 3000.0
	pushed := func(h float64, steps int) (errs float64, last float64) {
		in := must(t, &RK4{}, sdof(omega, zeta), h)
		target := rths.NewMotion(1)
		for k := range steps {
			in.Step(&target, []float64{0, 0, 0}, &rths.Reading{F: []float64{f}})
			errs = max(errs, math.Abs(target.X[0]+f/1000*afterJump(omega, zeta, float64(k+1)*h)))
		}
		return errs, target.X[0]
	}
	coarse, _ := pushed(1.0/256, 256)
	middle, _ := pushed(1.0/512, 512)
	fine, _ := pushed(1.0/1024, 1024)
	rthstest.Near(t, "order from h to h/2", slope(coarse, middle), 4, 0.05)
	rthstest.Near(t, "order from h/2 to h/4", slope(middle, fine), 4, 0.05)
	_, last := pushed(1.0/256, 10000)
	still := -f / (1000 * omega * omega)
	rthstest.Near(t, "displacement in the end", last, still, 1e-13*math.Abs(still))
}

// The force is held over the step, not interpolated: with small steps the
// response to random forces equals the exact zero-order hold.
func TestRK4HoldsTheForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPartition(t)
		h := 0.02 / highest(t, p)
		l := drawLoads(t, p, 30)
		clear(l.ground)
		n, forces := p.N(), len(p.Interface)
		if forces == 0 {
			t.Skip("no force")
		}
		a, b := mat.NewDense(2*n, 2*n, nil), mat.NewDense(2*n, forces, nil)
		for j := range n {
			unit, still := make([]float64, n), make([]float64, n)
			unit[j] = 1
			a.Set(j, n+j, 1)
			for i := range n {
				none := make([]float64, l.comps)
				a.Set(n+i, j, acceleration(p, unit, still, none, make([]float64, forces))[i])
				a.Set(n+i, n+j, acceleration(p, still, unit, none, make([]float64, forces))[i])
			}
		}
		for j, d := range p.Interface {
			unit := make([]float64, n)
			unit[d] = -1
			for i, v := range solve(p.M, unit) {
				b.Set(n+i, j, v)
			}
		}
		phi, gamma, err := lti.ZOHInputs(a, b, h)
		if err != nil {
			t.Fatal(err)
		}
		z := make([]float64, 2*n)
		var got, want []float64
		for k, now := range run(must(t, &RK4{}, p, h), l, forces) {
			got, want = append(got, now.state.X...), append(want, z[:n]...)
			z = combine([]float64{1, 1}, times(phi, z), times(gamma, l.force[k]))
		}
		// After a jump of the force a step of RK4 is off by (ωh)³/60 = 1.3e-7 of
		// its displacement; an interpolated force would be off by a hundredth.
		nearAll(t, "displacement", got, want, 1e-6)
	})
}

// The limits of the undamped and of the critically damped oscillator: 2√2 and
// the root of R(−y) = 1, that is y³ − 4y² + 12y − 24 = 0.
func TestRK4Limit(t *testing.T) {
	const omega = 50.0
	real1 := 2.785293563405282
	rthstest.Near(t, "polynomial of the real limit", ((real1-4)*real1+12)*real1-24, 0, 1e-12)
	for _, c := range []struct{ zeta, limit float64 }{{0, 2 * math.Sqrt2}, {1, real1}} {
		wantLimit(t, &RK4{}, sdof(omega, c.zeta), c.limit/omega, 1e-6)
	}
}

// On random damped structures the limit named is where the four stages begin
// to grow.
func TestRK4LimitOfRandomStructures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPartition(t)
		n := p.N()
		_, comps := p.Load.Dims()
		still := make([]float64, comps)
		wantLimitOf(t, &RK4{}, p, func(h float64) *mat.Dense {
			m := mat.NewDense(2*n, 2*n, nil)
			for j := range 2 * n {
				z := make([]float64, 2*n)
				z[j] = 1
				x, v := fourStages(p, h, z[:n], z[n:], [3][]float64{still, still, still}, make([]float64, len(p.Interface)))
				m.SetCol(j, append(x, v...))
			}
			return m
		})
	})
}

// Along any ray of the left half plane the method is stable up to a limit and
// not beyond, so that bisection finds the limit.
func TestRK4IsStableUpToALimit(t *testing.T) {
	for angle := math.Pi / 2; angle <= math.Pi; angle += math.Pi / 720 {
		s, c := math.Sincos(angle)
		crossed := false
		for r := 0.005; r < 6; r += 0.005 {
			grows := rk4Growth(complex(r*min(c, 0), r*s)) > 1+settled
			if crossed && !grows {
				t.Fatalf("at %g° growth ends at |λ|h = %g", angle*180/math.Pi, r)
			}
			crossed = crossed || grows
		}
		if !crossed {
			t.Fatalf("at %g° no limit up to |λ|h = 6", angle*180/math.Pi)
		}
	}
}

func TestRK4WantsMassEverywhere(t *testing.T) {
	p := sdof(10, 0)
	p.M.Zero()
	_, err := (&RK4{}).Make(p, 0.001)
	rthstest.WantError(t, err, "numerical part: singular mass matrix: degree of freedom 1 has mass 0 kg: want more than 0")
}
