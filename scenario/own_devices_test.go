package scenario

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// ownDeviceText is a frame with two dampers of the user's own. The modules are copied beside it.
const ownDeviceText = `name: own
rate_hz: 1024
timing: {target: next}
ground: {kind: clough-penzien, duration_s: 4, pga_g: 0.3}
structure:
  kind: shear
  masses: [1000, 1000, 1000]
  stiffnesses: [4e5, 3e5, 2e5]
  damping: {modal_ratio: [0.02]}
devices:
  - {kind: wasm, file: device.wasm, between: [[0, 1], [1, 2]], parameters: {damping: 2000, exponent: 0.5}}
integrator: {kind: cr}
specimen: {kind: linear, mass: 10, damping: 100, stiffness: 1e5}
transfer: {kind: ideal}
indicators: {energies: true}
limits: none
`

// drifts are the displacements of a run, and what it says at its end.
func drifts(t *testing.T, s *Scenario) (x []float64, r *Run) {
	t.Helper()
	r = rthstest.Must(s.Build(t.Context(), Options{}))
	r.Loop.Attach(motionsSeen{&x})
	if err := r.Loop.Run(0, nil); err != nil {
		t.Fatal(err)
	}
	return x, r
}

type motionsSeen struct{ all *[]float64 }

func (m motionsSeen) Observe(f *rths.Frame) { *m.all = append(*m.all, f.Num.X...) }

// A law from a module moves a frame as the same law of the table does.
func TestOwnDeviceIsItsTwin(t *testing.T) {
	dir := ownFolder(t)
	for _, laws := range [][2]string{
		{"kind: wasm, file: device.wasm, parameters: {damping: 2000, exponent: 0.5, linear_below: 0.01, stiffness: 1e4}",
			"kind: viscous-damper, damping: 2000, exponent: 0.5, linear_below: 0.01, stiffness: 1e4"},
		{"kind: wasm, file: maxwell.wasm, parameters: {damping: 2000, exponent: 0.5, stiffness: 2e5}",
			"kind: maxwell, damping: 2000, exponent: 0.5, stiffness: 2e5"},
	} {
		for _, sets := range [][]string{
			{"integrator.kind=cr"}, {"integrator.kind=rk4"}, {"integrator.kind=newmark-explicit"},
			{"integrator.kind=average-acceleration", "timing.target=current"},
			{"two_rate={main_step: 4, predictor: {kind: none}}", "timing.target=current"},
		} {
			of := func(law string) ([]float64, *Run) {
				return drifts(t, rthstest.Must(Parse("own.yaml", []byte(ownDeviceText), dir,
					append(sets[:len(sets):len(sets)], "devices=[{"+law+", between: [[0, 1], [1, 2]]}]"))))
			}
			got, run := of(laws[0])
			want, other := of(laws[1])
			most := 0.0
			for i := range want {
				most = max(most, math.Abs(want[i]))
			}
			for i := range want {
				if !(math.Abs(got[i]-want[i]) <= 1e-12*most) {
					t.Fatalf("%s, %q: %g m at value %d: want %g; the largest is %g m", laws[0], sets, got[i], i, want[i], most)
				}
			}
			rthstest.Near(t, laws[0]+": J4", resultOf(run, "J4_pct"), resultOf(other, "J4_pct"), 1e-6)
		}
	}
}

// The module is among the inputs, read once by runs that share; and the text that a run writes of itself is the same run.
func TestOwnDeviceFromFile(t *testing.T) {
	dir := ownFolder(t)
	s := rthstest.Must(Parse("own.yaml", []byte(ownDeviceText), dir, nil))
	run, want := play(t, s, Options{})
	if n := len(run.Inputs); n != 1 || run.Inputs[0].File != filepath.Join(dir, "device.wasm") {
		t.Errorf("inputs %v: want the module", run.Inputs)
	}
	shared := NewShared()
	for range 2 {
		again, got := play(t, s, Options{Shared: shared})
		sameBits(t, "shared", got, want)
		if len(again.Inputs) != 1 {
			t.Errorf("inputs %v of a run that shares: want the module", again.Inputs)
		}
	}
	text := rthstest.Must(run.Scenario.YAML())
	if !strings.Contains(text, "damping: 2000") || !strings.Contains(text, "linear_below: 0.001") {
		t.Errorf("resolved text without all parameters:\n%s", text)
	}
	_, got := play(t, rthstest.Must(Parse("resolved", []byte(text), dir, nil)), Options{})
	sameBits(t, "resolved", got, want)
}

