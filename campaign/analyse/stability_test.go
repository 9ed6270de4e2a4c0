package analyse

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/method/stability"
	"rths/scenario"
	"rths/scenarios"
)

// mapped is the map of a scenario.
func mapped(ctx context.Context, s *scenario.Scenario) ([]MapPoint, error) {
	g, err := (&Stability{}).newMapper(s)
	if err != nil {
		return nil, err
	}
	return g.points(ctx)
}

// bench is the shipped benchmark scenario with keys set.
func bench(t *testing.T, sets ...string) *scenario.Scenario {
	return shipped(t, "benchmark-siso.yaml", sets...)
}

func verdict(t *testing.T, st Stability, sets ...string) *Verdict {
	t.Helper()
	if st == (Stability{}) && len(sets) == 0 {
		return verdictOf(t, "benchmark-siso.yaml")
	}
	v, err := st.Run(t.Context(), bench(t, sets...))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// docs/reference/benchmark-siso.md: case 1 diverges without compensator and stays with PI;
// the plant's delay is 23.74 ms at 3.6 Hz (the hold adds 0.12 ms), PI's residual one
// 4.64 ms, 19 samples.
func TestVerdictOfTheBenchmark(t *testing.T) {
	v := verdict(t, Stability{}, "compensator.kind=pi")
	if len(v.Loops) != 2 || v.Loops[0].Stable() || !v.Loops[1].Stable() {
		t.Fatalf("loops %+v: want an unstable one and a stable one", v.Row())
	}
	for i, want := range []float64{23.86, 4.64} {
		if d := v.Loops[i].Delay(v.At()); math.Abs(d.LeftMs-want) > 0.12 {
			t.Errorf("%s leaves %.2f ms at %.2f Hz: want %.2f", v.Loops[i].Case, d.LeftMs, d.FreqHz, want)
		}
		// The whole loop adds a sample of force delay and half a sample of hold.
		if d := v.Loops[i].Delay(v.At()); math.Abs(d.LoopMs-d.LeftMs-1.5e3/4096) > 0.005 {
			t.Errorf("%s: whole loop %.3f ms, actuator %.3f ms: want 1.5 samples between", v.Loops[i].Case, d.LoopMs, d.LeftMs)
		}
	}
}

// All frequencies of the structure below 100 Hz are in the table, and the frequency of the
// critical delay, which the verdict states: here the second mode's.
func TestVerdictAtTheCriticalFrequency(t *testing.T) {
	if v := verdict(t, Stability{}); len(v.ModesHz) != 4 { // 3.61, 16.0 and 38.1 Hz, and 3.59
		t.Errorf("frequencies %v: want three of the structure and one of the critical delay", v.ModesHz)
	}
	v := verdictOf(t, "wang2020-3dof.yaml")
	if hz := v.Exact.Omega / (2 * math.Pi); math.Abs(hz-2.804) > 0.001 || math.Abs(v.At()-hz) > 1e-6*hz {
		t.Errorf("critical delay at %.4f Hz, verdict at %.4f Hz: want both at 2.804", hz, v.At())
	}
	if s := v.Sentence(); !strings.Contains(s, "6.49 ms (at 2.80 Hz); the loop without compensator leaves 27.58 ms") {
		t.Error(s)
	}
}

// verdicts are of shipped scenarios. Several tests look at the same one.
var verdicts = map[string]*Verdict{}

// verdictOf is the verdict of a shipped scenario.
func verdictOf(t *testing.T, file string) *Verdict {
	t.Helper()
	if verdicts[file] == nil {
		v, err := (&Stability{}).Run(t.Context(), shipped(t, file))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		verdicts[file] = v
	}
	return verdicts[file]
}

// What Ctrl-C ends has no verdict and no map.
func TestStabilityStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := bench(t)
	if v, err := (&Stability{}).Run(ctx, s); !errors.Is(err, context.Canceled) {
		t.Errorf("verdict %v, error %v: want the context's", v, err)
	}
	if points, err := mapped(ctx, s); !errors.Is(err, context.Canceled) {
		t.Errorf("%d points, error %v: want the context's", len(points), err)
	}
}

