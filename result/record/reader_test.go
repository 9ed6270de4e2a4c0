package record_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/parquet-go/parquet-go"

	"rths"
	"rths/result/record"
)

// checkColumns wants the first rows of the columns that tick.at made.
func checkColumns(t *testing.T, a *record.Archive, rows int) {
	t.Helper()
	if got := a.Names(); !slices.Equal(got, wantNames) {
		t.Fatalf("columns %q: want %q", got, wantNames)
	}
	if a.Rows() != rows {
		t.Fatalf("%d rows: want %d", a.Rows(), rows)
	}
	for i, name := range wantNames {
		column, _ := a.Column(name)
		for k, got := range column {
			want := value(i, k)
			if i == 0 {
				want = float64(k) / 4096
			}
			if got != want {
				t.Fatalf("%s row %d: %g, want %g", name, k, got, want)
			}
		}
	}
}

func TestRoundTrip(t *testing.T) {
	for _, rows := range []int{0, 1, 2, 1015, 1016, 1017, 5000} {
		end := manifest()
		end.Status, end.Samples, end.RealtimeFactor = rths.Completed, rows, math.Inf(1)
		of := rths.Meaning{Quantity: "J1", Axis: 2, Coordinate: "x", Floor: 3, Against: "mono", Exact: true}
		end.Criteria = []rths.Value{
			{Name: "J1_ms", V: 4.6, Doc: "mean delay", Unit: "ms", Family: "tracking", Number: 1, Meaning: of},
			{Name: "A_pct", V: math.NaN()},
		}
		a, err := record.Open(recordRun(t, rows, end))
		if err != nil {
			t.Fatal(err)
		}
		checkColumns(t, a, rows)
		if a.Truncated || a.Status != rths.Completed || a.Samples != rows || a.Seed != 7 || a.Format != record.Format {
			t.Errorf("%d rows: truncated %v, manifest %+v", rows, a.Truncated, a.Manifest)
		}
		c := a.Criteria
		if len(c) != 2 || c[0] != end.Criteria[0] || c[1].Name != "A_pct" || !math.IsNaN(c[1].V) {
			t.Errorf("criteria %v: want %v", c, end.Criteria)
		}
		ground := rths.Meaning{Quantity: "ground"}
		if c := a.Columns[1]; c.Unit != "m/s²" || c.Source != "frame" || c.Doc == "" || c.Meaning != ground {
			t.Errorf("column %+v: want unit, source, doc and meaning", c)
		}
		if _, ok := a.Column("none"); ok {
			t.Error("found a column that is not there")
		}
	}
}

func TestSeveralAxes(t *testing.T) {
	f := rths.Frame{
		Ground:  make([]float64, 6),
		Desired: []float64{1, 2},
		Read:    rths.Reading{Motion: rths.Motion{X: []float64{3, 4}}, F: []float64{5, 6, 7}},
		Command: []float64{8, 9},
	}
	dir := filepath.Join(t.TempDir(), "run")
	w, err := record.NewRecorder(dir, manifest(), &f, nil)
	if err != nil {
		t.Fatal(err)
	}
	f.Ground = []float64{10, 11, 0, 0, 0, 0}
	w.Observe(&f)
	if err := w.Close(manifest()); err != nil {
		t.Fatal(err)
	}
	a, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{
		"ground_1_m_s2": 10, "ground_2_m_s2": 11, "target_1_m": 1, "target_2_m": 2, "measured_1_m": 3, "measured_2_m": 4,
		"command_1_m": 8, "command_2_m": 9, "force_1_N": 5, "force_2_N": 6, "force_3_N": 7, "age": 0, "late": 0, "time_s": 0,
	}
	for name, x := range want {
		if v, ok := a.Column(name); !ok || v[0] != x {
			t.Errorf("%s: %v, want %g", name, v, x)
		}
	}
	if len(a.Names()) != len(want) {
		t.Errorf("columns %q: want %d", a.Names(), len(want))
	}
}

// The file is an ordinary Arrow stream, readable without this package.
func TestPlainArrow(t *testing.T) {
	dir := recordRun(t, 3000, manifest())
	file, err := os.Open(filepath.Join(dir, record.FramesFile))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := ipc.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	rows := int64(0)
	for r.Next() {
		rows += r.RecordBatch().NumRows()
	}
	if r.Err() != nil || rows != 3000 {
		t.Errorf("%d rows, error %v: want 3000", rows, r.Err())
	}
}

