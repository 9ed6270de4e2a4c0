package syntax

import (
	"slices"
	"strconv"
	"strings"
)

// Find is the slot of a path, and the keys of the blocks around it in their order; nil: there is none.
func (f *Form) Find(path Path) (s *Slot, orders [][]string) {
	list, choosing := f.Slots, false
	for i := range path {
		k := slices.IndexFunc(list, func(s Slot) bool { return s.Path[i] == path[i] })
		if k < 0 {
			return nil, nil
		}
		var order []string
		if choosing {
			order = append(order, "kind")
		}
		for _, t := range list {
			order = append(order, t.Path[i])
		}
		orders = append(orders, order)
		s = &list[k]
		list, choosing = s.Slots, s.Holds == HoldsChoice
	}
	return s, orders
}

// Gone are the keys of the text in a block that another kind does not have, or has in another form.
func (s *Slot) Gone(kind string) (out []Path) {
	var known []Field
	for _, k := range s.choice.docs() {
		if k.Name == kind {
			known = append(keysOf(s.choice.Own()), keysOf(k.defaults)...)
		}
	}
	for _, of := range s.Slots {
		name := of.Path[len(of.Path)-1]
		same := func(f Field) bool { return f.Name == name && (of.of == nil || of.of == f.V.Type()) }
		if of.Given && !slices.ContainsFunc(known, same) {
			out = append(out, of.Path)
		}
	}
	return out
}

// Locate is the innermost slot that a message is about: that of the key it begins with, or of its line and column.
func (f *Form) Locate(message string, line, column int) (path Path) {
	key, _, _ := strings.Cut(message, ": ")
	place := ":" + strconv.Itoa(line) + ":" + strconv.Itoa(column)
	var look func(list []Slot)
	look = func(list []Slot) {
		for _, s := range list {
			name := s.Path.String()
			named := key == name || strings.HasPrefix(key, name+".") || strings.HasPrefix(key, name+"[")
			stands := line > 0 && (s.Line == line && s.Column == column || strings.HasSuffix(s.valueAt, place))
			if (named || stands) && len(s.Path) > len(path) {
				path = s.Path
			}
			look(s.Slots)
		}
	}
	look(f.Slots)
	return path
}
