package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rths/scenario"
)

func docCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "doc NAME",
		Short: "Describe one method, plant, ground motion, file format or criterion: keys, units, defaults, reference",
		Example: `  rths doc amb
  rths doc transfer/silva2020`,
		Args: want(1, "one name that rths list shows"),
		RunE: func(cmd *cobra.Command, args []string) error {
			found := lookUp(args[0])
			if len(found) == 0 {
				return fmt.Errorf("doc: %q: want a name that `rths list` shows, or family/name%s", args[0], meant(scenario.KindsLike(args[0])))
			}
			if a.json {
				return printJSON(cmd.OutOrStdout(), found)
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

// meant asks whether one of the names was meant.
func meant(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return ": did you mean " + strings.Join(names, ", ") + "?"
}

type documented struct {
	Family string     `json:"family"`
	Name   string     `json:"name"`
	Doc    string     `json:"doc"`
	Ref    string     `json:"ref"`
	Keys   []paramDoc `json:"keys"`
}

type paramDoc struct {
	Key     string `json:"key"`
	Default any    `json:"default"`
	Doc     string `json:"doc"`
	text    string // the default as a scenario has it
}

// lookUp finds a name in all families, or in one as in family/name.
func lookUp(name string) []documented {
	want, name, qualified := strings.Cut(name, "/")
	if !qualified {
		want, name = "", want
	}
	var out []documented
	for _, f := range scenario.Families() {
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

func document(family string, k scenario.KindDoc) documented {
	d := documented{Family: family, Name: k.Name, Doc: k.Doc, Ref: k.Ref, Keys: []paramDoc{}}
	for _, p := range k.Params {
		d.Keys = append(d.Keys, paramDoc{p.Key, p.Default, p.Doc, p.DefaultText()})
	}
	return d
}

func (d documented) print(out io.Writer) {
	choice := "%s: {kind: %s}"
	if d.Family == "criteria" || d.Family == "format" {
		choice = "%s: %s"
	}
	fmt.Fprintf(out, choice+"\n%s\n[%s]\n", d.Family, d.Name, d.Doc, d.Ref)
	if len(d.Keys) == 0 {
		return
	}
	fmt.Fprintln(out)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, k := range d.Keys {
		fmt.Fprintf(t, "  %s\t%s\t%s\n", k.Key, k.text, k.Doc)
	}
	t.Flush()
}
