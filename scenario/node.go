package scenario

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// node is a piece of a scenario with the place it came from, so that every
// error can say where. It is a mapping (keys), a sequence (items) or a scalar.
type node struct {
	at     string // "file.yaml:3:5", or the override "--set a.b=c"
	shape  shape
	text   string // scalars: as written, without quotes
	quoted bool   // scalars: written in quotes
	keys   []*key
	items  []*node
}

type shape int

const (
	scalar shape = iota
	mapping
	sequence
	empty // null, or nothing after the colon
)

func (s shape) String() string {
	return [...]string{"a value", "a block of keys", "a list", "nothing"}[s]
}

type key struct {
	name  string
	at    string
	value *node
}

// forgetLines leaves the name alone in the places of a text.
func (n *node) forgetLines(name string) {
	forget := func(at *string) {
		if strings.HasPrefix(*at, name+":") {
			*at = name
		}
	}
	forget(&n.at)
	for _, k := range n.keys {
		forget(&k.at)
		k.value.forgetLines(name)
	}
	for _, item := range n.items {
		item.forgetLines(name)
	}
}

func (n *node) get(name string) *key {
	for _, k := range n.keys {
		if k.name == name {
			return k
		}
	}
	return nil
}

// parse reads one YAML document, which errors call name.
func parse(name string, text []byte) (root *node, err error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // the byte order mark of editors on Windows
	tokens, err := tokenize(name, text)
	if err != nil {
		return nil, err
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, notYAML(name, text, err)
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return nil, fmt.Errorf("%s: the file is empty: want a scenario", name)
	}
	if len(file.Docs) > 1 {
		return nil, fmt.Errorf("%s: %d documents: want one", name, len(file.Docs))
	}
	r := reader{name: name}
	root = r.read(file.Docs[0].Body, 0)
	if r.err != nil {
		return nil, r.err
	}
	return root, nil
}

// notYAML is the error of a text that the library has refused: the line that is wrong by
// itself, or else the place and the reason of the library. To print the text around them
// takes the library a time that grows with the square of the length of a line.
func notYAML(name string, text []byte, err error) error {
	if slipped := slip(name, string(text)); slipped != nil {
		return slipped
	}
	reason, _, _ := strings.Cut(yaml.FormatError(err, false, false), "\n")
	var line, column int
	if n, _ := fmt.Sscanf(reason, "[%d:%d]", &line, &column); n == 2 {
		_, reason, _ = strings.Cut(reason, "] ")
		return fmt.Errorf("%s:%d:%d: not valid YAML: %s", name, line, column, reason)
	}
	return fmt.Errorf("%s: not valid YAML: %s", name, reason)
}

// reader turns the syntax tree of the YAML library into nodes.
type reader struct {
	name string
	err  error
}

func (r *reader) place(t *token.Token) string { return place(r.name, t) }

func (r *reader) fail(n *node, format string, args ...any) *node {
	if r.err == nil {
		r.err = fmt.Errorf("%s: %s", n.at, fmt.Sprintf(format, args...))
	}
	return n
}

func (r *reader) read(a ast.Node, depth int) *node {
	n := &node{at: r.place(a.GetToken())}
	if depth > deepest {
		return r.fail(n, "nested deeper than %d levels", deepest)
	}
	switch a := a.(type) {
	case *ast.MappingNode:
		n.shape = mapping
		for _, v := range a.Values {
			r.readKey(n, v, depth)
		}
		if len(n.keys) > 0 {
			n.at = n.keys[0].at
		}
	case *ast.MappingValueNode:
		n.shape = mapping
		r.readKey(n, a, depth)
		n.at = n.keys[0].at
	case *ast.SequenceNode:
		n.shape = sequence
		for _, v := range a.Values {
			n.items = append(n.items, r.read(v, depth+1))
		}
	case *ast.NullNode:
		n.shape = empty
	case *ast.StringNode:
		n.text = a.Value
		n.quoted = a.Token != nil && (a.Token.Type == token.SingleQuoteType || a.Token.Type == token.DoubleQuoteType)
	case *ast.LiteralNode:
		n.text, n.quoted = a.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		n.text = a.GetToken().Value
	default:
		return r.fail(n, "found %s: want a value, a block of keys or a list", a.Type())
	}
	return n
}

func (r *reader) readKey(n *node, v *ast.MappingValueNode, depth int) {
	k := &key{name: v.Key.GetToken().Value, at: r.place(v.Key.GetToken())}
	if len(k.name) > longName {
		k.name = k.name[:longName]
		r.fail(&node{at: k.at}, "key %.40q…: want a name of at most %d letters", k.name, longName)
	}
	if strings.ContainsFunc(k.name, unicode.IsControl) {
		r.fail(&node{at: k.at}, "key %q: want a name without control characters", k.name)
	}
	twice := n.get(k.name) != nil
	n.keys = append(n.keys, k)
	if twice {
		r.fail(&node{at: k.at}, "key %q stands twice", k.name)
		return
	}
	k.value = r.read(v.Value, depth+1)
}

