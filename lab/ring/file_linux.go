package ring

import (
	"fmt"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Room is the number of bytes that are free in a folder.
func Room(folder string) (free int64, err error) {
	var s unix.Statfs_t
	if err := untilDone(func() error { return unix.Statfs(folder, &s) }); err != nil {
		return 0, &os.PathError{Op: "statfs", Path: folder, Err: err}
	}
	return int64(s.Bavail) * int64(s.Frsize), nil
}

// untilDone calls again what a signal has interrupted: the runtime sends signals to its own threads.
func untilDone(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}

// openFile opens a file that only its owner may read and write.
func openFile(path string, flag int) (*os.File, error) { return os.OpenFile(path, flag, 0o600) }

// reserve gives the file n bytes of zeros and takes the pages for them. Without pages of its own, a full
// folder would end the process that first writes to a page (SIGBUS).
func reserve(file *os.File, n int64) error {
	err := untilDone(func() error { return unix.Fallocate(int(file.Fd()), 0, 0, n) })
	return os.NewSyscallError("fallocate", err)
}

// mapFile maps n bytes of the file into the memory of this process. All pages are there at once
// (MAP_POPULATE): the loop meets no page fault.
func mapFile(file *os.File, n int64) ([]byte, error) {
	if int64(int(n)) != n {
		return nil, fmt.Errorf("a ring of %d bytes: want fewer on this computer", n)
	}
	mapped, err := unix.Mmap(int(file.Fd()), 0, int(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE)
	return mapped, os.NewSyscallError("mmap", err)
}

// The calls of futex(2), between processes.
const (
	futexWait = 0
	futexWake = 1
)

// sleep sleeps while the word has a value, at most so long.
func sleep(word *uint32, while uint32, most time.Duration) {
	t := unix.NsecToTimespec(int64(most))
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWait, uintptr(while),
		uintptr(unsafe.Pointer(&t)), 0, 0)
}

// wake wakes who sleeps on the word.
func wake(word *uint32) {
	_, _, _ = unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWake, 1, 0, 0, 0)
}

func unmap(mapped []byte) { _ = unix.Munmap(mapped) }

// lockShared takes the lock of a process of the test. The lock goes when the file is closed or the
// process ends, however it ends.
func lockShared(file *os.File) (bool, error) { return lock(file, unix.LOCK_SH) }

// lockAlone takes the lock of a recovery, which nobody shares.
func lockAlone(file *os.File) (bool, error) { return lock(file, unix.LOCK_EX) }

// lock takes a lock, or returns false if another program has one against it.
func lock(file *os.File, how int) (bool, error) {
	err := untilDone(func() error { return unix.Flock(int(file.Fd()), how|unix.LOCK_NB) })
	if err == unix.EWOULDBLOCK {
		return false, nil
	}
	return err == nil, os.NewSyscallError("flock", err)
}
