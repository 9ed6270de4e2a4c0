package plant

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// carrionPID is the actuator of Table 4.1 with all three gains of (4.2).
var carrionPID = func() ServoHydraulic {
	p := carrion
	p.IntegralGain, p.DerivativeGain = 1500, 0.1
	return p
}()

// randomPID is a servo-hydraulic plant around Table 4.1, stable or not.
func randomPID(r *rand.Rand) (ServoHydraulic, linear) {
	p, sp := carrion, carrionSpecimen
	for _, v := range []*float64{&p.ProportionalGain, &p.ValveTauMs, &p.ValveGain, &p.FlowPressure, &p.PistonArea,
		&p.FluidVolume, &p.BulkModulus, &sp.m, &sp.c, &sp.k} {
		*v *= math.Exp(r.NormFloat64() / 2)
	}
	p.IntegralGain, p.DerivativeGain = 3000*r.Float64(), 0.3*r.Float64()
	switch r.IntN(4) {
	case 0:
		p.IntegralGain = 0
	case 1:
		p.DerivativeGain = 0
	}
	return p, sp
}

// The closed form with (4.2) and the states of the plant equal the loop of (4.2), (4.3),
// (4.6), (4.7) and (4.10), block by block, at random parameters.
func TestServoHydraulicPIDIsTheLoop(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 1))
	c := func(v float64) complex128 { return complex(v, 0) }
	for range 200 {
		p, sp := randomPID(r)
		g, m := rthstest.Must(p.Transfer(sp.m, sp.c, sp.k)), rthstest.Must(p.Model(&sp))
		for _, hz := range []float64{0.05, 1, 10, 60, 400} {
			s := complex(0, 2*math.Pi*hz)
			control := c(p.ProportionalGain) + c(p.IntegralGain)/s + c(p.DerivativeGain)*s
			valve := c(p.ValveGain) / (1 + c(p.ValveTauMs/1e3)*s)
			piston := c(p.PistonArea) / (c(p.FlowPressure) + c(p.FluidVolume/(4*p.BulkModulus))*s)
			specimen := 1 / (c(sp.m)*s*s + c(sp.c)*s + c(sp.k))
			ahead := control * valve * piston * specimen / (1 + piston*specimen*c(p.PistonArea)*s)
			want := ahead / (1 + ahead)
			for what, got := range map[string]complex128{"closed form": g.At(s), "model": rthstest.Must(m.SS.At(s)).At(0, 0)} {
				if d := cmplx.Abs(got - want); !(d <= 1e-8*cmplx.Abs(want)) {
					t.Fatalf("%s at %g Hz: %v, want %v: %+v", what, hz, got, want, p)
				}
			}
		}
	}
}

// Without integral and derivative gain the equations are those of (4.1), to the bit.
func TestServoHydraulicWithoutPID(t *testing.T) {
	m, tau := carrion.mover(), carrion.ValveTauMs/1e3
	a1, a2, a3 := carrion.lumped()
	want := mover{
		a: [][]float64{{-1 / tau, 0, -carrion.ProportionalGain / tau, 0}, {a1, -a3, 0, -a2}},
		b: []float64{carrion.ProportionalGain / tau, 0},
	}
	for i, row := range append(want.a, want.b) {
		for j, v := range row {
			if got := append(m.a, m.b)[i][j]; math.Float64bits(got) != math.Float64bits(v) {
				t.Errorf("row %d, column %d: %g: want %g", i, j, got, v)
			}
		}
	}
}

// rawPID integrates the equations as the paper has them, τ q̇ + q = K_q i_c with its own
// ė = −ẋ between the jumps of the command; at a jump Δu the derivative is a pulse, and q
// jumps by K_q K_d/τ Δu. RK4, so many steps in a sample.
type rawPID struct {
	p    ServoHydraulic
	f    func(x, v float64) float64
	mass float64
	u    float64
	y    [5]float64 // q, ∫e, F, x, ẋ
}

func (r *rawPID) rate(y [5]float64) [5]float64 {
	p, oil := &r.p, 4*r.p.BulkModulus/r.p.FluidVolume
	current := p.ProportionalGain*(r.u-y[3]) + p.IntegralGain*y[1] - p.DerivativeGain*y[4]
	return [5]float64{
		(p.ValveGain*current - y[0]) / (p.ValveTauMs / 1e3),
		r.u - y[3],
		oil * (p.PistonArea*y[0] - p.FlowPressure*y[2] - p.PistonArea*p.PistonArea*y[4]),
		y[4],
		(y[2] - r.f(y[3], y[4])) / r.mass,
	}
}

func (r *rawPID) hold(u float64, h float64, steps int) {
	r.y[0] += r.p.ValveGain * r.p.DerivativeGain / (r.p.ValveTauMs / 1e3) * (u - r.u)
	r.u = u
	h /= float64(steps)
	ahead := func(k [5]float64, h float64) (y [5]float64) {
		for i := range y {
			y[i] = r.y[i] + h*k[i]
		}
		return y
	}
	for range steps {
		k1 := r.rate(r.y)
		k2 := r.rate(ahead(k1, h/2))
		k3 := r.rate(ahead(k2, h/2))
		k4 := r.rate(ahead(k3, h))
		for i := range r.y {
			r.y[i] += h / 6 * (k1[i] + 2*k2[i] + 2*k3[i] + k4[i])
		}
	}
}

