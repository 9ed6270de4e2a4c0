package record

import "strings"

// Virtual is the place of a run in which no real rig has moved.
const Virtual = "VIRTUAL"

// JudgedFrom begins the text that rths judge writes in place of a scenario: data that another program has
// recorded do not say what has moved.
const JudgedFrom = "# judged from "

// Place says where the motion of a run took place: Virtual, the name of the laboratory, or "" where it is not known. A
// laboratory without a name, or one that is called virtual, is told apart.
func (m *Manifest) Place() string {
	switch r := m.Rig; {
	case r == nil && strings.HasPrefix(m.Scenario, JudgedFrom):
		return ""
	case r == nil || r.Virtual:
		return Virtual
	case r.Laboratory == "" || strings.EqualFold(r.Laboratory, Virtual):
		return strings.TrimSpace("laboratory " + r.Laboratory)
	default:
		return r.Laboratory
	}
}
