//go:build !js && !windows

package files

import (
	"os"
	"syscall"
)

// open opens a file for reading. O_NONBLOCK keeps the opening of a pipe itself from waiting; a plain file takes no
// notice of it.
func open(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) }
