package scenario

import (
	"errors"
	"fmt"
	"slices"

	"rths"
	"rths/method/criteria"
	"rths/method/stability"
	"rths/model/integrate"
)

// Indicators is the block indicators: quantities computed during the test, which limits
// may act on.
type Indicators struct {
	Energies bool    `yaml:"energies" doc:"energies of the numerical part, stability warning indicator SW, energy error indicator EEI (Gálmez 2021, sections 5.3 and 7.4), work of the tracking error"`
	Tracking bool    `yaml:"tracking" doc:"running J2, delay by least squares, frequency-domain evaluation index over a sliding window"`
	SW       float64 `yaml:"c_sw_j,omitempty" doc:"constant C_SW of SW, J; default: 1 % of the largest input work of the reference response"`
	EEI      float64 `yaml:"c_eei_j,omitempty" doc:"constant of EEI, J; default: as c_sw_j"`
}

// indicators adds the observers of the indicators, and writes constants that the
// scenario leaves open into it.
func (b *builder) indicators() error {
	in := &b.s.Indicators
	if in.SW < 0 || in.EEI < 0 {
		return fmt.Errorf("c_sw_j %g, c_eei_j %g: want more than 0, or leave them out for 1 %% of the reference's input work",
			in.SW, in.EEI)
	}
	if in.Energies {
		if err := b.energies(in); err != nil {
			return err
		}
	}
	if in.Tracking {
		for axis := range b.s.Axes() {
			s, err := stability.NewSynchrony(b.s.RateHz, axis, b.s.Axes())
			if err != nil {
				return err
			}
			b.observers = append(b.observers, s)
			b.run.Watched = append(b.run.Watched, s)
		}
	}
	b.plausibility()
	if list := b.run.Tracking(); b.s.Rig.Given() && len(list) > 0 {
		b.run.Watched = append(b.run.Watched, oldReadings{list[0]})
	}
	return nil
}

// plausibility watches the specimen of a test that has a rehearsal. A scenario whose limits name it has the channel in
// every run, also in the rehearsal itself.
func (b *builder) plausibility() {
	named := slices.ContainsFunc(b.s.Limits, func(l Limit) bool { return l.Channel == stability.ImplausiblePct })
	if !b.o.Rehearsed && !named {
		return
	}
	p := stability.NewPlausibility(b.s.RateHz, b.s.Axes())
	b.observers = append(b.observers, p)
	b.run.Plausibility = p
}

// oldReadings is the share of old readings of a run with a block rig.
type oldReadings struct{ of *criteria.Tracking }

// Summary is this share.
func (o oldReadings) Summary() []rths.Value {
	old, ticks := o.of.Old()
	return []rths.Value{{
		Name: rths.OldReadings, Meaning: rths.Meaning{Quantity: "old_readings"}, Unit: "%",
		V:   100 * float64(old) / float64(max(1, ticks)),
		Doc: "ticks of the run whose reading was older than the tick",
	}}
}

func (b *builder) energies(in *Indicators) error {
	switch {
	case b.s.External() != nil:
		return errors.New(
			"energies: the equations of motion of an external structure are in its analysis: want energies: false")
	case b.part == nil:
		return errors.New("energies: a prescribed target has no numerical part")
	case !b.shown():
		return fmt.Errorf("energies: %s: want energies: false, or no process: own", b.notShown())
	case b.part.Sparse != nil && (in.SW == 0 || in.EEI == 0):
		return fmt.Errorf(
			"energies: no reference response for a %s of %d degrees of freedom held as sparse matrices: want c_sw_j and "+
				"c_eei_j, J, about 1 %% of its input work", b.s.Structure.Kind, b.part.N())
	}
	if err := b.energyConstants(in); err != nil {
		return err
	}
	e, err := stability.NewEnergies(b.part, b.energyConfig(in))
	if err != nil {
		return err
	}
	b.observers = append(b.observers, e)
	b.run.Watched = append(b.run.Watched, e)
	return nil
}

// energyConstants sets constants that the scenario leaves open to 1 % of the largest
// input work of the reference response.
func (b *builder) energyConstants(in *Indicators) error {
	if in.SW > 0 && in.EEI > 0 {
		return nil
	}
	ref, err := b.boundary.reference(b)
	if err != nil {
		return err
	}
	wave, _ := b.wave()
	work := stability.LargestInputWork(ref, b.part.Load, b.run.Whole.K, wave, b.run.Steps)
	for _, c := range []*float64{&in.SW, &in.EEI} {
		if *c == 0 {
			*c = work / 100
		}
	}
	for i := range b.part.Devices {
		if err := b.part.Devices[i].Err(); err != nil {
			return b.s.At("devices", fmt.Errorf("in the reference response: %w", err))
		}
	}
	if !(work > 0) {
		return errors.New(
			"the excitation does no work on the reference response, 1 % of which is the default: want c_sw_j and c_eei_j, J")
	}
	return nil
}

func (b *builder) energyConfig(in *Indicators) stability.Config {
	c := stability.Config{RateHz: 1 / b.dt, SW: in.SW, EEI: in.EEI}
	_, c.Held = b.s.Integrator.Params.(integrate.Holder)
	if l, ok := b.s.Integrator.Params.(integrate.Lagger); ok {
		c.Lambda = l.FamilyLambda()
	}
	if t := b.s.TwoRate; t != nil {
		c.Every, c.RateHz = t.MainStep, b.s.RateHz/float64(t.MainStep)
	}
	return c
}

// Indicators are the indicators at the end of a run.
func (r *Run) Indicators() []rths.Value {
	var out []rths.Value
	for _, w := range r.Watched {
		out = append(out, w.Summary()...)
	}
	return out
}
