package compensate

import (
	"fmt"
	"math"
	"slices"

	"rths"
)

// ATS is the adaptive time-series compensator (Chae, Kazemibidokhti and Ricles
// 2013). The command is a series of the target's derivatives,
//
//	u = a₀ x_t + a₁ ẋ_t + a₂ ẍ_t
//
// (for a plant A x(t − τ): a₀ = 1/A, a₁ = τ/A, a₂ = τ²/2A). Least squares over a moving
// window fit the coefficients to command and measured displacement,
//
//	a = (X'X)⁻¹ X'U,  X = (x_m, ẋ_m, ẍ_m),
//
// with command and measurement after the same low-pass. a stays within bounds and changes no
// faster than max_rate. All derivatives are backward differences over one sample, so the method
// needs no rates of the target.
//
// Order and start come from the plant where they are left out: order 3 or 2, and 1 where
// that inverse would magnify some frequency more than 20 times.
//
// A sample counts if the measurement is at least suspend_below_m. With suspend_rms_m,
// a stands still while the measurement's rms over the window is smaller. A window that
// is not yet full is fitted as far as it is filled. Window, filter, and the bounds and
// rates of a₀ to a₂ come from the program that Chae published; the bound of a₃,
// (80 ms)³/6, is ours.
//
// Not for windows shorter than a period of the structure, nor, with order 2 or 3, for
// motions of a single frequency: x and ẍ are then proportional, and such steps are
// left out.
type ATS struct {
	Order   int       `yaml:"order,omitempty" doc:"order of the series, 1 to 3; left out: of the lists that are given, else 3, 2 or 1 by the plant"`
	Initial string    `yaml:"initial,omitempty" doc:"where a comes from at first: plant (inverse of the scenario's plant up to 20 Hz), bare-transfer (inverse of its transfer system without specimen), or given (key a; without it the four numbers of Gálmez 2021, eq. 7.7); left out: given if a is, else plant"`
	A       []float64 `yaml:"a,omitempty" doc:"initial a0 (-), a1 (s), a2 (s²), a3 (s³)"`
	Window  float64   `yaml:"window_s" doc:"length of the window, s"`
	Lower   []float64 `yaml:"lower,omitempty" doc:"lower bounds of a; default 0.9 and zeros, wider where a starts outside"`

	Upper        []float64 `yaml:"upper,omitempty" doc:"upper bounds of a; default 1.1, 0.06 s, 0.0032 s², 8.5e-5 s³, wider where a starts outside"`
	MaxRate      []float64 `yaml:"max_rate,omitempty" doc:"largest changes of a per second; default 2, 0.05 s, 0.001 s², 1e-5 s³"`
	FilterOrder  int       `yaml:"filter_order" doc:"order of the Butterworth low-pass in the adaptation path"`
	FilterHz     float64   `yaml:"filter_hz" doc:"its cutoff, Hz"`
	RemoveOffset bool      `yaml:"remove_offset" doc:"the adaptation takes a constant offset off the readings, which it estimates while little moves"`
	SuspendBelow float64   `yaml:"suspend_below_m" doc:"samples with a smaller filtered measurement are left out, m; 0: all count"`
	SuspendRMS   float64   `yaml:"suspend_rms_m" doc:"no update while the filtered measurement of the window has a smaller root mean square, m; 0: always update"`
}

// The bounds and rates of Chae's program; for a₃ ours.
var (
	chaeLower = []float64{0.9, 0, 0, 0}
	chaeUpper = []float64{1.1, 0.06, 0.0032, 8.5e-5}
	chaeRate  = []float64{2, 0.05, 0.001, 1e-5}
)

// chaeBounds fills in the bounds of Chae's program, wider where a starts outside them: 10 % about
// a₀, and up to twice another coefficient.
func chaeBounds(givenLower, givenUpper *[]float64, a []float64) {
	n := min(len(a), maxSeries)
	lower, upper := slices.Clone(chaeLower[:n]), slices.Clone(chaeUpper[:n])
	for i, v := range a[:n] {
		switch {
		case v >= lower[i] && v <= upper[i]:
		case i == 0:
			lower[0], upper[0] = min(0.9*v, 1.1*v), max(0.9*v, 1.1*v)
		default:
			lower[i], upper[i] = min(2*v, lower[i]), max(2*v, upper[i])
		}
	}
	if *givenLower == nil {
		*givenLower = lower
	}
	if *givenUpper == nil {
		*givenUpper = upper
	}
}

