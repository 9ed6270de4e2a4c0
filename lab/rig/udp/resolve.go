//go:build !js

package udp

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
)

// resolve reads an address, host:port with or without udp:// before it.
func resolve(text string) (netip.AddrPort, error) {
	plain := strings.TrimPrefix(text, "udp://")
	if scheme, _, ok := strings.Cut(plain, "://"); ok {
		return netip.AddrPort{}, fmt.Errorf("rig address %q: %s is unknown: want udp://host:port", text, scheme)
	}
	at, err := net.ResolveUDPAddr("udp", plain)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("rig address %q: %w: want udp://host:port, as in udp://127.0.0.1:7400", text, err)
	}
	if at.IP == nil {
		return netip.AddrPort{}, fmt.Errorf("rig address %q: no host: want udp://host:port, as in udp://127.0.0.1:7400", text)
	}
	if at.Zone != "" {
		return netip.AddrPort{}, fmt.Errorf("rig address %q: a zone: want an address without one, not a link-local address",
			text)
	}
	a := at.AddrPort()
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port()), nil
}
