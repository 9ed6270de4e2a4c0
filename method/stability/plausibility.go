package stability

import (
	"fmt"
	"math"
	"rths/maths/portable"

	"rths"
)

// Plausibility compares what displacement sensor and load cell of each axis say of the specimen with what they said in
// a rehearsal: a virtual run of the same test. Over the last second, of block means x and f,
// with ẋ from their differences:
//
//	scale     rms f / rms x and rms f / rms ẋ, means removed: within half of the least and twice the largest of the
//	          rehearsal at about the same rms x
//	sign      correlations of f with x and with ẋ: less than 1 beyond those of the rehearsal
//	offset    mean f − k mean x, k the rehearsal's stiffness: less than half of its largest force beyond its own
//	energy    the specimen gives back, −min ∫ f dx, less than the largest energy that it took in the rehearsal
//
// Each is judged only while the specimen moves, with at least a fifth of the rehearsal's largest rms displacement; the
// offset only for a specimen whose force follows its displacement. Each is expressed in percent of the plausible
// limit: 100 and more is not plausible. A load cell that is frozen, zero, reversed or wrong by a factor, and a
// displacement sensor that drifts, are found. It is not for an error of less than a factor of two, nor for axes
// without a load cell of their own.
type Plausibility struct {
	axes   []*axisWatch
	pct    float64 // the largest of all axes and kinds, %
	which  float64 // its kind, see kinds; 0: none is 100 or more
	first  []Implausible
	t      float64
	newest rths.FreshReadings
}

// Rehearsed is what a rehearsal has told of the specimen of an axis.
type Rehearsed struct {
	// largest rms displacement, m; 0: it did not move, and nothing is judged
	RMS       float64    `json:"rms_m"`
	Scale     Scale      `json:"scale_N_m"`        // rms force over rms displacement, N/m
	RateScale Scale      `json:"scale_N_s_m"`      // rms force over rms velocity, N·s/m
	InPhase   [2]float64 `json:"in_phase"`         // least and largest correlation of force and displacement
	Rate      [2]float64 `json:"with_rate"`        // and of force and velocity
	Stiffness float64    `json:"stiffness_N_m"`    // slope of force over displacement, N/m
	Offset    [2]float64 `json:"offset_N"`         // least and largest mean f − k mean x, N
	Force     float64    `json:"largest_force_N"`  // N
	Taken     float64    `json:"largest_energy_J"` // that the specimen took, J
	Given     float64    `json:"given_energy_J"`   // that it seemed to give, J
}

// Scale has the least and the largest ratio of two quantities at rms displacements from each of the bounds amplitudes
// on; 0 and 0: there was no such amplitude.
type Scale [len(amplitudes)][2]float64

// amplitudes are shares of the largest rms displacement.
var amplitudes = [...]float64{0.7, 0.45, 0.3, movingShare}

// at is the range at an rms displacement, m.
func (s *Scale) at(rms, largest float64) *[2]float64 {
	for i, share := range amplitudes {
		if rms >= share*largest {
			return &s[i]
		}
	}
	return &s[len(s)-1]
}

// Implausible is a kind of implausibility that was found, once for each axis and kind.
type Implausible struct {
	Axis int // from 1
	Kind int
	T    float64 // s
	Text string
}

// ImplausiblePct is the channel of the measure, for limits.
const ImplausiblePct = "implausible_pct"

// Kinds of implausibility.
const (
	Plausible = iota
	ScaleHigh
	ScaleLow
	Sign
	Offset
	Energy
)

const (
	blockS       = 0.01 // s of a block of samples
	watchS       = 1.0  // time constant of the moments, s
	movingShare  = 0.2  // of the rehearsal's largest rms displacement: then the specimen moves
	seenShare    = 0.1  // the same, above which the rehearsal is looked at
	scaleFactor  = 2.0  // a force may differ by it
	correlates   = 1.0  // correlations may differ by it
	offsetShare  = 0.5  // of the largest force
	elastic      = 0.9  // least correlation of a force that follows the displacement
	mostPct      = 1000.0
	PlausiblePct = 100.0
)

