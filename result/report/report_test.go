package report_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/result/record"
	"rths/result/report"
)

const maxPage = 5_000_000

func html(t *testing.T, runs ...*record.Archive) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Page(&b, runs); err != nil {
		t.Fatal(err)
	}
	if b.Len() > maxPage {
		t.Errorf("a page of %d bytes: want at most %d", b.Len(), maxPage)
	}
	return b.String()
}

func TestPage(t *testing.T) {
	page := html(t, usual().run(t))
	rthstest.Contains(t, page, "<h1>single-actuator benchmark, case 1</h1>", "<strong>Completed</strong>",
		"<dt>Structure</dt><dd>silva2020: three-storey frame", "<dt>Ground motion</dt><dd>elcentro; scale 0.4</dd>",
		"order 3",
		"41 s at 4096 Hz (167936 samples)", "J1, ms", "4.98", "tracking delay",
		"the smallest and the largest of every",
		"Displacement around the largest target", "Synchronisation subspace", "Force over displacement", "Floor 3",
		`"title":"a1","x_label":"time, s","y_label":"s"`)
	for _, outside := range []string{"<link", "src=", "href=", "@import", "url("} {
		if strings.Contains(page, outside) {
			t.Errorf("the page has %q: want nothing from outside", outside)
		}
	}
}

func TestPageComparesRuns(t *testing.T) {
	long, short := usual(), usual()
	long.rows, short.rows = 20000, 3000
	short.name, short.rateHz, short.end.Status, short.end.Reason = "other", 1024, rths.Diverged, "diverged at t = 2.9 s"
	short.end.Criteria = []rths.Value{{Name: "J9_mm", V: 0.25}}
	page := html(t, long.run(t), short.run(t), short.run(t))
	rthstest.Contains(t, page, "Comparison of 3 runs", "<strong>Diverged</strong>: diverged at t = 2.9 s", "J1, ms",
		"J9, mm", "0.25", "other [1]", "other [2]", "Scenario of other [2]")
}

// A record that failed is told before anything else, with the rows it keeps.
func TestPageOfFailedRecord(t *testing.T) {
	s := usual()
	s.rows = 1000
	s.end.Fail(&record.Failure{Rows: 1000, Ticks: 4096, Err: errors.New("disk full")})
	page := html(t, s.run(t))
	rthstest.Contains(t, page, "<strong>Failed</strong>: the record failed after 1000 of 4096 rows: disk full",
		"(1000 samples kept)", "also of samples that are not kept")
	if strings.Index(page, "<strong>Failed") > strings.Index(page, "J1, ms") {
		t.Error("the failure stands behind the criteria: want it first")
	}
}

func TestPageEscapes(t *testing.T) {
	s := usual()
	s.rows = 10
	s.name = `</script><script>alert("1")</script>`
	s.end.Reason, s.end.Scenario = "<b>", "name: </pre><i>"
	s.end.Criteria = []rths.Value{{Name: "<u>", V: 1, Doc: "<s>"}}
	page := html(t, s.run(t), s.run(t))
	for _, raw := range []string{"<script>alert", "<b>", "<i>", "<u>", "<s>"} {
		if strings.Contains(page, raw) {
			t.Errorf("the page has %q unescaped", raw)
		}
	}
}

// shapes are runs that have little to show, or strange values.
func shapes() map[string]synthetic {
	list := map[string]synthetic{}
	for name, change := range map[string]func(s *synthetic){
		"no rows":    func(s *synthetic) { s.rows = 0 },
		"one row":    func(s *synthetic) { s.rows = 1 },
		"two rows":   func(s *synthetic) { s.rows = 2 },
		"bare":       func(s *synthetic) { s.bare = true },
		"three axes": func(s *synthetic) { s.axes = 3 },
		"no axes":    func(s *synthetic) { s.axes = 0 },
		"diverges":   func(s *synthetic) { s.diverge, s.rateHz = true, 64 },
		"no words":   func(s *synthetic) { s.name, s.end = "", record.Manifest{Scenario: "}{"} },
	} {
		s := usual()
		s.rows = 1500
		change(&s)
		list[name] = s
	}
	return list
}

func TestUnusualRuns(t *testing.T) {
	for name, s := range shapes() {
		t.Run(name, func(t *testing.T) {
			a := s.run(t)
			page := html(t, a)
			html(t, a, a)
			if s.rows == 0 {
				rthstest.Contains(t, page, "No samples were recorded")
			}
			checkPlots(t, a, "svg")
		})
	}
}

