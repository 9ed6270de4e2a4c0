package scenario

import (
	"fmt"
	"math/rand/v2"

	"rths"
	"rths/lab/rig"
	"rths/maths/signal"
	"rths/model/plant"
)

func (b *builder) couple() (err error) {
	b.coupler, err = b.boundary.couple(b.s)
	return err
}

// perturb draws a random plant from one stream per trial, by scatter, or else within the
// published scatter: the specimen first, so that its stiffness does not depend on the number
// of parameters of the transfer system. The scenario keeps the nominal plant: a laboratory
// knows no other, and compensators are made for it.
func (b *builder) perturb() (err error) {
	if b.drawn = b.s; b.s.Perturbed == 0 {
		return nil
	}
	b.drawn = b.s.clone()
	r := rand.New(signal.Stream(b.s.Seed, fmt.Sprintf("plant %d", b.s.Perturbed)))
	if len(b.s.Scatter) > 0 {
		if b.run.Drawn, err = b.s.draw(r); err == nil {
			err = b.drawn.set(b.run.Drawn...)
		}
	} else if err = b.drawPublished(r); err == nil {
		b.run.Drawn = b.drawn.differences(b.s)
	}
	b.run.Name += fmt.Sprintf(", perturbed plant %d", b.s.Perturbed)
	return err
}

// drawPublished draws the published scatter of specimen and transfer system.
func (b *builder) drawPublished(r *rand.Rand) error {
	scattered := false
	specimen, err := b.drawn.specimenMaker()
	if err != nil {
		return err
	}
	for _, p := range []any{specimen, b.drawn.transferMaker()} {
		if p, ok := p.(plant.Perturbed); ok && plant.Scatters(p) {
			p.Perturb(r.NormFloat64)
			scattered = true
		}
	}
	if !scattered {
		return fmt.Errorf(
			"%d: neither the specimen (%s) nor the transfer system (%s) has a published scatter: want a block scatter, the "+
				"keys that scatter with their distributions", b.s.Perturbed, b.s.specimenKinds(), b.s.TransferKind())
	}
	return nil
}

func (b *builder) specimen() error { return b.ofPlant(b.specimenOf) }

func (b *builder) specimenOf(s *Scenario) error {
	maker, err := s.specimenMaker()
	if err == nil {
		b.spec, err = maker.Make()
	}
	return err
}

func (b *builder) transfer() error {
	axes := 1
	if p, ok := b.s.transferMaker().(plant.Axial); ok {
		axes = p.Axes()
	}
	if want := b.s.Axes(); axes != want {
		return fmt.Errorf("%s of %d axes: want %d, the number of actuators (one without a coupler and without interface)",
			b.s.TransferKind(), axes, want)
	}
	if rating := b.s.Rating(); rating.Check() != nil {
		return rating.Check()
	}
	if most, holds := b.s.Rating().Force, b.s.carries(); most > 0 && holds >= most {
		return fmt.Errorf("force_n %g N: the platform alone needs %.4g N in an actuator: want larger actuators, or a lighter "+
			"platform", most, holds)
	}
	if b.o.Rig != nil {
		return nil
	}
	return b.ofPlant(func(s *Scenario) (err error) {
		maker := s.transferMaker()
		if b.o.Transfer != nil {
			maker = b.o.Transfer
		}
		b.plant, err = maker.Make(plant.At{RateHz: b.s.RateHz, Specimen: b.spec})
		return err
	})
}

func (b *builder) converters() (err error) {
	b.convert, err = b.s.Converters.Make()
	return err
}

// rig is the virtual rig, or the one of Options, with the forces of the specimen.
func (b *builder) rig() (err error) {
	bare := b.o.Rig
	if bare == nil {
		if bare, err = b.virtual(); err != nil {
			return err
		}
	}
	b.theRig, b.forces, err = b.boundary.forces(b, bare)
	return err
}

// truth reports whether readings carry true values.
func (b *builder) truth() bool { return b.o.Rig == nil }

// virtual puts the faults directly around the sensors, so that a faulty displacement reaches
// the forces computed from it. The clock of a rig that ticks by itself stands outside of the
// faults: a fault changes the command of the tick in which the command acts.
func (b *builder) virtual() (rths.Rig, error) {
	var x, f, a []*plant.Gauge
	err := b.ofPlant(func(s *Scenario) (err error) {
		x, f, a, err = b.gauges(&s.Sensors)
		return err
	})
	if err != nil {
		return nil, err
	}
	virtual := rig.NewVirtual(b.plant, b.convert.Command, x, f)
	var bare rths.Rig = virtual
	if len(a) > 0 {
		bare = rig.NewAccelerated(virtual, a, b.s.RateHz)
	}
	if body, ok := b.s.Coupler.Params.(*plant.RigidBody); ok && len(body.Instruments) > 0 {
		if bare, err = b.instrumented(bare, virtual, body); err != nil {
			return nil, err
		}
	}
	bare = b.faulty(bare)
	if b.s.rigTicks() {
		bare = rig.NewOwnClock(bare, b.s.Axes(), b.lead())
	}
	return bare, nil
}

// instrumented puts the instruments of a body around a virtual rig.
func (b *builder) instrumented(bare rths.Rig, virtual *rig.Virtual, p *plant.RigidBody) (rths.Rig, error) {
	body, err := p.Body()
	if err != nil {
		return nil, err
	}
	var gauges []*plant.Gauge
	err = b.ofPlant(func(s *Scenario) (err error) {
		gauges, err = s.Sensors.Instruments(len(p.Instruments), b.h, b.s.Seed)
		return err
	})
	return rig.NewInstrumented(bare, virtual, body, gauges), err
}

// gauges are the sensors of displacement, force and acceleration.
func (b *builder) gauges(of *plant.Sensors) (x, f, a []*plant.Gauge, err error) {
	_, axes, loadCells := b.boundary.size()
	if x, f, err = of.Gauges(axes, loadCells, b.h, b.s.Seed, b.convert); err != nil {
		return nil, nil, nil, err
	}
	a, err = of.Accelerometers(axes, b.h, b.s.Seed)
	return x, f, a, err
}

// accelerometers is their number: one on every actuator, or none.
func (s *Scenario) accelerometers() int {
	if !s.Sensors.Acceleration {
		return 0
	}
	return s.Axes()
}

// sensors are the numbers of sensors of the rig.
func (s *Scenario) sensors() rths.Sensors {
	_, axes, loadCells := s.boundary().size()
	out := rths.Sensors{X: axes, F: loadCells, A: s.accelerometers()}
	if body, ok := s.Coupler.Params.(*plant.RigidBody); ok {
		out.L = len(body.Instruments)
	}
	return out
}

// computed replaces the force of the load cell by the force of the specimen's model under
// the measured displacement.
func (b *builder) computed() error {
	if b.s.Force != "computed" {
		return nil
	}
	r, err := rig.NewComputed(b.theRig, b.spec, b.s.RateHz)
	b.theRig = r
	return err
}
