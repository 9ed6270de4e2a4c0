package rig

import (
	"math"
	"strings"
	"testing"

	"rths"
	"rths/model/plant"
)

func computed(t *testing.T, m plant.SpecimenMaker, seed uint64) *Computed {
	t.Helper()
	s, err := m.Make()
	if err != nil {
		t.Fatal(err)
	}
	inner, _ := benchmark(t, seed)
	c, err := NewComputed(inner, s, rate)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var spring = plant.LinearSpecimen{Stiffness: 2e5, Damping: 300}

// The force is k x + c Δx/h of the measured displacement; the true force is of the
// true displacement.
func TestComputedForce(t *testing.T) {
	c := computed(t, &spring, 1)
	x, truth := 0.0, 0.0
	for k := range 500 {
		r := read(t, c)
		if want := 2e5*r.X[0] + 300*rate*(r.X[0]-x); math.Abs(r.F[0]-want) > 1e-9*math.Abs(want) {
			t.Fatalf("tick %d: force %g N: want %g", k, r.F[0], want)
		}
		if want := 2e5*r.TrueX[0] + 300*rate*(r.TrueX[0]-truth); math.Abs(r.TrueF[0]-want) > 1e-9*math.Abs(want) {
			t.Fatalf("tick %d: true force %g N: want %g", k, r.TrueF[0], want)
		}
		x, truth = r.X[0], r.TrueX[0]
		write(t, c, command(k))
	}
}

// A specimen that yields: f = k₂x + (k₀−k₂)(x−u_p), |x−u_p| ≤ d_y. The new displacement
// moves u_p before the force is taken (docs/reference/wang2020.md, Three degrees of freedom).
func TestComputedForceOfAYieldingSpecimen(t *testing.T) {
	c := computed(t, &plant.Bilinear{Stiffness: 2e5, PostStiffness: 1e5, YieldDisplacement: 1e-3}, 2)
	up, yielded := 0.0, false
	for k := range 4000 {
		r := read(t, c)
		x := r.X[0]
		if e := x - up; math.Abs(e) > 1e-3 {
			up, yielded = x-math.Copysign(1e-3, e), true
		}
		if want := 1e5*x + 1e5*(x-up); math.Abs(r.F[0]-want) > 1e-9 {
			t.Fatalf("tick %d: force %g N: want %g", k, r.F[0], want)
		}
		write(t, c, command(k))
	}
	if !yielded {
		t.Error("the specimen did not yield: the test shows nothing")
	}
}

func TestComputedCanBeIdealised(t *testing.T) {
	if _, ok := rths.As[rths.Idealiser](rths.Rig(computed(t, &spring, 3))); !ok {
		t.Error("the rig behind a computed force cannot be idealised")
	}
}

func TestComputedWrongSpecimens(t *testing.T) {
	inner, _ := benchmark(t, 1)
	for want, m := range map[string]plant.SpecimenMaker{
		"specimen of 29 kg: want 0":         &plant.LinearSpecimen{Mass: 29, Stiffness: 1e6},
		"specimen with 1 states of its own": &plant.Maxwell{Stiffness: 1e6, Damping: 1e4, Exponent: 1},
		"specimen with 2 states of its own": &plant.BoucWen{Stiffness: 1e6, YieldForce: 1e3, Exponent: 2, Eta1: 1},
	} {
		s, err := m.Make()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := NewComputed(inner, s, rate); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v: want one that says %q", err, want)
		}
	}
}
