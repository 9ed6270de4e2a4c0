package analyse

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths/kit/rthstest"
	"rths/model/plant"
	"rths/scenario"
)

// framed is a frame of one storey under one actuator; twin is a rigid body of two such frames, which two actuators push side
// by side and which does not turn.
const (
	framed = `
name: one
rate_hz: 512
timing: {target: next}
ground: {kind: sine, duration_s: 1, frequency_hz: 2, amplitude_m_s2: 4}
structure: {kind: matrices, mass: [[20e3]], stiffness: [[12e6]], damping: {modal_ratio: [0.03]}, influence: [1]}
interface_dof: 1
integrator: {kind: newmark-explicit}
specimen: {kind: linear, mass: 300, damping: 2e4, stiffness: 4e6}
transfer: {kind: servo-hydraulic-nonlinear, pump_flow_l_min: 20, accumulator_l: 4}
compensator: {kind: none}
limits: none
`
	twin = `
name: two
rate_hz: 512
timing: {target: next}
ground: {kind: sine, duration_s: 1, frequency_hz: 2, amplitude_m_s2: 4}
structure: {kind: matrices, mass: [[40e3, 0], [0, 9e3]], stiffness: [[24e6, 0], [0, 5e6]], damping: {modal_ratio: [0.03]}, influence: [1, 0]}
interface: [1, 2]
coupler:
  kind: rigid-body
  coordinates: [x, rz]
  actuators: [{direction: [1, 0], pin_m: [0, 0.5]}, {direction: [1, 0], pin_m: [0, -0.5]}]
integrator: {kind: newmark-explicit}
specimens:
  - {along: [1, 0], specimen: {kind: linear, mass: 600, damping: 4e4, stiffness: 8e6}}
  - {along: [0, 1], specimen: {kind: linear, mass: 50, damping: 4e3, stiffness: 1e6}}
transfer: {kind: servo-hydraulic-nonlinear, pump_flow_l_min: 20, accumulator_l: 4}
compensator: {kind: none}
limits: none
`
)

func capacityOf(t *testing.T, text string, sets ...string) *Capacity {
	t.Helper()
	return rthstest.Must(CapacityOf(context.Background(), parsed(t, text, sets...), scenario.Options{}))
}

// Two actuators that share a load equally have the limits of one with half of it, on supplies of their own and on one of
// twice the size; on one of the same size they have less oil.
func TestCapacityOfASymmetricLoad(t *testing.T) {
	for _, amplitude := range []float64{2, 5} {
		set := fmt.Sprint("ground.amplitude_m_s2=", amplitude)
		want := capacityOf(t, framed, set)
		for name, sets := range map[string][]string{"own": {set},
			"shared": {set, "transfer.supply=hall", "transfer.pump_flow_l_min=40", "transfer.accumulator_l=8"}} {
			got := capacityOf(t, twin, sets...)
			if got.Fits != want.Fits || math.Abs(got.MarginPct-want.MarginPct) > 0.01 || math.Abs(got.TimeScale-want.TimeScale) > 1e-9 {
				t.Errorf("%s, %g m/s²: %s: want %s", name, amplitude, got.Sentence(), want.Sentence())
			}
			for _, l := range got.Limits {
				of := want.Limits[0]
				for _, w := range want.Limits {
					if w.What == l.What {
						of = w
					}
				}
				if l.Line != "" {
					of.Wanted, of.Has = 2*of.Wanted, 2*of.Has
				}
				if u, w := float64(l.Pct), float64(of.Pct); l.What != of.What || !(u == w || math.Abs(u-w) <= 2e-4*w) ||
					math.Abs(l.Wanted-of.Wanted) > 2e-4*of.Wanted {
					t.Errorf("%s, %g m/s²: %+v: want %+v", name, amplitude, l, of)
				}
			}
			if n := len(got.Limits); name == "own" && n != 2*len(want.Limits) || name == "shared" && n != 2*len(want.Limits)-1 {
				t.Errorf("%s, %g m/s²: %d limits of %d", name, amplitude, n, len(want.Limits))
			}
			if math.Abs(got.ColumnHz-want.ColumnHz) > 0.02*want.ColumnHz || math.Abs(got.InertiaPct-want.InertiaPct) > 0.1 {
				t.Errorf("%s: %g Hz and %g %%: want %g Hz and %g %%", name, got.ColumnHz, got.InertiaPct, want.ColumnHz,
					want.InertiaPct)
			}
		}
		if less := capacityOf(t, twin, set, "transfer.supply=hall"); !(less.MarginPct < want.MarginPct) {
			t.Errorf("%g m/s²: the margin on half the supply is %g %%: want less than %g %%", amplitude, less.MarginPct, want.MarginPct)
		}
	}
}

