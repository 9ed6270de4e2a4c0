// Package files opens the files that a user names and writes the files that a
// command leaves: only plain files are read, and a written file appears whole or
// not at all.
package files

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Open opens a plain file for reading. A named pipe, a device, a socket or a folder is
// an error: reading one may wait for ever, or never end.
func Open(path string) (*os.File, error) {
	file, err := open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: found %s: want a plain file", path, kind(info.Mode()))
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// Disk opens files for packages that open none themselves.
type Disk struct{}

// Open is Open for a file of at most limit bytes, whose size is looked at before
// anything is read.
func (Disk) Open(path string, limit int64) (io.ReadCloser, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && info.Size() > limit {
		err = fmt.Errorf("%s: found a file of %.4g MB: want at most %.4g MB", path, float64(info.Size())/1e6,
			float64(limit)/1e6)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// Names are the names of the files in a folder, without the folders.
func (Disk) Names(folder string) (names []string, err error) {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// kind names a file that is not a plain file.
func kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "something else"
}