// NewPlausibility watches the axes of a test; SetRehearsed gives it what it compares with.
func NewPlausibility(rateHz float64, axes int) *Plausibility {
	p := &Plausibility{}
	for range axes {
		p.axes = append(p.axes, newAxisWatch(rateHz))
	}
	p.first = make([]Implausible, 0, (Energy+1)*axes)
	return p
}

// SetRehearsed sets what the rehearsal has told of each axis; without it nothing is judged.
func (p *Plausibility) SetRehearsed(list []Rehearsed) {
	for i := range p.axes {
		p.axes[i].before = Rehearsed{}
		if i < len(list) {
			p.axes[i].before = list[i]
		}
	}
}

// Observe adds a tick; of a tick that failed, or has no new reading, only the time counts.
func (p *Plausibility) Observe(f *rths.Frame) {
	if len(f.Read.F) < len(p.axes) {
		return
	}
	fresh := p.newest.IsNew(f.Read.Age, f.Err != nil)
	for i, a := range p.axes {
		if a.ticks++; fresh && a.add(f.Read.X[i], f.Read.F[i]) {
			p.t = f.T
			p.refresh()
		}
	}
}

// refresh brings the channels up to date.
func (p *Plausibility) refresh() {
	p.pct, p.which = 0, Plausible
	for i, a := range p.axes {
		for kind := ScaleHigh; kind <= Energy; kind++ {
			pct := min(a.of(kind), mostPct)
			if pct > p.pct {
				p.pct = pct
				if pct >= PlausiblePct {
					p.which = float64(kind)
				}
			}
			if pct >= PlausiblePct && !a.found[kind] {
				a.found[kind] = true
				p.first = append(p.first, Implausible{Axis: i + 1, Kind: kind, T: p.t})
			}
		}
	}
}

// Found are the implausibilities found so far, in words.
func (p *Plausibility) Found() []Implausible {
	out := append([]Implausible(nil), p.first...)
	for i := range out {
		out[i].Text = out[i].sentence(len(p.axes))
	}
	return out
}

func (i Implausible) sentence(axes int) string {
	cell, sensor := "the load cell", "the displacement sensor"
	if axes > 1 {
		cell, sensor = fmt.Sprintf("load cell %d", i.Axis), fmt.Sprintf("displacement sensor %d", i.Axis)
	}
	return fmt.Sprintf("from t = %.2f s on %s and %s do not agree as in the rehearsal: %s", i.T, cell, sensor, [...]string{
		ScaleHigh: "the force is more than twice as large for its motion: a wrong factor of one of them, or another specimen",
		ScaleLow: "the force is less than half as large for its motion: a load cell that is frozen or zero, a wrong " +
			"factor, or a displacement sensor that drifts",
		Sign: "the force has another sign: a load cell or a sensor is reversed",
		Offset: "one of them has moved away from zero: a displacement sensor that drifts, a load cell that drifts, or a " +
			"specimen that has changed",
		Energy: "the specimen gives more energy than it ever took: force and displacement are reversed, or not of the " +
			"same instant",
	}[i.Kind])
}

// Channels are the measure and the kind.
func (p *Plausibility) Channels() []rths.Channel {
	return rths.NamedChannels([]rths.Channel{
		{Meaning: rths.Meaning{Quantity: "implausible"}, Unit: "%", V: &p.pct},
		{Meaning: rths.Meaning{Quantity: "implausible_kind"}, Unit: "-", V: &p.which},
	})
}

// VisitState visits the moments of every axis, and what was found.
func (p *Plausibility) VisitState(v *rths.StateVisitor) {
	v.Float(&p.pct, &p.which, &p.t)
	v.Int(&p.newest.Tick, &p.newest.At)
	for _, a := range p.axes {
		a.visit(v)
	}
	n := len(p.first)
	v.Int(&n)
	if v.Restoring() {
		p.first = append(p.first[:0], make([]Implausible, n)...)
	}
	for i := range p.first {
		f := &p.first[i]
		v.Int(&f.Axis, &f.Kind)
		v.Float(&f.T)
		p.axes[f.Axis-1].found[f.Kind] = true
	}
}

