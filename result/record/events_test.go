package record

import (
	"math"
	"testing"

	"rths"
)

// Events survive the manifest; a value that is not a number is null there and
// NaN when read.
func TestEventsInTheManifest(t *testing.T) {
	dir := t.TempDir()
	want := []Event{
		{TimeS: 1.5, Channel: "sw_pct", Value: 101, Limit: 100, Action: "ramp",
			Values: Values{{Name: "sw_pct", V: 101}, {Name: "age", V: 0}}},
		{TimeS: 2, Channel: "non_finite", Value: Number(math.NaN()), Action: "hold",
			Values: Values{{Name: "sw_pct", V: math.Inf(1)}}},
	}
	if err := (Manifest{Format: Format, Status: rths.Tripped, Events: want}).save(dir); err != nil {
		t.Fatal(err)
	}
	m, err := LoadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Events) != 2 {
		t.Fatalf("%d events: want 2", len(m.Events))
	}
	a, b := m.Events[0], m.Events[1]
	if a.TimeS != 1.5 || a.Channel != "sw_pct" || a.Value != 101 || a.Limit != 100 || a.Action != "ramp" ||
		len(a.Values) != 2 || a.Values[0] != (rths.Value{Name: "sw_pct", V: 101}) {
		t.Errorf("read %+v: want %+v", a, want[0])
	}
	if v := float64(b.Value); v == v || len(b.Values) != 1 || b.Values[0].V == b.Values[0].V {
		t.Errorf("read %+v: want values that are not numbers", b)
	}
}