// Every shipped scenario with a closed loop has a verdict, with delays and margins
// or the reason why there are none. All of them are tests that were run, so that
// the loop as it is run is stable.
func TestVerdictOfEveryScenario(t *testing.T) {
	files, err := fs.Glob(scenarios.Files, "*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		// open loops
		if slices.Contains([]string{"galmez-calibration.yaml", "ning2020-sweep.yaml", "wang2020-lab.yaml"}, file) {
			continue
		}
		if slices.Contains([]string{"column-mixed.yaml", "one-bay-frame-slow.yaml", "two-storeys-slow.yaml"}, file) {
			_, err := (&Stability{}).Run(t.Context(), rthstest.Must(scenario.Shipped(file)))
			rthstest.WantError(t, err, map[bool]string{true: "has no load", false: "a slow test waits"}[file == "column-mixed.yaml"])
			continue
		}
		// a, c and d are as b at rest
		slow := []string{"nonlinear-a.yaml", "nonlinear-c.yaml", "nonlinear-d.yaml", "soil-structure.yaml"}
		if slices.Contains(slow, file) && rthstest.Draws(0, 1) == 0 {
			continue
		}
		v := verdictOf(t, file)
		for i := range v.Loops {
			l := &v.Loops[i]
			learns := file == "galmez-case4.yaml" // unstable with the parameters it starts from
			if i == len(v.Loops)-1 && l.Stable() == learns {
				t.Errorf("%s: %s: stable %v: %s", file, l.Case, l.Stable(), v.Sentence())
			}
			m := l.Margins
			if math.IsNaN(m.Distance) != (l.Note != "") || len(l.Worst) == 0 || math.IsNaN(l.slowest().Ratio) {
				t.Errorf("%s: %s: note %q, margins %+v, motions %v", file, l.Case, l.Note, m, l.Worst)
			}
			for _, d := range l.Delays {
				if math.Abs(d.LeftMs) > 100 || math.Abs(d.LoopMs) > 100 || d.Gain > 5 || d.Gain < 0.1 {
					t.Errorf("%s: %s: %+v: want delays and gains of a test", file, l.Case, d)
				}
			}
		}
	}
}

// A free mass has two roots at 1, which rounding takes apart: they are no growth.
func TestStatesThatKeepWhatTheyHave(t *testing.T) {
	v := verdictOf(t, "shake-table.yaml")
	for i := range v.Loops {
		if l := &v.Loops[i]; l.Still != 2 || !l.Stable() || !(l.Growth < -0.1) {
			t.Errorf("%s: %d states at rest, growth %g 1/s: want 2, and motion that decays", l.Case, l.Still, l.Growth)
		}
	}
}

// The margins are where the loop's spectral radius passes 1: with the force
// multiplied by the gain margin, and with the delay margin put into its path.
func TestMarginsAgainstSpectralRadius(t *testing.T) {
	stable := func(sets ...string) bool {
		roots, err := rootsAtRest(t.Context(), bench(t, sets...))
		if err != nil {
			t.Fatal(err)
		}
		var l LoopVerdict
		l.motions(roots, 4096)
		return l.Stable()
	}
	for _, kind := range []string{"amb", "kf", "pi"} {
		compensator := "compensator.kind=" + kind
		v := verdict(t, Stability{}, compensator)
		m := v.Loops[1].Margins
		if math.IsInf(m.GainUp, 1) {
			t.Fatalf("%s: no gain margin", kind)
		}
		for factor, want := range map[float64]bool{0.995: true, 1.005: false} {
			if got := stable(compensator, fmt.Sprintf("sensors.force_gain=%g", factor*m.GainUp)); got != want {
				t.Errorf("%s: force × %.4g, gain margin %.4g: stable: %v", kind, factor*m.GainUp, m.GainUp, got)
			}
		}
		samples := int(math.Floor(m.Delay * 4096))
		for n, want := range map[int]bool{samples: true, samples + 1: false} {
			if got := stable(compensator, fmt.Sprintf("timing.force_delay=%d", 1+n)); got != want {
				t.Errorf("%s: %d samples later, delay margin %.2f samples: stable: %v", kind, n, m.Delay*4096, got)
			}
		}
	}
}

