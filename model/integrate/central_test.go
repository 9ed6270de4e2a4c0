package integrate

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"rths"
	"rths/kit/rthstest"
	"rths/model/structure"
)

// nextByDifferences is the recurrence written out (docs/reference/wang2020.md, Three degrees of
// freedom):
//
//	(M/h² + C/2h) x[k+1] = −L g[k] − e f[k] − K x[k] + M (2x[k] − x[k−1])/h² + C x[k−1]/2h
func nextByDifferences(p *structure.Partition, h float64, x, before, ground, force []float64) []float64 {
	var left, damp mat.Dense
	left.Scale(1/(h*h), p.M)
	damp.Scale(1/(2*h), p.C)
	left.Add(&left, &damp)
	return solve(&left, combine([]float64{-1, -1, 1 / (h * h), 1 / (2 * h)},
		pull(p, ground, force), times(p.K, x),
		times(p.M, combine([]float64{2, -1}, x, before)), times(p.C, before)))
}

func TestCentralDifferenceIsItsRecurrence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPartition(t)
		n := p.N()
		h := rapid.Float64Range(0.05, 1.5).Draw(t, "ωh") / highest(t, p)
		l := drawLoads(t, p, 12)
		start := drawMany(t, "start", 2*n, 0.1)
		in := must(t, &CentralDifference{}, p, h)
		rths.SetState(start, in)
		x, before := start[:n], start[n:]
		var gotX, wantX, gotV, wantV, gotA, wantA []float64
		for k, now := range run(in, l, len(p.Interface)) {
			next := nextByDifferences(p, h, x, before, l.at(k, 0), l.force[k])
			a := combine([]float64{1 / (h * h), -2 / (h * h), 1 / (h * h)}, next, x, before)
			wantX, gotX = append(wantX, x...), append(gotX, now.state.X...)
			wantV, gotV = append(wantV, combine([]float64{1 / (2 * h), -1 / (2 * h)}, next, before)...),
				append(gotV, now.state.V...)
			wantA, gotA = append(wantA, a...), append(gotA, now.state.A...)
			for i, d := range p.Interface {
				wantX, gotX = append(wantX, next[d]), append(gotX, now.target.X[i])
				wantV, gotV = append(wantV, (next[d]-x[d])/h), append(gotV, now.target.V[i])
				wantA, gotA = append(wantA, a[d]), append(gotA, now.target.A[i])
			}
			x, before = next, x
		}
		nearAll(t, "displacement", gotX, wantX, 1e-10)
		nearAll(t, "velocity", gotV, wantV, 1e-10)
		nearAll(t, "acceleration", gotA, wantA, 1e-10)
	})
}

// Paper 000, section 3 (docs/reference/wang2020.md): the numerical part has the mass only,
// k_N = 0, and the specimen all the stiffness, with Δt = 10/1024 s:
//
//	d[i+1] = 2d[i] − d[i−1] + Δt² (−a_g[i] − k_E d_m[i]/m)
func TestCentralDifferenceOfPaper000(t *testing.T) {
	const m, kE, dt, steps = 1000.0, 39478.4, 10.0 / 1024, 1000
	whole := mustStructure(t, &structure.Shear{Masses: []float64{m}, Stiffnesses: []float64{kE}})
	p, err := whole.Divide(0, 0, 0, kE)
	if err != nil {
		t.Fatal(err)
	}
	in := must(t, &CentralDifference{}, p, dt)
	target := rths.NewMotion(1)
	var got, want []float64
	d, before, late := 0.0, 0.0, 0.0
	for i := range steps {
		ag := 2 * math.Sin(0.1*float64(i)) * math.Sin(0.003*float64(i))
		dm := late // the specimen follows a sample late
		in.Step(&target, []float64{ag, 0, 0}, &rths.Reading{F: []float64{kE * dm}})
		late = d
		d, before = 2*d-before+dt*dt*(-ag-kE*dm/m), d
		got, want = append(got, target.X[0]), append(want, d)
	}
	nearAll(t, "displacement", got, want, 1e-10)
}

// A spring in the laboratory that returns k x without delay or error is the
// same as one in the computer: the recurrence uses K x and f of the same
// instant.
func TestCentralDifferenceWithAnIdealSpring(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPartition(t)
		d := rapid.IntRange(0, p.N()-1).Draw(t, "interface")
		p.Interface = []int{d}
		h := rapid.Float64Range(0.1, 1.5).Draw(t, "ωh") / highest(t, p)
		l := drawLoads(t, p, 30)
		k := rapid.Float64Range(0, 1).Draw(t, "share") * p.K.At(d, d)
		divided := *p
		divided.K = mat.DenseCopyOf(p.K)
		divided.K.Set(d, d, p.K.At(d, d)-k)
		whole, part := must(t, &CentralDifference{}, p, h), must(t, &CentralDifference{}, &divided, h)
		a, b := rths.NewMotion(1), rths.NewMotion(1)
		var got, want []float64
		for i := range l.force {
			part.Step(&a, l.window(i), &rths.Reading{F: []float64{k * a.X[0]}})
			whole.Step(&b, l.window(i), &rths.Reading{F: []float64{0}})
			got, want = append(got, a.X[0]), append(want, b.X[0])
		}
		nearAll(t, "displacement", got, want, 1e-10)
	})
}

func TestCentralDifferenceIsOfOrder2(t *testing.T) { wantOrder(t, &CentralDifference{}, 2) }

