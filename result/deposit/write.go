package deposit

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"rths/result/record"
	"rths/result/report"
	"rths/scenario/files"
)

// Write writes the deposit of runs to a new or empty folder, whole or not at all.
func Write(out string, archives []*record.Archive) (*Deposit, error) {
	if len(archives) == 0 {
		return nil, errors.New("found no runs: want one or more")
	}
	for _, a := range archives {
		if why := a.Unchecked(); why != "" {
			return nil, fmt.Errorf("%s: %s: want a run that has ended", a.Dir, why)
		}
	}
	there, err := os.ReadDir(out)
	switch {
	case err == nil && len(there) > 0:
		return nil, fmt.Errorf("%s is not empty: want a new or an empty folder", out)
	case err == nil:
		if err := os.Remove(out); err != nil {
			return nil, err
		}
	}
	runs := named(archives)
	t := newTree(runs)
	emptied := err == nil
	err = files.NewFolder(out, func(dir string) error {
		b := &bag{dir: dir}
		for _, r := range runs {
			if err := t.put(b, r); err != nil {
				return err
			}
		}
		return t.finish(b, runs)
	})
	if err != nil {
		if emptied {
			err = errors.Join(err, os.Mkdir(out, 0o755))
		}
		return nil, err
	}
	return &t.Deposit, nil
}

