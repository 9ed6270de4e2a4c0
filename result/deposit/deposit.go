// Package deposit writes runs as the tree of a DesignSafe hybrid-simulation project in a bag (BagIt 1.0, RFC 8493), and
// says what such a deposit lacks for publication. DesignSafe has no format for uploads: a person makes the entities by
// hand, from deposit.json and the folders.
package deposit

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"rths/result/record"
	"rths/result/report"
)

// Files of a deposit beside those of the bag. People edit them.
const (
	File       = "deposit.json"
	JSONLDFile = "dataset.jsonld"
	CiteFile   = "datacite.json"
	ReadmeFile = "README.md"
)

// prefix begins the names of DesignSafe's entities.
const prefix = "designsafe.project.hybrid_simulation"

// Deposit is deposit.json: the project, with the fields of DesignSafe.
type Deposit struct {
	Name             string      `json:"name"` // of the kind of project
	Title            string      `json:"title"`
	Description      string      `json:"description"`
	SimulationType   string      `json:"simulation_type"` // Earthquake, Wind or Other
	SimulationOther  string      `json:"simulation_type_other"`
	ProcedureStart   string      `json:"procedure_start"` // days, as 2026-11-27
	ProcedureEnd     string      `json:"procedure_end"`
	Authors          []Author    `json:"authors"`
	Facility         Facility    `json:"facility"`
	Keywords         []string    `json:"keywords"`
	License          string      `json:"license"`
	ReferencedData   []Reference `json:"referenced_data"`
	RelatedWork      []Reference `json:"related_work"`
	DOIs             []string    `json:"dois"`
	Entities         []*Entity   `json:"entities"`
	Inputs           []Input     `json:"inputs"` // files that the runs have read, which are not in the deposit
	ToWrite          []string    `json:"to_write"`
	ToWriteIfThereIs []string    `json:"to_write_if_there_is"`
}

// Author is an author of the project.
type Author struct {
	First string `json:"fname"`
	Last  string `json:"lname"`
	ORCID string `json:"orcid,omitempty"`
}

// Facility is the laboratory in DesignSafe's list.
type Facility struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Reference is a work or data of others.
type Reference struct {
	Title string `json:"title"`
	DOI   string `json:"doi"`
}

// Input is a file that a run has read.
type Input struct {
	File   string `json:"file"` // without its folder
	SHA256 string `json:"sha256"`
}

// Entity is an entity of DesignSafe with those below it.
type Entity struct {
	Name        string       `json:"name"`
	Folder      string       `json:"folder"`
	Title       string       `json:"title"`
	Description string       `json:"description"`
	Version     string       `json:"application_version,omitempty"`
	Tested      *bool        `json:"tested,omitempty"` // of an experimental substructure: a specimen was loaded
	Photos      *string      `json:"photos,omitempty"` // names of files, or "none"
	Drawings    *string      `json:"drawings,omitempty"`
	Files       []TaggedFile `json:"files"`
	Entities    []*Entity    `json:"entities,omitempty"`
}

// TaggedFile is a file with the file tags of DesignSafe.
type TaggedFile struct {
	Path string   `json:"path"`
	Tags []string `json:"tags"`
}

// tree is a deposit with the entities that files are put into.
type tree struct {
	Deposit
	global, coordinator, output, sim, simOutput, exp, expOutput, analysis, report *Entity
}

