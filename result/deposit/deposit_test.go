package deposit_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rths"
	"rths/result/deposit"
	"rths/result/record"
)

// made is the record of a short run in a folder of this name.
func made(t *testing.T, name string) *record.Archive {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	columns := []record.Column{
		{Name: "time_s", Unit: "s", Meaning: rths.Meaning{Quantity: "time"}},
		{Name: "measured_m", Unit: "m", Doc: "measured displacement", Meaning: rths.Meaning{Quantity: "measured"}},
		{Name: "num_x1_m", Unit: "m", Meaning: rths.Meaning{Quantity: "num_x"}},
	}
	m := record.Manifest{Name: "small", RateHz: 100, Samples: 100, Version: "1", Started: "2026-11-02T10:00:00Z", Scenario: `name: small
ground: {kind: clough-penzien, duration_s: 1}
structure: {kind: shear, masses: [1000]}
specimen: {kind: linear, stiffness: 5e5}
transfer: {kind: second-order}
`}
	w, err := record.Create(dir, m, columns)
	if err != nil {
		t.Fatal(err)
	}
	for k := range 100 {
		w.Append([]float64{float64(k) / 100, 0.1 / float64(k+1), 1e-9 * float64(k)})
	}
	m.Status = rths.Completed
	m.Criteria = record.Values{{Name: "J2_pct", V: 2.5, Unit: "%"}}
	if err := w.Close(m); err != nil {
		t.Fatal(err)
	}
	a, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// contents are the files below a folder.
func contents(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	filepath.Walk(dir, func(at string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			name, _ := filepath.Rel(dir, at)
			out[filepath.ToSlash(name)], err = os.ReadFile(at)
		}
		return err
	})
	return out
}

// The tree is that of DesignSafe, its bag is valid, and the same runs give the same bytes.
func TestWrite(t *testing.T) {
	a, b := made(t, "one"), made(t, "two")
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	os.Mkdir(out, 0o755) // an empty folder is taken
	d, err := deposit.Write(out, []*record.Archive{a, b})
	if err != nil {
		t.Fatal(err)
	}
	all := contents(t, out)
	const coordinator = "data/Global-model/Coordinator/"
	for _, run := range []string{"one", "two"} {
		for _, want := range []string{"data/Global-model/" + run + "/scenario.yaml", coordinator + run + "/scenario.yaml",
			coordinator + "Coordinator-output/" + run + "/frames.arrow", coordinator + "Coordinator-output/" + run + "/columns.csv",
			coordinator + "Simulation-substructure/Simulation-output/" + run + "/frames.h5",
			coordinator + "Simulation-substructure/Simulation-output/" + run + "/frames.csv",
			coordinator + "Experimental-substructure/Experimental-output/" + run + "/columns.csv"} {
			if all[want] == nil {
				t.Errorf("no file %s", want)
			}
		}
	}
	// The two parts have every column of the archive, with its numbers; times are in both.
	columns := map[string]int{}
	for _, part := range []string{"Simulation-substructure/Simulation-output/", "Experimental-substructure/Experimental-output/"} {
		rows, err := csv.NewReader(bytes.NewReader(all[coordinator+part+"one/frames.csv"])).ReadAll()
		if err != nil || len(rows) != a.Rows()+1 {
			t.Fatalf("%s: %d rows, %v: want %d", part, len(rows), err, a.Rows()+1)
		}
		for i, name := range rows[0] {
			columns[name]++
			values, _ := a.Column(name)
			for k, v := range values {
				if got, err := strconv.ParseFloat(rows[k+1][i], 64); err != nil || got != v && !math.IsNaN(v) {
					t.Fatalf("%s, row %d: %s: want %v", name, k+1, rows[k+1][i], v)
				}
			}
		}
	}
	for i, name := range a.Names() {
		if want := map[bool]int{true: 2, false: 1}[i == 0]; columns[name] != want {
			t.Errorf("%s stands in %d parts: want %d", name, columns[name], want)
		}
	}
	head, _, _ := strings.Cut(string(all[coordinator+"Experimental-substructure/Experimental-output/one/frames.csv"]), "\n")
	if head != "time_s,measured_m" {
		t.Errorf("the experimental part has the columns %s", head)
	}
	var size, files int
	for name, text := range all {
		if strings.HasPrefix(name, "data/") {
			size, files = size+len(text), files+1
			if line := fmt.Sprintf("%x  %s\n", sha256.Sum256(text), name); !strings.Contains(string(all["manifest-sha256.txt"]),
				line) {
				t.Errorf("manifest-sha256.txt: want %q", line)
			}
		}
	}
	if n := strings.Count(string(all["manifest-sha256.txt"]), "\n"); n != files {
		t.Errorf("manifest-sha256.txt has %d lines: want %d", n, files)
	}
	want := fmt.Sprintf("Payload-Oxum: %d.%d\n", size, files)
	if string(all["bag-info.txt"]) != want {
		t.Errorf("bag-info.txt: %q: want %q", all["bag-info.txt"], want)
	}
	for _, name := range []string{"bagit.txt", "bag-info.txt", "manifest-sha256.txt"} {
		if !strings.Contains(string(all["tagmanifest-sha256.txt"]), fmt.Sprintf("%x  %s\n", sha256.Sum256(all[name]), name)) {
			t.Errorf("tagmanifest-sha256.txt: want %s", name)
		}
	}
	exp := d.Entities[0].Entities[0].Entities[2]
	if !strings.HasPrefix(exp.Description, "virtual: the specimen was a model") || *exp.Tested {
		t.Errorf("a virtual run is %q, tested %v", exp.Description, *exp.Tested)
	}
	if len(d.Entities[0].Entities[0].Version) <= len("rths ") || d.SimulationType != "Earthquake" {
		t.Errorf("version %q, type %q", d.Entities[0].Entities[0].Version, d.SimulationType)
	}
	again := filepath.Join(dir, "again")
	if _, err := deposit.Write(again, []*record.Archive{a, b}); err != nil {
		t.Fatal(err)
	}
	for name, text := range contents(t, again) {
		if !bytes.Equal(text, all[name]) {
			t.Errorf("%s differs the second time", name)
		}
	}
	if _, err := deposit.Write(out, []*record.Archive{a}); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("a folder that is not empty: %v", err)
	}
}

