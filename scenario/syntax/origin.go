package syntax

import (
	"errors"
	"fmt"
	"strings"
)

// Origin is where the keys of a text stand, for messages.
type Origin struct {
	source string // file name
	// file:line:column of the keys, as in faults[2].from_s, and of blocks in lists, as in faults[2]
	places map[string]string
}

// Source is how messages call the text that the keys came from: the name of its file.
func (o *Origin) Source() string { return o.source }

// NewOrigin notes where the keys of a text stand.
func NewOrigin(source string, root *Node) Origin {
	o := Origin{source, map[string]string{}}
	o.locate("", root)
	return o
}

// Place is where a key stands, as file:line:column; "": the text does not have it.
func (o *Origin) Place(key string) string { return o.places[key] }

// locate notes the places of all keys, and of the blocks in lists.
func (o *Origin) locate(path string, n *Node) {
	for _, k := range n.Keys {
		at := Join(path, k.Name)
		o.places[at] = k.At
		o.locate(at, k.Value)
	}
	for i, item := range n.Items {
		if item.Shape == Mapping {
			at := fmt.Sprintf("%s[%d]", path, i+1)
			o.places[at] = item.At
			o.locate(at, item)
		}
	}
}

// At prefixes an error with the place of a key, as in faults[2].from_s, or else of the
// innermost block around it that the file has.
func (o *Origin) At(key string, err error) error {
	var inner *placed
	if err == nil || errors.As(err, &inner) {
		return err
	}
	place := o.places[key]
	for block := key; place == "" && block != ""; place = o.places[block] {
		block = block[:max(0, strings.LastIndexAny(block, ".["))]
	}
	if place == "" {
		place = o.source
	}
	if place == "" {
		return &placed{fmt.Errorf("%s: %w", key, err)}
	}
	return &placed{fmt.Errorf("%s: %s: %w", place, key, err)}
}

// placed is an error that has its place: At leaves the place as it is.
type placed struct{ error }

func (p *placed) Unwrap() error { return p.error }
