package compensate

import (
	"fmt"
	"math"
	"slices"

	"rths"
)

// AMB is adaptive model-based compensation (paper 001, chapter 6). The control
// plant is taken as x_m/x_c = 1/(a₃s³ + a₂s² + a₁s + a₀), the command is its
// inverse by backward differences,
//
//	x_c = a₀ x_t + a₁ ẋ_t + a₂ ẍ_t + a₃ x⃛_t            (6.3), (6.4)
//
// and the parameters follow the gradient law
//
//	Ȧ = Γ e X,  e = (x_c,f − A·X)/(1 + X·X),  X = (x_m,f, ẋ_m,f, ẍ_m,f, x⃛_m,f)   (6.5)–(6.8)
//
// where f marks the same Butterworth low-pass on command and measurement. The law takes the
// command before the converter. Integration is Euler's. Bounds apply where A is used, not
// in the integrator.
//
// The printed normaliser adds m² to (m/s)², so the published Γ holds for one level of motion
// in metres only (errata 001.10). The general one is N + Σ wᵢ Xᵢ²: N = 1 m² and w = 1 are as
// printed. Without Γ the law is made free of units. With the frequency ω_r, ãᵢ = aᵢ ω_rⁱ and
// X̃ᵢ = Xᵢ/ω_rⁱ are all of one size, and
//
//	dÃ/dt = γ e X̃,  e = (x_c,f − Ã·X̃)/(ε² + X̃·X̃)
//
// brings the error e₀ = x_c,f − Ã·X̃ down at a rate of at most γ, whatever the level of motion
// above ε: while X̃ stands still, ė₀ = −γ e₀ |X̃|²/(ε² + |X̃|²). In terms of aᵢ this is
// Γᵢ = γ ω_r^−2i, wᵢ = ω_r^−2i, N = ε²; ω_r = 2π · 5 Hz, γ = 10/s, ε = 50 µm. Euler's step is
// stable for γ < 2 × rate. A(0) is the inverse of the plant (see identify.Plant), and
// bounds keep each ãᵢ within 0.5 of its start, or within half of its start where that is more:
// the lag of a slow actuator grows by a part of itself where load takes the valve's pressure.
// The order is the largest, up to 3, with aᵢ > 0 (the inverse of a plant that lags; the paper
// bounds A by 0) and a gain of inverse and plant of at most 10 at the Nyquist frequency, where
// a plant such as a pure delay would pass on what differences make of a step.
//
// Not for plants with a resonance inside the band of the inverse.
type AMB struct {
	Order        int       `yaml:"order,omitempty" doc:"order of the inverse, 1 to 3; left out: of the lists that are given, else 3, 2 or 1 by the plant"`
	Initial      string    `yaml:"initial,omitempty" doc:"where A(0) comes from: plant (inverse of the scenario's plant up to 20 Hz), bare-transfer (inverse of its transfer system without specimen), or given (key a; without it the four numbers of Gálmez 2021, eq. 7.7); left out: given if a is, else plant"`
	A            []float64 `yaml:"a,omitempty" doc:"A(0): a0 (-), a1 (s), a2 (s²), a3 (s³)"`
	Gamma        []float64 `yaml:"gamma,omitempty" doc:"diagonal of Γ, SI; left out: from plant and rate, or with normaliser_m2 the published numbers of Gálmez 2021, section 7.2.3, for 4096 Hz"`
	Normaliser   float64   `yaml:"normaliser_m2,omitempty" doc:"N of the normaliser N + Σ w X², m²; 1 as printed; left out: 1 with gamma, else (50 µm)²"`
	Weights      []float64 `yaml:"weights,omitempty" doc:"w of the normaliser: w0 (-), w1 (s²), w2 (s⁴), w3 (s⁶); 1 as printed; left out: 1 with gamma or normaliser_m2, else (2π · 5 Hz)^−2i"`
	Lower        []float64 `yaml:"lower,omitempty" doc:"lower bounds of A; left out: zeros with gamma or normaliser_m2, else A(0) − 0.5 max((2π · 5 Hz)^−i, |A(0)|)"`
	Upper        []float64 `yaml:"upper,omitempty" doc:"upper bounds of A; left out: none with gamma or normaliser_m2, else A(0) + 0.5 max((2π · 5 Hz)^−i, |A(0)|)"`
	FilterOrder  int       `yaml:"filter_order" doc:"order of the Butterworth low-pass in the adaptation path"`
	FilterHz     float64   `yaml:"filter_hz" doc:"its cutoff, Hz"`
	RemoveOffset bool      `yaml:"remove_offset" doc:"the adaptation takes a constant offset off the readings, which it estimates while little moves"`
	FreezeBelow  float64   `yaml:"freeze_below_m" doc:"no adaptation while the filtered measurement is smaller, m; 0: always adapt"`
}

