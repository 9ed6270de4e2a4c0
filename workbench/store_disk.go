//go:build !js

package workbench

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"rths/result/catalogue"
	"rths/result/record"
)

// mostBytes is the largest record that is kept in memory.
const mostBytes = 2e9

// results are files of folders whose scenarios are results.
var results = []string{record.ManifestFile, catalogue.StudyFile, catalogue.AdviceFile}

// disk is a folder. Files outside of it are neither read nor written.
type disk struct{ *os.Root }

func openStore(folder string) (store, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("workbench: %w: want a folder", err)
	}
	return disk{root}, nil
}

// Open opens a file for reading.
func (d disk) Open(name string) (fs.File, error) { return d.FS().Open(name) }

// write replaces a file at once: nobody finds half of it.
func (d disk) write(name, text string) error {
	name = filepath.FromSlash(name)
	next := filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+".new")
	file, err := d.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		if err = d.Rename(next, name); err == nil {
			return nil
		}
	}
	return errors.Join(err, d.Remove(next))
}
