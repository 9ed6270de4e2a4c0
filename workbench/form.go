package workbench

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"rths/scenario"
	"rths/scenario/syntax"
)

// Form is a text as a form: its keys, with what they hold.
type Form struct {
	syntax.Form
	Wrong *Remark `json:"wrong,omitempty"` // why there is none
}

func (d *Desk) form(_ context.Context, in Place) (Form, error) {
	if err := in.check(); err != nil {
		return Form{}, err
	}
	if isStudy, _ := syntax.HasKey(in.name(), []byte(in.Text), "scenario"); isStudy {
		return Form{Wrong: &Remark{Severity: "info", Text: "this is a study: it has no form, only its text"}}, nil
	}
	root, err := syntax.Parse(in.name(), []byte(in.Text), "a scenario")
	if err != nil {
		wrong := placed("error", in, err.Error())
		return Form{Wrong: &wrong}, nil
	}
	return Form{Form: *scenario.Form(root)}, nil
}

// Edit is a change of one key of a text.
type Edit struct {
	Place
	Key    syntax.Path `json:"key"`
	Action string      `json:"action"` // set, remove, or add: an entry of a list, or a name
	Value  string      `json:"value"`  // as it is typed; of a key kind the kind; of add the kind or the name
}

// Edited is the changed text, and the keys that went because the new kind has not got them.
type Edited struct {
	Text string   `json:"text"`
	Gone []string `json:"gone,omitempty"`
}

func (d *Desk) edit(_ context.Context, in Edit) (Edited, error) {
	if err := in.check(); err != nil {
		return Edited{}, err
	}
	root, err := syntax.Parse(in.name(), []byte(in.Text), "a scenario")
	if err != nil {
		return Edited{}, &Refused{err}
	}
	edits, gone, err := in.edits(scenario.Form(root))
	if err != nil {
		return Edited{}, &Refused{err}
	}
	out := Edited{Text: in.Text}
	for _, e := range edits {
		if out.Text, err = e.Apply(in.name(), out.Text); err != nil {
			return Edited{}, &Refused{err}
		}
	}
	for _, p := range gone {
		out.Gone = append(out.Gone, p.String())
	}
	return out, nil
}

// edits are the changes of the text that one of the form takes, and the keys that a change of the kind takes away.
func (in Edit) edits(form *syntax.Form) (edits []syntax.Edit, gone []syntax.Path, err error) {
	last := len(in.Key) - 1
	if last > 0 && in.Key[last] == "kind" && in.Action == "set" {
		if block, order := form.Find(in.Key[:last]); block != nil && block.Holds == syntax.HoldsChoice {
			edits = append(edits, syntax.Edit{Path: in.Key, Value: scalar(in.Value), Order: append(order, []string{"kind"})})
			gone = block.Gone(in.Value)
			for _, p := range gone {
				edits = append(edits, syntax.Edit{Path: p})
			}
			return edits, gone, nil
		}
	}
	slot, order := form.Find(in.Key)
	if slot == nil {
		return nil, nil, Refuse("%s: found no such key in the form: change it in the text", in.Key)
	}
	e := syntax.Edit{Path: in.Key, Order: order}
	blank := strings.TrimSpace(in.Value) == ""
	switch {
	case in.Action == "remove", in.Action == "set" && blank && slot.Holds != syntax.HoldsBlock:
		if !slot.Given {
			return nil, nil, nil
		}
	case in.Action == "set":
		e.Value, err = valueOf(slot, in.Value)
	case in.Action == "add":
		e.Path, e.Value, err = added(slot, form, strings.TrimSpace(in.Value))
	default:
		err = Refuse("action %q: want set, remove or add", in.Action)
	}
	return []syntax.Edit{e}, nil, err
}

func scalar(text string) *syntax.Node { return &syntax.Node{Shape: syntax.Scalar, Text: text} }

// valueOf reads what is typed for a slot. The decoder judges it: only what cannot stand in a text is refused.
func valueOf(slot *syntax.Slot, typed string) (*syntax.Node, error) {
	text := strings.TrimSpace(typed)
	switch slot.Holds {
	case syntax.HoldsNumber, syntax.HoldsWhole, syntax.HoldsTruth:
		return scalar(text), nil
	case syntax.HoldsText:
		return &syntax.Node{Shape: syntax.Scalar, Text: text, Quoted: true}, nil
	case syntax.HoldsBlock:
		return &syntax.Node{Shape: syntax.Mapping}, nil
	case syntax.HoldsList:
		root, err := syntax.Parse("list", []byte("list: ["+text+"\n]"), "a list")
		if err != nil || len(root.Keys) != 1 || root.Keys[0].Value.Shape != syntax.Sequence {
			return nil, Refuse("%s: found %.60q: want values with commas between them, as in 1, 2", slot.Path, typed)
		}
		return root.Keys[0].Value, nil
	}
	return nil, Refuse("%s: a block has no value of its own: change the keys in it", slot.Path)
}

// added is a new entry of a list or a new name, with the kind that it begins with.
func added(slot *syntax.Slot, form *syntax.Form, typed string) (syntax.Path, *syntax.Node, error) {
	block := &syntax.Node{Shape: syntax.Mapping}
	kinds := form.Tables[slot.Table]
	kinded := func(kind string) {
		block.Keys = []*syntax.Key{{Name: "kind", Value: scalar(kind)}}
	}
	switch {
	case slot.Holds == syntax.HoldsNamed && typed == "":
		return nil, nil, Refuse("%s: want a name for the new entry", slot.Path)
	case slot.Holds == syntax.HoldsNamed && slices.ContainsFunc(slot.Slots,
		func(s syntax.Slot) bool { return s.Path[len(s.Path)-1] == typed }):
		return nil, nil, Refuse("%s: there is an entry %s already", slot.Path, typed)
	case slot.Holds == syntax.HoldsNamed && len(kinds) > 0:
		kinded(kinds[0].Name)
		return append(slices.Clone(slot.Path), typed), block, nil
	case slot.Holds == syntax.HoldsNamed && slot.Each == syntax.HoldsNumber:
		return append(slices.Clone(slot.Path), typed), scalar("0"), nil
	case slot.Holds == syntax.HoldsNamed:
		return append(slices.Clone(slot.Path), typed), block, nil
	case slot.Holds != syntax.HoldsBlocks:
		return nil, nil, Refuse("%s holds no entries: want a list of blocks or a block of names", slot.Path)
	case len(kinds) > 0:
		kinded(typed)
	}
	if len(slot.Slots) == 0 {
		return slot.Path, &syntax.Node{Shape: syntax.Sequence, Items: []*syntax.Node{block}}, nil
	}
	return append(slices.Clone(slot.Path), strconv.Itoa(len(slot.Slots)+1)), block, nil
}