// galmezAMB holds the settings of paper 001; A and Γ are filled in by Make.
var galmezAMB = AMB{Order: 3, Initial: "given", Normaliser: 1, FilterOrder: 4, FilterHz: 20}

// derivedAMB leaves all to plant and rate. Below 20 µm noise would teach.
func derivedAMB() *AMB {
	return &AMB{FilterOrder: 4, FilterHz: 20, RemoveOffset: true, FreezeBelow: 20e-6}
}

// ω_r, γ and ε of the law that is free of units, and how far ã may go.
const (
	ambOmega = 2 * math.Pi * 5 // rad/s
	ambRate  = 10.0            // 1/s
	ambLevel = 50e-6           // m
	ambReach = 0.5
)

// Paper 001: eq. 7.7 with the digits of the AMB code, and section 7.2.3.
var (
	galmezA     = []float64{1.0, 0.01985916, 8.440143e-5, 1.985916e-7}
	galmezGamma = []float64{2.51188643150958e8, 1.584893192461114e6, 125.89254117941673, 6.309573444801933}
)

// Make resolves A(0), Γ and bounds.
func (p *AMB) Make(at At) (rths.Compensator, error) {
	if p.Order == 0 {
		p.Order = at.Start().Order(p.A, p.Gamma, p.Weights, p.Lower, p.Upper)
	}
	if p.Order < 1 || p.Order > 3 {
		return nil, fmt.Errorf("amb: order %d: want 1 to 3", p.Order)
	}
	n := p.Order + 1
	if err := p.resolve(at, n); err != nil {
		return nil, err
	}
	s, err := newSeries(n, at, p.FilterOrder, p.FilterHz, p.RemoveOffset)
	if err != nil {
		return nil, fmt.Errorf("amb: %w", err)
	}
	c := &amb{series: s, quiet: p.FreezeBelow, n0: p.Normaliser, lower: p.Lower, upper: p.Upper}
	for i, gamma := range p.Gamma {
		c.gain[i] = 1 / at.RateHz * gamma
	}
	copy(c.w[:], p.Weights)
	copy(c.sum[:], p.A)
	c.bound()
	return c, nil
}

// PlantModel is 1/Σ aᵢ Dⁱ with D the backward difference over h.
func (p *AMB) PlantModel(rateHz float64, parameters []float64) func(hz float64) complex128 {
	return seriesModelOf(p.Order, rateHz, parameters)
}

// resolve fills in what the parameters left open and checks the rest.
func (p *AMB) resolve(at At, n int) error {
	if err := startSeries(&p.Initial, &p.A, at, n); err != nil {
		return fmt.Errorf("amb: %w", err)
	}
	p.gains(n)
	for _, q := range []struct {
		name string
		v    []float64
	}{{"a", p.A}, {"gamma", p.Gamma}, {"weights", p.Weights}, {"lower", p.Lower}, {"upper", p.Upper}} {
		if len(q.v) != n && !(q.name == "upper" && q.v == nil) {
			return fmt.Errorf("amb: %d numbers in %s: want %d for order %d", len(q.v), q.name, n, p.Order)
		}
		for _, v := range q.v {
			if !rths.Finite(v) {
				return fmt.Errorf("amb: %s holds %g: want finite numbers", q.name, v)
			}
		}
	}
	if !(p.FreezeBelow >= 0) {
		return fmt.Errorf("amb: freeze_below_m %g: want 0 or more", p.FreezeBelow)
	}
	if !(p.Normaliser > 0) || slices.Min(p.Weights) < 0 {
		return fmt.Errorf("amb: normaliser_m2 %g, weights %v: want more than 0, and 0 or more", p.Normaliser, p.Weights)
	}
	return checkBounds("amb", p.Lower, p.Upper)
}

