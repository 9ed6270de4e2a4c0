package report_test

import (
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rths/report"
)

// The figure has its labels, its names and both files.
func TestLogLog(t *testing.T) {
	f := report.LogLog{
		Name: "cost", Title: "cost of a step", XLabel: "degrees of freedom", YLabel: "step, µs",
		Curves: []report.LogLogCurve{
			{Name: "measured", X: []float64{100, 1000, 10000}, Y: []float64{3, 40, 900}},
			{Name: "limit", X: []float64{100, 10000}, Y: []float64{488, 488}, Dashed: true},
			{Name: "published", X: []float64{1240}, Y: []float64{19531}},
		},
	}
	dir := filepath.Join(t.TempDir(), "new")
	paths, err := f.Draw(dir)
	if err != nil || len(paths) != 2 {
		t.Fatalf("files %v, error %v: want a PNG and an SVG", paths, err)
	}
	file, err := os.Open(filepath.Join(dir, "cost.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if image, err := png.Decode(file); err != nil || image.Bounds().Dx() < 1000 {
		t.Errorf("%v: want an image of at least 1000 pixels", err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "cost.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"cost of a step", "degrees of freedom", "step, µs", "measured", "limit", "published", "stroke-dasharray"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in the figure", want)
		}
	}
	f.Curves[0].Y[1] = 0
	if _, err := f.Draw(dir); err == nil || !strings.Contains(err.Error(), "measured: point (1000, 0) on logarithmic axes: want numbers above 0") {
		t.Errorf("error %v: want one that names the point", err)
	}
}