// putAll puts settings one after the other. A block or a list, at the top or in an entry of each,
// that a setting has left empty, as --set compensator= does, is left out.
func (n *node) putAll(settings []Setting) error {
	emptied := false
	for _, s := range settings {
		if err := n.put(s); err != nil {
			return err
		}
		emptied = emptied || s.value.shape == empty
	}
	if !emptied {
		return nil
	}
	n.leaveOut("", fields(reflect.ValueOf(New()).Elem()), settings)
	if each := n.get("each"); each != nil {
		for i, entry := range each.value.items {
			entry.leaveOut(fmt.Sprintf("each[%d].", i+1), fields(reflect.ValueOf(&Actuator{}).Elem()), settings)
		}
	}
	return nil
}

// leaveOut drops the blocks and lists below a path that settings have left empty. An empty
// number or text, and an unknown key, stay for the decoder to refuse.
func (n *node) leaveOut(path string, known []field, settings []Setting) {
	n.keys = slices.DeleteFunc(n.keys, func(k *key) bool {
		return k.value.shape == empty && slices.ContainsFunc(settings,
			func(s Setting) bool { return s.Key == path+k.name }) &&
			slices.ContainsFunc(known, func(f field) bool { return f.name == k.name && wanted[f.v.Kind()] == "" })
	})
}

// put sets one key of the tree, as in compensator.order=2, and makes missing blocks. An entry
// of a list is counted from 1, as in limits[2].trip=0.02. Another kind replaces its block: the
// new kind has other parameters.
func (n *node) put(s Setting) error {
	path, at, value := s.Key, s.at, s.value.clone() // a later key may go into the block
	if n := strings.Count(path, "."); n > deepest {
		return fmt.Errorf("%s: %d keys inside each other: want at most %d", at, n+1, deepest+1)
	}
	names := setNames(path)
	if slices.ContainsFunc(names, func(name string) bool { return len(name) > longName }) {
		return fmt.Errorf("%s: want keys of at most %d letters", at, longName)
	}
	for _, name := range names[:len(names)-1] {
		v, err := n.entry(name, at)
		if err != nil {
			return err
		}
		if v.shape == empty {
			v.shape = mapping
		}
		if v.shape != mapping {
			return fmt.Errorf("%s: %s is %s, not a block of keys", at, name, v.shape)
		}
		n = v
	}
	last := names[len(names)-1]
	if k := n.get(last); last == "kind" && (k == nil || k.value.text != value.text) {
		n.keys = nil
	}
	if strings.HasSuffix(last, "]") {
		v, err := n.entry(last, at)
		if err == nil {
			*v = *value
		}
		return err
	}
	k := n.under(last, at)
	k.value, k.at = value, at
	return nil
}

// entry is the value of a key, or an entry of its list, as in limits[2], counted from 1.
func (n *node) entry(name, at string) (*node, error) {
	list, index, indexed := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	if !indexed || !strings.HasSuffix(name, "]") || strings.Contains(name, ".") { // with a point: a key of scatter
		return n.under(name, at).value, nil
	}
	k := n.get(list)
	if k == nil || k.value.shape != sequence {
		return nil, fmt.Errorf("%s: %s is no list of this scenario: want the whole list, as in --set '%s=[…]'", at, list,
			list)
	}
	i, err := strconv.Atoi(index)
	if err != nil || i < 1 || i > len(k.value.items) {
		return nil, fmt.Errorf("%s: %s has no entry [%s]: want 1 to %d", at, list, index, len(k.value.items))
	}
	return k.value.items[i-1], nil
}

// overriding is the value of an override; a blank text is an empty value.
func overriding(at, text string) (*node, error) {
	if strings.TrimSpace(text) == "" {
		return &node{at: at, shape: empty}, nil
	}
	for _, pair := range []string{"{}", "[]"} {
		if n := strings.Count(text, pair[:1]); n < 100 && n > strings.Count(text, pair[1:]) {
			return nil, fmt.Errorf("%s: found %c without its %c: want both, and quotes around the whole, as in --set "+
				"'KEY=%c…%c'", at, pair[0], pair[1], pair[0], pair[1])
		}
	}
	value, err := parse(at, []byte(text))
	if err == nil {
		value.relocate(at)
	}
	return value, err
}

// under finds the key of that name, or adds the key with an empty value.
func (n *node) under(name, at string) *key {
	k := n.get(name)
	if k == nil {
		k = &key{name: name, at: at, value: &node{at: at, shape: empty}}
		n.keys = append(n.keys, k)
	}
	return k
}

// shown is an override in messages, cut to 100 bytes.
func shown(set string) string {
	if len(set) <= 100 {
		return set
	}
	return strings.ToValidUTF8(set[:100], "") + "…"
}

func (n *node) relocate(at string) {
	n.at = at
	for _, k := range n.keys {
		k.at = at
		k.value.relocate(at)
	}
	for _, i := range n.items {
		i.relocate(at)
	}
}
