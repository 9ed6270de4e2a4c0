package session

import (
	"fmt"

	"rths/lab/rig/wire"
	"rths/result/record"
)

// completeRig completes what a manifest says of its rig when the session has ended, with the counts of
// both sides; known: the rig has given its own.
func completeRig(m *record.Manifest, ours, theirs wire.Counts, known bool) {
	of := m.Rig
	of.Sent, of.Received, of.Repeated, of.Old, of.Bad = ours.Sent, ours.Received, ours.Repeated, ours.Old, ours.Bad
	of.RigSent, of.RigReceived, of.RigClipped, of.Parted = theirs.Sent, theirs.Received, theirs.Clipped, known
	if theirs.Clipped > 0 {
		m.Warnings = append(m.Warnings,
			fmt.Sprintf("the rig has clipped %d commands to its range or rate: the specimen did not move as the record's "+
				"command says", theirs.Clipped))
	}
}
