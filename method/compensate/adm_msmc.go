package compensate

import (
	"fmt"

	"rths"
	"rths/method/identify"
)

// ADMMSMC is sliding-mode control with an adaptive discrete model in front of each
// actuator (Shangguan et al. 2024, section 2.1). MSMC removes the coupling, the models
// remove the delay that MSMC leaves. With y_a the target of an actuator,
//
//	y_ac[k] = Σ θ_j y_a[k−j+1], j = 1 … q                                      (41)
//
// and θ by recursive least squares of y_ac on the measured y_m, (36)–(38) corrected
// (errata 004.1). The model has no past commands (p = 0) and taps one sample apart;
// measurement and y_ac pass the same low-pass first. The command of tick k uses θ(k−1),
// then θ is updated (42).
//
// θ(0) and P(0) are the least squares of an off-line test (39), (40). The paper's values
// are not published. By default Make calculates the test: the numerical part alone under
// an earthquake is the command to MSMC around its own model. Adjacent samples leave a
// least-squares inverse nearly indeterminate; motion up to 20 Hz only and a ridge of
// 1e-12 keep θ small. An inverse fitted up to the Nyquist frequency has gains above
// 100 Hz that make the whole loop unstable.
//
// λ below 1 winds P up while nothing moves: 0.999 does no harm on the benchmark, 0.97
// gives 22 % of tracking error.
type ADMMSMC struct {
	MSMC         `yaml:",inline"`
	Q            int         `yaml:"q" doc:"displacements in the model of each actuator, 1 to 8"`
	Theta0       [][]float64 `yaml:"theta0,omitempty" doc:"θ(0) of every actuator, q numbers each; default from the calculated off-line test"`
	P0           [][]float64 `yaml:"p0,omitempty" doc:"P(0) of every actuator, 1/m²: one number, the q of the diagonal, or all rows in turn; default from the calculated off-line test"`
	Forgetting   float64     `yaml:"forgetting" doc:"forgetting factor λ per sample, at most 1"`
	FilterOrder  int         `yaml:"filter_order" doc:"order of the Butterworth low-pass on command and measurement of the regression"`
	FilterHz     float64     `yaml:"filter_hz" doc:"its cutoff, Hz; 0: no filter"`
	SuspendBelow float64     `yaml:"suspend_below_m" doc:"no update while the filtered measurement is smaller, m; 0: always update"`
}

func admSlidingDefaults() *ADMMSMC {
	return &ADMMSMC{MSMC: slidingDefaults(), Q: 4, Forgetting: 1, FilterOrder: 4, FilterHz: 20}
}

// Make designs MSMC, calculates the off-line test and puts the models in front.
func (p *ADMMSMC) Make(at At) (rths.Compensator, error) {
	c, err := p.make(at)
	if err != nil {
		return nil, fmt.Errorf("adm-msmc: %w", err)
	}
	return c, nil
}

func (p *ADMMSMC) make(at At) (*admMSMC, error) {
	if p.Q < 1 || p.Q > identify.MaxOrder {
		return nil, fmt.Errorf("q %d: want 1 to %d", p.Q, identify.MaxOrder)
	}
	d, err := p.design(at)
	if err != nil {
		return nil, err
	}
	if err := p.start(d, at); err != nil {
		return nil, err
	}
	front, err := p.front(at)
	if err != nil {
		return nil, err
	}
	yac := make([]float64, d.r)
	return &admMSMC{front: front, inner: d.compensator(), yac: yac, target: rths.Motion{X: yac}}, nil
}

// front is one model per actuator.
func (p *ADMMSMC) front(at At) (rths.Compensator, error) {
	return admOnEach(at, p.Theta0, p.P0, ADM{
		Q: p.Q, Initial: "given", History: "target", Spacing: 1, Forgetting: p.Forgetting,
		FilterOrder: p.FilterOrder, FilterHz: p.FilterHz, SuspendBelow: p.SuspendBelow,
	})
}

// admOnEach makes the same method on each actuator, but for where it starts.
func admOnEach(at At, theta0, p0 [][]float64, settings ADM) (rths.Compensator, error) {
	axes := max(at.Axes, 1)
	if len(theta0) != axes {
		return nil, fmt.Errorf("theta0 of %d actuators: want %d", len(theta0), axes)
	}
	if len(p0) != axes {
		return nil, fmt.Errorf("p0 of %d actuators: want %d", len(p0), axes)
	}
	var parts []rths.Compensator
	for i := range axes {
		one := settings
		one.Theta0, one.P0 = theta0[i], p0[i]
		c, err := one.make(at)
		if err != nil {
			return nil, fmt.Errorf("actuator %d: %w", i+1, err)
		}
		parts = append(parts, c)
	}
	return Each(parts...)
}

// start takes θ(0) and P(0) from the calculated test where they are not given.
func (p *ADMMSMC) start(d *slidingMode, at At) error {
	if p.Theta0 != nil && p.P0 != nil {
		return nil
	}
	loop, err := d.closed()
	if err != nil {
		return err
	}
	theta, p0, err := identify.Offline{RateHz: at.RateHz, Lead: at.Lead, Taps: p.Q, Alone: at.Alone}.Calculated(loop)
	if err != nil {
		return fmt.Errorf("off-line test: %w", err)
	}
	if p.Theta0 == nil {
		p.Theta0 = theta
	}
	if p.P0 == nil {
		p.P0 = p0
	}
	return nil
}

// admMSMC is the models in front, which adapt, and MSMC downstream of them.
type admMSMC struct {
	front  rths.Compensator
	inner  *msmc
	yac    []float64
	target rths.Motion `c:"-"` // of inner: yac
}

// Unwrap returns the models in front, which adapt.
func (c *admMSMC) Unwrap() any { return c.front }

func (c *admMSMC) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	c.front.Step(c.yac, target, read)
	c.inner.Step(command, &c.target, read)
}

// Channels are the parameters of the models, then the sliding variables.
func (c *admMSMC) Channels() []rths.Channel {
	return append(c.front.(rths.Channeler).Channels(), c.inner.Channels()...)
}

func (c *admMSMC) VisitState(v *rths.StateVisitor) { v.State(c.front.(rths.Stateful), c.inner) }

// Only the ratio of error_weight and state_weight counts, and of qe_mm2_s and re_mm2_s.
var admMSMCTunable = []rths.Tunable{
	{Key: "qe_mm2_s", From: 1e-8, To: 3e-6, Log: true},
	{Key: "error_weight", From: 1e4, To: 1e6, Log: true},
	reachingRate,
	{Key: "q", From: 2, To: 5, Whole: true},
}
