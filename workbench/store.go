package workbench

import "io/fs"

// store is the files of a desk. Names have slashes.
type store interface {
	fs.FS
	Stat(name string) (fs.FileInfo, error)
	write(name, text string) error // the whole file, at once
	Close() error
}
