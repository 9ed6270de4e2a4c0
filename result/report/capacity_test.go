package report_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/model/plant"
	"rths/result/record"
)

// actuated is a made record of a sine of the 250 kN actuator: x = 20 mm sin 10 t under a load pressure of 100 bar sin 10 t
// with the supply at a pressure (bar).
func actuated(t *testing.T, supply float64) *record.Archive {
	f := &rths.Frame{Desired: make([]float64, 1), Read: rths.NewReading(1, 1), Command: make([]float64, 1)}
	values := make([]float64, 5)
	var channels []rths.Channel
	for i, c := range [][2]string{{"valve", "%"}, {"flow", "l/min"}, {"supply", "bar"}, {"load_pressure", "bar"}, {"unresolved", "ticks"}} {
		channels = append(channels, rths.Channel{Unit: c[1], V: &values[i], Meaning: rths.Meaning{Quantity: c[0]}})
	}
	m := record.Manifest{Name: "actuated", RateHz: 1000, Samples: 1000, Status: rths.Completed, Scenario: `rate_hz: 1000
ground: {kind: sine, frequency_hz: 2, amplitude_m_s2: 1, duration_s: 1}
structure: {kind: shear, masses: [20000], stiffnesses: [1e7]}
specimen: {kind: linear, mass: 300, damping: 0, stiffness: 1e5}
transfer: {kind: servo-hydraulic-nonlinear, stroke_m: 0.1}
compensator: {kind: none}
limits: none
`}
	return archived(t, m, f, rths.NamedChannels(channels), m.Samples, func(k int) {
		f.K, f.T = k, float64(k)/m.RateHz
		s := math.Sin(10 * f.T)
		f.Read.X[0], f.Read.TrueX[0], f.Read.F[0] = 0.021*s, 0.02*s, 1e5*s
		values[0], values[1], values[2], values[3] = 40*s, 150*math.Abs(s), supply, 100*s
	})
}

// The section has force and velocity with the envelope at both pressures, and what was used over time with its limits; the
// table has the largest uses, of speed under load by the law of the orifice.
func TestPageOfAnActuator(t *testing.T) {
	const title = "The actuator and its limits"
	page := html(t, actuated(t, 190))
	_, of := drawnSections(t, page)
	var titles []string
	for _, f := range of[title] {
		titles = append(titles, f.Title)
	}
	if want := []string{"Force and velocity in the envelope", "Opening of the valve", "Displacement in the stroke",
		"Flow from the supply, and the pump's", "Supply pressure", "Load pressure"}; !slices.Equal(titles, want) {
		t.Fatalf("figures %q: want %q", titles, want)
	}
	plane, stroke, flow := of[title][0], of[title][2], of[title][3]
	if len(plane.Curves) != 3 || plane.X[1] < 262.5 || plane.Y[1] < 0.8 || plane.Y[1] > 0.9 {
		t.Errorf("the envelope has %d curves on axes to %g kN and %g m/s", len(plane.Curves), plane.X[1], plane.Y[1])
	}
	if !slices.Equal(stroke.Bounds, []float64{-100, 100}) || !slices.Equal(flow.Bounds, []float64{230}) {
		t.Errorf("bounds %g mm and %g l/min", stroke.Bounds, flow.Bounds)
	}
	if other := of["Parameters and indicators"]; len(other) != 1 || other[0].Title != "unresolved" {
		t.Errorf("%+v: want unresolved alone", other)
	}
	// v = 0.2 cos θ under 100 bar sin θ, v₀ √(1 − p/P_s): the largest of a fine grid
	e := rthstest.Must(rthstest.Must(rths.Find(plant.Transfers, "servo-hydraulic-nonlinear")).Defaults().(*plant.Hydraulic).Envelope())
	speed := 0.0
	for i := range 10000 {
		s, c := math.Sincos(2 * math.Pi * float64(i) / 1e4)
		speed = max(speed, 0.2*math.Abs(c)/e.Speed(math.Copysign(1, c)*125e3*s, 190e5, c > 0))
	}
	rthstest.Contains(t, page, "Largest use of the actuator&#39;s limits", "Valve", "40 %", fmt.Sprintf(">%.3g<", 100*speed),
		"20 mm", "100 mm", "125 kN", "262 kN", "150 l/min", "230 l/min", "20 bar", "210 bar")

	if _, of := drawnSections(t, html(t, actuated(t, 210))); len(of[title][0].Curves) != 2 {
		t.Errorf("%d curves at the set pressure: want no second border", len(of[title][0].Curves))
	}
	rthstest.Contains(t, html(t, actuated(t, 190), actuated(t, 210)), "Fall of the supply, %", ">9.52<", ">0<")
	rthstest.Contains(t, html(t, actuated(t, 50)), ">above 100<") // the supply is below the load
	checkPlots(t, actuated(t, 190), "svg")
}
