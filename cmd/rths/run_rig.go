package main

import (
	"fmt"
	"io"

	"rths/record"
	"rths/rig/udp"
	"rths/rig/wire"
	"rths/scenario"
)

// dial begins a session with the rig of the flag --rig; nil without the flag. The scenario is
// then one with a block rig.
func (f *runFlags) dial(s **scenario.Scenario) (*udp.Rig, error) {
	if f.rig == "" {
		return nil, nil
	}
	of, err := withRig(*s, "")
	if err != nil {
		return nil, err
	}
	w := of.Wish("rths " + version())
	if w.Clock != wire.Lockstep {
		return nil, of.At("rig.clock", fmt.Errorf("%s: rths run --rig goes as fast as loop and rig can, in lockstep: want lockstep on both sides, as in --set rig.clock=lockstep", w.Clock))
	}
	*s = of
	return udp.Dial(udp.Config{Address: f.rig, Wish: w})
}

// rigOf is what a manifest says of a rig at the beginning of a run.
func rigOf(link *udp.Rig) *record.Rig {
	if link == nil {
		return nil
	}
	i := link.Info()
	return &record.Rig{Virtual: i.Virtual, Laboratory: i.Name, Address: link.Address().String(), Clock: i.Clock.String()}
}

// leave ends the session with the rig, if there is one, and completes what the manifest says
// of the rig.
func leave(link *udp.Rig, of *record.Rig) {
	if link == nil {
		return
	}
	theirs, known := link.Close()
	ours := link.Counts()
	of.Sent, of.Received, of.Repeated, of.Old, of.Bad = ours.Sent, ours.Received, ours.Repeated, ours.Old, ours.Bad
	of.RigSent, of.RigReceived, of.Parted = theirs.Sent, theirs.Received, known
}

// printRig says which rig a run loaded.
func printRig(out io.Writer, r *record.Rig) {
	if r == nil {
		return
	}
	kind := "the rig"
	if r.Virtual {
		kind = "the VIRTUAL rig"
	}
	fmt.Fprintf(out, "%s %q at %s, clock %s: %d datagrams sent, %d received, of them %d repeated, %d old, %d bad\n\n", kind, r.Laboratory, r.Address, r.Clock, r.Sent, r.Received, r.Repeated, r.Old, r.Bad)
}
