package openfresco

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"rths"
	"rths/lab/numerical"
)

// Codes of a client's messages.
const (
	setTrial     = 3 // displacement, velocity, acceleration, time
	commit       = 5
	acquire      = 6 // all that is measured; disp, vel, accel, force and time are 7 to 11
	getForce     = 10
	getTime      = 11
	initialStiff = 12
	tangentStiff = 13
	getDamp      = 14
	getMass      = 15
	die          = 99
)

// act is what a message asks for.
type act int

const (
	silent act = iota // nothing
	answer            // the reply is ready
	move              // a motion to the trial displacement, then a reply
	end               // the client has said farewell
)

// dialogue is what a server knows of its client. It follows the messages, and knows no sockets.
//
// A request for the force is answered after a motion only if the displacement is not the one answered before: the
// first trial of Newton's method repeats the old displacement at the new time, explicit methods repeat their
// displacement with corrected rates, and recorders ask again.
type dialogue struct {
	header    Header
	dof       int
	length    float64 // m in a unit of the client's length
	force     float64 // N in a unit of the client's force
	matrices  [4][]float64
	stiff     bool // the stiffness is known
	oneMotion bool // a second motion in a step is an error

	trial    []float64 // newest displacement, in the client's units
	answered []float64 // displacement of the newest answer
	reply    []byte    // of header.Size numbers
	matrix   []byte    // the same, for matrices
	motions  int       // in this step
	unknown  int       // messages with a code that nobody knows
	held     bool

	time, steps, moved float64 // the client's time, s; steps committed; motions
}

func newDialogue(h Header, c *Config) *dialogue {
	d := &dialogue{
		header: h, dof: c.DOF, length: c.Units.Length, force: c.Units.Force, oneMotion: c.OneMotion,
		stiff: c.Stiffness != nil,
		trial: make([]float64, c.DOF), answered: make([]float64, c.DOF),
		reply: make([]byte, number*h.Size), matrix: make([]byte, number*h.Size),
	}
	stiffness, damping, mass := c.inClientUnits()
	d.matrices = [4][]float64{stiffness, stiffness, damping, mass}
	return d
}

// take looks at a message. The error is of a client that must not go on.
func (d *dialogue) take(message []byte) (act, error) {
	code := float(message, 0)
	whole := math.Round(code)
	if !(math.Abs(code-whole) < 1e-6) {
		d.unknown++
		return silent, nil
	}
	switch {
	case whole == die:
		return end, nil
	case whole >= initialStiff && whole <= getMass:
		return answer, d.putMatrix(int(whole))
	case whole >= acquire && whole <= getTime:
		return d.measured(whole)
	case d.held:
		return silent, nil
	case whole == setTrial:
		return silent, d.set(message)
	case whole == commit:
		d.steps++
		d.motions = 0
	case whole < 1 || whole > commit: // open, setup and execute are words that need no answer
		d.unknown++
	}
	return silent, nil
}

// farthest is a displacement beyond which an analysis has diverged, m. The polynomials of the path overflow
// far beyond.
const farthest = 1e9

// set takes a trial displacement. One that is not finite, or beyond all actuators, goes no further.
func (d *dialogue) set(message []byte) error {
	for i := range d.dof {
		x := float(message, 1+i)
		if m := x * d.length; !(math.Abs(m) <= farthest) {
			return fmt.Errorf("%w (displacement %g in degree of freedom %d, after its time %g s)", numerical.NotFinite.Err(), x,
				i+1, d.time)
		}
		d.trial[i] = x
	}
	if d.header.Time > 0 {
		if t := float(message, 1+d.header.Disp+d.header.Vel+d.header.Acc); rths.Finite(t) {
			d.time = t
		}
	}
	return nil
}

// measured is a request for measured values.
func (d *dialogue) measured(code float64) (act, error) {
	if d.held || code != getForce && code != acquire || slices.Equal(d.trial, d.answered) {
		return answer, nil
	}
	d.motions++
	d.moved++
	if d.oneMotion && d.motions > 1 {
		return silent, fmt.Errorf("%w (at its time %g s)", numerical.TwoMotion.Err(), d.time)
	}
	return move, nil
}

// put writes what was measured at the trial displacement into the reply.
func (d *dialogue) put(now *rths.Reading) {
	copy(d.answered, d.trial)
	h, at := &d.header, 0
	for i := range h.ToldDisp {
		setFloat(d.reply, at+i, now.X[i]/d.length)
	}
	at += h.ToldDisp + h.ToldVel + h.ToldAcc // nobody measures rates: zeros
	for i := range h.ToldForce {
		setFloat(d.reply, at+i, now.F[i]/d.force)
	}
	if h.ToldTime > 0 {
		setFloat(d.reply, at+h.ToldForce, d.time)
	}
}

// putMatrix makes the reply of a matrix, by columns. Tangent and initial stiffness are the same.
func (d *dialogue) putMatrix(code int) error {
	m := d.matrices[code-initialStiff]
	switch n := d.dof * d.dof; {
	case d.held && (n > d.header.Size || code <= tangentStiff && !d.stiff): // zeros
		return nil
	case code <= tangentStiff && !d.stiff:
		return errors.New(
			"the analysis asks for the initial stiffness of the specimen, which is not known: want structure.stiffness, or an " +
				"explicit integrator in the analysis")
	case n > d.header.Size:
		return fmt.Errorf("the analysis asks for a matrix of %d × %d numbers with messages of %d: want -dataSize %d or more",
			d.dof, d.dof, d.header.Size, n)
	}
	for j := range d.dof {
		for i := range d.dof {
			setFloat(d.matrix, j*d.dof+i, m[i*d.dof+j])
		}
	}
	return nil
}

// wantsReply reports whether the client waits for a reply to a message.
func wantsReply(message []byte) bool {
	code := math.Round(float(message, 0))
	return code >= acquire && code <= getMass
}

// replyTo is the reply to a message that was answered.
func (d *dialogue) replyTo(message []byte) []byte {
	if code := math.Round(float(message, 0)); code >= initialStiff && code <= getMass {
		return d.matrix
	}
	return d.reply
}

func float(b []byte, i int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(b[number*i:]))
}

func setFloat(b []byte, i int, v float64) {
	binary.LittleEndian.PutUint64(b[number*i:], math.Float64bits(v))
}
