package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"rths"
	"rths/scenario/files"
)

// Template is the text of a scenario, parsed once, of which scenarios with some keys set are
// made. Several goroutines may use one Template.
type Template struct {
	name, baseDir string
	root          *node
	inputs        []files.Input
}

// LoadTemplate reads a scenario file and applies overrides of the form a.b.c=value. Relative
// file names in it start from baseDir; "" is the folder of the file.
func LoadTemplate(path, baseDir string, sets []string) (*Template, error) {
	var read files.Inputs
	file, err := read.Open(path, largestText)
	if err != nil {
		return nil, fmt.Errorf("scenario: %w%s", err, neighbour(path, err))
	}
	text, err := io.ReadAll(io.LimitReader(file, largestText+1)) // the file may grow
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
	root, err := parseBlock(name, text, "a scenario, keys such as name, ground, structure")
	if err != nil {
		return nil, err
	}
	var settings []Setting
	for _, set := range sets {
		s, err := ParseSetting(set)
		if err != nil {
			return nil, err
		}
		settings = append(settings, s)
	}
	if err := root.putAll(settings); err != nil {
		return nil, err
	}
	return &Template{name: name, baseDir: baseDir, root: root}, nil
}

// parseBlock parses a text that has to be a block of keys.
func parseBlock(name string, text []byte, want string) (*node, error) {
	root, err := parse(name, text)
	if err == nil && root.shape != mapping {
		err = fmt.Errorf("%s: found %s: want %s", root.at, root.describe(), want)
	}
	return root, err
}

// With is the scenario with some keys set, in their order.
func (t *Template) With(settings ...Setting) (*Scenario, error) {
	root := t.root
	if len(settings) > 0 {
		root = root.clone()
	}
	if err := root.putAll(settings); err != nil {
		return nil, err
	}
	s := New()
	s.Origin, s.baseDir, s.inputs = newOrigin(t.name, root), t.baseDir, t.inputs
	var d decoder
	d.block("", root, reflect.ValueOf(s).Elem())
	if err := d.err(); err != nil {
		return nil, err
	}
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
	full, err := parse(t.name, []byte(text))
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		list, _, indexed := strings.Cut(key, "[")
		if !indexed || t.root.find(list) != nil || full.find(list) == nil {
			continue
		}
		top, _, _ := strings.Cut(list, ".")
		if err := t.root.put(Setting{top, t.name, full.find(top)}); err != nil {
			return nil, err
		}
		blocks = append(blocks, top)
	}
	return blocks, nil
}

// find is the value of a key such as compensator.gamma, or nil.
func (n *node) find(path string) *node {
	for name := range strings.SplitSeq(path, ".") {
		k := n.get(name)
		if k == nil {
			return nil
		}
		n = k.value
	}
	return n
}

func (n *node) clone() *node {
	out := *n
	out.keys, out.items = make([]*key, len(n.keys)), make([]*node, len(n.items))
	for i, k := range n.keys {
		out.keys[i] = &key{k.name, k.at, k.value.clone()}
	}
	for i, item := range n.items {
		out.items[i] = item.clone()
	}
	return &out
}

// Text writes the scenario's keys in one line, without defaults: the same text for the same
// scenario.
func (t *Template) Text() string { return t.root.flow() }

// Setting is a value of one key of a scenario.
type Setting struct {
	Key   string
	at    string // for messages
	value *node
}

// ParseSetting reads KEY=VALUE, as rths run --set takes it.
func ParseSetting(set string) (Setting, error) {
	at := "--set " + shown(set)
	key, text, ok := strings.Cut(set, "=")
	if key = strings.TrimSpace(key); !ok || key == "" {
		return Setting{}, fmt.Errorf("%s: want KEY=VALUE, as in --set compensator.kind=amb", at)
	}
	value, err := overriding(at, text)
	return Setting{key, at, value}, err
}

// Number sets a key to a number. Messages call the place of the setting at.
func Number(key string, x float64, at string) Setting {
	return Setting{key, at, &node{at: at, shape: scalar, text: strconv.FormatFloat(x, 'g', -1, 64)}}
}

// Whole sets a key to a whole number.
func Whole(key string, n uint64, at string) Setting {
	return Setting{key, at, &node{at: at, shape: scalar, text: strconv.FormatUint(n, 10)}}
}

// Value is the value in one line of YAML.
func (s Setting) Value() string { return s.value.flow() }

// Text is the value for a reader: a text without its quotes, and of a block with one key, such as
// {record: kobe}, the value of the key.
func (s Setting) Text() string {
	n := s.value
	if n.shape == mapping && len(n.keys) == 1 {
		n = n.keys[0].value
	}
	if n.shape == scalar {
		return n.text
	}
	return s.value.flow()
}

// String is KEY=VALUE.
func (s Setting) String() string { return s.Key + "=" + s.Value() }

// Sorted are settings in the order in which one does not undo another: whole blocks and kinds
// before the keys in them.
func Sorted(settings []Setting) []Setting {
	depth := func(key string) int {
		n := strings.Count(key, ".") + strings.Count(key, "[")
		if strings.HasSuffix(key, ".kind") {
			n--
		}
		return n
	}
	out := slices.Clone(settings)
	slices.SortStableFunc(out, func(a, b Setting) int { return cmp.Compare(depth(a.Key), depth(b.Key)) })
	return out
}

// flow writes a node in one line.
func (n *node) flow() string {
	var parts []string
	switch n.shape {
	case mapping:
		for _, k := range n.keys {
			name := k.name
			if strings.Contains(name, "[") { // a key of scatter
				name = strconv.Quote(name)
			}
			parts = append(parts, name+": "+k.value.flow())
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case sequence:
		for _, item := range n.items {
			parts = append(parts, item.flow())
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case empty:
		return ""
	}
	if n.quoted || strings.ContainsAny(n.text, ":{}[],&*#?|-<>=!%@\\\"'`\n") && !plainNumber(n.text) &&
		!plainWord(n.text) {
		return strconv.Quote(n.text)
	}
	return n.text
}

func plainNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// plainWord reports whether a text of letters, digits, points, strokes and slashes needs no
// quotes.
func plainWord(text string) bool {
	return text != "" && text[0] != '-' && !strings.ContainsFunc(text, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-/", r))
	})
}

// Float is the value as a number, if it is one.
func (s Setting) Float() (x float64, ok bool) {
	if s.value == nil || s.value.shape != scalar || s.value.quoted {
		return 0, false
	}
	x, err := strconv.ParseFloat(s.value.text, 64)
	return x, err == nil && rths.Finite(x)
}

// Fragment is the blocks at the top of a scenario that hold some keys, in full, ready to be
// pasted into a scenario.
func (s *Scenario) Fragment(keys ...string) (string, error) {
	text, err := s.YAML()
	if err != nil {
		return "", err
	}
	root, err := parse("scenario", []byte(text))
	if err != nil {
		return "", err
	}
	var lines []string
	for _, k := range root.keys {
		if slices.ContainsFunc(keys, func(key string) bool {
			top, _, _ := strings.Cut(key, ".")
			top, _, _ = strings.Cut(top, "[")
			return top == k.name
		}) {
			lines = append(lines, k.name+": "+k.value.flow()+"\n")
		}
	}
	return strings.Join(lines, ""), nil
}
