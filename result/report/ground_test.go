package report

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/model/ground"
)

// sine is a ground motion of ten seconds.
func sineGround(t *testing.T) Ground {
	t.Helper()
	m := ground.Motion{Name: "sine <1>", Station: "A & B", Dt: 0.01, A: make([]float64, 1001)}
	for i := range m.A {
		m.A[i] = 3 * math.Sin(2*math.Pi*float64(i)*m.Dt)
	}
	g, err := NewGround(m, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestGroundValues(t *testing.T) {
	g := sineGround(t)
	if T := g.PredominantPeriod(); math.Abs(T-1) > 0.03 {
		t.Errorf("predominant period %g s: want 1", T)
	}
	values := map[string]float64{}
	for _, v := range g.Values() {
		values[v.Name] = v.V
		if v.Doc == "" {
			t.Errorf("%s is not explained", v.Name)
		}
	}
	if values["pga_m_s2"] != 3 || math.Abs(values["pga_g"]-3/9.80665) > 1e-15 {
		t.Errorf("%v", values)
	}
	if got := g.Sampling(); got != "1001 samples every 0.01 s, 10 s from the first to the last" {
		t.Error(got)
	}
}

// The page holds the histories on their grid and the spectra point by point.
func TestGroundPage(t *testing.T) {
	g := sineGround(t)
	var b bytes.Buffer
	if err := g.Page(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"sine &lt;1&gt;", "A &amp; B", "pga, m/s²", "Arias intensity"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q on the page", want)
		}
	}
	fs := newGroundFigures(g)
	text, err := fs.encode(fs.grid())
	if err != nil {
		t.Fatal(err)
	}
	var data pageData
	if err := json.Unmarshal(text, &data); err != nil {
		t.Fatal(err)
	}
	if data.StepS != 0.01 || len(data.Sections) != 2 || len(data.Sections[0].Figures) != 4 ||
		len(data.Sections[1].Figures) != 3 {
		t.Fatalf("step %g s, sections %+v", data.StepS, data.Sections)
	}
	psa := data.Sections[1].Figures[0]
	periods, values := Unpack(t, data.Traces[psa.Curves[0].X]), Unpack(t, data.Traces[psa.Curves[0].Y])
	if !psa.LogX || len(periods) != len(g.Spectrum) || len(values) != len(g.Spectrum) {
		t.Fatalf("%+v with %d periods, %d values", psa, len(periods), len(values))
	}
	for i, p := range g.Spectrum {
		if math.Abs(periods[i]-p.Period) > 4e-6*p.Period || math.Abs(values[i]-p.PSA) > 4e-6*p.PSA {
			t.Fatalf("point %d: %g s, %g: want %g, %g", i, periods[i], values[i], p.Period, p.PSA)
		}
	}
}

func TestGroundPlot(t *testing.T) {
	rthstest.Long(t)
	g := sineGround(t)
	dir := t.TempDir()
	for name, head := range map[string]string{"a.png": "\x89PNG", "a.svg": "<?xml"} {
		path := filepath.Join(dir, name)
		if err := g.Plot(path); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(content), head) || len(content) < 10000 {
			t.Errorf("%s: %d bytes, %v", name, len(content), err)
		}
		if name == "a.svg" && !strings.Contains(string(content), "PSA, 5 % damping") {
			t.Error("no title in the picture")
		}
	}
	if err := g.Plot(filepath.Join(dir, "a.gif")); err == nil ||
		!strings.Contains(err.Error(), "want a .png or .svg file") {
		t.Errorf("error %v", err)
	}
	flat, err := NewGround(ground.Motion{Name: "flat", Dt: 0.01, A: make([]float64, 10)}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := flat.Plot(filepath.Join(dir, "flat.png")); err != nil {
		t.Errorf("a motion of zeros: %v", err)
	}
}
