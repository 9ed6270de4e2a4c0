package scenario

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// ownText is a scenario with a method of the user's own. Its modules are copied beside it.
const ownText = `name: own
rate_hz: 1024
timing: {target: current, force_delay: 1}
ground: {kind: clough-penzien, duration_s: 4, pga_g: 0.05}
structure: {kind: silva2020, case: 4}
specimen: {kind: silva2020}
transfer: {kind: silva2020}
sensors: {displacement_noise: 1e-6, force_noise: 2}
compensator: {kind: wasm, file: adaptive.wasm}
limits: none
`

// ownFolder is a folder with the modules that are shipped and those of the tests of compensate.
func ownFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, from := range []string{"../examples/wasm/*.wasm", "../method/module/testdata/wasm/*.wasm"} {
		for _, path := range rthstest.Must(filepath.Glob(from)) {
			if err := os.WriteFile(filepath.Join(dir, filepath.Base(path)), rthstest.Must(os.ReadFile(path)),
				0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

func ownScenario(t *testing.T, dir string, sets ...string) *Scenario {
	t.Helper()
	return rthstest.Must(Parse("own.yaml", []byte(ownText), dir, sets))
}

// A module is read once by runs that share, is among the inputs, and the text that a run writes of itself
// is the same run.
func TestOwnMethodFromFile(t *testing.T) {
	dir := ownFolder(t)
	s := ownScenario(t, dir, "compensator.parameters.tau_ms=18")
	run, want := play(t, s, Options{})
	if n := len(run.Inputs); n != 1 || run.Inputs[0].File != filepath.Join(dir, "adaptive.wasm") {
		t.Errorf("inputs %v: want the module", run.Inputs)
	}
	if p := s.OwnMethods()[0].Maker.Parameters; len(p) != 1 {
		t.Errorf("parameters of the scenario are %v after a run: want tau_ms alone", p)
	}
	shared := NewShared()
	for k := range 3 {
		again, got := play(t, s, Options{Shared: shared})
		sameBits(t, "shared", got, want)
		if fmt.Sprint(again.Inputs) != fmt.Sprint(run.Inputs) {
			t.Errorf("inputs %v of a module read before: want %v", again.Inputs, run.Inputs)
		}
		if k == 1 { // it is not read any more
			if err := os.Remove(filepath.Join(dir, "adaptive.wasm")); err != nil {
				t.Fatal(err)
			}
		}
	}
	dir = ownFolder(t)
	text := rthstest.Must(run.Scenario.YAML())
	if !strings.Contains(text,
		"  parameters:\n    filter_hz: 20.0\n    gamma_1_s: 10.0\n    quiet_um: 20.0\n    tau_ms: 18.0\n") {
		t.Errorf("resolved text without all parameters:\n%s", text)
	}
	_, got := play(t, rthstest.Must(Parse("resolved", []byte(text), dir, nil)), Options{})
	sameBits(t, "resolved", got, want)
}

// Errors stand at their keys, wherever the block is.
func TestOwnMethodErrors(t *testing.T) {
	dir := ownFolder(t)
	rig := []string{
		"structure={kind: matrices, mass: [[2000, 0], [0, 900]], stiffness: [[2e6, 1e5], [1e5, 3e6]], damping: " +
			"{modal_ratio: [0.03]}, influence: [1, 0]}",
		"interface=[1, 2]", "integrator.kind=newmark-explicit", "timing={target: next}",
		"specimen={kind: linear, stiffness: 1e5}",
		"transfer={kind: second-order, omega_rad_s: 150, damping_ratio: 0.8, stroke_m: 0.1, rate_m_s: 1}", "compensator=",
	}
	for _, c := range []struct {
		sets []string
		want string
	}{
		{[]string{"compensator={kind: wasm}"}, "compensator: file is missing: want the path of a module"},
		{[]string{"compensator.file=none.wasm"}, "compensator.file: open " + dir + "/none.wasm: no such file"},
		{[]string{"compensator.file=" + dir}, "compensator.file: " + dir + ": found a folder: want a plain file"},
		{[]string{"compensator.file=undefined.wasm"}, `compensator.file: undefined.wasm: it imports "tanh" of "env"`},
		{[]string{"compensator.file=trap_init.wasm"}, "compensator.file: trap_init.wasm: init traps: unreachable"},
		{[]string{"compensator.parameters.gain=2"}, "compensator.parameters.gain: no such parameter of adaptive.wasm"},
		{[]string{"compensator.parameters.tau_ms=-1"},
			"compensator.parameters.tau_ms: -1, which adaptive.wasm refuses: want 0 or more"},
		{[]string{"compensator={kind: chain, of: [{kind: pe, delay: given, tau_ms: 0}, {kind: wasm, file: none.wasm}]}"},
			"compensator.of[2].file: open "},
		{[]string{"compensator={kind: chain, of: [{kind: pi}, {kind: wasm, file: adaptive.wasm, parameters: {gain: 2}}]}"},
			"compensator.of[2].parameters.gain: no such parameter"},
		{[]string{"compensator={kind: chain, join: parallel, of: [{kind: wasm, file: adaptive.wasm}, {kind: lqg}]}"},
			"compensator.of[1]: it learns from its own commands, and here the rig gets others"},
		{[]string{"compensator={kind: chain, of: [{kind: pi}, {kind: wasm, file: with_rates.wasm}]}"},
			"compensator.of[2]: it uses the target's velocity and acceleration"},
		{[]string{"fallback={kind: wasm, file: none.wasm}", "compensator={kind: amb}"}, "fallback.file: open "},
		{[]string{"fallback={kind: wasm, file: template.wasm, parameters: {a: 1}}", "compensator={kind: amb}"},
			"fallback.parameters.a: no such parameter"},
		{[]string{"compensator={kind: wasm, file: template.wasm}", "fallback={kind: mbc}"},
			"fallback: the compensator learns nothing"},
		{append(rig[:len(rig)-1:len(rig)-1], "compensator={kind: wasm, file: trap_init.wasm}"),
			"compensator.file: actuator 1: trap_init.wasm: init traps"},
		{append(rig[:len(rig):len(rig)],
			"each=[{compensator: {kind: wasm, file: template.wasm}}, {compensator: {kind: wasm, file: none.wasm}}]"),
			"each[2].compensator.file: open "},
		{append(rig[:len(rig):len(rig)],
			"each=[{compensator: {kind: wasm, file: template.wasm}}, {compensator: {kind: wasm, file: template.wasm, "+
				"parameters: {tau_ms: -3}}}]"), "each[2].compensator.parameters.tau_ms: -3, which template.wasm refuses"},
	} {
		s, err := Parse("own.yaml", []byte(ownText), dir, c.sets)
		if err == nil {
			_, err = s.Build(t.Context(), Options{})
		}
		rthstest.WantError(t, err, c.want)
	}
	for set, want := range map[string]string{
		"compensator.parameters=3":         `compensator.parameters: found "3": want names with numbers, as in {gain: 1.2}`,
		"compensator.parameters=[1, 2]":    "compensator.parameters: found a list: want names with numbers",
		"compensator.parameters.tau_ms=ab": `compensator.parameters.tau_ms: found "ab": want a finite number`,
		"compensator.parameters.a.b=1":     "compensator.parameters.a: found a block",
	} {
		_, err := Parse("own.yaml", []byte(ownText), dir, []string{set})
		rthstest.WantError(t, err, want)
	}
}

// All blocks of kind wasm are found, wherever they stand, and work there.
func TestOwnMethodsEverywhere(t *testing.T) {
	dir := ownFolder(t)
	for set, keys := range map[string][]string{
		"compensator={kind: wasm, file: template.wasm}": {"compensator"},
		"compensator={kind: chain, of: [{kind: wasm, file: adaptive.wasm}, {kind: wasm, name: second, file: template.wasm, " +
			"parameters: {tau_ms: 0}}]}": {"compensator.of[1]", "compensator.of[2]"},
		"compensator={kind: chain, join: parallel, of: [{kind: wasm, file: template.wasm}, {kind: pi, kp: 0.1, ki: 0, " +
			"lead_num: [1], lead_den: [1], quantum_m: 0, range_m: 0}]}": {"compensator.of[1]"},
		"fallback={kind: wasm, file: template.wasm}":              nil,
		"each=[{compensator: {kind: wasm, file: adaptive.wasm}}]": {"each[1].compensator"},
	} {
		sets := []string{set}
		switch {
		case strings.HasPrefix(set, "fallback"):
			sets, keys = append(sets, "compensator={kind: kf}"), []string{"fallback"}
		case strings.HasPrefix(set, "each"):
			sets = append(sets, "compensator=")
		}
		s := ownScenario(t, dir, sets...)
		var found []string
		for _, o := range s.OwnMethods() {
			found = append(found, o.Key)
		}
		if !slices.Equal(found, keys) {
			t.Errorf("%s: methods at %q: want %q", set, found, keys)
		}
		r := rthstest.Must(s.Build(t.Context(), Options{}))
		if err := r.Loop.Run(0, nil); err != nil {
			t.Errorf("%s: %v", set, err)
		}
	}
	rthstest.WantError(t, ownScenario(t, dir).WantVirtual(),
		"own.yaml:9:1: compensator: kind wasm runs in virtual runs only")
	if err := ownScenario(t, dir, "compensator={kind: amb}").WantVirtual(); err != nil {
		t.Error(err)
	}
	_, err := ownScenario(t, dir).Build(t.Context(), Options{Rig: &deaf{}})
	rthstest.WantError(t, err, "kind wasm runs in virtual runs only")
}

// deaf is a rig of one actuator.
type deaf struct{}

func (*deaf) Read(*rths.Reading) error { return nil }
func (*deaf) Write([]float64) error    { return nil }

// A module that traps ends the run with its reason, alone, in a chain and under a fallback. The command before
// is the last.
func TestOwnMethodTraps(t *testing.T) {
	dir := ownFolder(t)
	for _, sets := range [][]string{
		{"compensator={kind: wasm, file: trap.wasm}"},
		{"compensator={kind: chain, of: [{kind: wasm, file: trap.wasm}, {kind: pi}]}"},
		{"each=[{compensator: {kind: wasm, file: trap.wasm}}]", "compensator="},
		{"compensator={kind: kf}", "fallback={kind: wasm, file: trap.wasm}"},
		{"compensator={kind: wasm, file: trap.wasm}", "inner_loop={kp: 0.1, ki: 1}"},
	} {
		r := rthstest.Must(ownScenario(t, dir, sets...).Build(t.Context(), Options{}))
		var commands []float64
		r.Loop.Attach(commandsSeen{&commands})
		status, reason := r.Status(r.Loop.Run(0, nil))
		if want := "compensator at t = 0.0977 s: step traps: integer divide by zero"; status != "failed" || reason != want ||
			r.Loop.Ticks() != 101 {
			t.Errorf("%q: %s after %d ticks: %s: want failed after 101: %s", sets, status, r.Loop.Ticks(), reason, want)
		}
		if n := len(commands); strings.HasPrefix(sets[0], "compensator={kind: wasm") && len(sets) == 1 &&
			commands[n-1] != commands[n-2] {
			t.Errorf("last commands %g: want the one before the trap to stay", commands[n-2:])
		}
	}
}

type commandsSeen struct{ all *[]float64 }

func (c commandsSeen) Observe(f *rths.Frame) { *c.all = append(*c.all, f.Command[0]) }

// A run resumes from a checkpoint with the same bits, on another instance.
func TestOwnMethodResumes(t *testing.T) {
	dir := ownFolder(t)
	s := ownScenario(t, dir)
	first := rthstest.Must(s.Build(t.Context(), Options{}))
	steps := func(r *Run, n int) (out []float64) {
		for range n {
			if err := r.Loop.Step(); err != nil {
				t.Fatal(err)
			}
			out = append(out, r.Loop.Frame().Command...)
		}
		return out
	}
	steps(first, 1500)
	second := rthstest.Must(s.Build(t.Context(), Options{}))
	steps(second, 700)
	if err := second.Loop.Resume(first.Loop.Checkpoint()); err != nil {
		t.Fatal(err)
	}
	if a, b := steps(first, 1000), steps(second, 1000); !slices.Equal(a, b) {
		t.Error("another instance goes on with other commands")
	}
}

// The loop's Jacobian knows the state of a module: with the template it is the one with kind inverse.
func TestOwnMethodHasAJacobian(t *testing.T) {
	dir := ownFolder(t)
	radius := func(set string) float64 {
		r := rthstest.Must(ownScenario(t, dir, set).Build(t.Context(), Options{}))
		j := rthstest.Must(r.Loop.Jacobian())
		sum := 0.0
		for i := range j.N { // the trace
			sum += j.J[i*j.N+i]
		}
		return sum
	}
	got, want := radius("compensator={kind: wasm, file: template.wasm, parameters: {tau_ms: 12}}"),
		radius("compensator={kind: inverse, delay: given, tau_ms: 12}")
	rthstest.Near(t, "trace of the Jacobian", got, want, 1e-6*math.Abs(want))
}

// Copies of a scenario have parameters of their own.
func TestCopiesHaveParametersOfTheirOwn(t *testing.T) {
	s := ownScenario(t, ".", "compensator.parameters={a: 1, b: 2}")
	c := s.clone()
	c.OwnMethods()[0].Maker.Parameters["a"] = 5
	if p := s.OwnMethods()[0].Maker.Parameters; !maps.Equal(p, map[string]float64{"a": 1, "b": 2}) {
		t.Errorf("parameters %v: want those that were set", p)
	}
}

// The examples on the demo, as docs/guides/method-of-your-own.md has them: J2, %.
func TestExamplesOnTheDemo(t *testing.T) {
	rthstest.Long(t)
	for set, want := range map[string]float64{
		"{kind: wasm, file: ../examples/wasm/template.wasm}":                             11.14,
		"{kind: wasm, file: ../examples/wasm/template.wasm, parameters: {tau_ms: 23.9}}": 6.35,
		"{kind: wasm, file: ../examples/wasm/adaptive.wasm}":                             2.92,
		"{kind: amb, order: 2}": 2.47,
	} {
		r := rthstest.Must(rthstest.Must(Shipped("demo.yaml", "compensator="+set)).Build(t.Context(), Options{}))
		if err := r.Loop.Run(0, nil); err != nil {
			t.Fatal(err)
		}
		rthstest.Near(t, set, resultOf(r, "J2_pct"), want, 0.005)
	}
	r := rthstest.Must(rthstest.Must(Shipped("demo.yaml", "compensator={kind: none}")).Build(t.Context(), Options{}))
	err := r.Loop.Run(0, nil)
	rthstest.WantError(t, err, "diverged at t = 13.3728 s")
	rthstest.Near(t, "none", resultOf(r, "J2_pct"), 51.04, 0.005)
}
