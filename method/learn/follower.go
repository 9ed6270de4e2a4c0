// Package learn finds the parameters of a device's law from the force of the one in the laboratory, so that the copies
// in the numerical part act as it does.
//
// Not for parameters that the motion cannot tell apart: they wander within their bounds, and only their standard
// deviations say so. Of a law of the wrong class the parameters fit what was measured, and their standard deviations
// mean nothing; the residual is then not white.
package learn

import (
	"fmt"
	"math"

	"rths"
	"rths/model/device"
)

// Settings of a filter.
type Settings struct {
	RateHz     float64
	Noise      float64 // standard deviation of the measured force, N, more than 0
	StillBelow float64 // speed below which nothing is learned, m/s
	PinnedS    float64 // s at a bound after which the last sound parameters come back
}

// follower takes a law along the measured motion, with parameters θ in units of their nominal values: its state z̄, and
// how that hangs on each parameter, S = ∂z/∂θ.
type follower struct {
	law       device.Law
	p         []device.Parameter
	s         Settings
	unit      []float64 // nominal values
	low, high []float64 // of θ
	theta     []float64
	state     []float64       // z̄
	slope     [most][]float64 // of each parameter: ∂z/∂θ
	next      []float64       // states on trial
	moved     []float64
	trial     []float64
	path      *device.Path
	at        float64 // m, the deformation before
	begun     bool
	h         float64 // s, of a tick

	residual, predicted float64 // N, and its standard deviation
	white               whiteness
}

const (
	shift  = 1e-6 // of θ, for ∂z/∂θ
	margin = 1e-3 // of the bounds' distance, that θ keeps from them
	most   = 6    // parameters
)

func newFollower(law device.Law, p []device.Parameter, s Settings) (*follower, error) {
	if len(p) == 0 || len(p) > most {
		return nil, fmt.Errorf("%d parameters to learn: want 1 to %d", len(p), most)
	}
	for _, q := range []struct {
		name string
		v    float64
	}{{"rate", s.RateHz}, {"standard deviation of the force", s.Noise}, {"time at a bound", s.PinnedS}} {
		if !(q.v > 0) || math.IsInf(q.v, 0) {
			return nil, fmt.Errorf("%s %g: want more than 0", q.name, q.v)
		}
	}
	if !(s.StillBelow >= 0) {
		return nil, fmt.Errorf("speed %g m/s below which nothing is learned: want 0 or more", s.StillBelow)
	}
	nz := law.States()
	f := &follower{law: law, p: p, s: s, h: 1 / s.RateHz, state: make([]float64, nz), next: make([]float64, nz),
		moved: make([]float64, nz), trial: make([]float64, nz)}
	for i := range p {
		q := &p[i]
		nominal := *q.V
		if !(q.Low < nominal && nominal < q.High) || !rths.Finite(q.Low) || !rths.Finite(q.High) || !(q.Low > 0) {
			return nil, fmt.Errorf("%s: %g is not between its bounds %g and %g, or these are not above 0: want bounds around the "+
				"nominal value", q.Name, nominal, q.Low, q.High)
		}
		f.unit, f.theta = append(f.unit, nominal), append(f.theta, 1)
		f.low, f.high = append(f.low, q.Low/nominal), append(f.high, q.High/nominal)
		f.slope[i] = make([]float64, nz)
	}
	var err error
	f.path, err = device.NewPath(law, f.h, p...)
	return f, err
}

// goes takes the states along by a tick, on the straight line from the deformation before, and reports whether something
// can be learned at its end. (The rate at the end, for the whole tick, would be half a tick early.)
func (f *follower) goes(x, v, force float64, old bool) bool {
	if !rths.Finite(x) || !rths.Finite(v) {
		return false
	}
	if !f.begun {
		f.begun, f.at = true, x-v*f.h
	}
	f.follow(x)
	f.at = x
	f.set(f.theta)
	return !old && math.Abs(v) >= f.s.StillBelow && rths.Finite(force)
}

// set has the law use θ.
func (f *follower) set(theta []float64) {
	for i := range f.p {
		*f.p[i].V = theta[i] * f.unit[i]
	}
}

