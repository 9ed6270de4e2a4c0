package plant

import (
	"fmt"
	"math"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/maths/lti"
)

// hydraulicOn is the plant at 4096 Hz.
func hydraulicOn(t testing.TB, p Hydraulic, s Specimen) *hydraulic {
	t.Helper()
	return rthstest.Must(p.Make(At{RateHz: rate, Specimen: s})).(*hydraulic)
}

// bareHydraulic is an actuator without dry friction, leakage and pressure feedback, at a constant supply whose valve
// a large error opens to its stop.
func bareHydraulic() Hydraulic {
	p := hydraulic250
	p.CoulombForce, p.StaticForce, p.Viscous, p.Leakage, p.PressureGain = 0, 0, 0, 0, 0
	p.PumpFlow, p.Accumulator = 0, 0
	return p
}

// With its valve at the stop the piston moves at v = v₀ √(1 − F/(A P_s)) against a force F that does not change, both ways,
// and at √(1 + F/(A P_s)) with it. With areas that differ it moves at v = K √((A P_s − F)/(A_A³ + A_B³)), which has two
// branches. The envelope is the same.
func TestHydraulicFlowLoadCurve(t *testing.T) {
	for _, rod := range []float64{0, 80} {
		p := bareHydraulic()
		a, b := 125e-4, 125e-4
		if p.RodArea = rod; rod > 0 {
			p.Leakage, b, p.OilVolume = 1e-9, rod*1e-4, 1e6 // so much oil that the piston goes far
			p.BulkModulus = 1e5
		}
		k := p.RatedFlow * litreMin * math.Sqrt(2/ratedDrop)
		e := rthstest.Must(p.Envelope())
		for _, part := range []float64{-0.3, 0, 0.2, 0.5, 0.9, 0.97} {
			for i, way := range []float64{1, -1} {
				area := []float64{a, b}[i]
				load := part * area * 210e5
				h := hydraulicOn(t, p, constant(load*way))
				h.y[spool] = way
				now := rths.NewReading(1, 1)
				now.V = []float64{0}
				for range 4 * rate {
					h.Step(&now, []float64{100 * way})
				}
				v0 := k * math.Sqrt(210e5*area/(a*a*a+b*b*b))
				what := fmt.Sprintf("rod side %g cm², speed at %g of the stall force, way %g", rod, part, way)
				rthstest.Near(t, what, now.V[0]*way, v0*math.Sqrt(1-part), 2e-6*v0)
				rthstest.Near(t, what+", envelope", e.Speed(load, 210e5, way > 0), v0*math.Sqrt(1-part), 1e-9*v0)
			}
		}
	}
}

// constant is a specimen of a force that does not change, N.
type constant float64

func (constant) Mass() float64                                { return 100 }
func (constant) States() int                                  { return 0 }
func (constant) Steepest() (k, c, rate float64)               { return 0, 0, 0 }
func (f constant) Rate(_, force, _ []float64, _ *rths.Motion) { force[0] = float64(f) }

// The oil column is a spring 4 β A²/V; with areas that differ it is β (A_A²/V_A + A_B²/V_B), and stiffer out of the middle.
// The resonance of piston and specimen on it is a pole of the model of a valve that hardly moves.
func TestHydraulicOilColumn(t *testing.T) {
	p := bareHydraulic()
	p.ProportionalGain, p.ValveOrder = 1e-6, 1
	for _, rod := range []float64{0, 80} {
		p.RodArea = rod
		a, b, v, beta := 125e-4, 125e-4, p.OilVolume*1e-6, p.BulkModulus*1e6
		if rod > 0 {
			p.Leakage, b = 1e-6, rod*1e-4
		}
		va, vb := v*a/(a+b), v*b/(a+b)
		k := beta * (a*a/va + b*b/vb)
		const mass = 1000
		m := rthstest.Must(p.Model(&linear{m: mass}))
		want := math.Sqrt(k / (mass + p.MovingMass))
		fastest := 0.0
		for _, pole := range rthstest.Must(lti.Eigenvalues(m.SS.A)) {
			fastest = max(fastest, math.Abs(imag(pole)))
		}
		rthstest.Near(t, fmt.Sprintf("resonance with rod side %g cm², rad/s", rod), fastest, want, 1e-6*want)
	}
}

