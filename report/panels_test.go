package report_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rths/report"
)

// Panels have their labels and lines; the legend names each line once; what is not
// a number is left out.
func TestPanels(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	lines := []report.Line{
		{Name: "first", X: []float64{0, 1, 2}, Y: []float64{0, 1, 4}, Colour: "#303030"},
		{Name: "second", X: []float64{0, 1, 2}, Y: []float64{1, math.NaN(), 3}, Colour: "#D55E00", Dashed: true},
	}
	files, err := report.Panels(dir, "two", "a title", []report.Panel{
		{XLabel: "across", YLabel: "up", Lines: lines}, {XLabel: "across", YLabel: "down", YMin: -1, YMax: 2, Lines: lines},
	})
	if err != nil || len(files) != 2 {
		t.Fatalf("files %v, %v: want a PNG and an SVG", files, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "two.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for word, n := range map[string]int{"a title": 1, "across": 2, "up": 1, "down": 1, "first": 1, "second": 1} {
		if got := strings.Count(string(text), ">"+word+"<"); got != n {
			t.Errorf("%q stands %d times: want %d", word, got, n)
		}
	}
}
