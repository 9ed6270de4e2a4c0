package analyse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/cmplx"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths/kit/rthstest"
	"rths/maths/lti"
	"rths/method/stability"
	"rths/result/record"
	"rths/scenario"
	"rths/scenario/growth"
)

// severalActuators are scenarios with 2, 3, 6 and 2 actuators, of all orders of a tick.
func severalActuators(t *testing.T) map[string]*scenario.Scenario {
	return map[string]*scenario.Scenario{
		"two storeys":          shipped(t, "two-storeys.yaml"),
		"two storeys, late":    shipped(t, "two-storeys.yaml", "timing.force_delay=2", "timing.command_delay=3"),
		"two storeys, current": shipped(t, "two-storeys.yaml", "timing.target=current", "compensator.kind=pi"),
		"rigid floor":          shipped(t, "rigid-floor.yaml"),
		"loading block":        shipped(t, "loading-block.yaml"),
		"frame":                shipped(t, "benchmark-multiaxial.yaml"),
	}
}

// The opened loop, closed again, has the roots of the loop.
func TestOpenedLoopClosedAgain(t *testing.T) {
	for name, s := range severalActuators(t) {
		want := rthstest.Must(rootsAtRest(t.Context(), s))
		got := rthstest.Must(lti.Eigenvalues(closed(t, s)))
		for k := 1; k <= 8; k++ { // the largest last; defective ones at 0 are not comparable
			a, b := got[len(got)-k], want[len(want)-k]
			if math.Abs(cmplx.Abs(a)-cmplx.Abs(b)) > 1e-7 {
				t.Errorf("%s: root %d from the end is %.10g: want %.10g", name, k, a, b)
			}
		}
	}
}

// The response of a loop has its digits at every frequency, where a mere sweep has none: an inverse of third order
// behind delays goes up to 1e9.
func TestResponseKeepsItsDigits(t *testing.T) {
	worst := 0.0
	for name, s := range severalActuators(t) {
		g := rthstest.Must(growth.Opened(t.Context(), rthstest.Must(s.AtRest(t.Context()))))
		sweep, loop := g.Sweep(), rthstest.Must(newAxesLoop(t.Context(), s))
		for hz := 0.5; hz < s.RateHz/2; hz *= 1.7 {
			z := cmplx.Exp(complex(0, 2*math.Pi*hz/s.RateHz))
			want, got, swept := rthstest.Must(g.At(z)), rthstest.Must(loop.Response(hz)), rthstest.Must(sweep.At(z))
			for i := range s.Axes() {
				v := want.At(i, i)
				if d := cmplx.Abs(got.At(i, i) + v); d > 1e-9*cmplx.Abs(v) {
					t.Errorf("%s: L(%d,%d) = %g at %.3g Hz: want %g", name, i+1, i+1, got.At(i, i), hz, -v)
				}
				worst = max(worst, cmplx.Abs(swept.At(i, i)-v)/cmplx.Abs(v))
			}
		}
	}
	if worst < 1e-3 {
		t.Errorf("a sweep is off by %.2g only: take lti.Sweep", worst)
	}
}

// closed is a tick of the loop with a factor on each command, 1 where none is given.
func closed(t *testing.T, s *scenario.Scenario, factors ...float64) *mat.Dense {
	t.Helper()
	g := rthstest.Must(growth.Opened(t.Context(), rthstest.Must(s.AtRest(t.Context()))))
	if mat.Norm(g.D, 1) != 0 {
		t.Fatalf("commands that act in the tick they are made in: %v", mat.Formatted(g.D))
	}
	by := lti.Diagonal(s.Axes(), 1)
	for i, f := range factors {
		by.Set(i, i, f)
	}
	out := lti.Product(g.B, by, g.C)
	out.Add(out, g.A)
	return out
}

