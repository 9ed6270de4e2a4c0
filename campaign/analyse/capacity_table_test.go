package analyse

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/model/plant"
	"rths/scenario"
)

// tabled is a rigid payload on a shake table that plays a sine.
const tabled = `
name: table
rate_hz: 4096
timing: {target: next}
loop: open
target: {kind: sine, duration_s: 2, frequency_hz: 5, amplitude_m: 0.01}
specimen: {kind: linear, mass: 800}
transfer: {kind: servo-hydraulic-25kN, payload_height_m: 1.5, overturning_n_m: 20000}
limits: none
`

// Of a rigid payload the limits are closed forms: stroke ω at low frequencies, v₀ √(1 − q²) with q = ½ v₀ m ω/F between, and
// F/(m ω) beyond q² = ½, where both meet.
func TestPerformanceOfARigidPayload(t *testing.T) {
	p := hydraulicOf("servo-hydraulic-25kN")
	p.CoulombForce, p.StaticForce, p.Viscous = 0, 0, 0
	e := rthstest.Must(p.Envelope())
	const payload = 800.0
	m, force, v0 := payload+e.MovingKg, e.StallN[0], e.FreeSpeed[0]
	for hz := 0.1; hz < 200; hz *= 1.1 {
		omega := 2 * math.Pi * hz
		want := force / (m * omega)
		if q := v0 * m * omega / force / 2; q*q < 0.5 {
			want = v0 * math.Sqrt(1-q*q)
		}
		rthstest.Near(t, fmt.Sprintf("velocity at %.3g Hz, m/s", hz), e.Sine(omega, complex(-payload*omega*omega, 0)), want, 1e-5*want)
	}
	rthstest.Near(t, "at low frequency", e.Sine(1e-3, complex(-payload*1e-6, 0)), v0, 1e-6)
	meets := math.Sqrt2 * force / (v0 * m)
	rthstest.Near(t, "where both meet", e.Sine(meets, complex(-payload*meets*meets, 0)), v0/math.Sqrt2, 1e-5)
}

// A sine of the largest velocity touches the envelope: at 0.1 % more it crosses it somewhere, at 0.1 % less nowhere. With
// mass, dashpot and spring, seals and unequal areas.
func TestPerformanceTouchesTheEnvelope(t *testing.T) {
	for i := range 3 {
		p := hydraulicOf("servo-hydraulic-25kN")
		p.PumpFlow, p.Accumulator, p.Leakage = 0, 0, 0.1
		p.StaticForce = p.CoulombForce
		if i == 2 {
			p.RodArea = 0.7 * p.PistonArea
		}
		e := rthstest.Must(p.Envelope())
		s := rthstest.Must((&plant.LinearSpecimen{Mass: 300, Damping: 2000, Stiffness: 1e5 * float64(i)}).Make())
		for _, hz := range []float64{0.5, 3, 8, 25} {
			omega := 2 * math.Pi * hz
			d, _ := plant.DynamicStiffness(s, omega)
			v := e.Sine(omega, d)
			used := func(factor float64) float64 {
				const perPeriod = 4000
				demand := &Demand{RateHz: perPeriod * hz}
				x := factor * v / omega
				for k := range 3 * perPeriod { // begins at a turning point
					sin, cos := math.Sincos(2 * math.Pi * float64(k) / perPeriod)
					demand.X = append(demand.X, x*sin)
					demand.Felt = append(demand.Felt, x*(real(d)*sin+imag(d)*cos))
				}
				demand.fill(300, e)
				return float64(worstOf(demand.limits[1:2]).Pct) / 100
			}
			if under, over := used(0.999), used(1.001); !(under < 1 && over > 1) {
				t.Errorf("%d at %g Hz: 0.999 of %g m/s uses %g of the speed, 1.001 %g", i, hz, v, under, over)
			}
		}
	}
}

// A long sine of a velocity below what the pump sustains never empties the accumulator, one above does.
func TestPumpSustains(t *testing.T) {
	p := hydraulicOf("servo-hydraulic-25kN")
	p.Leakage, p.RodArea = 1e-9, 0.6*p.PistonArea
	p.PumpFlow = 10
	e := rthstest.Must(p.Envelope())
	for factor, want := range map[float64]bool{0.98: true, 1.02: false} {
		tank, holds := e.Tank(), true
		for k := range 1000 * 300 {
			v := factor * e.Sustained() * math.Sin(2*math.Pi*5*float64(k)/1000)
			holds = holds && tank.Draw(e.Flow(v, 0), 1e-3) > 0 && tank.Left < e.StoredM3
		}
		if holds != want {
			t.Errorf("%g of the sustained velocity is held %v: want %v", factor, holds, want)
		}
	}
}

