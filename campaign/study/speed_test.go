//go:build unix

package study

import (
	"path/filepath"
	"syscall"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/scenario"
)

// processorS is the processor time that the program has taken, s.
func processorS(b *testing.B) float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + 1e-6*float64(t.Usec) }
	return seconds(r.Utime) + seconds(r.Stime)
}

// largestMB is the largest memory that the program has had, MB.
func largestMB(b *testing.B) float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return float64(r.Maxrss) / 1024
}

// 1000 runs of the single-actuator benchmark (El Centro, 41.18 s, the Kalman compensator, all
// criteria) as a study with one worker and with two, against single runs one after the other that
// share nothing but the record: processor time a run. The three take turns, so that a noisy
// machine disturbs all alike. make study-speed prints them.
func BenchmarkThousandRuns(b *testing.B) {
	const runs, turns = 1000, 20
	t := template(b, "benchmark-siso.yaml", "compensator.kind=kf-ning2020")
	bench := NewBench(rthstest.Records(b))
	f := newFile()
	f.Points = runs / turns
	p, err := bench.NewPlan(b.Context(), f, t)
	if err != nil {
		b.Fatal(err)
	}
	var ms [3]float64 // single, one worker, two
	for b.Loop() {
		for range turns {
			for i, way := range []func(){
				func() { single(b, bench, p) }, func() { whole(b, bench, p, 1) }, func() { whole(b, bench, p, 2) },
			} {
				before := processorS(b)
				way()
				ms[i] += 1e3 * (processorS(b) - before) / runs
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ms[0]/float64(b.N), "single-ms/run")
	b.ReportMetric(ms[1]/float64(b.N), "study-ms/run")
	b.ReportMetric(ms[1]/ms[0], "study/single")
	b.ReportMetric(ms[2]/ms[1], "2/1-workers")
	b.ReportMetric(largestMB(b), "MB")
}

// single makes the runs of a plan as rths run does, but that the record is read once.
func single(b *testing.B, bench *Bench, p *Plan) {
	b.Helper()
	shaking, err := p.Base.Scenario.Shake(bench.RecordsDir)
	if err != nil {
		b.Fatal(err)
	}
	for i := range p.Runs() {
		s, err := p.Template.With(p.Settings(i)...)
		if err != nil {
			b.Fatal(err)
		}
		run, err := s.Build(b.Context(), scenario.Options{Shaking: shaking})
		if err != nil {
			b.Fatal(err)
		}
		if err := run.Loop.Run(0, nil); err != nil {
			b.Fatal(err)
		}
		run.Summary()
	}
}

// whole makes the runs of a plan as a study does, with its log and its files.
func whole(b *testing.B, bench *Bench, p *Plan, workers int) {
	b.Helper()
	f, err := Create(filepath.Join(b.TempDir(), "s"), Manifest{Kind: StudyKind}, p)
	if err != nil {
		b.Fatal(err)
	}
	if err := bench.Execute(b.Context(), p, f, Workers(workers), nil); err != nil {
		b.Fatal(err)
	}
	if _, err := f.Finish(p, rths.Completed, "", nil); err != nil {
		b.Fatal(err)
	}
}
