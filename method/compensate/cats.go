package compensate

import (
	"fmt"
	"math"
	"slices"

	"rths"
	"rths/maths/signal"
	"rths/method/identify"
)

// CATS is the conditional adaptive time-series compensator (Palacio-Betancur and
// Gutierrez Soto 2019): the series of the adaptive time-series compensator, see
// ATS, with its coefficients by recursive least squares with a forgetting factor
// instead of a moving window. A sample counts only if
//
//   - the filtered measurement is not below suspend_below_m,
//   - the filtered tracking error, target less measurement of the same instant, is
//     not below error_below_m.
//
// The bounds apply where the coefficients are used, not in the estimate. A sample that
// does not count is not forgotten either.
//
// P0 is in the coefficients' units squared per m²: the squared uncertainty of a
// over the variance of the residual.
type CATS struct {
	Order      int       `yaml:"order,omitempty" doc:"order of the series, 1 to 3; left out: of the lists that are given, else 3, 2 or 1 by the plant, as amb"`
	Initial    string    `yaml:"initial,omitempty" doc:"where a comes from at first: plant (inverse of the scenario's plant up to 20 Hz), bare-transfer (inverse of its transfer system without specimen), or given (key a; without it the four numbers of Gálmez 2021, eq. 7.7); left out: given if a is, else plant"`
	A          []float64 `yaml:"a,omitempty" doc:"initial a0 (-), a1 (s), a2 (s²), a3 (s³)"`
	P0         []float64 `yaml:"p0,omitempty" doc:"P(0), units of a squared per m²: one number, the diagonal, or all rows in turn; default (0.1 a)²/(10 µm)²"`
	Forgetting float64   `yaml:"forgetting" doc:"forgetting factor λ per sample, at most 1"`

	Lower []float64 `yaml:"lower,omitempty" doc:"lower bounds of a; default 0.9 and zeros, wider where a starts outside"`

	Upper        []float64 `yaml:"upper,omitempty" doc:"upper bounds of a; default 1.1, 0.06 s, 0.0032 s², 8.5e-5 s³, wider where a starts outside"`
	FilterOrder  int       `yaml:"filter_order" doc:"order of the Butterworth low-pass in the adaptation path"`
	FilterHz     float64   `yaml:"filter_hz" doc:"its cutoff, Hz"`
	RemoveOffset bool      `yaml:"remove_offset" doc:"the adaptation takes a constant offset off the readings, which it estimates while little moves"`
	SuspendBelow float64   `yaml:"suspend_below_m" doc:"samples with a smaller filtered measurement are left out, m; 0: all count"`
	ErrorBelow   float64   `yaml:"error_below_m" doc:"samples with a smaller filtered tracking error are left out, m; 0: all count"`
}

// palacioCATS has filter, λ and conditions found by a search on the single-actuator
// benchmark; the second condition is best left out there. Order and start come from the
// plant.
func palacioCATS() *CATS {
	return &CATS{Forgetting: 0.9999, FilterOrder: 4, FilterHz: 20, RemoveOffset: true, SuspendBelow: 20e-6}
}

// Make resolves what was left open and checks the rest.
func (p *CATS) Make(at At) (rths.Compensator, error) {
	if p.Order == 0 {
		p.Order = at.Start().Order(p.A, p.Lower, p.Upper)
	}
	if p.Order < 1 || p.Order >= maxSeries {
		return nil, fmt.Errorf("cats: order %d: want 1 to %d", p.Order, maxSeries-1)
	}
	n := p.Order + 1
	if err := p.resolve(at, n); err != nil {
		return nil, err
	}
	s, err := newSeries(n, at, p.FilterOrder, p.FilterHz, p.RemoveOffset)
	if err != nil {
		return nil, fmt.Errorf("cats: %w", err)
	}
	r, err := identify.NewRLS(p.A, p.P0, p.Forgetting)
	if err != nil {
		return nil, fmt.Errorf("cats: %w", err)
	}
	b, a, err := signal.Butterworth(p.FilterOrder, p.FilterHz, at.RateHz)
	if err != nil {
		return nil, fmt.Errorf("cats: filter: %w", err)
	}
	c := &cats{series: s, quiet: p.SuspendBelow, good: p.ErrorBelow, lower: p.Lower, upper: p.Upper, rls: r,
		xt: signal.NewFilter(b, a)}
	clamp(c.a[:n], r.Theta(), p.Lower, p.Upper)
	return c, nil
}

func (p *CATS) resolve(at At, n int) error {
	if err := startSeries(&p.Initial, &p.A, at, n); err != nil {
		return fmt.Errorf("cats: %w", err)
	}
	chaeBounds(&p.Lower, &p.Upper, p.A)
	if err := checkLists("cats", n, list{"a", p.A}, list{"lower", p.Lower}, list{"upper", p.Upper}); err != nil {
		return err
	}
	if p.P0 == nil {
		for _, a := range p.A {
			p.P0 = append(p.P0, math.Pow(0.1*a/10e-6, 2))
		}
	}
	for _, q := range []struct {
		name string
		v    float64
	}{{"suspend_below_m", p.SuspendBelow}, {"error_below_m", p.ErrorBelow}} {
		if !(q.v >= 0) {
			return fmt.Errorf("cats: %s %g: want 0 or more", q.name, q.v)
		}
	}
	return checkBounds("cats", p.Lower, p.Upper)
}

// PlantModel is 1/Σ aᵢ Dⁱ with D the backward difference over h.
func (p *CATS) PlantModel(rateHz float64, parameters []float64) func(hz float64) complex128 {
	return seriesModelOf(p.Order, rateHz, parameters)
}

type cats struct {
	series
	quiet, good  float64 // m
	lower, upper []float64
	rls          *identify.RLS
	xt           *signal.Filter // of the target of the reading's instant
	x            [maxSeries]float64
}

func (c *cats) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	command[0] = c.command(target.X[0])
	var u float64
	c.x, u = c.pair(read)
	missed := c.xt.Step(c.target.At(c.lead)) - c.x[0]
	if !c.Learns(read) || c.frozen || c.unaimed.Pass() || math.Abs(c.x[0]) < c.quiet || math.Abs(missed) < c.good {
		return
	}
	c.rls.Update(c.x[:c.n], u)
	clamp(c.a[:c.n], c.rls.Theta(), c.lower, c.upper)
}

func (c *cats) VisitState(v *rths.StateVisitor) {
	c.series.VisitState(v)
	c.xt.VisitState(v)
}

func (c *cats) VisitAdaptation(v *rths.StateVisitor) {
	c.rls.VisitAdaptation(v)
	v.Float((*float64)(&c.unaimed))
	if v.Restoring() {
		clamp(c.a[:c.n], c.rls.Theta(), c.lower, c.upper)
	}
}

func (c *cats) Pinned() bool { return !slices.Equal(c.a[:c.n], c.rls.Theta()) }

func (c *cats) Estimates() []rths.Channel { return firstEstimates(c.Channels(), c.rls.Theta()) }

func (c *cats) Channels() []rths.Channel { return bounded(c.series.Channels(), c.lower, c.upper) }

func (c *cats) AtBounds() []string { return held(c.Channels(), c.Estimates()) }

var catsTunable = []rths.Tunable{
	seriesOrder, cutoff,
	{Key: "p0", From: 0.001, To: 10, Log: true, Relative: true},
	{Key: "forgetting", From: 0.998, To: 1},
}
