package scenario_test

import (
	"fmt"
	"strings"
	"testing"

	"rths"
	"rths/lab/rig"
	"rths/model/integrate"
	"rths/scenario"
)

// A block external says what it lacks, and other blocks have no use beside it.
func TestExternalRefuses(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"structure.dt_s=0.005",
			"structure: a step of 0.005 s is 5.12 samples at 1024 Hz: real time wants a whole number, as 0.0048828125 s has; or a " +
				"slow pace"},
		{"structure.dt_s=0", "dt_s 0 s: want the step of the analysis"},
		{"pace={kind: ramp-hold, time_scale: 0}", "pace: time_scale 0: want 1 (real time) to 1e6"},
		{"pace={kind: ramp-hold, dt_s: 0.01, time_scale: 2}", "pace.dt_s: has no effect with structure external"},
		{"structure.extrapolate_samples=7", "extrapolation of 7 samples: want 0 to 6"},
		{"structure={kind: external, dt_s: 0.0009765625, extrapolate_samples: 2}",
			"structure: extrapolate_samples 2, and the path holds at its target: want pace continuous"},
		{"structure.protocol=ssl", `protocol "ssl": want tcp or udp`},
		{"structure.dof=0", "dof 0: want 1 to 64"},
		{"structure.dof=65", "dof 65: want 1 to 64"},
		{"structure.units=N-cm", `units "N-cm": want one of N-m, kN-m, N-mm, kN-mm, kip-in, lb-in`},
		{"structure.listen=localhost:8090", `listen "localhost:8090": want an IPv4 address and a port`},
		{"structure.listen='[::1]:8090'", `listen "[::1]:8090": want an IPv4 address and a port`},
		{"structure.listen=8090", `listen "8090": want an IPv4 address and a port`},
		{"structure.allow=[laptop]", `allow "laptop": want IPv4 addresses`},
		{"structure.stiffness=[[1, 2]]", "stiffness of 1 rows: want 1 × 1 numbers"},
		{"timing.target=current", "target current with structure external: want next"},
		{"timing.force_delay=1", "force_delay 1, force_predict 0 with structure external"},
		{"loop=open", "open with structure external"},
		{"ground={kind: sine, duration_s: 1}", "ground: has no effect with structure external"},
		{"integrator.kind=cr", "integrator: has no effect with structure external"},
		{"two_rate={main_step: 4}", "two_rate: has no effect with structure external"},
		{"interface_dof=1", "interface_dof: has no effect with structure external"},
		{"interface=[1, 2]", "2 degrees of freedom, and the element has 1 (structure.dof)"},
		{"duration_s=0", "duration_s: missing: want the longest time of the run"},
		{"indicators.energies=true", "energies: the equations of motion of an external structure are in its analysis"},
		{"criteria.floors=true", "the floors of an external structure are in its analysis"},
	} {
		if err := build(t.Context(), outside, "duration_s=1", c.set); err == nil ||
			!strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%s: %v: want %q", c.set, err, c.want)
		}
	}
	s, err := scenario.Parse("x.yaml", []byte(outside), ".", []string{"duration_s=1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, look := range []func() error{
		func() error { _, err := s.AtRest(t.Context()); return err },
		func() error { _, _, _, _, err := s.Partition(); return err },
	} {
		if err := look(); err == nil || !strings.Contains(err.Error(), "are in another program") {
			t.Errorf("stability: %v: want a refusal", err)
		}
	}
}

// What the block leaves open is filled in, and the filled text is the same test.
func TestExternalFills(t *testing.T) {
	for set, want := range map[string]string{
		"structure.dof=1":                           "8 0 4 [[100000]]",
		"pace={kind: ramp-hold, time_scale: 12.5}":  "100 1 0 [[100000]]",
		"pace={kind: continuous, time_scale: 12.5}": "100 0 50 [[100000]]",
		"structure.extrapolate_samples=2":           "8 0 2 [[100000]]",
		"structure.dof=3":                           "8 0 4 []",
		"structure.stiffness=[[5]]":                 "8 0 4 [[5]]",
		"rate_hz=128":                               "1 1 0 [[100000]]",
	} {
		s, err := scenario.Parse("x.yaml", []byte(outside), ".", []string{"duration_s=1", set})
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Build(t.Context(), scenario.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := r.Scenario.External()
		if got := fmt.Sprintf("%d %d %d %v", r.Path().Samples, r.Path().Ramp, p.Extrapolate, p.Stiffness); got != want {
			t.Errorf("%s: %s: want %s", set, got, want)
		}
		filled, _, err := s.Outside()
		if err != nil || fmt.Sprint(*filled) != fmt.Sprint(*p) {
			t.Errorf("%s: a build fills in %+v, and Outside %+v (%v)", set, *p, *filled, err)
		}
		text, err := r.Scenario.YAML()
		if err != nil {
			t.Fatal(err)
		}
		again, err := scenario.Parse("again", []byte(text), ".", nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if twice, err := again.YAML(); err != nil || twice != text {
			t.Errorf("%s: %v: the text read again is\n%s\nwant\n%s", set, err, twice, text)
		}
		if p.DOF == 3 && (s.Axes() != 3 || r.Loop.Config().Axes != 3) {
			t.Errorf("%d actuators of an element of 3 degrees of freedom", s.Axes())
		}
	}
}

// pushing is an analysis that goes on until it is held.
type pushing struct {
	x    []float64
	n    int
	held bool
	told []float64
}

func (p *pushing) Next(x []float64) (integrate.Arrival, error) {
	p.n++
	for i := range x {
		x[i] = p.x[i] * float64(p.n)
	}
	return integrate.NewTarget, nil
}
func (p *pushing) Answer(now *rths.Reading) { p.told = append(p.told[:0], now.F...) }
func (p *pushing) Hold()                    { p.held = true }

// Two actuators go to their targets together; when one meets its limit the guard acts, and the analysis is held.
func TestExternalTrips(t *testing.T) {
	c := &pushing{x: []float64{1e-3, -2e-3}}
	s, err := scenario.Parse("x.yaml", []byte(outside), ".",
		[]string{"duration_s=20", "structure.dof=2", "transfer={kind: ideal, stroke_m: 0.1, rate_m_s: 2}",
			"limits=[{channel: measured_2_m, trip: 0.0205, action: ramp}]"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Build(t.Context(), scenario.Options{Client: c})
	if err != nil {
		t.Fatal(err)
	}
	err = r.Loop.Run(1, nil)
	status, reason := r.Status(err)
	if status != "tripped" || !strings.Contains(reason, "measured_2_m") || !c.held || c.n != 11 ||
		r.Guard.State() != rig.Tripped {
		t.Errorf("%s, %s: held %t at target %d: want a trip on the way to target 11", status, reason, c.held, c.n)
	}
	if want := []float64{1e-2 * 1e5, -2e-2 * 1e5}; len(c.told) != 2 || c.told[0] != want[0] || c.told[1] != want[1] {
		t.Errorf("the last forces were %v: want %v", c.told, want)
	}
}
