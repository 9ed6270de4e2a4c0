package report_test

import (
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rths/result/report"
)

// Every loop has its panel, two beside each other.
func TestLoops(t *testing.T) {
	var x, f []float64
	for i := range 500 {
		x, f = append(x, 0.005*math.Sin(float64(i)/10)), append(f, 2000*math.Cos(float64(i)/10))
	}
	dir := filepath.Join(t.TempDir(), "new")
	paths, err := report.Loops(dir, "loops", []report.Loop{{"specimen A", x, f}, {"specimen B", x, f},
		{"specimen C", x, f}})
	if err != nil || len(paths) != 2 {
		t.Fatalf("%v, %v: want a PNG and an SVG", paths, err)
	}
	file, err := os.Open(filepath.Join(dir, "loops.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	image, err := png.Decode(file)
	if err != nil || image.Bounds().Dx() < 1000 || image.Bounds().Dy() < 900 {
		t.Errorf("%v, image of %v: want two rows of two", err, image.Bounds())
	}
	text, err := os.ReadFile(filepath.Join(dir, "loops.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"specimen A", "specimen B", "specimen C", "force, kN", "displacement, mm"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in the image", want)
		}
	}
	if paths, err := report.Loops(dir, "none", nil); len(paths) != 0 || err != nil {
		t.Errorf("without loops: %v, %v", paths, err)
	}
}
