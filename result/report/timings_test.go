package report_test

import (
	"encoding/xml"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/lab/realtime"
	"rths/result/report"
)

func curves(of realtime.Timing) []report.TimingCurve {
	return []report.TimingCurve{{Name: "lateness", Of: of.Lateness}, {Name: "departure", Of: of.Departure}}
}

// A picture of several loops: one axis, the numbers in words.
func TestDrawTimings(t *testing.T) {
	dir := t.TempDir()
	rows := []report.TimingRow{
		{Name: "fixed priority", PeriodUs: 250, Curves: curves(someTimes())},
		{Name: "no real time", PeriodUs: 1000, Curves: curves(timed(30, 70, 90000))},
		{Name: "stopped", PeriodUs: 1000},
	}
	text := svgText(t, filepath.Join(dir, "timings.svg"), rows)
	rthstest.Contains(t, text, "fixed priority", "lateness p99.9: 20.5 µs, largest: 20.5 µs",
		"departure p99.9: 4010 µs, largest: 4010 µs", "one sample, 250 µs",
		"no real time", "departure p99.9: 90010 µs, largest: 90010 µs", "one sample, 1000 µs",
		"stopped: no ticks were counted", "time, µs; values below 1 µs are drawn left of 1")
	missing(t, text, "execution")
	if n := strings.Count(text, "10000\n"); n < 3 {
		t.Errorf("%d axes reach 10000 µs: want all three", n)
	}
	if n := strings.Count(text, "time, µs"); n != 1 {
		t.Errorf("the axis has %d names: want one, below the last panel", n)
	}
	for _, us := range []float64{0, math.Inf(1), math.NaN()} { // no sample
		text = svgText(t, filepath.Join(dir, "unknown.svg"),
			[]report.TimingRow{{Name: "unknown", PeriodUs: us, Curves: curves(timed(30, 70))}})
		rthstest.Contains(t, text, "unknown", "lateness", "time, µs")
		missing(t, text, "one sample", "below 1 µs")
	}
	for _, list := range [][]report.TimingRow{rows, rows[:1], rows[2:], {{Name: "nothing"}}} {
		if err := report.DrawTimings(filepath.Join(dir, "timings.png"), list); err != nil {
			t.Error(err)
		}
	}
	for _, c := range []struct {
		file string
		list []report.TimingRow
		want string
	}{
		{"timings.png", nil, "report: no timings to draw: want at least one"},
		{"timings.gif", rows, "timings.gif: want a .png or .svg file"},
		{"timings", rows, "timings: want a .png or .svg file"},
		{filepath.Join("nowhere", "timings.png"), rows, "nowhere"},
	} {
		if err := report.DrawTimings(filepath.Join(dir, c.file), c.list); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %d rows: error %v: want %q", c.file, len(c.list), err, c.want)
		}
	}
}

// svgText is the texts of a picture, a line for each.
func svgText(t *testing.T, path string, rows []report.TimingRow) string {
	t.Helper()
	if err := report.DrawTimings(path, rows); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var out strings.Builder
	for d := xml.NewDecoder(file); ; {
		token, err := d.Token()
		if err != nil {
			return out.String()
		}
		if text, ok := token.(xml.CharData); ok {
			out.WriteString(strings.TrimSpace(string(text)) + "\n")
		}
	}
}
