package panels_test

import (
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/maths/lti"
	"rths/result/panels"
)

// lag is the response of 1/(τs + 1) from one frequency to another.
func lag(tau, from, to float64) lti.Bode {
	var b lti.Bode
	for i := range 50 {
		hz := from * math.Pow(to/from, float64(i)/49)
		w := 2 * math.Pi * hz
		b.Hz = append(b.Hz, hz)
		b.MagDB = append(b.MagDB, -10*math.Log10(1+w*w*tau*tau))
		b.PhaseDeg = append(b.PhaseDeg, -180/math.Pi*math.Atan(w*tau))
		b.DelayMs = append(b.DelayMs, 1e3*math.Atan(w*tau)/w)
	}
	return b
}

func bode(t *testing.T, curves ...panels.BodeCurve) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "new", "folder")
	paths, err := panels.DrawBode(dir, "two lags", curves)
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) != 2 {
		t.Fatalf("files %v: want a PNG and an SVG", paths)
	}
	file, err := os.Open(filepath.Join(dir, "bode.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	image, err := png.Decode(file)
	if err != nil || image.Bounds().Dx() < 1000 {
		t.Errorf("%v, image of %v", err, image.Bounds())
	}
	text, err := os.ReadFile(filepath.Join(dir, "bode.svg"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The diagram has its labels, a line per curve and panel, and one name for a
// bundle.
func TestBode(t *testing.T) {
	curves := []panels.BodeCurve{
		{Name: "transfer", Bode: lag(0.01, 0.1, 50), Colour: "#303030", Width: 1, Dashed: true},
		{Name: "plant", Bode: lag(0.03, 0.1, 50), Colour: "#D55E00", Width: 1},
	}
	for range 5 {
		curves = append(curves, panels.BodeCurve{Name: "perturbed", Bode: lag(0.02, 0.1, 50), Colour: "#B8B8B8", Width: 0.5,
			Bundle: true})
	}
	svg := bode(t, curves...)
	for _, want := range []string{"two lags", "magnitude, dB", "phase, °", "delay, ms", "frequency, Hz", ">0.1<", ">0.5<",
		">20<", ">50<", ">-60<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the diagram lacks %q", want)
		}
	}
	for name, n := range map[string]int{">transfer<": 1, ">plant<": 1, ">perturbed<": 1, ">0.3<": 0} {
		if got := strings.Count(svg, name); got != n {
			t.Errorf("%d of %q: want %d", got, name, n)
		}
	}
	for colour, n := range map[string]int{"#B8B8B8": 3*5 + 1, "#D55E00": 3 + 1} { // panels and legend
		if got := strings.Count(svg, colour); got != n {
			t.Errorf("%d lines of colour %s: want %d", got, colour, n)
		}
	}
}

// Curves that are flat, of many turns, of two points close together, or not
// finite somewhere are drawn too.
func TestBodeOfStrangeCurves(t *testing.T) {
	rthstest.Long(t)
	flat := lti.Bode{Hz: []float64{1, 10}, MagDB: []float64{0, 0}, PhaseDeg: []float64{0, 0}, DelayMs: []float64{0, 0}}
	turns := lti.Bode{Hz: []float64{1, 2000}, MagDB: []float64{0, 0}, PhaseDeg: []float64{-360, -720000},
		DelayMs: []float64{1000, 1000}}
	narrow := lti.Bode{Hz: []float64{3, 3.01}, MagDB: []float64{-1, -2}, PhaseDeg: []float64{-3, -4},
		DelayMs: []float64{5, 6}}
	holes := lag(0.1, 0.01, 100)
	holes.MagDB[7], holes.PhaseDeg[0], holes.DelayMs[49] = math.Inf(-1), math.NaN(), math.NaN()
	for _, b := range []lti.Bode{holes, turns, flat, narrow}[:rthstest.Draws(2, 4)] {
		bode(t, panels.BodeCurve{Name: "plant", Bode: b, Colour: "#303030", Width: 1})
	}
}

func TestBodeWrongFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := panels.DrawBode(path, "", nil); err == nil || !strings.Contains(err.Error(), "report: mkdir "+path) {
		t.Errorf("error %v", err)
	}
}
