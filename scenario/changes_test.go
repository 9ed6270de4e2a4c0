package scenario

import (
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/method/combine"
	"rths/model/plant"
	"rths/scenarios"
)

// shippedText are the shipped scenarios' texts, and the settings that make each short and free of records.
func shippedText(t *testing.T, file string) (text string, short []string) {
	t.Helper()
	text = string(rthstest.Must(scenarios.Files.ReadFile(file)))
	if strings.Contains(text, "\nground:") {
		short = append(short, "duration_s=0.25",
			"ground={kind: sine, frequency_hz: 2, amplitude_m_s2: 0.1, duration_s: 0.25}")
	}
	return text, short
}

func shippedFiles(t *testing.T) []string {
	t.Helper()
	files := rthstest.Must(fs.Glob(scenarios.Files, "*.yaml"))
	if len(files) < 20 {
		t.Fatalf("%d shipped scenarios", len(files))
	}
	return files
}

// changes are what advice asks of a
var changes = map[string]func(*Scenario) error{
	"quicker":     func(s *Scenario) error { return s.Quicken(1.5) },
	"stiffer":     func(s *Scenario) error { return s.Stiffen(1.1) },
	"softer":      func(s *Scenario) error { return s.Stiffen(0.5) },
	"noisier":     func(s *Scenario) error { return s.Noisier(3) },
	"faster":      func(s *Scenario) error { s.RateHz *= 2; return nil },
	"more delay":  func(s *Scenario) error { s.Timing.CommandDelay += 3; return nil },
	"as it is":    func(*Scenario) error { return nil },
	"three of it": func(s *Scenario) error { return firstOf(s.Stiffen(1.1), s.Quicken(1.1), s.Noisier(2)) },
}