// chaeATS has a limit of suspension for the few millimetres of the single-actuator
// benchmark; Chae's is 0.254 mm.
func chaeATS() *ATS {
	return &ATS{Window: 1, FilterOrder: 6, FilterHz: 20, RemoveOffset: true, SuspendBelow: 20e-6}
}

// Make resolves what was left open and checks the rest.
func (p *ATS) Make(at At) (rths.Compensator, error) {
	if p.Order == 0 {
		p.Order = at.Start().WindowOrder(p.A, p.Lower, p.Upper, p.MaxRate)
	}
	if p.Order < 1 || p.Order >= maxSeries {
		return nil, fmt.Errorf("ats: order %d: want 1 to %d", p.Order, maxSeries-1)
	}
	n := p.Order + 1
	if err := p.resolve(at, n); err != nil {
		return nil, err
	}
	s, err := newSeries(n, at, p.FilterOrder, p.FilterHz, p.RemoveOffset)
	if err != nil {
		return nil, fmt.Errorf("ats: %w", err)
	}
	size := math.Round(p.Window * at.RateHz)
	if !(size >= float64(n) && size <= maxWindow) {
		return nil, fmt.Errorf("ats: window_s %g: want %d to %d samples of %g Hz", p.Window, n, maxWindow, at.RateHz)
	}
	c := &ats{series: s, quiet: p.SuspendBelow, quietRMS: p.SuspendRMS, lower: p.Lower, upper: p.Upper,
		most: make([]float64, n), window: newWindow(n, int(size))}
	for i, v := range p.MaxRate {
		c.most[i] = v / at.RateHz
	}
	clamp(c.a[:n], p.A, p.Lower, p.Upper)
	return c, nil
}

// maxWindow is the longest window, samples.
const maxWindow = 1_000_000

func (p *ATS) resolve(at At, n int) error {
	if err := startSeries(&p.Initial, &p.A, at, n); err != nil {
		return fmt.Errorf("ats: %w", err)
	}
	chaeBounds(&p.Lower, &p.Upper, p.A)
	if p.MaxRate == nil {
		p.MaxRate = append([]float64(nil), chaeRate[:n]...)
	}
	if err := checkLists("ats", n, list{"a", p.A}, list{"lower", p.Lower}, list{"upper", p.Upper},
		list{"max_rate", p.MaxRate}); err != nil {
		return err
	}
	for i, v := range p.MaxRate {
		if v < 0 {
			return fmt.Errorf("ats: max_rate %g of a%d: want 0 or more", v, i)
		}
	}
	if !(p.SuspendBelow >= 0) {
		return fmt.Errorf("ats: suspend_below_m %g: want 0 or more", p.SuspendBelow)
	}
	if !(p.SuspendRMS >= 0) {
		return fmt.Errorf("ats: suspend_rms_m %g: want 0 or more", p.SuspendRMS)
	}
	return checkBounds("ats", p.Lower, p.Upper)
}

// PlantModel is 1/Σ aᵢ Dⁱ with D the backward difference over h.
func (p *ATS) PlantModel(rateHz float64, parameters []float64) func(hz float64) complex128 {
	return seriesModelOf(p.Order, rateHz, parameters)
}

type ats struct {
	series
	quiet, quietRMS    float64   // m
	lower, upper, most []float64 // most: largest change per sample
	window             *window
}

func (c *ats) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	command[0] = c.command(target.X[0])
	x, u := c.pair(read)
	if !c.Learns(read) || c.frozen || c.unaimed.Pass() || math.Abs(x[0]) < c.quiet {
		return
	}
	c.window.add(x[:c.n], u)
	if !(c.window.meanSquare() >= c.quietRMS*c.quietRMS) {
		return
	}
	if fit, ok := c.window.fit(); ok {
		c.approach(&fit)
	}
}

