package scenario_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/scenario"
	"rths/scenario/doubts"
	"rths/scenarios"
)

// extremes are numbers that no test has, in the words of a scenario.
var (
	extremeFloats = []string{"1e308", "-1e308", "1e-308", "1e15", "1e-15", "0", "-1"}
	extremeInts   = []string{"9223372036854775807", "-9223372036854775808", "1000000000", "1000000", "64", "0", "-1"}
)

// extremesOf are the values to try in place of a default: numbers, and lists of the
// default's shape with one of the numbers first, or everywhere.
func extremesOf(v reflect.Value) []string {
	switch v.Kind() {
	case reflect.Float64:
		return extremeFloats
	case reflect.Int:
		return extremeInts
	case reflect.Slice:
		var out []string
		for _, x := range extremesOf(deepElement(v)) {
			out = append(out, listOf(v, x, false), listOf(v, x, true))
		}
		return append(out, "[]")
	}
	return nil
}

func deepElement(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Slice {
		v = v.Index(0)
	}
	return v
}

func listOf(v reflect.Value, x string, everywhere bool) string {
	if v.Kind() != reflect.Slice {
		return x
	}
	var entries []string
	for i := range v.Len() {
		if i == 0 || everywhere {
			entries = append(entries, listOf(v.Index(i), x, everywhere))
		} else {
			entries = append(entries, flow(v.Index(i)))
		}
	}
	return "[" + strings.Join(entries, ", ") + "]"
}

func flow(v reflect.Value) string {
	if v.Kind() != reflect.Slice {
		return fmt.Sprint(v.Interface())
	}
	var entries []string
	for i := range v.Len() {
		entries = append(entries, flow(v.Index(i)))
	}
	return "[" + strings.Join(entries, ", ") + "]"
}

// base is a scenario that a kind is tried in.
type base struct {
	text string
	sets []string

	records string
}

