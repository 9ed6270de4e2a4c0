package scenario

import (
	"fmt"

	"rths"
	"rths/lab/rig"
	"rths/scenario/syntax"
)

// Fault is a fault on request, of a kind of rig.FaultKinds.
type Fault struct{ syntax.Choice[rig.FaultMaker] }

// Prepare sets the table.
func (f *Fault) Prepare() { f.Choice = syntax.NewChoice(rig.FaultKinds) }

// makeFaults makes the faults. The place of a fault in the list chooses its random
// numbers. The faults of a rig elsewhere act there: a run on it only checks them.
func (b *builder) makeFaults() error {
	for i, f := range b.s.Faults {
		made, err := f.Params.Make(b.faultConfig(), fmt.Sprintf("fault %d", i+1))
		if err == nil {
			err = made.Clash(b.faults)
		}
		if err != nil {
			return b.s.At(fmt.Sprintf("faults[%d]", i+1), err)
		}
		b.faults = append(b.faults, made)
	}
	return nil
}

func (b *builder) faultConfig() rig.FaultConfig {
	_, axes, loadCells := b.boundary.size()
	if b.s.Force == "computed" {
		loadCells = 0
	}
	samples := b.run.Samples
	if b.s.Slow() { // its end is not known, and faults count the laboratory's time
		samples = longest
	}
	return rig.FaultConfig{RateHz: b.s.RateHz, Samples: samples, Lead: b.lead(), Axes: axes, LoadCells: loadCells,
		Accelerometers: b.s.accelerometers(), Instruments: b.s.sensors().L, Seed: b.s.Seed}
}

// faulty puts the faults around the bare rig.
func (b *builder) faulty(bare rths.Rig) rths.Rig {
	if len(b.faults) == 0 {
		return bare
	}
	b.run.Faults = rig.NewFaults(bare, b.faultConfig(), b.faults)
	return b.run.Faults
}
