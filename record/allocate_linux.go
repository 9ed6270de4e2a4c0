package record

import (
	"os"
	"syscall"
)

// allocate gives the file n bytes of zeros and takes the blocks for them from the
// disk.
func allocate(file *os.File, n int64) error {
	return syscall.Fallocate(int(file.Fd()), 0, 0, n)
}