// approach moves a towards the fit, within bounds and rates.
func (c *ats) approach(fit *[maxSeries]float64) {
	for i, most := range c.most {
		want := min(max(fit[i], c.lower[i]), c.upper[i])
		c.a[i] += min(max(want-c.a[i], -most), most)
	}
}

func (c *ats) VisitAdaptation(v *rths.StateVisitor) {
	v.Floats(c.a[:c.n])
	v.Float((*float64)(&c.unaimed))
	c.window.VisitAdaptation(v)
}

// window is the sums X'X and X'U of least squares over the last rows, each of
// which is n values of X and one of U. A new row is added and the oldest
// subtracted. Rounding of the subtractions does not accumulate: fresh gathers
// the newest rows without any, and takes the place of sum whenever it holds
// a full window.
type window struct {
	n, size    int
	rows       []float64 // size rows of n + 1, a ring
	at         int       // row written next; fresh holds the rows before it
	full       bool
	sum, fresh [maxSums]float64
}

// maxSums of products: the upper triangle of (X U)'(X U) without U'U.
const maxSums = maxSeries*(maxSeries+1)/2 + maxSeries

func newWindow(n, size int) *window {
	return &window{n: n, size: size, rows: make([]float64, size*(n+1))}
}

// add takes a row, unless its products are beyond what numbers can sum.
func (w *window) add(x []float64, u float64) {
	for _, v := range x {
		if !(math.Abs(v) < 1e100) || !(math.Abs(u) < 1e100) {
			return
		}
	}
	row := w.rows[w.at*(w.n+1):][:w.n+1]
	if w.full {
		w.products(&w.sum, row, -1)
	}
	copy(row, x)
	row[w.n] = u
	w.products(&w.sum, row, 1)
	w.products(&w.fresh, row, 1)
	if w.at++; w.at == w.size {
		w.at, w.full = 0, true
		w.sum, w.fresh = w.fresh, [maxSums]float64{}
	}
}

// products adds the products of one row, column by column of the triangle.
func (w *window) products(to *[maxSums]float64, row []float64, sign float64) {
	k := 0
	for j := range w.n + 1 {
		for i := range min(j+1, w.n) {
			to[k] += sign * row[i] * row[j]
			k++
		}
	}
}

// meanSquare of the first column of X, over the whole window: what has not been
// recorded yet counts as 0.
func (w *window) meanSquare() float64 { return w.sum[0] / float64(w.size) }

// fit solves X'X a = X'U by Cholesky's method. It has none where columns of X
// are the same to rounding.
func (w *window) fit() (a [maxSeries]float64, ok bool) {
	var l [maxSeries + 1][maxSeries]float64 // rows of the factor; the last is L⁻¹ X'U
	k := 0
	for j := range w.n + 1 {
		for i := range min(j+1, w.n) {
			v := w.sum[k]
			for m := range i {
				v -= l[i][m] * l[j][m]
			}
			switch {
			case i < j:
				l[j][i] = v / l[i][i]
			case !(v > 1e-12*w.sum[k]):
				return a, false
			default:
				l[j][j] = math.Sqrt(v)
			}
			k++
		}
	}
	for i := w.n - 1; i >= 0; i-- {
		v := l[w.n][i]
		for m := i + 1; m < w.n; m++ {
			v -= l[m][i] * a[m]
		}
		a[i] = v / l[i][i]
		if !rths.Finite(a[i]) {
			return a, false
		}
	}
	return a, true
}

// VisitAdaptation visits rows and sums.
func (w *window) VisitAdaptation(v *rths.StateVisitor) {
	v.Floats(w.rows, w.sum[:], w.fresh[:])
	v.Int(&w.at)
	v.Bool(&w.full)
}

func (c *ats) Pinned() bool { return pinnedBy(c.a[:c.n], c.lower, c.upper) }

func (c *ats) Estimates() []rths.Channel { return firstEstimates(c.Channels(), c.a[:c.n]) }

func (c *ats) Channels() []rths.Channel { return bounded(c.series.Channels(), c.lower, c.upper) }

func (c *ats) AtBounds() []string { return atBounds(c.Channels()) }

var atsTunable = []rths.Tunable{seriesOrder, {Key: "window_s", From: 0.2, To: 4, Log: true}, cutoff}
