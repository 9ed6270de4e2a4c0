package scenario

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/goccy/go-yaml"

	"rths/model/structure"
	"rths/scenario/syntax"
)

// YAML writes the scenario in full, with every default and every value that makers filled
// in. Reading the text back gives the same test.
func (s *Scenario) YAML() (string, error) { return s.YAMLIn(s.baseDir) }

// YAMLIn is YAML for a file in another folder: relative file names start there.
func (s *Scenario) YAMLIn(folder string) (string, error) {
	out := syntax.Encode(s)
	if folder != s.baseDir {
		if err := s.moveFiles(out, folder); err != nil {
			return "", fmt.Errorf("scenario: %w", err)
		}
	}
	for _, block := range []struct {
		given   bool
		refuses []string // keys that mean nothing beside the block
	}{
		{s.Target.Given(), []string{"integrator", "interface_dof", "interface_motion"}},
		{s.External() != nil, []string{"integrator", "interface_dof", "interface_motion"}},
		{s.Coupler.Given(), []string{"interface_dof"}}, // the structure has an interface of its own
		{len(s.Interface) > 0, []string{"interface_dof"}},
		{s.openInterface(), []string{"interface_dof"}}, // the structure chooses it
		{len(s.Specimens) > 0, []string{"specimen"}},
		{s.eachCompensates(), []string{"compensator"}},
		{s.eachMoves(), []string{"transfer"}},
		{s.Limits.None(), []string{"on_trip"}},
	} {
		out = slices.DeleteFunc(out, func(i yaml.MapItem) bool {
			return block.given &&
				slices.Contains(block.refuses, i.Key.(string))
		})
	}
	text, err := yaml.MarshalWithOptions(out, yaml.UseSingleQuote(false))
	if err != nil {
		return "", fmt.Errorf("scenario: %w", err)
	}
	return string(text), nil
}

// moveFiles lets the relative names of all keys file start from a folder.
func (s *Scenario) moveFiles(block any, folder string) (err error) {
	switch block := block.(type) {
	case []any:
		for _, b := range block {
			err = errors.Join(err, s.moveFiles(b, folder))
		}
	case yaml.MapSlice:
		for i, item := range block {
			name, is := item.Value.(string)
			if item.Key != "file" || !is || name == "" || filepath.IsAbs(name) {
				err = errors.Join(err, s.moveFiles(item.Value, folder))
				continue
			}
			moved, wayErr := way(folder, filepath.Join(s.baseDir, name))
			block[i].Value, err = filepath.ToSlash(moved), errors.Join(err, wayErr)
		}
	}
	return err
}

// way is the name of a file from a folder: absolute, if a link makes the relative name lead elsewhere.
func way(folder, file string) (string, error) {
	from, fromErr := filepath.Abs(folder)
	to, toErr := filepath.Abs(file)
	seen, seenErr := filepath.Rel(from, to)
	if real, err := filepath.Rel(resolved(from), resolved(to)); err != nil || real != seen {
		seen = to
	}
	return seen, errors.Join(fromErr, toErr, seenErr)
}

// resolved is a name without links, as far as it exists.
func resolved(name string) string {
	at, err := filepath.EvalSymlinks(name)
	if folder := filepath.Dir(name); err != nil && folder != name {
		return filepath.Join(resolved(folder), filepath.Base(name))
	}
	return at
}

// openInterface reports whether interface_dof was left to a structure that has a place for a specimen.
func (s *Scenario) openInterface() bool {
	_, places := s.Structure.Params.(*structure.FEFoundation)
	return places && s.InterfaceDOF == 1 && s.Place("interface_dof") == ""
}
