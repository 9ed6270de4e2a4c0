// Package wire has the datagrams between the loop of a hybrid test and a rig in another
// process or computer: their bytes (Codec), and what either side makes of them (Master for
// the loop, Slave for the rig). docs/reference/protocol.md describes both for readers who write a
// controller in another language.
//
// The package is pure: datagrams and instants go in, datagrams come out. Sockets, waiting and
// clocks are in rths/rig/udp. Instants are in ns, each on its sender's clock. Not for more than
// 32 channels of a kind, nor for a network that anybody may send into without a key.
package wire

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
	"hash/crc32"
	"math"
)

// Version is the version of the protocol that the package speaks.
const Version = 1

// Kind is what a datagram is.
type Kind uint8

// The kinds: L is sent by the loop, R by the rig.
const (
	Hello   Kind = 1 + iota // L: wants a session
	Welcome                 // R: the session, and what the rig is
	Start                   // L: the next reading is number 0
	Keep                    // L: asks for a reading, and moves nothing
	Command                 // L: where the actuators should go
	Reading                 // R: what the sensors say
	Bye                     // both: the session ends
	Refuse                  // R: no session, and why
	kinds                   // one more than the last
)

// None is the number of a command or reading where there is none.
const None = math.MaxUint64

// Sizes in bytes.
const (
	headerSize  = 64
	sumSize     = 4
	macSize     = sha256.Size
	helloBody   = 48
	welcomeBody = 80
	channelSize = 24
	byeBody     = 48
	refuseBody  = 128

	// MostChannels is the largest number of displacements, forces, accelerations or lengths.
	MostChannels = 32

	// MostBytes is the largest datagram, a welcome.
	MostBytes = headerSize + welcomeBody + 4*MostChannels*channelSize + sumSize + macSize
)

// magic are the first four bytes, "RTHS".
const magic = 'R' | 'T'<<8 | 'H'<<16 | 'S'<<24

// Header is what every datagram begins with.
type Header struct {
	Kind    Kind
	Session uint64 // drawn by the rig; 0 in Hello
	Number  uint64 // of the command or reading; of Hello, Welcome and Refuse the number that the loop has drawn
	// of a reading: the newest command that has acted; of a command: the reading that it is made from; else None
	Acted      uint64
	Sent       int64  // when it was sent, ns
	Echo       int64  // Sent of the newest datagram of the other side, ns; 0: none
	Measured   int64  // of a reading: when it was measured, ns
	NX, NF, NA uint8  // number of displacements, forces and accelerations
	NL         uint8  // number of lengths of other instruments
	Age        uint16 // of a reading: samples since it was measured
	Status     Status // of a reading; of Refuse the Reason
}

