package compensate

import (
	"rths"
	"rths/maths/signal"
)

// sent is what the rig gets while a method commands u: own·u + beside. own is 1, or 0 while
// another method commands.
type sent struct{ own, beside float64 }

func (s *sent) of(u float64) float64 { return s.own*u + s.beside }

// sharer is a method that learns from its commands, and whose commands need not be all that
// the rig gets. share is called once, before the first Step; sent has one entry for each
// actuator, which is set before every Step. follows reports whether the method learns from
// what the rig gets also while another method commands.
type sharer interface {
	share(sent []sent) (follows bool)
}

// beside is what the rig got, down to the command aimed at the instant of the reading. The
// zero value adds nothing.
type beside struct {
	now       []sent
	own, past *signal.Line // of sent
}

func newBeside(now []sent, lead int) beside {
	return beside{now: now, own: signal.NewLine(lead + 1), past: signal.NewLine(lead + 1)}
}

// add is what the rig got for the command u aimed at the instant of the reading, once a tick.
func (b *beside) add(u float64) float64 {
	if b.past == nil {
		return u
	}
	b.own.Push(b.now[0].own)
	b.past.Push(b.now[0].beside)
	then := sent{b.own.At(b.own.Len() - 1), b.past.At(b.past.Len() - 1)}
	return then.of(u)
}

func (b *beside) visit(v *rths.StateVisitor) {
	if b.past != nil {
		v.State(b.own, b.past)
	}
}
