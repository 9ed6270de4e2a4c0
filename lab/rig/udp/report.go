package udp

import (
	"fmt"
	"strings"

	"rths/lab/rig/wire"
)

// SessionReport is a session as rths rig --json has it.
type SessionReport struct {
	Loop     string      `json:"loop"`
	Program  string      `json:"program"`
	End      string      `json:"end"`
	Status   string      `json:"status"`
	Commands sideCounts  `json:"commands"`
	Readings sideCounts  `json:"readings"`
	Counts   wire.Counts `json:"counts"`
	At       []float64   `json:"at_m"`
	Limits   []string    `json:"limits"`
}

// sideCounts are what faults of the network did to one direction.
type sideCounts struct {
	Lost    uint64 `json:"lost"`
	Doubled uint64 `json:"doubled"`
}

// Report is the session for people and programs.
func (s Session) Report() SessionReport {
	out := SessionReport{
		Loop: s.Loop.String(), Program: s.Program, End: s.End, Status: s.Status.String(), Counts: s.Counts, At: s.At,
		Limits:   []string{},
		Commands: sideCounts{s.Lost[0], s.Doubled[0]}, Readings: sideCounts{s.Lost[1], s.Doubled[1]},
	}
	for _, e := range s.Events {
		out.Limits = append(out.Limits, fmt.Sprintf("%s is %.5g, limit %.5g: %s", e.Channel, e.Value, e.Limit, e.Action))
	}
	return out
}

// String is the session in words: how it ended, what was sent, and what the rig's limits did.
func (s *SessionReport) String() string {
	c := &s.Counts
	var out strings.Builder
	fmt.Fprintf(&out, "session of %s (%s) has ended (%s), when the rig was %s: %d datagrams sent, %d received, "+
		"of them %d repeated, %d old, %d bad", s.Loop, s.Program, s.End, s.Status,
		c.Sent, c.Received, c.Repeated, c.Old, c.Bad)
	if c.Clipped > 0 {
		fmt.Fprintf(&out, "; %d commands clipped", c.Clipped)
	}
	if n, m := s.Commands.Lost+s.Readings.Lost, s.Commands.Doubled+s.Readings.Doubled; n+m > 0 {
		fmt.Fprintf(&out, "; faults of the network took %d commands and %d readings and doubled %d and %d",
			s.Commands.Lost, s.Readings.Lost, s.Commands.Doubled, s.Readings.Doubled)
	}
	for _, text := range s.Limits {
		fmt.Fprintf(&out, "\n  %s", text)
	}
	return out.String()
}
