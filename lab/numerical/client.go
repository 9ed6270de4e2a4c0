package numerical

import (
	"errors"

	"rths"
	"rths/lab/ring"
	"rths/model/integrate"
)

// Fault is why an analysis in another program gives no more targets. Its number travels between
// processes and stands in the record.
type Fault int

// The faults.
const (
	Left      Fault = iota + 1 // gone without its farewell
	NotFinite                  // a target that is not a number, or infinite
	TwoMotion                  // a second motion in one step of a test in real time
	Other                      // what the process has told before
)

var faults = [...]error{
	Left: errors.New("the analysis has closed the connection without its last message: its program has ended or was " +
		"killed"),
	NotFinite: errors.New(
		"the analysis gives a displacement that is not finite: it has diverged, and nothing of it reaches the actuators"),
	TwoMotion: errors.New(
		"the analysis asks for a second motion in one step, and a test in real time has one: want an explicit integrator " +
			"or AlphaOS in the analysis, or pace: {kind: ramp-hold}"),
	Other: errors.New("the analysis does not keep the protocol"),
}

// Err is the fault as an error that belongs to it.
func (f Fault) Err() error {
	if f < Left || f > Other {
		return nil
	}
	return faults[f]
}

// FaultOf is the fault of an error; 0: none.
func FaultOf(err error) Fault {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, faults[Left]):
		return Left
	case errors.Is(err, faults[NotFinite]):
		return NotFinite
	case errors.Is(err, faults[TwoMotion]):
		return TwoMotion
	}
	return Other
}

// Places in a row that asks: what, displacements, forces.
const (
	clientAnswer = 1 // what: the values measured at the newest target
	clientHold   = 2 // what: nothing is measured any more
)

// Places of the numbers in front of a row that gives.
const (
	clientWhat    = iota // an integrate.Arrival, or a Fault as a negative number
	clientTime           // of the analysis, s
	clientSteps          // that it has committed
	clientMoved          // motions
	clientColumns        // here the target begins
)

// ClientShapes are the rings between a loop and the process that talks with its analysis, of dof degrees of freedom.
func ClientShapes(dof int, number uint64, rateHz float64) (ask, give ring.Shape) {
	return ring.Shape{Session: number, Width: 1 + 2*dof, Rows: spare, RateHz: rateHz},
		ring.Shape{Session: number, Width: clientColumns + dof, Rows: spare, RateHz: rateHz}
}

// ClientLink is the loop's side of a process that talks with an analysis: an integrate.Client that never waits and
// allocates nothing.
type ClientLink struct {
	sides
	dof                int
	row                []float64
	time, steps, moved float64
	fault              float64
	held               bool
}

// NewClientLink is a link before its rings.
func NewClientLink(dof int) *ClientLink {
	return &ClientLink{dof: dof, row: make([]float64, clientColumns+dof)}
}

// Next takes the next target, if it has come.
func (l *ClientLink) Next(x []float64) (integrate.Arrival, error) {
	if !l.give.Take(l.row) {
		return integrate.Nothing, l.failed(l.Err(), Other)
	}
	l.time, l.steps, l.moved = l.row[clientTime], l.row[clientSteps], l.row[clientMoved]
	if what := l.row[clientWhat]; what < 0 {
		return integrate.Nothing, l.failed(Fault(-what).Err(), Fault(-what))
	}
	copy(x, l.row[clientColumns:])
	return integrate.Arrival(l.row[clientWhat]), nil
}

// Why is why the process has ended before the loop has asked it for anything.
func (l *ClientLink) Why() error {
	for l.give.Take(l.row) {
		if what := l.row[clientWhat]; what < 0 {
			return Fault(-what).Err()
		}
		if integrate.Arrival(l.row[clientWhat]) == integrate.TheEnd {
			return errEmpty
		}
	}
	return l.Err()
}

var errEmpty = errors.New("the analysis has sent its last message already: it has no step that moves anything")

func (l *ClientLink) failed(err error, f Fault) error {
	if err != nil {
		l.fault = float64(f)
	}
	return err
}

