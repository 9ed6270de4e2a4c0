//go:build !linux

package record

import (
	"errors"
	"os"
)

// allocate is for systems that can take blocks without writing them.
func allocate(*os.File, int64) error { return errors.ErrUnsupported }