// Values no axis can show must not stop a report.
func TestStrangeValues(t *testing.T) {
	for _, format := range []string{"png", "svg"} {
		_, err := report.Plots(t.TempDir(), recorded(t, &rths.Frame{Desired: []float64{1e300}, Read: rths.NewReading(1, 1)},
			nil, 3), format)
		if err != nil {
			t.Error(err)
		}
	}
	values := []float64{math.NaN(), math.Inf(1), math.MaxFloat64, -math.MaxFloat64, 1e300, 5e-324, 0}
	for _, v := range values {
		frame := rths.Frame{Desired: []float64{v}, Read: rths.NewReading(1, 2), Command: []float64{-v}}
		a := recorded(t, &frame, []rths.Channel{{Name: "constant", Unit: "-", V: &v}}, 50)
		html(t, a)
		checkPlots(t, a, "svg")
	}
}

// recorded records the same frame n times.
func recorded(t *testing.T, f *rths.Frame, channels []rths.Channel, n int) *record.Archive {
	t.Helper()
	return archived(t, record.Manifest{RateHz: 100}, f, channels, n, func(k int) { f.T = float64(k) / 100 })
}

// archived records n frames, which fill changes in place, and opens the archive.
func archived(t testing.TB, m record.Manifest, f *rths.Frame, channels []rths.Channel, n int,
	fill func(k int)) *record.Archive {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	meant(&m, channels)
	w, err := record.NewRecorder(dir, m, f, channels)
	if err != nil {
		t.Fatal(err)
	}
	for k := range n {
		fill(k)
		w.Observe(f)
	}
	if err := w.Close(m); err != nil {
		t.Fatal(err)
	}
	a, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// checkPlots wants files that are sound images.
func checkPlots(t *testing.T, a *record.Archive, format string) []string {
	t.Helper()
	paths, err := report.Plots(filepath.Join(t.TempDir(), "plots"), a, format)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if format == "png" {
			_, err = png.Decode(file)
		} else {
			err = soundXML(file)
		}
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		file.Close()
	}
	return paths
}

func soundXML(r io.Reader) error {
	d := xml.NewDecoder(r)
	for {
		if _, err := d.Token(); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

func TestPlots(t *testing.T) {
	rthstest.Long(t)
	s := usual()
	s.rows = 20000
	var names []string
	for _, path := range checkPlots(t, s.run(t), "png") {
		names = append(names, filepath.Base(path))
	}
	want := []string{"displacement.png", "detail.png", "error.png", "command.png", "subspace.png",
		"force-displacement.png", "floors.png", "parameters.png", "displacement-spectrum.png"}
	if !slices.Equal(names, want) {
		t.Errorf("files %q: want %q", names, want)
	}
}

func TestRefuses(t *testing.T) {
	if err := report.Page(io.Discard, nil); err == nil {
		t.Error("no runs: want an error")
	}
	s := usual()
	s.rows = 10
	a := s.run(t)
	if _, err := report.Plots(t.TempDir(), a, "gif"); err == nil || !strings.Contains(err.Error(), "want png or svg") {
		t.Errorf("gif: error %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	os.WriteFile(file, nil, 0o644)
	if _, err := report.Plots(file, a, "png"); err == nil {
		t.Error("a file as folder: want an error")
	}
}

// What criteria.Floors shows shares figures, the floor that moves most first, and
// spectra are drawn over period.
func TestFloorResponses(t *testing.T) {
	f := &rths.Frame{Desired: make([]float64, 1), Read: rths.NewReading(1, 1)}
	values := []float64{1, 3, 0.002, 0.001, 5000, 7}
	var channels []rths.Channel
	for i, name := range []string{"floor1_acc", "floor2_acc", "drift1", "drift2", "base_shear", "a0"} {
		channels = append(channels, rths.Channel{Name: name, Unit: "-", V: &values[i]})
	}
	a := recorded(t, f, channels, 20)
	a.Spectra = []record.Spectrum{{Name: "floor 1", DampingRatio: 0.03, PeriodS: []float64{0.1, 1}, Sa: []float64{2, 3}}}
	page := html(t, a)
	rthstest.Contains(t, page, "Absolute floor accelerations", "Inter-storey drifts", "Base shear",
		"Floor response spectra, damping ratio 0.03")
	if i, j := strings.Index(page, `"name":"floor 2"`), strings.Index(page, `"name":"floor 1"`); i < 0 || j < i {
		t.Errorf("floor 2 at %d, floor 1 at %d: want the larger acceleration first", i, j)
	}
	if strings.Contains(page, `"title":"drift1"`) || !strings.Contains(page, `"title":"a0"`) {
		t.Error("want a panel for a0 and none for drift1")
	}
	dir := t.TempDir()
	files, err := report.Plots(dir, a, "svg")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"floor-accelerations.svg", "drifts.svg", "base-shear.svg", "floor-spectra.svg"} {
		if !slices.Contains(files, filepath.Join(dir, name)) {
			t.Errorf("no %s among %v", name, files)
		}
	}
}
