package files

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// ClaimFile is in a folder as long as a program has the folder for itself.
const ClaimFile = ".rths-lock"

// ErrClaimed is that another program has claimed a folder.
var ErrClaimed = errors.New("another program is writing into it: wait until it has ended")

// Claim keeps other programs, and other calls, from claiming a folder until the file is closed or the program ends.
// Windows locks no folders: a file in it that only one program can open stands for it, and goes when that program does.
func Claim(dir string) (*os.File, error) {
	path := filepath.Join(dir, ClaimFile)
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := windows.CreateFile(name, windows.GENERIC_WRITE|windows.DELETE, 0, nil, windows.OPEN_ALWAYS,
		windows.FILE_ATTRIBUTE_HIDDEN|windows.FILE_FLAG_DELETE_ON_CLOSE, 0)
	if errors.Is(err, windows.ERROR_SHARING_VIOLATION) {
		return nil, ErrClaimed
	}
	if err != nil {
		return nil, &os.PathError{Op: "lock", Path: dir, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}
