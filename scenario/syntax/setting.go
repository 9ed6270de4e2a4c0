package syntax

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rths"
)

// Setting is a value of one key of a text.
type Setting struct {
	Key   string
	at    string // for messages
	value *Node
}

// To sets a key to a node. Messages call the place of the setting at.
func To(key string, value *Node, at string) Setting { return Setting{key, at, value} }

// Number sets a key to a number.
func Number(key string, x float64, at string) Setting {
	return To(key, &Node{At: at, Shape: Scalar, Text: strconv.FormatFloat(x, 'g', -1, 64)}, at)
}

// Whole sets a key to a whole number.
func Whole(key string, n uint64, at string) Setting {
	return To(key, &Node{At: at, Shape: Scalar, Text: strconv.FormatUint(n, 10)}, at)
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

// overriding is the value of an override; a blank text is an empty value.
func overriding(at, text string) (*Node, error) {
	if strings.TrimSpace(text) == "" {
		return &Node{At: at, Shape: Empty}, nil
	}
	for _, pair := range []string{"{}", "[]"} {
		if n := strings.Count(text, pair[:1]); n < 100 && n > strings.Count(text, pair[1:]) {
			return nil, fmt.Errorf("%s: found %c without its %c: want both, and quotes around the whole, as in --set "+
				"'KEY=%c…%c'", at, pair[0], pair[1], pair[0], pair[1])
		}
	}
	value, err := parse(at, []byte(text))
	if err == nil {
		value = value.Moved(at)
	}
	return value, err
}

// shown is an override in messages, cut to 100 bytes.
func shown(set string) string {
	if len(set) <= longName {
		return set
	}
	return strings.ToValidUTF8(set[:longName], "") + "…"
}

// Value is the value in one line of YAML.
func (s Setting) Value() string { return s.value.Flow() }

// Shown is the value in one line of YAML, cut for messages.
func (s Setting) Shown() string { return shown(s.Value()) }

// Text is the value for a reader: a text without its quotes, and of a block with one key, such as
// {record: kobe}, the value of the key.
func (s Setting) Text() string {
	n := s.value
	if n.Shape == Mapping && len(n.Keys) == 1 {
		n = n.Keys[0].Value
	}
	if n.Shape == Scalar {
		return n.Text
	}
	return s.value.Flow()
}

// String is KEY=VALUE.
func (s Setting) String() string { return s.Key + "=" + s.Value() }

// Float is the value as a number, if it is one.
func (s Setting) Float() (x float64, ok bool) {
	if s.value == nil || s.value.Shape != Scalar || s.value.Quoted {
		return 0, false
	}
	x, err := strconv.ParseFloat(s.value.Text, 64)
	return x, err == nil && rths.Finite(x)
}

// Same is a text that two settings have in common if their values are equal: as numbers, or else as they are written.
func (s Setting) Same() string {
	if x, ok := s.Float(); ok {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	if s.value.Shape == Scalar {
		return "text " + s.value.Text
	}
	return s.Value()
}

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

// settingJSON is a setting on its way to another computer.
type settingJSON struct {
	Key   string `json:"key"`
	At    string `json:"at"`
	Value *Node  `json:"value"`
}

// MarshalJSON writes key, place and value.
func (s Setting) MarshalJSON() ([]byte, error) {
	return json.Marshal(settingJSON{s.Key, s.at, s.value})
}

// UnmarshalJSON reads what MarshalJSON has written.
func (s *Setting) UnmarshalJSON(text []byte) error {
	var from settingJSON
	if err := json.Unmarshal(text, &from); err != nil {
		return err
	}
	*s = Setting{from.Key, from.At, from.Value.Mended()}
	return nil
}

// Set puts settings into a text one after the other. A block or a list, at the top or in an entry of a list of
// f.Emptied, that a setting has left empty, as --set compensator= does, is left out.
func (f *Format) Set(root *Node, settings ...Setting) error {
	emptied := false
	for _, s := range settings {
		if err := f.put(root, s); err != nil {
			return err
		}
		emptied = emptied || s.value.Shape == Empty
	}
	if !emptied {
		return nil
	}
	top := f.fields()
	root.leaveOut("", top, settings)
	for _, list := range top {
		k := root.Get(list.Name)
		if k == nil || list.Name != f.Emptied {
			continue
		}
		for i, entry := range k.Value.Items {
			entry.leaveOut(fmt.Sprintf("%s[%d].", list.Name, i+1), Keys(fresh(list.V.Type().Elem()).Elem()), settings)
		}
	}
	return nil
}

// leaveOut drops the blocks and lists below a path that settings have left empty. An empty
// number or text, and an unknown key, stay for the decoder to refuse.
func (n *Node) leaveOut(path string, known []Field, settings []Setting) {
	n.Keys = slices.DeleteFunc(n.Keys, func(k *Key) bool {
		return k.Value.Shape == Empty && slices.ContainsFunc(settings,
			func(s Setting) bool { return s.Key == path+k.Name }) &&
			slices.ContainsFunc(known, func(f Field) bool { return f.Name == k.Name && wanted[f.V.Kind()] == "" })
	})
}

// put sets one key of a text, as in compensator.order=2, and makes missing blocks. An entry
// of a list is counted from 1, as in limits[2].trip=0.02. Another kind replaces its block but
// for the keys that are Kept: the new kind has other parameters.
func (f *Format) put(n *Node, s Setting) error {
	path, at, value := s.Key, s.at, s.value.Clone() // a later key may go into the block
	if n := strings.Count(path, "."); n > deepest {
		return fmt.Errorf("%s: %d keys inside each other: want at most %d", at, n+1, deepest+1)
	}
	names := f.Names(path)
	if slices.ContainsFunc(names, func(name string) bool { return len(name) > longName }) {
		return fmt.Errorf("%s: want keys of at most %d letters", at, longName)
	}
	for _, name := range names[:len(names)-1] {
		v, err := n.entry(name, at)
		if err != nil {
			return err
		}
		if v.Shape == Empty {
			v.Shape = Mapping
		}
		if v.Shape != Mapping {
			return fmt.Errorf("%s: %s is %s, not a block of keys", at, name, v.Shape)
		}
		n = v
	}
	last := names[len(names)-1]
	if k := n.Get(last); last == "kind" && (k == nil || k.Value.Text != value.Text) {
		kept := f.Kept[WithoutPlaces(strings.Join(names[:len(names)-1], "."))]
		n.Keys = slices.DeleteFunc(n.Keys, func(k *Key) bool { return !slices.Contains(kept, k.Name) })
	}
	if strings.HasSuffix(last, "]") {
		v, err := n.entry(last, at)
		if err == nil {
			*v = *value
		}
		return err
	}
	k := n.under(last, at)
	k.Value, k.At = value, at
	return nil
}

// entry is the value of a key, or an entry of its list, as in limits[2], counted from 1.
func (n *Node) entry(name, at string) (*Node, error) {
	list, index, indexed := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	if !indexed || !strings.HasSuffix(name, "]") || strings.Contains(name, ".") { // with a point: a path as a key
		return n.under(name, at).Value, nil
	}
	k := n.Get(list)
	if k == nil || k.Value.Shape != Sequence {
		return nil, fmt.Errorf("%s: %s is no list of this scenario: want the whole list, as in --set '%s=[…]'", at, list,
			list)
	}
	i, err := strconv.Atoi(index)
	if err != nil || i < 1 || i > len(k.Value.Items) {
		return nil, fmt.Errorf("%s: %s has no entry [%s]: want 1 to %d", at, list, index, len(k.Value.Items))
	}
	return k.Value.Items[i-1], nil
}

// under finds the key of that name, or adds the key with an empty value.
func (n *Node) under(name, at string) *Key {
	k := n.Get(name)
	if k == nil {
		k = &Key{Name: name, At: at, Value: &Node{At: at, Shape: Empty}}
		n.Keys = append(n.Keys, k)
	}
	return k
}
