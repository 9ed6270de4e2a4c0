package page

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/method/learn"
	"rths/result/record"
	"rths/scenario"
)

const limitedScenario = `name: limited
rate_hz: 256
ground: {kind: sine, frequency_hz: 2, amplitude_m_s2: 1, duration_s: 2}
structure: {kind: shear, masses: [1000], stiffnesses: [1e6], damping: {modal_ratio: [0.02]}}
specimen: {kind: linear, mass: 10, damping: 100, stiffness: 1e5}
transfer: {kind: second-order, stroke_m: 0.05, rate_m_s: 0.5}
compensator: {kind: none}
limits:
- {channel: measured_m, trip: 0.02, warn: 0.01, action: ramp}
- {channel: command_rate_m_s, trip: 0.25, action: stop}
- {channel: force_N, trip: 12500, action: hold}
- {channel: age, trip: 4, action: hold}
- {channel: sw_pct, trip: 30, action: ramp}
- {channel: energy_residual_J, trip: 5, action: indicate}
- {channel: non_finite, action: stop}
`

// limited is a test of two actuators with one load cell, an indicator, an energy, a parameter
// and a column that nobody draws.
func limited(t *testing.T) *Test {
	m := &record.Manifest{Name: "limited", RateHz: 256, Scenario: limitedScenario, Folder: t.TempDir()}
	m.Columns = []record.Column{
		{Name: "target_1_m"}, {Name: "target_2_m"}, {Name: "command_1_m"}, {Name: "command_2_m"}, {Name: "measured_1_m"},
		{Name: "measured_2_m"},
		{Name: "force_N"}, {Name: "guard_command_1_m"}, {Name: "sw_pct", Unit: "%", Source: "channel"},
		{Name: "energy_input_J", Unit: "J", Source: "channel"},
		{Name: "a0", Unit: "-", Source: "channel"}, {Name: "other", Unit: "m", Source: "channel"},
		{Name: "sw_pct", Unit: "%", Source: "frame"}, {Name: "work_J", Unit: "J", Source: "frame"},
	}
	return &Test{Manifest: m, Samples: 512, Parameters: []scenario.Parameter{{Name: "a0", Upper: new(2.0)}}}
}

// Every quantity has the place, the unit and the scale of its column; those of an actuator that shares a load cell have
// this cell's force; what the guard sends stands in place of the command, where the record has it.
func TestQuantities(t *testing.T) {
	a := rthstest.Must(newAbout(limited(t)))
	var want []Quantity
	for i, command := range []int{7, 3} {
		want = append(want,
			Quantity{Name: "target", Unit: "mm", Panel: "displacement", Axis: i, scale: 1000, place: i},
			Quantity{Name: "command", Unit: "mm", Panel: "displacement", Axis: i, scale: 1000, place: command},
			Quantity{Name: "measured", Unit: "mm", Panel: "displacement", Axis: i, scale: 1000, place: 4 + i},
			Quantity{Name: "error", Unit: "mm", Panel: "error", Axis: i, scale: 1000, place: -1},
			Quantity{Name: "delay", Unit: "ms", Panel: "delay", Axis: i, scale: 1, place: -1},
			Quantity{Name: "amplitude", Unit: "%", Panel: "amplitude", Axis: i, scale: 100, place: -1},
			Quantity{Name: "force", Unit: "kN", Panel: "force", Axis: i, scale: 0.001, place: 6})
	}
	want = append(want,
		Quantity{Name: "sw", Unit: "%", Panel: "indicators", scale: 1, place: 8},
		Quantity{Name: "energy_input", Unit: "J", Panel: "energies", scale: 1, place: 9},
		Quantity{Name: "a0", Unit: "-", Panel: "parameters", Upper: new(2.0), scale: 1, place: 10})
	if !reflect.DeepEqual(a.Quantities, want) {
		t.Errorf("quantities\n%+v\nwant\n%+v", a.Quantities, want)
	}
	pairs := []Pair{{0, 2, "sync", 0}, {2, 6, "hysteresis", 0}, {7, 9, "sync", 1}, {9, 13, "hysteresis", 1}}
	if !slices.Equal(a.Pairs, pairs) || a.Axes != 2 || a.Linked {
		t.Errorf("pairs %+v of %d axes, linked %t: want %+v of 2, not linked", a.Pairs, a.Axes, a.Linked, pairs)
	}

	short := limited(t)
	short.Manifest.Columns = slices.Delete(short.Manifest.Columns, 3, 4)
	_, err := newAbout(short)
	rthstest.WantError(t, err, "the record has no column command_2_m")
}

