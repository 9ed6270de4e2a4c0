// Package judge judges a test that another program has run: from columns of a
// file it makes the target and the measured displacement of one axis, replays
// them to the criteria a run is judged by, and records them as a run so that
// reports can be made. Units are SI: m, N, s.
package judge

import (
	"fmt"
	"math"

	"rths"
	"rths/criteria"
	"rths/record"
)

// Test is what was recorded of one axis, each sample of an instant. Command and
// Force are nil where there is none.
type Test struct {
	RateHz           float64
	StartS           float64 // time of the first sample
	Target, Measured []float64
	Command, Force   []float64
	Used             []record.Used // the columns, in the order of Roles
}

// Criteria judges the test: J1 to J3 and their kin exactly as a run's, the
// frequency-domain index of the whole record, delays at zero crossings, and the
// energy of force over displacement.
func (t *Test) Criteria() []rths.Value {
	track := criteria.NewTracking(t.RateHz, 0, 1, false)
	t.replay(func(f *rths.Frame) { track.Observe(f) })
	out := track.Summary()
	out = append(out, criteria.NewIndex(t.Target, t.Measured, t.RateHz).Values("")...)
	median, spread := ZeroCrossingDelay(t.Target, t.Measured)
	out = append(out,
		rths.Value{Name: "delay_zero_ms", V: 1e3 * median / t.RateHz, Doc: "median delay of the measured displacement where the target crosses zero; negative leads"},
		rths.Value{Name: "delay_zero_spread_ms", V: 1e3 * spread / t.RateHz, Doc: "half the interquartile range of the delay at zero crossings"})
	if t.Force != nil {
		out = append(out, t.energies()...)
	}
	return out
}

// Notes says what is to be known of the criteria: J1 looks for delays of up to 49
// samples only, however short these are.
func (t *Test) Notes(criteria []rths.Value) []string {
	const most = 49
	for _, v := range criteria {
		if v.Name == "J1_ms" && v.V >= (most-0.5)*1e3/t.RateHz {
			return []string{fmt.Sprintf("J1_ms is at its limit of %d samples, and delay_ms beyond its range: FEI_delay_ms and delay_zero_ms have none", most)}
		}
	}
	return []string{}
}

// energies: the specimen is given ∫F dx of the measured displacement, the
// numerical part reckons with ∫F dx of the target. The difference is what the
// actuator's error adds to the test: π k X² sin φ a cycle of a spring k that
// moves with amplitude X and lags by φ.
func (t *Test) energies() []rths.Value {
	specimen, numerical, peak := work(t.Force, t.Measured), work(t.Force, t.Target), 0.0
	for _, f := range t.Force {
		peak = max(peak, math.Abs(f))
	}
	return []rths.Value{
		{Name: "force_peak_kN", V: peak / 1e3, Doc: "peak measured force"},
		{Name: "work_J", V: specimen, Doc: "work done on the specimen: force over measured displacement"},
		{Name: "work_target_J", V: numerical, Doc: "work the numerical part gives: force over target displacement"},
		{Name: "energy_added_J", V: specimen - numerical, Doc: "energy the tracking error adds to the test: a lag adds, a lead takes"},
	}
}

// work is ∫F dx by the trapezoidal rule.
func work(force, x []float64) float64 {
	sum := 0.0
	for k := 1; k < len(x); k++ {
		sum += (force[k] + force[k-1]) / 2 * (x[k] - x[k-1])
	}
	return sum
}

// frame makes the frame of a test.
func (t *Test) frame() *rths.Frame {
	unknown := math.NaN() // of the ground motion the file says nothing
	f := &rths.Frame{Desired: make([]float64, 1), Read: rths.Reading{Motion: rths.Motion{X: make([]float64, 1)}}, Ground: []float64{unknown, unknown, unknown}}
	if t.Command != nil {
		f.Command = make([]float64, 1)
	}
	if t.Force != nil {
		f.Read.F = make([]float64, 1)
	}
	return f
}

// replay shows the test tick by tick.
func (t *Test) replay(look func(f *rths.Frame)) { t.replayInto(t.frame(), look) }

func (t *Test) replayInto(f *rths.Frame, look func(f *rths.Frame)) {
	for k := range t.Target {
		f.K, f.T = k, t.StartS+float64(k)/t.RateHz
		f.Desired[0], f.Read.X[0] = t.Target[k], t.Measured[k]
		if t.Command != nil {
			f.Command[0] = t.Command[k]
		}
		if t.Force != nil {
			f.Read.F[0] = t.Force[k]
		}
		look(f)
	}
}

// Record leaves the test in a folder like that of a run.
func (t *Test) Record(dir string, m record.Manifest) error {
	m.RateHz, m.Samples = t.RateHz, len(t.Target)
	m.SimulatedS = float64(m.Samples) / t.RateHz
	f := t.frame()
	w, err := record.Create(dir, m, f, nil)
	if err != nil {
		return err
	}
	t.replayInto(f, w.Observe)
	return w.Close(m)
}
