package judge_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/result/judge"
	"rths/result/record"
	"rths/result/tables"
)

// broad is a motion of several frequencies, its velocity and its acceleration.
func broad(t float64) (x, v, a float64) {
	for _, w := range []float64{5, 13, 31} {
		x, v, a = x+math.Sin(w*t)/w, v+math.Cos(w*t), a-w*math.Sin(w*t)
	}
	return x, v, a
}

// A clock that runs fast by so many ppm moves the delay evenly over the test; a delay that is constant, or that the
// frequency moves, is no clock.
func TestClocksThatDiffer(t *testing.T) {
	test := func(delay func(now float64) float64) string {
		random := rand.New(rand.NewPCG(1, 2))
		var target, measured []float64
		for k := range 40_000 {
			now := float64(k) / rate
			x, _, _ := broad(now)
			y, _, _ := broad(now - delay(now))
			target, measured = append(target, x), append(measured, y+1e-4*random.NormFloat64())
		}
		one := &judge.Test{RateHz: rate, Axes: []judge.Axis{{Target: record.SignalOf(target),
			Measured: record.SignalOf(measured)}}}
		return strings.Join(one.Notes(one.Criteria()), "|")
	}
	for _, ppm := range []float64{200, -150} {
		note := test(func(now float64) float64 { return 0.012 + 1e-6*ppm*now })
		var first, last, got float64
		_, err := fmt.Sscanf(note[max(0, strings.Index(note, "from")):], "from %f to %f ms", &first, &last)
		if err == nil {
			_, err = fmt.Sscanf(note[max(0, strings.Index(note, "differ by")):], "differ by %f ppm", &got)
		}
		if err != nil {
			t.Errorf("%g ppm: %q, %v", ppm, note, err)
			continue
		}
		rthstest.Near(t, "ppm", got, ppm, 3)
		rthstest.Near(t, "first delay", first, 12, 0.1)
		rthstest.Near(t, "last delay", last, 12+40e-3*ppm, 0.1)
	}
	for name, delay := range map[string]func(float64) float64{
		"constant": func(float64) float64 { return 0.012 },
		"in the middle alone": func(now float64) float64 {
			if now > 15 && now < 25 {
				return 0.016
			}
			return 0.012
		},
		"a little": func(now float64) float64 { return 0.012 + 1e-5*now },
	} {
		if note := test(delay); strings.Contains(note, "clocks") {
			t.Errorf("%s: %s", name, note)
		}
	}
}

// A force of a spring, a damper or a mass, or of all, has a sign; a motion of one frequency does not tell.
func TestSignOfTheForce(t *testing.T) {
	for _, c := range []struct {
		k, c, m float64
		against bool
	}{{1e5, 0, 0, false}, {-1e5, 0, 0, true}, {0, 1e4, 0, false}, {0, -1e4, 0, true}, {0, 0, 300, false}, {0, 0, -300,
		true},
		{1e5, 1e3, 100, false}, {-1e5, -1e3, -100, true}} {
		var x, f []float64
		for k := range 8000 {
			p, v, a := broad(float64(k) / rate)
			x, f = append(x, p), append(f, c.k*p+c.c*v+c.m*a)
		}
		motion := record.SignalOf(x)
		test := &judge.Test{RateHz: rate, Axes: []judge.Axis{{Target: motion, Measured: motion, Force: record.SignalOf(f)}}}
		if note := strings.Join(test.Notes(test.Criteria()), "|"); strings.Contains(note,
			"the force goes against the motion") !=
			c.against {
			t.Errorf("%+v: notes %q", c, note)
		}
	}
	test := late(1, 0)
	test.Axes[0].Force = test.Axes[0].Force.Times(-1) // of a spring against, or of a mass
	if note := strings.Join(test.Notes(test.Criteria()), "|"); strings.Contains(note, "force") {
		t.Errorf("one frequency: %q", note)
	}
}

// Two recorders have one signal, the second one later.
func TestSkewOfTwoFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, skew := range []float64{0.0043, -0.0076, 0} {
		var ctrl, daq strings.Builder
		fmt.Fprintln(&ctrl, "time_s,x_mm,target_mm")
		fmt.Fprintln(&daq, "time_s,x_mm,other")
		for k := range 4000 {
			now := float64(k) / rate
			p, _, _ := broad(now)
			q, _, _ := broad(now - skew)
			fmt.Fprintf(&ctrl, "%.3f,%.9f,%.9f\n", now, p, p)
			fmt.Fprintf(&daq, "%.3f,%.9f,%d\n", now, q, k)
		}
		for name, text := range map[string]string{"ctrl.csv": ctrl.String(), "daq.csv": daq.String()} {
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		columns := "time=ctrl.csv:time_s,target=ctrl.csv:target_mm,measured=daq.csv:x_mm"
		table, err := tables.ReadAll([]string{"ctrl.csv", "daq.csv"}, columns, 0)
		if err != nil {
			t.Fatal(err)
		}
		test, err := judge.New(table, columns, "", 0)
		if err != nil {
			t.Fatal(err)
		}
		note := strings.Join(judge.NewVerdict(test, table, []string{"ctrl.csv", "daq.csv"}).Notes, "|")
		if skew == 0 {
			if strings.Contains(note, "one signal") {
				t.Errorf("no skew: %s", note)
			}
			continue
		}
		var ms float64
		if _, err := fmt.Sscanf(note, "daq.csv:x_mm comes %f ms", &ms); err != nil {
			t.Errorf("%g s: %q, %v", skew, note, err)
		}
		rthstest.Near(t, "skew", ms, 1e3*skew, 0.05)
	}
}

// One signal further apart than delays are looked for is said to be that, not given a number.
func TestSkewBeyondReach(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, skew := range map[string]float64{"ctrl.csv": 0, "daq.csv": 0.2} {
		var text strings.Builder
		fmt.Fprintln(&text, "time_s,x_mm,"+name[:3])
		for k := range 8000 {
			now := float64(k) / rate
			fmt.Fprintf(&text, "%.3f,%.9f,%.9f\n", now, 10*math.Sin(now-skew), math.Sin(now))
		}
		rthstest.Must(0, os.WriteFile(name, []byte(text.String()), 0o644))
	}
	columns := "time=ctrl.csv:time_s,target=ctrl.csv:ctr[mm],measured=daq.csv:daq[mm]"
	table := rthstest.Must(tables.ReadAll([]string{"ctrl.csv", "daq.csv"}, columns, 0))
	test := rthstest.Must(judge.New(table, columns, "", 0))
	note := strings.Join(judge.NewVerdict(test, table, []string{"ctrl.csv", "daq.csv"}).Notes, "|")
	if !strings.Contains(note, "ctrl.csv:x_mm and daq.csv:x_mm look like one signal, 48 samples or more apart") {
		t.Errorf("notes %q", note)
	}
}
