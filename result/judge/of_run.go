package judge

import (
	"errors"
	"math"
	"strings"

	"rths"
	"rths/result/record"
	"rths/scenario"
)

// OfRun is what control errors did to the damping of a run; nil: as of DampingOf.
func OfRun(a *record.Archive) *Damping {
	t := &Test{RateHz: a.RateHz}
	axes := 0
	for a.Has(rths.ColumnName("target", "m", axes, 2)) {
		axes++
	}
	for i := range max(axes, 1) {
		of := func(quantity, unit string) record.Signal {
			s, _ := a.Signal(rths.ColumnName(quantity, unit, i, max(axes, 1)))
			return s
		}
		if of("target", "m").None() || of("measured", "m").None() {
			return nil
		}
		t.Axes = append(t.Axes, Axis{Target: of("target", "m"), Measured: of("measured", "m"), Force: of("force", "N")})
	}
	if s, ok := a.Signal("time_s"); ok && s.Len() > 0 {
		t.StartS = s.At(0)
	}
	return t.DampingOf(a)
}

// DampingOf is what control errors did to the damping of a test that is the record of a run; nil: its numerical part
// is not known as dense matrices, or actuators do not each move a coordinate of it.
func (t *Test) DampingOf(a *record.Archive) *Damping {
	if a.Scenario == "" || strings.HasPrefix(a.Scenario, record.JudgedFrom) || !(t.RateHz > 0) {
		return nil
	}
	s, err := scenario.ParseResolved("", []byte(a.Scenario), a.Folder, nil)
	if err != nil || s.Coupler.Given() { // of another version: its criteria stand by themselves
		return nil
	}
	p, _, _, _, err := s.Partition()
	if err != nil && !errors.As(err, new(*scenario.NoTangent)) || p == nil || p.Sparse != nil {
		return nil
	}
	t = t.during(a)
	if s.Slow() {
		if t = t.perStep(a, s.StepHz()); t == nil {
			return nil
		}
	}
	return t.AddedDamping(p)
}

// Slow reports whether a record is of a slow test, whose numerical part steps more seldom than its loop.
func Slow(a *record.Archive) bool {
	_, ok := a.Signal("structure_time_s")
	return ok
}

// perStep is a slow test with a sample for each step of the structure, whose rate is stepHz: the readings that it went
// on from, without the ways and holds between them. nil: the record does not say when steps begin, as where another
// program makes them.
func (t *Test) perStep(a *record.Archive, stepHz float64) *Test {
	at, ok := a.Signal("structure_time_s")
	if !ok {
		return nil
	}
	return t.steps(at.From(int(math.Round(t.StartS*t.RateHz))), stepHz)
}

// steps are the samples at which the time of the structure goes on.
func (t *Test) steps(at record.Signal, stepHz float64) *Test {
	var rows []int
	for k := range t.Samples() {
		if k == 0 || at.At(k) != at.At(k-1) {
			rows = append(rows, k)
		}
	}
	out := &Test{RateHz: stepHz}
	for _, x := range t.Axes {
		for _, s := range []*record.Signal{&x.Target, &x.Measured, &x.Force} {
			if whole := *s; !whole.None() {
				*s = record.SignalBy(len(rows), func(k int) float64 { return whole.At(rows[k]) })
			}
		}
		out.Axes = append(out.Axes, x)
	}
	return out
}

// inRun is the phase of a test in the laboratory that is the run.
const inRun = 2

// during is the test without the rows before and after its run, which a test in the laboratory has, too.
func (t *Test) during(a *record.Archive) *Test {
	phase, ok := a.Signal("phase")
	if !ok {
		return t
	}
	from, to := 0, min(t.Samples(), phase.Len())
	for from < to && phase.At(from) != inRun {
		from++
	}
	for to > from && phase.At(to-1) != inRun {
		to--
	}
	out := &Test{RateHz: t.RateHz, StartS: t.StartS + float64(from)/t.RateHz}
	for _, x := range t.Axes {
		for _, s := range []*record.Signal{&x.Target, &x.Measured, &x.Force} {
			if !s.None() {
				*s = s.From(from).First(to - from)
			}
		}
		out.Axes = append(out.Axes, x)
	}
	return out
}
