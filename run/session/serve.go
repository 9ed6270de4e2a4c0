package session

import (
	"errors"
	"fmt"

	"rths"
	"rths/lab/rig/udp"
	"rths/scenario"
)

// NewServer serves the laboratory of a scenario at an address; every session gets a rig with a new specimen, which
// stands at a place (nil: at zero).
func NewServer(
	s *scenario.Scenario, listen string, at []float64, o scenario.Options, notice func(string), report func(udp.Session),
) (*udp.Server, *scenario.Laboratory, error) {
	lab, err := s.Laboratory(o)
	if err != nil {
		return nil, nil, err
	}
	if at != nil && len(at) != lab.Sensors.X {
		return nil, nil, fmt.Errorf("--at: %d places: want %d, one for each actuator", len(at), lab.Sensors.X)
	}
	if at != nil && lab.Faults != nil {
		return nil, nil, s.At("faults", errors.New("beside --at: their times would count from the moment at which the rig "+
			"is brought there: leave one of them out"))
	}
	limits := lab.OwnLimits()
	limits.Start = at
	fresh := func() (rths.Rig, error) {
		l, err := s.Laboratory(o)
		if err == nil && at != nil {
			err = l.Stand(at)
		}
		if err != nil {
			return nil, err
		}
		return l.Rig, nil
	}
	server, err := udp.NewServer(listen, udp.Laboratory{
		Info: lab.Info(), Guard: limits, Network: lab.Network, Make: fresh, Notice: notice,
	}, report)
	return server, lab, err
}
