package panels

import (
	"math"
	"os"
	"strings"
	"testing"
)

// Gaps in a curve are gaps: two pieces, one name in the legend.
func TestPanels(t *testing.T) {
	nan := math.NaN()
	l := Line{Name: "curve", X: []float64{1, 2, 3, 4, 5}, Y: []float64{1, 2, nan, 3, 4}, Colour: "#0072B2", Width: 1}
	if n := len(Panel{}.pieces(l)); n != 2 {
		t.Errorf("%d pieces: want 2", n)
	}
	signed := Line{Colour: "#0072B2", X: []float64{-1, 1, 2}, Y: []float64{1, 0, 3}}
	for n, p := range map[int]Panel{3: {}, 2: {LogX: true}, 1: {LogX: true, LogY: true}} {
		if got := p.pieces(signed); len(got) != 1 || len(got[0]) != n {
			t.Errorf("%+v: %v: want one piece of %d points", p, got, n)
		}
	}
	files, err := Draw(t.TempDir(), "map", "title", []Panel{
		{X: "ratio", Y: "delay, ms", Lines: []Line{l}},
		{X: "frequency, Hz", Y: "gain", Lines: []Line{l}, LogX: true, Box: [4]float64{1, 10, 0, 5}},
		{X: "dof", Y: "time, µs", Lines: []Line{{Name: "limit", X: l.X, Y: l.Y, Colour: "#0072B2", Dashed: true, Dots: true},
			signed}, LogX: true, LogY: true},
	})
	if err != nil || len(files) != 2 {
		t.Fatalf("files %v, %v", files, err)
	}
	svg, err := os.ReadFile(files[1])
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(svg), "curve"); n != 2 {
		t.Errorf("the legends name the curve %d times: want once in each", n)
	}
	for _, want := range []string{"title", "delay, ms", "time, µs", "limit", "stroke-dasharray"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("no %q in the figure", want)
		}
	}
	if _, err := Draw("/dev/null/x", "map", "title", nil); err == nil {
		t.Error("a folder that cannot be made: want an error")
	}
}

// A grid has one legend, a title over every panel, and labels on its outer axes alone.
func TestGrid(t *testing.T) {
	l := Line{Name: "curve", X: []float64{1, 2, 10}, Y: []float64{1, 0.3, 0.1}, Colour: "#0072B2"}
	p := Panel{X: "Hz", LogX: true, LogY: true, Lines: []Line{l}, Box: [4]float64{1, 10, 0.09, 1}}
	a, b := p, p
	a.Title, b.Title = "left", "right"
	files, err := DrawGrid(t.TempDir(), "grid", "title", [][]Panel{{a, b}, {a, b}})
	if err != nil || len(files) != 2 {
		t.Fatalf("files %v, %v", files, err)
	}
	svg, err := os.ReadFile(files[1])
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{">curve<": 1, ">title<": 1, ">left<": 2, ">right<": 2, ">0.1<": 2, ">10<": 2} {
		if n := strings.Count(string(svg), text); n != want {
			t.Errorf("%q stands %d times in the figure: want %d", text, n, want)
		}
	}
}
