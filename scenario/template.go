package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"rths/scenario/files"
	"rths/scenario/syntax"
)

// Template is the text of a scenario, parsed once, of which scenarios with some keys set are
// made. Several goroutines may use one Template.
type Template struct {
	name, baseDir string
	root          *syntax.Node
	inputs        []files.Input
}

// LoadTemplate reads a scenario file and applies overrides of the form a.b.c=value. Relative
// file names in it start from baseDir; "" is the folder of the file.
func LoadTemplate(path, baseDir string, sets []string) (*Template, error) {
	var read files.Inputs
	file, err := read.Open(path, syntax.LargestText)
	if err != nil {
		return nil, fmt.Errorf("scenario: %w%s", err, neighbour(path, err))
	}
	text, err := io.ReadAll(io.LimitReader(file, syntax.LargestText+1)) // the file may grow
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, fmt.Errorf("scenario: %w", err)
	}
	if baseDir == "" {
		baseDir = filepath.Dir(path)
	}
	t, err := NewTemplate(path, text, baseDir, sets)
	if err == nil {
		t.inputs = read.Read
	}
	return t, err
}

// Inputs are the files that the text itself was read from.
func (t *Template) Inputs() []files.Input { return t.inputs }

// NewTemplate reads a template from text, as Parse does a scenario.
func NewTemplate(name string, text []byte, baseDir string, sets []string) (*Template, error) {
	root, err := syntax.Parse(name, text, "a scenario, keys such as name, ground, structure")
	if err != nil {
		return nil, err
	}
	var settings []syntax.Setting
	for _, set := range sets {
		s, err := syntax.ParseSetting(set)
		if err != nil {
			return nil, err
		}
		settings = append(settings, s)
	}
	if err := format().Set(root, settings...); err != nil {
		return nil, err
	}
	return &Template{name: name, baseDir: baseDir, root: root}, nil
}

// With is the scenario with some keys set, in their order.
func (t *Template) With(settings ...syntax.Setting) (*Scenario, error) {
	root := t.root
	if len(settings) > 0 {
		root = root.Clone()
	}
	if err := format().Set(root, settings...); err != nil {
		return nil, err
	}
	s := New()
	s.Origin, s.baseDir, s.inputs = syntax.NewOrigin(t.name, root), t.baseDir, t.inputs
	if err := format().Decode(root, s); err != nil {
		return nil, err
	}
	s.leaveInner()
	return s, s.check()
}

// Spell writes blocks into the template as a built scenario has them: those at the top that hold
// an entry of a list, such as compensator.gamma[2], which the template leaves to its default. A
// setting can then change one entry, and the other defaults stay as they are. Entries of a list
// that has no default stay an error of With. Spell names the blocks that it has written.
func (t *Template) Spell(built *Scenario, keys ...string) (blocks []string, err error) {
	text, err := built.YAML()
	if err != nil {
		return nil, err
	}
	full, err := syntax.Parse(t.name, []byte(text), "a scenario")
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		list, _, indexed := strings.Cut(key, "[")
		if !indexed || t.root.Find(list) != nil || full.Find(list) == nil {
			continue
		}
		top, _, _ := strings.Cut(list, ".")
		if err := format().Set(t.root, syntax.To(top, full.Find(top), t.name)); err != nil {
			return nil, err
		}
		blocks = append(blocks, top)
	}
	return blocks, nil
}

// Text writes the scenario's keys in one line, without defaults: the same text for the same
// scenario.
func (t *Template) Text() string { return t.root.Flow() }

// Fragment is the blocks at the top of a scenario that hold some keys, in full, ready to be
// pasted into a scenario.
func (s *Scenario) Fragment(keys ...string) (string, error) {
	text, err := s.YAML()
	if err != nil {
		return "", err
	}
	root, err := syntax.Parse("scenario", []byte(text), "a scenario")
	if err != nil {
		return "", err
	}
	var lines []string
	for _, k := range root.Keys {
		if slices.ContainsFunc(keys, func(key string) bool {
			top, _, _ := strings.Cut(key, ".")
			top, _, _ = strings.Cut(top, "[")
			return top == k.Name
		}) {
			lines = append(lines, k.Name+": "+k.Value.Flow()+"\n")
		}
	}
	return strings.Join(lines, ""), nil
}

// A template goes to another computer as JSON: the tree of nodes with the places in
// the file. The scenarios made there are the same, and so are the messages of their errors, which
// a text without the places would change.
type templateJSON struct {
	Name   string        `json:"name"`
	Folder string        `json:"folder"` // that relative file names start from
	Root   *syntax.Node  `json:"root"`
	Inputs []files.Input `json:"inputs,omitempty"`
}

// MarshalJSON writes all that scenarios are made of.
func (t *Template) MarshalJSON() ([]byte, error) {
	return json.Marshal(templateJSON{t.name, t.baseDir, t.root, t.inputs})
}

// UnmarshalJSON reads what MarshalJSON has written.
func (t *Template) UnmarshalJSON(text []byte) error {
	var from templateJSON
	if err := json.Unmarshal(text, &from); err != nil {
		return err
	}
	if from.Root == nil || from.Root.Shape != syntax.Mapping {
		return errors.New("a template without keys: want the JSON of a scenario")
	}
	*t = Template{name: from.Name, baseDir: from.Folder, root: from.Root.Mended(), inputs: from.Inputs}
	return nil
}
