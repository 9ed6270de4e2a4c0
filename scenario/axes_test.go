package scenario_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/lab/rig"
	"rths/scenario"
)

// axial is what becomes of the force in a coordinate of two under a linear coupler.
type axial struct {
	worst, rms float64 // error after the lead-in, of the target
	status     string
	reason     string
	trip       *rig.TripError
	moved      float64 // largest measured displacement of the first axis, m
}

// columnTest runs the shipped column; the true force of its axial coordinate is that of its actuators by virtual work.
func columnTest(t *testing.T, sets ...string) (out axial) {
	t.Helper()
	r := built(t, shipped(t, "column-mixed.yaml"), sets...)
	sum, n := 0.0, 0
	lead := 5 + 1.0/2
	for _, a := range r.Scenario.Modes {
		if a.Bandwidth > 0 {
			lead = 5 + 1/a.Bandwidth
		}
	}
	err := r.Loop.Run(1, func() bool {
		f := r.Loop.Frame()
		out.moved = max(out.moved, math.Abs(f.Read.TrueX[0]))
		if f.T < lead {
			return true
		}
		e := math.Abs((0.02*f.Read.TrueF[0]+f.Read.TrueF[1])/500e3 - 1)
		out.worst, sum, n = max(out.worst, e), sum+e*e, n+1
		return true
	})
	out.status, out.reason = r.Status(err)
	errors.As(err, &out.trip)
	out.rms = math.Sqrt(sum / float64(max(n, 1)))
	return out
}

func TestTry(t *testing.T) {
	for _, c := range []string{"none", "amb", "adm", "ats", "inverse", "lead"} {
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Log(c, p)
				}
			}()
			t.Logf("%s %+v", c, columnTest(t, "compensator={kind: "+c+"}"))
		}()
	}
}

var (
	_ = fmt.Sprint
	_ = strings.Contains
	_ = rthstest.Near
	_ rths.Observer
	_ = scenario.New
)