// put writes the files of a run into the payload. The record stands with the coordinator as the run has left it, and its
// columns with the part that they are of.
func (t *tree) put(b *bag, r run) error {
	type entry struct {
		e     *Entity
		name  string
		write func(io.Writer) error
		tags  []string
		sum   *record.Sum // that the manifest of the run has
	}
	text := func(s string) func(io.Writer) error {
		return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
	}
	list := []entry{
		{t.global, "scenario.yaml", text(r.Scenario), []string{"Model Configuration"}, nil},
		{t.coordinator, "scenario.yaml", text(r.Scenario), []string{"Simulation Input"}, nil},
		{t.sim, "structure.txt", text(report.Describe(r.Scenario, "structure") + "\n"), []string{"Simulation Model"}, nil},
		{t.exp, "specimen.txt", text(report.Describe(r.Scenario, "specimen") + "\n"), []string{"Model Component"}, nil},
		{t.output, record.ManifestFile, copied(r.Dir, record.ManifestFile, math.MaxInt64), nil, nil},
		{t.output, "columns.csv", units(r.Columns), nil, nil},
		{t.analysis, "criteria.csv", r.criteria, nil, nil},
	}
	for _, sum := range r.Sums {
		list = append(list, entry{t.output, sum.File, copied(r.Dir, sum.File, sum.Bytes), nil, &sum})
	}
	if _, missing := os.Stat(filepath.Join(r.Dir, report.File)); missing == nil {
		list = append(list, entry{t.report, report.File, copied(r.Dir, report.File, math.MaxInt64), nil, nil})
	}
	for _, part := range []struct {
		e    *Entity
		keep func(record.Column) bool
		tags []string
	}{
		{t.simOutput, func(c record.Column) bool { return !experimental(c) }, nil},
		{t.expOutput, experimental, []string{"Sensor Information"}},
	} {
		columns := columnsOf(r.Columns, part.keep)
		list = append(list,
			entry{part.e, record.CSVFile, func(w io.Writer) error { return r.WriteCSVOf(w, columns) }, nil, nil},
			entry{part.e, record.HDF5File, func(w io.Writer) error { return r.WriteHDF5Of(w, columns) }, nil, nil},
			entry{part.e, "columns.csv", units(columns), part.tags, nil})
	}
	for _, f := range list {
		at := path.Join(f.e.Folder, r.folder, f.name)
		f.e.Files = append(f.e.Files, TaggedFile{at, append([]string{}, f.tags...)})
		got, err := b.add(at, f.write)
		if err == nil && f.sum != nil && (got.bytes != f.sum.Bytes || got.sha256 != f.sum.SHA256) {
			err = &record.Damage{Path: filepath.Join(r.Dir, f.name), Found: "is not as its SHA-256 in the manifest says"}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// experimental reports whether a column is of the experimental part: what was commanded and read.
func experimental(c record.Column) bool {
	return slices.Contains([]string{"time", "command", "measured", "force", "force_used", "age", "late"}, c.Quantity)
}

// columnsOf are the columns to keep, after the time.
func columnsOf(all []record.Column, keep func(record.Column) bool) (out []record.Column) {
	for i, c := range all {
		if i == 0 || keep(c) {
			out = append(out, c)
		}
	}
	return out
}

// units writes name, unit and meaning of columns.
func units(columns []record.Column) func(io.Writer) error {
	return func(w io.Writer) error {
		rows := [][]string{{"name", "unit", "meaning"}}
		for _, c := range columns {
			rows = append(rows, []string{c.Name, c.Unit, c.Doc})
		}
		return csv.NewWriter(w).WriteAll(rows)
	}
}

// criteria writes the criteria of a run.
func (r run) criteria(w io.Writer) error {
	rows := [][]string{{"name", "value", "unit", "meaning"}}
	for _, v := range r.Criteria {
		rows = append(rows, []string{v.Name, strconv.FormatFloat(v.V, 'g', -1, 64), v.Unit, v.Doc})
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// copied copies a file of a run, at most so many bytes.
func copied(dir, name string, most int64) func(io.Writer) error {
	return func(w io.Writer) error {
		file, err := files.Open(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		defer file.Close()
		_, err = io.Copy(w, io.LimitReader(file, most))
		return err
	}
}

// finish writes the files beside the payload.
func (t *tree) finish(b *bag, runs []run) error {
	for name, document := range map[string]any{File: t.Deposit, JSONLDFile: t.jsonLD(b, runs), CiteFile: t.dataCite()} {
		var text bytes.Buffer
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(document); err != nil {
			return err
		}
		if err := b.write(name, text.Bytes()); err != nil {
			return err
		}
	}
	if err := b.write(ReadmeFile, []byte(t.readme())); err != nil {
		return err
	}
	return b.close()
}

type object = map[string]any

// jsonLD is the Dataset of schema.org.
func (t *tree) jsonLD(b *bag, runs []run) object {
	var measured, distribution []object
	for _, r := range runs {
		for _, c := range r.Columns {
			if !slices.ContainsFunc(measured, func(o object) bool { return o["name"] == c.Name }) {
				measured = append(measured, object{"@type": "PropertyValue", "name": c.Name, "unitText": c.Unit,
					"description": c.Doc})
			}
		}
	}
	for _, f := range b.payload {
		distribution = append(distribution, object{"@type": "DataDownload", "contentUrl": f.path,
			"contentSize": strconv.FormatInt(f.bytes, 10), "sha256": f.sha256})
	}
	return object{"@context": "https://schema.org", "@type": "Dataset", "name": t.Title, "description": t.Description,
		"creator": []object{}, "dateCreated": t.ProcedureStart, "variableMeasured": measured,
		"measurementTechnique": "real-time hybrid simulation", "softwareVersion": t.coordinator.Version,
		"distribution": distribution}
}

// dataCite is the document of DataCite, kernel 4.
func (t *tree) dataCite() object {
	return object{"schemaVersion": "http://datacite.org/schema/kernel-4", "creators": []object{},
		"titles": []object{{"title": t.Title}}, "publisher": "", "publicationYear": "",
		"types":        object{"resourceTypeGeneral": "Dataset", "resourceType": "Hybrid simulation"},
		"dates":        []object{{"date": t.ProcedureStart + "/" + t.ProcedureEnd, "dateType": "Collected"}},
		"descriptions": []object{{"description": t.Description, "descriptionType": "Abstract"}}}
}

// readme says what a person still has to write.
func (t *tree) readme() string {
	return "# " + t.Title + "\n\n" + t.Description + "\n\nThe folders below `data` are the entities of a DesignSafe " +
		"hybrid-simulation project; `columns.csv` beside each file of numbers has the units. `manifest.json` of each run says " +
		"its processor and the folders of its computer.\n\n## To write in " + File +
		"\n\n- " + strings.Join(t.ToWrite, "\n- ") + "\n- creators, publisher and publicationYear in " + CiteFile +
		"; creator in " + JSONLDFile + "\n\nWhere there is any:\n\n- " + strings.Join(t.ToWriteIfThereIs, "\n- ") +
		"\n\nUpload photos and drawings to DesignSafe beside `data`: its files are fixed by their checksums.\n" +
		"`rths deposit --check` says what is missing.\n"
}