// The plant is the paper's equations, integrated as printed in steps so fine that their
// error does not count: the fastest pole, 2/τ, has λh = 0.01, and (λh)⁴ = 1e-8.
func TestServoHydraulicPIDIsIntegrated(t *testing.T) {
	sp := carrionSpecimen
	cubic := cubicSpring{linear{m: sp.m, c: sp.c}, sp.k, 1e10}
	for _, c := range []struct {
		name      string
		specimen  Specimen
		f         func(x, v float64) float64
		tolerance float64
	}{
		{"linear", &sp, func(x, v float64) float64 { return sp.c*v + sp.k*x }, 1e-7},
		{"cubic", &cubic, cubic.force, 1e-5}, // the plant's own sub-steps: (λh)⁴ of 0.06
	} {
		raw := rawPID{p: carrionPID, f: c.f, mass: sp.m}
		u := wander(72, 2000, 3e-3)
		got := drive(rthstest.Must(carrionPID.Make(At{RateHz: rate, Specimen: c.specimen})), u)
		var want trace
		for _, command := range u {
			raw.hold(command, 1.0/rate, 64)
			want.x, want.v, want.f = append(want.x, raw.y[3]), append(want.v, raw.y[4]), append(want.f, raw.y[2])
		}
		for what, pair := range map[string][2][]float64{"x": {got.x, want.x}, "v": {got.v, want.v}, "F": {got.f, want.f}} {
			if d := apart(pair[0], pair[1]); !(d <= c.tolerance*peak(pair[1])) {
				t.Errorf("%s specimen: %s %.2g apart, largest %.2g", c.name, what, d, peak(pair[1]))
			}
		}
	}
}

// cubicSpring is f = c ẋ + k x + k₃ x³.
type cubicSpring struct {
	base  linear
	k, k3 float64
}

func (s *cubicSpring) force(x, v float64) float64 { return s.base.c*v + s.k*x + s.k3*x*x*x }
func (s *cubicSpring) Mass() float64              { return s.base.m }
func (s *cubicSpring) States() int                { return 0 }
func (s *cubicSpring) Rate(_, f, _ []float64, m *rths.Motion) {
	f[0] = s.force(m.X[0], m.V[0])
}
func (s *cubicSpring) Steepest() (k, c, rate float64) { return s.k + 3*s.k3*25e-6, s.base.c, 0 }

// Under a constant command the proportional controller leaves the error of a static
// spring, k/(k + N₀) with N₀ of (4.16); with an integral gain no error stays, on a spring
// and on a specimen that has yielded. The derivative gain does not change the static state.
func TestServoHydraulicStaticError(t *testing.T) {
	sp := linear{m: 4.03, c: 1665, k: 4e5}
	p := carrion
	n0 := p.ProportionalGain * p.ValveGain * p.PistonArea / p.FlowPressure
	yields := rthstest.Must((&Bilinear{Stiffness: 4e5, PostStiffness: 4e4, YieldDisplacement: 1e-3, Damping: 1665,
		Mass: 4.03}).Make())
	for _, c := range []struct {
		name       string
		ki, kd     float64
		specimen   Specimen
		want, tail float64 // error of 1; what the slowest pole leaves of it after 5 s
	}{
		{"P", 0, 0, &sp, sp.k / (sp.k + n0), 1e-12}, {"PD", 0, 0.1, &sp, sp.k / (sp.k + n0), 1e-12},
		{"PI", 1500, 0, &sp, 0, 1e-12}, {"PID", 1500, 0.1, &sp, 0, 1e-12},
		{"PID, yielding", 1500, 0.1, yields, 0, 1e-9},
	} {
		p.IntegralGain, p.DerivativeGain = c.ki, c.kd
		const u = 5e-3
		plant, command, now := rthstest.Must(p.Make(At{RateHz: rate, Specimen: c.specimen})), []float64{u}, roomy()
		for range 5 * rate {
			plant.Step(now, command)
		}
		rthstest.Near(t, c.name, 1-now.X[0]/u, c.want, c.tail)
	}
}

// BareInverse says nothing about the integral gain, so that compensators start as from the
// proportional controller; with the derivative gain the inverse is
// 1 + A/(K_q K_p) (s + τ s²)/(1 + K_d/K_p s).
func TestServoHydraulicPIDBareInverse(t *testing.T) {
	c := rthstest.Must(carrionPID.BareInverse(4))
	lag, lead, tau := carrion.PistonArea/(carrion.ProportionalGain*carrion.ValveGain), 0.1/carrion.ProportionalGain,
		carrion.ValveTauMs/1e3
	rthstest.NearAll(t, "u/x", c, []float64{1, lag, lag * (tau - lead), -lag * lead * (tau - lead)}, 1e-9)
}
