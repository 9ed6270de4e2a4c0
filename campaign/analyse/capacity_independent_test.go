package analyse

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/model/plant"
	"rths/scenario"
)

// oscillatorTest is a hybrid simulation of kit/independent/hydraulic.c: an oscillator under a sine, of which a specimen
// under an actuator is a part.
type oscillatorTest struct {
	kind                         string
	p                            plant.Hydraulic
	mass, stiffness              float64 // of the specimen, whose damping ratio is 0.02
	all, spring, ratio           float64 // of the oscillator
	hz, ground, amplitude, until float64 // ground in m/s², amplitude a factor on it
}

// drawnOscillator is an actuator within 1.3 of one of the sizes under a test that wants about as much as it has. Of five
// one has little oil, one little stroke, and one a feed-forward that makes its valve open by more than a perfect motion.
func drawnOscillator(r *rand.Rand, i int) *oscillatorTest {
	o := &oscillatorTest{kind: hydraulicSizes[i%len(hydraulicSizes)], until: 2.5, amplitude: 1}
	o.p = hydraulicOf(o.kind)
	between := func(low, high float64) float64 { return low + (high-low)*r.Float64() }
	for _, v := range []*float64{&o.p.RatedFlow, &o.p.PumpFlow, &o.p.Accumulator, &o.p.PistonArea, &o.p.Leakage,
		&o.p.MovingMass, &o.p.CoulombForce, &o.p.StaticForce} {
		*v *= math.Pow(1.3, between(-1, 1))
	}
	o.p.StaticForce = max(o.p.StaticForce, o.p.CoulombForce)
	o.p.OilVolume *= 1.4
	if i%4 == 3 {
		o.p.RodArea = 0.7 * o.p.PistonArea
	}
	o.p.Feedforward = between(0.7, 1) / rthstest.Must(o.p.Envelope()).FreeSpeed[1]
	o.mass, o.stiffness = between(1, 5)*o.p.MovingMass, between(0.3, 1.5)*o.p.Force/o.p.Stroke
	o.spring, o.ratio = between(6, 12)*o.stiffness, between(0.05, 0.1)
	omega := 2 * math.Pi * between(0.8, 2.5)
	o.all = max(o.spring/omega/omega, 2*o.mass)
	omega = math.Sqrt(o.spring / o.all)
	ratio := between(0.6, 1.8)
	o.hz = ratio * omega / 2 / math.Pi
	largest := min(o.p.Stroke, rthstest.Must(o.p.Envelope()).FreeSpeed[1]/(2*math.Pi*o.hz)) // m
	o.ground = between(0.4, 2) * largest * omega * omega * math.Hypot(1-ratio*ratio, 2*o.ratio*ratio)
	switch i % 5 {
	case 2:
		o.p.Feedforward *= 1.6
	case 3:
		o.p.Stroke /= 5
	case 4:
		o.p.PumpFlow, o.p.Accumulator = o.p.PumpFlow/5, o.p.Accumulator/5
	}
	return o
}

// sets are the test as settings of a scenario.
func (o *oscillatorTest) sets() []string {
	out := []string{"rate_hz=4096", "transfer.kind=" + o.kind, "compensator.kind=none",
		fmt.Sprintf("ground={kind: sine, duration_s: %g, frequency_hz: %g, amplitude_m_s2: %g}", o.until, o.hz, o.ground),
		fmt.Sprintf("structure={kind: shear, masses: [%g], stiffnesses: [%g], damping: {modal_ratio: [%g]}}", o.all, o.spring, o.ratio),
		fmt.Sprintf("specimen={kind: linear, mass: %g, stiffness: %g, damping: %g}", o.mass, o.stiffness,
			2*0.02*math.Sqrt(o.mass*o.stiffness))}
	for key, v := range hydraulicKeys(&o.p) {
		out = append(out, fmt.Sprintf("transfer.%s=%v", key, v))
	}
	return append(out, fmt.Sprint("transfer.stroke_m=", o.p.Stroke))
}

