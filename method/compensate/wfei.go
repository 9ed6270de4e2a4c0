package compensate

import (
	"fmt"
	"math"
	"math/cmplx"

	"rths"
	"rths/maths/signal"
	"rths/method/identify"
)

// WFEI is an inverse of a first-order actuator whose delay follows the frequency-domain evaluation index of the last
// seconds. The idea is of Xu et al. 2019, who print no equations we have; this law is ours:
//
//	command  u[k] = α d[k] − (α − 1) d[k−1],   α = 1 + τ/h
//	delay    T = −sin(arg FEI)/(2π f_eq),   FEI and f_eq as in identify.RunningIndex
//	law      τ ← τ + (rate Δ/T_w) T   at each index, Δ after the one before
//
// with the window T_w. The sine is the phase to third order, and has its sign at every phase. A window shows the delay
// of T_w/2 ago, so the law is an integrator with a dead time: it is stable for rates below π, and at rate 1 keeps 61°
// of phase. τ holds while the target's rms in the window is below suspend_below_m, while the displacement is no linear
// image of the target (coherence below 0.25), and within its bounds. Not for actuators whose delay changes within a
// window or within the frequencies of the test; the gain is not corrected.
type WFEI struct {
	Lag          `yaml:",inline"`
	WindowS      float64 `yaml:"window_s" doc:"window T_w, s"`
	Rate         float64 `yaml:"rate" doc:"share of the delay found by which τ is corrected in a window, 0 (fixed) to 1"`
	MaxTauMs     float64 `yaml:"max_tau_ms" doc:"largest τ, ms"`
	SuspendBelow float64 `yaml:"suspend_below_m" doc:"τ holds while the target's rms in the window is smaller, m"`
}

func wfeiDefaults() *WFEI {
	return &WFEI{WindowS: 2, Rate: 1, MaxTauMs: longestTau, SuspendBelow: 20e-6}
}

// Make takes the first τ from the plant where it is left out.
func (p *WFEI) Make(at At) (rths.Compensator, error) {
	tau, err := p.resolve("wfei", at)
	if err != nil {
		return nil, err
	}
	switch {
	case !(p.WindowS >= 0.5) || p.WindowS > 60:
		return nil, fmt.Errorf("wfei: window_s %g: want 0.5 to 60", p.WindowS)
	case !(p.Rate >= 0) || p.Rate > 1:
		return nil, fmt.Errorf("wfei: rate %g: want 0 to 1", p.Rate)
	case !(p.SuspendBelow >= 0):
		return nil, fmt.Errorf("wfei: suspend_below_m %g: want 0 or more", p.SuspendBelow)
	}
	if err := wantTau(p.TauMs, p.MaxTauMs); err != nil {
		return nil, fmt.Errorf("wfei: %w", err)
	}
	index := identify.NewRunningIndex(at.RateHz, p.WindowS)
	return &wfei{
		h: 1 / at.RateHz, lead: at.Lead, tau: tau, most: p.MaxTauMs / 1e3,
		step: p.Rate * index.StepS() / index.WindowS(), least: p.SuspendBelow * p.SuspendBelow,
		target: signal.NewLine(at.Lead + 2), index: index,
	}, nil
}

// PlantModel is the first-order actuator 1/(α − (α − 1)/z).
func (*WFEI) PlantModel(rateHz float64, parameters []float64) func(hz float64) complex128 {
	if len(parameters) != 1 {
		return nil
	}
	alpha := 1 + parameters[0]*rateHz
	return func(hz float64) complex128 {
		return 1 / (complex(alpha, 0) - complex(alpha-1, 0)*cmplx.Exp(complex(0, -2*math.Pi*hz/rateHz)))
	}
}

type wfei struct {
	h            float64 // s
	lead         int
	tau, most    float64 // s
	step         float64 // rate Δ/T_w
	least        float64 // mean square of the target, m²
	target       *signal.Line
	index        *identify.RunningIndex
	lastD, lastX float64 // of the last reading in time, m
	reading, out signal.Sane
	frozen       bool
}

func (c *wfei) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	c.target.Push(target.X[0])
	alpha := 1 + c.tau/c.h
	command[0] = c.out.Of(alpha*c.target.At(0) - (alpha-1)*c.target.At(1))
	c.adapt(c.reading.Of(read.X[0]), identify.Timely(read) && rths.Finite(read.X[0]))
}

// adapt compares the displacement with the target of its instant. Without a fresh reading both hold: the pair stays
// one.
func (c *wfei) adapt(measured float64, fresh bool) {
	if fresh {
		c.lastD, c.lastX = c.target.At(c.lead), measured
	}
	_, found := c.index.Add(c.lastD, c.lastX)
	if !found || c.frozen || c.index.MeanSquare() < c.least {
		return
	}
	re, im := c.index.Re, c.index.Im
	late := -im / (math.Sqrt(re*re+im*im) * 2 * math.Pi * c.index.FEq)
	c.tau = min(max(c.tau+c.step*late, 0), c.most)
}

// While another method commands, the error belongs to that method: nothing follows.
func (c *wfei) Share([]identify.Sent) bool { return false }

// Freeze holds τ.
func (c *wfei) Freeze(on bool) { c.frozen = on }

// Channels are τ with its bounds.
func (c *wfei) Channels() []rths.Channel {
	return []rths.Channel{{Name: "tau", Unit: "s", V: &c.tau, Lower: new(0.0), Upper: new(c.most)}}
}

func (c *wfei) VisitAdaptation(v *rths.StateVisitor) { v.Float(&c.tau) }

func (c *wfei) VisitState(v *rths.StateVisitor) {
	v.State(c.target, c.index, &c.reading, &c.out)
	v.Float(&c.lastD, &c.lastX)
}

func (c *wfei) Pinned() bool { return c.tau <= 0 || c.tau >= c.most }

func (c *wfei) AtBounds() []string { return atBounds(c.Channels()) }

// The delay itself is learnt.
var wfeiTunable = []rths.Tunable{
	{Key: "window_s", From: 1, To: 6, Log: true},
	{Key: "rate", From: 0.1, To: 1},
}