// With a gain margin on the commands the spectral radius is 1, of all actuators and of each.
func TestGainMarginsOfActuators(t *testing.T) {
	looked := 0
	for name, s := range severalActuators(t) {
		l := rthstest.Must((&Stability{}).loop(t.Context(), s, name, nil))
		if !l.Stable() || len(l.Alone) != s.Axes() {
			t.Errorf("%s: stable: %v, margins %+v, %v", name, l.Stable(), l.Alone, l.Note)
			continue
		}
		for i := -1; i < s.Axes(); i++ {
			m := l.Margins
			if i >= 0 {
				m = l.Alone[i]
			}
			for _, edge := range []float64{m.GainUp, m.GainDown} {
				if edge == 0 || math.IsInf(edge, 1) {
					continue
				}
				factors := make([]float64, s.Axes())
				for a := range factors {
					factors[a] = 1
					if i < 0 || i == a {
						factors[a] = edge
					}
				}
				_, moving := growth.Grows(rthstest.Must(lti.Eigenvalues(closed(t, s, factors...))))
				rthstest.Near(t, fmt.Sprintf("%s, actuator %d: radius with a factor of %g", name, i+1, edge), moving, 1, 1e-6)
				looked++
			}
		}
	}
	if looked < 15 {
		t.Errorf("%d gain margins: want more", looked)
	}
}

// lateFloor is the rigid floor with delays of its actuators, s, and compensators that know of none.
func lateFloor(t *testing.T, delays ...float64) *scenario.Scenario {
	var each []string
	for _, d := range delays {
		each = append(each, fmt.Sprintf("{transfer: {kind: tf, num: [32400], den: [1, 252, 32400], delay_ms: %.6f}}", 1e3*d))
	}
	return shipped(t, "rigid-floor.yaml", "transfer=", "each=["+strings.Join(each, ", ")+"]",
		"compensator={kind: pe, tau_ms: 7.8}", "sensors=", "expect=", "more_ground=", "diverged_m=1e6", "duration_s=200",
		"ground={kind: sine, frequency_hz: 3, amplitude_m_s2: 1, duration_s: 2}")
}

// Delays of the actuators, of whatever part of a sample: 5 % below the margin free motion of a run decays and the
// roots are within the circle, 5 % above it grows. Exactly at the margin of whole samples the radius is 1.
func TestDelayMarginsInRunsOfActuators(t *testing.T) {
	l := rthstest.Must((&Stability{}).loop(t.Context(), lateFloor(t, 0, 0, 0), "floor", nil))
	for i := -1; i < 3; i++ {
		m := l.Margins
		if i >= 0 {
			m = l.Alone[i]
		}
		var moved [2]float64
		for k, part := range []float64{0.95, 1.05} {
			delays := make([]float64, 3)
			for a := range delays {
				if i < 0 || i == a {
					delays[a] = part * m.Delay
				}
			}
			s := lateFloor(t, delays...)
			if grows, moving := growth.Grows(rthstest.Must(rootsAtRest(t.Context(), s))); grows != (k == 1) {
				t.Errorf("actuator %d: radius %.9g with %g of the margin, %.4g s", i+1, moving, part, m.Delay)
			}
			moved[k] = ends(t, s)
		}
		t.Logf("actuator %d: margin %.3f ms: motion is multiplied by %.3g below, by %.3g above", i+1, 1e3*m.Delay, moved[0],
			moved[1])
		if !(moved[0] < 1) || !(moved[1] > 1) {
			t.Errorf("actuator %d: margin %g s: motion is multiplied by %g below, by %g above", i+1, m.Delay, moved[0], moved[1])
		}
	}
}

// With one actuator, the loop that is opened at the command is that of the force, and so are its margins.
func TestAxesLoopOfOneActuator(t *testing.T) {
	for _, sets := range [][]string{nil, {"compensator.kind=amb-fixed"}, {"compensator.kind=amb", "timing.force_delay=2"},
		{"compensator.kind=none", "transfer={kind: delay, delay_ms: 1.3}"}} {
		s := bench(t, sets...)
		one := rthstest.Must(newForceLoop(t.Context(), s))
		several := rthstest.Must(newAxesLoop(t.Context(), s))
		for _, hz := range []float64{0.1, 1, 3.6, 16, 38.1, 100, 700} {
			got, want := rthstest.Must(several.Response(hz)).At(0, 0), one.Response(hz)
			if cmplx.Abs(got-want) > 1e-6*max(1e-3, cmplx.Abs(want)) {
				t.Errorf("%v: L = %.9g at %g Hz, of the force %.9g", sets, got, hz, want)
			}
		}
		l := rthstest.Must((&Stability{}).loop(t.Context(), s, "", nil))
		resonances := []float64{l.Worst[0].FreqHz, l.Worst[1].FreqHz}
		m := rthstest.Must(stability.NewAxesMargins(several.Response, 1, lowestHz(s), s.RateHz/2, resonances))
		for _, got := range []stability.Margins{m.Together, m.Alone[0]} {
			rthstest.Near(t, "delay", got.Delay, l.Margins.Delay, 1e-8)
			rthstest.Near(t, "phase", got.PhaseDeg, l.Margins.PhaseDeg, 1e-4)
			rthstest.Near(t, "distance", got.Distance, l.Margins.Distance, 1e-6)
			rthstest.Near(t, "1/gain", 1/got.GainUp, 1/l.Margins.GainUp, 1e-6)
		}
	}
}

