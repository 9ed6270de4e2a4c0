package scenario

import (
	"errors"

	"rths"
	"rths/lab/rig"
	"rths/model/plant"
)

// Laboratory is the physical side of a scenario by itself, which a loop in another process
// loads (Options.Rig). Its rig has the bits of the virtual rig of Build: a loop over the one
// and over the other is the same run.
type Laboratory struct {
	Scenario *Scenario // resolved, as in Run
	Name     string    // of the test, with the number of a random plant

	// Rig is transfer system with specimen, converters, sensors and faults, and rig.OwnClock
	// around them if the rig ticks by itself: then write the newest command in every tick. The
	// forces that the loop computes or recovers, and its guard, are the loop's.
	Rig     rths.Rig
	RateHz  float64
	Sensors rths.Sensors // of a reading; a command has a value for each actuator

	Rating  plant.Rating // of the actuators
	ReachM  float64      // largest displacement that the default limits allow, m
	Profile rig.Profile  // of on_trip, for ramps to safety
	Faults  *rig.Faults  // nil without faults
	Network *rig.Network // between the loop and this laboratory; nil without faults
	Drawn   []rths.Value // what a random plant has in place of nominal values
}

// Laboratory makes the physical side alone. It reads ground motions only where faults need
// the length of the run.
func (s *Scenario) Laboratory(o Options) (*Laboratory, error) {
	b := s.builder(o)
	if err := b.s.wantAtRest(); err != nil {
		return nil, err
	}
	if err := b.schedule(); err != nil {
		return nil, err
	}
	var bare rths.Rig
	var profile rig.Profile
	err := b.make(
		part{"coupler", b.couple}, part{"perturbed", b.perturb}, part{b.s.specimenKey(), b.specimen},
		part{b.s.TransferKey(), b.transfer}, part{"converters", b.converters},
		part{"sensors", func() (err error) { bare, err = b.virtual(); return err }},
		part{"on_trip", func() (err error) { profile, err = b.s.rampProfile(); return err }},
	)
	if err != nil {
		return nil, err
	}
	var network *rig.Network
	if len(b.network) > 0 {
		network = rig.NewNetwork(b.faultConfig(), b.network)
	}
	return &Laboratory{
		Scenario: b.s, Name: b.run.Name, Rig: bare, RateHz: b.s.RateHz, Sensors: b.s.sensors(),
		Rating: b.s.Rating(), ReachM: b.s.reach(), Profile: profile, Faults: b.run.Faults, Network: network,
		Drawn: b.run.Drawn,
	}, nil
}

// standS is the time for which a laboratory that shall stand somewhere holds its command: then it has settled, s.
const standS = 5

// Stand brings the actuators to a place, m, before anybody looks.
func (l *Laboratory) Stand(at []float64) error {
	r := l.Sensors.Reading()
	for range int(standS * l.RateHz) {
		if err := l.Rig.Write(at); err != nil {
			return err
		}
		if err := l.Rig.Read(&r); err != nil {
			return err
		}
	}
	return nil
}

// schedule makes the faults of a laboratory and its network, for the length of the run.
func (b *builder) schedule() error {
	if len(b.s.Faults) == 0 && (!b.s.Rig.Given() || len(b.s.Rig.Params.Network) == 0) {
		return nil
	}
	if err := b.shake(); err != nil {
		return err
	}
	if err := b.makeFaults(); err != nil {
		return err
	}
	return b.makeNetwork()
}

// wantAtRest refuses a rig elsewhere that a run would have to bring to its start: a virtual run
// brings it there as fast as it computes, and starts from true forces.
func (s *Scenario) wantAtRest() error {
	if len(s.Initial) == 0 {
		return nil
	}
	return s.At("initial_displacement",
		errors.New("only a virtual rig is brought there before the run: for a rig elsewhere want a start from rest, such "+
			"as a ground motion or forces that move the structure, or run the scenario virtually"))
}