// follow moves z̄ and ∂z/∂θ by a tick.
func (f *follower) follow(x float64) {
	copy(f.next, f.state)
	f.path.Advance(f.next, f.at, x)
	for j, slope := range f.slope[:len(f.p)] {
		for i, z := range f.state {
			f.moved[i] = z + shift*slope[i]
		}
		*f.p[j].V = (f.theta[j] + shift) * f.unit[j]
		f.path.Advance(f.moved, f.at, x)
		*f.p[j].V = f.theta[j] * f.unit[j]
		for i := range slope {
			slope[i] = (f.moved[i] - f.next[i]) / shift
		}
	}
	copy(f.state, f.next)
}

// bring takes the law from rest to the deformation x.
func (f *follower) bring(x float64) {
	device.Bring(f.law, f.state, x)
	for j, slope := range f.slope[:len(f.p)] {
		*f.p[j].V = (f.theta[j] + shift) * f.unit[j]
		device.Bring(f.law, f.moved, x)
		*f.p[j].V = f.theta[j] * f.unit[j]
		for i := range slope {
			slope[i] = (f.moved[i] - f.state[i]) / shift
		}
	}
	f.begun, f.at = true, x
}

// move changes a parameter within its bounds, and the states with it.
func (f *follower) move(j int, by float64) {
	room := margin * (f.high[j] - f.low[j])
	to := min(max(f.theta[j]+by, f.low[j]+room), f.high[j]-room)
	for i, s := range f.slope[j] {
		f.state[i] += s * (to - f.theta[j])
	}
	f.theta[j] = to
}

// forceAt is the law's force at θ̄ + d.
func (f *follower) forceAt(x, v float64, d []float64) float64 {
	copy(f.trial, f.state)
	for j := range d {
		*f.p[j].V = (f.theta[j] + d[j]) * f.unit[j]
		for i, s := range f.slope[j] {
			f.trial[i] += s * d[j]
		}
	}
	force := f.law.Force(x, v, f.trial)
	f.set(f.theta)
	return force
}

// Slopes are ∂F/∂p in the unit of each parameter, and the standard deviation of the force.
func (f *follower) Slopes(x, v float64) (slopes []float64, sd float64) {
	if !(math.Abs(v) >= f.s.StillBelow) {
		return nil, f.s.Noise
	}
	y := f.forceAt(x, v, nil)
	d := make([]float64, len(f.p))
	for j := range d {
		clear(d)
		d[j] = shift
		slopes = append(slopes, (f.forceAt(x, v, d)-y)/shift/f.unit[j])
	}
	return slopes, f.s.Noise
}

// AtBound reports whether a parameter lies at one of its bounds.
func (f *follower) AtBound() bool {
	for j, v := range f.theta {
		if room := 1.001 * margin * (f.high[j] - f.low[j]); v <= f.low[j]+room || v >= f.high[j]-room {
			return true
		}
	}
	return false
}

// judge remembers a residual e (N) and the standard deviation that it should have.
func (f *follower) judge(e, sd float64) {
	f.residual, f.predicted = e, sd
	f.white.take(e/sd, 1-f.h/whiteS)
}

// Residual is the measured force less the predicted one of the last reading that was learned from, and the standard
// deviation that it should have, N.
func (f *follower) Residual() (residual, sd float64) { return f.residual, f.predicted }

// White reports whether the residuals look like white noise of at most the predicted size, over 3 s of readings that
// were learned from, and at least one second. Of a law of the wrong class they do not: of 400 devices with a backlash one
// passed. Of the right class they may not either while the search lasts: of 400 devices 2 were doubted after 20 s
// (TestCopiesLearn with RTHS_FULL=all).
func (f *follower) White() bool { return f.white.n < f.s.RateHz || f.white.is() }

// VisitState visits the states of the law.
func (f *follower) VisitState(v *rths.StateVisitor) {
	v.Floats(f.state)
	v.Float(&f.at)
	v.Bool(&f.begun)
	v.Floats(f.slope[:len(f.p)]...)
}

// VisitAdaptation visits the parameters, and the residuals.
func (f *follower) VisitAdaptation(v *rths.StateVisitor) {
	v.Floats(f.theta)
	v.Float(&f.residual, &f.predicted)
	v.State(&f.white)
	if v.Restoring() {
		f.set(f.theta)
	}
}
