package report

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"testing"

	"rths/result/panels"
)

// floats are the numbers of a trace that is not packed.
func floats(t *testing.T, text string) (out []float64) {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	for ; len(raw) > 0; raw = raw[4:] {
		out = append(out, float64(math.Float32frombits(binary.LittleEndian.Uint32(raw))))
	}
	return out
}

// Panels are figures of a page: the box that is given or that the lines need, a gap where a line has one, and strokes
// about each mark.
func TestSketchPanels(t *testing.T) {
	gap := math.NaN()
	line := panels.Line{Name: "a", X: []float64{1, 2, gap, 4}, Y: []float64{-1, 3, gap, 1}, Dashed: true}
	marks := panels.Line{Name: "b", X: []float64{10}, Y: []float64{20}, Mark: panels.Saltire}
	text, err := SketchPanels([]string{"one", "two"}, [][]panels.Panel{
		{{Title: "t", X: "x", Y: "y", Lines: []panels.Line{line}}},
		{{Lines: []panels.Line{marks}, Box: [4]float64{0, 100, 0, 200}}, {LogX: true, LogY: true, Lines: []panels.Line{
			{X: []float64{0.1, 10, -1}, Y: []float64{1, 100, 5}}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got pageData
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	first, second := got.Sections[0].Figures[0], got.Sections[1].Figures
	if got.Sections[1].Title != "two" || first.Title != "t" || first.XLabel != "x" || !first.Curves[0].Dashed {
		t.Errorf("%+v", got.Sections)
	}
	if first.X != [2]float64{1, 4} || first.Y != [2]float64{-1 - 0.16, 3 + 0.16} {
		t.Errorf("axes %v and %v: want what the line needs, and room", first.X, first.Y)
	}
	if y := floats(t, got.Traces[first.Curves[0].Y]); len(y) != 4 || y[1] != 3 || !math.IsNaN(y[2]) {
		t.Errorf("%v: want the line with its gap", y)
	}
	x, y := floats(t, got.Traces[second[0].Curves[0].X]), floats(t, got.Traces[second[0].Curves[0].Y])
	if len(x) != 6 || x[0] != 9 || y[0] != 18 || x[1] != 11 || y[1] != 22 || !math.IsNaN(x[2]) || y[3] != 22 {
		t.Errorf("%v, %v: want two strokes of a hundredth of the box about 10, 20", x, y)
	}
	if log := second[1]; !log.LogX || log.X != [2]float64{0.1, 10} || log.Y != [2]float64{1 / 1.2, 120} {
		t.Errorf("decades %v and %v", log.X, log.Y)
	}
}
