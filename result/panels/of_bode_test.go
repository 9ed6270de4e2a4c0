package panels_test

import (
	"testing"

	"rths/maths/lti"
	"rths/result/panels"
)

// A Bode diagram is three panels. A bundle is one curve with gaps, below the others; a coupling has no delay.
func TestOfBode(t *testing.T) {
	one, two := lag(0.01, 0.1, 100), lag(0.02, 0.1, 100)
	coupling := lti.Bode{Hz: one.Hz, MagDB: one.MagDB, PhaseDeg: one.PhaseDeg}
	list := panels.OfBode([]panels.BodeCurve{{Name: "a", Bode: one}, {Name: "b", Bode: two, Bundle: true},
		{Name: "b", Bode: one, Bundle: true}, {Name: "c", Bode: coupling}})
	if len(list) != 3 || !list[0].LogX {
		t.Fatalf("%d panels", len(list))
	}
	for i, want := range []int{3, 3, 2} {
		lines := list[i].Lines
		if len(lines) != want || lines[0].Name != "b" || len(lines[0].X) != 2*len(one.Hz)+2 || lines[1].Name != "a" {
			t.Errorf("panel %d has %d lines: want %d, the bundle first", i, len(lines), want)
		}
	}
	if box := list[1].Box; box[0] != one.Hz[0] || box[1] != one.Hz[len(one.Hz)-1] || box[3]-box[2] < 90 {
		t.Errorf("the box of the phase is %v: want all frequencies, and a quarter turn", box)
	}
}
