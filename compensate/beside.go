package compensate

import "rths/signal"

// sharer is a method that learns from its commands, and whose commands need not be all that
// the rig gets. beside has what is added to its command, one number for each actuator; it is
// set before every Step. share is called once, before the first Step.
type sharer interface{ share(beside []float64) }

// beside is what was added to the commands, down to the one aimed at the instant of the
// reading. The zero value adds nothing.
type beside struct {
	now  []float64
	past *signal.Line
}

func newBeside(now []float64, lead int) beside {
	return beside{now: now, past: signal.NewLine(lead + 1)}
}

// add is what the rig got for the command u aimed at the instant of the reading, once a tick.
func (b *beside) add(u float64) float64 {
	if b.past == nil {
		return u
	}
	b.past.Push(b.now[0])
	return u + b.past.At(b.past.Len()-1)
}

func (b *beside) appendState(dst []float64) []float64 {
	if b.past == nil {
		return dst
	}
	return b.past.AppendState(dst)
}

func (b *beside) setState(src []float64) []float64 {
	if b.past == nil {
		return src
	}
	return b.past.SetState(src)
}
