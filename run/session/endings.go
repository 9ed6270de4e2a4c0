//go:build !js

package session

import (
	"os"
	"syscall"
)

// endingSignals are the signals that end a program.
var endingSignals = []os.Signal{syscall.SIGINT, syscall.SIGHUP, syscall.SIGPIPE, syscall.SIGTERM}
