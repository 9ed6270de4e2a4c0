//go:build !linux && !windows

package record

import (
	"errors"
	"os"
)

// allocate is for systems that can take blocks without writing them.
func allocate(*os.File, int64) error { return errors.ErrUnsupported }

// syncData is Sync where there is nothing faster.
func syncData(file *os.File) error { return file.Sync() }

// syncFolder is for systems that can sync folders.
func syncFolder(*os.Root) error { return nil }

// lockFolder is for systems that can lock folders.
func lockFolder(*os.Root) (*os.File, error) { return nil, nil }

// unlockFolder is for systems that can lock folders.
func unlockFolder(*os.File) {}