// visit visits all that an axis remembers but for what was found.
func (a *axisWatch) visit(v *rths.StateVisitor) {
	v.Int(&a.taken, &a.blocks, &a.ticks)
	v.Float(&a.sumX, &a.sumF, &a.lastX, &a.lastF, &a.work, &a.least, &a.n, &a.xf.sum, &a.xf.n, &a.vf.sum, &a.vf.n)
	for _, m := range []*moment{&a.x, &a.v, &a.f} {
		v.Float(&m.sum, &m.squares, &m.n)
	}
	if v.Restoring() {
		clear(a.found[:])
	}
}

// Rehearse collects what a rehearsal tells of its specimen: displacements (m) and forces (N) of each axis.
func Rehearse(rateHz float64, x, f [][]float64) []Rehearsed {
	if len(x) != len(f) {
		return nil // no load cell for each axis
	}
	out := make([]Rehearsed, len(x))
	for i := range x {
		out[i] = rehearse(rateHz, x[i], f[i])
	}
	return out
}

func rehearse(rateHz float64, x, f []float64) Rehearsed {
	r := Rehearsed{}
	slope, all := 0.0, newAxisWatch(rateHz)
	var sxx, sxf float64
	feed(all, x, f, func() {
		r.RMS = max(r.RMS, math.Sqrt(all.x.variance()))
		sxx, sxf = sxx+all.x.variance(), sxf+all.xf.covariance(&all.x, &all.f)
	})
	for _, v := range f {
		r.Force = max(r.Force, math.Abs(v))
	}
	if slope = sxf / sxx; r.RMS == 0 || !rths.Finite(slope) {
		return Rehearsed{}
	}
	r.Stiffness = slope
	for _, of := range []*[2]float64{&r.InPhase, &r.Rate, &r.Offset} {
		*of = [2]float64{math.Inf(1), math.Inf(-1)}
	}
	a := newAxisWatch(rateHz)
	feed(a, x, f, func() {
		r.Taken, r.Given = max(r.Taken, a.work), max(r.Given, -a.work)
		grow(&r.Offset, a.f.mean()-slope*a.x.mean())
		if math.Sqrt(a.x.variance()) < seenShare*r.RMS {
			return
		}
		rms := math.Sqrt(a.x.variance())
		widen(r.Scale.at(rms, r.RMS), a.scale(&a.x))
		widen(r.RateScale.at(rms, r.RMS), a.scale(&a.v)*a.blockS)
		grow(&r.InPhase, a.xf.correlation(&a.x, &a.f))
		grow(&r.Rate, a.vf.correlation(&a.v, &a.f))
	})
	if !r.complete() {
		return Rehearsed{}
	}
	return r
}

// complete reports whether there is a number for everything: a force that never changes has none.
func (r *Rehearsed) complete() bool {
	for _, v := range []float64{r.RMS, r.Stiffness, r.Force, r.Taken, r.Given, r.InPhase[0], r.InPhase[1], r.Rate[0],
		r.Rate[1], r.Offset[0], r.Offset[1]} {
		if !rths.Finite(v) {
			return false
		}
	}
	return r.Force > 0 && max(r.Taken, r.Given) > 0
}

// feed gives an axis a record, and calls at the end of every block.
func feed(a *axisWatch, x, f []float64, then func()) {
	for k := range min(len(x), len(f)) {
		if a.ticks++; a.add(x[k], f[k]) {
			then()
		}
	}
}

// widen takes a value into a range of positive values, of which 0 and 0 is the empty one.
func widen(of *[2]float64, v float64) {
	if of[1] == 0 && rths.Finite(v) {
		*of = [2]float64{v, v}
	}
	grow(of, v)
}

// grow takes a value into a range.
func grow(of *[2]float64, v float64) {
	if rths.Finite(v) {
		of[0], of[1] = min(of[0], v), max(of[1], v)
	}
}

// axisWatch has the moments of an axis.
type axisWatch struct {
	block  int     // samples
	blockS float64 // s
	fade   float64 // of a block
	taken  int     // samples of the present block
	ticks  int     // and its ticks, with those that had no new reading
	sumX   float64
	sumF   float64
	blocks int
	lastX  float64 // of the block before, m
	lastF  float64
	work   float64 // ∫ f dx, J
	least  float64 // the smallest so far, J

	n       float64 // weight of all blocks
	x, v, f moment
	xf, vf  product
	before  Rehearsed
	found   [Energy + 1]bool
}

