package scenario

import (
	"rths/method/criteria"
	"rths/model/plant"
)

// references gives the criteria the voltages of the commands, where the transfer system
// states them, and in a closed loop the reference response.
func (b *builder) references() error {
	held, _, _ := b.boundary.size()
	b.judged = criteria.At{RateHz: b.s.RateHz, StepHz: 1 / b.dt, Samples: b.run.Samples, Actuators: b.s.Axes(), LoadCells: b.loadCells(),
		Held:  held,
		Truth: b.truth(), Building: b.building}
	if b.judged.Accelerations = b.s.Sensors.Acceleration && b.s.TwoRate == nil; b.s.Sensors.Acceleration &&
		b.s.TwoRate != nil {
		b.run.Notes = append(b.run.Notes,
			"no criterion acceleration: between main instants the target of two_rate is a line in time and has no acceleration")
	}
	if b.path != nil {
		b.judged.Accelerations = false
	}
	if w, ok := b.s.transferMaker().(plant.Wired); ok {
		for _, c := range w.Channels() {
			per, at := c.Volts()
			b.judged.Volts = append(b.judged.Volts, criteria.Volts{PerM: per, At: at})
		}
	}
	if b.part == nil || b.s.Loop == "open" {
		return nil
	}
	return b.boundary.compare(b)
}

// loadCells is the number of forces that are measured at the actuators; recovered ones are not.
func (b *builder) loadCells() int {
	_, _, n := b.boundary.size()
	return n
}

// judge makes the criteria.
func (b *builder) judge() error {
	for _, row := range b.s.Criteria.Rows {
		made, err := row.Make(b.judged)
		if err != nil {
			return err
		}
		for _, c := range made {
			b.observers = append(b.observers, c)
			b.run.Criteria = append(b.run.Criteria, c)
			if spectra, ok := c.(*criteria.FloorSpectra); ok {
				b.run.Spectra = spectra
			}
		}
	}
	return nil
}

// Tracking is the criterion of every actuator.
func (r *Run) Tracking() (out []*criteria.Tracking) {
	for _, c := range r.Criteria {
		if t, ok := c.(*criteria.Tracking); ok {
			out = append(out, t)
		}
	}
	return out
}
