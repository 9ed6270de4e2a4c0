package scenario

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/method/combine"
	"rths/method/compensate"
	"rths/scenario/syntax"
)

const (
	// sine is a motion that needs no record.
	sine = "ground={kind: sine, frequency_hz: 2, amplitude_m_s2: 0.1, duration_s: 0.25}"
	// ownEach gives every actuator of two-storeys a transfer system and a compensator of its own.
	ownEach = "each=[{transfer: {kind: second-order, omega_rad_s: 150}, compensator: {kind: ats}}, {transfer: {kind: " +
		"tf, num: [8000], den: [1, 100, 8000], delay_ms: 2.3}, compensator: {kind: pe, order: 1}}]"
	// safeEach has a fallback of one actuator beside.
	safeEach = "each=[{transfer: {kind: second-order, omega_rad_s: 150}, compensator: {kind: ats}, fallback: {kind: " +
		"mbc}}, {transfer: {kind: tf, num: [8000], den: [1, 100, 8000], delay_ms: 2.3}, compensator: {kind: pe}}]"
)

// recompensable are scenarios that have compensators in every place where they may stand.
var recompensable = map[string]struct {
	file string
	sets []string
}{
	"one actuator": {"benchmark-siso.yaml", nil},
	"with fallback": {"benchmark-siso.yaml",
		[]string{"compensator.kind=ats", "fallback={kind: mbc}"}},
	"with a chain": {"benchmark-siso.yaml",
		[]string{"compensator={kind: chain, join: parallel, of: [{kind: ats}, {kind: lqg}]}"}},
	"with an inner loop": {"small", []string{"inner_loop={kp: 0.5}", "compensator.kind=pe"}},
	"with scatter":       {"wang2020-sdof.yaml", nil},
	"two of their own":   {"two-storeys.yaml", nil},
	"two, scatter": {"two-storeys.yaml",
		[]string{"scatter={'each[1].transfer.omega_rad_s': {kind: normal, mean: 150, sd: 5}}"}},
	"two, compensators of their own": {"two-storeys.yaml", []string{"compensator=", ownEach}},
	"two, fallbacks of their own":    {"two-storeys.yaml", []string{"compensator=", safeEach}},
	"two, fallback of all": {"two-storeys.yaml",
		[]string{"compensator={kind: ats}", "fallback={kind: mbc}"}},
	"three alike": {"rigid-floor.yaml", nil},
	"two alike, published scatter": {"two-storeys.yaml",
		[]string{"each=", "transfer={kind: silva2020}", "specimens=", "specimen={kind: silva2020}",
			"structure.stiffnesses=[9e6, 9e6, 9e6]", "rate_hz=4096", "timing.target=current"}},
	"three alike, scatter": {"rigid-floor.yaml",
		[]string{"scatter={transfer.omega_rad_s: {kind: normal, mean: 180, sd: 5}}"}},
	"three, compensators of their own": {"rigid-floor.yaml",
		[]string{"compensator=", "each=[{compensator: {kind: ats}}, {compensator: {kind: pe}}, {compensator: {kind: amb}}]"}},
	"frame with an inner loop": {"benchmark-multiaxial.yaml", nil},
	"frame, compensators of their own": {"benchmark-multiaxial.yaml",
		[]string{"compensator=", "each=[{compensator: {kind: ats}}, {compensator: {kind: pe, order: 1}}]"}},
	"frame without inner loop, fallback": {"benchmark-multiaxial.yaml",
		[]string{"inner_loop=", "compensator.kind=adm", "fallback.kind=none"}},
}

// blocks of compensators that a candidate may have.
var candidates = []string{"{kind: none}", "{kind: pe, order: 2}", "{kind: ats}", "{kind: kf}", "{kind: amb}",
	"{kind: mbc}", "{kind: adm}", "{kind: msmc}",
	"{kind: chain, of: [{kind: ats}, {kind: inverse}]}", "{kind: chain, join: parallel, of: [{kind: mbc}, {kind: lqg}]}"}

// motionOf are the commands and measured displacements of a run, and how it ends.
func motionOf(run *Run) (out []uint64) {
	for err := error(nil); err == nil && !run.Loop.Done(); {
		err = run.Loop.Step()
		f := run.Loop.Frame()
		for _, v := range slices.Concat(f.Command, f.Read.X, f.Num.X) {
			out = append(out, math.Float64bits(v))
		}
	}
	return out
}

// Compensation gives a template what Recompensated gives a scenario: the run has the same bits, on
// the nominal and on a random plant, whatever stands in the template; and other keys stay.
func TestCompensationIsTheRecompensated(t *testing.T) {
	rthstest.Long(t)
	compared := map[string]int{}
	for name := range recompensable {
		template := recompensed(t, name)
		s := rthstest.Must(template.With())
		plants := []int{0, 3}
		if _, err := s.PerturbedPlant(3).Build(t.Context(), Options{}); err != nil { // no scatter is known
			plants = plants[:1]
		}
		for _, block := range candidates {
			for _, alone := range []bool{true, false}[:rthstest.Draws(1, 2)] {
				copied := rthstest.Must(s.Recompensated(block, alone))
				built, err := copied.Build(t.Context(), Options{})
				if err != nil {
					continue // the kind does not suit
				}
				what := fmt.Sprintf("%s, %s, alone %v", name, block, alone)
				settings := rthstest.Must(built.Scenario.Compensation(s))
				for _, plant := range plants {
					sameRuns(t, what, template, settings, copied, plant)
					compared[name]++
					compared[block]++
					compared[fmt.Sprintf("plant %d", plant)]++
				}
			}
		}
	}
	for _, key := range slices.Concat(slices.Collect(maps.Keys(recompensable)), candidates,
		[]string{"plant 0", "plant 3"}) {
		if compared[key] < rthstest.Draws(3, 6) {
			t.Errorf("%s: compared %d times", key, compared[key])
		}
	}
}

