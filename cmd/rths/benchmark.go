package main

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rths/campaign/papers"
	"rths/campaign/suite"
	"rths/maths/words"
	"rths/result/record"
)

func benchmarkCommand(a *app) *cobra.Command {
	var all, validation bool
	c := &cobra.Command{
		Use:   "benchmark SUITE",
		Short: "Run a published study and compare with its printed values",
		Example: `  rths benchmark siso --record elcentro --cases 1
  rths benchmark --all --validation > docs/internals/validation.md`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 0 || !all:
				var names []string
				for _, s := range papers.Suites {
					names = append(names, s.Name)
				}
				found := strings.Join(args, " ")
				return fmt.Errorf("benchmark: found %q: want a suite: %s; or --all%s",
					found, strings.Join(names, ", "), words.Meant(words.Like(found, names)))
			case validation:
				e := &papers.Evidence{Lab: suite.Lab{RecordsDir: a.records, Workers: runtime.GOMAXPROCS(0)}}
				return papers.WriteValidation(cmd.Context(), cmd.OutOrStdout(), e)
			}
			return runSuites(cmd, a)
		},
	}
	c.Flags().BoolVar(&all, "all", false, "run every suite of a publication with its defaults")
	c.Flags().BoolVar(&validation, "validation", false,
		"with --all: print docs/internals/validation.md in place of the tables")
	for _, s := range papers.Suites {
		c.AddCommand(suiteCommand(a, s))
	}
	return c
}

// suiteCommand is the command of a suite: its settings are the flags.
func suiteCommand(a *app, s suite.Suite) *cobra.Command {
	study, dir := s.New(), ""
	c := &cobra.Command{Use: s.Name, Short: s.Short, Long: s.Long, Example: s.Example, Args: want(0, "none")}
	if v := reflect.ValueOf(study); v.Kind() == reflect.Pointer {
		addFlags(c.Flags(), v.Elem())
	}
	c.Flags().StringVarP(&dir, "out", "o", "", "folder for "+s.Drawing())
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		out, err := runSuite(cmd, a, s.Name, study)
		if err != nil {
			return err
		}
		if dir != "" {
			files, err := s.Draw(dir, study, out)
			fmt.Fprint(cmd.ErrOrStderr(), lines(files))
			if err != nil {
				return err
			}
		}
		noLimits(cmd)
		return a.show(cmd.OutOrStdout(), out, out.Print)
	}
	return c
}

// addFlags makes a flag of every setting of a study.
func addFlags(flags *pflag.FlagSet, study reflect.Value) {
	for i := range study.NumField() {
		tag := study.Type().Field(i).Tag
		name, usage := tag.Get("flag"), tag.Get("usage")
		if study.Type().Field(i).Anonymous {
			addFlags(flags, study.Field(i))
		}
		if name == "" {
			continue
		}
		switch v := study.Field(i).Addr().Interface().(type) {
		case *string:
			flags.StringVar(v, name, *v, usage)
		case *[]string:
			flags.StringSliceVar(v, name, *v, usage)
		case *suite.Sets:
			flags.StringArrayVar((*[]string)(v), name, *v, usage)
		case *int:
			flags.IntVar(v, name, *v, usage)
		case *[]int:
			flags.IntSliceVar(v, name, *v, usage)
		case *uint64:
			flags.Uint64Var(v, name, *v, usage)
		case *float64:
			flags.Float64Var(v, name, *v, usage)
		case *[]float64:
			flags.Float64SliceVar(v, name, *v, usage)
		case *bool:
			flags.BoolVar(v, name, *v, usage)
		default:
			panic(fmt.Sprintf("setting %s is a %T: want string, int, uint64, float64, bool or a list of string, int or float64",
				name, v))
		}
	}
}

// runSuite runs a study with a progress bar.
func runSuite(cmd *cobra.Command, a *app, name string, study suite.Study) (*suite.Result, error) {
	title := "benchmark " + name
	b := newBar(cmd.ErrOrStderr(), title)
	defer b.done()
	lab := suite.Lab{RecordsDir: a.records, Workers: runtime.GOMAXPROCS(0), Progress: b.set}
	out, err := study.Run(cmd.Context(), lab)
	if err != nil {
		err = fmt.Errorf("%s: %w", title, err)
	}
	return out, err
}

// noLimits prints a note that runs of suites have no limits.
func noLimits(cmd *cobra.Command) {
	fmt.Fprintln(cmd.ErrOrStderr(),
		"note: no limits act on the runs of a benchmark suite (limits: none), unless the suite tests limits")
}

// runSuites runs every suite of a publication with its defaults.
func runSuites(cmd *cobra.Command, a *app) error {
	noLimits(cmd)
	var results []*suite.Result
	for i, s := range papers.Suites {
		if s.Apart {
			continue
		}
		out, err := runSuite(cmd, a, s.Name, s.New())
		if err != nil {
			return err
		}
		results = append(results, out)
		if a.json {
			continue
		}
		if i > 0 {
			fmt.Fprintln(cmd.OutOrStdout())
		}
		out.Print(cmd.OutOrStdout())
	}
	if a.json {
		return record.WriteJSON(cmd.OutOrStdout(), map[string]any{"suites": results})
	}
	return nil
}
