package analyse

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"rths/kit/rthstest"
	"rths/model/plant"
	"rths/scenario"
)

// columned is a test of a hydraulic actuator of 250 kN, or of another.
const columned = `
name: column
rate_hz: 1024
timing: {target: next}
ground: {kind: sine, duration_s: 3, frequency_hz: 2, amplitude_m_s2: 3}
structure: {kind: shear, masses: [20e3, 20e3], stiffnesses: [12e6, 12e6], damping: {rayleigh: {ratio: 0.03, modes: [1, 2]}}}
interface_dof: 1
integrator: {kind: rk4}
specimen: {kind: linear, mass: 300, damping: 2e4, stiffness: 4e6}
transfer: {kind: servo-hydraulic-nonlinear}
compensator: {kind: adm}
limits: none
`

// A sine on a spring touches the envelope of a supply that does not fall, where v/√(1 − F/(A P_s)) is largest: its limit is
// used by 100 %, and by so much more of a larger one.
func TestDemandTouchesTheEnvelope(t *testing.T) {
	const rate, omega, k, mass = 4096.0, 2 * math.Pi * 3, 2e6, 250.0
	p := plant.Transfers[3].Defaults().(*plant.Hydraulic)
	p.PumpFlow, p.Accumulator, p.CoulombForce, p.StaticForce, p.Viscous, p.Leakage = 0, 0, 0, 0, 0, 0
	e := rthstest.Must(p.Envelope())
	stall, v0 := e.StallN[0], e.FreeSpeed[0]
	used := func(x float64) (most float64) { // the largest of a fine grid
		for i := range 100000 {
			s, c := math.Sincos(math.Pi * (float64(i)/1e5 - 0.5))
			force := x * s * (k - (mass+e.MovingKg)*omega*omega)
			most = max(most, x*omega*c/(v0*math.Sqrt(1-force/stall)))
		}
		return most
	}
	low, high := 0.0, 0.06
	for range 60 {
		if middle := (low + high) / 2; used(middle) < 1 {
			low = middle
		} else {
			high = middle
		}
	}
	for _, factor := range []float64{1, 0.5, 0.9} {
		d := &Demand{RateHz: rate}
		for i := range 3 * int(rate) {
			s := factor * low * math.Sin(omega*float64(i)/rate)
			d.X, d.Felt = append(d.X, s), append(d.Felt, (k-mass*omega*omega)*s)
		}
		d.fill(mass, e)
		speed := d.limits[1]
		rthstest.Near(t, fmt.Sprintf("use of the speed at %g of the motion, %%", factor), float64(speed.Pct),
			100*used(factor*low), 2e-3)
	}
}

// A motion half as quick has half the velocity, half the force of a dashpot and a quarter of the inertia. Of a payload with
// a mass inside the whole is rigid in slow motion.
func TestSlowedMotion(t *testing.T) {
	linear := parsed(t, columned)
	l := &load{ctx: context.Background(), s: linear, envelope: rthstest.Must(linear.Transfer.Params.(plant.Enveloped).Envelope())}
	d := rthstest.Must(l.demand(linear))
	same, half := rthstest.Must(l.slowed(d, 1)), rthstest.Must(l.slowed(d, 2))
	for k := 1; k+1 < len(d.X); k++ {
		const m, c, stiff, rate = 300, 2e4, 4e6, 1024.0
		rthstest.Near(t, "force at time scale 1, N", same.Felt[k], d.Felt[k], 1e-6)
		rthstest.Near(t, "velocity at time scale 2, m/s", half.V[k], d.V[k]/2, 1e-12)
		if k > 1 { // the plant has backward differences
			v, a := (d.X[k]-d.X[k-1])*rate, (d.X[k]-2*d.X[k-1]+d.X[k-2])*rate*rate
			rthstest.Near(t, "force at time scale 2, N", half.Felt[k], stiff*d.X[k]+c*v/2+m*a/4, 1e-6)
		}
	}
	l.s = parsed(t, columned, "interface_motion=absolute", "specimen={kind: tuned-mass-damper, mass: 100, damper_mass: 60, "+
		"stiffness: 341000, damping: 181}")
	d = rthstest.Must(l.demand(l.s))
	slow, along, square := rthstest.Must(l.slowed(d, 20)), 0.0, 0.0
	for k := 1; k+1 < len(slow.X); k++ {
		a := (slow.X[k+1] - 2*slow.X[k] + slow.X[k-1]) * slow.RateHz * slow.RateHz
		along, square = along+slow.Felt[k]*a, square+a*a
	}
	rthstest.Near(t, "mass of a slow payload, kg", along/square, 160, 0.5)
}