// The delay transfer system without compensator loses its stability at the critical
// delay, but for the samples the loop adds: the delay system itself takes one for its
// hold, its backward differences half and one, the integrator's hold half.
func TestCriticalDelayAgainstTheLoop(t *testing.T) {
	for _, site := range []int{1, 4} {
		v := verdict(t, Stability{}, "compensator.kind=none", "transfer.kind=delay", "transfer.delay_ms=1",
			"timing.force_delay=0", fmt.Sprintf("structure.case=%d", site))
		l := v.Loops[0]
		got := l.Margins.Delay + 1e-3*l.Delay(v.At()).LoopMs
		if math.Abs(got-v.Exact.Delay) > 0.05e-3 {
			t.Errorf("case %d: delay margin %.3f ms over %.3f ms in the loop: want %.3f ms together", site, 1e3*l.Margins.Delay,
				l.Delay(v.At()).LoopMs, 1e3*v.Exact.Delay)
		}
	}
}

// Random plants are the plants of `perturbed: n`, and an uncertainty of twice the size is
// twice as bad.
func TestUncertainty(t *testing.T) {
	v := verdict(t, Stability{Perturbed: 2, Weight: &stability.Weight{Low: 0.05, CornerHz: 20}})
	if len(v.Plants) != 2 {
		t.Fatalf("%d plants: want 2", len(v.Plants))
	}
	drawn := verdict(t, Stability{Weight: &stability.Weight{Low: 0.1, CornerHz: 20}}, "perturbed=2")
	if got, want := v.Plants[1].Radius, drawn.Loops[1].Radius; got != want {
		t.Errorf("plant 2 has spectral radius %.12f: want that with perturbed: 2, %.12f", got, want)
	}
	if nominal := v.Loops[1].Radius; nominal == v.Plants[1].Radius {
		t.Error("plant 2 is the nominal one")
	}
	twice := verdict(t, Stability{Weight: &stability.Weight{Low: 0.1, CornerHz: 20}})
	if got, want := twice.Loops[1].Robust, 2*v.Loops[1].Robust; math.Abs(got-want) > 1e-9 {
		t.Errorf("|W T| of twice the weight is %g: want %g", got, want)
	}
}

