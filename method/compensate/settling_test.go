package compensate

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/method/identify"
)

// After a long silence what a method has learnt does not move for as many fresh readings as (2) says,
// also where the run goes on from a state in the midst of them; then it moves again.
func TestMethodsWaitUntilTheyHaveForgotten(t *testing.T) {
	const silence = 1000
	ofWaiting(t, func(t *testing.T, c rths.Compensator, s *identify.Settling) {
		step, learnt := driven(c)
		for k := range 4096 {
			step(k, 0)
		}
		before, most := learnt(), waits(*s, silence)
		waited := 0
		for i := 0; slices.Equal(before, learnt()); i++ {
			if waited = i - silence; waited > 2*most {
				t.Fatalf("nothing is learnt %d readings after the last old one", waited)
			}
			if waited == most/2 {
				state := rths.AppendState(nil, c)
				rths.SetState([]float64{0, 0, 0}, s)
				rths.SetState(state, c)
			}
			age := 0
			if i < silence {
				age = i + 1
			}
			step(4096+i, age)
		}
		if waited < most-2 || waited > most+2 {
			t.Errorf("it learns %d readings after the last old one: want %d", waited, most)
		}
	})
}

// waits is how many fresh readings pass after a silence of so many ticks before something is learnt.
func waits(s identify.Settling, silence int) (fresh int) {
	for range silence {
		s.Takes(&rths.Reading{}, false)
	}
	for !s.Takes(&rths.Reading{}, true) {
		fresh++
	}
	return fresh
}

// Single readings that are lost, one in ten at 4096 Hz, do not keep a method with a filter from learning.
func TestMethodsLearnBesideSingleOldReadings(t *testing.T) {
	ofWaiting(t, func(t *testing.T, c rths.Compensator, s *identify.Settling) {
		step, learnt := driven(c)
		moved := 0
		for k := range 8192 {
			age := 0
			if k%10 == 9 {
				age = 1
			}
			before := learnt()
			step(k, age)
			moving := !slices.Equal(before, learnt())
			if age > 0 && moving {
				t.Fatalf("tick %d: it learns from an old reading", k)
			}
			if moving && k >= 4096 {
				moved++
			}
		}
		if filtered := waits(*s, 1) == 0; filtered && moved < 3500 {
			t.Errorf("it learns in %d ticks of 4096: want most of them", moved)
		}
	})
}

// ofWaiting does something with every kind that remembers readings.
func ofWaiting(t *testing.T, do func(t *testing.T, c rths.Compensator, s *identify.Settling)) {
	t.Helper()
	kinds := 0
	for _, k := range Kinds {
		c := rthstest.Must(k.Defaults().Make(benchAt(4096, 1, 0)))
		if s, ok := rths.As[Settler](c); ok && k.Name != "amb-fixed" {
			kinds++
			t.Run(k.Name, func(t *testing.T) { do(t, c, settlingOf(s)) })
		}
	}
	if kinds < 10 {
		t.Errorf("%d methods wait: want all with a memory of readings", kinds)
	}
}

// settlingOf are the numbers of a method, of the first of several.
func settlingOf(s Settler) *identify.Settling {
	if c, ok := s.(*each); ok {
		return settlingOf(c.Group[0].(Settler))
	}
	return reflect.ValueOf(s).Elem().FieldByName("Settling").Addr().Interface().(*identify.Settling)
}

// driven is a tick of a method with a plant of gain 0.9, and what it has learnt.
func driven(c rths.Compensator) (step func(k, age int), learnt func() []float64) {
	target, read, command := rths.NewMotion(1), rths.NewReading(1, 1), make([]float64, 1)
	a, _ := rths.As[rths.Adaptive](c)
	read.A = make([]float64, 1)
	return func(k, age int) {
			before := target.V[0]
			rthstest.Sine(&target, k, 4096)
			if read.Age = age; age == 0 {
				read.X[0] = 0.9*target.X[0] + 1e-5*math.Sin(7*float64(k))
				read.A[0] = 0.9 * (target.V[0] - before) * 4096
			}
			c.Step(command, &target, &read)
		}, func() []float64 {
			return rths.AppendAdaptation(nil, a)
		}
}
