package openfresco

import (
	"fmt"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"
)

// listen opens the socket that a client comes to.
func listen(c *Config) (stream, error) {
	if c.UDP {
		return listenUDP(c)
	}
	fd, err := open(c, unix.SOCK_STREAM)
	if err != nil {
		return nil, err
	}
	if err := unix.Listen(fd, 1); err != nil {
		unix.Close(fd)
		return nil, os.NewSyscallError("listen", err)
	}
	return &tcp{c: c, at: local(fd), door: fd, fd: -1}, nil
}

// open opens a socket at the address; its calls wait for patience at most.
func open(c *Config, kind int) (fd int, err error) {
	if !c.Listen.Addr().Is4() {
		return -1, fmt.Errorf("%s: want an IPv4 address, as 127.0.0.1:8090: clients of this protocol know no other", c.Listen)
	}
	if fd, err = unix.Socket(unix.AF_INET, kind|unix.SOCK_CLOEXEC, 0); err != nil {
		return -1, os.NewSyscallError("socket", err)
	}
	wait := unix.NsecToTimeval(int64(patience))
	if kind == unix.SOCK_STREAM { // the address of the run before, whose last packets the system waits for
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1)
	}
	_ = unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &wait)
	switch err := unix.Bind(fd, &unix.SockaddrInet4{Port: int(c.Listen.Port()), Addr: c.Listen.Addr().As4()}); {
	case err == unix.EADDRINUSE:
		unix.Close(fd)
		return -1, fmt.Errorf("%s is in use by another program: end that one, or take another port", c.Listen)
	case err != nil:
		unix.Close(fd)
		return -1, fmt.Errorf("%s cannot be listened at: %w: want an address of this computer", c.Listen, err)
	}
	return fd, nil
}

// local is the address that the system has given a socket.
func local(fd int) string {
	if a, err := unix.Getsockname(fd); err == nil {
		if a, ok := a.(*unix.SockaddrInet4); ok {
			return netip.AddrPortFrom(netip.AddrFrom4(a.Addr), uint16(a.Port)).String()
		}
	}
	return "an unknown address"
}

// tcp is a connection to one client.
type tcp struct {
	c    *Config
	at   string // address and port
	door int    // listens until a client has come
	fd   int    // of the connection; -1 before
}

// accept waits for a client that is allowed, and then listens no more: a second client is refused by the system.
func (t *tcp) accept(stop func() bool) error {
	for t.fd < 0 {
		if stop() {
			return errStopped
		}
		fd, from, err := unix.Accept4(t.door, unix.SOCK_CLOEXEC)
		switch {
		case err == unix.EAGAIN || err == unix.EINTR || err == unix.ECONNABORTED:
			continue
		case err != nil:
			return os.NewSyscallError("accept", err)
		}
		a, ok := from.(*unix.SockaddrInet4)
		if !ok || !t.c.allowed(netip.AddrFrom4(a.Addr)) {
			unix.Close(fd)
			t.c.Say(refusal(from))
			continue
		}
		t.fd = fd
	}
	unix.Close(t.door)
	t.door = -1
	wait := unix.NsecToTimeval(int64(patience))
	_ = unix.SetsockoptTimeval(t.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &wait)
	_ = unix.SetsockoptTimeval(t.fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &wait)
	_ = unix.SetsockoptInt(t.fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	return nil
}

func refusal(from unix.Sockaddr) string {
	if a, ok := from.(*unix.SockaddrInet4); ok {
		return fmt.Sprintf(
			"a client at %s was refused: want it in structure.allow, or on this computer; end its program, which does "+
				"not notice", netip.AddrFrom4(a.Addr))
	}
	return "a client of another family of addresses was refused"
}

// read reads all of b. The client writes twice and then reads (a displacement, and a request for the force), and
// the system delays the acknowledgement that its second write waits for, by 40 ms: unless told before and after
// every read that it should not.
func (t *tcp) read(b []byte, stop func() bool) error {
	for len(b) > 0 {
		_ = unix.SetsockoptInt(t.fd, unix.IPPROTO_TCP, unix.TCP_QUICKACK, 1)
		n, err := unix.Read(t.fd, b)
		_ = unix.SetsockoptInt(t.fd, unix.IPPROTO_TCP, unix.TCP_QUICKACK, 1)
		switch {
		case err == unix.EAGAIN || err == unix.EINTR:
			if stop() {
				return errStopped
			}
		case n <= 0 || err != nil:
			return errLeft
		default:
			b = b[n:]
		}
	}
	return nil
}

// write writes all of b. A client that does not read its answers makes it wait.
func (t *tcp) write(b []byte, stop func() bool) error {
	for len(b) > 0 {
		n, err := unix.SendmsgN(t.fd, b, nil, nil, unix.MSG_NOSIGNAL)
		switch {
		case err == unix.EINTR || err == unix.EAGAIN:
			if stop() {
				return errStopped
			}
		case err != nil:
			return errLeft
		default:
			b = b[n:]
		}
	}
	return nil
}

// gone reports whether the client has closed its side.
func (t *tcp) gone() bool {
	if t.fd < 0 {
		return false
	}
	look := []unix.PollFd{{Fd: int32(t.fd), Events: unix.POLLRDHUP}}
	n, err := unix.Poll(look, 0)
	return err == nil && n > 0 && look[0].Revents&(unix.POLLRDHUP|unix.POLLHUP|unix.POLLERR) != 0
}

func (t *tcp) address() string { return t.at }

func (t *tcp) close() {
	for _, fd := range []*int{&t.door, &t.fd} {
		if *fd >= 0 {
			unix.Close(*fd)
			*fd = -1
		}
	}
}