// Actuators beyond the last load cell share it; where there is none, there is no force and no hysteresis.
func TestForcesOfAQuantity(t *testing.T) {
	for cells, want := range map[int][]int{0: nil, 2: {9, 10, 10}, 3: {9, 10, 11}} {
		of := limited(t)
		of.Manifest.Columns = nil
		for _, name := range []string{"target_%d_m", "command_%d_m", "measured_%d_m"} {
			for i := range 3 {
				of.Manifest.Columns = append(of.Manifest.Columns, record.Column{Name: fmt.Sprintf(name, i+1)})
			}
		}
		for i := range cells {
			of.Manifest.Columns = append(of.Manifest.Columns, record.Column{Name: fmt.Sprintf("force_%d_N", i+1)})
		}
		a := rthstest.Must(newAbout(of))
		var got []int
		for _, q := range a.Quantities {
			if q.Panel == "force" {
				got = append(got, q.place)
			}
		}
		loops := slices.DeleteFunc(a.Pairs, func(p Pair) bool { return p.Panel != "hysteresis" })
		if !slices.Equal(got, want) || len(loops) != len(want) {
			t.Errorf("%d load cells: forces from columns %d, %d hystereses: want %d", cells, got, len(loops), want)
		}
	}
}

// A kind has as many columns as have a number after its name, or one without a number. A gap ends them.
func TestCount(t *testing.T) {
	for want, names := range map[int][]string{
		0: {"time_s", "force_true_N"}, 1: {"force_N"}, 2: {"force_1_N", "force_2_N", "force_N", "force_4_N"},
	} {
		at := map[string]int{}
		for i, name := range names {
			at[name] = i
		}
		if got := count(at, "force", "N"); got != want {
			t.Errorf("%q: %d load cells: want %d", names, got, want)
		}
	}
	one := map[string]int{"force_1_N": 0}
	if got := count(one, "force", "N"); got != 1 {
		t.Errorf("%d load cells: want 1", got)
	}
}

// Limits are shown in units of the page, and all in words.
func TestLimitsInWords(t *testing.T) {
	a := rthstest.Must(newAbout(limited(t)))
	limits := []Limit{
		{Channel: "measured_m", Warn: 10, Trip: 20, Unit: "mm", Action: "ramp", Name: "measured", scale: 1000},
		{Channel: "command_rate_m_s", Trip: 250, Unit: "mm/s", Action: "stop", Name: "command rate", scale: 1000},
		{Channel: "force_N", Trip: 12.5, Unit: "kN", Action: "hold", Name: "force", scale: 0.001},
		{Channel: "age", Trip: 4, Unit: "samples", Action: "hold", Name: "age", scale: 1},
		{Channel: "sw_pct", Trip: 30, Unit: "%", Action: "ramp", Name: "sw", scale: 1},
		{Channel: "energy_residual_J", Trip: 5, Unit: "J", Action: "indicate", Name: "energy residual", scale: 1},
	}
	if !slices.Equal(a.Limits, limits) {
		t.Errorf("limits\n%+v\nwant\n%+v", a.Limits, limits)
	}
	rules := []string{
		"measured at most 20 mm, then ramp", "command rate at most 250 mm/s, then stop", "force at most 12.5 kN, then hold",
		"age at most 4 samples, then hold",
		"sw at most 30 %, then ramp", "energy residual at most 5 J, then indicate", "a value that is not finite: stop",
	}
	if !slices.Equal(a.Rules, rules) {
		t.Errorf("rules\n%q\nwant\n%q", a.Rules, rules)
	}

	for channel, want := range map[string]string{"command_rate_m_s": "command rate", "acc_m_s2": "acc",
		"lever_N_m": "lever N", "age": "age"} {
		if got, _ := plain(channel); got != want {
			t.Errorf("%s in words is %q: want %q", channel, got, want)
		}
	}
	b := About{}
	b.limits(&scenario.Scenario{Limits: []scenario.Limit{{Channel: "error_m", Warn: 0.002},
		{Channel: "force_N", Warn: 3e3, Trip: math.Inf(1)}}})
	if want := []string{"error: warning at 2 mm", "force: warning at 3 kN"}; !slices.Equal(b.Rules, want) ||
		b.Limits != nil {
		t.Errorf("limits without a level: %q and %+v: want %q and none with a level", b.Rules, b.Limits, want)
	}
}

