package signal

import "rths"

// Sane passes finite values and replaces others by the last finite one: a lost reading must not spoil a filter, and an
// overflow must not reach an actuator.
type Sane struct{ last float64 }

// Of is x, or the last finite value.
func (s *Sane) Of(x float64) float64 {
	if !rths.Finite(x) { // infinite or NaN
		return s.last
	}
	s.last = x
	return x
}

// VisitState visits the last finite value.
func (s *Sane) VisitState(v *rths.StateVisitor) { v.Float(&s.last) }
