package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rths"
	"rths/maths/words"
	"rths/result/record"
	"rths/scenario"
	"rths/scenario/syntax"
)

func docCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "doc [NAME]",
		Short: "Describe keys, methods, plants and criteria",
		Long: `Without a name, doc lists the keys of a scenario, and the lists of what can be chosen. With a
name it describes a block of the scenario (timing, sensors, limits …), a list (compensators,
specimens, formats …) or one of its entries (amb, silva2020 …): keys, units, defaults, reference.`,
		Example: `  rths doc
  rths doc compensators
  rths doc limits
  rths doc amb
  rths doc transfer/silva2020`,
		Args: wantAtMostOne("a name that rths doc shows"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return printKeys(cmd.OutOrStdout(), a.json)
			}
			found := slices.Concat(blocksNamed(args[0]), listsNamed(args[0]), lookUp(args[0]))
			if len(found) == 0 {
				return fmt.Errorf("doc: %q: want a key or a list that `rths doc` shows, a name of a list, or LIST/NAME%s",
					args[0], words.Meant(namesLike(args[0])))
			}
			if a.json {
				return record.WriteJSON(cmd.OutOrStdout(), found)
			}
			for i, d := range found {
				if i > 0 {
					fmt.Fprintln(cmd.OutOrStdout())
				}
				d.print(cmd.OutOrStdout())
			}
			return nil
		},
	}
}

// namesLike are keys and kinds that a name may stand for.
func namesLike(name string) []string {
	var lists []string
	for _, f := range families() {
		lists = append(lists, f.Plural())
	}
	return slices.Concat(words.Like(name, scenario.Keys()), words.Like(name, lists), scenario.KindsLike(name))
}

// printKeys lists the keys of a scenario, values with their defaults and blocks, and the lists.
func printKeys(out io.Writer, json bool) error {
	if json {
		var all []documented
		for _, b := range scenario.Blocks() {
			all = append(all, blocksNamed(b.Key)...)
		}
		return record.WriteJSON(out, all)
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, b := range scenario.Blocks() {
		text := b.DefaultText()
		switch {
		case b.List:
			text = "list"
		case !b.Value():
			text = "block"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", b.Key, text, b.Doc)
	}
	t.Flush()
	fmt.Fprintln(out, "\nLists, as in rths doc compensators:")
	for _, f := range families() {
		fmt.Fprintf(t, "  %s\t%s\n", f.Plural(), f.Doc)
	}
	return t.Flush()
}

// blocksNamed is the key of a scenario of this name, or none.
func blocksNamed(name string) (out []documented) {
	for _, b := range scenario.Blocks() {
		if b.Key != name {
			continue
		}
		keys := append([]syntax.ParamDoc{}, b.Params...)
		d := documented{Family: "scenario", Name: b.Key, Doc: b.Doc, Keys: keys, list: b.List, keyed: b.Keyed}
		if b.Value() {
			d.Keys = append(d.Keys, syntax.ParamDoc{Key: b.Key, Default: b.Default, Doc: b.Doc})
		}
		for _, k := range b.Kinds {
			d.Kinds = append(d.Kinds, listed{Family: b.Key, Name: k.Name, Doc: k.Doc, Ref: k.Ref})
		}
		out = append(out, d)
	}
	return out
}

// listsNamed is the list of this name, or none.
func listsNamed(name string) (out []documented) {
	for _, f := range families() {
		if name == f.Plural() {
			out = append(out, documented{Family: f.Key, Name: name, Doc: f.Doc, Kinds: kindsOf(f), whole: true})
		}
	}
	return out
}

type documented struct {
	Family string            `json:"family"`
	Name   string            `json:"name"`
	Doc    string            `json:"doc"`
	Ref    string            `json:"ref"`
	Keys   []syntax.ParamDoc `json:"keys"`
	Tuned  []tunedDoc        `json:"tuned,omitempty"` // keys that rths advise tunes
	Kinds  []listed          `json:"kinds,omitempty"` // of a block of the scenario
	list   bool              // a list of such blocks
	keyed  bool              // such blocks under keys of the plant
	whole  bool              // a list of all kinds
}

// tunedDoc is a key that rths advise tunes, and its range; see rths.Tunable.
type tunedDoc struct {
	Key      string  `json:"key"`
	From     float64 `json:"from"`
	To       float64 `json:"to"`
	Log      bool    `json:"log"`
	Whole    bool    `json:"whole"`
	Relative bool    `json:"relative"`
	text     string
}

func tunedOf(keys []rths.Tunable) (out []tunedDoc) {
	for _, t := range keys {
		out = append(out, tunedDoc{t.Key, t.From, t.To, t.Log, t.Whole, t.Relative, t.Range()})
	}
	return out
}

// lookUp finds a name in all families, or in one as in family/name.
func lookUp(name string) []documented {
	want, name, qualified := strings.Cut(name, "/")
	if !qualified {
		want, name = "", want
	}
	var out []documented
	for _, f := range families() {
		if want != "" && want != f.Key && want != f.Plural() {
			continue
		}
		for _, k := range f.Kinds {
			if k.Name == name {
				out = append(out, document(f.Key, k))
			}
		}
	}
	return out
}

func document(family string, k syntax.KindDoc) documented {
	keys := append([]syntax.ParamDoc{}, k.Params...)
	return documented{Family: family, Name: k.Name, Doc: k.Doc, Ref: k.Ref, Keys: keys, Tuned: tunedOf(k.Tunable)}
}

func (d documented) print(out io.Writer) {
	if d.whole {
		d.printList(out)
		return
	}
	switch d.Family {
	case "scenario":
		fmt.Fprintf(out, "%s\n%s\n", d.heading(), d.Doc)
	case "criteria", "format":
		fmt.Fprintf(out, "%s: %s\n%s\n[%s]\n", d.Family, d.Name, d.Doc, d.Ref)
	default:
		fmt.Fprintf(out, "%s: {kind: %s}\n%s\n[%s]\n", d.Family, d.Name, d.Doc, d.Ref)
	}
	if len(d.Keys)+len(d.Kinds) == 0 {
		return
	}
	fmt.Fprintln(out)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, k := range d.Keys {
		fmt.Fprintf(t, "  %s\t%s\t%s\n", k.Key, k.DefaultText(), k.Doc)
	}
	for _, k := range d.Kinds {
		fmt.Fprintf(t, "  %s\t%s\n", k.Name, k.Doc)
	}
	t.Flush()
	d.printTuned(out)
	if len(d.Kinds) > 0 {
		fmt.Fprintln(out, "\nThe keys of a kind: rths doc KIND")
	}
}

// printTuned lists the keys that rths advise tunes, if there are any.
func (d documented) printTuned(out io.Writer) {
	if len(d.Tuned) == 0 {
		return
	}
	fmt.Fprintln(out, "\nrths advise tunes:")
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, k := range d.Tuned {
		fmt.Fprintf(t, "  %s\t%s\n", k.Key, k.text)
	}
	t.Flush()
}

// heading is the key as a scenario has it.
func (d documented) heading() string {
	switch {
	case len(d.Kinds) > 0 && d.keyed:
		return d.Name + ": {KEY: {kind: …}, …}"
	case len(d.Kinds) > 0 && d.list:
		return d.Name + ": [{kind: …}, …]"
	case len(d.Kinds) > 0:
		return d.Name + ": {kind: …}"
	case d.list:
		return d.Name + ": [{…}, …]"
	case len(d.Keys) == 1 && d.Keys[0].Key == d.Name:
		return d.Name + ": …"
	}
	return d.Name + ": {…}"
}