// gains fills in Γ, normaliser and bounds: the law that is free of units where neither Γ nor
// N is given, the printed one otherwise.
func (p *AMB) gains(n int) {
	if p.Gamma == nil && p.Normaliser == 0 {
		p.Normaliser = ambLevel * ambLevel
		p.Gamma = make([]float64, n)
		weights, lower, upper := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range min(n, len(p.A)) {
			unit := math.Pow(ambOmega, -float64(i))
			p.Gamma[i], weights[i] = ambRate*unit*unit, unit*unit
			reach := ambReach * max(unit, math.Abs(p.A[i]))
			lower[i], upper[i] = p.A[i]-reach, p.A[i]+reach
		}
		if p.Weights == nil {
			p.Weights = weights
		}
		if p.Lower == nil && p.Upper == nil {
			p.Lower, p.Upper = lower, upper
		}
	}
	if p.Gamma == nil {
		p.Gamma = slices.Clone(galmezGamma[:n])
	}
	if len(p.Gamma) == 4 && allZero(p.Gamma) {
		p.Gamma = p.Gamma[:n] // amb-fixed of any order
	}
	if p.Normaliser == 0 {
		p.Normaliser = 1
	}
	if p.Weights == nil {
		p.Weights = slices.Repeat([]float64{1}, n)
	}
	if p.Lower == nil {
		p.Lower = make([]float64, n)
	}
}

func allZero(x []float64) bool {
	for _, v := range x {
		if v != 0 {
			return false
		}
	}
	return true
}

type amb struct {
	series
	quiet, n0    float64            // m, m²
	gain, w      [maxSeries]float64 // h Γ, and w
	lower, upper []float64
	sum          [maxSeries]float64 // the integrator's A
}

func (c *amb) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	command[0] = c.command(target.X[0]) // (6.4)
	x, xcf := c.pair(read)
	if c.Learns(read) && !c.frozen && !c.unaimed.Pass() && math.Abs(x[0]) >= c.quiet {
		c.adapt(&x, xcf)
	}
}

// adapt takes one Euler step of the gradient law (6.5)–(6.8).
func (c *amb) adapt(x *[maxSeries]float64, xcf float64) {
	est, norm := 0.0, c.n0
	for i := range maxSeries { // beyond n all are 0
		est += c.a[i] * x[i]
		norm += c.w[i] * (x[i] * x[i])
	}
	e := (xcf - est) / norm
	for i := range maxSeries {
		if next := c.sum[i] + c.gain[i]*e*x[i]; rths.Finite(next) {
			c.sum[i] = next
		}
	}
	c.bound()
}

func (c *amb) bound() {
	for i := range c.n {
		c.a[i] = max(c.sum[i], c.lower[i])
		if c.upper != nil {
			c.a[i] = min(c.a[i], c.upper[i])
		}
	}
}

func (c *amb) VisitAdaptation(v *rths.StateVisitor) {
	v.Floats(c.sum[:c.n])
	v.Float((*float64)(&c.unaimed))
	if v.Restoring() {
		c.bound()
	}
}

func (c *amb) Pinned() bool { return c.a != c.sum }

func (c *amb) Estimates() []rths.Channel { return firstEstimates(c.Channels(), c.sum[:c.n]) }

// Channels are the parameters as used, with their bounds.
func (c *amb) Channels() []rths.Channel { return bounded(c.series.Channels(), c.lower, c.upper) }

func (c *amb) AtBounds() []string { return held(c.Channels(), c.Estimates()) }

// Γ is a factor, because a gamma that is given switches to the printed normaliser (see AMB).
var ambTunable = []rths.Tunable{
	{Key: "gamma", From: 0.01, To: 10, Log: true, Relative: true},
	seriesOrder, cutoff,
}
