// Package udp joins a loop and a rig in two processes by datagrams (docs/reference/protocol.md): Rig is a
// rths.Rig for the loop, Server serves a rig to a loop. Both use the socket calls of the
// system directly, allocate nothing in a tick and belong to one goroutine. Linux only.
package udp

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strings"
)

// KeyVariable is the environment variable that has the key of both sides.
const KeyVariable = "RTHS_RIG_KEY"

// leastKey is the shortest key, bytes.
const leastKey = 16

// Key is the key for an address, from the environment. Beyond loopback there has to be one.
func Key(at netip.AddrPort) ([]byte, error) {
	key := []byte(os.Getenv(KeyVariable))
	switch {
	case len(key) == 0 && at.Addr().IsLoopback():
		return nil, nil
	case len(key) == 0:
		return nil, fmt.Errorf("%s is not loopback, and %s is not set: anybody in the network could move the rig: want the "+
			"same key of at least %d bytes in %s on both computers", at, KeyVariable, leastKey, KeyVariable)
	case strings.TrimSpace(string(key)) != string(key):
		return nil, fmt.Errorf("%s begins or ends with white space: want a key without, as from openssl rand -hex 32",
			KeyVariable)
	case len(key) < leastKey:
		return nil, fmt.Errorf("%s has %d bytes: want at least %d, as from openssl rand -hex 32", KeyVariable, len(key),
			leastKey)
	}
	return key, nil
}

var errSilent = errors.New("the rig does not answer")
