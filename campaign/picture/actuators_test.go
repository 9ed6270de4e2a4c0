package picture

import (
	"context"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"rths/campaign/analyse"
	"rths/kit/rthstest"
	"rths/scenario"
	"rths/scenarios"
)

func drawnActuators(t *testing.T, sets ...string) string {
	t.Helper()
	text := rthstest.Must(scenarios.Files.ReadFile("loading-block.yaml"))
	s := rthstest.Must(scenario.Parse("t", text, ".", sets))
	r := rthstest.Must(s.Build(context.Background(), scenario.Options{}))
	files := rthstest.Must(Actuators(t.TempDir(), s.Name, rthstest.Must(analyse.GeometryOf(context.Background(), r))))
	if len(files) != 2 || !strings.HasSuffix(files[0], "actuators.png") {
		t.Fatalf("files %q", files)
	}
	return string(rthstest.Must(os.ReadFile(files[1])))
}

// A set-up in space has a plan and two elevations, in which actuators behind each other share a label; one in a plane
// has a single view. What each actuator is to do stands beside it.
func TestActuators(t *testing.T) {
	svg := drawnActuators(t)
	for _, want := range []string{"loading block on a column", ">plan x–y<", ">elevation x–z<", ">elevation y–z<",
		">1, 2<", ">4, 5<", ">2 m<", ">predicted motion × 10, extremes<", ">−29.8<", ">9.1<", ">12.2 %<", ">instrument<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %q in the picture", want)
		}
	}
	flat := drawnActuators(t, "interface=[1,2,6]", "coupler={kind: rigid-body, coordinates: [x, y, rz], "+
		"turned_deg: [0, 0, 30], actuators: [{base_m: [-3, 0.6], pin_m: [-0.8, 0.6]}, "+
		"{direction: [1, 0], pin_m: [-0.8, -0.6]}, {base_m: [0, -3], pin_m: [0, -0.8]}]}",
		"specimens=[{along: [1, 0, 0], specimen: {kind: linear, stiffness: 1e5}}]", "expect=", "limits=none")
	for _, never := range []string{"elevation", ">z<", ">1, 2<", ">instrument<"} {
		if strings.Contains(flat, never) {
			t.Errorf("%q in a picture of a plane", never)
		}
	}
	if !strings.Contains(flat, "axes of the coordinates") || strings.Contains(svg, "axes of the coordinates") {
		t.Error("axes of the coordinates: want them where they are turned, and nowhere else")
	}
}

// The hull of points goes round them once; a scale has a round length.
func TestHull(t *testing.T) {
	ring := hull([]vg.Point{{X: 1, Y: 1}, {X: 0, Y: 0}, {X: 2, Y: 0}, {X: 2, Y: 2}, {X: 0, Y: 2}, {X: 1, Y: 0}})
	if len(ring) != 4 || ring[0] != (vg.Point{}) || ring[1] != (vg.Point{X: 2}) {
		t.Errorf("hull %v: want the four corners", ring)
	}
	if one := hull([]vg.Point{{X: 1}, {X: 1}}); len(one) == 0 {
		t.Error("the hull of one point is empty")
	}
	for v, want := range map[float64]float64{0.9: 0.5, 1: 1, 4.99: 2, 70: 50, 0.013: 0.01} {
		rthstest.Near(t, "round length", roundBelow(v), want, 1e-9*want)
	}
}
