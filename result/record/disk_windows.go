package record

import (
	"errors"
	"os"

	"rths/scenario/files"
)

// allocate is for systems that can take blocks without writing them.
func allocate(*os.File, int64) error { return errors.ErrUnsupported }

// syncData is Sync where there is nothing faster.
func syncData(file *os.File) error { return file.Sync() }

// syncFolder is for systems that can sync folders.
func syncFolder(*os.Root) error { return nil }

// lockFolder keeps other writers off the folder, in this process and in others, until unlockFolder or the end of the
// process.
func lockFolder(root *os.Root) (*os.File, error) { return files.Claim(root.Name()) }

// unlockFolder lets other writers into the folder.
func unlockFolder(lock *os.File) { lock.Close() }