// While the pump is small the pressure follows the gas: P_s V_g^n is constant, and all that has left is V_g less its start.
func TestHydraulicAccumulator(t *testing.T) {
	p := bareHydraulic()
	p.PumpFlow, p.Accumulator, p.Precharge, p.GasExponent = 1e-6, 20, 120, 1.3
	h := hydraulicOn(t, p, &linear{m: 100})
	now, before := rths.NewReading(1, 1), 0.0
	v0 := 20e-3 * math.Pow(120.0/210, 1/1.3)
	for h.y[supply] > -80e5 {
		h.Step(&now, []float64{100})
		if h.y[gas] < before {
			t.Fatal("the gas contracts while oil leaves")
		}
		before = h.y[gas]
	}
	want := 210e5 * math.Pow(v0/(v0+h.y[gas]), 1.3)
	rthstest.Near(t, "pressure", 210e5+h.y[supply], want, 1e-5*want)
	moved := 125e-4*now.X[0] + h.y[chamberA]/h.oil // by the piston, and into the oil column
	rthstest.Near(t, "oil that left", h.y[gas], moved, 1e-5*moved)
	for range 10 * rate { // empty: what is left is the pump's flow
		h.Step(&now, []float64{100})
	}
	if ps := 210e5 + h.y[supply]; !(math.Abs(ps) < 2e5) {
		t.Errorf("an empty accumulator holds %.3g bar", ps/bar)
	}
}

// Seals that a piston drags slowly break away at F_s and carry g(v) at a steady speed: the load cell feels nothing of it,
// the oil all.
func TestHydraulicSeals(t *testing.T) {
	p := hydraulic250
	p.PumpFlow, p.Accumulator, p.PressureGain, p.Leakage = 0, 0, 0, 0
	h := hydraulicOn(t, p, &linear{m: 100})
	now := rths.NewReading(1, 1)
	now.V = []float64{0}
	most, at := 0.0, 0.0
	for _, speed := range []float64{1e-4, 0.06, 0.15} {
		for range rate * 2 {
			at += speed / rate
			h.Step(&now, []float64{at})
			if speed < 1e-3 {
				most = max(most, 125e-4*h.y[chamberA])
			}
		}
		if speed < 1e-3 {
			continue // it sticks and slips
		}
		v := now.V[0]
		want := p.CoulombForce + (p.StaticForce-p.CoulombForce)*math.Exp(-v/p.StribeckSpeed) + p.Viscous*v
		rthstest.Near(t, fmt.Sprintf("seals at %g m/s", speed), 125e-4*h.y[chamberA], want, 1e-3*want)
	}
	if !(most > 0.97*p.StaticForce && most < 1.03*p.StaticForce) {
		t.Errorf("breakaway at %g N: want static_force_n %g", most, p.StaticForce)
	}
}

// With a valve of order 1, no friction, no pressure feedback and a supply of large pressure the actuator tends to
// servo-hydraulic: at 1e-6 of the peak, and the tighter the tolerance the closer.
func TestHydraulicTendsToServoHydraulic(t *testing.T) {
	q := carrion
	q.ProportionalGain = 15
	p := bareHydraulic()
	p.ValveOrder, p.ValveHz, p.ValveSlew = 1, 1/(2*math.Pi*q.ValveTauMs/1e3), 0
	p.SupplyPressure = 1e9
	p.PistonArea, p.OilVolume, p.BulkModulus, p.Leakage = q.PistonArea*1e4, q.FluidVolume*1e6, q.BulkModulus/1e6,
		q.FlowPressure/litreMin*ratedDrop
	p.Stroke = 0.01
	// K √½ √P_s = K_q per full stroke: K_q K_p' = K_p of q
	p.RatedFlow = 1e-3 / litreMin
	full := p.RatedFlow * litreMin * math.Sqrt(p.SupplyPressure*bar/ratedDrop)
	p.ProportionalGain = q.ProportionalGain * q.ValveGain / full
	p.MovingMass = 1
	var u []float64
	for k := range 2 * rate {
		at := float64(k) / rate
		u = append(u, 3e-3*(math.Sin(2*math.Pi*3*at)+0.3*math.Sin(2*math.Pi*13*at)))
	}
	want := drive(rthstest.Must(q.Make(At{RateHz: rate, Specimen: &linear{m: 5, c: 1665, k: 41e3}})), u)
	off := func(tolerance float64) float64 {
		h := rthstest.Must(p.plant(At{RateHz: rate, Specimen: &linear{m: 4, c: 1665, k: 41e3}})) // unchecked: its supply is huge
		h.tolerance, h.longest = tolerance, h.h
		for i := range h.sizes { // the valve opens by a millionth of its stroke here
			h.sizes[i] *= 1e-6
		}
		got := drive(h, u)
		return apart(got.x, want.x) / peak(want.x)
	}
	loose, usual, tight := off(100*embeddedTolerance), off(embeddedTolerance), off(embeddedTolerance/100)
	t.Logf("%.2g of the peak; %.2g, %.2g with 100 times and a hundredth of the tolerance", usual, loose, tight)
	if !(usual <= 1e-6 && usual < loose/2 && tight < usual/3) {
		t.Errorf("%.2g, %.2g and %.2g of the peak from servo-hydraulic, the tighter the tolerance: want 1e-6, and less and less",
			loose, usual, tight)
	}
}

