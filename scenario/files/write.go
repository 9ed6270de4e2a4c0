package files

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Write writes a file that appears whole or not at all: content goes to a temporary
// file beside it, which then takes its name. Something other than a plain file, such as
// /dev/stdout or a link, is written to and not replaced.
func Write(path string, content func(io.Writer) error) error {
	if there, err := os.Lstat(path); err == nil && !there.Mode().IsRegular() {
		return writeInto(path, content)
	}
	file, err := begin(path)
	if err != nil {
		return err
	}
	defer discard(file.Name())
	if err := errors.Join(content(file), file.Chmod(0o644), file.Close()); err != nil {
		return &named{err, file.Name(), path}
	}
	return finish(file.Name(), path)
}

// named is an error that says the name that the user knows in place of the temporary
// one.
type named struct {
	error
	temporary, path string
}

// Error replaces the name.
func (e *named) Error() string { return strings.ReplaceAll(e.error.Error(), e.temporary, e.path) }

// Unwrap is the error itself.
func (e *named) Unwrap() error { return e.error }

func writeInto(path string, content func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(content(file), file.Close())
}

// unfinished are the names of the temporary files and folders that are being written, and the open files. A program
// that is stopped removes them by Abandon, whatever its goroutines are doing.
var unfinished = struct {
	sync.Mutex
	names map[string]*os.File // nil of a folder
}{names: map[string]*os.File{}}

// begin makes the temporary file of path.
func begin(path string) (*os.File, error) {
	unfinished.Lock()
	defer unfinished.Unlock()
	file, err := os.CreateTemp(filepath.Dir(path), ".rths-*")
	if err != nil {
		if p := (*os.PathError)(nil); errors.As(err, &p) {
			p.Path = path // the name that the user knows
		}
		return nil, err
	}
	unfinished.names[file.Name()] = file
	return file, nil
}

// finish gives the temporary file or folder its name. Where a system replaces no file that a program has open, it
// waits a while for that program.
func finish(temporary, path string) error {
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		err := rename(temporary, path)
		if err == nil || !inUse(err, path) {
			return err
		}
		if time.Since(begun) > patience {
			return fmt.Errorf("%s is open in another program: close it there, and repeat the command: %w", path, err)
		}
	}
}

// patience is how long a file may be open elsewhere before it is replaced.
const patience = 2 * time.Second

func rename(temporary, path string) error {
	unfinished.Lock()
	defer unfinished.Unlock()
	return os.Rename(temporary, path)
}

// discard removes the temporary file or folder if it still has its own name.
func discard(temporary string) {
	unfinished.Lock()
	defer unfinished.Unlock()
	remove(temporary)
	delete(unfinished.names, temporary)
}

// Abandon removes every file and folder that is not finished. The program has to end after it:
// whoever writes a file from now on waits for ever.
func Abandon() {
	unfinished.Lock() // and never unlocked
	for name, file := range unfinished.names {
		if file != nil {
			file.Close() // Windows removes no file that is open
		}
		defer remove(name) // folders after the files in them are closed
	}
}

// remove removes a file, or a folder and what is in it. Wine 8 cannot do the first by the call for the second.
func remove(name string) {
	if os.Remove(name) != nil {
		os.RemoveAll(name)
	}
}
