package report_test

import (
	"bytes"
	"strings"
	"testing"

	"rths"
	"rths/result/record"
	"rths/result/report"
)

// Old readings and late ticks have a figure where there are any. A record without true values
// has no curve and no column for them.
func TestMessages(t *testing.T) {
	for _, c := range []struct {
		age       int
		late      bool
		old, tick int // figures
	}{{0, false, 0, 0}, {3, false, 1, 0}, {3, true, 1, 1}} {
		f := &rths.Frame{Desired: make([]float64, 1), Read: rths.NewReading(1, 1).WithoutTruth(), Command: make([]float64, 1)}
		m := record.Manifest{Name: "old", RateHz: 64, Samples: 64, Status: rths.Completed,
			Criteria: []rths.Value{{Name: "J2_pct", V: 3, Doc: "error"}}}
		a := archived(t, m, f, nil, 64, func(k int) {
			f.K, f.T, f.Desired[0], f.Read.X[0] = k, float64(k)/64, wave(float64(k)/4, 0), wave(float64(k-1)/4, 0)
			if f.Read.Age, f.Read.Late = 0, false; k == 20 {
				f.Read.Age, f.Read.Late = c.age, c.late
			}
		})
		var b bytes.Buffer
		if err := report.Page(&b, []*record.Archive{a}); err != nil {
			t.Fatal(err)
		}
		page := b.String()
		for text, want := range map[string]bool{
			"Messages between loop and rig": c.old > 0, "Age of the reading, samples": c.old > 0, "Late ticks": c.tick > 0,
			"ithout sensor noise": false, "NaN": false, "Tracking error": true,
		} {
			if strings.Contains(page, text) != want {
				t.Errorf("age %d, late %v: %q is in the page: %v, want %v", c.age, c.late, text, !want, want)
			}
		}
	}
}
