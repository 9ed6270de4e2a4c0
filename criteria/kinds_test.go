package criteria_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"rths"
	"rths/criteria"
	"rths/rthstest"
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

func (r *turning) State() *rths.Motion                 { return &r.now }
func (r *turning) AppendState(dst []float64) []float64 { return append(dst, r.k) }
func (r *turning) SetState(src []float64) []float64    { r.k = src[0]; return src[1:] }

// at is the kit's run.
func at(actuators int) criteria.At {
	a := criteria.At{
		RateHz: rthstest.CriteriaHz, Samples: rthstest.CriteriaTicks, Actuators: actuators, LoadCells: min(actuators, 2), Accelerations: true, Reference: newTurning(), Floors: rthstest.CriteriaDOFs,
		Building: func() (criteria.Building, error) {
			return criteria.Building{Stiffness: []float64{1e6, 0, 0, 0}, Damping: []float64{100, 0, 0, 0}, Mass: 10}, nil
		},
	}
	for i := range actuators {
		a.Volts = append(a.Volts, criteria.Volts{PerM: 100, At: 0.01 * float64(i)})
	}
	if actuators > 1 {
		a.Monolithic = newTurning()
		a.Points = []criteria.Point{{Name: "x", DOF: 0, Sign: 1}, {Name: "theta", DOF: 1, Sign: -1}, {Name: "x2", DOF: 2, Sign: 1}}
	}
	return a
}

// made is the criteria of a row for a run, with its switch on.
func made(t *testing.T, k rths.Kind[criteria.Maker], actuators int) []criteria.Criterion {
	t.Helper()
	maker := k.Defaults()
	if on := reflect.ValueOf(maker).Elem().FieldByName("On"); on.IsValid() {
		if off, err := maker.Make(at(actuators)); len(off) > 0 || err != nil {
			t.Errorf("%s: %d criteria, %v, with the switch off: want none", k.Name, len(off), err)
		}
		on.SetBool(true)
	}
	out, err := maker.Make(at(actuators))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Every criterion of the table keeps what a criterion promises, for one actuator and
// for several, and no two give the same name.
func TestKinds(t *testing.T) {
	rthstest.Keeps(t, rthstest.Table(criteria.Kinds))
	tried := map[string]bool{}
	for _, actuators := range []int{1, 2, 3}[:rthstest.Draws(2, 3)] {
		names := map[string]string{}
		for _, k := range criteria.Kinds {
			for i, c := range made(t, k, actuators) {
				tried[k.Name] = true
				fresh := func() rthstest.Criterion { return made(t, k, actuators)[i] }
				for _, broken := range rthstest.CheckCriterion(actuators, k.Name, fresh) {
					t.Errorf("%s, number %d, %d actuators: %s", k.Name, i+1, actuators, broken)
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