// Actuators of their own blocks have envelopes of their own: the smaller one of two that move alike ends the margin.
func TestCapacityNamesTheActuator(t *testing.T) {
	s := strings.Replace(twin, "transfer: {kind: servo-hydraulic-nonlinear, pump_flow_l_min: 20, accumulator_l: 4}", `each:
  - {transfer: {kind: servo-hydraulic-nonlinear, supply: a}}
  - {transfer: {kind: servo-hydraulic-nonlinear, rated_flow_l_min: 60, supply: b}}`, 1)
	c := capacityOf(t, s, "ground.amplitude_m_s2=6")
	if c.Fits || c.First.Axis != 2 || !strings.Contains(c.Sentence(), " of actuator 2") {
		t.Errorf("%s: want no, by actuator 2", c.Sentence())
	}
	for _, l := range c.Limits {
		if l.What == ofSpeed && (l.Pct > 100) != (l.Axis == 2) {
			t.Errorf("%+v: want more than 100 %% of actuator 2 alone", l)
		}
	}
}

// Cylinders carry a platform that load cells do not show.
func TestCapacityUnderAPlatform(t *testing.T) {
	const weight = 3000 * 9.81
	s := strings.Replace(twin, "coordinates: [x, rz]", "coordinates: [x, rz]\n"+
		"  platform: {mass_kg: 3000, centre_m: [0, 0], inertia_kg_m2: [500], gravity_m_s2: [-9.81, 0]}", 1)
	of := parsed(t, s, "ground.amplitude_m_s2=1", "sensors={acceleration: true}")
	l := &load{ctx: context.Background(), s: of}
	if err := l.envelopes(); err != nil {
		t.Fatal(err)
	}
	d := rthstest.Must(l.demand(of))
	for i, one := range d.Each {
		for k := 2; k < len(one.X); k++ { // the first two have the force of the third
			drag := math.Copysign(l.all[i].Drag(math.Abs(one.V[k])), one.V[k])
			j := min(max(k, 1), len(one.X)-2)
			a := (one.X[j+1] - 2*one.X[j] + one.X[j-1]) * 512 * 512
			rthstest.Near(t, "force that carries, N", one.F[k]-one.Felt[k]-drag-l.all[i].MovingKg*a, weight/2, 1)
		}
	}
}

// Waves from one end of a chain to the other: the frequencies of masses on springs are those of mechanics.
func TestSlowestOfOilColumns(t *testing.T) {
	load := rthstest.Must((&plant.Assembled{Each: []plant.SpecimenMaker{&plant.LinearSpecimen{Mass: 2, Stiffness: 30},
		&plant.LinearSpecimen{Mass: 2, Stiffness: 30}, &plant.LinearSpecimen{Stiffness: 50}}, G: mat.NewDense(3, 2, []float64{1, 0, 0, 1,
		-1, 1})}).Make()).(*plant.Assembly)
	m, k := load.SmallMotion()
	rthstest.Near(t, "frequency, Hz", rthstest.Must(slowest(m, k)), math.Sqrt(30./2)/(2*math.Pi), 1e-9)
}

// An actuator that stands still holds its load against either side up to A P_s, A_B P_s.
func TestCapacityOfAHeldForce(t *testing.T) {
	p := hydraulicOf("servo-hydraulic-25kN")
	p.RodArea, p.CoulombForce, p.StaticForce, p.PumpFlow, p.Accumulator = 0.5*p.PistonArea, 2e3, 2e3, 0, 0
	e := rthstest.Must(p.Envelope())
	for force, want := range map[float64]bool{0.99 * e.StallN[0]: true, 1.01 * e.StallN[0]: false, -0.99 * e.StallN[1]: true,
		-1.01 * e.StallN[1]: false} {
		d := &Demand{RateHz: 1000, X: make([]float64, 9), Felt: slices.Repeat([]float64{force}, 9)}
		d.fill(0, e)
		if worst := worstOf(d.limits); worst.Pct <= 100 != want || !want && worst.what() != "force" {
			t.Errorf("%g N at rest: %+v: want it to hold %v", force, worst, want)
		}
	}
}

func TestCapacityOfSeveralErrors(t *testing.T) {
	each := strings.Replace(twin, "transfer: {kind: servo-hydraulic-nonlinear, pump_flow_l_min: 20, accumulator_l: 4}", `each:
  - {transfer: {kind: servo-hydraulic-nonlinear, supply: hall}}
  - {transfer: {kind: servo-hydraulic-nonlinear, supply: hall}}`, 1)
	for set, want := range map[string]string{
		"each[2].transfer={kind: silva2020}":                                                          "each: servo-hydraulic-nonlinear, silva2020 does not say what its actuator can do",
		"each[2].transfer.pump_flow_l_min=1":                                                          `actuator 2: servo-hydraulic-nonlinear transfer system: pump_flow_l_min 1, and 230 of actuator 1`,
		"each[1].transfer.supply_pressure_bar=0":                                                      "each: actuator 1: servo-hydraulic-nonlinear transfer system: supply_pressure_bar 0",
		"each[2].transfer.controller_rate_hz=768":                                                     "actuator 2: servo-hydraulic-nonlinear transfer system: controller_rate_hz 768",
		"specimens[1].specimen.stiffness=1e15":                                                        "capacity",
		"each[1].transfer={kind: servo-hydraulic-nonlinear, payload_height_m: 1, overturning_n_m: 1}": "each: payload_height_m and overturning_n_m are of a shake table: want one actuator",
	} {
		s, err := scenario.Parse("two", []byte(each), ".", []string{set})
		if err == nil {
			_, err = CapacityOf(context.Background(), s, scenario.Options{})
		}
		rthstest.WantError(t, err, want)
	}
}
