package report_test

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/method/learn"
	"rths/model/integrate"
	"rths/result/record"
	"rths/result/report"
)

// learning is a made record of devices, the n-th of which deforms by n mm, and of a group that learns. lastSD is the
// standard deviation in the last tick, N.
func learning(t *testing.T, devices int, lastSD float64, change func(m *record.Manifest)) *record.Archive {
	f := &rths.Frame{Desired: make([]float64, 1), Read: rths.NewReading(1, 1), Command: make([]float64, 1)}
	values, low, high := make([]float64, 2*devices+6), 1500.0, 8000.0
	var channels []rths.Channel
	add := func(name, unit, quantity string, floor int) {
		channels = append(channels, rths.Channel{Name: name, Unit: unit, V: &values[len(channels)],
			Meaning: rths.Meaning{Quantity: quantity, Floor: floor}})
	}
	var pairs []string
	for n := 1; n <= devices; n++ {
		add(fmt.Sprintf("device%d_deformation_m", n), "m", integrate.DeviceDeformation, n)
		add(fmt.Sprintf("device%d_force_N", n), "N", integrate.DeviceForce, n)
		pairs = append(pairs, fmt.Sprintf("[%d, %d]", n-1, n))
	}
	learned := values[2*devices:]
	add("learn1_yield_force", "N", learn.Learned, 1)
	add("learn1_yield_force_sd", "N", learn.LearnedSD, 1)
	add("learn1_residual_N", "N", learn.Residual, 1)
	add("learn1_residual_sd_N", "N", learn.ResidualSD, 1)
	add("learn1_residual_not_white", "-", learn.ResidualOdd, 1)
	add("learn1_fell_back", "-", learn.FellBackName, 1)
	m := record.Manifest{Name: "learning", RateHz: 256, Samples: 512, Status: rths.Completed,
		Warnings: []string{"devices[1]: the residual is not white"},
		Learned: []record.Learned{{Devices: 1, FellBack: 2, NotWhite: true, Parameters: []record.LearnedParameter{{
			Name: "learn1_yield_force", Key: "devices[1].yield_force", Unit: "N", Began: 3000, Value: 3890, SD: 25,
			Lower: record.Number(low), Upper: record.Number(high)}}}}}
	m.Scenario = fmt.Sprintf(`rate_hz: 256
ground: {kind: sine, frequency_hz: 2, amplitude_m_s2: 1, duration_s: 2}
structure: {kind: shear, masses: [%[1]s], stiffnesses: [%[1]s]}
devices:
  - {between: [%[2]s], kind: linear, mass: 0, stiffness: 1e5, learn: {parameters: {stiffness: [5e4, 2e5]}}}
specimen: {kind: linear, mass: 0, damping: 0, stiffness: 1e5}
transfer: {kind: second-order}
compensator: {kind: none}
limits: none
`, strings.TrimSuffix(strings.Repeat("1000, ", devices), ", "), strings.Join(pairs, ", "))
	if change != nil {
		change(&m)
	}
	return archived(t, m, f, channels, m.Samples, func(k int) {
		f.K, f.T = k, float64(k)/m.RateHz
		f.Read.X[0], f.Read.F[0] = 0.02*math.Sin(6*f.T), 4000*math.Cos(6*f.T)
		for n := range devices {
			values[2*n], values[2*n+1] = 1e-3*float64(n+1)*math.Sin(6*f.T), 4000*math.Cos(6*f.T)
		}
		learned[0], learned[1] = 3900-900*math.Exp(-f.T), 50+150*math.Exp(-f.T)
		if k == m.Samples-1 {
			learned[1] = lastSD
		}
		learned[2], learned[3], learned[4], learned[5] = 20*math.Sin(9*f.T), 30, 1, 2
	})
}

// drawnFigure is a figure as the page has it.
type drawnFigure struct {
	Title, Shape string
	X, Y         [2]float64
	Bounds       []float64
	Curves       []struct {
		Y    int
		Band []int
	}
}

// drawnSections are the figures of a page by the titles of their sections, whose order comes first.
func drawnSections(t *testing.T, page string) (titles []string, of map[string][]drawnFigure) {
	t.Helper()
	_, rest, _ := strings.Cut(page, `<script id="data" type="application/json">`)
	text, _, _ := strings.Cut(rest, "</script>")
	var data struct {
		Sections []struct {
			Title   string
			Figures []drawnFigure
		}
	}
	if err := json.Unmarshal([]byte(text), &data); err != nil {
		t.Fatal(err)
	}
	of = map[string][]drawnFigure{}
	for _, s := range data.Sections {
		titles, of[s.Title] = append(titles, s.Title), s.Figures
	}
	return titles, of
}

