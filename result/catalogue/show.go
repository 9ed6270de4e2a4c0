package catalogue

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"rths/result/record"
)

// Look reads the manifest of a run and compares its files with it. state says in words how they are, "" of what is no
// run or gone. The error of a damaged record is a *record.Damage.
func (r *Item) Look() (m record.Manifest, state string, err error) {
	if r.Kind != Run || r.Gone {
		return record.Manifest{Criteria: r.Numbers}, "", nil
	}
	if m, err = record.LoadManifest(r.Path()); err != nil {
		return m, "", fmt.Errorf("runs show: %w", err)
	}
	if why := m.Unchecked(); why != "" {
		return m, "not checked: " + why, nil
	}
	if err = m.Verify(r.Path()); errors.As(err, new(*record.Damage)) {
		return m, "DAMAGED", fmt.Errorf("runs show: %w", err)
	}
	return m, "as the run left it (SHA-256)", err
}

// PrintFacts prints how the run ended, and what it was.
func (r *Item) PrintFacts(out io.Writer, m *record.Manifest, state string) {
	fmt.Fprintf(out, "%s: %s", r.Path(), (&record.Manifest{Status: r.Status, Verdict: r.Verdict}).Ended())
	if r.Reason != "" {
		fmt.Fprintf(out, ", %s", strings.TrimPrefix(r.Reason, r.Status+" "))
	}
	if r.Gone {
		fmt.Fprint(out, "; its folder is gone")
	}
	fmt.Fprintln(out)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fact := func(name, text string) {
		if text != "" {
			fmt.Fprintf(t, "%s\t%s\n", name, text)
		}
	}
	fact("kind", r.Kind)
	fact("rig", cmp.Or(r.Rig, "not known: another program has recorded the data"))
	fact("name", r.Name)
	fact("started", r.Started)
	fact("record", state)
	fact("tags", strings.Join(r.Tags, ", "))
	fact("compensator", r.Compensator)
	if m.RateHz > 0 {
		fact("length", fmt.Sprintf("%d samples at %g Hz, %.2f s", m.Samples, m.RateHz, m.SimulatedS))
		fact("seed", fmt.Sprint(m.Seed))
		fact("took", m.Took())
		fact("computer", m.Machine)
		fact("program", m.Version)
	}
	for _, input := range m.Inputs {
		fact("read", input.File)
	}
	t.Flush()
	fmt.Fprintln(out)
}

// Known is the manifest of a run, or what the catalogue knows where there is none.
func (r *Item) Known() (record.Manifest, error) {
	if r.Kind != Run {
		return r.Manifest(), nil
	}
	m, err := record.LoadManifest(r.Path())
	if errors.Is(err, os.ErrNotExist) {
		return r.Manifest(), nil
	}
	return m, err
}

// Manifest is what the catalogue knows, as a manifest.
func (r *Item) Manifest() record.Manifest {
	m := record.Manifest{Name: r.Name, Status: r.Status, Verdict: r.Verdict, Criteria: r.Numbers}
	switch r.Rig {
	case record.Virtual:
	case "":
		m.Scenario = record.JudgedFrom
	default:
		m.Rig = &record.Rig{Laboratory: r.Rig}
	}
	return m
}