// two are oscillators beside each other that no part connects.
const two = `
name: two oscillators
rate_hz: 1024
timing: {target: next}
ground: {kind: sine, frequency_hz: 0.8, amplitude_m_s2: 1, duration_s: 2}
structure: {kind: matrices, mass: [[1000, 0], [0, 500]], stiffness: [[40000, 0], [0, 80000]],
  damping: {matrix: [[600, 0], [0, 700]]}}
interface: [1, 2]
integrator: {kind: newmark-explicit}
specimens: [{specimen: {kind: linear, stiffness: 20000}}, {specimen: {kind: linear, stiffness: 30000}}]
transfer: {kind: second-order, omega_rad_s: 150, damping_ratio: 0.8}
compensator: {kind: pe, tau_ms: 10}
limits: none
`

// A numerical part that is a free mass has a pole at rest, which is no obstacle, and no static gain margin.
func TestAxesOfAFreeMass(t *testing.T) {
	l := rthstest.Must((&Stability{}).loop(t.Context(), parsed(t, two, "structure.stiffness=[[20000, 0], [0, 80000]]",
		"structure.damping={matrix: [[700, 0], [0, 700]]}", "specimens[1].specimen.damping=700"), "", nil))
	if !l.Stable() || !(l.Alone[0].Delay > 0.01) || l.Alone[0].GainDown > 0.1 {
		t.Errorf("stable: %v, margins %+v, note %q", l.Stable(), l.Alone, l.Note)
	}
}

// Each of two tests in one has the margins of its own test of one actuator.
func TestTwoTestsInOne(t *testing.T) {
	together := rthstest.Must((&Stability{}).loop(t.Context(), parsed(t, two), "", nil))
	least := math.Inf(1)
	for i, set := range []string{"{kind: shear, masses: [1000], stiffnesses: [4e4], damping: {matrix: [[600]]}}",
		"{kind: shear, masses: [500], stiffnesses: [8e4], damping: {matrix: [[700]]}}"} {
		s := parsed(t, two, "structure="+set, "interface=", "interface_dof=1", "specimens=",
			fmt.Sprintf("specimen={kind: linear, stiffness: %d}", 20000+10000*i))
		want := rthstest.Must((&Stability{}).loop(t.Context(), s, "", nil)).Margins
		got := together.Alone[i]
		rthstest.Near(t, "delay", got.Delay, want.Delay, 1e-8)
		rthstest.Near(t, "phase", got.PhaseDeg, want.PhaseDeg, 1e-4)
		rthstest.Near(t, "distance", got.Distance, want.Distance, 1e-6)
		rthstest.Near(t, "1/gain", 1/got.GainUp, 1/want.GainUp, 1e-6)
		least = min(least, want.Delay)
	}
	rthstest.Near(t, "delay of both", together.Margins.Delay, least, 1e-8)
}

