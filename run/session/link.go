package session

import (
	"time"

	"rths"
	"rths/lab/rig/udp"
	"rths/lab/rig/wire"
	"rths/scenario"
)

// link is a rig with a session: udp.Rig, or inside.
type link interface {
	rths.Rig
	Begin() error
	Info() *wire.Info
	Idle(*rths.Reading) (trip time.Duration, err error)
	Given() (number, acted uint64, status wire.Status, measured int64)
	Paces() bool
	Waited() (late time.Duration, slept bool)
	Counts() wire.Counts
	Close() (theirs wire.Counts, known bool)
}

// newLink is the rig at an address; without one the virtual rig of the scenario, in this process.
func (l *loop) newLink(s *scenario.Scenario, j *Job) (link, error) {
	of := s.Link()
	if j.Address == "" {
		return newInside(s, j.Records)
	}
	return udp.New(udp.Config{
		Address: j.Address, Expected: s.Expectation("rths " + j.Program), ReplyWithin: time.Duration(of.ReplyWithinUs * 1e3),
		Notice: func(text string) { l.note(text) },
		Stop:   l.look,
	})
}

// inside is a virtual rig in the process of the loop, which moves one sample with every command: a loop without a
// network, to be timed.
type inside struct {
	rths.Rig
	info   wire.Info
	number uint64 // of the next reading
}

func newInside(s *scenario.Scenario, records string) (*inside, error) {
	lab, err := s.Laboratory(scenario.Options{RecordsDir: records})
	if err != nil {
		return nil, err
	}
	r := &inside{Rig: lab.Rig, info: lab.Info()}
	r.info.Virtual = true
	return r, nil
}

func (r *inside) Begin() error                  { return nil }
func (r *inside) Info() *wire.Info              { return &r.info }
func (r *inside) Paces() bool                   { return false }
func (r *inside) Waited() (time.Duration, bool) { return 0, false }
func (r *inside) Counts() wire.Counts           { return wire.Counts{} }
func (r *inside) Close() (wire.Counts, bool)    { return wire.Counts{}, true }
func (r *inside) Unwrap() any                   { return r.Rig }

// Idle reads the sensors of a rig that stands still; every reading of a virtual rig is one of its samples, so that this
// one is of its start.
func (r *inside) Idle(out *rths.Reading) (time.Duration, error) {
	clear(out.X)
	clear(out.F)
	clear(out.A)
	clear(out.L)
	out.Age = 0
	return 0, nil
}

// Read reads the sensors.
func (r *inside) Read(out *rths.Reading) error {
	r.number++
	return r.Rig.Read(out)
}

// Given is the last reading: the command before it has acted.
func (r *inside) Given() (number, acted uint64, status wire.Status, measured int64) {
	if r.number == 0 {
		return wire.None, wire.None, wire.Status(wire.Idle), 0
	}
	acted = wire.None
	if r.number > 1 {
		acted = r.number - 2
	}
	return r.number - 1, acted, wire.Status(wire.Running), int64(float64(r.number-1) * 1e9 / r.info.RateHz)
}