// For random actuators, motions and amplitudes the answer is right: the test at 1/1.05 of the largest factor has a valve that
// never opens fully and holds all limits, at 1.05 of it one of both is not so.
func TestCapacityIsRight(t *testing.T) {
	r := rand.New(rand.NewPCG(55, 1))
	yes := 0
	for i := range rthstest.Draws(4, 20) {
		sets := []string{"transfer.kind=" + []string{"servo-hydraulic-nonlinear", "servo-hydraulic-25kN"}[i%2],
			fmt.Sprintf("transfer.rated_flow_l_min=%g", 20+20*r.Float64()), fmt.Sprintf("transfer.accumulator_l=%g", 1+10*r.Float64()),
			fmt.Sprintf("transfer.pump_flow_l_min=%g", 5+100*r.Float64()), fmt.Sprintf("ground.amplitude_m_s2=%g", 0.3+3*r.Float64()),
			fmt.Sprintf("ground.frequency_hz=%g", 1+3*r.Float64()), fmt.Sprintf("specimen.stiffness=%g", 1e5+6e5*r.Float64())}
		if i%3 == 0 {
			sets = append(sets, "transfer.rod_side_area_cm2=10")
		}
		s := parsed(t, columned, sets...)
		c, err := CapacityOf(context.Background(), s, scenario.Options{})
		if err != nil {
			t.Fatalf("%v: %v", sets, err)
		}
		if c.AtLeast || c.AmplitudePct == 0 {
			continue
		}
		yes++
		if fits := c.MarginPct >= 0; fits != c.Fits && math.Abs(c.MarginPct) > 1 {
			t.Errorf("%v: fits %v with a margin of %g %%", sets, c.Fits, c.MarginPct)
		}
		l := &load{ctx: context.Background(), s: s, envelope: c.Envelope}
		for factor, want := range map[float64]bool{1 / 1.05: true, 1.05: false} {
			if at := rthstest.Must(l.at(factor * c.AmplitudePct / 100)); at.Fits != want {
				t.Errorf("%v: at %g of the largest factor %g fits is %v: %+v", sets, factor, c.AmplitudePct/100, at.Fits, at.Limits)
			}
		}
		for factor, want := range map[float64]bool{0.98: true, 1.02: false} {
			sized := rthstest.Must(l.sized(factor * c.PerfectPct / 100))
			if most := worstOf(rthstest.Must(l.demand(sized)).limits); most.Pct <= 100 != want && c.PerfectPct < 780 {
				t.Errorf("%v: a perfect actuator at %g of its largest factor: %+v", sets, factor, most)
			}
		}
		if c.PerfectPct < c.AmplitudePct/1.03 {
			t.Errorf("%v: a perfect actuator follows %g %%, this one %g %%", sets, c.PerfectPct, c.AmplitudePct)
		}
		if !c.Fits && c.TimeScale > 0 && !(c.TimeScale > 1) {
			t.Errorf("%v: time scale %g of a motion that does not fit", sets, c.TimeScale)
		}
	}
	if yes == 0 {
		t.Error("no case had a margin")
	}
}

func TestCapacityErrors(t *testing.T) {
	for set, want := range map[string]string{
		"transfer.kind=silva2020":                            "silva2020 does not say what its actuator can do",
		"transfer.supply_pressure_bar=0":                     "supply_pressure_bar 0: want 10 to",
		"specimen={kind: linear, stiffness: 4e6, mass: 1e9}": "with a perfect actuator",
		"transfer={kind: servo-hydraulic-nonlinear, payload_height_m: 1, overturning_n_m: 1e4}": "transfer: payload_height_m and overturning_n_m are of a shake table",
	} {
		s, err := scenario.Parse("column", []byte(columned), ".", []string{set})
		if err == nil {
			_, err = CapacityOf(context.Background(), s, scenario.Options{})
		}
		rthstest.WantError(t, err, want)
	}
}

// The oil of a fall: the accumulator gives what the pump does not, and the pressure follows the gas.
func TestTankIsTheGas(t *testing.T) {
	p := plant.Transfers[3].Defaults().(*plant.Hydraulic)
	p.PumpFlow = 1e-6
	tank := rthstest.Must(p.Envelope()).Tank()
	ps := 0.0
	for range 1000 {
		ps = tank.Draw(1e-3, 1e-3)
	}
	v0 := 20e-3 * math.Pow(140.0/210, 1/1.4)
	rthstest.Near(t, "pressure after a litre, Pa", ps, 210e5*math.Pow(v0/(v0+1e-3), 1.4), 1)
}
