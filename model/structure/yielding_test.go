package structure

import (
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths/kit/rthstest"
	"rths/model/device"
)

func yieldingShear(storeys ...YieldingStorey) *Shear {
	return &Shear{Masses: []float64{1000, 900, 800}, Stiffnesses: []float64{4e5, 3e5, 2e5}, Yielding: storeys}
}

// The matrices are the linear frame's: the law's stiffness at rest is the one stated. The
// drift of storey 1 is that of floor 1.
func TestYieldingStoreys(t *testing.T) {
	s := rthstest.Must(yieldingShear(
		YieldingStorey{Storey: 3, BoucWen: &BoucWenStorey{YieldDrift: 0.004, PostYieldRatio: 0.25}},
		YieldingStorey{Storey: 1, Bilinear: &BilinearStorey{YieldDrift: 0.01, PostYieldRatio: 0.1}},
	).Make())
	linear := rthstest.Must(yieldingShear().Make())
	if !mat.Equal(s.K, linear.K) || !mat.Equal(s.M, linear.M) || linear.Devices != nil {
		t.Errorf("K %v: want %v", s.K, linear.K)
	}
	x := []float64{0.01, 0.03, 0.07}
	for i, want := range []struct {
		storey   int
		k0, post float64
		drift    float64
		along    []float64
	}{{3, 2e5, 5e4, 0.04, []float64{0, -1, 1}}, {1, 4e5, 4e4, 0.01, []float64{1, 0, 0}}} {
		y := s.Devices[i]
		k, c := y.Law.AtRest()
		rthstest.Near(t, "k₀", k, want.k0, 0)
		rthstest.Near(t, "k₀ in K", y.K, want.k0, 0)
		rthstest.Near(t, "c", c+y.C, 0, 0)
		rthstest.Near(t, "post-yield stiffness", y.Law.(device.Spring).PostYield(), want.post, 1e-9)
		rthstest.Near(t, "drift", y.Deformation(x), want.drift, 1e-15)
		if y.Storey != want.storey || !slices.Equal(y.Along(3), want.along) {
			t.Errorf("storey %d along %g: want %d, %g", y.Storey, y.Along(3), want.storey, want.along)
		}
	}
	if b := s.Devices[0].Law.(*device.BoucWen); b.N != 2 || b.Eta1 != 0.5 || b.Eta2 != 0.5 {
		t.Errorf("%+v: want N 2, η₁ and η₂ 0.5", b)
	}
}

// With takes the storeys out, or gives them another stiffness: then K is that of a frame so
// stated. Both sides of a division keep the storeys.
func TestPartitionWithOtherStoreys(t *testing.T) {
	storeys := []YieldingStorey{
		{Storey: 2, Bilinear: &BilinearStorey{YieldDrift: 0.01, PostYieldRatio: 0.1}},
		{Storey: 1, Bilinear: &BilinearStorey{YieldDrift: 0.01, PostYieldRatio: 0.5}},
	}
	p := rthstest.Must(rthstest.Must(yieldingShear(storeys...).Make()).Divide(0, 10, 20, 5e4))
	yielded := p.With(func(d *Device) (k, c float64) { return d.Law.(device.Spring).PostYield(), 0 })
	other := yieldingShear()
	other.Stiffnesses = []float64{2e5, 3e4, 2e5}
	want := rthstest.Must(rthstest.Must(other.Make()).Divide(0, 10, 20, 5e4))
	var off mat.Dense
	off.Sub(yielded.K, want.K)
	if mat.Max(&off) > 1e-9 || mat.Min(&off) < -1e-9 || len(yielded.Devices) != 0 {
		t.Errorf("K %v: want %v", yielded.K, want.K)
	}
	if len(p.Devices) != 2 || len(p.Whole.Undivided().Devices) != 2 ||
		len(rthstest.Must(p.Whole.Attach(1, 5)).Devices) != 2 {
		t.Error("a partition has lost its yielding storeys")
	}
	if same := p.With(func(d *Device) (k, c float64) { return d.K, d.C }); !mat.Equal(same.K, p.K) || same.K == p.K {
		t.Error("the same stiffness: want an equal matrix of its own")
	}
}

// Wrong entries are refused with their place.
func TestWrongYieldingStoreys(t *testing.T) {
	steel := &BilinearStorey{YieldDrift: 0.01}
	for want, storeys := range map[string][]YieldingStorey{
		"yielding[1]: storey 0: want 1 to 3":           {{Bilinear: steel}},
		"yielding[2]: storey 4: want 1 to 3":           {{Storey: 1, Bilinear: steel}, {Storey: 4, Bilinear: steel}},
		"yielding[2]: storey 2 is there twice":         {{Storey: 2, Bilinear: steel}, {Storey: 2, Bilinear: steel}},
		"storey 1: want one of bilinear and bouc_wen":  {{Storey: 1}},
		"bouc_wen: yield_drift -1 m: want more than 0": {{Storey: 1, BoucWen: &BoucWenStorey{YieldDrift: -1}}},
		"bouc_wen: eta2 -0.5: want 0 or more": {{Storey: 1,
			BoucWen: &BoucWenStorey{YieldDrift: 0.01, Eta1: 1, Eta2: -0.5}}},
		"bouc_wen: post_yield_ratio -0.1: want 0 to below 1": {{Storey: 1,
			BoucWen: &BoucWenStorey{YieldDrift: 0.01, PostYieldRatio: -0.1}}},
		"bilinear: post_yield_ratio -0.1: want 0 to 1": {{Storey: 1,
			Bilinear: &BilinearStorey{YieldDrift: 0.01, PostYieldRatio: -0.1}}},
		"bouc_wen: exponent 101: want 1 to 100": {{Storey: 1,
			BoucWen: &BoucWenStorey{YieldDrift: 0.01, Exponent: 101}}},
	} {
		if _, err := yieldingShear(storeys...).Make(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
	}
}
