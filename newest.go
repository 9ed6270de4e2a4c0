package rths

// Newest tells new readings from repeated ones: a reading is new if it was measured later than all before it. The age of
// readings alone does not tell, as a rig may give each with the same age. The zero value has seen none.
type Newest struct {
	Tick int // ticks so far
	At   int // tick at which the newest reading was measured
}

// Sees takes the age of a tick's reading, samples, and reports whether the reading is new. A failed one is not.
func (n *Newest) Sees(age int, failed bool) bool {
	n.Tick++
	at := n.Tick - age
	if failed || at <= n.At {
		return false
	}
	n.At = at
	return true
}
