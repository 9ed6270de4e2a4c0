package report_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"rths"
	"rths/result/record"
	"rths/result/report"
)

// laid is what a page reads of an overlay.
type laid struct {
	Start    float64 `json:"start_s"`
	Step     float64 `json:"step_s"`
	Traces   []string
	Sections []struct {
		Figures []struct {
			Title  string
			YLabel string `json:"y_label"`
			X      [2]float64
			Curves []struct {
				Name string
				Y    int
			}
		}
	}
}

func overlay(t *testing.T, o report.Overlay) (laid, string) {
	t.Helper()
	text, err := o.Sketch()
	if err != nil {
		t.Fatal(err)
	}
	var out laid
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out, string(text)
}

func (l laid) trace(t *testing.T, i int) (out []float64) {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(l.Traces[i])
	if err != nil {
		t.Fatal(err)
	}
	for ; len(b) > 0; b = b[4:] {
		out = append(out, float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
	}
	return out
}

// Curves from a pyramid are to the last bit those from the rows, and each pair of points is the smallest and the
// largest of the samples around it, in a plain loop over all of them, at any width and of any part of the time.
func TestOverlayFromPyramid(t *testing.T) {
	plain := usual().run(t)
	if err := plain.WritePyramid(nil); err != nil {
		t.Fatal(err)
	}
	quick, err := record.Reopen(plain.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer quick.Close()
	values, _ := plain.Column("measured_m")
	const rate = 4096.0
	for _, c := range []struct {
		points   int
		from, to float64
	}{{200, 0, 0}, {301, 0, 0}, {1000, 0, 0}, {3000, 0, 0}, {200, 3, 30}, {500, 20.0001, 21}, {4000, 12, 12.5},
		{100, 40, 100}, {1e6, 0, 0}} {
		o := report.Overlay{Names: []string{"a run"}, Columns: []string{"measured_m"}, Points: c.points, From: c.from,
			To: c.to}
		o.Runs = []*record.Archive{plain}
		page, text := overlay(t, o)
		o.Runs = []*record.Archive{quick}
		if _, got := overlay(t, o); got != text {
			t.Errorf("%+v: the pyramid says something else: %.200s\nwant %.200s", c, got, text)
		}
		points, every := page.trace(t, 0), math.Round(page.Step*rate)
		if len(points) > c.points+1 {
			t.Errorf("%+v: %d points", c, len(points))
		}
		if every > 2*record.PyramidBlock && math.Mod(every, 2*record.PyramidBlock) != 0 {
			t.Errorf("%+v: a point stands for %g samples: want whole blocks", c, every)
		}
		if every == 1 {
			continue
		}
		end := float64(len(values))
		if c.to > c.from {
			end = min(end, c.to*rate+1)
		}
		first := page.Start * rate
		for i := 0; i < len(points); i += 2 {
			low, high := math.Inf(1), math.Inf(-1)
			from, to := first+(float64(i)-0.5)*every, first+(float64(i)+1.5)*every
			if i == len(points)-2 {
				to = end
			}
			for k := max(0, math.Ceil(from-1e-6)); k < min(to-1e-6, end); k++ {
				low, high = min(low, values[int(k)]), max(high, values[int(k)])
			}
			a, b := min(points[i], points[i+1]), max(points[i], points[i+1])
			if a != float64(float32(1000*low)) || b != float64(float32(1000*high)) {
				t.Fatalf("%+v: points %d: %g to %g: want %g to %g", c, i, a, b, 1000*low, 1000*high)
			}
		}
	}
}

// Columns have a figure each with a curve of every run that has them, or one of their unit together.
func TestOverlayFigures(t *testing.T) {
	s, bare := usual(), usual()
	s.rows, bare.rows, bare.bare, bare.name = 4096, 4096, true, "bare"
	o := report.Overlay{Runs: []*record.Archive{s.run(t), bare.run(t)}, Names: []string{"one", "two"}, Points: 500,
		Columns: []string{"measured_m", "force_N", "a1", "target_m", "none"}}
	say := func() string {
		page, _ := overlay(t, o)
		var lines []string
		for _, f := range page.Sections[0].Figures {
			line := f.Title + " in " + f.YLabel + ":"
			for _, c := range f.Curves {
				line += " " + c.Name + ";"
			}
			lines = append(lines, line)
		}
		return strings.Join(lines, "\n")
	}
	if got, want := say(), "measured in mm: one; two;\nforce in kN: one; two;\na1 in s: one;\n"+
		"target in mm: one; two;"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	o.Together = true
	if got, want := say(), "measured, target in mm: one: measured; two: measured; one: target; two: target;\n"+
		"force in kN: one: force; two: force;\na1 in s: one: a1;"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	page, _ := overlay(t, report.Overlay{Runs: o.Runs, Names: o.Names, Points: 500, Columns: []string{"none"}})
	if len(page.Sections) > 0 {
		t.Errorf("%+v: want no figure", page.Sections)
	}
	o.Together, o.From, o.To, o.Columns = false, 0.25, 0.5, []string{"target_m"}
	page, _ = overlay(t, o)
	if x := page.Sections[0].Figures[0].X; x[0] != 0 || math.Abs(x[1]-4095.0/4096) > 1e-9 {
		t.Errorf("the figure of a part has the axis %g: want that of the whole", x)
	}
}

// Tables need the manifests alone.
func TestTablesBeside(t *testing.T) {
	a := &record.Archive{Manifest: usual().end, Dir: "a"}
	b := &record.Archive{Manifest: usual().end, Dir: "b"}
	b.Scenario = strings.Replace(b.Scenario, "amb, order: 3", "amb, order: 2", 1)
	b.Criteria = []rths.Value{{Name: "J1_ms", V: 1}}
	names, tables := report.Tables([]*record.Archive{a, b})
	got := fmt.Sprintf("%v %s: %v", names, tables[0].Title, tables[0].Rows)
	if want := "[a b] Settings that differ: [{compensator.order  [3 2]}]"; got != want {
		t.Errorf("%s: want %s", got, want)
	}
	if got := tables[1]; got.Title != "Criteria" || got.Rows[0].Cells[1] != "1.00" && got.Rows[0].Cells[1] != "1" {
		t.Errorf("%+v: want the criteria side by side", got)
	}
	if _, tables = report.Tables([]*record.Archive{a}); tables[0].Title != "Criteria" {
		t.Errorf("%+v: want no differences of one run", tables[0])
	}
}
