package combine

import (
	"math"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/method/compensate"
	"rths/method/identify"
)

// The residual that a fallback shows is the part of the command that noise does not explain:
// √(left² − 4 noise²) over the command.
func TestDoubtsInPerCent(t *testing.T) {
	d := doubts{watches: true, part: 1, share: 0.04, last: 5, watched: []compensate.Watched{fixedResidual{5e-4, 1e-4}}}
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

// While readings are old, and until the method has forgotten them, no parameter can leave its bound
// and the residual is of values that were held: neither counts.
func TestFallbackDoesNotCountWhileReadingsAreOld(t *testing.T) {
	const rateHz = 1000
	p := Fallback{BlendS: 0.01, AtBoundsS: 0.05}
	active := &waiting{scripted: scripted{u: make([]float64, 1000), bound: 0}, Settling: identify.NewSettling(0, 30)}
	c := rthstest.Must(p.Around(active, &scripted{u: make([]float64, 1000), bound: -1},
		compensate.At{RateHz: rateHz})).(*fallback)
	target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), make([]float64, 1)
	for k := range 400 {
		if read.Age = 0; k >= 20 && k < 320 {
			read.Age = k - 19
		}
		c.Step(u, &target, &read)
	}
	// 50 ticks at a bound, tick 0 among them: 20 before the old readings, then 300 old ones and 30 that
	// the method waits.
	want := float64(49+300+30) / rateHz
	if got := c.Falls(); len(got) != 1 || math.Abs(got[0].T-want) > 1.5/rateHz {
		t.Errorf("falls %+v: want one at %g s", got, want)
	}
}

// waiting is a script that waits after old readings.
type waiting struct {
	scripted
	identify.Settling
}

func (c *waiting) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	c.Learns(read)
	c.scripted.Step(command, target, read)
}
