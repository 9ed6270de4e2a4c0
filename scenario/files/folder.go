package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// NewFolder makes a folder that appears whole or not at all: content fills a temporary folder beside it,
// which then takes its name. A folder that exists is refused.
func NewFolder(path string, content func(dir string) error) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s exists: want a new folder", path)
	}
	if above := filepath.Dir(filepath.Clean(path)); !IsFolder(above) {
		return fmt.Errorf("%s: there is no folder %s: want a folder that exists", path, above)
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

// IsFolder reports whether a path is a folder, or a link to one.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
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
	unfinished.names[dir] = nil
	return dir, nil
}
