package judge

import (
	"encoding/json"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths/model/structure"
	"rths/result/record"
)

// Damping is what control errors did to the first mode of the structure, after Molina, Magonette, Pegon and Zapico
// 2011 (Journal of Earthquake Engineering 15). The force at the interface is regressed on [d v 1], where d is the
// target, which the numerical part has moved by: once the measured force, and once the force that a perfect actuator
// would have measured in this motion. Both secants stand in the known numerical part in place of the specimen; the
// difference of the damping ratios and frequencies of mode 1 is what the control errors added. A delay takes damping
// away.
//
// The perfect force is the measured one, corrected by a fit of it: stiffness, damping and springs that yield, moved by
// the target less by the measured displacement. Of a linear specimen this is the secant by the measured displacement,
// as the paper has it. Of a yielding one it is not: there an amplitude that is 10 % short changes the secant itself.
// Not for specimens whose strength falls, that pinch, or whose force depends on velocity by other than a dashpot: the
// correction is that of a spring that yields. It says nothing of other modes.
type Damping struct {
	FreqHz float64 `json:"frequency_hz"` // of mode 1 with a perfect actuator
	Ratio  float64 `json:"ratio"`        // its damping ratio
	Window
	Windows    []Window `json:"windows"`               // over time; those that cannot tell are left out
	CannotTell string   `json:"cannot_tell,omitempty"` // why the record does not hold it; "": it does
}

// Window is what control errors did in a part of the record.
type Window struct {
	FromS   float64 `json:"from_s"`
	ToS     float64 `json:"to_s"`
	Added   float64 `json:"added_ratio"`        // damping ratio with the measured force, less that with a perfect actuator
	AddedSE float64 `json:"added_ratio_se"`     // standard error
	Moved   float64 `json:"frequency_moved"`    // frequency with the measured force over that with a perfect actuator, less 1
	MovedSE float64 `json:"frequency_moved_se"` // standard error
}

// Rules of Damping.
const (
	blocks       = 12      // of the record, each of which is left out once for the standard errors
	leastPeriods = 12.0    // of mode 1 in the record
	leastSamples = 10.0    // in a period of mode 1
	inWindow     = 6       // parts of at least a period
	mostParts    = 240     // of the record, over the interface coordinates
	apartOf      = 1. / 80 // of the period of mode 1: half the length of the moving average
	widest       = 0.01    // two standard errors of the added damping ratio
	noisy        = 0.1     // of the velocity: more makes the secants by the measured displacement small
	moves        = 1e-9    // m, rms
	inexact      = 3e-3    // of a result: the largest that tests of linear specimens with planted delays have left
	loose        = 0.2     // of the force, rms, that its law leaves
)

// cannot is a record that does not hold the answer.
func cannot(format string, args ...any) *Damping {
	return &Damping{CannotTell: fmt.Sprintf(format, args...)}
}

const noForce = "the force does not follow the displacement, or is no number: it gives no mode"

// AddedDamping finds it for a test whose numerical part is known; nil: the part is sparse, or its actuators do not each
// move an interface coordinate. A record that does not hold the answer has CannotTell.
func (t *Test) AddedDamping(p *structure.Partition) *Damping {
	m := len(t.Axes)
	switch {
	case len(p.Interface) != m || p.Sparse != nil:
		return nil
	case len(p.Devices) > 0:
		return cannot("the numerical part has devices or yielding storeys, which are in no mode")
	case slices.ContainsFunc(t.Axes, func(a Axis) bool { return a.Force.None() }):
		return cannot("the record has no force")
	}
	rough, ok := t.rough()
	if !ok {
		return cannot(noForce)
	}
	k := mat.NewDense(m, m, nil)
	k.Apply(func(i, j int, _ float64) float64 { return rough.At(2*j, i) }, k)
	part, err := newNumericalPart(p, k)
	if err != nil {
		return cannot("%v", err)
	}
	mode, err := part.mode1(rough)
	if err != nil {
		return cannot("%v", err)
	}
	return t.addedTo(part, 2*math.Pi/cmplx.Abs(mode))
}

