package panels

import (
	"math"
	"os"
	"testing"
)

// Both files are there, in their formats; values that are not finite are left out.
func TestFit(t *testing.T) {
	x, m := make([]float64, 50000), make([]float64, 50000)
	for i := range x {
		x[i] = 0.01 * math.Sin(0.01*float64(i))
		m[i] = 0.99 * x[i]
	}
	m[7] = math.NaN()
	paths, err := DrawFit(t.TempDir(), "a test", 1024, x, m)
	if err != nil || len(paths) != 2 {
		t.Fatalf("%v, %v: want two files", paths, err)
	}
	for i, head := range []string{"\x89PNG", "<?xml"} {
		text, err := os.ReadFile(paths[i])
		if err != nil || len(text) < 1000 || string(text[:len(head)]) != head {
			t.Errorf("%s: %d bytes, %v: want one that begins with %q", paths[i], len(text), err, head)
		}
	}
	if _, err := DrawFit(t.TempDir(), "", 1024, x, m[1:]); err == nil {
		t.Error("histories of different lengths were drawn")
	}
}

// Thinning out keeps the extremes.
func TestMillimetresKeepsPeaks(t *testing.T) {
	y := make([]float64, 1_000_000)
	y[123_456], y[777_777] = 0.5, -0.25
	points, high, low := millimetres(y, 100), 0.0, 0.0
	for i, p := range points {
		high, low = max(high, p.Y), min(low, p.Y)
		if i > 0 && p.X < points[i-1].X {
			t.Fatal("times go back")
		}
	}
	if len(points) > 2*fitColumns || high != 500 || low != -250 {
		t.Errorf("%d points from %g to %g mm: want at most %d, -250 to 500", len(points), low, high, 2*fitColumns)
	}
}
