package wire

import "strings"

// Status says what a rig does: one state, and flags.
type Status uint16

// The states.
const (
	Idle      Status = iota // has a session and holds: no Start yet
	Running                 // takes commands
	Holding                 // a limit or the watchdog acts: commands are ignored
	Ramping                 // goes to safety
	Tripped                 // has come there
	stateMask = 0xf
)

// The flags.
const (
	Clipped  Status = 1 << (4 + iota) // the newest command was clipped to range or rate: another one left
	Watchdog                          // the watchdog acted, as no command came
	OwnLimit                          // a limit of the rig acted
	Trigger                           // the first reading after Start
	flagsEnd
)

var (
	stateNames = []string{"idle", "running", "holding", "ramping", "tripped"}
	flagNames  = []string{"clipped", "watchdog", "own limit", "trigger"}
)

// State is the status without its flags.
func (s Status) State() Status { return s & stateMask }

// Alone reports whether the rig takes no more commands: it goes to safety, or its watchdog or a limit of its own has
// acted, in whatever state it reports.
func (s Status) Alone() bool { return s.State() > Running || s.Has(Watchdog|OwnLimit) }

// Has reports whether a flag is up.
func (s Status) Has(flag Status) bool { return s&flag != 0 }

// String has the state and its flags in words, as in "tripped (watchdog)".
func (s Status) String() string {
	text := "unknown state"
	if i := int(s.State()); i < len(stateNames) {
		text = stateNames[i]
	}
	var up []string
	for i, name := range flagNames {
		if s.Has(Clipped << i) {
			up = append(up, name)
		}
	}
	if len(up) > 0 {
		text += " (" + strings.Join(up, ", ") + ")"
	}
	return text
}

// Reason is why a rig refuses a session.
type Reason uint16

// The reasons.
const (
	OtherVersion  Reason = 1 + iota // of the protocol
	Busy                            // another loop has the session
	OtherRate                       // than the rig's
	OtherChannels                   // another number of displacements, forces or accelerations
	OtherClock                      // lockstep or rig
	NotReady                        // for a reason that the text says
)
