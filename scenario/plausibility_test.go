package scenario_test

import (
	"fmt"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/method/stability"
	"rths/scenario"
	"rths/scenarios"
)

// Tests whose plant scatters as published are plausible beside a rehearsal of the nominal plant: silva2020 and marths
// scatter by themselves, wang2020-sdof by its block, the others by ten per cent in stiffness and actuator.
func TestSoundTestsArePlausible(t *testing.T) {
	rthstest.Long(t)
	draws := rthstest.Draws(9, 200)
	shaken := "ground={kind: clough-penzien, duration_s: 8, pga_g: 0.1, onset_s: 0.5}"
	for _, of := range []struct {
		file string
		sets []string
	}{
		{"benchmark-siso.yaml", []string{shaken}},
		{"benchmark-siso.yaml", []string{shaken, "structure.case=2", "compensator={kind: amb}"}},
		{"benchmark-siso.yaml", []string{shaken, "structure.case=4", "compensator={kind: adm3}"}},
		{"benchmark-multiaxial.yaml", []string{shaken}},
		{"wang2020-sdof.yaml", []string{shaken}},
		{"nonlinear-a.yaml", []string{shaken}},
		{"nonlinear-c.yaml", []string{shaken}},
		{"", []string{shaken, "scatter={specimen.stiffness: {kind: normal, mean: 1e5, sd: 1e4}}",
			"specimen={kind: linear, mass: 20, damping: 300, stiffness: 1e5}"}},
		{"", []string{shaken, "ground.pga_g=0.3", "scatter={specimen.stiffness: {kind: normal, mean: 2e5, sd: 2e4}}",
			"specimen={kind: bilinear, stiffness: 2e5, yield_displacement: 0.002}"}},
	} {
		text := small
		if of.file != "" {
			text = string(rthstest.Must(scenarios.Files.ReadFile(of.file)))
		}
		name := fmt.Sprint(of.file, of.sets)
		var before []stability.Rehearsed
		for n := range 1 + (draws+8)/9 {
			r, x, f := measured(t, text, append(of.sets, fmt.Sprintf("perturbed=%d", n))...)
			if n == 0 {
				before = stability.Rehearse(r.Scenario.RateHz, x, f)
				if len(before) == 0 && len(x) == len(f) {
					t.Errorf("%s: nothing rehearsed", name)
				}
			}
			p := stability.NewPlausibility(r.Scenario.RateHz, len(x))
			p.SetRehearsed(before)
			replayed(p, r.Scenario.RateHz, x, f)
			for _, i := range p.Found() {
				t.Errorf("%s, plant %d: %s; rehearsed %+v", name, n, i.Text, before)
			}
		}
	}
}

// measured runs a scenario and keeps what is measured of every axis.
func measured(t *testing.T, text string, sets ...string) (r *scenario.Run, x, f [][]float64) {
	t.Helper()
	r = built(t, text, sets...)
	for !r.Loop.Done() {
		if err := r.Loop.Step(); err != nil {
			t.Fatalf("%v: %v", sets, err)
		}
		read := &r.Loop.Frame().Read
		if x == nil {
			x, f = make([][]float64, len(read.X)), make([][]float64, len(read.F))
		}
		for i, v := range read.X {
			x[i] = append(x[i], v)
		}
		for i, v := range read.F {
			f[i] = append(f[i], v)
		}
	}
	return r, x, f
}

// replayed gives a record to an observer.
func replayed(p *stability.Plausibility, rateHz float64, x, f [][]float64) {
	frame := rths.Frame{Read: rths.NewReading(len(x), len(f))}
	for k := range x[0] {
		frame.K, frame.T = k, float64(k)/rateHz
		for i := range x {
			frame.Read.X[i] = x[i][k]
		}
		for i := range f {
			frame.Read.F[i] = f[i][k]
		}
		p.Observe(&frame)
	}
}

// A limit on the channel acts, by the action that the scenario gives it, and the channel is
// there without a rehearsal too.
func TestImplausibleActs(t *testing.T) {
	limits := "limits=[{channel: implausible_pct, warn: 50, trip: 100, action: hold}]"
	long := "ground.duration_s=5"
	_, x, f := measured(t, small, long)
	if r := built(t, small, long, limits); r.Plausibility == nil || r.Loop.Run(0, nil) != nil {
		t.Error("a virtual run with the limit does not run")
	}
	s := rthstest.Must(parse(small, long, limits, "faults=[{kind: reversed, channel: force_N, from_s: 1.5}]"))
	r := rthstest.Must(s.Build(t.Context(), scenario.Options{Rehearsed: true}))
	r.Plausibility.SetRehearsed(stability.Rehearse(s.RateHz, x, f))
	status, reason := r.Status(r.Loop.Run(0, nil))
	if status != "tripped" || !strings.Contains(reason, "implausible_pct is 1") {
		t.Errorf("%s, %s: want a hold", status, reason)
	}
	if found := r.Plausibility.Found(); len(found) == 0 || found[0].T < 1.5 ||
		!strings.Contains(found[0].Text, "another sign") {
		t.Errorf("found %+v: want a reversed force", found)
	}
	// Without a limit of the scenario the channel only makes an event.
	s = rthstest.Must(parse(small, long, "faults=[{kind: reversed, channel: force_N, from_s: 1.5}]"))
	r = rthstest.Must(s.Build(t.Context(), scenario.Options{Rehearsed: true}))
	r.Plausibility.SetRehearsed(stability.Rehearse(s.RateHz, x, f))
	if status, _ := r.Status(r.Loop.Run(0, nil)); status != "completed" || len(r.Guard.Events()) == 0 ||
		r.Guard.Events()[0].Action != "indicate" {
		t.Errorf("%s, events %+v: want an event alone", status, r.Guard.Events())
	}
}