func shipped(t *testing.T, name string) string {
	t.Helper()
	text, err := scenarios.Files.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// bases are the scenarios that a kind may run in, in the order to try them. record is a
// ground motion.
func bases(t *testing.T, family, kind, record string) []base {
	t.Helper()
	set := []string{family + ".kind=" + kind}
	switch family + " " + kind {
	case "ground file", "target file":
		set = []string{family + "={kind: file, file: " + record + "}"}
	case "ground record", "target record":
		set = []string{family + "={kind: record, record: motion}"}
	case "force file":
		set = []string{override(family, kind, "file", record, record)}
	case "structure oscillator":
		set = []string{"structure={kind: oscillator, mass: 1000, frequency_hz: 3}"}
	case "pace continuous", "pace ramp-hold":
		set = append(set, "timing.target=next")
	case "integrator alpha-os":
		set = append(set, "timing.target=next", "pace.kind=ramp-hold")
	case "structure fe-foundation":
		set = append(set, "integrator.kind=gui")
	case "structure fe-mesh":
		set = []string{"structure={kind: fe-mesh, nodes: [[0, 0], [1, 0], [1, 1], [0, 1]], elements: [[1, 2, 3, 4]], " +
			"fixed: [1, 2]}", "integrator.kind=gui"}
	case "transfer servo-hydraulic":
		set = append(set, "specimen={kind: linear, mass: 10, damping: 1e4, stiffness: 1e5}")
	case "coupler aggregate":
		return []base{{text: strings.Replace(threeFloors, shaking, shaking+sideBySide+"\n"+aggregateSprings, 1)}}
	case "coupler linear", "coupler rigid-body":
		return []base{{text: shipped(t, map[string]string{"linear": "rigid-floor.yaml", "rigid-body": "loading-block.yaml"}[kind]),
			sets: []string{"ground={kind: sine, duration_s: 1, frequency_hz: 2, amplitude_m_s2: 1}"}}}
	case "compensator tvc", "compensator tvc-rls":
		set = append(set, "sensors.acceleration=true")
	case "compensator chain":
		set = []string{"compensator={kind: chain, of: [{kind: amb}, {kind: pi}]}"}
	case "compensator wasm":
		set = []string{"compensator={kind: wasm, file: ../examples/wasm/adaptive.wasm}"}
	case "device wasm":
		set = []string{"devices=[{kind: wasm, file: ../examples/wasm/device.wasm, between: [[0, 1]]}]"}
	case "predictor dual-explicit":
		set = []string{"two_rate={main_step: 4, predictor: {kind: dual-explicit}}", "integrator.kind=gui"}
	default:
		switch family {
		case "predictor":
			set = []string{"two_rate={main_step: 4, predictor: {kind: " + kind + "}}"}
		case "force":
			set = []string{"forces=[{dof: 1, history: {kind: " + kind + "}}]"}
		case "criteria":
			set = nil
		case "distribution":
			set = []string{"perturbed=1", "scatter.transfer.gain.kind=" + kind}
		case "fault":
			set = []string{"faults=[{kind: " + kind + faultKeys[kind] + "}]"}
		case "network-fault":
			set = []string{"rig={kind: udp, network: [{kind: " + kind + "}]}"}
		}
	}
	if family+kind == "structureexternal" {
		return []base{{text: outside}}
	}
	if family == "setup" {
		return []base{{text: onSetup(kind, examples[kind], "")}}
	}
	if family+kind == "targetmultisine" {
		set = []string{"target={kind: multisine, duration_s: 6, period_s: 2, from_hz: 1}", "duration_s=6"}
	}
	if family == "target" {
		return []base{{text: openLoop, sets: set}}
	}
	out := []base{{text: small, sets: set}}
	for _, name := range []string{"benchmark-multiaxial.yaml", "benchmark-siso.yaml", "shake-table.yaml"} {
		out = append(out, base{text: shipped(t, name),
			sets: append([]string{"ground={kind: sine, duration_s: 1, frequency_hz: 2, amplitude_m_s2: 1}"}, set...)})
	}
	return out
}

// faultKeys are the keys that a fault needs.
var faultKeys = map[string]string{
	"stuck": ", channel: measured_m", "reversed": ", channel: measured_m",
	"spike": ", channel: measured_m, size: 1e-3", "drift": ", channel: measured_m, rate: 1e-3",
	"late-commands": ", delay_ms: 5",
	"slipped-pin":   ", slip_m: 1e-3",
}

const openLoop = `name: open
rate_hz: 1024
loop: open
target: {kind: sine, duration_s: 1, frequency_hz: 2}
specimen: {kind: linear, mass: 10, damping: 100, stiffness: 1e5}
transfer: {kind: second-order}
`

const outside = `name: outside
rate_hz: 1024
timing: {target: next}
structure: {kind: external, dt_s: 0.0078125}
specimen: {kind: linear, stiffness: 1e5}
transfer: {kind: second-order}
`

// attempt builds a scenario and steps it a hundred times. It returns the error of the
// build, the memory that was used, in bytes, and what panicked.
func attempt(ctx context.Context, b base, sets ...string) (used uint64, panicked any, built error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	defer func() {
		panicked = recover()
		runtime.ReadMemStats(&after)
		used = after.TotalAlloc - before.TotalAlloc
	}()
	s, err := scenario.Parse("x.yaml", []byte(b.text), ".", append(append([]string{"duration_s=1"}, b.sets...), sets...))
	if err != nil {
		return 0, nil, err
	}
	doubts.Of(s)
	r, err := s.Build(ctx, scenario.Options{RecordsDir: b.records})
	if err != nil {
		return 0, nil, err
	}
	for range min(100, r.Samples) {
		if r.Loop.Step() != nil { // it has diverged
			break
		}
	}
	return 0, nil, nil
}

// mostMemory of an attempt, in bytes.
const mostMemory = 256 << 20

// want that an attempt does not panic and takes a bounded memory.
func wantSound(t *testing.T, b base, sets ...string) {
	t.Helper()
	used, panicked, err := attempt(t.Context(), b, sets...)
	if panicked != nil {
		t.Errorf("%q: panic: %v", sets, panicked)
	}
	if used > mostMemory {
		t.Errorf("%q: %d MB were used (%v): want at most %d MB", sets, used>>20, err, mostMemory>>20)
	}
}

// No number of any table makes a scenario panic or take the memory: it is refused, or it
// makes a loop, which may diverge.
func TestExtremeParameters(t *testing.T) {
	rthstest.Long(t)
	for _, f := range scenario.Families() {
		if f.Key == "format" {
			continue // its keys are the keys of ground
		}
		for _, k := range f.Kinds {
			t.Run(f.Key+" "+k.Name, func(t *testing.T) {
				record := writeRecord(t)
				b := baseOf(t, f.Key, k.Name, record)
				tried := 0
				for _, p := range k.Params {
					values := extremesOf(reflect.ValueOf(p.Default))
					if p.Default == nil { // a list that is left open
						values = []string{"[]", "[1e308]", "[-1, 1, 1, 1, 1, 1, 1, 1, 1]"}
					}
					for _, x := range values {
						// every parameter with a default has more than three
						if tried++; p.Default == nil || tried%4 == 0 || rthstest.Draws(0, 1) == 1 {
							wantSound(t, b, override(f.Key, k.Name, p.Key, x, record))
						}
					}
				}
			})
		}
	}
}

// baseOf is the first of the bases that the kind runs in.
func baseOf(t *testing.T, family, kind, record string) base {
	t.Helper()
	var first error
	for _, b := range bases(t, family, kind, record) {
		b.records = filepath.Dir(record)
		_, panicked, err := attempt(t.Context(), b)
		if panicked != nil {
			t.Fatalf("panic: %v", panicked)
		}
		if err == nil {
			return b
		}
		if first == nil {
			first = err
		}
	}
	t.Fatalf("no scenario that it runs in: %v", first)
	return base{}
}

// override sets a parameter of a kind.
func override(family, kind, key, x, record string) string {
	switch family {
	case "distribution":
		return "scatter.transfer.gain." + key + "=" + x
	case "predictor":
		return "two_rate.predictor." + key + "=" + x
	case "setup":
		return "coupler.setup." + key + "=" + x
	case "force":
		file := ""
		if kind == "file" && key != "file" {
			file = "file: " + record + ", "
		}
		return "forces=[{dof: 1, history: {kind: " + kind + ", " + file + key + ": " + x + "}}]"
	case "network-fault":
		return "rig={kind: udp, network: [{kind: " + kind + ", " + key + ": " + x + "}]}"
	case "fault":
		others := regexp.MustCompile(", "+key+": [^,]*").ReplaceAllString(faultKeys[kind], "")
		return "faults=[{kind: " + kind + others + ", " + key + ": " + x + "}]"
	}
	return family + "." + key + "=" + x
}

// writeRecord leaves motion.csv in a folder.
func writeRecord(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "motion.csv")
	if err := os.WriteFile(path, []byte("time_s,x\n0,0\n0.01,0.001\n0.02,0\n0.03,-0.001\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// The same for the numbers that stand in no table.
func TestExtremeNumbers(t *testing.T) {
	two, five := "two_rate={main_step: 4}",
		"structure={kind: shear, masses: [1000, 1000, 1000, 1000, 1000], stiffnesses: [1e6, 1e6, 1e6, 1e6, 1e6], damping: "+
			"{modal_ratio: [0.02]}}"
	for _, c := range []struct {
		key    string
		values []string
		sets   []string
	}{
		{"rate_hz", extremeFloats, nil}, {"duration_s", extremeFloats, nil}, {"diverged_m", extremeFloats, nil},
		{"interface_dof", extremeInts, nil}, {"perturbed", extremeInts, nil}, {"seed", extremeInts, nil},
		{"timing.force_delay", extremeInts, nil}, {"timing.command_delay", extremeInts, nil},
		{"two_rate.main_step", extremeInts, []string{two}}, {"two_rate.force_fit", extremeInts, []string{two}},
		{"passivity.max_damping", extremeFloats, nil}, {"passivity.threshold_j", extremeFloats,
			[]string{"passivity={max_damping: 1e4}"}},
		{"reduce.modes", extremeInts, []string{five, "reduce={modes: 2, up_to_hz: 1}"}},
		{"reduce.up_to_hz", extremeFloats, []string{five, "reduce={modes: 2, up_to_hz: 1}"}},
		{"sensors.displacement_noise", extremeFloats, nil}, {"sensors.displacement_gain", extremeFloats, nil},
		{"sensors.displacement_offset", extremeFloats, nil},
		{"sensors.force_noise", extremeFloats, nil}, {"sensors.force_gain", extremeFloats, nil},
		{"sensors.force_offset", extremeFloats, nil},
		{"converters.bits", extremeInts, nil}, {"criteria.spectrum_damping", extremeFloats, nil},
		{"inner_loop.kp", extremeFloats, nil}, {"inner_loop.ki", extremeFloats, nil},
		{"initial_displacement", []string{"[1e308, 1e308]", "[1e-308, -1]", "[]"}, []string{"loop=closed"}},
		{"structure.masses", []string{"[1e308, 1]", "[1e-308, 1]", "[0, 0]", "[-1, 1]", "[]"}, nil},
		{"structure.stiffnesses", []string{"[1e308, 1]", "[1e308, 1e308]", "[1e-308, 1]", "[0, 0]", "[-1, 1]", "[]"}, nil},
		{"structure.damping.modal_ratio", []string{"[1e308]", "[1e-308]", "[-1]", "[]", "[0.1, 0.1, 0.1]"}, nil},
	} {
		t.Run(c.key, func(t *testing.T) {
			for _, x := range c.values {
				wantSound(t, base{text: small, sets: c.sets}, c.key+"="+x)
			}
		})
	}
}

// The same for the parts of a chain.
func TestExtremesInAChain(t *testing.T) {
	for _, chain := range []string{
		"of: [{kind: pe, tau_ms: %s}, {kind: adm2}]", "of: [{kind: linear-acceleration, tau_ms: %s}, {kind: amb}]",
		"of: [{kind: amb}, {kind: fir, coefficients: [%s]}]",
		"of: [{kind: amb}, {kind: pi, kp: %s}]", "of: [{kind: kf}, {kind: zpk, zeros: [[%s, 0]], poles: [[-1, 0]]}]",
		"join: parallel, of: [{kind: amb}, {kind: lqg, error_weight: %s}]",
		"join: parallel, of: [{kind: kf, r_mm2: %s}, {kind: lqg}]",
		"join: parallel, of: [{kind: adm}, {kind: pi, ki: %s, lead_num: [1], lead_den: [1], range_m: 0, quantum_m: 0}]",
	} {
		for _, x := range extremeFloats {
			wantSound(t, base{text: small}, "compensator={kind: chain, "+fmt.Sprintf(chain, x)+"}")
		}
	}
}

// What no test has is refused in words, not run to a wrong end: λ of which double
// precision loses a term, an actuator that the matrix exponential cannot follow, a frame
// without width, a mesh that fills the memory.
func TestExtremesAreRefused(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"integrator={kind: gui, lambda: 1e308}", "lambda 1e+308: want more than 0, from 2.2e-16 to 4.5e+15"},
		{"integrator={kind: gui, lambda: 1e-300}", "lambda 1e-300: want more than 0, from 2.2e-16 to 4.5e+15"},
		{"transfer={kind: second-order, omega_rad_s: 1e9}", "want at most 1.02e+07 rad/s; take transfer kind ideal"},
		{"transfer={kind: first-order, tau_ms: 1e-15}", "take transfer kind ideal for so quick an actuator"},
		{"structure={kind: fe-foundation, elements_x: 400, elements_y: 400}", "in a band of 804"},
	} {
		if _, _, err := attempt(t.Context(), base{text: small}, c.set); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v: want %q", c.set, err, c.want)
		}
	}
	for _, set := range []string{"integrator={kind: gui, lambda: 1e15}", "integrator={kind: gui, lambda: 1e-15}",
		"transfer={kind: second-order, omega_rad_s: 1e7}"} {
		if _, _, err := attempt(t.Context(), base{text: small}, set); err != nil {
			t.Errorf("%s: %v: want a loop", set, err)
		}
	}
}