// Errors stand at their keys.
func TestOwnDeviceErrors(t *testing.T) {
	dir := ownFolder(t)
	device := func(keys string) string { return "devices=[{kind: wasm, between: [[0, 1]], " + keys + "}]" }
	for _, c := range []struct{ set, want string }{
		{"devices=[{kind: wasm, between: [[0, 1]]}]", "devices[1]: file is missing: want the path of a module"},
		{device("file: none.wasm"), "devices[1].file: open " + dir + "/none.wasm: no such file"},
		{device("file: template.wasm"), "devices[1].file: template.wasm: no function force is exported"},
		{device("file: at_rest.wasm"), "devices[1].file: at_rest.wasm: a force of 12 N at rest: want 0"},
		{device("file: traps_at_once.wasm"), "devices[1].file: traps_at_once.wasm: force(0, 0.3) traps"},
		{device("file: device.wasm, parameters: {c: 3}"), "devices[1].parameters.c: no such parameter of device.wasm"},
		{device("file: device.wasm, parameters: {exponent: 3}"),
			"devices[1].parameters.exponent: 3, which device.wasm refuses: want more than 0, at most 2"},
		{device("file: device.wasm, parameters: {damping: 1e4, linear_below: 1e-12}"),
			"device 1 with a damping of up to 1.414e+07 N·s/m"},
		{device("file: device.wasm, learn: {parameters: {damping: [1e4, 1e6]}}"),
			"devices[1].learn.parameters.damping: cannot be learned: a device of this kind has no numbers that can; want another"},
		{"specimen={kind: wasm, file: device.wasm}", `specimen: kind "wasm", a kind of compensator: want one of linear`},
	} {
		s, err := Parse("own.yaml", []byte(ownDeviceText), dir, []string{c.set})
		if err == nil {
			_, err = s.Build(t.Context(), Options{})
		}
		rthstest.WantError(t, err, c.want)
	}
	s := rthstest.Must(Parse("own.yaml", []byte(ownDeviceText), dir, nil))
	const want = "own.yaml:11:6: devices[1]: kind wasm runs in virtual runs only"
	rthstest.WantError(t, s.WantVirtual(), want)
	_, err := s.Build(t.Context(), Options{Rig: &deaf{}})
	rthstest.WantError(t, err, want)
}

// A law that fails ends the run, and the reason names the device.
func TestOwnDeviceFails(t *testing.T) {
	dir := ownFolder(t)
	for _, sets := range [][]string{
		{"integrator.kind=cr"}, {"integrator.kind=rk4"}, {"integrator.kind=average-acceleration", "timing.target=current"},
		{"two_rate={main_step: 4, predictor: {kind: none}}", "timing.target=current"},
	} {
		for file, why := range map[string]string{
			"force_traps.wasm": "traps: integer divide by zero", "force_not_a_number.wasm": "is NaN N: want a finite number",
			"rate_traps.wasm": "traps: integer divide by zero",
		} {
			keys := ", parameters: {stiffness: 1000}"
			if file == "rate_traps.wasm" {
				keys = ""
			}
			r := rthstest.Must(rthstest.Must(Parse("own.yaml", []byte(ownDeviceText), dir,
				append(sets[:len(sets):len(sets)], "ground.pga_g=3", "diverged_m=10", "indicators.energies=false", "devices=[{kind: viscous-damper, damping: 10, between: [[0, 1]]}, "+
					"{kind: wasm, file: "+file+keys+", between: [[0, 2]]}]"))).Build(t.Context(), Options{}))
			status, reason := r.Status(r.Loop.Run(0, nil))
			if status != rths.Failed || !strings.Contains(reason, "integrator at t = ") ||
				!strings.Contains(reason, "device 2: "+file+": ") || !strings.Contains(reason, why) {
				t.Errorf("%s, %q: %s: %s", file, sets, status, reason)
			}
		}
	}
}

// So does a law that fails before, in the reference response that energies need.
func TestOwnDeviceFailsInTheReference(t *testing.T) {
	s := rthstest.Must(Parse("own.yaml", []byte(ownDeviceText), ownFolder(t), []string{"ground.pga_g=3", "devices[1].file=rate_traps.wasm",
		"devices[1].parameters={}"}))
	_, err := s.Build(t.Context(), Options{})
	rthstest.WantError(t, err, "devices: in the reference response: device 1: rate_traps.wasm: rate(-0.60")
}

func TestTableOfOwnDevices(t *testing.T) { rthstest.Keeps(t, rthstest.Table(ownDevices)) }

func TestTableOfCouplers(t *testing.T) { rthstest.Keeps(t, rthstest.Table(couplers)) }
