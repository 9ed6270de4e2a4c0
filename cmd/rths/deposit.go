package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"rths/result/deposit"
)

// depositFlags are the flags of deposit.
type depositFlags struct {
	*app
	out   string
	check bool
}

func depositCommand(a *app) *cobra.Command {
	f := &depositFlags{app: a}
	c := &cobra.Command{
		Use:   "deposit RUN...",
		Short: "Write runs as a deposit for DesignSafe, or check one",
		Long: `Writes the folders of a DesignSafe hybrid-simulation project: records, CSV and HDF5 with
units, deposit.json with entities and fields, metadata for schema.org and DataCite, BagIt
checksums, and a README that lists what a person still has to write.

--check reads a deposit and lists what is missing for publication, and files of data that were
altered. deposit.json, dataset.jsonld, datacite.json and README.md are for editing and have no
checksum. Exit status 1: something is missing.`,
		Example: `  rths deposit runs/el-centro runs/kobe --out deposit
  rths deposit --check deposit`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case f.check && f.out != "":
				return errors.New("deposit: found --check and --out: want one of them")
			case f.check && len(args) != 1:
				return fmt.Errorf("deposit: found %d arguments: want the folder of one deposit after --check", len(args))
			case len(args) == 0:
				return errors.New("deposit: found no arguments: want one or more folders of runs")
			case !f.check && f.out == "":
				return errors.New("deposit: nowhere to write: want --out and a new folder")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.check {
				return f.checked(cmd.OutOrStdout(), args[0])
			}
			return f.deposit(cmd.OutOrStdout(), args)
		},
	}
	c.Flags().StringVarP(&f.out, "out", "o", "", "folder of the deposit, a new or an empty one")
	c.Flags().BoolVar(&f.check, "check", false, "say what a deposit lacks for publication")
	return c
}

func (f *depositFlags) deposit(out io.Writer, dirs []string) error {
	archives, err := openAll(dirs)
	if err != nil {
		return fmt.Errorf("deposit: %w", err)
	}
	d, err := deposit.Write(f.out, archives)
	if err != nil {
		return fmt.Errorf("deposit: %w", err)
	}
	return f.show(out, map[string]any{"folder": f.out, "to_write": d.ToWrite}, func(out io.Writer) {
		fmt.Fprintf(out, "%s\nto write in %s:\n%s", f.out, deposit.File, lines(d.ToWrite))
	})
}

func (f *depositFlags) checked(out io.Writer, dir string) error {
	missing, err := deposit.Check(dir)
	if err != nil {
		return fmt.Errorf("deposit: %w", err)
	}
	err = f.show(out, map[string]any{"missing": append([]string{}, missing...)}, func(out io.Writer) {
		fmt.Fprint(out, lines(missing))
		if len(missing) == 0 {
			fmt.Fprintln(out, "nothing is missing")
		}
	})
	if err == nil && len(missing) > 0 {
		err = failed{fmt.Errorf("deposit: %s: %d things are missing for publication", dir, len(missing))}
	}
	return err
}
