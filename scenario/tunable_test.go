package scenario_test

import (
	"fmt"
	"io/fs"
	"math"
	"reflect"
	"strings"
	"testing"

	"rths"
	"rths/compensate"
	"rths/rthstest"
	"rths/scenario"
	"rths/scenarios"
)

// Every key that a search tunes can be set on every shipped scenario that its kind suits: at both
// ends of the range and in the middle, each key alone, in the two steps of rths.Tunable. No
// factor meets a 0, which it would leave as it is. Ordinary tests try a part, RTHS_FULL=1 all.
func TestTunableKeys(t *testing.T) {
	rthstest.Long(t)
	files := []string{"demo.yaml", "wang2020-sdof.yaml", "two-storeys.yaml"}
	if rthstest.Draws(0, 1) == 1 {
		var err error
		if files, err = fs.Glob(scenarios.Files, "*.yaml"); err != nil {
			t.Fatal(err)
		}
	}
	for _, k := range compensate.Kinds {
		if len(k.Tunable) == 0 {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			suits := 0
			for _, file := range files {
				p := tuned{t, file, k.Name}
				if run, err := p.build(p.block("")); err == nil {
					suits++
					p.tryKeys(k.Tunable, run)
				}
			}
			if suits == 0 {
				t.Errorf("%s suits none of %s: want one at least", k.Name, files)
			}
		})
	}
}

// tuned is a shipped scenario with a kind of compensator.
type tuned struct {
	t          *testing.T
	file, kind string
}

// block sets the compensator with its defaults, but for a key.
func (p tuned) block(key string) string { return "compensator={kind: " + p.kind + key + "}" }

// build builds the scenario with some keys set, and a ground motion that needs no record.
func (p tuned) build(sets ...string) (*scenario.Run, error) {
	text, err := fs.ReadFile(scenarios.Files, p.file)
	if err != nil {
		p.t.Fatal(err)
	}
	if strings.Contains(p.kind, "msmc") {
		sets = append(sets, "inner_loop=") // it closes the loop itself
	}
	if strings.Contains(string(text), "\nground:") {
		sets = append(sets, "duration_s=1", "ground={kind: clough-penzien, duration_s: 1, pga_g: 0.1}")
	}
	s, err := scenario.Parse(p.file, text, ".", sets)
	if err != nil {
		return nil, err
	}
	return s.Build(scenario.Options{})
}

// tryKeys tries each key; run has the defaults.
func (p tuned) tryKeys(keys []rths.Tunable, run *scenario.Run) {
	text, err := run.Scenario.YAML()
	if err != nil {
		p.t.Fatalf("%s: %v", p.file, err)
	}
	for _, k := range keys {
		for _, x := range []float64{k.From, middle(k), k.To} {
			if k.Relative {
				err = p.buildScaled(text, k.Key, x)
			} else {
				_, err = p.build(p.block(fmt.Sprintf(", %s: %g", k.Key, x)))
			}
			if err != nil {
				p.t.Errorf("%s, %s at %g: %v", p.file, k.Key, x, err)
			}
		}
	}
}

func middle(k rths.Tunable) float64 {
	x := (k.From + k.To) / 2
	if k.Log {
		x = math.Sqrt(k.From * k.To)
	}
	if k.Whole {
		x = math.Round(x)
	}
	return x
}

// buildScaled builds the scenario of a text in full, with one key of the compensator, or of
// every actuator's, times a factor.
func (p tuned) buildScaled(text, key string, factor float64) error {
	s, err := scenario.Parse(p.file, []byte(text), ".", nil)
	if err != nil {
		return err
	}
	blocks := []compensate.Maker{s.Compensator.Params}
	if len(s.Each) > 0 && s.Each[0].Compensator.Given() {
		blocks = nil
		for _, a := range s.Each {
			blocks = append(blocks, a.Compensator.Params)
		}
	}
	for _, b := range blocks {
		if err := scale(numbersOf(b, key), factor); err != nil {
			return err
		}
	}
	_, err = s.Build(scenario.Options{})
	return err
}

// numbersOf are the numbers of a key, as gamma or a[2].
func numbersOf(block compensate.Maker, key string) reflect.Value {
	name, entry, indexed := strings.Cut(key, "[")
	v := reflect.ValueOf(block).Elem()
	for _, f := range reflect.VisibleFields(v.Type()) {
		if tag, _, _ := strings.Cut(f.Tag.Get("yaml"), ","); tag != name {
			continue
		}
		list := v.FieldByIndex(f.Index)
		if !indexed {
			return list
		}
		var i int
		if _, err := fmt.Sscanf(entry, "%d]", &i); err == nil && i <= list.Len() {
			return list.Index(i - 1)
		}
	}
	return reflect.Value{}
}

// scale multiplies a number, or all numbers of a list. No number but 0 is an error.
func scale(v reflect.Value, factor float64) error {
	switch v.Kind() {
	case reflect.Float64:
		if v.Float() != 0 {
			v.SetFloat(v.Float() * factor)
			return nil
		}
	case reflect.Slice:
		changed := false
		for i := range v.Len() {
			changed = scale(v.Index(i), factor) == nil || changed
		}
		if changed {
			return nil
		}
	}
	return fmt.Errorf("nothing but 0 to multiply: want a number that the maker fills in")
}
