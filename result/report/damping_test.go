package report_test

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/result/record"
	"rths/result/report"
)

// lateTest is a made record of a laboratory: 4 s on the way to the first command, then a run of 30 s whose displacement
// is its target, late, in a storey of k of a structure of 20 t with 3.56 Hz.
func lateTest(t *testing.T, k, late, runS float64) *record.Archive {
	f := &rths.Frame{Desired: make([]float64, 1), Read: rths.NewReading(1, 1), Command: make([]float64, 1)}
	var phase float64
	channels := []rths.Channel{{Unit: "-", V: &phase, Meaning: rths.Meaning{Quantity: "phase"}}}
	m := record.Manifest{Name: "late", RateHz: 1000, Samples: int(1000 * runS), Status: rths.Completed, Scenario: fmt.Sprintf(`rate_hz: 1000
ground: {kind: sine, frequency_hz: 2, amplitude_m_s2: 1, duration_s: 1}
structure: {kind: shear, masses: [20000], stiffnesses: [1e7]}
specimen: {kind: linear, mass: 0, damping: 0, stiffness: %g}
transfer: {kind: ideal}
compensator: {kind: none}
limits: none
`, k)}
	motion := func(s float64) (x float64) {
		for i := range 7 {
			w := 12 + 3.3*float64(i)
			x += 2e-3 * math.Sin(w*s+float64(i*i))
		}
		return x
	}
	return archived(t, m, f, rths.NamedChannels(channels), m.Samples+4000, func(i int) {
		f.K, f.T, phase = i, float64(i)/1000, 2
		x := motion(f.T - late)
		f.Desired[0], f.Read.X[0], f.Read.TrueX[0], f.Read.F[0] = motion(f.T), x, x, k*x
		if i < 4000 {
			phase = 1
			f.Desired[0], f.Read.X[0], f.Read.F[0] = 0, f.T, -k
		}
	})
}

// A delay τ of a spring k is a dashpot −k τ: in the sentence, and at each time in the figures.
func TestPageOfAddedDamping(t *testing.T) {
	const k, late, title = 1e6, 2e-3, "Damping and frequency that control errors changed"
	a := lateTest(t, k, late, 30)
	want := -100 * k * late / (2 * 20e3 * math.Sqrt(1e7/20e3))
	sentence := report.DampingSentence(a)
	number := regexp.MustCompile(`^Control errors took ([0-9.]+) ± 0\.00[0-9] points of damping from mode 1 \(3\.56 Hz`).
		FindStringSubmatch(sentence)
	if number == nil {
		t.Fatal(sentence)
	}
	rthstest.Near(t, "points", -rthstest.Must(strconv.ParseFloat(number[1], 64)), want, 0.003)
	page := html(t, a)
	if !strings.Contains(page, "<li>"+sentence[:40]) {
		t.Errorf("the page does not have %q", sentence)
	}
	_, of := drawnSections(t, page)
	if len(of[title]) != 2 {
		t.Fatalf("%d figures: want 2", len(of[title]))
	}
	added := of[title][0]
	if len(added.Curves) != 3 || added.Y[0] > want || added.Y[1] < want || added.Y[1]-added.Y[0] > 0.12 {
		t.Errorf("damping over time has %d curves from %g to %g points: want all about %g", len(added.Curves), added.Y[0], added.Y[1],
			want)
	}
	if added.X[0] < 3.5 || added.X[1] > 34.5 {
		t.Errorf("windows from %g to %g s: want within the run, 4 to 34 s", added.X[0], added.X[1])
	}
}

// A run that is too short has the sentence that says so, and no figures; a test of another program has neither.
func TestPageWithoutAddedDamping(t *testing.T) {
	page := html(t, lateTest(t, 1e6, 2e-3, 2))
	rthstest.Contains(t, page, "Cannot tell what control errors did to the damping of mode 1: the record has 7.1 periods of mode 1")
	if _, of := drawnSections(t, page); len(of["Damping and frequency that control errors changed"]) > 0 {
		t.Error("figures of what cannot be told")
	}
	if got := report.DampingSentence(actuatedNoScenario(t)); got != "" {
		t.Errorf("%q of no scenario", got)
	}
}

func actuatedNoScenario(t *testing.T) *record.Archive {
	a := lateTest(t, 1e6, 2e-3, 20)
	a.Scenario = record.JudgedFrom + "a file\n"
	return a
}
