package scenario

import (
	"path/filepath"
	"reflect"
	"testing"

	"rths/kit/rthstest"
	"rths/method/compensate"
	"rths/model/integrate"
)

// Whatever is asked of a scenario, and building it, leaves it as it was read, down to the
// parameters.
func TestLookingChangesNothing(t *testing.T) {
	rthstest.Long(t)
	files, err := filepath.Glob("../scenarios/*.yaml")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	type test struct {
		file string
		sets []string
	}
	var tests []test
	for _, file := range files {
		tests = append(tests, test{file, nil})
	}
	for _, set := range rthstest.Compensators(compensate.Kinds) {
		tests = append(tests, test{"../scenarios/benchmark-siso.yaml",
			[]string{"perturbed=2", set, "indicators.energies=true", "sensors.acceleration=true"}})
	}
	tests = append(tests, test{"../scenarios/benchmark-multiaxial.yaml", []string{"perturbed=2"}})
	tests = append(tests, test{"../scenarios/wang2020-sdof.yaml", []string{"perturbed=2"}})
	ran := 0
	for _, tc := range tests {
		sets := append([]string{"duration_s=0.5"}, tc.sets...)
		s, err := Load(tc.file, sets)
		if err != nil {
			t.Fatal(err)
		}
		if s.Ground.Kind == "record" { // no records are wanted here
			s, err = Load(tc.file, append(sets, "ground={kind: sine, frequency_hz: 2, amplitude_m_s2: 0.1, duration_s: 0.5}"))
			if err != nil {
				t.Fatal(err)
			}
		}
		before, text := s.clone(), yamlOf(t, s)
		if !reflect.DeepEqual(s, before) {
			t.Fatalf("%s: a clone differs from the scenario", tc.file)
		}
		// Some of these say no to some scenarios: that is no change either.
		spec, _ := s.MakeSpecimen()
		_, _ = s.PlantModel(spec)
		_, _ = s.PlantModel(nil)
		_, _ = s.Opened(integrate.NewPrescribed(make([]float64, 4), 1), 1)
		_, _ = s.AtRest(t.Context())
		_, _, _, _, _ = s.Partition()
		_, _ = s.CompensatorSettings()
		_, _ = s.CompensatorChannels()
		_, _ = s.Shake("")
		_ = s.PerturbedPlant(1)
		built, err := s.Build(t.Context(), Options{})
		if err == nil {
			err = built.Loop.Step()
			ran++
		}
		if !reflect.DeepEqual(s, before) || yamlOf(t, s) != text {
			t.Errorf("%s %v (built: %v): the scenario is\n%s\nwhich was\n%s", tc.file, tc.sets, err, yamlOf(t, s), text)
		}
	}
	if ran < len(tests)-2 {
		t.Errorf("%d of %d scenarios were built: want nearly all", ran, len(tests))
	}
}

func yamlOf(t *testing.T, s *Scenario) string {
	t.Helper()
	text, err := s.YAML()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A test on a random plant is run again from its archive to the same bits, with the same
// name: the resolved scenario says what was drawn and what the compensator was made for.
func TestRandomPlantRunsAgain(t *testing.T) {
	for _, kind := range []string{"pe", "mbc-lqg", "adm3", "kf"} {
		s, err := Load("../scenarios/benchmark-siso.yaml",
			[]string{"perturbed=3", "compensator.kind=" + kind,
				"ground={kind: sine, frequency_hz: 2, amplitude_m_s2: 0.5, duration_s: 1}"})
		if err != nil {
			t.Fatal(err)
		}
		first, err := s.Build(t.Context(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse("manifest", []byte(yamlOf(t, first.Scenario)), ".", nil)
		if err != nil {
			t.Fatal(err)
		}
		second, err := again.Build(t.Context(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		nominal, err := s.With("perturbed=0")
		if err != nil {
			t.Fatal(err)
		}
		third, err := nominal.Build(t.Context(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		same := true
		for range 2000 {
			a, b, c := first.Loop.Step(), second.Loop.Step(), third.Loop.Step()
			f, g := first.Loop.Frame(), second.Loop.Frame()
			if a != nil || b != nil || c != nil || f.Read.X[0] != g.Read.X[0] || f.Command[0] != g.Command[0] {
				t.Fatalf("%s at %g s: %v, %v, %v: measured %g m, again %g m", kind, f.T, a, b, c, f.Read.X[0], g.Read.X[0])
			}
			same = same && f.Read.X[0] == third.Loop.Frame().Read.X[0]
		}
		if same || first.Name != second.Name || first.Name == third.Name {
			t.Errorf("%s: %q, again %q, nominal %q: want another plant than the nominal one", kind, first.Name, second.Name,
				third.Name)
		}
	}
}
