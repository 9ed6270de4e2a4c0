package files

import "os"

// open opens a file for reading. To open a pipe does not wait on Windows.
func open(path string) (*os.File, error) { return os.Open(path) }
