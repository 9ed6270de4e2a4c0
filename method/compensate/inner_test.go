package compensate

import (
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// An inner loop keeps what every compensator must keep, around methods that learn.
func TestInnerLoopConformance(t *testing.T) {
	inner := InnerPI{Kp: 0.5, Ki: 20}
	for _, kind := range []string{"amb", "kf", "ats"} {
		t.Run(kind, func(t *testing.T) {
			maker := rthstest.Must(rths.Find(Kinds, kind)).Defaults()
			c := rthstest.Compensator{Axes: 1, RateHz: 4096, Limit: 0.1, Make: func() rths.Compensator {
				at := benchAt(4096, 1, 0)
				return rthstest.Must(inner.Around(rthstest.Must(maker.Make(at)), at))
			}}
			rthstest.Keeps(t, c.Broken())
		})
	}
}

// An inner loop wants the rates of the target where its compensator does.
func TestInnerLoopWantsRates(t *testing.T) {
	at := benchAt(4096, 1, 0)
	for kind, want := range map[string]bool{"none": false, "linear-acceleration": true} {
		outer := rthstest.Must(rthstest.Must(rths.Find(Kinds, kind)).Defaults().Make(at))
		c := rthstest.Must((&InnerPI{Kp: 0.5}).Around(outer, at))
		if _, got := rths.As[rths.RateUser](c); got != want {
			t.Errorf("around %s: rates wanted %t: want %t", kind, got, want)
		}
	}
}
