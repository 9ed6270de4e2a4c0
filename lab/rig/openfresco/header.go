package openfresco

import (
	"encoding/binary"
	"fmt"
)

// Sizes of the wire.
const (
	headerInts  = 11
	headerBytes = 4 * headerInts
	number      = 8       // bytes of a number in a message
	mostSize    = 1 << 16 // numbers in a message
)

// Header is the first message of a client: how many numbers of each quantity it commands and wants to be told, 0 for
// none. From then on every message in either direction has Size numbers, whatever it says.
type Header struct {
	Disp, Vel, Acc, Force, Time           int // commanded
	ToldDisp, ToldVel, ToldAcc, ToldForce int // wanted
	ToldTime                              int
	Size                                  int
}

// parseHeader reads the 44 bytes and refuses sizes that make no sense for an element of dof degrees of freedom.
func parseHeader(b []byte, dof int) (Header, error) {
	var h Header
	if len(b) != headerBytes {
		return h, fmt.Errorf("a header of %d bytes: want %d", len(b), headerBytes)
	}
	for i, v := range []*int{&h.Disp, &h.Vel, &h.Acc, &h.Force, &h.Time, &h.ToldDisp, &h.ToldVel, &h.ToldAcc, &h.ToldForce,
		&h.ToldTime, &h.Size} {
		*v = int(int32(binary.LittleEndian.Uint32(b[4*i:])))
	}
	return h, h.check(b, dof)
}

func (h *Header) check(b []byte, dof int) error {
	switch {
	case h.Disp < 0 || h.Disp > mostSize:
		return noHeader(b)
	case h.Disp != dof && h.Disp == h.ToldForce:
		return fmt.Errorf(
			"degrees of freedom: %d in the element of the analysis (its header), %d in structure.dof: want %d in the -dof "+
				"lists of the element, or structure.dof: %d with as many actuators", h.Disp, dof, dof, h.Disp)
	}
	for _, q := range []struct {
		what   string
		n      int
		needed bool
	}{
		{"displacements commanded", h.Disp, true}, {"velocities commanded", h.Vel, false},
		{"accelerations commanded", h.Acc, false},
		{"displacements wanted", h.ToldDisp, false}, {"velocities wanted", h.ToldVel, false},
		{"accelerations wanted", h.ToldAcc, false},
		{"forces wanted", h.ToldForce, true},
	} {
		switch {
		case q.n == dof || q.n == 0 && !q.needed:
		case q.needed:
			return fmt.Errorf("a header with %d %s: want %d, the degrees of freedom of the element (structure.dof)", q.n, q.what,
				dof)
		default:
			return fmt.Errorf("a header with %d %s: want %d, the degrees of freedom of the element (structure.dof), or 0", q.n,
				q.what, dof)
		}
	}
	switch least := max(1+h.commanded(), h.answered()); {
	case h.Force != 0:
		return fmt.Errorf("a header with %d forces commanded: want 0, as the actuators of a test are moved by displacements",
			h.Force)
	case h.Time < 0 || h.Time > 1 || h.ToldTime < 0 || h.ToldTime > 1:
		return fmt.Errorf("a header with %d times commanded and %d wanted: want 0 or 1 of each", h.Time, h.ToldTime)
	case h.Size < least || h.Size > mostSize:
		return fmt.Errorf("a header with messages of %d numbers: want %d to %d", h.Size, least, mostSize)
	}
	return nil
}

// noHeader is the error of bytes that are no header. With swapped bytes the first count and the size make sense.
func noHeader(b []byte) error {
	disp, size := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4*(headerInts-1):])
	if disp <= mostSize && size > 0 && size <= mostSize {
		return fmt.Errorf(
			"a header whose bytes are swapped (%d displacements and messages of %d numbers if they are turned): the client's "+
				"computer stores numbers the other way round: want an amd64 or arm64 client", disp, size)
	}
	return fmt.Errorf(
		"a client whose first bytes, %.12q, begin no header: want element genericClient, or expControl GenericTCP of "+
			"OpenFresco", b)
}

// commanded and answered are how many numbers of a command and of an answer mean something, without the code.
func (h *Header) commanded() int { return h.Disp + h.Vel + h.Acc + h.Force + h.Time }
func (h *Header) answered() int {
	return h.ToldDisp + h.ToldVel + h.ToldAcc + h.ToldForce + h.ToldTime
}
