package rths_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"rths"
	"rths/compensate"
	"rths/rthstest"
)

// implicit is an integrator whose third step does not converge.
type implicit struct{ step int }

func (i *implicit) Step(target *rths.Motion, _ []float64, _ *rths.Reading) {
	i.step++
	if target.X[0] = 1e-3; i.step > 2 {
		target.X[0] = math.NaN()
	}
}
func (i *implicit) Closing() bool { return true }

var errImplicit = errors.New("not converged")

func (i *implicit) Err() error {
	if i.step > 2 {
		return errImplicit
	}
	return nil
}

// keeper is a rig that takes over, and remembers from what.
type keeper struct {
	*meter
	from *rths.DivergedError
}

func (k *keeper) Keep(d *rths.DivergedError) bool { k.from = d; return true }

// A step that failed ends the run with the integrator's reason, not as a divergence, and no
// command leaves. A rig that keeps itself safe gets the reason.
func TestIntegratorFailure(t *testing.T) {
	b := newTestbed(t, false, rths.Timing{}, func(c *rths.Config) { c.Integrator = &implicit{} })
	err := b.loop.Run(0, nil)
	var d *rths.DivergedError
	if !errors.Is(err, errImplicit) || errors.As(err, &d) || !strings.Contains(err.Error(), "integrator at t = 0.0200 s") {
		t.Errorf("%v: want the integrator's error at 0.02 s", err)
	}
	if len(b.rig.commands) != 2 {
		t.Errorf("%d commands left: want 2", len(b.rig.commands))
	}
	var kept *keeper
	b = newTestbed(t, false, rths.Timing{}, func(c *rths.Config) {
		c.Integrator = &implicit{}
		kept = &keeper{meter: c.Rig.(*meter)}
		c.Rig = kept
	})
	if err := b.loop.Run(0, nil); err != nil || kept.from == nil || kept.from.Why != errImplicit || kept.from.What != "target" {
		t.Errorf("%v, kept from %+v: want the run to go on, kept from the integrator's failure", err, kept.from)
	}
}

// failing is a compensator whose third step fails.
type failing struct{ step int }

func (c *failing) Step(command []float64, target *rths.Motion, _ *rths.Reading) {
	c.step++
	copy(command, target.X)
}

func (c *failing) Err() error {
	if c.step > 2 {
		return errImplicit
	}
	return nil
}

// around is a compensator around another one.
type around struct{ *failing }

func (around) Err() string   { return "another method of the name" }
func (c around) Unwrap() any { return c.failing }

// A step of the compensator that failed ends the run with its reason, and no command leaves; so does one inside a wrapper or among
// several.
func TestCompensatorFailure(t *testing.T) {
	several, err := compensate.Each(&failing{step: -100})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []rths.Compensator{&failing{}, around{&failing{}}, rthstest.Must(compensate.Each(&failing{}))} {
		b := newTestbed(t, false, rths.Timing{}, func(config *rths.Config) { config.Compensator = c })
		err := b.loop.Run(0, nil)
		var d *rths.DivergedError
		if !errors.Is(err, errImplicit) || errors.As(err, &d) || !strings.Contains(err.Error(), "compensator at t = 0.0200 s") || len(b.rig.commands) != 2 {
			t.Errorf("%T: %v after %d commands: want the compensator's error at 0.02 s, after 2", c, err, len(b.rig.commands))
		}
	}
	b := newTestbed(t, false, rths.Timing{}, func(config *rths.Config) { config.Compensator = several })
	if err := b.loop.Run(0, nil); err != nil {
		t.Errorf("%v from a compensator that does not fail", err)
	}
}
