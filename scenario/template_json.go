package scenario

import (
	"encoding/json"
	"errors"

	"rths/scenario/files"
)

// A template and its settings go to another computer as JSON: the tree of nodes with the places in
// the file. The scenarios made there are the same, and so are the messages of their errors, which
// a text without the places would change.
type templateJSON struct {
	Name   string        `json:"name"`
	Folder string        `json:"folder"` // that relative file names start from
	Root   *nodeJSON     `json:"root"`
	Inputs []files.Input `json:"inputs,omitempty"`
}

type nodeJSON struct {
	At     string      `json:"at"`
	Shape  shape       `json:"shape,omitempty"`
	Text   string      `json:"text,omitempty"`
	Quoted bool        `json:"quoted,omitempty"`
	Keys   []keyJSON   `json:"keys,omitempty"`
	Items  []*nodeJSON `json:"items,omitempty"`
}

type keyJSON struct {
	Name  string    `json:"name"`
	At    string    `json:"at"`
	Value *nodeJSON `json:"value"`
}

type settingJSON struct {
	Key   string    `json:"key"`
	At    string    `json:"at"`
	Value *nodeJSON `json:"value"`
}

// MarshalJSON writes all that scenarios are made of.
func (t *Template) MarshalJSON() ([]byte, error) {
	return json.Marshal(templateJSON{t.name, t.baseDir, t.root.plain(), t.inputs})
}

// UnmarshalJSON reads what MarshalJSON has written.
func (t *Template) UnmarshalJSON(text []byte) error {
	var from templateJSON
	if err := json.Unmarshal(text, &from); err != nil {
		return err
	}
	if from.Root == nil || from.Root.Shape != mapping {
		return errors.New("a template without keys: want the JSON of a scenario")
	}
	*t = Template{name: from.Name, baseDir: from.Folder, root: from.Root.node(), inputs: from.Inputs}
	return nil
}

// MarshalJSON writes key, place and value.
func (s Setting) MarshalJSON() ([]byte, error) {
	return json.Marshal(settingJSON{s.Key, s.at, s.value.plain()})
}

// UnmarshalJSON reads what MarshalJSON has written.
func (s *Setting) UnmarshalJSON(text []byte) error {
	var from settingJSON
	if err := json.Unmarshal(text, &from); err != nil {
		return err
	}
	*s = Setting{from.Key, from.At, from.Value.node()}
	return nil
}

func (n *node) plain() *nodeJSON {
	out := &nodeJSON{At: n.at, Shape: n.shape, Text: n.text, Quoted: n.quoted}
	for _, k := range n.keys {
		out.Keys = append(out.Keys, keyJSON{k.name, k.at, k.value.plain()})
	}
	for _, item := range n.items {
		out.Items = append(out.Items, item.plain())
	}
	return out
}

// node is the tree again. What is missing in the text is nothing, as after a key without a value.
func (n *nodeJSON) node() *node {
	if n == nil || n.Shape < scalar || n.Shape > empty {
		return &node{shape: empty}
	}
	out := &node{at: n.At, shape: n.Shape, text: n.Text, quoted: n.Quoted}
	for _, k := range n.Keys {
		out.keys = append(out.keys, &key{k.Name, k.At, k.Value.node()})
	}
	for _, item := range n.Items {
		out.items = append(out.items, item.node())
	}
	return out
}
