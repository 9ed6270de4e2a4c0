package plant

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// singleSpecimens are the rows of the table with one coordinate.
func singleSpecimens() (out []rths.Kind[SpecimenMaker]) {
	for _, k := range Specimens {
		if _, frame := k.Defaults().(*FrameSpecimen); !frame {
			out = append(out, k)
		}
	}
	return out
}

// The form that a specimen states agrees with its Rate and its mass: Linear
// everywhere, Initial in small motion from rest. No specimen is both.
func TestFormsAreThoseOfRate(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	for _, k := range singleSpecimens() {
		s := rthstest.Must(k.Defaults().Make())
		m, c, stiffness, ok := Within(s)
		if ok && m != s.Mass() {
			t.Errorf("%s: mass %g kg of its form: want %g", k.Name, m, s.Mass())
		}
		if _, initial := s.(Initial); initial {
			small(t, k.Name, s, c, stiffness)
		}
		if _, linear := s.(Linear); !linear {
			continue
		}
		if _, initial := s.(Initial); initial {
			t.Errorf("%s is Linear and Initial: want one of them", k.Name)
		}
		f := []float64{0}
		for range 1000 {
			x, v := r.NormFloat64(), 10*r.NormFloat64()
			s.Rate(nil, f, nil, &rths.Motion{X: []float64{x}, V: []float64{v}})
			rthstest.Near(t, k.Name, f[0], stiffness*x+c*v, 1e-12*(math.Abs(stiffness*x)+math.Abs(c*v)))
		}
	}
}

// small moves a specimen from rest by a micrometre, slowly, in steps of 1 µs.
func small(t *testing.T, name string, s Specimen, c, k float64) {
	t.Helper()
	const size, omega, h = 1e-6, 100, 1e-6
	f, dz, z := []float64{0}, make([]float64, s.States()), make([]float64, s.States())
	commit, commits := s.(Committed)
	for i := range 30000 {
		phase := omega * h * float64(i)
		x, v := size*(1-math.Cos(phase)), size*omega*math.Sin(phase)
		m := rths.Motion{X: []float64{x}, V: []float64{v}}
		s.Rate(dz, f, z, &m)
		if want := k*x + c*v; math.Abs(f[0]-want) > 1e-3*(k+c*omega)*size {
			t.Fatalf("%s: force %g N at %g m, %g m/s from rest: want %g", name, f[0], x, v, want)
		}
		for j := range z {
			z[j] += h * dz[j]
		}
		if commits {
			commit.Commit(z, &m)
		}
	}
}

// What is not Linear says how steep it is, and never is steeper: sub-steps rest on it.
func TestSteepestIsSteepest(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for _, k := range singleSpecimens() {
		s := rthstest.Must(k.Defaults().Make())
		if _, linear := s.(Linear); linear {
			continue
		}
		steep, ok := s.(Steep)
		if !ok {
			t.Errorf("%s is neither Linear nor Steep: its plant cannot choose sub-steps", k.Name)
			continue
		}
		stiffness, damping, fastest := steep.Steepest()
		f, g := []float64{0}, []float64{0}
		dz, z := make([]float64, s.States()), make([]float64, s.States())
		for range 2000 {
			a := rths.Motion{X: []float64{0.02 * r.NormFloat64()}, V: []float64{0.2 * r.NormFloat64()}}
			b := rths.Motion{X: []float64{a.X[0] + 1e-4*r.NormFloat64()}, V: []float64{a.V[0] + 1e-4*r.NormFloat64()}}
			s.Rate(dz, f, z, &a)
			s.Rate(dz, g, z, &b)
			most := stiffness*math.Abs(b.X[0]-a.X[0]) + damping*math.Abs(b.V[0]-a.V[0])
			if d := math.Abs(g[0] - f[0]); !(d <= most*(1+1e-9)+1e-9*math.Abs(f[0])) || !(fastest >= 0) {
				t.Fatalf("%s: from %+v to %+v the force changes by %g N: want at most %g", k.Name, a, b, d, most)
			}
		}
	}
}

// A row with a scatter draws the same plant from the same numbers and another one from
// others, can be made of every draw, and leaves the table alone.
func TestPerturbedOfTheTables(t *testing.T) {
	seen := 0
	check := func(name string, fresh func() any, build func(any) error) {
		if _, ok := fresh().(Perturbed); !ok {
			return
		}
		seen++
		nominal := fresh()
		for seed := range uint64(50) {
			draw := func() any {
				p := fresh()
				p.(Perturbed).Perturb(rand.New(rand.NewPCG(6, seed)).NormFloat64)
				return p
			}
			one := draw()
			if !reflect.DeepEqual(one, draw()) || reflect.DeepEqual(one, nominal) {
				t.Errorf("%s: draw %d is not the same twice, or is no draw", name, seed)
			}
			if err := build(one); err != nil {
				t.Errorf("%s: draw %d: %v", name, seed, err)
			}
		}
		if !reflect.DeepEqual(nominal, fresh()) {
			t.Errorf("%s: drawing changes the table", name)
		}
	}
	for _, k := range Specimens {
		check(k.Name, func() any { return k.Defaults() },
			func(p any) error { _, err := p.(SpecimenMaker).Make(); return err })
	}
	for _, k := range Transfers {
		check(k.Name, func() any { return k.Defaults() }, func(p any) error {
			_, err := p.(TransferMaker).Make(At{RateHz: rate, Specimen: benchmarkSpecimen()})
			return err
		})
	}
	if seen < 4 {
		t.Errorf("%d rows have a scatter: want at least the rows of the benchmarks", seen)
	}
}

// Every row has its optional interfaces: a linear model, and with one axis an inverse.
func TestModelsOfTheTable(t *testing.T) {
	for _, k := range Transfers {
		p := k.Defaults()
		if _, ok := p.(Modelled); !ok {
			t.Errorf("%s has no model: frequency responses and stability rest on it", k.Name)
		}
		a, several := p.(Axial)
		if _, inverse := p.(Inverter); !inverse && !(several && a.Axes() > 1) {
			t.Errorf("%s has no bare inverse", k.Name)
		}
	}
}
