package study

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"

	"rths/scenario/files"
)

var errWritten = errors.New("another program is writing it: want one program to a folder: stop that one, or wait for it")

// lock makes a file ours until it is closed or the program ends. Windows keeps others from reading what is locked, so
// that this is one byte far behind the end of any file.
func lock(file *os.File) error {
	const now = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(file.Fd()), now, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return errWritten
	}
	return err
}

// lockFolder makes a folder ours until it is unlocked or the program ends.
func lockFolder(dir string) (unlock func() error, err error) {
	claim, err := files.Claim(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return claim.Close, nil
}

// holder is the program that has locked a file or folder, whose name Windows does not tell; "": none.
func holder(path string) string {
	if _, err := os.Stat(filepath.Join(path, files.ClaimFile)); err == nil {
		return "another program"
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return ""
	}
	defer file.Close()
	if errors.Is(lock(file), errWritten) {
		return "another program"
	}
	return ""
}
