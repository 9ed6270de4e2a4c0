package plant

import (
	"fmt"
	"math"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// electricOn is the plant at 4096 Hz.
func electricOn(t testing.TB, p Electric, s Specimen) *electric {
	t.Helper()
	return rthstest.Must(p.Make(At{RateHz: rate, Specimen: s})).(*electric)
}

// commanded is the reading after so many seconds of a command.
func commanded(p Plant, seconds float64, command func(t float64) float64) rths.Reading {
	now := rths.NewReading(1, 1)
	now.V = []float64{0}
	for k := range int(seconds * rate) {
		p.Step(&now, []float64{command(float64(k) / rate)})
	}
	return now
}

// Against a stiff specimen the motor stands at its largest current, with the force i K_t/r less what the balls hold:
// without dry friction i K_t/r.
func TestElectricStall(t *testing.T) {
	p := electric10
	p.CoulombForce, p.StaticForce, p.Efficiency = 0, 0, 1
	r := p.Lead / 1e3 / (2 * math.Pi)
	want := p.CurrentLimit * p.TorqueConst / r
	for _, way := range []float64{1, -1} {
		h := electricOn(t, p, &linear{m: 100, c: 1e6, k: 1e8})
		now := commanded(h, 4, func(float64) float64 { return way })
		rthstest.Near(t, "stall force, N", now.F[0], way*want, 1e-5*want)
		rthstest.Near(t, "current, A", h.shown.Current, way*p.CurrentLimit, 1e-6*p.CurrentLimit)
		rthstest.Near(t, "torque, N·m", h.shown.Torque, way*p.CurrentLimit*p.TorqueConst, 1e-5*want*r)
	}
}

// Without a speed limit the back-EMF ends the speed against a force F: U = R i + K_t v/r with the current of the
// friction g(v) + (1/η − 1) F, of σ₂ v and of F. A force that drives gives (1/η − 1) |F| of itself to the balls.
func TestElectricSpeedUnderLoad(t *testing.T) {
	p := electric10
	p.SpeedLimit = 100
	kt := p.TorqueConst / (p.Lead / 1e3 / (2 * math.Pi))
	for _, load := range []float64{0, 5000, -5000} {
		h := electricOn(t, p, constant(load))
		now := commanded(h, 3, func(float64) float64 { return 100 })
		loss := p.CoulombForce + (1/p.Efficiency-1)*math.Abs(load)
		// (F + loss + σ₂ v) R/K + K v = U
		want := (p.VoltageLimit - (load+loss)*p.Resistance/kt) / (kt + p.Viscous*p.Resistance/kt)
		rthstest.Near(t, fmt.Sprintf("speed against %g N, m/s", load), now.V[0], want, 1e-6*want)
		rthstest.Near(t, "turns per minute", h.shown.Speed, 60*want/0.01, 1e-4*60*want/0.01)
	}
}

// The limit of the position loop holds where the voltage is enough, and the integral of the velocity loop leaves no
// error.
func TestElectricSpeedLimit(t *testing.T) {
	h := electricOn(t, electric10, constant(3000))
	now := commanded(h, 2, func(float64) float64 { return 100 })
	rthstest.Near(t, "speed at the limit, m/s", now.V[0], electric10.SpeedLimit, 1e-6)
}

// In steady motion under a load F the motor gives F/η, and F (2 − 1/η) where the load drives, beside the friction
// without load.
func TestElectricEfficiency(t *testing.T) {
	p := electric10
	kt := p.TorqueConst / (p.Lead / 1e3 / (2 * math.Pi))
	const speed = 0.2 // F_s has fallen to F_c
	p.SpeedLimit = speed
	free := p.CoulombForce + p.Viscous*speed
	for _, way := range []float64{1, -1} {
		for load, want := range map[float64]float64{0: free, 5000: 5000/0.9 + free, -5000: -5000*(2-1/0.9) + free} {
			h := electricOn(t, p, constant(way*load))
			commanded(h, 2, func(float64) float64 { return 100 * way })
			rthstest.Near(t, fmt.Sprintf("motor force against %g N, way %g", load, way), kt*h.shown.Current, way*want, 1e-2)
		}
	}
}

// A motor whose current grows slowly breaks the screw away at F_s. Before, it goes by presliding: ds/dz = 1/(1 − z/z_s)
// with z_s = F_s/σ₀ gives −z_s ln(1 − F/F_s).
func TestElectricBreakaway(t *testing.T) {
	p := electric10
	p.Efficiency, p.IntegralTime, p.PositionGain, p.SpeedGain, p.Viscous = 1, 0, 1, 0.01, 0
	p.SpeedLimit = 1000
	h := electricOn(t, p, constant(0))
	kt := p.TorqueConst / (p.Lead / 1e3 / (2 * math.Pi))
	now, broke := rths.NewReading(1, 1), 0.0
	now.V = []float64{0}
	for k := range 10 * rate {
		force := 30 * float64(k) / rate // N
		h.Step(&now, []float64{force / kt / p.SpeedGain})
		if now.V[0] > p.StribeckSpeed && broke == 0 {
			broke = kt * h.shown.Current
		}
		if part := force / p.StaticForce; part > 0.2 && part < 0.8 {
			want := -p.StaticForce / p.CoulombForce * p.Presliding * 1e-6 * math.Log(1-part)
			rthstest.Near(t, fmt.Sprintf("presliding at %.3g N, m", force), now.X[0], want, 0.02*want)
		}
	}
	if !(broke > 0.97*p.StaticForce && broke < 1.06*p.StaticForce) {
		t.Errorf("breakaway at %.4g N: want static_force_n %g", broke, p.StaticForce)
	}
}

// Play of the nut is a dead band: the rod stands still while the screw turns round.
func TestElectricPlay(t *testing.T) {
	p := electric10
	p.Play = 200
	h := electricOn(t, p, &linear{m: 100, c: 1e6, k: 1e4})
	now, widest := rths.NewReading(1, 1), 0.0
	for k := range 4 * rate {
		h.Step(&now, []float64{5e-3 * math.Sin(math.Pi*float64(k)/rate)})
		if k > rate {
			widest = max(widest, math.Abs(h.y[screw]-h.y[rod]))
		}
	}
	rthstest.Near(t, "half the play and the screw, m", widest, 0.1e-3+peakForce(5e-3*math.Pi, 1e6, 1e4)/p.Stiffness, 2e-6)
}

// The supply's work of 1 s is on the load, in the motor's heat, in friction and dashpot, or stored.
func TestElectricEnergy(t *testing.T) {
	for _, c := range electricCases() {
		e := c.make(t)
		n := len(e.y)
		y, at, k, sum := e.y, make([]float64, n), make([]float64, n), make([]float64, n)
		first := e.stored(y)
		var work [5]float64
		const parts = 64
		for _, u := range c.commands()[:rate] {
			e.u, e.du = u, u-e.u
			for range parts {
				h := e.h / parts
				copy(at, y)
				clear(sum)
				for i, weight := range [4]float64{1, 2, 2, 1} {
					e.rate(k, at)
					for j, of := range e.powers(k, at) {
						work[j] += h / 6 * weight * of
					}
					for j := range y {
						sum[j] += weight / 6 * k[j]
						at[j] = y[j] + [4]float64{h / 2, h / 2, h, 0}[i]*k[j]
					}
				}
				for j := range y {
					y[j] += h * sum[j]
				}
			}
		}
		change := e.stored(y) - first
		left := work[0] - change - work[1] - work[2] - work[3] - work[4]
		t.Logf("%s: of %.4g J of the supply %.4g on the load, %.4g heat, %.4g friction, %.3g dashpot, %.3g stored: left %.2g",
			c.name, work[0], work[1], work[2], work[3], work[4], change, left/work[0])
		if !(math.Abs(left) <= 1e-8*work[0]) || !(work[2] > 0 && work[3] > 0 && work[4] > 0) {
			t.Errorf("%s: %.3g J of %.3g J are nowhere: %g", c.name, left, work[0], work)
		}
	}
}

// powers are the rates of the supply's work, and of what goes to the load, heat, friction and dashpot, W.
func (p *electric) powers(dy, y []float64) [5]float64 {
	i, w := y[motorCurrent], y[screwSpeed]
	voltage := p.henry*dy[motorCurrent] + p.ohm*i + p.force*w
	nut := p.nut(y)
	g := p.fc + (p.fs-p.fc)*math.Exp(-math.Abs(w)/p.vs) + p.loss*math.Abs(nut)
	z := p.s0 * y[ball]
	return [5]float64{voltage * i, p.felt * y[rodSpeed], p.ohm * i * i, z*z*math.Abs(w)/g + p.s1*dy[ball]*w + p.s2*w*w,
		p.screwC * (w - y[rodSpeed]) * (w - y[rodSpeed])}
}

// nut is F_n.
func (p *electric) nut(y []float64) float64 {
	gap := y[screw] - y[rod]
	return p.screwK*math.Copysign(max(math.Abs(gap)-p.halfPlay, 0), gap) + p.screwC*(y[screwSpeed]-y[rodSpeed])
}

// stored is the energy in winding, masses, screw and bristles, J.
func (p *electric) stored(y []float64) float64 {
	over := max(math.Abs(y[screw]-y[rod])-p.halfPlay, 0)
	return (p.henry*y[motorCurrent]*y[motorCurrent] + p.inertia*y[screwSpeed]*y[screwSpeed] + p.m*y[rodSpeed]*y[rodSpeed] +
		p.screwK*over*over + p.s0*y[ball]*y[ball]) / 2
}

// A Step allocates nothing, and none of a hard motion wants more evaluations than a tick has.
func TestElectricSteps(t *testing.T) {
	p := electric10
	p.Presliding = 2
	h := electricOn(t, p, &linear{m: 200, c: 4000, k: 1e5})
	now, k := rths.NewReading(1, 1), 0
	step := func() {
		at := float64(k) / rate
		h.Step(&now, []float64{0.3 * p.Stroke * (math.Sin(2*math.Pi*1.5*at) + 0.2*math.Sin(2*math.Pi*9*at))})
		k++
	}
	if n := testing.AllocsPerRun(2*rate, step); n != 0 {
		t.Errorf("%g allocations in a step", n)
	}
	if t.Logf("%d evaluations at most", h.worst); h.bounded != 0 {
		t.Errorf("%d ticks wanted more evaluations: want none", h.bounded)
	}
}

// A command that is no number ends a tick all the same, also idealised.
func TestElectricEndsItsTick(t *testing.T) {
	for _, ideal := range []bool{false, true} {
		h := electricOn(t, electric10, &linear{m: 200, k: 1e5})
		h.Idealise(ideal)
		now := commanded(h, 3./rate, func(float64) float64 { return math.NaN() })
		if h.bounded == 0 || !math.IsNaN(now.X[0]) {
			t.Errorf("idealised %v: %d calls at their bound, displacement %g m", ideal, h.bounded, now.X[0])
		}
	}
}

func TestElectricErrors(t *testing.T) {
	for _, c := range []struct {
		set  func(p *Electric)
		want string
	}{
		{func(p *Electric) { p.Lead = 0 }, "lead_mm 0: want 0.1 to 1000"},
		{func(p *Electric) { p.TorqueConst = math.NaN() }, "torque_constant NaN"},
		{func(p *Electric) { p.Efficiency = 1.1 }, "efficiency 1.1: want 0.5 to 1"},
		{func(p *Electric) { p.CoulombForce = 0 }, "efficiency 0.9 without coulomb_force_n"},
		{func(p *Electric) { p.StaticForce = 1 }, "want at least coulomb_force_n 150"},
		{func(p *Electric) { p.CoulombForce, p.Efficiency, p.StaticForce = 0, 1, -1 }, "static_force_n -1: want 0 to"},
		{func(p *Electric) { p.BristleDamping = 1e6 }, "bristle_damping: bristle damping of 1e+06"},
		{func(p *Electric) { p.Stroke = -1 }, "stroke_m -1"},
		{func(p *Electric) { p.PositionGain = 3000 }, "unstable with this specimen"},
		{func(p *Electric) { p.CurrentTau = 1e-3 }, "want at most 60, a slower current loop"},
	} {
		p := electric10
		c.set(&p)
		_, err := p.Make(At{RateHz: rate, Specimen: &linear{k: 1e6}})
		rthstest.WantError(t, err, c.want)
	}
	p := electric10
	_, err := (&Actuators{Each: []TransferMaker{&p, &p}}).Make(At{RateHz: rate, Specimen: &linear{m: 900, k: 4e6}})
	rthstest.WantError(t, err, "servo-electric transfer system: it moves a single specimen: want another kind for several")
	_, err = p.Make(At{RateHz: math.Inf(1), Specimen: &linear{k: 1e6}})
	rthstest.WantError(t, err, "rate +Inf Hz: want a positive number")
}

// BenchmarkElectric is a tick at 4096 Hz.
func BenchmarkElectric(b *testing.B) {
	h := electricOn(b, electric10, &linear{m: 200, c: 4000, k: 1e5})
	now, u := rths.NewReading(1, 1), []float64{0}
	b.ReportAllocs()
	for i := range b.N {
		at := float64(i) / rate
		u[0] = 0.2 * electric10.Stroke * (math.Sin(2*math.Pi*2*at) + 0.1*math.Sin(2*math.Pi*11*at))
		h.Step(&now, u)
	}
	b.ReportMetric(float64(h.worst), "evaluations-at-most")
}
