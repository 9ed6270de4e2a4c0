package rig

import (
	"fmt"

	"rths"
)

// SlippedPin is a pin that slips along its actuator. The body then follows as fast as the actuator brings it back; until
// then the sensor shows the whole slip.
type SlippedPin struct {
	Actuator int `yaml:"actuator" doc:"number of the actuator, from 1"`
	Span     `yaml:",inline"`
	Slip     float64 `yaml:"slip_m" doc:"how far it slips, m; positive: the actuator is longer than the body shows"`
}

// Make makes it.
func (p *SlippedPin) Make(c FaultConfig, _ string) (*Fault, error) {
	if p.Actuator < 1 || p.Actuator > c.Axes {
		return nil, fmt.Errorf("actuator %d: want 1 to %d", p.Actuator, c.Axes)
	}
	if p.Slip == 0 || !rths.Finite(p.Slip) {
		return nil, fmt.Errorf("slip_m %g: want another number than 0", p.Slip)
	}
	at := p.Actuator - 1
	slip := &slippedPin{at, p.Slip}
	f := &Fault{Kind: "slipped-pin", Channel: numbered("measured", "m", at, c.Axes), places: []int{at}, reading: slip,
		command: slip}
	var err error
	f.From, f.To, err = p.ticks(c)
	return f, err
}

type slippedPin struct {
	axis int
	slip float64
}

func (s *slippedPin) read(r *rths.Reading, _ int, on bool) {
	if on {
		r.X[s.axis] += s.slip
	}
}

func (s *slippedPin) write(command []float64, _ int, on bool) {
	if on {
		command[s.axis] -= s.slip
	}
}
