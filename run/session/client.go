package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"rths"
	"rths/lab/numerical"
	"rths/lab/rig"
	"rths/lab/rig/openfresco"
	"rths/model/integrate"
	"rths/result/record"
	"rths/scenario"
)

// stopFile is a file in the folder of a run. It is there when the run has ended and its analysis in another program
// should end too: the protocol has no word for that.
const stopFile = "stop"

// listenFor listens for the analysis of a scenario with an external structure. stop is asked while the server
// waits; say is for the operator.
func listenFor(s *scenario.Scenario, stop func() bool, say func(string)) (*openfresco.Server, error) {
	p, oneMotion, err := s.Outside()
	if err != nil {
		return nil, err
	}
	at, _ := s.Address() // both were checked when the scenario was read
	allowed, _ := s.Allowed()
	length, force := p.Unit()
	server, err := openfresco.Listen(openfresco.Config{
		Listen: at, UDP: p.Protocol == "udp", Allow: allowed, DOF: p.DOF,
		Units:     openfresco.Units{Length: length, Force: force},
		Stiffness: slices.Concat(p.Stiffness...), Damping: slices.Concat(p.Damping...), Mass: slices.Concat(p.Mass...),
		OneMotion: oneMotion, Stop: stop, Say: say,
	})
	return server, s.At("structure.listen", err)
}

// describeClient says in a manifest what has become of the analysis of a run that has ended.
func describeClient(m *record.Manifest, r *scenario.Run) {
	m.Client = clientOf(r, m)
	if m.Client != nil && m.Client.End == record.TimeUp && m.Status == rths.Completed {
		m.Warnings = append(m.Warnings,
			fmt.Sprintf("the run was over at its duration_s, %.6g s, before the analysis had ended: from then on the analysis "+
				"got the last force again: want a longer duration_s", r.Scenario.Duration))
	}
}

// clientOf is what a manifest says of the analysis at the end of a run; nil without one.
func clientOf(r *scenario.Run, m *record.Manifest) *record.Client {
	p := r.Scenario.External()
	if p == nil {
		return nil
	}
	value := make(map[string]float64)
	for _, c := range r.Channels {
		value[c.Name] = *c.V
	}
	of, path := r.Targets(), r.Path()
	c := &record.Client{
		Address: p.Listen, Protocol: p.Protocol, DOF: p.DOF, Units: p.Units, PerTarget: path.Samples, Path: "cubic",
		Extrapolate: p.Extrapolate,
		Steps:       int(value["client_steps"]), Motions: int(value["client_motions"]), TimeS: value["client_time_s"],
		LateTargets: of.Late, LateSamples: int(value["late_samples"]), LongestWait: of.Longest, RestSamples: of.Resting,
		End: endOfClient(r, value["client_ended"] != 0, numerical.Fault(value["client_fault"])),
	}
	if path.Ramp != integrate.Cubic {
		c.Path = "ramp"
	}
	c.Ended = m.Status == rths.Completed && c.End == record.Farewell
	if c.TimeS > 0 {
		c.TimeScale = (m.SimulatedS - float64(of.Resting)/m.RateHz) / c.TimeS
	}
	return c
}

// endOfClient is how a run and its analysis have parted.
func endOfClient(r *scenario.Run, farewell bool, fault numerical.Fault) record.ClientEnd {
	ends := map[numerical.Fault]record.ClientEnd{numerical.Left: record.Gone, numerical.NotFinite: record.NotFinite,
		numerical.TwoMotion: record.SecondMotion, numerical.Other: record.Broken}
	switch {
	case fault != 0:
		return ends[fault]
	case farewell:
		return record.Farewell
	case r.Guard != nil && r.Guard.State() >= rig.Holding:
		return record.Held
	case r.Loop.Ticks() >= r.Samples:
		return record.TimeUp
	}
	return record.Left
}

// askToStop leaves the file that the analysis of a run in a folder looks for.
func askToStop(folder string) error {
	return os.WriteFile(filepath.Join(folder, stopFile), []byte("the test has ended\n"), 0o644)
}