// With scatter, its plants are judged: an actuator of a few per cent of scatter about a loop
// that is stable.
func TestPlantsOfScatter(t *testing.T) {
	sets := []string{"transfer={kind: second-order, omega_rad_s: 150, damping_ratio: 0.8}",
		"compensator={kind: pe, tau_ms: 10}", "scatter.transfer.omega_rad_s={kind: normal, mean: 150, sd: 5}"}
	v := verdict(t, Stability{Perturbed: 2}, sets...)
	given := verdict(t, Stability{}, append(sets, "perturbed=2")...)
	if got, want := v.Plants[1].Radius, given.Loops[1].Radius; got != want || got == v.Loops[1].Radius {
		t.Errorf("plant 2 has spectral radius %.12f: want that with perturbed: 2, %.12f, not the nominal one, %.12f", got,
			want, v.Loops[1].Radius)
	}
	b := bodes(t, &Bode{Perturbed: 2}, bench(t, sets...), 3.6)
	r, err := bench(t, append(sets, "perturbed=2",
		"ground={kind: sine, duration_s: 1, frequency_hz: 2, amplitude_m_s2: 1}")...).Build(t.Context(), scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	omega, w := r.Drawn[0].V, 2*math.Pi*3.6
	want := 1e3 * math.Atan2(2*0.8*omega*w, omega*omega-w*w) / w
	rthstest.Near(t, "delay of plant 2 at 3.6 Hz, ms", b["perturbed 2"].DelayMs[0], want, 1e-9)
}

// Both ways of asking for a random plant judge the same loop: the methods that are made
// for a plant are made for the nominal one, which is all a laboratory knows.
func TestRandomPlantsAskedForTwoWays(t *testing.T) {
	rthstest.Long(t)
	for _, kind := range []string{"pe", "mbc-lqg"} {
		flag := verdict(t, Stability{Perturbed: 2}, "compensator.kind="+kind)
		key := verdict(t, Stability{}, "compensator.kind="+kind, "perturbed=2")
		if got, want := flag.Plants[1].Growth, key.Loops[1].Growth; got != want {
			t.Errorf("%s: plant 2 grows by %.12g 1/s, with perturbed: 2 by %.12g", kind, got, want)
		}
		if flag.Loops[1].Growth == flag.Plants[1].Growth {
			t.Errorf("%s: plant 2 is the nominal one", kind)
		}
	}
}

// A specimen with states has no critical delay; the loop is judged all the same.
func TestVerdictWithoutTangent(t *testing.T) {
	v := verdict(t, Stability{}, "specimen={kind: maxwell, mass: 30}", "transfer.kind=second-order",
		"compensator.kind=none")
	if v.Note == "" || len(v.Loops) != 1 || v.Loops[0].Radius <= 0 || v.Loops[0].Note != "" {
		t.Errorf("note %q, loops %+v", v.Note, v.Loops)
	}
	if rows := v.ModeRows(); len(rows) == 0 || math.IsNaN(rows[0].Get("uncompensated_left_ms").(float64)) {
		t.Errorf("modes %v: want delays of the actuator", rows)
	}
}

// The map at the scenario's own stiffness is the verdict.
func TestMapHoldsTheScenario(t *testing.T) {
	s := bench(t)
	p, _, _, k, err := s.Partition()
	if err != nil {
		t.Fatal(err)
	}
	static, err := p.Whole.StaticStiffness(0)
	if err != nil {
		t.Fatal(err)
	}
	points, err := mapped(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	v := verdict(t, Stability{})
	own := slices.DeleteFunc(slices.Clone(points), func(x MapPoint) bool { return !x.Own })
	i := slices.IndexFunc(own, func(x MapPoint) bool { return x.StiffnessRatio > k/static })
	if i < 1 {
		t.Fatalf("stiffness ratio %g is not in the map", k/static)
	}
	low, high := own[i-1], own[i]
	if d := v.Exact.Delay; !(high.Exact.Delay < d && d < low.Exact.Delay) {
		t.Errorf("critical delay %g s at ratio %.3f: map has %g s at %.2f and %g s at %.2f", d, k/static, low.Exact.Delay,
			low.StiffnessRatio, high.Exact.Delay, high.StiffnessRatio)
	}
	for j := range v.Loops {
		if g := v.Loops[j].Growth; !(low.Growth[j] < g && g < high.Growth[j]) {
			t.Errorf("%s grows by %g 1/s at ratio %.3f: map has %g and %g about it", v.Loops[j].Case, g, k/static, low.Growth[j],
				high.Growth[j])
		}
	}
	// RK4's limit for light damping is 2.83 over the highest frequency (40 Hz region).
	if h := low.StepLimit; !(h > 2.5/(2*math.Pi*38.1) && h < 3.2/(2*math.Pi*38.1)) {
		t.Errorf("longest step %g s: want about 2.83/ω of 38 Hz", h)
	}
}

// The map of a specimen that yields is that of its tangent at rest.
func TestMapOfTangent(t *testing.T) {
	rthstest.Full(t) // TestMapsOfAYieldingFrame is like it
	yields := rthstest.Must(bench(t).With("specimen={kind: bouc-wen, mass: 20, damping: 100, stiffness: 1e4}"))
	_, m, c, k, err := yields.Partition()
	if err != nil {
		t.Fatal(err)
	}
	linear := rthstest.Must(yields.With(fmt.Sprintf("specimen={kind: linear, mass: %v, damping: %v, stiffness: %v}", m, c,
		k)))
	got, err := mapped(t.Context(), yields)
	if err != nil {
		t.Fatal(err)
	}
	want := rthstest.Must(mapped(t.Context(), linear))
	for i, x := range got {
		if d := want[i].Exact.Delay; x.Own != want[i].Own || math.Abs(x.Exact.Delay-d) > 1e-9*d {
			t.Errorf("point %d: %g s, of the tangent %g s", i, x.Exact.Delay, d)
		}
	}
	ofLinear := planes(t, linear)
	for name, p := range planes(t, yields) {
		rthstest.Contains(t, p.Caption, "The specimen yields: it is taken with its tangent at rest.")
		if strings.Contains(ofLinear[name].Caption, "tangent") {
			t.Errorf("%s of a linear specimen speaks of a tangent", name)
		}
	}
}
