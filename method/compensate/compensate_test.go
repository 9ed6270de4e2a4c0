package compensate_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/maths/lti"
	"rths/method/compensate"
)

const rate = 4096

func made(t *testing.T, m compensate.Maker) rths.Compensator {
	t.Helper()
	return madeFor(t, m, 1, rate)
}

// madeFor makes it for the kit's rig of so many axes.
func madeFor(t *testing.T, m compensate.Maker, axes int, rateHz float64) rths.Compensator {
	t.Helper()
	c, err := m.Make(compensate.At{
		RateHz: rateHz, Axes: axes,
		Model: func() (lti.SS, error) { return rthstest.BenchModel(axes) },
		Plant: lagging, Accelerometer: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// lagging is the plant of galmez: static gain 1, a lag of 20 ms.
func lagging(hz float64) (complex128, error) {
	return model(galmez, complex(0, 2*math.Pi*hz)), nil
}

// Every row of the table keeps what every compensator must keep.
func TestConformance(t *testing.T) {
	for _, k := range compensate.Kinds {
		t.Run(k.Name, func(t *testing.T) {
			limit := 0.1 // m, for a target of 4 mm
			if k.Name == "kf-literal" {
				limit = 1e3 // a third difference of noise
			}
			maker := k.Defaults() // Make fills in what a model needs
			c := rthstest.Compensator{Axes: 1, RateHz: rate, Limit: limit,
				Make: func() rths.Compensator { return made(t, maker) }}
			if id, ok := maker.(compensate.Identified); ok {
				c.Model = func(parameters []float64) func(float64) complex128 { return id.PlantModel(rate, parameters) }
			}
			rthstest.Keeps(t, c.Broken())
		})
	}
}

// Rows for several axes keep it with two and three, at the rate of the multi-axial
// benchmark; so does a single-actuator method on each axis.
func TestConformanceOfSeveralAxes(t *testing.T) {
	rthstest.Long(t)
	const rate = 1024
	for _, k := range compensate.Kinds {
		if _, ok := k.Defaults().(compensate.ManyAxes); !ok && k.Name != "ats" {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			axes := rthstest.Draws(2, 3)
			c := rthstest.Compensator{Axes: axes, RateHz: rate, Limit: 0.1,
				Make: func() rths.Compensator { return manyMade(t, k, axes, rate) }}
			rthstest.Keeps(t, c.Broken())
		})
	}
}

func manyMade(t *testing.T, k rths.Kind[compensate.Maker], axes int, rateHz float64) rths.Compensator {
	t.Helper()
	if m, ok := k.Defaults().(compensate.ManyAxes); ok {
		return madeFor(t, m.(compensate.Maker), axes, rateHz)
	}
	var parts []rths.Compensator
	for range axes {
		parts = append(parts, madeFor(t, k.Defaults(), 1, rateHz))
	}
	c, err := compensate.Each(parts...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTable(t *testing.T) { rthstest.Keeps(t, rthstest.Table(compensate.Kinds)) }

// With timing "next" the first command aims at t₁: nothing is learnt from the reading of
// t₀, not even forgotten, whatever it is; only that it has passed is noted.
func TestNothingIsLearntBeforeTheFirstCommand(t *testing.T) {
	for _, k := range compensate.Kinds {
		// never learns; compare targets, not commands; takes off a mean, which the first reading is; takes no such reading
		if slices.Contains([]string{"amb-fixed", "forward-prediction", "wfei", "kalman-inverse", "tvc-rls"}, k.Name) {
			continue
		}
		for lead := range 2 {
			c, err := k.Defaults().Make(compensate.At{RateHz: rate, Lead: lead, Plant: lagging, Accelerometer: true})
			a, adapts := rths.As[rths.Adaptive](c)
			if err != nil || !adapts {
				continue
			}
			target, read := rths.NewMotion(1), rths.NewReading(1, 1)
			read.A = []float64{0}
			target.X[0], read.X[0] = 2e9, 1e9 // m: above every limit of suspension, after every filter
			before := rths.AppendAdaptation(nil, a)
			c.Step(make([]float64, 1), &target, &read)
			changed := 0
			for i, v := range rths.AppendAdaptation(nil, a) {
				if v != before[i] {
					changed++
				}
			}
			if learns := changed > 1; learns != (lead == 0) {
				t.Errorf("%s, lead %d: %d numbers of what it has learnt changed with the first reading", k.Name, lead, changed)
			}
		}
	}
}

// A reading that is not fresh, because messages were lost, teaches nothing: the specimen did
// not stand still, it was not looked at.
func TestOldReadingsTeachNothing(t *testing.T) {
	for _, k := range compensate.Kinds {
		for age, learns := range []bool{true, false} {
			c, err := k.Defaults().Make(compensate.At{RateHz: rate, Plant: lagging, Accelerometer: true})
			a, adapts := rths.As[rths.Adaptive](c)
			if err != nil || !adapts || k.Name == "amb-fixed" {
				continue
			}
			target, read := rths.NewMotion(1), rths.NewReading(1, 1)
			read.A = []float64{0}
			read.Age = age
			before := rths.AppendAdaptation(nil, a)
			for i := range 4 * rate { // the longest window has 2 s
				target.X[0] = 0.01 * math.Sin(2*math.Pi*2*float64(i)/rate)
				read.X[0] = 0.007 * math.Sin(2*math.Pi*2*float64(i)/rate-0.4)
				c.Step(make([]float64, 1), &target, &read)
			}
			if got := !slices.Equal(before, rths.AppendAdaptation(nil, a)); got != learns {
				t.Errorf("%s: learnt from readings of age %d: %v, want %v", k.Name, age, got, learns)
			}
		}
	}
}

// numbersOf are the numbers of a maker by their keys, those of embedded parts among them.
func numbersOf(v reflect.Value, out map[string]reflect.Value) map[string]reflect.Value {
	for i := range v.NumField() {
		key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		switch field := v.Field(i); {
		case field.Kind() == reflect.Struct:
			numbersOf(field, out)
		case key != "" && key != "-" && (field.CanFloat() || field.CanInt()):
			out[key] = field
		}
	}
	return out
}

// refusal is what a kind says of a number, "" where it says nothing of it.
func refusal(k rths.Kind[compensate.Maker], key string, x float64) string {
	p := k.Defaults()
	if of := numbersOf(reflect.ValueOf(p).Elem(), map[string]reflect.Value{})[key]; of.CanInt() {
		of.SetInt(int64(x))
	} else {
		of.SetFloat(x)
	}
	_, err := p.Make(compensate.At{RateHz: rate, Plant: lagging, Accelerometer: true})
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%s %g", key, x)) {
		return ""
	}
	return err.Error()
}

// A number that has to be more than 0 may be less than 1, and one that has to be in a range may be at its ends: the
// range that a refusal tells is the range that is taken.
func TestRangesAreWhatTheySay(t *testing.T) {
	positive, ranges := 0, 0
	for _, k := range compensate.Kinds {
		for key, field := range numbersOf(reflect.ValueOf(k.Defaults()).Elem(), map[string]reflect.Value{}) {
			if field.CanFloat() && strings.Contains(refusal(k, key, 0), "want more than 0") {
				positive++
				for _, x := range []float64{0.9, 1e-3} {
					if why := refusal(k, key, x); strings.Contains(why, "want more than 0") {
						t.Errorf("%s: %s", k.Name, why)
					}
				}
			}
			var low, high float64
			_, told, _ := strings.Cut(refusal(k, key, -7), "want ")
			if n, _ := fmt.Sscanf(told, "%g to %g", &low, &high); n < 2 || strings.Contains(told, " of ") {
				continue // none, or in another unit
			}
			ranges++
			off := max(high, 1) / 1e6
			if field.CanInt() {
				off = 1
			}
			for x, want := range map[float64]bool{low: true, high: true, low - off: false, high + off: false} {
				if x == 0 && !want {
					continue // a key that is left out
				}
				if why := refusal(k, key, x); strings.Contains(why, told) == want {
					t.Errorf("%s: %s of %g is taken %t: want %t, as %q says", k.Name, key, x, !want, want, told)
				}
			}
		}
	}
	if positive < 10 || ranges < 10 {
		t.Errorf("%d numbers more than 0, %d ranges: want many of both", positive, ranges)
	}
}