// newTree makes the entities of runs, without files.
func newTree(runs []run) *tree {
	t := &tree{}
	parts := func(keys ...string) string {
		return each(runs, func(r run) string {
			var words []string
			for _, key := range keys {
				if text := report.Describe(r.Scenario, key); text != "" {
					words = append(words, key+": "+text)
				}
			}
			return strings.Join(words, "; ")
		})
	}
	entity := func(above *Entity, name, slug, title, description string) *Entity {
		e := &Entity{Name: prefix + "." + name, Folder: "data/" + slug, Title: title, Description: description,
			Files: []TaggedFile{}}
		if above == nil {
			t.Entities = append(t.Entities, e)
		} else {
			e.Folder = path.Join(above.Folder, slug)
			above.Entities = append(above.Entities, e)
		}
		return e
	}
	version := unique(runs, func(r run) string { return "rths " + r.Version })
	names := unique(runs, func(r run) string { return r.Name })
	t.global = entity(nil, "global_model", "Global-model", "Global model of "+names, parts("structure", "specimen"))
	t.coordinator = entity(t.global, "coordinator", "Coordinator", "rths", parts("compensator", "ground", "target"))
	t.output = entity(t.coordinator, "coordinator_output", "Coordinator-output", "Records of the runs", results(runs))
	t.sim = entity(t.coordinator, "sim_substructure", "Simulation-substructure", "Numerical part",
		parts("structure", "integrator"))
	t.simOutput = entity(t.sim, "sim_output", "Simulation-output", "Response of the numerical part",
		"ground motion, targets, responses and references, SI units")
	tested := slices.ContainsFunc(runs, run.tested)
	t.exp = entity(t.coordinator, "exp_substructure", "Experimental-substructure", "Experimental part",
		each(runs, func(r run) string {
			what := "virtual: the specimen was a model"
			if r.tested() {
				what = "laboratory " + r.Rig.Laboratory
			}
			return fmt.Sprintf("%s; specimen: %s; transfer system: %s", what, report.Describe(r.Scenario, "specimen"),
				report.Describe(r.Scenario, "transfer"))
		}))
	t.expOutput = entity(t.exp, "exp_output", "Experimental-output", "Commands and readings",
		"commands, displacements and forces at the interface, SI units")
	t.analysis = entity(nil, "analysis", "Analysis", "Criteria", results(runs))
	t.report = entity(nil, "report", "Report", "Reports of the runs", "pages of rths report, one for each run that has one")
	t.coordinator.Version, t.sim.Version = version, version
	t.exp.Tested, t.exp.Photos, t.exp.Drawings = &tested, new(string), new(string)
	t.project(runs, names)
	return t
}

// project fills the fields of the project that the manifests know.
func (t *tree) project(runs []run, names string) {
	d := &t.Deposit
	d.Name, d.Title = prefix, "Hybrid simulation: "+names
	d.Description = "Real-time hybrid simulation. " + t.global.Description
	d.SimulationType = "Other"
	if slices.ContainsFunc(runs, func(r run) bool { return report.Describe(r.Scenario, "ground") != "" }) {
		d.SimulationType = "Earthquake"
	}
	d.ProcedureStart, d.ProcedureEnd = runs[0].day(), runs[0].day()
	for _, r := range runs {
		d.ProcedureStart, d.ProcedureEnd = min(d.ProcedureStart, r.day()), max(d.ProcedureEnd, r.day())
		for _, in := range r.Inputs {
			if one := (Input{path.Base(in.File), in.SHA256}); !slices.Contains(d.Inputs, one) {
				d.Inputs = append(d.Inputs, one)
			}
		}
	}
	d.Authors, d.Keywords, d.DOIs = []Author{}, []string{}, []string{}
	d.ReferencedData, d.RelatedWork = []Reference{}, []Reference{}
	d.ToWrite = d.Missing()
	d.ToWriteIfThereIs = []string{"referenced_data: title and DOI of motions and models of others",
		"related_work: title and DOI of papers about these runs", "dois: those that the project has already"}
}

