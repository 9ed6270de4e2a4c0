package compensate

import (
	"errors"

	"rths"
	"rths/maths/signal"
)

// MBCLQG is model-based feedforward with LQG feedback (Phillips and Spencer 2012, 2013).
// With an exact model x/u = 1/(a₃s³ + a₂s² + a₁s + a₀) and no disturbance, feedforward
// leaves no error. The remaining error is modelled as the deviation system, the same model
// driven by the feedback command and a disturbance,
//
//	ż = A z + B (u_FB + d),  C z = x − x_target = −e        d = ω²/(s² + 2ζωs + ω²) w
//
// where d is white noise w through a shaping filter of second order, because errors of the
// model matter in the band of the earthquake. A Kalman filter estimates z and d from the
// noisy e, a linear–quadratic regulator minimises Σ q e² + u_FB², and
//
//	u = u_FF + u_FB,  u_FB = −K (ẑ, d̂)
//
// The design is in discrete time, exact under a held command. A reading corrects the
// estimate of its own instant, so no sample is lost. The method is written from its
// description in later papers, without its authors' weights for their actuators.
//
// The regulator is optimal for the model only. Above the model's band the plant differs,
// and the loop can be unstable: raise error_weight from 0 and check the loop's spectral
// radius (rths lint does). A pure delay of 10 to 16 ms, of which the model is a series of order 3, has
// with the defaults a gain margin of 0.39 to 0.65 (two-rate.yaml and two-stage.yaml at 1024 to 4096 Hz),
// with error_weight 0.3 of 1.7 to 4.3. Beware of lightly damped modes that the model lacks, as the benchmark's at
// 67 Hz: with the defaults the loop tolerates 1.8 times the plant's gain, with
// error_weight 100 only 1.5.
type MBCLQG struct {
	MBC        `yaml:",inline"`
	LQGWeights `yaml:",inline"`
}

func mbcLQGDefaults() *MBCLQG {
	return &MBCLQG{MBC: MBC{Derivatives: "target"}, LQGWeights: lqgDefaults()}
}

// Make designs regulator and estimator.
func (p *MBCLQG) Make(at At) (rths.Compensator, error) {
	if at.Ahead > 0 {
		return nil, errors.New("mbc-lqg: feedforward and feedback have one model, and the feedforward would compensate " +
			"what the extrapolation in front has compensated already: want mbc after an extrapolation")
	}
	f, err := p.feedforward("mbc-lqg", at)
	if err != nil {
		return nil, err
	}
	c := &mbcLQG{f: f}
	if c.lqgFeedback, err = p.feedback("mbc-lqg", p.A, at); err != nil {
		return nil, err
	}
	if p.Derivatives == "target" {
		return mbcLQGRates{c}, nil
	}
	return c, nil
}

type mbcLQG struct {
	f *feedforward
	lqgFeedback
	out signal.Sane
}

func (c *mbcLQG) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	feedback := c.of(target.X[0], read.X[0])
	command[0] = c.out.Of(c.f.of(target) + feedback)
}

func (c *mbcLQG) VisitState(v *rths.StateVisitor) {
	c.f.VisitState(v)
	c.visit(v)
	v.State(&c.out)
}

// mbcLQGRates is mbcLQG with the target's rates.
type mbcLQGRates struct{ *mbcLQG }

// UsesRates: velocity and acceleration of the target.
func (mbcLQGRates) UsesRates() {}

var mbcLQGTunable = []rths.Tunable{{Key: "error_weight", From: 1, To: 100, Log: true}, disturbance, shaping}
