package study

import (
	"math"
	"math/cmplx"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/scenario"
	"rths/scenario/growth"
)

// A loop with a state that keeps its value, as the energy that a Bouc-Wen specimen has dissipated or
// the two of a free mass, has a root at 1; its radii are without it, below 1, and pass radius_below: 1.
func TestRadiiWithoutStatesThatStay(t *testing.T) {
	const hysteretic = "specimen={kind: bouc-wen, alpha: 1e-3}"
	for _, c := range []struct {
		file  string
		sets  []string
		still int
	}{
		{"benchmark-siso.yaml", []string{"compensator.kind=pi", hysteretic}, 1},
		{"benchmark-siso.yaml", []string{"compensator.kind=ats", hysteretic}, 1},
		{"shake-table.yaml", nil, 2},
		{"benchmark-siso.yaml", []string{"compensator.kind=pi"}, 0},
	} {
		s := rthstest.Must(scenario.Shipped(c.file, append(c.sets,
			"ground={kind: sine, frequency_hz: 2, amplitude_m_s2: 0.1, duration_s: 0.5}")...))
		roots := rthstest.Must(growth.Roots(t.Context(), rthstest.Must(s.AtRest(t.Context()))))
		still, moving := 0, 0.0
		for _, z := range roots {
			if cmplx.Abs(z-1) < 1e-8 {
				still++
			} else {
				moving = math.Max(moving, cmplx.Abs(z))
			}
		}
		run := rthstest.Must(s.Build(t.Context(), scenario.Options{}))
		if err := run.Loop.Run(0, nil); err != nil {
			t.Fatal(err)
		}
		start, end, err := radii(t.Context(), run)
		t.Logf("%s %v: %d roots at 1, radii %.9g and %.9g", c.file, c.sets, still, start, end)
		if err != nil || still != c.still || start != moving || !(start < 1) || !(end < 1) {
			t.Errorf("%s %v: %d roots at 1, radii %.12g and %.12g, %v: want %d and %.12g", c.file, c.sets, still, start, end,
				err, c.still, moving)
		}
		k := newCalibrate()
		k.Radius = 1
		row := Row{Status: rths.Completed}
		if row.look(t.Context(), run); !k.keeps(&row) {
			t.Errorf("%s %v: %+v breaks radius_below: 1", c.file, c.sets, row.Values)
		}
	}
}
