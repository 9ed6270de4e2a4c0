package criteria

import (
	"math"
	"testing"

	"rths"
)

// docs/reference/benchmark-multiaxial.md, Noise and channels: 10 mm of command are (10/1.053 − 0.0092)/7.4921 V.
func TestDrive(t *testing.T) {
	d := NewDrive([]Volts{{1e3 / (1.053 * 7.4921), -0.0092 / 7.4921}})
	for _, u := range []float64{0, 0.010, -0.002} {
		d.Observe(&rths.Frame{Command: []float64{u}})
	}
	d.Observe(&rths.Frame{Command: []float64{1}, Err: &rths.DivergedError{}})
	s := d.Summary()
	if want := (10/1.053 - 0.0092) / 7.4921; len(s) != 1 || s[0].Name != "peak_1_V" || math.Abs(s[0].V-want) > 1e-12 {
		t.Errorf("%+v, want peak_1_V = %g", s, want)
	}
	fresh := NewDrive(d.of)
	if rest := rths.SetState(rths.AppendState(nil, d), fresh); len(rest) > 0 || fresh.Summary()[0].V != s[0].V {
		t.Error("the state does not come back")
	}
}
