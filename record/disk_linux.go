package record

import (
	"errors"
	"os"
	"syscall"
)

// allocate gives the file n bytes of zeros and takes the blocks for them from the
// disk.
func allocate(file *os.File, n int64) error {
	return syscall.Fallocate(int(file.Fd()), 0, 0, n)
}

// syncData waits until the disk has the bytes of a file, and its size.
func syncData(file *os.File) error {
	for {
		switch err := syscall.Fdatasync(int(file.Fd())); err {
		case nil:
			return nil
		case syscall.EINTR:
		default:
			return &os.PathError{Op: "sync", Path: file.Name(), Err: err}
		}
	}
}

// syncFolder waits until the disk has the names in a folder.
func syncFolder(root *os.Root) error {
	folder, err := root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

var errLocked = errors.New("another program is writing into it: wait until it has ended")

// lockFolder keeps other writers off the folder, in this process and in others, until the lock is closed
// or the process ends. A file system that cannot lock folders gives no lock.
func lockFolder(root *os.Root) (*os.File, error) {
	folder, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == syscall.EWOULDBLOCK {
		folder.Close()
		return nil, errLocked
	}
	return folder, nil
}
