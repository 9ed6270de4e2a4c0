package scenario_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/method/compensate"
	"rths/scenario"
)

// A target that bends by Δv every n samples h has the backward differences D²x = Δv/h in one
// sample of n and D³x = ±Δv/h² in two, where a smooth motion has D²x = Δv/(n h) in all. The
// command a₀x + a₁Dx + a₂D²x + a₃D³x so has pulses, and a pure delay of m samples passes
// them on: they are nearly all of J2. What one bend leaves of the target is, j samples after
// it,
//
//	h Δv (max(0, j + m) − [j ≥ 1] (a₀ j + a₁/h + a₂/h² [j = 1] + a₃/h³ ([j = 1] − [j = 2])))
//
// up to j = 2. J2 is the sum of these errors, as if bends did not depend on each other, within 0.5 %.
func TestBendsMakePulses(t *testing.T) {
	const h, m = 1 / 2048.0, 20
	for _, predictor := range []string{"none", "poly3", "dual-explicit"} {
		for _, order := range []int{2, 3} {
			x, a, j2 := fixedInverse(t, predictor, order)
			a = append(a, 0)[:4]
			left := func(j int) float64 {
				e := float64(max(0, j+m))
				if j >= 1 {
					e -= a[0]*float64(j) + a[1]/h
				}
				switch j {
				case 1:
					e -= a[2]/(h*h) + a[3]/(h*h*h)
				case 2:
					e += a[3] / (h * h * h)
				}
				return e
			}
			bends, size, errors := 0.0, 0.0, 0.0 // sums of squares
			for k := 2; k < len(x); k++ {
				bend := x[k] - 2*x[k-1] + x[k-2] // h Δv
				bends, size = bends+bend*bend, size+x[k]*x[k]
			}
			for j := 1 - m; j <= 2; j++ {
				errors += left(j) * left(j)
			}
			want := 100 * math.Sqrt(bends*errors/size)
			t.Logf("%s, order %d: J2 %.4g %%, of the bends %.4g %%", predictor, order, j2, want)
			if math.Abs(j2-want) > 0.005*want {
				t.Errorf("%s, order %d: J2 %.4g %%, bends make %.4g %%", predictor, order, j2, want)
			}
		}
	}
}

// fixedInverse is the target of the shipped scenario with its loop open and a delay of 20
// samples downstream of the inverse of the plant, the inverse's coefficients, and J2, %.
func fixedInverse(t *testing.T, predictor string, order int) (target, a []float64, j2 float64) {
	t.Helper()
	still := strings.Repeat("0, ", order) + "0"
	s, err := scenario.Shipped("two-rate.yaml", "loop=open", "transfer.delay_ms=9.765625",
		"two_rate.predictor.kind="+predictor,
		fmt.Sprintf("compensator={kind: amb, order: %d, gamma: [%s], normaliser_m2: 1}", order, still))
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Build(t.Context(), scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	steps(t, r, func(f *rths.Frame) { target = append(target, f.Target.X[0]) })
	return target, r.Scenario.Compensator.Params.(*compensate.AMB).A, rthstest.Value(t, r.Summary(), "nrmse_pct")
}
