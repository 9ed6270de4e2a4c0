package analyse_test

import (
	"strings"
	"testing"

	"rths/campaign/analyse"
	"rths/kit"
	"rths/kit/rthstest"
	"rths/scenario"
)

// with is the demo with some blocks, and modules from the folders of the sources.
func with(t *testing.T, sets ...string) *scenario.Scenario {
	t.Helper()
	return rthstest.Must(scenario.Shipped("demo.yaml", sets...))
}

// The examples keep what every compensator keeps, whatever the timing and the rate; a scenario without
// methods of one's own has nothing to keep.
func TestExamplesKeepTheirPromises(t *testing.T) {
	rthstest.Long(t)
	for _, sets := range [][]string{
		{"compensator={kind: wasm, file: ../../examples/wasm/adaptive.wasm}"},
		{"compensator={kind: wasm, file: ../../examples/wasm/adaptive.wasm}", "timing.target=next", "rate_hz=1024"},
		{"compensator={kind: chain, of: [{kind: pi}, {kind: wasm, file: ../../examples/wasm/template.wasm}]}"},
		{"compensator={kind: amb}"},
	} {
		broken, err := analyse.Promises(with(t, sets...))
		if len(broken) > 0 || err != nil {
			t.Errorf("%q: %v, %v: want nothing broken", sets, broken, err)
		}
	}
}

// What a module breaks is said with its block, also a loop without end and what allocates.
func TestBrokenPromises(t *testing.T) {
	rthstest.Long(t)
	const modules = "../../method/module/testdata/wasm/"
	for file, want := range map[string]string{
		"endless.wasm": kit.NeverFails +
			": tick 100: step did not return after 134 million bytes of code: want a loop that ends",
		"hidden.wasm": kit.Resumes + ": ",
		"grows.wasm":  kit.NoAllocations + ": ",
	} {
		s := with(t, "compensator={kind: chain, of: [{kind: wasm, file: ../../examples/wasm/template.wasm}, {kind: wasm, "+
			"name: second, file: "+modules+file+"}]}")
		broken, err := analyse.Promises(s)
		if err != nil || len(broken) == 0 || broken[0].Key != "compensator.of[2]" || broken[0].File != modules+file ||
			!strings.HasPrefix(broken[0].String(), want) {
			t.Errorf("%s: %v, %v: want %q of compensator.of[2]", file, broken, err, want)
		}
	}
	_, err := analyse.Promises(with(t, "compensator={kind: wasm, file: "+modules+"endless_init.wasm}"))
	rthstest.WantError(t, err, "compensator.file: "+modules+"endless_init.wasm: init did not return after")
}
