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

// lockFolder keeps other writers off the folder, in this process and in others, until unlockFolder
// or the end of the process. A file system that cannot lock folders gives no lock.
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

// unlockFolder lets other writers into the folder. Closing alone would not: a process that another goroutine is just
// starting has the file too, until it runs its own program.
func unlockFolder(lock *os.File) {
	_ = syscall.Flock(int(lock.Fd()), syscall.LOCK_UN)
	lock.Close()
}
