package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rths/campaign/study"
	"rths/result/export"
	"rths/result/record"
	"rths/scenario"
)

func listCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "list [FAMILY]",
		Short: "List what a scenario can choose from, with references",
		Example: `  rths list
  rths list compensators`,
		Args: wantAtMostOne("a family that rths list shows"),
		RunE: func(cmd *cobra.Command, args []string) error {
			all := families()
			if len(args) == 1 {
				one, err := family(all, args[0])
				if err != nil {
					return err
				}
				all = []scenario.Family{one}
			}
			if a.json {
				return record.WriteJSON(cmd.OutOrStdout(), listing(all))
			}
			printFamilies(cmd.OutOrStdout(), all)
			return nil
		},
	}
}

// families are all tables: of scenarios, then of studies.
func families() []scenario.Family {
	return append(scenario.Families(),
		scenario.FamilyOf("variable", "variable of a study, beside a list of values and the distributions",
			scenario.VariableKinds[:2]),
		scenario.FamilyOf("search", "search of a calibration (a block under calibrate)", study.Searches),
	)
}

// family finds a family by its key or the plural of it.
func family(families []scenario.Family, name string) (scenario.Family, error) {
	var keys []string
	for _, f := range families {
		if name == f.Key || name == f.Plural() {
			return f, nil
		}
		keys = append(keys, f.Plural())
	}
	return scenario.Family{}, fmt.Errorf("list: family %q: %s", name, wantOneOf(name, keys))
}

type listed struct {
	Family string `json:"family"`
	Name   string `json:"name"`
	Doc    string `json:"doc"`
	Ref    string `json:"ref"`
	NotC   string `json:"not_as_c,omitempty"` // of a compensator: why rths export cannot write it
}

func listing(families []scenario.Family) []listed {
	var out []listed
	for _, f := range families {
		for _, k := range f.Kinds {
			out = append(out, listed{f.Key, k.Name, k.Doc, k.Ref, reasonOf(f.Key, k.Name)})
		}
	}
	return out
}

func printFamilies(out io.Writer, families []scenario.Family) {
	for i, f := range families {
		if i > 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintf(out, "%s — %s\n", f.Key, f.Doc)
		t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		for _, k := range f.Kinds {
			fmt.Fprintf(t, "  %s\t%s\t[%s]\n", k.Name, k.Doc, k.Ref)
		}
		t.Flush()
		if f.Key == "compensator" {
			printNotC(out, f)
		}
	}
}

// reasonOf is why a compensator cannot be exported.
func reasonOf(family, kind string) string {
	if family != "compensator" {
		return ""
	}
	return export.Reason(kind)
}

// printNotC says which compensators rths export cannot write.
func printNotC(out io.Writer, f scenario.Family) {
	all := true
	for _, k := range f.Kinds {
		if why := export.Reason(k.Name); why != "" {
			all = false
			fmt.Fprintf(out, "  not as C (rths export): %s, because %s\n", k.Name, why)
		}
	}
	if all {
		fmt.Fprintln(out, "  as C: all of them (rths export)")
	}
}