// A change that takes a block away leaves it out of the template too.
func TestChangesTakeBlocksAway(t *testing.T) {
	for _, c := range []struct {
		file string
		take func(*Scenario)
		key  string
	}{
		{"benchmark-multiaxial.yaml", func(s *Scenario) { s.Inner = combine.InnerPI{} }, "inner_loop"},
		{"rigid-floor.yaml", func(s *Scenario) { s.MoreGround = nil }, "more_ground"},
		{"wang2020-sdof.yaml", func(s *Scenario) { s.Scatter = nil }, "scatter"},
		{"two-storeys.yaml", func(s *Scenario) { s.Expect = nil }, "expect"},
	} {
		text, short := shippedText(t, c.file)
		template := rthstest.Must(NewTemplate(c.file, []byte(text), ".", short))
		changed := rthstest.Must(template.With())
		settings := rthstest.Must(changed.Changes(func(s *Scenario) error { c.take(s); return nil }))
		c.take(changed)
		with := rthstest.Must(template.With(settings...))
		if yamlOf(t, with) != yamlOf(t, changed) || len(settings) != 1 || settings[0].Key != c.key {
			t.Errorf("%s without %s: settings %v give\n%s", c.file, c.key, settings, yamlOf(t, with))
		}
	}
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Why a change cannot be made, or the changed test cannot be built: the actuator of the single-axis
// benchmark, whose specimen swings at 67 Hz with a damping of 1 %, is unstable with it when 1.5
// times as fast; and a specimen that is a whole storey cannot get stiffer than the storey.
const (
	unstable  = "unstable with this specimen"
	whole     = "to the numerical part"
	elsewhere = "the specimens leave the numerical part"
	quiet     = "the sensors have no noise"
	noSpring  = "has no stiffness and no damping among its parameters"
)

var refusals = map[string]string{
	"benchmark-multiaxial.yaml stiffer": noSpring, "benchmark-multiaxial.yaml softer": noSpring,
	"benchmark-multiaxial.yaml three of it": noSpring,
	"ning2020-sweep.yaml stiffer":           noSpring, "ning2020-sweep.yaml softer": noSpring,
	"ning2020-sweep.yaml three of it": noSpring,
	"ning2020-sweep.yaml noisier":     quiet, "soil-structure.yaml noisier": quiet,
	"soil-structure.yaml three of it": quiet,
	"two-rate.yaml noisier":           quiet, "two-rate.yaml three of it": quiet,
	"amb-with-feedback.yaml quicker": unstable, "benchmark-siso.yaml quicker": unstable, "demo.yaml quicker": unstable,
	"galmez-case4.yaml quicker": unstable, "galmez-case5.yaml quicker": unstable, "galmez-case6.yaml quicker": unstable,
	"nonlinear-a.yaml quicker": unstable, "nonlinear-b.yaml quicker": unstable, "nonlinear-c.yaml quicker": unstable,
	"nonlinear-d.yaml quicker":        unstable,
	"predictive-control.yaml quicker": unstable, "varying-actuator.yaml quicker": unstable,
	"wang2020-3dof.yaml stiffer": whole, "wang2020-3dof.yaml three of it": whole, "wang2020-sdof.yaml stiffer": whole,
	"wang2020-sdof.yaml three of it": whole,
	"two-storeys-slow.yaml stiffer":  elsewhere, "two-storeys-slow.yaml three of it": elsewhere,
	"yielding-frame.yaml stiffer": whole, "yielding-frame.yaml three of it": whole,
}

// For every shipped scenario the settings of a change, put into its template, give the changed
// scenario, key by key, and the scenario that was asked stays. No change has no settings. The changed
// scenario can be built, but for the refusals.
func TestChangesGiveTheChangedScenario(t *testing.T) {
	met := map[string]bool{}
	for _, file := range shippedFiles(t) {
		text, short := shippedText(t, file)
		template := rthstest.Must(NewTemplate(file, []byte(text), ".", short))
		for _, name := range slices.Sorted(maps.Keys(changes)) {
			key := file + " " + name
			err := givesTheChanged(t, template, key, changes[name])
			if why, ok := refusals[key]; ok || err != nil {
				met[key] = true
				if err == nil || !ok || !strings.Contains(err.Error(), why) {
					t.Errorf("%s: error %v: want %q", key, err, why)
				}
			}
		}
	}
	for key := range refusals {
		if !met[key] {
			t.Errorf("%s was not met", key)
		}
	}
}

// givesTheChanged compares a template with the settings of a change with the changed scenario. The error
// is that of the change, or of building.
func givesTheChanged(t *testing.T, template *Template, key string, change func(*Scenario) error) error {
	t.Helper()
	asked, changed := rthstest.Must(template.With()), rthstest.Must(template.With())
	before := yamlOf(t, asked)
	settings, err := asked.Changes(change)
	if yamlOf(t, asked) != before {
		t.Errorf("%s: Changes has changed the scenario itself", key)
	}
	if err == nil {
		err = change(changed)
	}
	if err != nil {
		return err
	}
	want := yamlOf(t, changed)
	if same := len(settings) == 0; same != strings.HasSuffix(key, "as it is") || same != (want == before) {
		t.Errorf("%s: %d settings", key, len(settings))
	}
	with := rthstest.Must(template.With(settings...))
	if got := yamlOf(t, with); got != want {
		t.Errorf("%s: the template with %v is\n%s\nwant\n%s", key, settings, got, want)
	}
	_, err = with.Build(t.Context(), Options{})
	return err
}

// The example of a block scatter can be pasted into every shipped scenario without one, and then
// the first random plant can be built and is another.
func TestScatterExampleCanBePasted(t *testing.T) {
	for _, file := range shippedFiles(t) {
		text, short := shippedText(t, file)
		s := rthstest.Must(Parse(file, []byte(text), ".", append(short, "perturbed=0")))
		if len(s.Scatter) > 0 {
			continue
		}
		if _, err := s.Build(t.Context(), Options{}); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		example := s.ScatterExample()
		with, err := Parse(file, []byte(text+"\n"+example+"\n"), ".", append(short, "perturbed=1"))
		if err != nil {
			t.Errorf("%s: %v\n%s", file, err, example)
			continue
		}
		run, err := with.Build(t.Context(), Options{})
		if err != nil || len(run.Drawn) == 0 || len(run.Drawn) != len(with.Scatter) {
			t.Errorf("%s: %v, drawn %v\n%s", file, err, run, example)
		}
	}
}

// numberOf is a number of the plant.
func numberOf(t *testing.T, s *Scenario, key string) float64 {
	t.Helper()
	return rthstest.Must(s.number(key)).Float()
}

// wantNumbers compares numbers of the plant, to rounding.
func wantNumbers(t *testing.T, what string, s *Scenario, want map[string]float64) {
	t.Helper()
	for key, w := range want {
		if got := numberOf(t, s, key); !(math.Abs(got-w) <= 1e-14*math.Abs(w)) {
			t.Errorf("%s: %s is %.17g: want %.17g", what, key, got, w)
		}
	}
}

func smallWith(t *testing.T, sets ...string) *Scenario {
	t.Helper()
	return rthstest.Must(Parse("small.yaml", []byte(rthstest.Small), ".", sets))
}

// Only stiffnesses get stiffer, in every list, of every specimen; a damper by its damping.
func TestStiffen(t *testing.T) {
	for _, c := range []struct {
		s    *Scenario
		want map[string]float64
	}{
		{smallWith(t), map[string]float64{"specimen.stiffness": 3e5, "specimen.damping": 100, "specimen.mass": 10}},
		{smallWith(t, "specimen={kind: frame, masses: [1, 2], stiffnesses: [100, 200], damping_ratio: 0.05}"),
			map[string]float64{"specimen.stiffnesses[1]": 300, "specimen.stiffnesses[2]": 600, "specimen.masses[2]": 2,
				"specimen.damping_ratio": 0.05}},
		{smallWith(t, "specimen={kind: viscous-damper, damping: 50, exponent: 0.5}"),
			map[string]float64{"specimen.damping": 150, "specimen.exponent": 0.5}},
		{smallWith(t, "specimen={kind: bouc-wen, stiffness: 1e5, post_yield_ratio: 0.1}"),
			map[string]float64{"specimen.stiffness": 3e5, "specimen.post_yield_ratio": 0.1}},
		{rthstest.Must(Shipped("two-storeys.yaml")), map[string]float64{
			"specimens[1].specimen.stiffness": 15e5, "specimens[1].specimen.damping": 500,
			"specimens[2].specimen.stiffness": 18e5, "specimens[2].specimen.post_stiffness": 18e4,
			"specimens[2].specimen.yield_displacement": 2e-3}},
	} {
		if err := c.s.Stiffen(3); err != nil {
			t.Errorf("%s: %v", c.s.specimenKinds(), err)
		}
		wantNumbers(t, c.s.specimenKinds(), c.s, c.want)
	}
	if err := smallWith(t, "specimen={kind: linear, mass: 3}").Stiffen(2); err == nil ||
		!strings.Contains(err.Error(), noSpring) {
		t.Errorf("a mass gets stiffer: %v", err)
	}
}

// The random specimens of a stiffer test are stiffer: drawn from published ranges, each is the one of
// the same number, f times as stiff.
func TestStiffenRandomSpecimens(t *testing.T) {
	sine := "ground={kind: sine, frequency_hz: 2, amplitude_m_s2: 0.1, duration_s: 0.1}"
	for n := range 3 {
		s := rthstest.Must(Shipped("galmez-case5.yaml", sine, fmt.Sprintf("perturbed=%d", n+1)))
		before := rthstest.Must(s.Build(t.Context(), Options{})).Drawn
		if err := s.Stiffen(0.5); err != nil {
			t.Fatal(err)
		}
		stiff := 0
		for i, v := range rthstest.Must(s.Build(t.Context(), Options{})).Drawn {
			want := before[i].V
			if v.Name == "specimen.stiffness" {
				want, stiff = 0.5*want, stiff+1
			}
			if v.Name != before[i].Name || math.Abs(v.V-want) > 1e-14*math.Abs(want) {
				t.Errorf("plant %d: %s %g: want %s %g", n+1, v.Name, v.V, before[i].Name, want)
			}
		}
		if stiff != 1 {
			t.Errorf("plant %d: %d stiffnesses drawn", n+1, stiff)
		}
	}
}

// The lag of every actuator is divided, of several under each too; without lag there is an error.
func TestQuickenActuatorsOfAScenario(t *testing.T) {
	s := rthstest.Must(Shipped("two-storeys.yaml"))
	if err := s.Quicken(2); err != nil {
		t.Fatal(err)
	}
	wantNumbers(t, "two storeys", s, map[string]float64{"each[1].transfer.omega_rad_s": 300,
		"each[1].transfer.damping_ratio": 0.8,
		"each[2].transfer.num[1]":        8000, "each[2].transfer.den[1]": 0.25, "each[2].transfer.den[2]": 50,
		"each[2].transfer.delay_ms": 1.15})
	for _, s := range []*Scenario{
		smallWith(t, "transfer={kind: ideal}"),
		rthstest.Must(Shipped("two-storeys.yaml", "each[2].transfer.kind=ideal")),
	} {
		if err := s.Quicken(2); err == nil || !strings.Contains(err.Error(), "transfer system ideal has no lag") {
			t.Errorf("ideal got quicker: %v", err)
		}
	}
}

// Standard deviations are multiplied by f, powers by f²: both have f times the standard deviation.
func TestNoisier(t *testing.T) {
	s := smallWith(t,
		"sensors={displacement_noise_power: 1e-13, force_noise: 3, displacement_offset: 1e-4, displacement_gain: 1.1, "+
			"acceleration: true, acceleration_noise: 0.01}")
	sd := s.Sensors.DisplacementSD(s.RateHz)
	if err := s.Noisier(3); err != nil {
		t.Fatal(err)
	}
	wantNumbers(t, "noise", s, map[string]float64{"sensors.displacement_noise_power": 9e-13, "sensors.force_noise": 9,
		"sensors.acceleration_noise":  0.03,
		"sensors.displacement_offset": 1e-4, "sensors.displacement_gain": 1.1})
	if got := s.Sensors.DisplacementSD(s.RateHz); math.Abs(got-3*sd) > 1e-14*sd {
		t.Errorf("standard deviation %g m: want %g", got, 3*sd)
	}
	if err := smallWith(t, "sensors={displacement_offset: 1e-4}").Noisier(2); err == nil || err.Error() != quiet {
		t.Errorf("no noise is noisier: %v", err)
	}
}

// Distributions follow the numbers that they are about: the draws of every plant are those before,
// times the ratio of the numbers.
func TestScatterFollowsChanges(t *testing.T) {
	scatter := []string{"transfer={kind: second-order, omega_rad_s: 50, damping_ratio: 0.8}",
		"sensors={displacement_noise_power: 1e-13}",
		`scatter={transfer.omega_rad_s: {kind: normal, mean: 50, sd: 2}, transfer.damping_ratio: {kind: truncated-normal, ` +
			`mean: 0.8, sd: 0.1, from: 0.7, to: 0.9}, specimen.stiffness: {kind: log-uniform, from: 8e4, to: 1.2e5}, ` +
			`specimen.damping: {kind: uniform, from: 50, to: 150}, sensors.displacement_noise_power: {kind: uniform, from: ` +
			`5e-14, to: 2e-13}, transfer.swing_rad_s: {kind: uniform, from: 0, to: 1}}`}
	for name, c := range map[string]struct {
		change func(*Scenario) error
		ratio  map[string]float64
	}{
		"quicker": {func(s *Scenario) error { return s.Quicken(1.5) }, map[string]float64{"transfer.omega_rad_s": 1.5}},
		"softer":  {func(s *Scenario) error { return s.Stiffen(0.5) }, map[string]float64{"specimen.stiffness": 0.5}},
		"noisier": {func(s *Scenario) error { return s.Noisier(2) },
			map[string]float64{"sensors.displacement_noise_power": 4}},
	} {
		for n := range 4 {
			s := smallWith(t, append(scatter, fmt.Sprintf("perturbed=%d", n+1))...)
			before := s.PerturbedPlant(n + 1).DrawnPlant()
			if err := c.change(s); err != nil {
				t.Fatal(err)
			}
			for i, v := range s.PerturbedPlant(n + 1).DrawnPlant() {
				ratio, ok := c.ratio[v.Name]
				if !ok {
					ratio = 1
				}
				if want := ratio * before[i].V; v.Name != before[i].Name || math.Abs(v.V-want) > 1e-12*math.Abs(want) {
					t.Errorf("%s, plant %d: %s is %.15g: want %.15g", name, n+1, v.Name, v.V, want)
				}
			}
		}
	}
	s := smallWith(t, scatter...)
	if err := s.scaled(func() error { s.Transfer.Params.(*plant.SecondOrder).Swing = 1; return nil }); err == nil ||
		!strings.Contains(err.Error(),
			"scatter.transfer.swing_rad_s: the nominal value goes from 0 to 1: the distribution cannot follow") {
		t.Errorf("from 0 to 1: %v", err)
	}
}
