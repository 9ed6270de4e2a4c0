package plant

import (
	"fmt"
	"math"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// A cycle of amplitude A dissipates 4 F_c (A − F_c/k), which is Coulomb's 4 F_c A
// less what the stiffness in stick gives back.
func TestFrictionCycle(t *testing.T) {
	const mu, normal, a, n = 0.12, 5e4, 0.02, 20000
	for _, k := range []float64{1e6, 1e7, 1e9} {
		s := rthstest.Must((&Friction{Coefficient: mu, NormalForce: normal, StickStiffness: k}).Make())
		x, v, f := sine(s, a, 3, 3, n)
		if peak(f) != mu*normal {
			t.Errorf("largest force %g N: want %g", peak(f), mu*normal)
		}
		want := 4 * mu * normal * (a - mu*normal/k)
		rthstest.Near(t, fmt.Sprintf("k = %g: energy of a cycle", k), work(f, x, n), want, 1e-6*want)
		if coulomb := 4 * mu * normal * a; k == 1e9 {
			rthstest.Near(t, "Coulomb", work(f, x, n), coulomb, 4e-4*coulomb)
		}
		for i := n; i < len(f); i++ { // sliding, it is against the velocity
			if math.Abs(f[i]) == mu*normal && f[i]*v[i] < 0 && math.Abs(v[i]) > 1e-3 {
				t.Fatalf("force %g at %g m/s", f[i], v[i])
			}
		}
	}
}

// Below the limit friction is a spring; after sliding it has slipped for good.
func TestFrictionSticks(t *testing.T) {
	s := rthstest.Must((&Friction{Coefficient: 0.5, NormalForce: 100, StickStiffness: 1e4}).Make())
	x, _, f := sine(s, 4.9e-3, 1, 3, 500)
	for i := range x {
		rthstest.Near(t, "force in stick", f[i], 1e4*x[i], 1e-9)
	}
	z, m, force := []float64{0}, rths.Motion{X: []float64{0.02}, V: []float64{1}}, []float64{0}
	s.Rate([]float64{0}, force, z, &m)
	if s.Rate([]float64{0}, force, z, &m); z[0] != 0 || force[0] != 50 {
		t.Errorf("trying a stage: slip %g, force %g: want none and 50 N", z[0], force[0])
	}
	s.(Committed).Commit(z, &m)
	rthstest.Near(t, "slip", z[0], 0.02-50/1e4, 1e-15)
	m.X[0] = 0.015
	s.(Committed).Commit(z, &m)
	s.Rate([]float64{0}, force, z, &m)
	rthstest.Near(t, "force when back where it slipped to", force[0], 0, 1e-9)
}

func TestFrictionErrors(t *testing.T) {
	for _, c := range []struct {
		p    Friction
		want string
	}{
		{Friction{-0.1, 1, 1, 0}, "friction specimen: coefficient -0.1 (-): want 0 or more"},
		{Friction{0.1, math.NaN(), 1, 0}, "normal_force NaN N"},
		{Friction{0.1, 1, 0, 0}, "stick_stiffness 0 N/m: want more than 0"},
		{Friction{0.1, 1, 1, -2}, "mass -2 kg"},
	} {
		_, err := c.p.Make()
		rthstest.WantError(t, err, c.want)
	}
}