// Answer gives what was measured to the process.
func (l *ClientLink) Answer(now *rths.Reading) {
	if slot := l.ask.Next(); slot != nil {
		slot[0] = clientAnswer
		copy(slot[1:1+l.dof], now.X)
		copy(slot[1+l.dof:], now.F)
		l.ask.Publish()
		l.ask.Wake()
	}
}

// Hold makes the process answer with held values. A second call does something only if there was no place at the first.
func (l *ClientLink) Hold() {
	if l.held || l.ask == nil {
		return
	}
	if slot := l.ask.Next(); slot != nil {
		l.held = true
		slot[0] = clientHold
		l.ask.Publish()
		l.ask.Wake()
	}
}

// Channels are those of a client.
func (l *ClientLink) Channels() []rths.Channel {
	return ClientChannels(&l.time, &l.steps, &l.moved, &l.fault)
}

// ClientChannels are the channels of an analysis: its time, its steps, its motions, and a Fault.
func ClientChannels(time, steps, moved, fault *float64) []rths.Channel {
	return rths.NamedChannels([]rths.Channel{
		{Meaning: rths.Meaning{Quantity: "client_time"}, Unit: "s", V: time},
		{Meaning: rths.Meaning{Quantity: "client_steps"}, Unit: "-", V: steps},
		{Meaning: rths.Meaning{Quantity: "client_motions"}, Unit: "-", V: moved},
		{Meaning: rths.Meaning{Quantity: "client_fault"}, Unit: "-", V: fault},
	})
}

// Door is the server that talks with an analysis.
type Door interface {
	integrate.Client
	rths.Channeler
	Gone() bool // the analysis has gone; never waits
}

// ServeClient carries targets and answers between an analysis and the loop, until either has ended; stop says that the
// loop has gone. Then whoever calls it answers the analysis with held values.
func ServeClient(door Door, dof int, ask *ring.Consumer, give *ring.Producer, stop func() bool) {
	channels, x, row := door.Channels(), make([]float64, dof), make([]float64, 1+2*dof)
	now := rths.NewReading(dof, dof)
	post := func(what float64) {
		if slot := give.Next(); slot != nil {
			slot[clientWhat] = what
			for i := clientTime; i < clientColumns; i++ {
				slot[i] = *channels[i-clientTime].V
			}
			copy(slot[clientColumns:], x)
			give.Publish()
		}
	}
	for !stop() {
		what, err := door.Next(x)
		switch {
		case err != nil:
			post(-float64(FaultOf(err)))
			return
		case what == integrate.Nothing: // stopped
			continue
		}
		if post(float64(what)); what == integrate.TheEnd {
			return
		}
		for !ask.Wait(patience) {
			if stop() {
				return
			}
			if door.Gone() {
				post(-float64(Left))
				return
			}
		}
		if !ask.Take(row) || row[0] == clientHold {
			return
		}
		copy(now.X, row[1:1+dof])
		copy(now.F, row[1+dof:])
		door.Answer(&now)
	}
}

// RecordedClient is a client that gives what a record says that one gave: for a replay.
type RecordedClient struct {
	// What the record says in the present row.
	What               integrate.Arrival
	Fault              Fault
	X                  []float64 // m
	Time, Steps, Moved float64

	time, steps, moved, fault float64
}

// Next gives the target of the present row, if there is a new one.
func (r *RecordedClient) Next(x []float64) (integrate.Arrival, error) {
	r.time, r.steps, r.moved = r.Time, r.Steps, r.Moved
	r.fault = float64(r.Fault)
	copy(x, r.X)
	return r.What, r.Fault.Err()
}

// Answer does nothing.
func (*RecordedClient) Answer(*rths.Reading) {}

// Hold does nothing.
func (*RecordedClient) Hold() {}

// Channels are those of ClientLink.
func (r *RecordedClient) Channels() []rths.Channel {
	return ClientChannels(&r.time, &r.steps, &r.moved, &r.fault)
}
