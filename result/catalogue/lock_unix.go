//go:build !windows

package catalogue

import (
	"errors"
	"os"
	"syscall"
)

// lock makes a file ours until it is released or the program ends. It makes a file that is not there.
func lock(path string) (release func(), err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	release = func() {
		// Closing alone would not: a process that is just being started has the file too.
		_ = syscall.Flock(int(file.Fd()), syscall.LOCK_UN)
		file.Close()
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOLCK) {
		err = nil // a file system without locks
	}
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) || err == nil && !isAt(file, path) {
		err = errBusy
	}
	if err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// isAt reports whether a file still has its name: it may have been written anew.
func isAt(file *os.File, path string) bool {
	ours, err := file.Stat()
	there, missing := os.Stat(path)
	return err == nil && missing == nil && os.SameFile(ours, there)
}