// Why a datagram is bad.
var (
	ErrShort   = errors.New("shorter than a header")
	ErrMagic   = errors.New("does not begin with RTHS")
	ErrVersion = errors.New("another version of the protocol")
	ErrLength  = errors.New("its length is not the length of its kind")
	ErrSum     = errors.New("wrong checksum")
	ErrMAC     = errors.New("wrong message authentication code: another key, or none")
	ErrKind    = errors.New("unknown kind")
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Codec writes and reads datagrams. It belongs to one goroutine and allocates only when made.
type Codec struct {
	mac hash.Hash // nil: no key
	sum [macSize]byte
}

// NewCodec makes a codec. With a key, every datagram has an HMAC-SHA256 at its end, and
// datagrams without the right one are bad.
func NewCodec(key []byte) *Codec {
	c := &Codec{}
	if len(key) > 0 {
		c.mac = hmac.New(sha256.New, key)
	}
	return c
}

// body is the length of the body of a kind.
func (h *Header) body() int {
	x, other := int(h.NX), int(h.NF)+int(h.NA)+int(h.NL)
	switch h.Kind {
	case Hello:
		return helloBody
	case Welcome:
		return welcomeBody + channelSize*(x+other)
	case Command:
		return 8 * x
	case Reading:
		return 8 * (x + other)
	case Bye:
		return byeBody
	case Refuse:
		return refuseBody
	}
	return 0
}

// trailer is the length of what follows the body.
func (c *Codec) trailer() int {
	if c.mac == nil {
		return sumSize
	}
	return sumSize + macSize
}

// Begin writes the header into the front of buf, which must have MostBytes, and returns the
// body to be filled in. Seal completes the datagram.
func (c *Codec) Begin(buf []byte, h *Header) (body []byte) {
	le := binary.LittleEndian
	le.PutUint32(buf[0:], magic)
	buf[4], buf[5] = Version, byte(h.Kind)
	le.PutUint16(buf[6:], uint16(headerSize+h.body()+c.trailer()))
	le.PutUint64(buf[8:], h.Session)
	le.PutUint64(buf[16:], h.Number)
	le.PutUint64(buf[24:], h.Acted)
	le.PutUint64(buf[32:], uint64(h.Sent))
	le.PutUint64(buf[40:], uint64(h.Echo))
	le.PutUint64(buf[48:], uint64(h.Measured))
	buf[56], buf[57], buf[58], buf[59] = h.NX, h.NF, h.NA, h.NL
	le.PutUint16(buf[60:], h.Age)
	le.PutUint16(buf[62:], uint16(h.Status))
	body = buf[headerSize : headerSize+h.body()]
	clear(body)
	return body
}

// Seal writes checksum and authentication code of the datagram that Begin began, and returns
// the datagram.
func (c *Codec) Seal(buf []byte) []byte {
	n := int(binary.LittleEndian.Uint16(buf[6:]))
	at := n - c.trailer()
	binary.LittleEndian.PutUint32(buf[at:], crc32.Checksum(buf[:at], castagnoli))
	if c.mac != nil {
		copy(buf[at+sumSize:n], c.code(buf[:at+sumSize]))
	}
	return buf[:n]
}

func (c *Codec) code(text []byte) []byte {
	c.mac.Reset()
	c.mac.Write(text)
	return c.mac.Sum(c.sum[:0])
}

// Open checks a datagram and takes it apart. body is a part of datagram. With ErrVersion only
// Hello and Refuse mean anything: they have kind, number and sent, and Refuse reason and text, where
// version 1 has them.
func (c *Codec) Open(datagram []byte) (h Header, body []byte, err error) {
	at := len(datagram) - c.trailer()
	switch {
	case at < headerSize:
		return h, nil, ErrShort
	case binary.LittleEndian.Uint32(datagram) != magic:
		return h, nil, ErrMagic
	case binary.LittleEndian.Uint32(datagram[at:]) != crc32.Checksum(datagram[:at], castagnoli):
		return h, nil, ErrSum
	case c.mac != nil && !hmac.Equal(datagram[at+sumSize:], c.code(datagram[:at+sumSize])):
		return h, nil, ErrMAC
	}
	h.read(datagram)
	switch n := int(binary.LittleEndian.Uint16(datagram[6:])); {
	case datagram[4] != Version:
		return h, datagram[headerSize:at], ErrVersion
	case h.Kind == 0 || h.Kind >= kinds:
		return h, nil, ErrKind
	case n != len(datagram) || at != headerSize+h.body() || !h.fits():
		return h, nil, ErrLength
	}
	return h, datagram[headerSize:at], nil
}

// fits reports whether the numbers of channels are those of a rig and of the kind.
func (h *Header) fits() bool {
	var x, other uint8 // the most displacements; forces, accelerations or lengths
	switch h.Kind {
	case Hello, Welcome, Reading:
		x, other = MostChannels, MostChannels
	case Command:
		x = MostChannels
	}
	return h.NX <= x && h.NF <= other && h.NA <= other && h.NL <= other
}

func (h *Header) read(b []byte) {
	le := binary.LittleEndian
	h.Kind = Kind(b[5])
	h.Session, h.Number, h.Acted = le.Uint64(b[8:]), le.Uint64(b[16:]), le.Uint64(b[24:])
	h.Sent, h.Echo, h.Measured = int64(le.Uint64(b[32:])), int64(le.Uint64(b[40:])), int64(le.Uint64(b[48:]))
	h.NX, h.NF, h.NA, h.NL = b[56], b[57], b[58], b[59]
	h.Age, h.Status = le.Uint16(b[60:]), Status(le.Uint16(b[62:]))
}

// putValues writes numbers and returns the rest of body.
func putValues(body []byte, values []float64) []byte {
	for i, v := range values {
		binary.LittleEndian.PutUint64(body[8*i:], math.Float64bits(v))
	}
	return body[8*len(values):]
}

// takeValues reads numbers and returns the rest of body.
func takeValues(values []float64, body []byte) []byte {
	for i := range values {
		values[i] = math.Float64frombits(binary.LittleEndian.Uint64(body[8*i:]))
	}
	return body[8*len(values):]
}

// finite reports whether all numbers of a body are finite.
func finite(body []byte) bool {
	for ; len(body) >= 8; body = body[8:] {
		if v := math.Float64frombits(binary.LittleEndian.Uint64(body)); math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// Glance is kind and number of a datagram that may be damaged; ok is false if it is too short.
func Glance(datagram []byte) (kind Kind, number uint64, ok bool) {
	if len(datagram) < headerSize {
		return 0, 0, false
	}
	return Kind(datagram[5]), binary.LittleEndian.Uint64(datagram[16:]), true
}