// The sentence, the table and the JSON document say the same.
func TestVerdictOfActuators(t *testing.T) {
	v := verdictOf(t, "rigid-floor.yaml")
	l := &v.Loops[len(v.Loops)-1]
	want := fmt.Sprintf("tolerates %.2f ms more in every actuator, %.2f ms more in actuator 2 alone.", 1e3*l.Margins.Delay,
		1e3*l.Alone[1].Delay)
	var printed, written bytes.Buffer
	v.Print(&printed, nil)
	rthstest.Contains(t, printed.String(), want, "actuator 3 alone ", "judge by the whole loop below",
		record.Text("%.3f", l.Alone[2].Distance))
	if strings.Contains(printed.String(), "NaN") || strings.Contains(printed.String(), "no delays") {
		t.Error(printed.String())
	}
	if err := record.WriteJSON(&written, v.Document(nil, nil)); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Verdict   string
		Margin    float64 `json:"compensated_delay_margin_ms"`
		Distance  float64 `json:"compensated_distance"`
		Actuators []struct {
			Loop     string
			Actuator int
			Delay    float64 `json:"delay_margin_ms"`
		}
	}
	if err := json.Unmarshal(written.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	rthstest.Contains(t, doc.Verdict, want)
	rthstest.Near(t, "delay of all", doc.Margin, 1e3*l.Margins.Delay, 1e-9)
	rthstest.Near(t, "distance", doc.Distance, l.Margins.Distance, 1e-9)
	if len(doc.Actuators) != 6 {
		t.Fatalf("%d rows of actuators: want 3 of each loop", len(doc.Actuators))
	}
	last := doc.Actuators[5]
	if last.Loop != "compensated" || last.Actuator != 3 {
		t.Errorf("last row %+v", last)
	}
	rthstest.Near(t, "delay of actuator 3", last.Delay, 1e3*l.Alone[2].Delay, 1e-9)
}

// Main steps have no margins, and an unstable loop has a distance alone.
func TestActuatorsWithoutMargins(t *testing.T) {
	v := rthstest.Must((&Stability{}).Run(t.Context(), shipped(t, "two-storeys.yaml", "two_rate={main_step: 4}")))
	for i := range v.Loops {
		if l := &v.Loops[i]; !strings.Contains(l.Note, "not time-invariant") || !math.IsNaN(l.Margins.Distance) {
			t.Errorf("%s: note %q, margins %+v", l.Case, l.Note, l.Margins)
		}
	}
	rthstest.Contains(t, v.Sentence(), "is not known, as it has several actuators")
	v = verdictOf(t, "two-storeys.yaml")
	rthstest.Contains(t, v.Sentence(), "The loop without compensator is unstable (motion grows by 1.83 1/s); the loop ")
	if rows := v.AxisRows(); !math.IsNaN(rows[0].Get("delay_margin_ms").(float64)) ||
		!(rows[0].Get("distance").(float64) > 0) {
		t.Errorf("an unstable loop: %v", rows[0])
	}
}

// The growth of a loop with a rigid body is that of a run: its fastest motion has x[k+2m] = a x[k+m] − r² x[k], r the
// growth in m samples, once the others have decayed beside it.
func TestGrowthOfARigidBody(t *testing.T) {
	sets := []string{"compensator.kind=none", "sensors=", "expect=", "more_ground=", "duration_s=4", "diverged_m=1e6",
		"ground={kind: sine, frequency_hz: 7, amplitude_m_s2: 1e-9, duration_s: 0.5}"}
	s := shipped(t, "loading-block.yaml", sets...)
	run := rthstest.Must(s.Build(t.Context(), scenario.Options{}))
	var x []float64
	for !run.Loop.Done() {
		if err := run.Loop.Step(); err != nil {
			t.Fatal(err)
		}
		x = append(x, run.Loop.Frame().Num.X[0])
	}
	const m, from, n = 16, 3072, 512
	rows, right := mat.NewDense(n, 2, nil), mat.NewVecDense(n, nil)
	for k := range n {
		rows.SetRow(k, []float64{x[from+k+m], x[from+k]})
		right.SetVec(k, x[from+k+2*m])
	}
	var fit mat.VecDense
	if err := fit.SolveVec(rows, right); err != nil {
		t.Fatal(err)
	}
	got := math.Log(-fit.AtVec(1)) / 2 / m * s.RateHz
	want := math.Log(rthstest.Must(growth.Radius(t.Context(), rthstest.Must(s.AtRest(t.Context()))))) * s.RateHz
	rthstest.Near(t, "growth of the run, 1/s", got, want, 2e-3)
}
