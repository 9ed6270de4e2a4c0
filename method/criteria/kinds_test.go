package criteria_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/method/criteria"
)

// turning is a reference that turns with the tick.
type turning struct {
	k   float64
	now rths.Motion
}

func newTurning() *turning { return &turning{now: rths.NewMotion(rthstest.CriteriaDOFs)} }

func (r *turning) Step([]float64) {
	for i := range r.now.X {
		r.now.X[i] = 0.003 * math.Sin(0.02*r.k+float64(i))
	}
	r.k++
}

func (r *turning) State() *rths.Motion             { return &r.now }
func (r *turning) VisitState(v *rths.StateVisitor) { v.Float(&r.k) }

// at is the kit's run.
func at(actuators int) criteria.At {
	a := criteria.At{
		RateHz: rthstest.CriteriaHz, StepHz: rthstest.CriteriaHz, Samples: rthstest.CriteriaTicks, Actuators: actuators, Held: actuators,
		LoadCells:     min(actuators, 2),
		Accelerations: true, Reference: newTurning(), Floors: rthstest.CriteriaDOFs,
		Building: func() (criteria.Building, error) {
			return criteria.Building{Stiffness: []float64{1e6, 0, 0, 0}, Damping: []float64{100, 0, 0, 0}, Mass: 10}, nil
		},
	}
	for i := range actuators {
		a.Volts = append(a.Volts, criteria.Volts{PerM: 100, At: 0.01 * float64(i)})
	}
	if actuators > 1 {
		a.Monolithic = newTurning()
		a.Points = []criteria.Point{{Name: "x", DOF: 0, Sign: 1}, {Name: "theta", DOF: 1, Sign: -1},
			{Name: "x2", DOF: 2, Sign: 1}}
	}
	return a
}

// made is the criteria of a row for a run, with its switch on.
func made(t *testing.T, k rths.Kind[criteria.Maker], actuators int, truth bool) []criteria.Criterion {
	t.Helper()
	maker, run := k.Defaults(), at(actuators)
	run.Truth = truth
	if on := reflect.ValueOf(maker).Elem().FieldByName("On"); on.IsValid() {
		if off, err := maker.Make(run); len(off) > 0 || err != nil {
			t.Errorf("%s: %d criteria, %v, with the switch off: want none", k.Name, len(off), err)
		}
		on.SetBool(true)
	}
	out, err := maker.Make(run)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Every criterion of the table keeps what a criterion promises, for one actuator and
// for several, with true values and without, and no two give the same name.
func TestKinds(t *testing.T) {
	rthstest.Keeps(t, rthstest.Table(criteria.Kinds))
	tried := map[string]bool{}
	for _, actuators := range []int{1, 2, 3}[:rthstest.Draws(2, 3)] {
		names := map[string]string{}
		for _, k := range criteria.Kinds {
			for i, c := range made(t, k, actuators, true) {
				tried[k.Name] = true
				for _, truth := range []bool{true, false} {
					fresh := func() rthstest.Criterion { return made(t, k, actuators, truth)[i] }
					for _, broken := range rthstest.CheckCriterion(actuators, truth, k.Name, fresh) {
						t.Errorf("%s, number %d, %d actuators, truth %v: %s", k.Name, i+1, actuators, truth, broken)
					}
				}
				for _, v := range c.Summary() {
					if other := names[v.Name]; other != "" {
						t.Errorf("%s and %s both give %s", other, k.Name, v.Name)
					}
					names[v.Name] = k.Name
				}
			}
		}
	}
	for _, k := range criteria.Kinds {
		if !tried[k.Name] {
			t.Errorf("%s is made for no run of the kit", k.Name)
		}
	}
}

// Without true values a criterion gives the same numbers, less those that need them: the
// criteria without sensor noise and the noise floors.
func TestKindsWithoutTruth(t *testing.T) {
	fewer := 0
	for _, actuators := range []int{1, 2} {
		exact, blind := readings(actuators), readings(actuators)
		for i := range blind {
			blind[i].Read, blind[i].InterfaceRead = blind[i].Read.WithoutTruth(), blind[i].InterfaceRead.WithoutTruth()
		}
		for _, k := range criteria.Kinds {
			for i, c := range made(t, k, actuators, true) {
				without := made(t, k, actuators, false)[i]
				for n := range exact {
					c.Observe(&exact[n])
					without.Observe(&blind[n])
				}
				want := slices.DeleteFunc(c.Summary(), func(v rths.Value) bool {
					gone := v.Exact || strings.HasPrefix(v.Name, "J2_floor") ||
						strings.HasPrefix(v.Name, "acc_rms_floor") || strings.HasPrefix(v.Name, "acc_band_floor")
					if gone {
						fewer++
					}
					return gone
				})
				if got := without.Summary(); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s, %d actuators:\n%v\nwant\n%v", k.Name, actuators, got, want)
				}
			}
		}
	}
	// tracking and acceleration, response; twice, and frame
	if want := 9 + 4 + 2*(7+4) + 2*2 + 2*2 + 2*2*2; fewer != want {
		t.Errorf("%d values need true ones: want %d", fewer, want)
	}
}

// readings are a second of the kit's run.
func readings(actuators int) []rths.Frame {
	out := make([]rths.Frame, rthstest.CriteriaHz)
	for n := range out {
		num := rths.NewMotion(rthstest.CriteriaDOFs)
		f := rths.Frame{
			K: n, T: float64(n) / rthstest.CriteriaHz, Ground: make([]float64, 3), Num: &num, Force: make([]float64, actuators),
			Target:  rths.NewMotion(actuators),
			Desired: make([]float64, actuators), Read: rths.NewReading(actuators, actuators),
			Command: make([]float64, actuators),
		}
		rthstest.Sine(&num, n, rthstest.CriteriaHz)
		rthstest.Sine(&f.Target, n, rthstest.CriteriaHz)
		copy(f.Desired, f.Target.X)
		copy(f.Command, f.Target.X)
		r := &f.Read
		r.A, r.TrueA = make([]float64, actuators), make([]float64, actuators)
		for i, x := range f.Target.X {
			noise := math.Sin(float64(7*n + i))
			r.TrueX[i], r.TrueF[i], r.TrueA[i] = 0.9*x, 1e6*x, 0.9*f.Target.A[i]
			r.X[i], r.F[i], r.A[i] = r.TrueX[i]+1e-5*noise, r.TrueF[i]+noise, r.TrueA[i]+0.01*noise
		}
		f.InterfaceTarget, f.InterfaceRead = f.Target, f.Read
		out[n] = f
	}
	return out
}

// Every row is described, and no key belongs to two of them.
func TestKindsAreDescribed(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range criteria.Kinds {
		if k.Name == "" || k.Doc == "" || k.Ref == "" || seen[k.Name] || k.Defaults() == nil {
			t.Errorf("%+v: want a name of its own, doc, reference and defaults", k)
		}
		seen[k.Name] = true
		for f := range reflect.TypeOf(k.Defaults()).Elem().Fields() {
			key := "key " + f.Tag.Get("yaml")
			if key == "key " || f.Tag.Get("doc") == "" || seen[key] {
				t.Errorf("%s: %s: want a key of its own and words", k.Name, f.Name)
			}
			seen[key] = true
			if f.Name == "On" && key != fmt.Sprint("key ", k.Name) {
				t.Errorf("%s: the switch is called %s: want the name of the row", k.Name, f.Tag.Get("yaml"))
			}
		}
	}
}
