// Package ground holds ground motions: it reads, scales, cuts, pads, resamples
// and synthesises the horizontal acceleration a_g(t) that loads a structure
// through -M·ι·a_g.
//
// Inside, everything is SI: acceleration in m/s², time in s. Units are
// converted where a file is read (see StandardGravity for the meaning of g).
// A Motion is uniformly sampled and linear between its samples; it is not
// meant for displacement- or velocity-controlled support motion, and nothing
// here corrects baselines or filters records.
package ground

import "math"

// StandardGravity is the g of this package in m/s²: the standard value of the
// 3rd CGPM (1901). It converts files in g and the key pga_g. Some publications
// use 9.81 instead: the single-actuator benchmark quotes 0.319565 g for a peak
// of 3.13493 m/s², which is 0.319674 g here (0.034 % more). Give a factor
// instead of a PGA where a published run has to be repeated exactly.
const StandardGravity = 9.80665

// Limits on motions. They keep a damaged file or a
// mistyped duration from filling the memory.
const (
	maxSamples = 1 << 23         // 2048 s at 4096 Hz, 11 hours at 200 Hz; 64 MB
	maxFile    = 64 * maxSamples // bytes: no line of a sample is longer; 537 MB
	minStep    = 1e-7            // s
	maxStep    = 1.0             // s; above it the times are probably not in seconds
)

// Motion is a ground acceleration sampled with a uniform step.
type Motion struct {
	Name      string // for people: the record's or the kind's name
	Station   string // where it was recorded, if the file says so, else ""
	Component string // channel or direction, in the file's words, else ""
	Event     string // the earthquake, in the file's words, else ""

	Understood string   // how a text was read, "" of other files
	Notes      []string // units that neither the file nor the caller stated, and what was assumed
	unstated   bool     // no unit of acceleration was stated
	title      string   // of the column of accelerations, "" where the file has none

	T0 float64   // time of the first sample in the source, s; a run starts at the first sample whatever T0
	Dt float64   // time step, s
	A  []float64 // acceleration, m/s², at T0 + i·Dt
}

// Duration is the time from the first to the last sample, (len(A)−1)·Dt, in s.
func (m Motion) Duration() float64 { return float64(max(len(m.A)-1, 0)) * m.Dt }

// PGA is the peak ground acceleration max|A|, in m/s².
func (m Motion) PGA() float64 {
	peak := 0.0
	for _, a := range m.A {
		peak = max(peak, math.Abs(a))
	}
	return peak
}

// snap returns the whole number next to x if x differs from it by rounding
// errors only, else x. Sample counts and knots are decided after snapping, so
// that 2059·0.02 s is 41.18 s.
func snap(x float64) float64 {
	if r := math.Round(x); math.Abs(x-r) <= 1e-9+1e-12*math.Abs(x) {
		return r
	}
	return x
}