// args are the test for the other program.
func (o *oscillatorTest) args(name string) []string {
	out := []string{"name=" + name, "every=10000"}
	for key, v := range map[string]float64{"seconds": o.until, "mass": o.mass, "stiffness": o.stiffness, "structure_mass": o.all,
		"structure_stiffness": o.spring, "structure_damping_ratio": o.ratio, "ground_hz": o.hz,
		"ground_amplitude": o.ground * o.amplitude} {
		out = append(out, fmt.Sprint(key, "=", v))
	}
	for key, v := range hydraulicKeys(&o.p) {
		out = append(out, fmt.Sprint(key, "=", v))
	}
	return out
}

// hydraulicKeys are the keys of an actuator that are not 0.
func hydraulicKeys(p *plant.Hydraulic) map[string]any {
	out := map[string]any{}
	for i, v := 0, reflect.ValueOf(*p); i < v.NumField(); i++ {
		if key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ","); key != "" && !v.Field(i).IsZero() {
			out[key] = v.Field(i)
		}
	}
	return out
}

// Another program plays random tests with the full actuator and with a perfect one: at 1/1.05 of the largest motion that
// fits the valve never opens fully, and stroke, speed under load and oil suffice; at 1.05 of it one does not. What is used
// of a limit is that program's within 0.01 of it. RTHS_FULL=all tries 20 tests, else five.
func TestProgramOfCapacity(t *testing.T) {
	tests := 5
	if rthstest.All() {
		tests = 20
	}
	rthstest.Independent(t, "hydraulic.c") // skips the search without it
	var args []string
	list, used := make([]*oscillatorTest, tests), map[string][]Limit{}
	ways := []struct {
		name   string
		factor float64
		fits   bool
	}{{"below", 1 / 1.05, true}, {"above", 1.05, false}}
	for i := range tests {
		o := drawnOscillator(rand.New(rand.NewPCG(uint64(i), 77)), i)
		s := parsed(t, columned, o.sets()...)
		c, err := CapacityOf(context.Background(), s, scenario.Options{})
		if err != nil {
			t.Fatalf("%d %s: %v", i, o.kind, err)
		}
		if t.Logf("%d %s: %s", i, o.kind, c.Sentence()); c.AtLeast || c.AmplitudePct == 0 {
			t.Errorf("want a motion that ends the margin")
		}
		l := &load{ctx: context.Background(), s: s, envelope: c.Envelope}
		for _, way := range ways {
			o.amplitude = way.factor * c.AmplitudePct / 100
			name := fmt.Sprint(i, "/", way.name)
			args, used[name] = append(args, o.args(name)...), rthstest.Must(l.at(o.amplitude)).Limits
		}
		list[i] = o
	}
	got := rthstest.Independent(t, "hydraulic.c", args...)
	ends := map[string]int{}
	for i, o := range list {
		for _, way := range ways {
			name, fits := fmt.Sprint(i, "/", way.name), true
			run, perfect := got[name+"/run"], got[name+"/perfect"]
			run[1], perfect[1] = run[1]/o.p.Stroke, perfect[1]/o.p.Stroke
			t.Logf("%s: valve, stroke, speed, oil of what there is: %.3f in the run, %.3f perfect", name, run, perfect)
			for j, what := range []string{ofValve, ofStroke, ofSpeed, ofSupply} {
				if most := max(run[j], perfect[j]); most > 1 || what == ofValve && most >= fullValve/100 {
					fits = false
					ends[what]++
				}
			}
			if fits != way.fits {
				t.Errorf("%s: fits %v: want %v", name, fits, way.fits)
			}
			for _, limit := range used[name] {
				want := map[string]float64{ofValve: run[0], ofStroke: perfect[1], ofSpeed: perfect[2], ofSupply: perfect[3]}[limit.What]
				if want < 1 && limit.Pct <= 100 {
					rthstest.Near(t, fmt.Sprintf("%s: %s, of what there is", name, limit.What), float64(limit.Pct)/100, want, 0.01)
				}
			}
		}
	}
	if t.Log(ends); len(ends) < 4 {
		t.Errorf("limits that were broken: %v: want valve, stroke, speed and oil", ends)
	}
}