// Undamped free vibration keeps ½ m ((x[k+1]−x[k])/h)² + ½ k x[k+1] x[k] and
// has the frequency (2/h) asin(ωh/2).
func TestCentralDifferenceFreeVibration(t *testing.T) {
	const omega, x0, steps = 20.0, 0.01, 2000
	for _, y := range []float64{0.05, 0.5, 1, 1.9, 1.99} {
		h := y / omega
		in := must(t, &CentralDifference{}, sdof(omega, 0), h)
		turn := 2 * math.Asin(y/2) // ω_h h
		rths.SetState([]float64{x0, x0 * math.Cos(turn)}, in)
		energy := func() float64 {
			s := rths.AppendState(nil, in)
			return math.Pow((s[0]-s[1])/h, 2)/2 + omega*omega*s[0]*s[1]/2
		}
		start := energy()
		x := shake(in, h, steps, resting)
		rthstest.Near(t, fmt.Sprintf("energy at ωh = %g after %d steps", y, steps), energy()/start, 1, 1e-9)
		for k := range x {
			rthstest.Near(t, fmt.Sprintf("x[%d] at ωh = %g", k, y), x[k][0], x0*math.Cos(turn*float64(k)), 1e-9*x0)
		}
	}
}

// A constant force from rest. With x[0] = x[−1] = 0 the exact solution of the
// undamped recurrence is −f/k (1 − cos((k+½)ω_h h)/cos(½ω_h h)): the
// structure at rest at −h/2. So the error is of order 1 against a force that
// begins at 0, and of order 2 against one that begins half a step earlier.
func TestCentralDifferenceUnderConstantForce(t *testing.T) {
	const omega, f = 20.0, 3000.0
	pushed := func(zeta, h float64, steps int) (x []float64) {
		in := must(t, &CentralDifference{}, sdof(omega, zeta), h)
		target := rths.NewMotion(1)
		for range steps {
			in.Step(&target, []float64{0, 0, 0}, &rths.Reading{F: []float64{f}})
			x = append(x, target.X[0])
		}
		return x
	}
	still := -f / (1000 * omega * omega)
	for _, y := range []float64{0.1, 1, 1.9} {
		turn := 2 * math.Asin(y/2)
		for i, x := range pushed(0, y/omega, 500) {
			k := float64(i + 1)
			rthstest.Near(t, fmt.Sprintf("x[%g] at ωh = %g", k, y), x, still*(1-math.Cos((k+0.5)*turn)/math.Cos(turn/2)),
				1e-10*math.Abs(still)/math.Cos(turn/2))
		}
	}
	offBy := func(rate int, early float64) (most float64) {
		h := 1 / float64(rate)
		for i, x := range pushed(0.05, h, rate) {
			most = max(most, math.Abs(x-still*omega*omega*afterJump(omega, 0.05, (float64(i+1)+early)*h)))
		}
		return most
	}
	rthstest.Near(t, "order against a force that begins at 0", slope(offBy(2048, 0), offBy(4096, 0)), 1, 0.05)
	rthstest.Near(t, "order against one half a step earlier", slope(offBy(2048, 0.5), offBy(4096, 0.5)), 2, 0.05)
	x := pushed(0.05, 1.0/256, 10000)
	rthstest.Near(t, "displacement in the end", x[len(x)-1], still, 1e-13*math.Abs(still))
}

// The limit is 2/ω, damped or not.
func TestCentralDifferenceLimit(t *testing.T) {
	const omega = 50.0
	for _, zeta := range []float64{0, 0.05, 0.9} {
		wantLimit(t, &CentralDifference{}, sdof(omega, zeta), 2/omega, 1e-12)
	}
}

// On random structures, damped in whatever way, the limit named is where the
// recurrence begins to grow.
func TestCentralDifferenceLimitOfRandomStructures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPartition(t)
		n := p.N()
		_, comps := p.Load.Dims()
		wantLimitOf(t, &CentralDifference{}, p, func(h float64) *mat.Dense {
			m := mat.NewDense(2*n, 2*n, nil)
			for j := range 2 * n {
				z := make([]float64, 2*n)
				z[j] = 1
				next := nextByDifferences(p, h, z[:n], z[n:], make([]float64, comps), make([]float64, len(p.Interface)))
				m.SetCol(j, append(next, z[:n]...))
			}
			return m
		})
	})
}

// A massless coordinate between a spring and a dashpot obeys c x′ + k x = 0,
// whose central difference x[k+1] = x[k−1] − 2h (k/c) x[k] has a root below −1
// at every step: it is refused.
func TestCentralDifferenceWantsMassEverywhere(t *testing.T) {
	const c, k = 500.0, 1e5
	for _, h := range []float64{1e-5, 1e-3, 0.1} {
		r := radius(t, mat.NewDense(2, 2, []float64{-2 * h * k / c, 1, 1, 0}))
		if !(r > 1) {
			t.Errorf("spectral radius of a massless coordinate is %g at h = %g s: want more than 1", r, h)
		}
	}
	load := mat.NewDense(2, 1, []float64{1000, 0})
	p := byHand(2, []float64{1000, 0, 0, 0}, []float64{0, 0, 0, c}, []float64{2 * k, -k, -k, k}, load, 0)
	_, err := (&CentralDifference{}).Make(p, 1e-3)
	rthstest.WantError(t, err,
		"central-difference: numerical part: singular mass matrix: degree of freedom 2 has mass 0 kg: want more than 0")
}

// Negative damping can cancel M/h² at one step.
func TestCentralDifferenceSingularLeftSide(t *testing.T) {
	p := byHand(1, []float64{1}, []float64{-2}, []float64{0}, mat.NewDense(1, 1, nil), 0)
	_, err := (&CentralDifference{}).Make(p, 1)
	rthstest.WantError(t, err, "central-difference: M/h² + C/2h: ")
}
