package compensate

import (
	"math"
	"testing"

	"rths"
)

// The residual that a fallback shows is the part of the command that noise does not explain:
// √(left² − 4 noise²) over the command.
func TestDoubtsInPerCent(t *testing.T) {
	d := doubts{watches: true, part: 1, share: 0.04, last: 5, watched: []Watched{fixedResidual{5e-4, 1e-4}}}
	d.weigh([]float64{2e-3}, &rths.Reading{})
	if want := 100 * math.Sqrt(25e-8-4e-8) / 2e-3; math.Abs(d.pct-want) > 1e-9 {
		t.Errorf("%g %%: want %g", d.pct, want)
	}
	if d.weigh([]float64{0}, &rths.Reading{}); d.pct != 0 {
		t.Errorf("without a command %g %%: want 0", d.pct)
	}
}

// fixedResidual is a part whose residual and noise stay.
type fixedResidual [2]float64

func (f fixedResidual) Residual() (left, noise float64) { return f[0], f[1] }