func newAxisWatch(rateHz float64) *axisWatch {
	block := max(1, int(math.Round(blockS*rateHz)))
	return &axisWatch{block: block, blockS: float64(block) / rateHz,
		fade: portable.Exp(-float64(block) / (watchS * rateHz))}
}

// add adds a sample and reports whether a block is over.
func (a *axisWatch) add(x, f float64) bool {
	a.sumX += x
	a.sumF += f
	if a.taken++; a.ticks < a.block {
		return false
	}
	n, blocks := float64(a.taken), float64(a.ticks)/float64(a.block)
	x, f = a.sumX/n, a.sumF/n
	a.taken, a.ticks, a.sumX, a.sumF = 0, 0, 0, 0
	v := 0.0
	if a.blocks++; a.blocks > 1 {
		v = (x - a.lastX) / blocks // per block
		a.work += (f + a.lastF) / 2 * (x - a.lastX)
		a.least = min(a.least, a.work)
	}
	a.n = a.n*a.fade + 1
	a.x.add(x, a.fade, a.n)
	a.v.add(v, a.fade, a.n)
	a.f.add(f, a.fade, a.n)
	a.xf.add(x*f, a.fade, a.n)
	a.vf.add(v*(f+a.lastF)/2, a.fade, a.n) // of the middle of both blocks
	a.lastX, a.lastF = x, f
	return true
}

// scale is the rms force over the rms of another quantity.
func (a *axisWatch) scale(over *moment) float64 { return math.Sqrt(a.f.variance() / over.variance()) }

// ratio is a scale, and its range in the rehearsal at the same amplitude.
type ratio struct {
	of  *[2]float64
	now float64
}

func (a *axisWatch) ratios() [2]ratio {
	r, rms := &a.before, math.Sqrt(a.x.variance())
	return [2]ratio{{r.Scale.at(rms, r.RMS), a.scale(&a.x)}, {r.RateScale.at(rms, r.RMS), a.scale(&a.v) * a.blockS}}
}

// of is a kind of implausibility in percent of what is plausible; 0 where it is not judged.
func (a *axisWatch) of(kind int) float64 {
	r := &a.before
	if r.RMS == 0 || !(math.Sqrt(a.x.variance()) >= movingShare*r.RMS) {
		return 0
	}
	share := 0.0
	switch kind {
	case ScaleHigh:
		for _, s := range a.ratios() {
			if s.of[1] > 0 {
				share = max(share, s.now/(scaleFactor*s.of[1]))
			}
		}
	case ScaleLow:
		for _, s := range a.ratios() {
			if s.of[0] > 0 {
				share = max(share, s.of[0]/(scaleFactor*s.now))
			}
		}
	case Sign:
		share = max(beyond(r.InPhase, a.xf.correlation(&a.x, &a.f)),
			beyond(r.Rate, a.vf.correlation(&a.v, &a.f))) / correlates
	case Offset:
		if r.InPhase[0] >= elastic {
			share = beyond(r.Offset, a.f.mean()-r.Stiffness*a.x.mean()) / (offsetShare * r.Force)
		}
	case Energy:
		share = (-a.least - r.Given) / max(r.Taken, r.Given)
	}
	if math.IsNaN(share) {
		return 0
	}
	return PlausiblePct * max(0, share)
}

// beyond is how far a value is outside of a range.
func beyond(of [2]float64, v float64) float64 { return max(of[0]-v, v-of[1], 0) }

// moment has the fading sums of a quantity.
type moment struct{ sum, squares, n float64 }

func (m *moment) add(v, fade, n float64) {
	m.sum, m.squares, m.n = m.sum*fade+v, m.squares*fade+v*v, n
}

func (m *moment) mean() float64 { return m.sum / m.n }

func (m *moment) variance() float64 { return max(0, m.squares/m.n-m.mean()*m.mean()) }

// product has the fading sum of the product of two quantities.
type product struct{ sum, n float64 }

func (p *product) add(v, fade, n float64) { p.sum, p.n = p.sum*fade+v, n }

func (p *product) covariance(a, b *moment) float64 { return p.sum/p.n - a.mean()*b.mean() }

func (p *product) correlation(a, b *moment) float64 {
	return p.covariance(a, b) / math.Sqrt(a.variance()*b.variance())
}