// The page says what goes on without its program, whose test it is, and what was checked.
func TestAboutSaysWhoseTestItIs(t *testing.T) {
	virtual := limited(t)
	virtual.Virtual = true
	v := rthstest.Must(newAbout(virtual))
	if v.Banner != "VIRTUAL" || v.Watchdog != "none: the rig is simulated in this process" ||
		v.Alone != "loop and page are one process: nothing goes on without it" || v.Tested {
		t.Errorf("a virtual run: %q, %q, %q, tested %t", v.Banner, v.Watchdog, v.Alone, v.Tested)
	}
	real := limited(t)
	real.WatchdogS, real.SilentS, real.Folder = 0.5, 2.5, "runs/1"
	number := func(v float64) record.Number { return record.Number(v) }
	real.Manifest.Test = &record.Test{Checks: []record.Check{
		{Name: "gain", Value: number(0.98), Compare: "≤", Limit: number(1.1), Unit: "-", OK: true},
		{Name: "noise", Value: number(0.25), Limit: number(math.NaN()), Unit: "mm", Text: "at rest"},
		{Name: "far", Value: number(1), Compare: "≤", Limit: number(math.Inf(1)), OK: true, Warn: true},
	}}
	r := rthstest.Must(newAbout(real))
	if r.Banner != "the laboratory" || r.Watchdog != "the rig goes to safety by itself after 0.5 s without commands" ||
		r.Alone != "after 2.5 s without supervisor the loop ramps down, holds, and ends" || !r.Tested ||
		r.Folder != "runs/1" {
		t.Errorf("a test: %q, %q, %q, tested %t, %q", r.Banner, r.Watchdog, r.Alone, r.Tested, r.Folder)
	}
	want := `[{"name":"gain","value":0.98,"compare":"≤","limit":1.1,"unit":"-","ok":true},` +
		`{"name":"noise","value":0.25,"compare":"","limit":null,"unit":"mm","text":"at rest","ok":false},` +
		`{"name":"far","value":1,"compare":"≤","limit":null,"ok":true,"warning":true}]`
	if checks := string(rthstest.Must(json.Marshal(r.Checks))); checks != want {
		t.Errorf("checks %s: want %s", checks, want)
	}
	real.Laboratory = "Halle 3"
	if r := rthstest.Must(newAbout(real)); r.Banner != "Halle 3" {
		t.Errorf("banner %q: want the laboratory's name", r.Banner)
	}
}

// A learned parameter knows the quantity that is its standard deviation; what is counted beside it has no plot.
func TestLearnedQuantities(t *testing.T) {
	of := limited(t)
	n := len(of.Manifest.Columns)
	of.Manifest.Columns = append(of.Manifest.Columns, record.Column{Name: "learn1_k", Unit: "N/m"},
		record.Column{Name: "learn1_k_sd", Unit: "N/m"},
		record.Column{Name: "learn1_fell_back", Unit: "-", Meaning: rths.Meaning{Quantity: learn.FellBackName}})
	of.Parameters = []scenario.Parameter{{Name: "learn1_k", Lower: new(1.0), Upper: new(2.0), SD: "learn1_k_sd"},
		{Name: "learn1_fell_back"}}
	got := rthstest.Must(newAbout(of)).Quantities
	got, before := got[len(got)-3:], len(got)-3
	want := []Quantity{
		{Name: "learn1_k", Unit: "N/m", Panel: "parameters", Lower: new(1.0), Upper: new(2.0), SD: before + 1, scale: 1, place: n},
		{Name: "learn1_k_sd", Unit: "N/m", Panel: "band", scale: 1, place: n + 1},
		{Name: "learn1_fell_back", Unit: "-", Panel: "flags", scale: 1, place: n + 2}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("quantities\n%+v\nwant\n%+v", got, want)
	}
}
