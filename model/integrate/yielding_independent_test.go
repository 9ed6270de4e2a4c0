package integrate

import (
	"math"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/model/structure"
)

// independentFrames are those of kit/independent/yielding.py: step (s) and storeys.
var independentFrames = map[string]struct {
	h        float64
	yielding []structure.YieldingStorey
}{
	"first": {1.0 / 512, []structure.YieldingStorey{
		{Storey: 2, Bilinear: &structure.BilinearStorey{YieldDrift: 0.006, PostYieldRatio: 0.1}},
		{Storey: 3, BoucWen: &structure.BoucWenStorey{YieldDrift: 0.004, PostYieldRatio: 0.05}},
	}},
	"second": {1.0 / 200, []structure.YieldingStorey{
		{Storey: 2, BoucWen: &structure.BoucWenStorey{YieldDrift: 0.005, PostYieldRatio: 0.15, Exponent: 3.5, Eta1: 0.8,
			Eta2: 0.3, Alpha: 2e-4, Beta: 1e-3, Hardening: 5e7}},
		{Storey: 3, BoucWen: &structure.BoucWenStorey{YieldDrift: 0.003, PostYieldRatio: 0.1, Exponent: 1, Eta1: 0.4,
			Eta2: 0.6, Beta: 5e-3}},
		{Storey: 1, Bilinear: &structure.BilinearStorey{YieldDrift: 0.009, PostYieldRatio: 0.3}},
	}},
}

// All integrators agree with a program that knows no stiffness at rest, to 1e-9 of the
// largest displacement and of the largest state: the same schemes, with other rounding.
func TestProgramOfTheYieldingFrame(t *testing.T) {
	wants := rthstest.Independent(t, "yielding.py")
	for _, kind := range Kinds {
		for name, c := range independentFrames {
			m := kind.Defaults()
			if g, ok := m.(*Gui); ok {
				g.Lambda = 2.5
			}
			want := wants[kind.Name+"-"+name]
			got := independentRun(t, m, c.h, c.yielding)
			if len(want) != len(got) {
				t.Fatalf("%s, %s frame: %d numbers: want %d", kind.Name, name, len(got), len(want))
			}
			n := len(want) - 3 // displacements; then a force or drift of each storey
			off, scale := 0.0, largest(want[:n])
			for i := range n {
				off = max(off, math.Abs(got[i]-want[i])/scale)
			}
			for i := n; i < len(want); i++ {
				off = max(off, math.Abs(got[i]-want[i])/max(math.Abs(want[i]), scale))
			}
			if t.Logf("%s, %s frame: %.2g of the peak %.3g m", kind.Name, name, off, scale); !(off <= 1e-9) {
				t.Errorf("%s, %s frame: off by %.3g of the peak: want 1e-9", kind.Name, name, off)
			}
		}
	}
}

// independentRun is every 16th displacement of all floors, then a state of each storey.
func independentRun(t *testing.T, m Maker, h float64, yielding []structure.YieldingStorey) (out []float64) {
	frame := &structure.Shear{
		Masses: []float64{1000, 900, 800}, Stiffnesses: []float64{4e5, 3e5, 2e5}, Yielding: yielding,
		Damping: structure.Damping{Matrix: structure.Rows([][]float64{{1100, -400, 0}, {-400, 900, -300}, {0, -300, 500}})},
	}
	p, err := mustStructure(t, frame).Divide(0, 20, 150, 5e4)
	if err != nil {
		t.Fatal(err)
	}
	ground := func(t float64) float64 {
		return min(t, 1) * (2*math.Sin(8.2*t) + 1.5*math.Sin(26*t+1) + 0.8*math.Sin(3.1*t*t))
	}
	in, target := must(t, m, p, h), rths.NewMotion(1)
	for k := range int(math.Round(6 / h)) {
		at := float64(k) * h
		force := 300*math.Sin(17*at) + 100*math.Cos(41*at)
		in.Step(&target, []float64{ground(at), ground(at + h/2), ground(float64(k+1) * h)},
			&rths.Reading{F: []float64{force}})
		if k%16 == 0 {
			out = append(out, in.State().X...)
		}
	}
	states := make([]float64, 3)
	z := storeysOf(t, in)
	for i, y := range z.list {
		states[y.Storey-1] = z.Each[i][0]
	}
	return append(out, states...)
}

// storeysOf are the devices of an integrator.
func storeysOf(t rthstest.TB, in rths.Integrator) *devices {
	t.Helper()
	switch in := in.(type) {
	case *deviceStep:
		return in.devices
	case *deviceAverage:
		return in.devices
	case *stagedRK4:
		return in.devices
	}
	t.Fatalf("%T has no devices", in)
	return nil
}
