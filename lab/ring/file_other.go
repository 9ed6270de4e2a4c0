//go:build !linux

package ring

import (
	"errors"
	"os"
	"time"
)

var errLinux = errors.New("a test in the laboratory needs Linux: rehearse it virtually, or use a computer with Linux")

// Room needs Linux.
func Room(folder string) (free int64, err error) { return 0, errLinux }

func openFile(string, int) (*os.File, error)  { return nil, errLinux }
func reserve(*os.File, int64) error           { return errLinux }
func mapFile(*os.File, int64) ([]byte, error) { return nil, errLinux }
func unmap([]byte)                            {}
func lockShared(*os.File) (bool, error)       { return false, errLinux }
func lockAlone(*os.File) (bool, error)        { return false, errLinux }
func sleep(*uint32, uint32, time.Duration)    {}
func wake(*uint32)                            {}