const learningTitle = "Learning, with bands of ± 2 standard deviations"

// The tested device and its copies have loops on the same axes; what is learned has bands and bounds, and stands nowhere
// else; a table and sentences say how it ended.
func TestPageOfDevices(t *testing.T) {
	a := learning(t, 3, 25, nil)
	page := html(t, a)
	titles, of := drawnSections(t, page)
	if slices.Contains(titles, "Parameters and indicators") {
		t.Error("channels of devices have panels of their own")
	}
	loops := of["Devices"]
	if len(loops) != 4 || loops[0].Title != "The tested device, as measured" ||
		loops[1].Title != "Device 1, between the ground and 1" || loops[3].Title != "Device 3, between 2 and 3" {
		t.Errorf("loops %+v", loops)
	}
	for _, f := range loops {
		if f.Shape != "loop" || f.X != loops[0].X || f.Y != loops[0].Y || f.X[1] < 20 {
			t.Errorf("%s is a %s of %g by %g: want the axes that all need", f.Title, f.Shape, f.X, f.Y)
		}
	}
	learned := of[learningTitle]
	if len(learned) != 2 || learned[0].Title != "devices[1].yield_force" ||
		learned[1].Title != "devices[1]: measured force less the predicted one, not white at the end" {
		t.Fatalf("learning %+v", learned)
	}
	for _, f := range learned {
		if len(f.Curves) != 1 || len(f.Curves[0].Band) != 2 || slices.Contains(f.Curves[0].Band, f.Curves[0].Y) {
			t.Errorf("%s: curves %+v: want one with a band", f.Title, f.Curves)
		}
	}
	// 3000 ± 400 to 3780 ± 140: 1500 is near, 8000 is far
	if f := learned[0]; !slices.Equal(f.Bounds, []float64{1500, 8000}) || f.Y[0] > 1500 || f.Y[0] < 1000 || f.Y[1] > 4500 ||
		f.Y[1] < 3900 {
		t.Errorf("the parameter has bounds %g on an axis from %g to %g", f.Bounds, f.Y[0], f.Y[1])
	}
	if f := learned[1]; f.Y[0] > -60 || f.Y[1] < 60 {
		t.Errorf("the residual has an axis from %g to %g: want the band of ± 60 N", f.Y[0], f.Y[1])
	}
	rthstest.Contains(t, page, "devices[1].yield_force, N", "3890 ± 25", "1500 to 8000", "2 ×", "the residual is not white")

	paths := checkPlots(t, a, "svg")
	for _, name := range []string{"devices.svg", "learning.svg", "learning-residual.svg"} {
		if !slices.ContainsFunc(paths, func(p string) bool { return filepath.Base(p) == name }) {
			t.Errorf("plots %q: want %s", paths, name)
		}
	}
	for _, format := range report.FigureFormats {
		path := filepath.Join(t.TempDir(), "a."+format)
		if err := report.Figure(path, "learn1_yield_force,learning-residual", 250, []*record.Archive{a}); err != nil {
			t.Error(err)
		}
	}
}

// A band ends at the bounds, however large a standard deviation becomes.
func TestPageOfWideBand(t *testing.T) {
	_, of := drawnSections(t, html(t, learning(t, 1, 1e9, nil)))
	if f := of[learningTitle][0]; f.Y[0] < 1000 || f.Y[1] > 8500 || f.Y[1] < 8000 {
		t.Errorf("the axis goes from %g to %g: want the bounds 1500 and 8000 at its ends", f.Y[0], f.Y[1])
	}
}

// Of 40 devices those are drawn that deform most; a scenario that cannot be read leaves out where they stand.
func TestPageOfManyDevices(t *testing.T) {
	titles, of := drawnSections(t, html(t, learning(t, 40, 25, func(m *record.Manifest) { m.Scenario, m.Learned = "}{", nil })))
	const title = "Devices: the 12 of 40 that deform most"
	list := of[title]
	if len(list) != 12 || list[0].Title != "Device 29" || list[11].Title != "Device 40" {
		t.Errorf("%q: %+v", titles, list)
	}
	if f := of[learningTitle]; len(f) != 2 || f[0].Bounds != nil {
		t.Errorf("learning %+v", f)
	}
}

// Runs that learn are compared in the loops of their devices and in what they learned.
func TestPageComparesDevices(t *testing.T) {
	a := learning(t, 2, 25, nil)
	page := html(t, a, a)
	_, of := drawnSections(t, page)
	if len(of["Devices"]) != 2 || len(of["Learning"]) != 1 || len(of["Parameters and indicators"]) != 0 {
		t.Errorf("%+v", of)
	}
	rthstest.Contains(t, page, "What devices have learned, ± standard deviation", "3890 ± 25")
}