// rough is the secants of the measured force by the target at all instants.
func (t *Test) rough() (*mat.Dense, bool) {
	m := len(t.Axes)
	sums, row := newMoments(3*m+1), make([]float64, 3*m+1)
	row[2*m] = 1
	for k := 1; k < t.Samples()-1; k++ {
		for i := range t.Axes {
			d := t.Axes[i].Target
			row[2*i], row[2*i+1] = d.At(k), (d.At(k+1)-d.At(k-1))*t.RateHz/2
			row[2*m+1+i] = t.Axes[i].Force.At(k)
		}
		sums.see(row)
	}
	return sums.fit(run(0, 2*m+1), sums.of(run(0, 2*m+1), run(2*m+1, m)))
}

// addedTo is the damping that was added to mode 1, which has about this period, s.
func (t *Test) addedTo(part *numericalPart, period float64) *Damping {
	periods := float64(t.Samples()) / t.RateHz / period
	if periods < leastPeriods {
		return cannot("the record has %.2g periods of mode 1: want %g", periods, leastPeriods)
	}
	if a := period * t.RateHz; a < leastSamples {
		return cannot("the record has %.2g samples in a period of mode 1: want %g", a, leastSamples)
	}
	half := int(apartOf * period * t.RateHz)
	stride := max(1, half/2)
	columns, m := t.columns(half, stride), len(t.Axes)
	parts := make([]*moments, blocks*min(max(1, int(periods/blocks)), max(1, mostParts/blocks/m)))
	for i := range parts {
		parts[i] = newMoments(len(columns))
	}
	n, row := len(columns[0]), make([]float64, len(columns))
	for k := 1; k < n-1; k++ {
		for i, c := range columns {
			row[i] = c[k]
		}
		parts[k*len(parts)/n].see(row)
	}
	l, all := &laws{m: m}, sumOf(parts)
	if why := l.see(t, all, half, stride); why != "" {
		return cannot("%s", why)
	}
	if !l.fit(parts) {
		return cannot(noForce)
	}
	left := all.misfit(l.whole, m)
	if left > loose {
		return cannot("no stiffness, damping and yielding explain %.2g %% of the force: want at most %g %%", 100*left, 100*loose)
	}
	// velocities by differences over two strides are too small; a delay is a dashpot at one frequency only; and what the
	// law leaves of the force, it may leave of the correction
	l.slanted = inexact + left/2 + math.Pow(2*math.Pi*float64(stride)/t.RateHz/period, 2)/6
	at := func(i int) float64 { return t.StartS + float64(i)*float64(t.Samples())/float64(len(parts))/t.RateHz }
	out, ok := part.added(all, l)
	if !ok {
		return cannot(noForce)
	}
	out.FromS, out.ToS = at(0), at(len(parts))
	if !(2*out.AddedSE <= widest) {
		out.CannotTell = fmt.Sprintf("its parts differ: %.2g ± %.2g points", 100*out.Added, 200*out.AddedSE)
	}
	for i := 0; i+inWindow <= len(parts); i++ {
		if w, ok := part.added(sumOf(parts[i:i+inWindow]), l); ok && 2*w.AddedSE <= widest {
			w.FromS, w.ToS = at(i), at(i+inWindow)
			out.Windows = append(out.Windows, w.Window)
		}
	}
	return out
}

// laws are fits of the specimen's force: one, and others without a block each, the last two with half the stops.
type laws struct {
	m       int
	whole   *mat.Dense
	others  [blocks + 2]*mat.Dense
	noise   []float64 // m, of the measured displacements, over the root of the stride
	slanted float64   // of a result
}

// see finds the noise, and says why a record does not hold the motion: it has none, or noise.
func (l *laws) see(t *Test, all *moments, half, stride int) string {
	x, v, noise := 0.0, 0.0, 0.0
	for i := range t.Axes {
		sd := noiseOf(t.Axes[i].Measured)
		l.noise, noise = append(l.noise, sd/math.Sqrt(float64(stride))), max(noise, sd)
		at := 2*l.m + 1 + i*inPath
		x, v = max(x, all.rms(at, l.m)), max(v, all.rms(at+1, l.m))
	}
	if x < moves {
		return "the specimen does not move"
	}
	// two moving averages share samples
	apart, length := float64(2*stride), float64(2*half+1)
	noise *= math.Sqrt(2*min(apart, length)) / length / apart * t.RateHz / v
	if noise > noisy {
		return fmt.Sprintf("the noise of the measured displacement is %.2g %% of the velocity: want at most %g %%, a filtered "+
			"displacement", 100*noise, 100*noisy)
	}
	return ""
}

