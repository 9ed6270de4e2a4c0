package compensate

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"rths"
	"rths/rthstest"
	"rths/signal"
)

// After an old reading what a method has learnt does not move for exactly as many fresh readings as
// (1) says, also where the run goes on from a state in the midst of them; then it moves again.
func TestMethodsWaitUntilTheyHaveForgotten(t *testing.T) {
	waiting := 0
	for _, k := range Kinds {
		c := rthstest.Must(k.Defaults().Make(benchAt(4096, 1, 0)))
		s, ok := rths.As[settler](c)
		if !ok || k.Name == "amb-fixed" {
			continue
		}
		waiting++
		t.Run(k.Name, func(t *testing.T) {
			most := int(samplesOf(t, s))
			a, _ := rths.As[rths.Adaptive](c)
			target, read := rths.NewMotion(1), rths.NewReading(1, 1)
			step := func(k, age int) {
				rthstest.Sine(&target, k, 4096)
				read.X[0], read.Age = 0.9*target.X[0]+1e-5*math.Sin(7*float64(k)), age
				c.Step(make([]float64, 1), &target, &read)
			}
			for k := range 4096 {
				step(k, 0)
			}
			before := a.AppendAdaptation(nil)
			for i := range 20 + most {
				if i == 20+most/2 {
					state := c.(rths.Stateful).AppendState(nil)
					c.(rths.Stateful).SetState(state)
				}
				step(4096+i, max(0, min(i+1, 21)%21))
				if !slices.Equal(before, a.AppendAdaptation(nil)) {
					t.Fatalf("it learns %d readings after the last old one: want more than %d", i-19, most)
				}
			}
			if step(4116+most, 0); slices.Equal(before, a.AppendAdaptation(nil)) {
				t.Errorf("it does not learn %d readings after the last old one", most+1)
			}
		})
	}
	if waiting < 10 {
		t.Errorf("%d methods wait: want all with a memory of readings", waiting)
	}
}

// samplesOf is the length of the count.
func samplesOf(t *testing.T, s settler) float64 {
	t.Helper()
	switch c := s.(type) {
	case *ats:
		return c.samples
	case *cats:
		return c.samples
	case *amb:
		return c.samples
	case *kf:
		return c.samples
	case *adm:
		return c.samples
	case *kalmanInverse:
		return c.samples
	case *each:
		return samplesOf(t, c.group[0].(settler))
	}
	panic(fmt.Sprintf("%T: want its count here", s))
}

// The poles are those of the filters: of an impulse little is left after ln ε/ln |z| samples, and not
// yet little after half of them.
func TestSlowestPoles(t *testing.T) {
	for _, order := range []int{1, 2, 4, 6} {
		for _, hz := range []float64{5, 20, 400, 1900} {
			b, a, err := signal.Butterworth(order, hz, 4096)
			if err != nil {
				t.Fatal(err)
			}
			f := signal.NewFilter(b, a)
			fades(t, fmt.Sprintf("order %d, %g Hz", order, hz), butterworthPole(order, hz, 4096), f.Step)
		}
	}
	for _, b := range [][kalmanTerms]float64{{1, 0.02, 1.5e-4, 1e-6}, {1, 0.01}, {1}} {
		f := newPrefilter(b, 2*math.Pi*40, 1.0/4096)
		pole, err := f.slowest()
		if err != nil {
			t.Fatal(err)
		}
		var s derived
		fades(t, fmt.Sprintf("prefilter of %g", b), pole, func(x float64) float64 {
			f.step(&s, x, 0)
			return s.w[0]
		})
	}
}

// fades wants the response to an impulse to fade as its slowest pole does.
func fades(t *testing.T, name string, pole float64, step func(float64) float64) {
	t.Helper()
	n := int(newSettling(pole, 0).samples)
	response := []float64{math.Abs(step(1))}
	for range 2 * n {
		response = append(response, math.Abs(step(0)))
	}
	peak := slices.Max(response)
	if left := slices.Max(response[n:]) / peak; !(left <= 10*leftOver) {
		t.Errorf("%s: %.2g of the peak is left after %d samples: want about %g", name, left, n, leftOver)
	}
	if left := slices.Max(response[n/2:]) / peak; !(left >= leftOver) {
		t.Errorf("%s: only %.2g of the peak is left after %d samples, half of the count", name, left, n/2)
	}
}

// While readings are old, and until the method has forgotten them, no parameter can leave its bound
// and the residual is of values that were held: neither counts.
func TestFallbackDoesNotCountWhileReadingsAreOld(t *testing.T) {
	const rateHz = 1000
	p := Fallback{BlendS: 0.01, AtBoundsS: 0.05}
	active := &waiting{scripted: scripted{u: make([]float64, 1000), bound: 0}, settling: settling{samples: 30}}
	c := rthstest.Must(p.Around(active, &scripted{u: make([]float64, 1000), bound: -1}, At{RateHz: rateHz})).(*fallback)
	target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), make([]float64, 1)
	for k := range 400 {
		if read.Age = 0; k >= 20 && k < 320 {
			read.Age = k - 19
		}
		c.Step(u, &target, &read)
	}
	// 50 ticks at a bound, tick 0 among them: 20 before the old readings, then 300 old ones and 30 that
	// the method waits.
	want := float64(49+300+30) / rateHz
	if got := c.Falls(); len(got) != 1 || math.Abs(got[0].T-want) > 1.5/rateHz {
		t.Errorf("falls %+v: want one at %g s", got, want)
	}
}

// waiting is a script that waits after old readings.
type waiting struct {
	scripted
	settling
}

func (c *waiting) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	c.learns(isFresh(read))
	c.scripted.Step(command, target, read)
}
