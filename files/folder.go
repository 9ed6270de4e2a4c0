package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// NewFolder makes a folder that appears whole or not at all: content fills a temporary folder beside it,
// which then takes its name. A folder that exists is refused.
func NewFolder(path string, content func(dir string) error) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s exists: want a new folder", path)
	}
	dir, err := beginFolder(path)
	if err != nil {
		return err
	}
	defer discard(dir)
	if err := errors.Join(content(dir), os.Chmod(dir, 0o755)); err != nil {
		return &named{err, dir, path}
	}
	return finish(dir, path)
}

// beginFolder makes the temporary folder of path.
func beginFolder(path string) (string, error) {
	unfinished.Lock()
	defer unfinished.Unlock()
	dir, err := os.MkdirTemp(filepath.Dir(filepath.Clean(path)), ".rths-*")
	if err != nil {
		if p := (*os.PathError)(nil); errors.As(err, &p) {
			p.Path = path // the name that the user knows
		}
		return "", err
	}
	unfinished.names[dir] = true
	return dir, nil
}
