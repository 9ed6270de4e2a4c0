package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"rths/lab/rig/udp"
	"rths/lab/rig/wire"
	"rths/model/plant"
	"rths/result/record"
	"rths/run/session"
	"rths/scenario"
)

// toRig makes the way to the rig of the flag --rig, and sends nothing yet; nil without the flag. The
// scenario is then one with a block rig.
func (f *runFlags) toRig(cmd *cobra.Command, s **scenario.Scenario) (*udp.Rig, error) {
	if !cmd.Flags().Changed("rig") {
		return nil, nil
	}
	of, err := withRig(*s, "")
	if err != nil {
		return nil, err
	}
	w := of.Expectation("rths " + version())
	if w.Clock != wire.Lockstep {
		return nil, of.At("rig.clock", fmt.Errorf("%s: rths run --rig goes as fast as loop and rig can, in lockstep: want lockstep on both sides, as in --set rig.clock=lockstep", w.Clock))
	}
	*s = of
	return udp.New(udp.Config{
		Address: f.rig, Expected: w,
		Notice: func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), text) },
		Stop:   func() bool { return cmd.Context().Err() != nil },
	})
}

// elsewhere are notes of what a scenario asks for and a rig elsewhere does not do.
func elsewhere(link *udp.Rig, s *scenario.Scenario) (out []string) {
	if link == nil {
		return nil
	}
	if len(s.Faults) > 0 {
		out = append(out, "faults: the faults of this scenario act only in the rig that serves them; the record lists none")
	}
	if len(s.Rig.Params.Network) > 0 {
		out = append(out, "rig.network: the faults of this scenario's network act only in the rig that serves them")
	}
	return out
}

// rigOf is what a manifest says of a rig at the beginning of a run.
func rigOf(link *udp.Rig) *record.Rig {
	if link == nil {
		return nil
	}
	i := link.Info()
	return &record.Rig{Virtual: i.Virtual, Laboratory: i.Name, Address: link.Address().String(), Clock: i.Clock.String()}
}

// narrower are warnings of a rig whose ranges are less than what the scenario states of its actuators: the
// rig clips what the loop's limits let pass.
func narrower(link *udp.Rig, r plant.Rating) (out []string) {
	if link == nil {
		return nil
	}
	for i, c := range link.Info().X {
		for _, one := range []struct {
			what, key   string
			has, stated float64
			unit        string
		}{{"range", "stroke_m", c.Range, r.Stroke, c.Unit}, {"largest velocity", "rate_m_s", c.Rate, r.Rate, c.Unit + "/s"}} {
			if one.has > 0 && (one.stated == 0 || one.stated > one.has) {
				out = append(out, fmt.Sprintf("actuator %d of the rig has a %s of %.5g %s, and the scenario states %.5g: the rig clips commands beyond: want transfer.%s of at most the rig's", i+1, one.what, one.has, one.unit, one.stated, one.key))
			}
		}
	}
	return out
}

// closeRig ends the session with the rig, if there is one, and completes what the manifest says
// of the rig.
func closeRig(link *udp.Rig, m *record.Manifest) {
	if link == nil {
		return
	}
	theirs, known := link.Close()
	session.Part(m, link.Counts(), theirs, known)
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
	if r.Sent == 0 {
		fmt.Fprintf(out, "%s %q at %s, clock %s\n\n", kind, r.Laboratory, r.Address, r.Clock)
		return
	}
	fmt.Fprintf(out, "%s %q at %s, clock %s: %d datagrams sent, %d received, of them %d repeated, %d old, %d bad\n\n", kind, r.Laboratory, r.Address, r.Clock, r.Sent, r.Received, r.Repeated, r.Old, r.Bad)
}