// Missing are the fields that publication needs and that are empty, with what to write.
func (d *Deposit) Missing() (out []string) {
	want := func(missing bool, what string) {
		if missing {
			out = append(out, what)
		}
	}
	empty := func(text string) bool { return strings.TrimSpace(text) == "" }
	want(d.Name != prefix, "name: want "+prefix)
	want(empty(d.Title), "title: want the title of the project")
	want(empty(d.Description), "description: want what was tested, and why")
	want(!slices.Contains([]string{"Earthquake", "Wind", "Other"}, d.SimulationType),
		"simulation_type: want Earthquake, Wind or Other")
	want(d.SimulationType == "Other" && empty(d.SimulationOther), "simulation_type_other: want what loads the structure")
	want(empty(d.ProcedureStart) || empty(d.ProcedureEnd), "procedure_start, procedure_end: want days, as 2026-11-27")
	want(len(d.Authors) == 0, "authors: want fname and lname of each")
	for i, a := range d.Authors {
		want(empty(a.First) || empty(a.Last), fmt.Sprintf("authors, number %d: want fname and lname", i+1))
	}
	want(empty(d.Facility.ID) || empty(d.Facility.Name), "facility: want id and name in DesignSafe's list")
	want(len(d.Keywords) == 0 || slices.ContainsFunc(d.Keywords, empty), "keywords: want words to find the project by")
	want(empty(d.License), "license: want its name, as ODC-BY-1.0")
	found := map[string]bool{}
	var visit func([]*Entity)
	visit = func(list []*Entity) {
		for _, e := range list {
			if e == nil {
				want(true, "entities: found null: want an entity")
				continue
			}
			name := strings.TrimPrefix(e.Name, prefix+".")
			found[name] = true
			want(empty(e.Title), name+", title: want a title")
			want(empty(e.Description), name+", description: want what it holds")
			want((name == "coordinator" || name == "sim_substructure") && empty(e.Version),
				name+", application_version: want the version of the program")
			if name == "exp_substructure" {
				want(e.Tested == nil || !*e.Tested,
					"exp_substructure: DesignSafe wants an experimental substructure that was tested, and the specimen was a model")
				want(e.Photos == nil || empty(*e.Photos), name+", photos: want names of files, or none")
				want(e.Drawings == nil || empty(*e.Drawings), name+", drawings: want names of files, or none")
			}
			visit(e.Entities)
		}
	}
	visit(d.Entities)
	for _, name := range []string{"global_model", "coordinator", "sim_substructure", "exp_substructure"} {
		want(!found[name], name+": want this entity, which publication needs")
	}
	return out
}

// run is a run with the name of its folders in the deposit.
type run struct {
	*record.Archive
	folder string
}

// tested reports whether a specimen was loaded.
func (r run) tested() bool { return r.Test != nil && r.Rig != nil && !r.Rig.Virtual }

// day is the date of the run.
func (r run) day() string { return r.Started[:min(len(r.Started), len("2026-11-27"))] }

// named gives runs the names of their folders, each its own.
func named(archives []*record.Archive) (out []run) {
	taken := map[string]bool{}
	for _, a := range archives {
		dir, err := filepath.Abs(a.Dir)
		if err != nil {
			dir = a.Dir
		}
		base := filepath.Base(dir)
		name := base
		for i := 2; taken[name]; i++ {
			name = fmt.Sprintf("%s-%d", base, i)
		}
		taken[name] = true
		out = append(out, run{a, name})
	}
	return out
}

// each is a text of each run, once where it is the same for all.
func each(runs []run, text func(run) string) string {
	first := text(runs[0])
	if !slices.ContainsFunc(runs, func(r run) bool { return text(r) != first }) {
		return first
	}
	var out []string
	for _, r := range runs {
		out = append(out, r.folder+": "+text(r))
	}
	return strings.Join(out, ". ")
}

// unique are the different texts of runs, in order.
func unique(runs []run, text func(run) string) string {
	var out []string
	for _, r := range runs {
		if one := text(r); !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	return strings.Join(out, ", ")
}

// results says how runs have ended.
func results(runs []run) string {
	return each(runs, func(r run) string {
		text := r.Ended()
		for _, v := range r.Criteria {
			text += fmt.Sprintf(", %s %.4g", v.Name, v.V)
		}
		return text
	})
}
