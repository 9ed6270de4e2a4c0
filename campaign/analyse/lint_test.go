package analyse

import (
	"slices"
	"strings"
	"testing"
)

// A remedy is taken only where the setting beyond it is stable too; kinds that follow the plant come last.
func TestRemedyOf(t *testing.T) {
	for _, c := range []struct {
		kind   string
		stable []string
		want   string
	}{
		{"pe", []string{"compensator.order=1", "compensator.kind=amb"}, "compensator.order=1"},
		{"mbc-lqg", []string{"compensator.error_weight=3", "compensator.error_weight=1", "compensator.error_weight=10"},
			"compensator.error_weight=3"},
		{"mbc-lqg", []string{"compensator.error_weight=10", "compensator.kind=mbc"}, "compensator.kind=mbc"},
		{"amb", nil, ""},
	} {
		if got := remedyOf(c.kind, func(set string) bool { return slices.Contains(c.stable, set) }); got != c.want {
			t.Errorf("%s, stable with %v: %q: want %q", c.kind, c.stable, got, c.want)
		}
	}
}

// The ends of a diagram are exact, and the Nyquist frequency bounds it.
func TestFrequencies(t *testing.T) {
	hz, err := Frequencies(0.1, 0, 5, 80)
	if err != nil || len(hz) != 5 || hz[0] != 0.1 || hz[4] != 40 {
		t.Errorf("%v, %v: want 5 frequencies from 0.1 to 40 Hz", hz, err)
	}
	for _, c := range []struct {
		from, to float64
		points   int
		want     string
	}{{0, 10, 5, "--from 0 Hz"}, {20, 10, 5, "from < to"}, {1, 41, 5, "Nyquist"}, {1, 10, 1, "--points 1"}} {
		if _, err := Frequencies(c.from, c.to, c.points, 80); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%g to %g Hz, %d points: %v: want %q", c.from, c.to, c.points, err, c.want)
		}
	}
}
