package picture

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"rths/campaign/analyse"
	"rths/kit/rthstest"
	"rths/result/plotting"
)

// grid is a map of a function over 0 to n in both directions.
func grid(n int, of func(x, y float64) float64) Map {
	m := Map{X: "x", Y: "y", Objective: "z", Contours: true, MarkX: math.NaN(), MarkY: math.NaN()}
	for i := range n + 1 {
		m.AtX, m.AtY = append(m.AtX, float64(i)), append(m.AtY, float64(i))
	}
	for _, y := range m.AtY {
		var row []float64
		for _, x := range m.AtX {
			row = append(row, of(x, y))
		}
		m.Value = append(m.Value, row)
	}
	return m
}

// The line of a plane is straight and as long as the plane says; of a cone, a circle.
func TestContours(t *testing.T) {
	plane := grid(8, func(x, y float64) float64 { return x + y/2 })
	long := 0.0
	for _, p := range plane.contour(5, axis{}, plane.AtX, plane.AtY) {
		for _, at := range p {
			near(t, "value on the line", at[0]+at[1]/2, 5, 1e-12)
		}
		long += math.Hypot(p[1][0]-p[0][0], p[1][1]-p[0][1])
	}
	near(t, "length", long, math.Hypot(4, 8), 1e-12)
	cone := grid(40, func(x, y float64) float64 { return math.Hypot(x-20, y-20) })
	long = 0
	for _, p := range cone.contour(12, axis{}, cone.AtX, cone.AtY) {
		near(t, "radius", math.Hypot(p[0][0]-20, p[0][1]-20), 12, 0.05)
		long += math.Hypot(p[1][0]-p[0][0], p[1][1]-p[0][1])
	}
	near(t, "circumference", long, 24*math.Pi, 0.2)
}

// Between values on a logarithmic scale the line stands at the logarithm's place; squares with a point that has no
// value have no line.
func TestContoursOfGaps(t *testing.T) {
	m := grid(2, func(x, _ float64) float64 { return math.Pow(100, x) })
	for _, p := range m.contour(10, axis{log: true}, m.AtX, m.AtY) {
		near(t, "place of 10 between 1 and 100", p[0][0], 0.5, 1e-12)
	}
	for _, none := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		m.Value[0][0] = none
		if got := m.contour(10, axis{log: true}, m.AtX, m.AtY); len(got) != 1 {
			t.Errorf("%g in a corner: %d pieces of the line, want one", none, len(got))
		}
	}
}

// Levels of a logarithmic scale are 1, 2 and 5 times the powers of ten, also where the axis has room for the powers
// alone.
func TestLevels(t *testing.T) {
	var got []string
	for _, l := range newScale(true, 1.5, 400).levels() {
		got = append(got, l.Label)
	}
	if want := []string{"2", "5", "10", "20", "50", "100", "200"}; !slices.Equal(got, want) {
		t.Errorf("levels %q: want %q", got, want)
	}
}

// A value without bound leaves the paper, one that there is not is hatched, and the limit is a line in its colour:
// across squares, or between the cells of choices.
func TestMapOfLimits(t *testing.T) {
	m := grid(3, func(x, _ float64) float64 { return x - 1.4 })
	m.Limit = new(0.0)
	m.Value[3][3], m.Value[0][3] = math.Inf(1), math.NaN()
	svg := func(m Map) string {
		return string(m.tile(newScale(false, -1.4, 1.6)).inline(picture{wide: true}))
	}
	if n := len(rectangles(svg(m), plotting.NoValue)); n != 1 {
		t.Errorf("%d cells without a value: want one", n)
	}
	_, edges := mapAxis(false, m.AtX)
	plain := func(v float64) vg.Length { return vg.Length(v) }
	cells, none := m.cells(newScale(false, -1.4, 1.6), edges, edges, plain, plain)
	area := 0.0
	for _, list := range append(cells[:], none) {
		for _, r := range list {
			area += float64(r.Size().X * r.Size().Y)
		}
	}
	near(t, "area with the hatched cell and without the white one", area, 15, 1e-12)
	rthstest.Contains(t, svg(m), "stroke:"+plotting.Unstable)
	m.Contours, m.NamesY = false, []string{"first", "b", "c", "last"}
	text := svg(m)
	rthstest.Contains(t, text, "stroke:"+plotting.Unstable, ">first<", ">last<")
	if n := strings.Count(text, "stroke:"+plotting.Unstable); n != 4 {
		t.Errorf("%d edges at the limit: want one in each row", n)
	}
}

// Beyond the limit of stability the colours end soon, on the other side they have the smallest value; without limit
// they have all values.
func TestLayerScale(t *testing.T) {
	values := [][]float64{{0.9, 0.98, 1.02}, {5, 1000, math.NaN()}}
	a := layerScale(analyse.Layer{Limit: new(1.0), Value: values})
	near(t, "lowest", a.value(a.low), 0.9, 1e-12)
	near(t, "highest", a.value(a.high), 1.15, 1e-12)
	a = layerScale(analyse.Layer{Value: values})
	near(t, "highest", a.value(a.high), 1000, 1e-9)
	layerScale(analyse.Layer{Limit: new(1.0), Value: [][]float64{{math.NaN()}}}) // draws an empty scale
}

// Planes are sheets; that of predictors, without caption, stands below the one of main steps. The caption says what
// grey and white cells are, if there are any.
func TestPlanePictures(t *testing.T) {
	x := analyse.Axis{Column: "x", Label: "x", At: []float64{1, 2}, Own: 1}
	plane := func(name, caption string, v ...float64) *analyse.Plane {
		return &analyse.Plane{Name: name, Caption: caption, X: x, Y: x,
			Layers: []analyse.Layer{{Label: "z", Value: [][]float64{v[:2], v[2:]}}}}
	}
	got := planePictures("test", []*analyse.Plane{plane("a", "A.", 1, 2, 3, math.NaN()),
		plane("b", "B.", 1, 2, math.Inf(1), 3), plane("c", "", 1, 2, 3, 4)})
	if len(got) != 2 || len(got[1].tiles) != 2 || got[0].file != "a" || got[1].columns() != 1 {
		t.Fatalf("%d pictures: %+v", len(got), got)
	}
	if a, b := got[0].caption, got[1].caption; !strings.Contains(a, "Grey") || strings.Contains(a, "White") ||
		!strings.Contains(b, "White") || strings.Contains(b, "Grey") {
		t.Errorf("captions %q and %q", a, b)
	}
}