// Play of the clevis is a dead band between piston and specimen: the specimen stands still while the piston turns round.
func TestHydraulicPlay(t *testing.T) {
	p := bareHydraulic()
	p.Leakage = 1
	p.ClevisStiffness, p.ClevisDamping, p.ClevisPlay = 5e8, 1e3, 0.4
	h := hydraulicOn(t, p, &linear{m: 1000, c: 1e6, k: 1e4}) // damped: it stays where it is left
	now, widest := rths.NewReading(1, 1), 0.0
	for k := range 4 * rate {
		h.Step(&now, []float64{5e-3 * math.Sin(2*math.Pi*0.5*float64(k)/rate)})
		if k > rate {
			widest = max(widest, math.Abs(h.y[piston]-h.y[place]))
		}
	}
	rthstest.Near(t, "half the play and the spring, m", widest, 0.2e-3+peakForce(5e-3*math.Pi, 1e6, 1e4)/5e8, 5e-6)
}

func peakForce(v, c, k float64) float64 { return math.Hypot(c*v, k*v/math.Pi) }

// A Step allocates nothing, and none of a hard motion wants more evaluations than a tick has.
func TestHydraulicSteps(t *testing.T) {
	for name, p := range map[string]Hydraulic{"25 kN": hydraulic25, "250 kN": hydraulic250, "2500 kN": hydraulic2500} {
		p.Presliding = 2
		h := hydraulicOn(t, p, &linear{m: 5 * p.MovingMass, c: 0.04 * math.Sqrt(10*p.MovingMass*p.Force/p.Stroke),
			k: 2 * p.Force / p.Stroke})
		now, k := rths.NewReading(1, 1), 0
		step := func() {
			at := float64(k) / rate
			h.Step(&now, []float64{0.3 * p.Stroke * (math.Sin(2*math.Pi*1.5*at) + 0.2*math.Sin(2*math.Pi*9*at))})
			k++
		}
		if n := testing.AllocsPerRun(2*rate, step); n != 0 {
			t.Errorf("%s: %g allocations in a step", name, n)
		}
		if t.Logf("%s: %d evaluations at most", name, h.worst); h.bounded != 0 {
			t.Errorf("%s: %d ticks wanted more evaluations: want none", name, h.bounded)
		}
	}
}

// Idealised, areas that differ have one gain either way: −2 of a command give −2 of its motion. As built they do not.
func TestHydraulicUnequalAreasIdealised(t *testing.T) {
	p := hydraulic250
	p.RodArea = 0.5 * p.PistonArea
	moved := func(u float64, ideal bool) float64 {
		h := hydraulicOn(t, p, &linear{m: 300, c: 2e4, k: 4e6})
		h.Idealise(ideal)
		now := rths.NewReading(1, 1)
		for range 200 {
			h.Step(&now, []float64{u})
		}
		return now.X[0]
	}
	one, back := moved(1e-6, true), moved(-2e-6, true)
	rthstest.Near(t, "motion of −2 of a command", back/one, -2, 1e-3)
	if one, back := moved(1e-3, false), moved(-1e-3, false); !(math.Abs(one+back) > 0.01*one) {
		t.Errorf("as built %g and %g m: want a gain of its own each way", one, back)
	}
}

