//go:build linux || darwin

package study

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lock makes a file ours until it is closed or the program ends.
func lock(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		if who := holder(file.Name()); who != "" {
			return fmt.Errorf("another program is writing it (%s): want one program to a folder: stop that one, or wait for it",
				who)
		}
		return errors.New("another program is writing it: want one program to a folder")
	}
	if errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOLCK) {
		return nil // a file system without locks
	}
	return err
}

// lockFolder makes a folder ours until it is unlocked or the program ends.
func lockFolder(dir string) (unlock func() error, err error) {
	folder, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := lock(folder); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", dir, err), folder.Close())
	}
	return folder.Close, nil
}