// recompensed is the template of an entry of recompensable, with a short motion. It can be built.
func recompensed(t *testing.T, name string) *Template {
	t.Helper()
	c, text := recompensable[name], rthstest.Small
	if c.file != "small" {
		text, _ = shippedText(t, c.file)
	}
	template, err := NewTemplate(c.file, []byte(text), ".", append([]string{sine, "duration_s=0.25"}, c.sets...))
	if err == nil {
		_, err = rthstest.Must(template.With()).Build(t.Context(), Options{})
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return template
}

// sameRuns compares a template with settings with a scenario, on one of its random plants.
func sameRuns(t *testing.T, what string, template *Template, settings []syntax.Setting, s *Scenario, plant int) {
	t.Helper()
	with, err := template.With(append(settings, syntax.Whole("perturbed", uint64(plant), "test"))...)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	kept, copied := uncompensatedYAML(t, with), uncompensatedYAML(t, s.PerturbedPlant(plant))
	if own := uncompensatedYAML(t, rthstest.Must(template.With()).PerturbedPlant(plant)); kept != own || copied != own {
		t.Errorf("%s: other keys than the compensator's are\n%s\nor\n%s\nwant\n%s", what, kept, copied, own)
	}
	got, err := with.Build(t.Context(), Options{})
	if err != nil {
		t.Errorf("%s: plant %d: %v", what, plant, err)
		return
	}
	want := rthstest.Must(s.PerturbedPlant(plant).Build(t.Context(), Options{}))
	if got.Scenario.Inner != want.Scenario.Inner {
		t.Errorf("%s: inner loop %v, want %v", what, got.Scenario.Inner, want.Scenario.Inner)
	}
	if a, b := motionOf(got), motionOf(want); !slices.Equal(a, b) || len(a) < 60 {
		t.Errorf("%s: plant %d: the runs of %d and %d numbers differ", what, plant, len(a), len(b))
	}
}

// uncompensatedYAML is a scenario without the keys that Recompensated changes.
func uncompensatedYAML(t *testing.T, s *Scenario) string {
	t.Helper()
	bare := rthstest.Must(s.Uncompensated())
	bare.Inner = combine.InnerPI{}
	return yamlOf(t, bare)
}

// The compensators that a scenario has itself come back too, with what their makers have filled in.
func TestCompensationOfTheScenarioItself(t *testing.T) {
	for name := range recompensable {
		if strings.Contains(name, "fallback") { // a candidate has none
			continue
		}
		template := recompensed(t, name)
		s := rthstest.Must(template.With())
		settings := rthstest.Must(rthstest.Must(s.Build(t.Context(), Options{})).Scenario.Compensation(s))
		sameRuns(t, name, template, settings, s, 0)
	}
}

// ScaleCompensator multiplies one number, or a list, of the compensators of all actuators.
func TestScaleCompensator(t *testing.T) {
	s := rthstest.Must(Shipped("two-storeys.yaml", "compensator=", ownEach, sine))
	s.Each[0].Compensator = rthstest.Must(Shipped("two-storeys.yaml",
		"compensator={kind: adm2, theta0: [1, 2, 3], p0: [1]}", sine)).Compensator
	s.Each[1].Compensator = rthstest.Must(Shipped("two-storeys.yaml",
		"compensator={kind: adm2, theta0: [4, 5, 6], p0: [2]}", sine)).Compensator
	for _, c := range []struct {
		key  string
		f    float64
		want string
	}{{"theta0", 2, "[2 4 6] [8 10 12]"}, {"theta0[2]", 10, "[2 40 6] [8 100 12]"}, {"p0", 3, "[2 40 6] [8 100 12]"}} {
		if err := s.ScaleCompensator(c.key, c.f); err != nil {
			t.Fatalf("%s: %v", c.key, err)
		}
		of := func(i int) []float64 { return s.Each[i].Compensator.Params.(*compensate.ADM).Theta0 }
		if got := fmt.Sprint(of(0), of(1)); got != c.want {
			t.Errorf("%s × %g: %s, want %s", c.key, c.f, got, c.want)
		}
	}
	one := smallWith(t, "compensator={kind: pe, tau_ms: 8}")
	if err := one.ScaleCompensator("tau_ms", 1.5); err != nil || one.Compensator.Params.(*compensate.PE).TauMs != 12 {
		t.Errorf("%v, %+v: want tau_ms 12", err, one.Compensator.Params)
	}
	for key, want := range map[string]string{
		"tau_s": "pe: tau_s: no such key: want one of", "order": "pe: order: holds",
		"tau_ms[1]": "there is no list before [1]", "kind": "no such key",
	} {
		if err := one.ScaleCompensator(key, 2); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", key, err, want)
		}
	}
}
