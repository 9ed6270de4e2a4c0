package analyse

import (
	"math"
	"math/cmplx"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths/kit/rthstest"
	"rths/maths/lti"
	"rths/method/compensate"
	"rths/model/integrate"
)

// Of every compensator, the roots of the whole loop's Jacobian near the unit circle
// are roots of 1 + L: the loop cut at the force is the loop. (Further inside, the sum
// over the impulse response does not converge beside the pole of the plant at 67 Hz.)
func TestForceLoopHasTheRootsOfTheLoop(t *testing.T) {
	rthstest.Long(t)
	for _, set := range rthstest.Compensators(compensate.Kinds) {
		compareRoots(t, set, set, "timing.force_delay=1", "sensors.acceleration=true")
	}
	compareRoots(t, "force_predict", "timing={force_delay: 1, force_predict: 1.5}")
	for _, k := range integrate.Kinds {
		timing := "timing={target: next, command_delay: 2}"
		if k.Name == "average-acceleration" { // closing
			timing = "timing={target: current, command_delay: 2}"
		}
		compareRoots(t, k.Name, "integrator.kind="+k.Name, timing)
	}
}

func compareRoots(t *testing.T, name string, sets ...string) {
	t.Helper()
	s := parsed(t, rthstest.Silva, sets...)
	l, err := newForceLoop(t.Context(), s)
	if err != nil {
		if !strings.Contains(err.Error(), "has no frequency response") {
			t.Errorf("%s: %v", name, err)
		}
		return
	}
	run, err := s.AtRest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	j, err := run.Loop.Jacobian()
	if err != nil {
		t.Fatal(err)
	}
	roots, err := lti.Eigenvalues(mat.NewDense(j.N, j.N, j.J))
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, z := range roots {
		if math.Abs(cmplx.Abs(z)-1) > 1e-3 || imag(z) <= 0 {
			continue
		}
		if v := l.At(z); cmplx.Abs(1+v) > 1e-6*(1+cmplx.Abs(v)) {
			t.Errorf("%s: root %.9g of the loop: 1 + L = %.3g", name, z, 1+v)
		}
		compared++
	}
	if compared < 1 {
		t.Errorf("%s: no roots near the unit circle to compare", name)
	}
}

// What cannot be looked at says so.
func TestForceLoopRefuses(t *testing.T) {
	s := parsed(t, rthstest.Silva, "loop=open")
	if _, err := newForceLoop(t.Context(), s); err == nil || !strings.Contains(err.Error(), "want a closed loop") {
		t.Errorf("open loop: %v", err)
	}
	s = parsed(t, rthstest.Silva, "specimen={kind: maxwell, mass: 30}", "transfer.kind=second-order")
	if _, _, _, _, err := s.Partition(); err == nil || !strings.Contains(err.Error(), "it has states of its own (1)") {
		t.Errorf("maxwell: %v", err)
	}
}

// A damper that is not linear counts with its slope at rest: c v₀^(α−1).
func TestPartitionOfADamper(t *testing.T) {
	s := parsed(t, rthstest.Silva,
		"specimen={kind: viscous-damper, damping: 1000, exponent: 0.5, linear_below: 0.01, mass: 30, stiffness: 200}",
		"transfer.kind=second-order")
	p, m, c, k, err := s.Partition()
	if err != nil {
		t.Fatal(err)
	}
	if m != 30 || math.Abs(c-1e4) > 1e-3 || math.Abs(k-200) > 1e-6 {
		t.Errorf("tangent %g kg, %g N·s/m, %g N/m: want 30, 10000, 200", m, c, k)
	}
	if p.M.At(0, 0) != 1000 {
		t.Errorf("mass %g kg: want the specimen beside the structure", p.M.At(0, 0))
	}
}
