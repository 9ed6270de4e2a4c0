package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"rths/campaign/study"
	"rths/result/export"
	"rths/scenario"
	"rths/scenario/syntax"
)

// families are all tables: of scenarios, then of studies.
func families() []syntax.Family {
	return append(scenario.Families(),
		syntax.FamilyOf("variable", "variable of a study, beside a list of values and the distributions",
			study.VariableKinds[:2]),
		syntax.FamilyOf("search", "search of a calibration (a block under calibrate)", study.Searches),
	)
}

type listed struct {
	Family string `json:"family"`
	Name   string `json:"name"`
	Doc    string `json:"doc"`
	Ref    string `json:"ref"`
	NotC   string `json:"not_as_c,omitempty"` // of a compensator: why rths export cannot write it
}

func kindsOf(f syntax.Family) (out []listed) {
	for _, k := range f.Kinds {
		one := listed{Family: f.Key, Name: k.Name, Doc: k.Doc, Ref: k.Ref}
		if f.Key == "compensator" {
			one.NotC = export.Reason(k.Name)
		}
		out = append(out, one)
	}
	return out
}

// printList prints a list, a line for each kind.
func (d documented) printList(out io.Writer) {
	fmt.Fprintf(out, "%s — %s\n", d.Family, d.Doc)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, k := range d.Kinds {
		fmt.Fprintf(t, "  %s\t%s\t[%s]\n", k.Name, k.Doc, k.Ref)
	}
	t.Flush()
	if d.Family != "compensator" {
		return
	}
	all := true
	for _, k := range d.Kinds {
		if k.NotC != "" {
			all = false
			fmt.Fprintf(out, "  not as C (rths export): %s, because %s\n", k.Name, k.NotC)
		}
	}
	if all {
		fmt.Fprintln(out, "  as C: all of them (rths export)")
	}
}