func TestHydraulicErrors(t *testing.T) {
	for _, c := range []struct {
		set  func(p *Hydraulic)
		want string
	}{
		{func(p *Hydraulic) { p.SupplyPressure = 0 }, "supply_pressure_bar 0: want 10 to 1000"},
		{func(p *Hydraulic) { p.RatedFlow = math.NaN() }, "rated_flow_l_min NaN"},
		{func(p *Hydraulic) { p.ValveOrder = 3 }, "valve_order 3: want 2, or 1"},
		{func(p *Hydraulic) { p.RodArea = 200 }, "at most piston_area_cm2 125"},
		{func(p *Hydraulic) { p.RodArea, p.Leakage = 80, 0 }, "nothing settles the pressures"},
		{func(p *Hydraulic) { p.RodArea, p.Overlap = 80, -0.01 }, "would creep at rest"},
		{func(p *Hydraulic) { p.OilVolume = 3000 }, "125 cm² over ± 0.125 m are 3125 cm³ already"},
		{func(p *Hydraulic) { p.StaticForce = 1 }, "want at least coulomb_force_n 2500"},
		{func(p *Hydraulic) { p.Accumulator = 0 }, "want both, or neither"},
		{func(p *Hydraulic) { p.Precharge = 300 }, "less than supply_pressure_bar 210"},
		{func(p *Hydraulic) { p.FrameStiffness = 1e8 }, "frame_mass_kg 0"},
		{func(p *Hydraulic) { p.FrameMass = 100 }, "frame_mass_kg 100 without frame_stiffness"},
		{func(p *Hydraulic) { p.FrameMass = -1 }, "frame_mass_kg -1: want 0 to"},
		{func(p *Hydraulic) { p.CoulombForce, p.StaticForce = 0, -1 }, "static_force_n -1: want 0 to"},
		{func(p *Hydraulic) { p.ClevisPlay = 1 }, "clevis_play_mm without clevis_stiffness"},
		{func(p *Hydraulic) { p.ClevisStiffness = 1e8 }, "the specimen's mass is 0 kg"},
		{func(p *Hydraulic) { p.BristleDamping = 1e7 }, "bristle_damping: bristle damping of 1e+07"},
		{func(p *Hydraulic) { p.ControllerRate = 6144 }, "want a whole multiple of the test's 4096 Hz"},
		{func(p *Hydraulic) { p.ValveHz = 2100 }, "valve_hz 2100: want at most half of the test's 4096 Hz"},
		{func(p *Hydraulic) { p.ProportionalGain = 6000 }, "unstable with this specimen"},
	} {
		p := hydraulic250
		c.set(&p)
		_, err := p.Make(At{RateHz: rate, Specimen: &linear{k: 1e6}})
		rthstest.WantError(t, err, c.want)
	}
}

// BenchmarkHydraulic is a tick at 4096 Hz with seals that slide after 20 or 2 µm.
func BenchmarkHydraulic(b *testing.B) {
	for _, presliding := range []float64{20, 2} {
		b.Run(fmt.Sprintf("%gum", presliding), func(b *testing.B) {
			p := hydraulic250
			p.Presliding = presliding
			h := hydraulicOn(b, p, &linear{m: 900, c: 2e4, k: 4e6})
			now, u := rths.NewReading(1, 1), []float64{0}
			b.ReportAllocs()
			for i := range b.N {
				at := float64(i) / rate
				u[0] = 0.2 * p.Stroke * (math.Sin(2*math.Pi*2*at) + 0.1*math.Sin(2*math.Pi*11*at))
				h.Step(&now, u)
			}
			b.ReportMetric(float64(h.worst), "evaluations-at-most")
		})
	}
}

// A command that is no number ends a tick all the same, also idealised.
func TestHydraulicEndsItsTick(t *testing.T) {
	for _, ideal := range []bool{false, true} {
		h := hydraulicOn(t, hydraulic250, &linear{m: 900, c: 2e4, k: 4e6})
		h.Idealise(ideal)
		now := rths.NewReading(1, 1)
		for range 3 {
			h.Step(&now, []float64{math.NaN()})
		}
		if h.bounded == 0 || !math.IsNaN(now.X[0]) {
			t.Errorf("idealised %v: %d calls at their bound, displacement %g m", ideal, h.bounded, now.X[0])
		}
	}
}
