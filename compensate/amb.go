package compensate

import (
	"fmt"
	"math"

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
// where f marks the same Butterworth low-pass on command and measurement. The
// normaliser adds m² to (m/s)², so Γ holds for displacements in metres only
// (errata 001.10). The law takes the command before the converter. Integration is
// Euler's. Bounds apply where A is used, not in the integrator.
//
// Not for plants with a resonance inside the band of the inverse. Gains calibrated for
// other units or other levels of motion do not carry over.
type AMB struct {
	Order       int       `yaml:"order" doc:"order of the inverse, 1 to 3"`
	Initial     string    `yaml:"initial" doc:"where A(0) comes from: given (key a), or bare-transfer (inverse of the scenario's transfer system without specimen)"`
	A           []float64 `yaml:"a,omitempty" doc:"A(0): a0 (-), a1 (s), a2 (s²), a3 (s³); default the four numbers of Gálmez 2021, eq. 7.7"`
	Gamma       []float64 `yaml:"gamma,omitempty" doc:"diagonal of Γ, SI; default 10^8.4, 10^6.2, 10^2.1, 10^0.8 (Gálmez 2021, section 7.2.3), made for 4096 Hz: less in proportion at a lower rate"`
	Lower       []float64 `yaml:"lower,omitempty" doc:"lower bounds of A; default zeros"`
	Upper       []float64 `yaml:"upper,omitempty" doc:"upper bounds of A; default none"`
	FilterOrder int       `yaml:"filter_order" doc:"order of the Butterworth low-pass in the adaptation path"`
	FilterHz    float64   `yaml:"filter_hz" doc:"its cutoff, Hz"`
	FreezeBelow float64   `yaml:"freeze_below_m" doc:"no adaptation while the filtered measurement is smaller, m; 0: always adapt"`
}

// galmezAMB holds the settings of paper 001; A and Γ are filled in by Make.
var galmezAMB = AMB{Order: 3, Initial: "given", FilterOrder: 4, FilterHz: 20}

// Paper 001: eq. 7.7 with the digits of the AMB code, and section 7.2.3.
var (
	galmezA     = []float64{1.0, 0.01985916, 8.440143e-5, 1.985916e-7}
	galmezGamma = []float64{2.51188643150958e8, 1.584893192461114e6, 125.89254117941673, 6.309573444801933}
)

// Make resolves A(0), Γ and bounds.
func (p *AMB) Make(at At) (rths.Compensator, error) {
	if p.Order < 1 || p.Order > 3 {
		return nil, fmt.Errorf("amb: order %d: want 1 to 3", p.Order)
	}
	n := p.Order + 1
	if err := p.resolve(at, n); err != nil {
		return nil, err
	}
	s, err := newSeries(n, at, p.FilterOrder, p.FilterHz)
	if err != nil {
		return nil, fmt.Errorf("amb: %w", err)
	}
	c := &amb{series: s, h: 1 / at.RateHz, quiet: p.FreezeBelow, gamma: p.Gamma, lower: p.Lower, upper: p.Upper}
	copy(c.sum[:], p.A)
	c.bound()
	return c, nil
}

// PlantModel is 1/Σ aᵢ Dⁱ with D the backward difference over h.
func (p *AMB) PlantModel(rateHz float64, parameters []float64) func(hz float64) complex128 {
	return seriesModel(p.Order+1, rateHz, parameters)
}

// resolve fills in what the parameters left open and checks the rest.
func (p *AMB) resolve(at At, n int) error {
	if err := startSeries(&p.Initial, &p.A, at, n); err != nil {
		return fmt.Errorf("amb: %w", err)
	}
	if p.Gamma == nil {
		p.Gamma = append([]float64(nil), galmezGamma[:n]...)
	}
	if len(p.Gamma) == 4 && allZero(p.Gamma) {
		p.Gamma = p.Gamma[:n] // amb-fixed of any order
	}
	if p.Lower == nil {
		p.Lower = make([]float64, n)
	}
	for _, q := range []struct {
		name string
		v    []float64
	}{{"a", p.A}, {"gamma", p.Gamma}, {"lower", p.Lower}, {"upper", p.Upper}} {
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
	return checkBounds("amb", p.Lower, p.Upper)
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
	h, quiet            float64
	gamma, lower, upper []float64
	sum                 [maxSeries]float64 // the integrator's A
}

func (c *amb) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	command[0] = c.command(target.X[0]) // (6.4)
	x, xcf := c.pair(read.X[0])
	if !c.frozen && !c.unaimed.pass() && math.Abs(x[0]) >= c.quiet {
		c.adapt(&x, xcf)
	}
}

// adapt takes one Euler step of the gradient law (6.5)–(6.8).
func (c *amb) adapt(x *[maxSeries]float64, xcf float64) {
	est, norm := 0.0, 1.0
	for i := range c.n {
		est += c.a[i] * x[i]
		norm += x[i] * x[i]
	}
	e := (xcf - est) / norm
	for i := range c.n {
		if next := c.sum[i] + c.h*c.gamma[i]*e*x[i]; rths.Finite(next) {
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

func (c *amb) AppendAdaptation(dst []float64) []float64 {
	return append(append(dst, c.sum[:c.n]...), float64(c.unaimed))
}

func (c *amb) SetAdaptation(src []float64) []float64 {
	src = src[copy(c.sum[:c.n], src):]
	c.unaimed = unaimed(src[0])
	c.bound()
	return src[1:]
}
