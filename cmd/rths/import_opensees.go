package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"rths/model/structure"
	"rths/scenario/files"
)

// importFlags are the flags of import-opensees.
type importFlags struct {
	*app
	snippet   bool
	out       string
	units     string
	iface     []string
	shake     int
	reduction int
}

func importCommand(a *app) *cobra.Command {
	f := &importFlags{app: a}
	c := &cobra.Command{
		Use:   "import-opensees DUMP",
		Short: "Make a numerical part from an OpenSees model",
		Long: `Reads mass, damping and tangent stiffness of an OpenSees model, as its command rths_export has
written them, and compares the modes of the matrices with those that OpenSees' own eigen found:
frequencies agree within 1e-8, mode shapes by node within 1e-6, or the model is refused.

--snippet prints rths_export in Tcl. Save it, and put two lines at the end of the model:

  source rths.tcl
  rths_export model.dump 12

--out writes a new folder with the matrices in SI units, what each row is, the modes, and
test.yaml, a scenario that runs as it stands; replace its specimen and transfer system by yours.`,
		Example: `  rths import-opensees --snippet > rths.tcl
  rths import-opensees model.dump --units kN-m
  rths import-opensees model.dump --units kN-m --interface 2:1 --out frame`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.snippet {
				return want(0, "none beside --snippet")(cmd, args)
			}
			return want(1, "one file of rths_export")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.snippet {
				return f.show(cmd.OutOrStdout(), map[string]string{"snippet": structure.OpenSeesSnippet}, func(out io.Writer) {
					io.WriteString(out, structure.OpenSeesSnippet)
				})
			}
			if err := f.importModel(cmd.OutOrStdout(), args[0]); err != nil {
				return fmt.Errorf("import-opensees: %w", err)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&f.snippet, "snippet", false, "print the Tcl text with rths_export")
	c.Flags().StringVarP(&f.out, "out", "o", "", "new folder for matrices, modes and test.yaml")
	c.Flags().StringVar(&f.units, "units", "N-m", "units of the model: N-m, kN-m, N-mm, kN-mm, kip-in or lb-in, and s")
	c.Flags().StringSliceVar(&f.iface, "interface", nil, "NODE:DOF where a specimen stands, repeatable; with --out")
	c.Flags().IntVar(&f.shake, "shake", 1, "direction of the ground motion, 1 to 3")
	c.Flags().IntVar(&f.reduction, "reduce", 0,
		"reduce the structure to the interface and so many modes (default all modes if equations have no mass, else no "+
			"reduction)")
	return c
}

// importModel reads, compares, prints and writes.
func (f *importFlags) importModel(out io.Writer, path string) error {
	m, err := f.read(path)
	if err != nil {
		return err
	}
	if !f.json {
		m.Print(out)
	}
	if err := m.Agree(); err != nil {
		return err
	}
	written, err := f.write(m)
	if err != nil {
		return err
	}
	return f.show(out, m.Document(written), func(out io.Writer) {
		if written == nil {
			fmt.Fprintf(out, "nothing is written without --out\n")
		}
		for _, name := range written {
			fmt.Fprintln(out, filepath.ToSlash(name))
		}
	})
}

func (f *importFlags) read(path string) (*structure.Import, error) {
	if f.out == "" && (len(f.iface) > 0 || f.reduction != 0) {
		return nil, fmt.Errorf("--interface and --reduce are for the folder of --out: want --out FOLDER")
	}
	file, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return structure.NewImport(file, path, f.units)
}

// write writes the folder of --out, whole or not at all, and returns the names of its files.
func (f *importFlags) write(m *structure.Import) (names []string, err error) {
	switch {
	case f.out == "":
		return nil, nil
	case len(f.iface) == 0:
		return nil, fmt.Errorf("--out %s without --interface: want NODE:DOF where the specimen stands, as in --interface %s",
			f.out, m.Likely(f.shake))
	}
	if err := m.Split(f.iface, f.shake, f.reduction); err != nil {
		return nil, err
	}
	err = files.NewFolder(f.out, func(dir string) error {
		for _, one := range m.Files() {
			if err := files.Write(filepath.Join(dir, one.Name), one.Write); err != nil {
				return err
			}
			names = append(names, filepath.Join(f.out, one.Name))
		}
		return nil
	})
	return names, err
}
