package session

import (
	"os"
	"path/filepath"
	"slices"

	"rths/record"
	"rths/rig/openfresco"
	"rths/scenario"
)

// StopFile is a file in the folder of a run. It is there when the run has ended and its analysis in another program should
// end too: the protocol has no word for that.
const StopFile = "stop"

// ListenFor listens for the analysis of a scenario with an external structure. stop is asked while the server waits; say is
// for the operator.
func ListenFor(s *scenario.Scenario, stop func() bool, say func(string)) (*openfresco.Server, error) {
	p, err := s.Outside()
	if err != nil {
		return nil, err
	}
	at, err := s.Address()
	if err != nil {
		return nil, s.At("structure", err)
	}
	allowed, err := s.Allowed()
	if err != nil {
		return nil, s.At("structure", err)
	}
	length, force := p.Unit()
	server, err := openfresco.Listen(openfresco.Config{
		Listen: at, UDP: p.Protocol == "udp", Allow: allowed, DOF: p.DOF, Units: openfresco.Units{Length: length, Force: force},
		Stiffness: slices.Concat(p.Stiffness...), Damping: slices.Concat(p.Damping...), Mass: slices.Concat(p.Mass...),
		OneMotion: p.RealTime, Stop: stop, Say: say,
	})
	return server, s.At("structure.listen", err)
}

// ClientOf is what a manifest says of the analysis at the end of a run; nil without one.
func ClientOf(r *scenario.Run, m *record.Manifest) *record.Client {
	p := r.Scenario.External()
	if p == nil {
		return nil
	}
	value := make(map[string]float64)
	for _, c := range r.Channels {
		value[c.Name] = *c.V
	}
	c := &record.Client{
		Address: p.Listen, Protocol: p.Protocol, Steps: int(value["client_steps"]), Motions: int(value["client_motions"]), TimeS: value["client_time_s"],
		LateSamples: int(value["late_samples"]), Ended: m.Status == record.Completed && r.Loop.Ticks() < r.Samples,
	}
	if c.TimeS > 0 {
		c.TimeScale = m.SimulatedS / c.TimeS
	}
	return c
}

// AskToStop leaves the file that the analysis of a run in a folder looks for.
func AskToStop(folder string) error {
	return os.WriteFile(filepath.Join(folder, StopFile), []byte("the test has ended\n"), 0o644)
}