// Payloads with masses inside: at low frequency they are rigid, at high frequency their base is left.
func TestDynamicStiffness(t *testing.T) {
	const base, md, k, c = 500.0, 300.0, 1705000.0, 905.0
	s := rthstest.Must((&plant.TunedMassDamper{Mass: base, DamperMass: md, Stiffness: k, Damping: c}).Make())
	for _, omega := range []float64{0.1, 10, 70, 75.4, 90, 1000} {
		d, ok := plant.DynamicStiffness(s, omega)
		w := complex(0, omega)
		want := w*w*base + w*w*md*(w*c+k)/(w*w*md+w*c+k)
		if !ok || math.Hypot(real(d-want), imag(d-want)) > 1e-9*math.Hypot(real(want), imag(want)) {
			t.Errorf("at %g rad/s %v, %v: want %v", omega, d, ok, want)
		}
	}
	if _, ok := plant.DynamicStiffness(rthstest.Must((&plant.Friction{Coefficient: 0.1, NormalForce: 1e4,
		StickStiffness: 1e7}).Make()), 1); ok {
		t.Error("friction is linear")
	}
}

// The moment of a rigid payload is m a h; its largest factor is that of the moment; its spectrum is that of a sine.
func TestTable(t *testing.T) {
	s := parsed(t, tabled)
	c := rthstest.Must(CapacityOf(context.Background(), s, scenario.Options{}))
	var moment Limit
	for _, l := range c.Limits {
		if l.What == ofOverturn {
			moment = l
		}
	}
	rthstest.Near(t, "moment, N·m", moment.Wanted, 800*c.AccelerateMS*1.5, 1e-6*moment.Wanted)
	rthstest.Near(t, "payload, kg", c.PayloadKg, 800, 1e-6)
	e := c.Envelope
	rthstest.Near(t, "acceleration left, m/s²", c.PayloadMS, (e.StallN[0]-e.Drag(0))/(800+e.MovingKg), 1e-9)
	if doubts := c.Doubts(); len(doubts) == 0 || !strings.Contains(doubts[0], "begins with 0.314 m/s at once") {
		t.Errorf("doubts %q: want the jump of a sine's velocity", doubts)
	}
	// A motion of 1/x of the moment is the largest, where the moment ends it.
	s = parsed(t, tabled, "transfer.overturning_n_m=3000")
	c = rthstest.Must(CapacityOf(context.Background(), s, scenario.Options{}))
	rthstest.Near(t, "largest amplitude, %", c.AmplitudePct, 100*3000/moment.Wanted, 0.5)
	rthstest.Near(t, "time scale", c.TimeScale, math.Sqrt(moment.Wanted/3000), 0.1*c.TimeScale)
	if c.First.What != ofOverturn {
		t.Errorf("ends at %+v: want the moment", c.First)
	}
	at, most := 0, 0.0
	for i, v := range c.Performance.Wanted {
		if v > most {
			at, most = i, v
		}
	}
	rthstest.Near(t, "frequency of the spectrum's peak, Hz", c.Performance.Hz[at], 5, 0.2)
	// Two seconds of a sine: (1 − e^(−ζωt))/(2ζ) times its velocity.
	rthstest.Near(t, "its height, m/s", most, 0.01*2*math.Pi*5*(1-math.Exp(-0.05*2*math.Pi*5*2))/0.1, 0.1)
}

// A perfect actuator whose seals take all of its force follows nothing, and any actuator follows no motion.
func TestPerfectActuatorAtItsEnds(t *testing.T) {
	const stiff = "transfer={kind: servo-hydraulic-25kN, coulomb_force_n: 3e4, static_force_n: 3e4, bristle_damping: 2e4}"
	for want, sets := range map[float64][]string{0: {stiff}, 800: {"target.amplitude_m=0"}} {
		c := rthstest.Must(CapacityOf(context.Background(), parsed(t, tabled, sets...), scenario.Options{}))
		var text strings.Builder
		c.Print(&text)
		words := map[float64]string{0: "It follows less than 1 % of the motion", 800: "It follows 800 % and more of the motion"}[want]
		if c.PerfectPct != want || !strings.Contains(text.String(), words) {
			t.Errorf("%v: %g %%: want %g %%, in\n%s", sets, c.PerfectPct, want, &text)
		}
	}
}
