package openfresco

import (
	"net/netip"

	"golang.org/x/sys/unix"
)

// Words of one byte before the header.
const (
	hello   = 'a'
	helloed = 'b'
	endian  = 1 // the answer to a second word: bytes are stored as on most computers
)

// mostPiece is the largest datagram of a client: longer messages come in pieces.
const mostPiece = 9126

// udp is a client that sends datagrams. The protocol repeats nothing: a datagram that is lost stops the analysis.
type udp struct {
	c     *Config
	at    string // address and port
	fd    int
	peer  unix.SockaddrInet4
	met   bool
	piece int    // size of the client's datagrams
	b     []byte // a datagram
	rest  []byte // of it, not read yet
}

func listenUDP(c *Config) (stream, error) {
	fd, err := open(c, unix.SOCK_DGRAM)
	if err != nil {
		return nil, err
	}
	return &udp{c: c, at: local(fd), fd: fd, piece: mostPiece, b: make([]byte, mostPiece+1)}, nil
}

// accept waits for the first datagram of a client that is allowed: a greeting, with an answer, or the header.
func (u *udp) accept(stop func() bool) error {
	for {
		n, err := u.datagram(stop)
		switch {
		case err != nil:
			return err
		case n == headerBytes:
			u.rest = u.b[:n]
			return nil
		case n == 1 && u.b[0] == hello:
			_ = unix.Sendto(u.fd, []byte{helloed}, unix.MSG_NOSIGNAL, &u.peer)
		case n == 1: // which way round the client's numbers are stored, or a greeting again
			_ = unix.Sendto(u.fd, []byte{endian}, unix.MSG_NOSIGNAL, &u.peer)
		default: // nothing that a client begins with
			u.met = false
		}
	}
}

// datagram waits for a datagram of the client.
func (u *udp) datagram(stop func() bool) (int, error) {
	for {
		n, from, err := unix.Recvfrom(u.fd, u.b, 0)
		if err != nil {
			if stop() {
				return 0, errStopped
			}
			continue
		}
		a, ok := from.(*unix.SockaddrInet4)
		switch {
		case !ok || !u.c.allowed(netip.AddrFrom4(a.Addr)):
			if !u.met {
				u.c.Say(refusal(from))
			}
		case u.met && (a.Addr != u.peer.Addr || a.Port != u.peer.Port): // somebody else
		default:
			u.peer, u.met = *a, true
			return n, nil
		}
	}
}

// read reads all of b, from one datagram or several.
func (u *udp) read(b []byte, stop func() bool) error {
	want := len(b)
	for len(b) > 0 {
		if len(u.rest) == 0 {
			n, err := u.datagram(stop)
			if err != nil {
				return err
			}
			if n <= 1 { // a greeting again
				continue
			}
			u.rest = u.b[:n]
			if n < want && len(b) == want {
				u.piece = n
			}
		}
		n := copy(b, u.rest)
		b, u.rest = b[n:], u.rest[n:]
	}
	return nil
}

// write answers in datagrams of the client's own size.
func (u *udp) write(b []byte, _ func() bool) error {
	for len(b) > 0 {
		n := min(u.piece, len(b))
		_ = unix.Sendto(u.fd, b[:n], unix.MSG_NOSIGNAL, &u.peer) // a lost datagram is silence
		b = b[n:]
	}
	return nil
}

// gone is never known.
func (u *udp) gone() bool { return false }

func (u *udp) address() string { return u.at }

func (u *udp) close() {
	if u.fd >= 0 {
		unix.Close(u.fd)
		u.fd = -1
	}
}
