package plant

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"rths"
)

// Variation lets one parameter p of a Silva2020 vary with the time t from the start of the
// run, as oil that warms up (damping, leakage), a supply pressure that falls (gain of the
// valve) or a valve that is worn:
//
//	p(t) = p (1 + s sin(b t) + d (1 − e^(−t/T)))
//
// s swings, as ω of the second-order plant does (paper 000 section 3.4), and d drifts. The
// parameter keeps its sign.
type Variation struct {
	Parameter string `yaml:"parameter" doc:"the parameter p: gain, alpha1_beta0, alpha2, alpha3, beta1 or beta2"`

	Swing float64 `yaml:"swing,omitempty" doc:"s of p (1 + s sin(b t) + d (1 − e^(−t/T))), a part of p, as 0.1; 0: none"`

	SwingRate float64 `yaml:"swing_rate_rad_s,omitempty" doc:"b of it, rad/s"`
	Drift     float64 `yaml:"drift,omitempty" doc:"d of it, a part of p: where the drift ends, as −0.3; 0: none"`
	DriftTau  float64 `yaml:"drift_tau_s,omitempty" doc:"T of it, s"`
}

// at is p(t)/p.
func (v *Variation) at(t float64) float64 {
	f := 1 + v.Swing*math.Sin(v.SwingRate*t)
	if v.Drift != 0 {
		f -= v.Drift * math.Expm1(-t/v.DriftTau)
	}
	return f
}

// ends are the least and the largest p(t)/p that the variation allows.
func (v *Variation) ends() [2]float64 {
	s := math.Abs(v.Swing)
	return [2]float64{1 - s + min(v.Drift, 0), 1 + s + max(v.Drift, 0)}
}

func (v *Variation) check() error {
	switch ends := v.ends(); {
	case !rths.Finite(ends[1]) || !rths.Finite(v.SwingRate):
		return fmt.Errorf("swing %g, swing_rate_rad_s %g, drift %g: want finite numbers", v.Swing, v.SwingRate, v.Drift)
	case !(ends[0] > 0):
		return fmt.Errorf(
			"swing %g and drift %g: the parameter falls to %.3g of itself: want more than 0, so that it keeps its sign", v.Swing,
			v.Drift, ends[0])
	case v.Swing != 0 && v.SwingRate == 0:
		return fmt.Errorf("swing %g without a rate: want swing_rate_rad_s, or no swing", v.Swing)
	case v.Drift != 0 && !(v.DriftTau > 0):
		return fmt.Errorf("drift %g in drift_tau_s %g: want more than 0 s", v.Drift, v.DriftTau)
	}
	return nil
}

// silvaParameters are the keys of Silva2020 that may vary.
var silvaParameters = []string{"gain", "alpha1_beta0", "alpha2", "alpha3", "beta1", "beta2"}

// parameters are the values of silvaParameters.
func (p *Silva2020) parameters() [6]*float64 {
	return [6]*float64{&p.Gain, &p.Alpha1Beta, &p.Alpha2, &p.Alpha3, &p.Beta1, &p.Beta2}
}

// checkVaries wants every variation to be of a parameter of its own.
func (p *Silva2020) checkVaries() error {
	for i := range p.Varies {
		v := &p.Varies[i]
		err := v.check()
		switch same := func(o Variation) bool { return o.Parameter == v.Parameter }; {
		case !slices.Contains(silvaParameters, v.Parameter):
			err = fmt.Errorf("parameter %q: want one of %s", v.Parameter, strings.Join(silvaParameters, ", "))
		case slices.ContainsFunc(p.Varies[:i], same):
			err = fmt.Errorf("%s varies twice: want swing and drift in one entry", v.Parameter)
		}
		if err != nil {
			return fmt.Errorf("silva2020 transfer system: varies[%d]: %w", i+1, err)
		}
	}
	return nil
}

// Start is the plant of the start of the run.
func (p *Silva2020) Start() TransferMaker {
	q := *p
	q.Varies = nil
	return &q
}

// extremes are the plants with every varying parameter at one of its ends.
func (p *Silva2020) extremes() []Silva2020 {
	out := []Silva2020{*p}
	for _, v := range p.Varies {
		at := slices.Index(silvaParameters, v.Parameter)
		var next []Silva2020
		for _, corner := range out {
			for _, f := range v.ends() {
				q := corner
				*q.parameters()[at] *= f
				next = append(next, q)
			}
		}
		out = next
	}
	return out
}

// varyingActuator is a Silva2020 whose parameters vary, with any specimen. Actuator and
// specimen are integrated together (RK4), and the parameters are taken at the instants of
// its stages. It cannot be held exactly.
type varyingActuator struct {
	*interacting
	now    Silva2020
	varies []varies
	k      float64 // samples made
	since  float64 // s, start of the sub-step
	still  bool    // as at the start of the run all the time
}

// varies is one variation at work.
type varies struct {
	Variation
	p  *float64 // in now
	p0 float64
}

// vary makes the plant if it is stable with its parameters held at any of their ends. (A
// plant whose parameters change as fast as it moves may be unstable all the same.)
func (p *Silva2020) vary(at At) (Plant, error) {
	const name = "silva2020"
	steps, corners := 0, p.extremes()
	for i := range corners {
		m := corners[i].mover()
		if err := m.wantStable(name, at.Specimen); err != nil {
			return nil, fmt.Errorf("%w; varies: %s", err, corners[i].ended(p))
		}
		one, err := newInteracting(name, m, p.ForceLimit, at.Specimen, 1/at.RateHz)
		if err != nil {
			return nil, err
		}
		steps = max(steps, one.steps)
	}
	load, err := newInteracting(name, p.mover(), p.ForceLimit, at.Specimen, 1/at.RateHz)
	if err != nil {
		return nil, err
	}
	load.steps, load.h = steps, 1/at.RateHz/float64(steps)
	v := &varyingActuator{interacting: load, now: *p}
	for _, one := range p.Varies {
		place := slices.Index(silvaParameters, one.Parameter)
		v.varies = append(v.varies, varies{one, v.now.parameters()[place], *p.parameters()[place]})
	}
	return v, nil
}

// ended says which parameters of a corner are where.
func (p *Silva2020) ended(start *Silva2020) string {
	var words []string
	for _, v := range start.Varies {
		words = append(words, fmt.Sprintf("%s %.4g", v.Parameter,
			*p.parameters()[slices.Index(silvaParameters, v.Parameter)]))
	}
	return strings.Join(words, ", ")
}

// rate is the equations of the plant at a stage of the sub-step.
func (v *varyingActuator) rate(dy, y []float64, stage int) {
	t := v.since + v.h*float64(stage)/2
	for i := range v.varies {
		one := &v.varies[i]
		if *one.p = one.p0; !v.still {
			*one.p *= one.at(t)
		}
	}
	v.now.fill(v.mover)
	v.interacting.rate(dy, y, stage)
}

func (v *varyingActuator) Step(now *rths.Reading, command []float64) {
	v.u = command[0]
	for i := range v.steps {
		v.since = (v.k*float64(v.steps) + float64(i)) * v.h
		v.subStep(v)
	}
	v.k++
	v.read(now)
}

// Idealise stops the variations and lifts the limit.
func (v *varyingActuator) Idealise(on bool) {
	v.still = on
	v.interacting.Idealise(on)
}

func (v *varyingActuator) VisitState(s *rths.StateVisitor) {
	s.Float(&v.k)
	v.interacting.VisitState(s)
}