// noiseOf is the standard deviation of white noise in a displacement, by its fourth differences.
func noiseOf(x record.Signal) float64 {
	sum, n := 0.0, x.Len()-4
	for i := range n {
		d := x.At(i) - 4*x.At(i+1) + 6*x.At(i+2) - 4*x.At(i+3) + x.At(i+4)
		sum += d * d / 70 / float64(n)
	}
	return math.Sqrt(sum)
}

// fit reports whether there are laws.
func (l *laws) fit(parts []*moments) bool {
	all, at := sumOf(parts), len(parts)/blocks
	whole, ok := all.law(l.m, every)
	l.whole = whole
	for i := range l.others {
		from, of := all, max(every, i-blocks+1)
		if i < blocks {
			from = all.less(sumOf(parts[i*at : (i+1)*at]))
		}
		law, there := from.law(l.m, of)
		l.others[i], ok = law, ok && there
	}
	return ok
}

// added compares the modes with the secants of the measured force and of the perfect one. Its deviations are of the
// law, which differs without a block and with half the stops, and of noise, which is a spring and a dashpot by chance.
func (p *numericalPart) added(s *moments, by *laws) (*Damping, bool) {
	measured, perfect, ok := s.secants(by.whole, by.m, every)
	if !ok {
		return nil, false
	}
	list := []*mat.Dense{measured, perfect}
	for i, law := range by.others {
		_, other, ok := s.secants(law, by.m, max(every, i-blocks+1))
		if !ok {
			return nil, false
		}
		list = append(list, other)
	}
	noisy := mat.DenseCopyOf(perfect)
	for i := range by.m {
		for j := 2 * i; j <= 2*i+1; j++ {
			if size := math.Sqrt(s.v[j*s.n+j]); size > 0 {
				noisy.Set(j, i, perfect.At(j, i)+perfect.At(2*i, i)*by.noise[i]/size)
			}
		}
	}
	var modes []complex128
	var added, moved []float64
	for i, secants := range append(list, noisy) {
		mode, err := p.mode1(secants)
		if err != nil {
			return nil, false
		}
		if modes = append(modes, mode); i > 0 {
			added = append(added, ratio(modes[0])-ratio(mode))
			moved = append(moved, cmplx.Abs(modes[0])/cmplx.Abs(mode)-1)
		}
	}
	deviation := func(v []float64) float64 {
		sum := math.Pow(jackknife(v[1:blocks+1]), 2) + math.Pow(by.slanted*v[0], 2)
		for _, x := range v[blocks+1:] {
			sum += (x - v[0]) * (x - v[0])
		}
		return math.Sqrt(sum)
	}
	return &Damping{FreqHz: cmplx.Abs(modes[1]) / (2 * math.Pi), Ratio: ratio(modes[1]),
		Window: Window{Added: added[0], AddedSE: deviation(added), Moved: moved[0], MovedSE: deviation(moved)}}, true
}

// jackknife is the standard error of a number by its values without each part.
func jackknife(v []float64) float64 {
	n, mean, square := float64(len(v)), 0.0, 0.0
	for _, x := range v {
		mean += x / n
	}
	for _, x := range v {
		square += (x - mean) * (x - mean)
	}
	return math.Sqrt((n - 1) / n * square)
}

// MarshalJSON leaves out the numbers where they cannot be told.
func (d *Damping) MarshalJSON() ([]byte, error) {
	if d.CannotTell != "" {
		return json.Marshal(map[string]string{"cannot_tell": d.CannotTell})
	}
	type numbers Damping
	return json.Marshal((*numbers)(d))
}

// Sentence says it in one line.
func (d *Damping) Sentence() string {
	if d.CannotTell != "" {
		return "Cannot tell what control errors did to the damping of mode 1: " + d.CannotTell
	}
	verb, added := "added", 100*d.Added
	if added < 0 {
		verb, added = "took", -added
	}
	to := map[string]string{"added": "to", "took": "from"}[verb]
	moved := 100 * d.Moved
	if math.Abs(moved) < 0.005 { // it is written as 0, which has no sign
		moved = 0
	}
	return fmt.Sprintf("Control errors %s %.3f ± %.3f points of damping %s mode 1 (%.3g Hz, %.2f %%) and moved its frequency by "+
		"%+.2f ± %.2f %%", verb, added, 200*d.AddedSE, to, d.FreqHz, 100*d.Ratio, moved, 200*d.MovedSE)
}
