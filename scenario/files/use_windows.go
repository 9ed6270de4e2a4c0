package files

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// inUse reports whether a file or folder could not take the name of path because a program has that one open. Of the
// same words from Windows for a folder, or for a file that may not be written, nothing is to be waited for.
func inUse(err error, path string) bool {
	if errors.Is(err, windows.ERROR_SHARING_VIOLATION) {
		return true
	}
	there, missing := os.Stat(path)
	return errors.Is(err, windows.ERROR_ACCESS_DENIED) && missing == nil && there.Mode().IsRegular() &&
		there.Mode().Perm()&0o200 != 0
}
