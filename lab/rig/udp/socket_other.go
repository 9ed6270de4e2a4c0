//go:build !linux

package udp

import (
	"errors"
	"net/netip"
)

// socket is of Linux only.
type socket struct{}

var errLinux = errors.New("a rig over a network needs Linux: run the scenario virtually, or on a computer with Linux")

func listen(netip.AddrPort) (*socket, error)             { return nil, errLinux }
func dial(netip.AddrPort) (*socket, error)               { return nil, errLinux }
func (*socket) local() (netip.AddrPort, error)           { return netip.AddrPort{}, errLinux }
func (*socket) close()                                   {}
func (*socket) now() int64                               { return 0 }
func (*socket) send([]byte)                              {}
func (*socket) receive([]byte) int                       { return 0 }
func (*socket) receiveFrom([]byte) (int, netip.AddrPort) { return 0, netip.AddrPort{} }
func (*socket) sendTo([]byte, netip.AddrPort)            {}
func (*socket) wait(int64) bool                          { return false }
