package combine

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/method/compensate"
)

// withFallback gives one kind another one as its fallback, both with their defaults.
func withFallback(t *testing.T, active, safe string, p Fallback, at compensate.At) rths.Compensator {
	t.Helper()
	parts := partsOf(active, safe)
	return rthstest.Must(p.Around(rthstest.Must(parts[0].Maker.Make(at)), rthstest.Must(parts[1].Maker.Make(at)), at))
}

// learning are the kinds that learn, of one actuator.
func learning(t *testing.T) (out []string) {
	for _, k := range compensate.Kinds {
		c, err := k.Defaults().Make(benchAt(4096, 1, 0))
		if err == nil && len(rths.AppendAdaptation(nil, c)) > 0 {
			out = append(out, k.Name)
		}
	}
	return out
}

// Every kind that learns keeps, with a fallback, what every compensator must keep, and so does
// a fallback to every kind. The reading of the kit is 24 ms old once, so that all of them
// fall back.
func TestFallbackConformance(t *testing.T) {
	type pair struct{ active, safe string }
	var pairs []pair
	for i, kind := range learning(t) {
		safe := []string{"mbc", "kf"}[i%2]
		if kind == safe {
			safe = "ats"
		}
		pairs = append(pairs, pair{kind, safe})
	}
	for _, k := range compensate.Kinds[:rthstest.Draws(5, len(compensate.Kinds))] {
		if k.Name != "amb" {
			pairs = append(pairs, pair{"amb", k.Name})
		}
	}
	p := FallbackDefaults()
	p.StaleS, p.BlendS = 0.01, 0.05
	for i, one := range pairs {
		lead := i % 2
		t.Run(fmt.Sprintf("%s to %s, lead %d", one.active, one.safe, lead), func(t *testing.T) {
			at := benchAt(4096, 1, lead)
			at.Noise, at.Stroke, at.Rate = 1e-5, 0.05*float64(i%2), float64(i%3)
			limit := 0.1
			if one.active == "kf-literal" || one.safe == "kf-literal" {
				limit = 1e3 // a third difference of noise
			}
			k := rthstest.Compensator{Axes: 1, RateHz: 4096, Limit: limit, Make: func() rths.Compensator {
				return withFallback(t, one.active, one.safe, p, at)
			}, Learners: compensate.LeavesOf[rths.Adaptive]}
			rthstest.Keeps(t, k.Broken())
		})
	}
}

// With two actuators each falls back by itself, or all together.
func TestFallbackConformanceOfSeveralAxes(t *testing.T) {
	p := FallbackDefaults()
	p.StaleS, p.BlendS = 0.01, 0.05
	for name, fresh := range map[string]func() rths.Compensator{
		"each": func() rths.Compensator {
			at := benchAt(chainRate, 1, 0)
			return rthstest.Must(compensate.Each(withFallback(t, "amb", "kf", p, at), withFallback(t, "kf", "ats", p, at)))
		},
		"all": func() rths.Compensator { return withFallback(t, "adm-msmc", "msmc", p, benchAt(chainRate, 2, 0)) },
	} {
		t.Run(name, func(t *testing.T) {
			k := rthstest.Compensator{Axes: 2, RateHz: chainRate, Limit: 0.1, Make: fresh,
				Learners: compensate.LeavesOf[rths.Adaptive]}
			rthstest.Keeps(t, k.Broken())
		})
	}
}

// The kit of the tests above makes every fallback act, and the way back is taken too.
func TestFallbackActsOnOldReadings(t *testing.T) {
	p := FallbackDefaults()
	p.ResidualPct = 0 // the reading is 0
	c := withFallback(t, "amb", "kf", p, benchAt(chainRate, 1, 0))
	s := c.(compensate.Switch)
	target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), make([]float64, 1)
	for k := range 4 * chainRate {
		rthstest.Sine(&target, k, chainRate)
		read.Age = 0
		if k >= chainRate && k < chainRate+100 {
			read.Age = k - chainRate + 1
		}
		if k == 3*chainRate {
			s.Return()
		}
		c.Step(u, &target, &read)
		want := trusted
		if k >= 1075 && k < 3*chainRate {
			want = stale
		}
		if told := channelOf(c, "fallback_cause"); told != float64(want) {
			t.Fatalf("tick %d: cause %g: want %d", k, told, want)
		}
	}
	// older than 50 ms: 52 samples of 1024 Hz, the 52nd lost one at tick 1024 + 51
	want := []compensate.Fall{{T: 1075.0 / chainRate, Cause: "the reading is 50.8 ms old"}, {T: 3, Back: true}}
	if got := s.Falls(); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// channelOf is what a channel tells now; NaN where there is none of this name.
func channelOf(c rths.Compensator, name string) float64 {
	if ch, ok := rths.As[rths.Channeler](c); ok {
		for _, channel := range ch.Channels() {
			if channel.Name == name {
				return *channel.V
			}
		}
	}
	return math.NaN()
}
