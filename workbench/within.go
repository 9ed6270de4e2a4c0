package workbench

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"rths/scenario/syntax"
)

// within refuses a text that names a data file outside of the folder: whoever has the token of the page may read what
// is below the folder, and no more.
func (d *Desk) within(in Place) error {
	root, err := syntax.Parse(in.name(), []byte(in.Text), "a scenario")
	if err != nil {
		return nil // the decoder says what is wrong
	}
	dir := filepath.Dir(filepath.FromSlash(in.Path))
	var errs []error
	var look func(n *syntax.Node)
	look = func(n *syntax.Node) {
		for _, k := range n.Keys {
			if k.Name == "file" && k.Value.Shape == syntax.Scalar && !d.holds(dir, k.Value.Text) {
				errs = append(errs, fmt.Errorf("%s: file: found %q outside of the folder of the workbench: want a file "+
					"below it, rths ui with a folder above both, or rths run in a terminal", k.Value.At, k.Value.Text))
			}
			look(k.Value)
		}
		for _, item := range n.Items {
			look(item)
		}
	}
	look(root)
	return errors.Join(errs...)
}

// holds reports whether a file, named from a folder of the desk, is below the desk's folder. One that is not there is.
func (d *Desk) holds(dir, file string) bool {
	if filepath.IsAbs(file) {
		whole, err := filepath.Abs(d.Folder)
		if err != nil {
			return false
		}
		if file, err = filepath.Rel(whole, file); err != nil {
			return false
		}
		dir = ""
	}
	way := filepath.Join(dir, file)
	if !filepath.IsLocal(way) {
		return false
	}
	_, err := d.store.Stat(filepath.ToSlash(way)) // links that lead out are errors
	return err == nil || errors.Is(err, fs.ErrNotExist)
}
