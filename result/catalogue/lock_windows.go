package catalogue

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"rths/scenario/files"
)

// lock makes the folder of a file ours until it is released or the program ends: Windows gives no name anew that an
// open file has.
func lock(path string) (release func(), err error) {
	claim, err := files.Claim(filepath.Dir(path))
	if errors.Is(err, files.ErrClaimed) || errors.Is(err, fs.ErrPermission) { // the second while a claim is given up
		return nil, fmt.Errorf("%w: %w", errBusy, err)
	}
	if err != nil {
		return nil, err
	}
	return func() { claim.Close() }, nil
}
