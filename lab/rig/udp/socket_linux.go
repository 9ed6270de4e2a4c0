package udp

import (
	"fmt"
	"net/netip"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// socket is a UDP socket without the machinery of package net: no goroutine, no poller, no
// allocation. It belongs to one goroutine.
type socket struct {
	fd   int
	from unix.RawSockaddrInet6 // room for the sender's address of either family
	to   unix.RawSockaddrInet6
	poll [1]unix.PollFd
	rest unix.Timespec
	base time.Time
}

// roomBytes is the room for datagrams that wait: those of a second at 4096 Hz, with what the system adds
// to each. A loop that stalls finds its readings there.
const roomBytes = 4 << 20

func newSocket(at netip.AddrPort) (*socket, error) {
	family := unix.AF_INET6
	if at.Addr().Is4() {
		family = unix.AF_INET
	}
	fd, err := unix.Socket(family, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	s := &socket{fd: fd, base: time.Now()}
	if unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, roomBytes) != nil { // beyond the system's limit
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, roomBytes) // up to the limit
	}
	s.poll[0] = unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}
	return s, nil
}

// listen opens a socket that takes datagrams at an address.
func listen(at netip.AddrPort) (*socket, error) {
	s, err := newSocket(at)
	if err != nil {
		return nil, err
	}
	if err := unix.Bind(s.fd, sockaddr(at)); err != nil {
		s.close()
		if err == unix.EADDRINUSE {
			return nil, fmt.Errorf("%s is in use by another program: end that one, or take another port", at)
		}
		return nil, fmt.Errorf("%s cannot be listened at: %w: want an address of this computer", at, err)
	}
	return s, nil
}

// dial opens a socket that talks with one address.
func dial(to netip.AddrPort) (*socket, error) {
	s, err := newSocket(to)
	if err != nil {
		return nil, err
	}
	if err := unix.Connect(s.fd, sockaddr(to)); err != nil {
		s.close()
		return nil, fmt.Errorf("%s cannot be reached: %w: want the address of a rig", to, err)
	}
	return s, nil
}

func sockaddr(a netip.AddrPort) unix.Sockaddr {
	if a.Addr().Is4() {
		return &unix.SockaddrInet4{Port: int(a.Port()), Addr: a.Addr().As4()}
	}
	return &unix.SockaddrInet6{Port: int(a.Port()), Addr: a.Addr().As16()}
}

// local is the address that the system has given.
func (s *socket) local() (netip.AddrPort, error) {
	sa, err := unix.Getsockname(s.fd)
	if err != nil {
		return netip.AddrPort{}, os.NewSyscallError("getsockname", err)
	}
	switch a := sa.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(a.Addr), uint16(a.Port)), nil
	case *unix.SockaddrInet6:
		return netip.AddrPortFrom(netip.AddrFrom16(a.Addr), uint16(a.Port)), nil
	}
	return netip.AddrPort{}, fmt.Errorf("a socket of another family: %T", sa)
}

// close closes the socket once: its number may soon be another file's.
func (s *socket) close() {
	if s.fd >= 0 {
		unix.Close(s.fd)
		s.fd = -1
	}
}

// now is the time since the socket was made, ns.
func (s *socket) now() int64 { return int64(time.Since(s.base)) }

// send sends to the address that was dialled. A datagram that cannot leave is a lost one.
func (s *socket) send(b []byte) {
	for {
		if _, err := unix.Write(s.fd, b); err != unix.EINTR {
			return
		}
	}
}

// receive takes a datagram from the address that was dialled, or there is none. A port that
// nobody listens at is silence.
func (s *socket) receive(b []byte) int {
	for {
		n, err := unix.Read(s.fd, b)
		switch err {
		case nil:
			return n
		case unix.EINTR, unix.ECONNREFUSED: // the error of an earlier send; datagrams may follow it
			continue
		}
		return none
	}
}

// receiveFrom takes a datagram from anywhere, or there is none.
func (s *socket) receiveFrom(b []byte) (int, netip.AddrPort) {
	for {
		size := uint32(unsafe.Sizeof(s.from))
		n, _, err := unix.Syscall6(unix.SYS_RECVFROM, uintptr(s.fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), 0,
			uintptr(unsafe.Pointer(&s.from)), uintptr(unsafe.Pointer(&size)))
		switch err {
		case 0:
			return int(n), addrOf(&s.from)
		case unix.EINTR, unix.ECONNREFUSED:
			continue
		}
		return none, netip.AddrPort{}
	}
}

// sendTo sends to an address.
func (s *socket) sendTo(b []byte, to netip.AddrPort) {
	size := putAddr(&s.to, to)
	for {
		_, _, err := unix.Syscall6(unix.SYS_SENDTO, uintptr(s.fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), 0,
			uintptr(unsafe.Pointer(&s.to)), size)
		if err != unix.EINTR {
			return
		}
	}
}

func addrOf(raw *unix.RawSockaddrInet6) netip.AddrPort {
	port := func(p *uint16) uint16 { b := (*[2]byte)(unsafe.Pointer(p)); return uint16(b[0])<<8 | uint16(b[1]) }
	if raw.Family == unix.AF_INET {
		v4 := (*unix.RawSockaddrInet4)(unsafe.Pointer(raw))
		return netip.AddrPortFrom(netip.AddrFrom4(v4.Addr), port(&v4.Port))
	}
	return netip.AddrPortFrom(netip.AddrFrom16(raw.Addr), port(&raw.Port))
}

func putAddr(raw *unix.RawSockaddrInet6, a netip.AddrPort) (size uintptr) {
	put := func(p *uint16) { b := (*[2]byte)(unsafe.Pointer(p)); b[0], b[1] = byte(a.Port()>>8), byte(a.Port()) }
	*raw = unix.RawSockaddrInet6{}
	if a.Addr().Is4() {
		v4 := (*unix.RawSockaddrInet4)(unsafe.Pointer(raw))
		v4.Family, v4.Addr = unix.AF_INET, a.Addr().As4()
		put(&v4.Port)
		return unsafe.Sizeof(*v4)
	}
	raw.Family, raw.Addr = unix.AF_INET6, a.Addr().As16()
	put(&raw.Port)
	return unsafe.Sizeof(*raw)
}

// wait sleeps until a datagram is there or the instant until, ns on the clock of now, has
// come. wait reports whether there is a datagram; once the instant has passed, it says no.
func (s *socket) wait(until int64) bool {
	for {
		left := until - s.now()
		if left < 0 {
			return false
		}
		s.rest = unix.NsecToTimespec(left)
		n, err := unix.Ppoll(s.poll[:], &s.rest, nil)
		if err == unix.EINTR {
			continue
		}
		return n > 0
	}
}
