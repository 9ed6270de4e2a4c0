package identify

import (
	"rths"
	"rths/maths/signal"
)

// Sent is what the rig gets while a method commands u: own·u + beside. own is 1, or 0 while
// another method commands.
type Sent struct{ own, beside float64 }

// Set sets both, before a Step.
func (s *Sent) Set(own, beside float64) { s.own, s.beside = own, beside }

// Of is what the rig gets.
func (s *Sent) Of(u float64) float64 { return s.own*u + s.beside }

// Beside keeps what the rig got, down to the command aimed at the instant of the reading. The
// zero value adds nothing.
type Beside struct {
	now       []Sent
	own, past *signal.Line // of sent
}

// NewBeside is for what is sent now, and commands that lead the reading by so many samples.
func NewBeside(now []Sent, lead int) Beside {
	return Beside{now: now, own: signal.NewLine(lead + 1), past: signal.NewLine(lead + 1)}
}

// Add is what the rig got for the command u aimed at the instant of the reading, once a tick.
func (b *Beside) Add(u float64) float64 {
	if b.past == nil {
		return u
	}
	b.own.Push(b.now[0].own)
	b.past.Push(b.now[0].beside)
	then := Sent{b.own.At(b.own.Len() - 1), b.past.At(b.past.Len() - 1)}
	return then.Of(u)
}

// VisitState visits what the rig got; nothing of the zero value.
func (b *Beside) VisitState(v *rths.StateVisitor) {
	if b.past != nil {
		v.State(b.own, b.past)
	}
}