func TestCutOff(t *testing.T) {
	dir := recordRun(t, 5000, manifest())
	change(t, dir, func(m *record.Manifest) { m.Status = rths.Running }) // as a killed run says
	path := filepath.Join(dir, record.FramesFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	previous := 0
	for _, n := range []int{len(whole) / 50, len(whole) / 10, len(whole) / 2, len(whole) - 9, len(whole) - 8,
		len(whole) - 3} {
		os.WriteFile(path, whole[:n], 0o644)
		a, err := record.Open(dir)
		if n == len(whole)/50 && err != nil {
			continue // cut in the schema: an error is fine
		}
		if err != nil {
			t.Fatalf("%d of %d bytes: %v", n, len(whole), err)
		}
		if !a.Truncated || a.Rows() < previous {
			t.Errorf("%d of %d bytes: truncated %v, %d rows", n, len(whole), a.Truncated, a.Rows())
		}
		previous = a.Rows()
		checkColumns(t, a, a.Rows())
	}
	if previous != 5000 {
		t.Errorf("without the end mark: %d rows, want 5000", previous)
	}
}

func TestOpenRefuses(t *testing.T) {
	write := func(t *testing.T, manifest, frames string) string {
		dir := t.TempDir()
		if manifest != "" {
			os.WriteFile(filepath.Join(dir, record.ManifestFile), []byte(manifest), 0o644)
		}
		if frames != "" {
			os.WriteFile(filepath.Join(dir, record.FramesFile), []byte(frames), 0o644)
		}
		return dir
	}
	cases := []struct{ name, manifest, frames, want string }{
		{"empty folder", "", "", "is not the folder of a run"},
		{"not JSON", "hello", "x", "want the manifest of a run"},
		{"other format", `{"format": 2}`, "x", "format 2: want 1"},
		{"values", `{"format": 1, "criteria": {"J1_ms": "much"}}`, "x", "J1_ms: want a number or null"},
		{"no frames", `{"format": 1}`, "", "frames.arrow"},
		{"empty frames", `{"format": 1, "status": "running"}`, "\n", "no columns"},
		{"frames of another run", `{"format": 1, "status": "completed"}`, "\n", "has no SHA-256 in the manifest"},
		{"foreign frames", `{"format": 1, "status": "running"}`, "time,target\n0,1\n0,1\n", "want an Arrow stream"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if _, err := record.Open(write(t, c.manifest, c.frames)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v: want %q", err, c.want)
			}
		})
	}
}

func TestCSV(t *testing.T) {
	a, err := record.Open(recordRun(t, 1500, manifest()))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := a.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(lines[0], wantNames) || len(lines) != 1501 {
		t.Fatalf("%d lines with head %q", len(lines), lines[0])
	}
	for i, name := range wantNames {
		column, _ := a.Column(name)
		for k, want := range column {
			if got, err := strconv.ParseFloat(lines[k+1][i], 64); err != nil || got != want {
				t.Fatalf("%s row %d: %q, want %g", name, k, lines[k+1][i], want)
			}
		}
	}
}

func TestParquet(t *testing.T) {
	a, err := record.Open(recordRun(t, 1500, manifest()))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := a.WriteParquet(&b); err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if unit, ok := file.Lookup("unit.force_N"); !ok || unit != "N" {
		t.Errorf("unit of force_N: %q", unit)
	}
	for i, name := range file.Schema().Columns() {
		if name[0] != wantNames[i] {
			t.Fatalf("column %d: %q, want %q", i, name, wantNames[i])
		}
	}
	r := parquet.NewReader(file)
	rows := make([]parquet.Row, 1500)
	if n, _ := r.ReadRows(rows); n != 1500 {
		t.Fatalf("%d rows: want 1500", n)
	}
	for i, name := range wantNames {
		column, _ := a.Column(name)
		for k, want := range column {
			if got := rows[k][i].Double(); got != want {
				t.Fatalf("%s row %d: %g, want %g", name, k, got, want)
			}
		}
	}
}

func TestExport(t *testing.T) {
	dir := recordRun(t, 10, manifest())
	a, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{record.CSVFile, record.ParquetFile, record.MATFile, record.CSVFile} {
		if err := a.Export(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Export("frames.xls"); err == nil {
		t.Error("frames.xls: want an error")
	}
	again, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{record.ManifestFile, record.FramesFile, record.CSVFile, record.ParquetFile, record.MATFile}
	if !slices.Equal(again.Files, want) {
		t.Errorf("files %q: want %q", again.Files, want)
	}
}

func TestValuesKeepOrder(t *testing.T) {
	v := record.Values{{Name: "z", V: 1e-9}, {Name: "a \"b\"", V: math.Inf(1)}, {Name: "m", V: -2}}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"z":1e-9,"a \"b\"":null,"m":-2}`; string(text) != want {
		t.Errorf("%s: want %s", text, want)
	}
	if text, _ := json.Marshal(record.Values(nil)); string(text) != "{}" {
		t.Errorf("no values: %s, want {}", text)
	}
}
