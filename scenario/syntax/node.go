package syntax

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Node is a piece of a text with the place it came from, so that every
// error can say where. It is a mapping (Keys), a sequence (Items) or a scalar.
type Node struct {
	At     string  `json:"at"` // "file.yaml:3:5", or the override "--set a.b=c"
	Shape  Shape   `json:"shape,omitempty"`
	Text   string  `json:"text,omitempty"`   // scalars: as written, without quotes
	Quoted bool    `json:"quoted,omitempty"` // scalars: written in quotes
	Keys   []*Key  `json:"keys,omitempty"`
	Items  []*Node `json:"items,omitempty"`
}

// Shape is what a node consists of.
type Shape int

// Shapes of a node.
const (
	Scalar Shape = iota
	Mapping
	Sequence
	Empty // null, or nothing after the colon
)

// String names the shape in messages.
func (s Shape) String() string {
	return [...]string{"a value", "a block of keys", "a list", "nothing"}[s]
}

// Key is a key of a mapping with its value.
type Key struct {
	Name  string `json:"name"`
	At    string `json:"at"`
	Value *Node  `json:"value"`
}

// Describe says in messages what was found.
func (n *Node) Describe() string {
	if n.Shape == Scalar {
		return fmt.Sprintf("%.60q", n.Text) // the file may be no scenario at all
	}
	return n.Shape.String()
}

// ForgetLines leaves the name alone in the places of a text.
func (n *Node) ForgetLines(name string) {
	n.move(func(at string) string {
		if strings.HasPrefix(at, name+":") {
			return name
		}
		return at
	})
}

// Moved is a copy of the node with all its keys at one place.
func (n *Node) Moved(at string) *Node {
	out := n.Clone()
	out.move(func(string) string { return at })
	return out
}

// move changes the places of a node and of all below it.
func (n *Node) move(to func(at string) string) {
	n.At = to(n.At)
	for _, k := range n.Keys {
		k.At = to(k.At)
		k.Value.move(to)
	}
	for _, item := range n.Items {
		item.move(to)
	}
}

// Clone is a copy of the node and of all below it.
func (n *Node) Clone() *Node {
	out := *n
	out.Keys, out.Items = make([]*Key, len(n.Keys)), make([]*Node, len(n.Items))
	for i, k := range n.Keys {
		out.Keys[i] = &Key{k.Name, k.At, k.Value.Clone()}
	}
	for i, item := range n.Items {
		out.Items[i] = item.Clone()
	}
	return &out
}

// Get is the key of that name, or nil.
func (n *Node) Get(name string) *Key {
	for _, k := range n.Keys {
		if k.Name == name {
			return k
		}
	}
	return nil
}

// Child is the value of a key, or nil; also of nil.
func (n *Node) Child(name string) *Node {
	if n == nil {
		return nil
	}
	if k := n.Get(name); k != nil {
		return k.Value
	}
	return nil
}

// Find is the value of a key such as compensator.gamma, or nil.
func (n *Node) Find(path string) *Node {
	for name := range strings.SplitSeq(path, ".") {
		n = n.Child(name)
	}
	return n
}

// Flow writes a node in one line.
func (n *Node) Flow() string {
	var parts []string
	switch n.Shape {
	case Mapping:
		for _, k := range n.Keys {
			parts = append(parts, nameText(k.Name)+": "+k.Value.Flow())
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case Sequence:
		for _, item := range n.Items {
			parts = append(parts, item.Flow())
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case Empty:
		return ""
	}
	if n.Quoted || strings.ContainsAny(n.Text, ":{}[],&*#?|-<>=!%@\\\"'`\n") && !plainNumber(n.Text) &&
		!plainWord(n.Text) {
		return strconv.Quote(n.Text)
	}
	return n.Text
}

// nameText is a key as it is written.
func nameText(name string) string {
	if strings.ContainsAny(name, "[]{},:#\"' ") || name == "" { // as a path with a place in a list
		return strconv.Quote(name)
	}
	return name
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

// Mended is a node from JSON. What is missing there is nothing, as after a key without a value.
func (n *Node) Mended() *Node {
	if n == nil || n.Shape < Scalar || n.Shape > Empty {
		return &Node{Shape: Empty}
	}
	for i, k := range n.Keys {
		if k == nil {
			k = &Key{}
			n.Keys[i] = k
		}
		k.Value = k.Value.Mended()
	}
	for i, item := range n.Items {
		n.Items[i] = item.Mended()
	}
	return n
}

// Parse reads one YAML document, a block of keys, which errors call name. They say what is wanted of another text, as
// in "a study".
func Parse(name string, text []byte, want string) (*Node, error) {
	root, err := parse(name, text)
	if err == nil && root.Shape != Mapping {
		err = fmt.Errorf("%s: found %s: want %s", root.At, root.Describe(), want)
	}
	return root, err
}

// HasKey reports whether a text, which errors call name, is a block of keys with this one.
func HasKey(name string, text []byte, key string) (bool, error) {
	root, err := parse(name, text)
	return err == nil && root.Get(key) != nil, err
}

// byteOrder is the mark that editors on Windows begin a text with.
const byteOrder = "\ufeff"

// parse reads one YAML document of any shape.
func parse(name string, text []byte) (root *Node, err error) {
	text = bytes.TrimPrefix(text, []byte(byteOrder))
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

func (r *reader) fail(n *Node, format string, args ...any) *Node {
	if r.err == nil {
		r.err = fmt.Errorf("%s: %s", n.At, fmt.Sprintf(format, args...))
	}
	return n
}

func (r *reader) read(a ast.Node, depth int) *Node {
	n := &Node{At: r.place(a.GetToken())}
	if depth > deepest {
		return r.fail(n, "nested deeper than %d levels", deepest)
	}
	switch a := a.(type) {
	case *ast.MappingNode:
		n.Shape = Mapping
		for _, v := range a.Values {
			r.readKey(n, v, depth)
		}
		if len(n.Keys) > 0 {
			n.At = n.Keys[0].At
		}
	case *ast.MappingValueNode:
		n.Shape = Mapping
		r.readKey(n, a, depth)
		n.At = n.Keys[0].At
	case *ast.SequenceNode:
		n.Shape = Sequence
		for _, v := range a.Values {
			n.Items = append(n.Items, r.read(v, depth+1))
		}
	case *ast.NullNode:
		n.Shape = Empty
	case *ast.StringNode:
		n.Text = a.Value
		n.Quoted = a.Token != nil && (a.Token.Type == token.SingleQuoteType || a.Token.Type == token.DoubleQuoteType)
	case *ast.LiteralNode:
		n.Text, n.Quoted = a.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		n.Text = a.GetToken().Value
	default:
		return r.fail(n, "found %s: want a value, a block of keys or a list", a.Type())
	}
	return n
}

func (r *reader) readKey(n *Node, v *ast.MappingValueNode, depth int) {
	k := &Key{Name: v.Key.GetToken().Value, At: r.place(v.Key.GetToken())}
	if len(k.Name) > longName {
		k.Name = k.Name[:longName]
		r.fail(&Node{At: k.At}, "key %.40q…: want a name of at most %d letters", k.Name, longName)
	}
	if strings.ContainsFunc(k.Name, unicode.IsControl) {
		r.fail(&Node{At: k.At}, "key %q: want a name without control characters", k.Name)
	}
	twice := n.Get(k.Name) != nil
	n.Keys = append(n.Keys, k)
	if twice {
		r.fail(&Node{At: k.At}, "key %q stands twice", k.Name)
		return
	}
	k.Value = r.read(v.Value, depth+1)
}
