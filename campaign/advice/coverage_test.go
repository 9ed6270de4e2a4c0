package advice

import (
	"os"
	"testing"

	"rths/campaign/study"
	"rths/kit/rthstest"
	"rths/scenario"
)

// further are the trials of candidates under n conditions of a stream that the advice has not seen.
func further(t *testing.T, a *Advice, stream, n int, of []*Candidate) [][]Trial {
	t.Helper()
	out := make([][]Trial, len(of))
	var jobs []job
	var at []int
	for i, c := range of {
		out[i] = make([]Trial, n)
		for k := range n {
			jobs, at = append(jobs, job{c, stream, k}), append(at, i)
		}
	}
	err := a.play(t.Context(), study.Workers(2), "further", a.Template, jobs,
		func(i int, tr Trial) { out[at[i]][jobs[i].i] = tr }, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// covered plays further streams: in how many the score of the recommended method lies in its printed
// interval, and in how many the method is worse than the best default, by the paired interval.
func covered(t *testing.T, a *Advice, rounds int) {
	t.Helper()
	r := a.Result(t.Context())
	if a.Winner == nil {
		t.Logf("%s: no method is good", r.Name)
		return
	}
	of := []*Candidate{a.Winner}
	for _, m := range a.Methods[1:] {
		of = append(of, m.Candidates[0])
	}
	from, to := interval(a.Winner.trials[final])
	in, worse := 0, 0
	for k := range rounds {
		if k == 1 {
			of = of[:1] // the defaults once: they take most of the time
		}
		n := len(a.Winner.trials[final])
		all := further(t, a, streams+k, n, of)
		mine := score(all[0])
		if mine.P90 >= from && mine.P90 <= to {
			in++
		}
		if k > 0 {
			continue
		}
		best := 1
		for i := range all[1:] {
			if score(all[1+i]).compare(score(all[best])) < 0 {
				best = 1 + i
			}
		}
		low, high := a.difference(all[0], all[best], j2At)
		if t.Logf("%s: %s has %.4g %% and %d failures, the best default, %s, %.4g %% and %d of %d; difference %.3g to %.3g",
			r.Name, a.Winner.Name(), mine.P90, mine.Failures, of[best].Name(), score(all[best]).P90, score(all[best]).Failures,
			n, low, high); low > 0 {
			worse++
		}
	}
	t.Logf("%s: %s, %d of %d further scores lie in %.4g to %.4g", r.Name, a.Winner.Name(), in, rounds, from, to)
	if in*10 < 9*rounds {
		t.Errorf("%s: %d of %d further scores lie in the printed interval, %.4g to %.4g: want 9 of 10", r.Name, in, rounds,
			from, to)
	}
	if worse > 0 {
		t.Errorf("%s: %s is worse than the best default", r.Name, a.Winner.Name())
	}
}

// frame is a frame of three storeys at 1024 Hz with an actuator that lags by 15 ms.
const frame = `
name: a frame at 1024 Hz, lag of 15 ms
rate_hz: 1024
ground: {record: elcentro, scale: 0.5}
timing: {target: next}
structure: {kind: shear, masses: [20000, 20000, 18000], stiffnesses: [2.4e7, 2.0e7, 1.6e7], damping: {modal_ratio: ` +
	`[0.03]}}
integrator: {kind: newmark-explicit}
specimen: {kind: linear, mass: 500, damping: 4e4, stiffness: 8e6}
transfer: {kind: second-order, omega_rad_s: 100, damping_ratio: 0.75, stroke_m: 0.1, rate_m_s: 2}
scatter:
  transfer.omega_rad_s: {kind: normal, mean: 100, sd: 4}
  transfer.damping_ratio: {kind: normal, mean: 0.75, sd: 0.03}
  specimen.stiffness: {kind: normal, mean: 8e6, sd: 4e5}
sensors: {displacement_noise: 1e-5, force_noise: 50}
compensator: {kind: pe}
`

// On further streams the score lies in its printed interval at least 9 times in 10, and the
// recommended method is not worse than the best default. make advise-coverage takes whole
// scenarios and 40 streams.
func TestCoverage(t *testing.T) {
	if os.Getenv("RTHS_ADVISE") == "" {
		rthstest.Full(t) // TestIntervalCovers tries the interval on drawn numbers
		a := quick(asked(t, firstOrder))
		advised(t, a, study.Workers(2))
		covered(t, a, 10)
		return
	}
	rthstest.Records(t)
	records := os.Getenv("RTHS_RECORDS")
	templates := []*scenario.Template{
		template(t, frame),
		rthstest.Must(scenario.LoadTemplate("../../scenarios/wang2020-sdof.yaml", "", nil)),
		rthstest.Must(scenario.LoadTemplate("../../scenarios/demo.yaml", "", nil)),
		rthstest.Must(scenario.LoadTemplate("../../scenarios/benchmark-multiaxial.yaml", "", nil)),
	}
	for i, with := range templates {
		a := rthstest.Must(New(t.Context(), study.NewBench(records),
			Question{Template: with, Seed: 1, GoodPct: DefaultGoodPct}))
		if err := a.Allot(DefaultRuns); err != nil {
			t.Fatal(err)
		}
		if err := a.Run(t.Context(), study.Workers(2), nil); err != nil {
			t.Fatal(err)
		}
		covered(t, a, 40>>(i/3)) // the last has 80 ms a run
	}
}