// A deposit that a person has filled in could be published, until its data are altered.
func TestCheck(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	d, err := deposit.Write(out, []*record.Archive{made(t, "one")})
	if err != nil {
		t.Fatal(err)
	}
	check := func(want ...string) {
		t.Helper()
		got, err := deposit.Check(out)
		if err != nil || len(got) != len(want) {
			t.Fatalf("found %q, %v: want %q", got, err, want)
		}
		for _, w := range want {
			if !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, w) }) {
				t.Errorf("found %q: want %q", got, w)
			}
		}
	}
	save := func(name string, document any) {
		text, _ := json.Marshal(document)
		os.WriteFile(filepath.Join(out, name), text, 0o644)
	}
	check("authors", "facility", "keywords", "license", "that was tested", "photos", "drawings", "datacite.json, creators",
		"publisher", "publicationYear", "dataset.jsonld, creator")
	d.Authors, d.Facility = []deposit.Author{{First: "A", Last: "B"}}, deposit.Facility{ID: "x", Name: "y"}
	d.Keywords, d.License = []string{"damper"}, "ODC-BY-1.0"
	exp, yes, none := d.Entities[0].Entities[0].Entities[2], true, "none"
	exp.Tested, exp.Photos, exp.Drawings = &yes, &none, &none
	save(deposit.File, d)
	save(deposit.CiteFile, map[string]any{"creators": []string{"B"}, "publisher": "P", "publicationYear": 2026})
	save(deposit.JSONLDFile, map[string]any{"creator": []string{"B"}})
	check()
	scenario := filepath.Join(out, "data", "Global-model", "one", "scenario.yaml")
	os.WriteFile(scenario, []byte("other"), 0o644)
	check("scenario.yaml was altered")
	os.Remove(scenario)
	check("scenario.yaml: no such file")
	os.WriteFile(filepath.Join(out, "data", "photo.jpg"), nil, 0o644)
	check("scenario.yaml: no such file", "data/photo.jpg is not in manifest-sha256.txt")
	os.WriteFile(filepath.Join(out, deposit.File), []byte(`{"entities": [null]`), 0o644)
	if _, err := deposit.Check(out); err == nil {
		t.Error("half a deposit.json: want an error")
	}
}

// Damage between opening and copying is told, and leaves nothing.
func TestDamaged(t *testing.T) {
	a := made(t, "one")
	a.Sums[0].SHA256 = strings.Repeat("0", 64)
	dir := t.TempDir()
	_, err := deposit.Write(filepath.Join(dir, "out"), []*record.Archive{a})
	if err == nil || !strings.Contains(err.Error(), "frames.arrow") {
		t.Errorf("a damaged run: %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// No deposit.json panics.
func FuzzCheck(f *testing.F) {
	f.Add([]byte(`{"entities": [null]}`), []byte("00  data/../../x\n"))
	f.Fuzz(func(t *testing.T, text, manifest []byte) {
		dir := t.TempDir()
		os.WriteFile(filepath.Join(dir, deposit.File), text, 0o644)
		os.WriteFile(filepath.Join(dir, "manifest-sha256.txt"), manifest, 0o644)
		deposit.Check(dir)
	})
}
