package export

import (
	"math"
	"testing"

	"rths"
)

// late is a compensator that looks ahead by a large time: a jump of the target makes it large.
type late struct{ before float64 }

func (c *late) Step(command []float64, target *rths.Motion, _ *rths.Reading) {
	command[0] = target.X[0] + 40*(target.X[0]-c.before)
	c.before = target.X[0]
}

// The self-test begins at rest, wherever the largest target is, with velocities and accelerations that are derivatives,
// and with readings and forces from 0; it is as large as the run. A compensator does not answer a jump.
func TestSelfTestBeginsAtRest(t *testing.T) {
	const rate, size = 1024.0, 0.06
	m, w := &Motion{}, 2*math.Pi*1.0371 // no sample but number 2000 is a peak
	for k := range 4096 {
		at := w * float64(k-2000) / rate
		f := rths.Frame{Target: rths.NewMotion(1), Read: rths.NewReading(1, 1)}
		f.Target.X[0], f.Target.V[0], f.Target.A[0] = size*math.Cos(at), -size*w*math.Sin(at), -size*w*w*math.Cos(at)
		f.Read.X[0], f.Read.F[0] = f.Target.X[0], 1e6*f.Target.X[0]
		m.Observe(&f)
	}
	v, err := m.Vectors(&Source{Axes: 1, Forces: 1, RateHz: rate}, &late{})
	if err != nil || len(v.Inputs) != testTicks {
		t.Fatalf("%d samples, %v", len(v.Inputs), err)
	}
	for column, x := range v.Inputs[0][:5] {
		if x != 0 {
			t.Errorf("the first sample has %g in column %d: want 0", x, column)
		}
	}
	largest := 0.0
	for k, in := range v.Inputs {
		largest = max(largest, math.Abs(in[0]))
		if c := v.Commands[k][0]; !(math.Abs(c) < 1.5*size) {
			t.Fatalf("command %g m at sample %d, of a motion of %g m", c, k, size)
		}
		if k == 0 || k == len(v.Inputs)-1 {
			continue
		}
		before, after := v.Inputs[k-1], v.Inputs[k+1]
		if slope := rate / 2 * (after[0] - before[0]); math.Abs(slope-in[1]) > 1e-4*size*w {
			t.Errorf("velocity %g m/s at sample %d: the target's is %g", in[1], k, slope)
		}
		// the jerk jumps where the fade ends
		if slope := rate / 2 * (after[1] - before[1]); math.Abs(slope-in[2]) > 1e-2*size*w*w {
			t.Errorf("acceleration %g m/s² at sample %d: the velocity's is %g", in[2], k, slope)
		}
	}
	if !(largest > 0.9*size) {
		t.Errorf("largest target %g m: want that of the run", largest)
	}
}

// Where there is no run, the motion begins at rest and suits the stroke.
func TestSwing(t *testing.T) {
	for stroke, peak := range map[float64]float64{0: 0.01, 0.06: 0.01, 0.004: 0.001} {
		m := &Motion{}
		m.Swing(1, 1000, Peak(stroke))
		first := m.ticks[0]
		if first.target.X[0] != 0 || first.target.V[0] != 0 || first.read.X[0] != 0 || first.read.F[0] != 0 {
			t.Errorf("the motion begins with %+v", first)
		}
		if _, size := m.largest(); math.Abs(size-peak) > 1e-6*peak {
			t.Errorf("stroke %g m: a motion of %g m, want %g", stroke, size, peak)
		}
	}
}
