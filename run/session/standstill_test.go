package session

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"rths"
	"rths/lab/rig/wire"
	"rths/result/record"
)

// stood is a specimen with one actuator and one load cell, measured while its command stands, at 100 Hz.
type stood struct {
	*standstill
	tape *tape
}

func newStood(stroke float64) *stood {
	t := newTape(&scripted{}, wire.Expectation{Sensors: rths.Sensors{X: 1, F: 1}, RateHz: 100}, 0)
	s := newStandstill(100, stroke, 1, 1)
	s.certain = true
	return &stood{s, t}
}

// moved takes the largest displacement and force of the test.
func (s *stood) after(x, f float64) *stood {
	s.tick(x, f, 0)
	return s
}

// tick takes a reading of an age.
func (s *stood) tick(x, f float64, age int) {
	s.tape.take(&rths.Reading{Motion: rths.Motion{X: []float64{x}}, F: []float64{f}, Age: age})
	s.tape.values[atTaken] += 0.01
	s.see(s.tape)
}

// window is half a second of readings.
func (s *stood) window(read func(k int) (x, f float64, age int)) {
	for k := 0; ; k++ {
		x, f, age := read(k)
		if s.tick(x, f, age); s.addStill(s.tape) {
			if k+1 != 50 {
				panic("a window of another length")
			}
			return
		}
	}
}

// At rest is what is near its command and does not change, by the tolerances of this table; noise changes nothing.
func TestStandstill(t *testing.T) {
	const stroke, size, force = 0.1, 0.01, 1000.0 // near: 5 % of 10 mm, 0.5 mm; between 0.1 and 1 mm
	still := func(x, f float64) func(int) (float64, float64, int) {
		return func(int) (float64, float64, int) { return x, f, 0 }
	}
	for name, c := range map[string]struct {
		stroke, command, offset float64
		read                    func(k int) (x, f float64, age int)
		rest                    bool
		text                    string
	}{
		"there": {stroke, 0, 0, still(0, 0), true, "the specimen is at rest at 0 mm, 0 N"},
		"near":  {stroke, 0, 0, still(0.49e-3, 20), true, "at rest at 0.49 mm, 20 N"},
		"away": {stroke, 0, 0, still(0.51e-3, 20), false,
			"NOT at its command: the actuator stands at 0.51 mm, and the command is 0 mm; it reads 0.51 mm, 20 N: " + mustDo},
		"away on the other side":  {stroke, 0, 0, still(-0.51e-3, 20), false, "the actuator stands at -0.51 mm"},
		"near, command elsewhere": {stroke, 0.01, 0, still(0.0109, 20), true, ""}, // and 5 % of the command
		"away, command elsewhere": {stroke, 0.01, 0, still(0.0111, 20), false,
			"stands at 11.1 mm, and the command is 10 mm"},
		"at its offset":        {stroke, 0, 2e-3, still(2.4e-3, 20), true, ""},
		"away from its offset": {stroke, 0, 2e-3, still(0, 20), false, "stands at 0 mm"},
		"no stroke, near":      {0, 0, 0, still(0.49e-3, 20), true, ""},
		"no stroke, away":      {0, 0, 0, still(0.51e-3, 20), false, ""},
		// 97.5 µm from half to half
		"creeps a little": {stroke, 0, 0, func(k int) (float64, float64, int) { return 3.9e-6 * float64(k), 0, 0 }, true, ""},
		"creeps": {stroke, 0, 0, func(k int) (float64, float64, int) { return 8e-6 * float64(k), 0, 0 },
			false, "the actuator still moves at "},
		// 19.75 N
		"force creeps a little": {stroke, 0, 0, func(k int) (float64, float64, int) { return 0, 0.79 * float64(k), 0 }, true,
			""},
		"force falls": {stroke, 0, 0, func(k int) (float64, float64, int) { return 0, -2 * float64(k), 0 },
			false, "the force of the load cell still changes, by "},
		"every fourth reading": {stroke, 0, 0, func(k int) (float64, float64, int) { return 0, 0, k % 4 }, true, ""},
		"too few readings": {stroke, 0, 0, func(k int) (float64, float64, int) { return 0, 0, (k + 1) % 5 }, false,
			"nothing is known of the specimen since "},
		"none at the end": {stroke, 0, 0, func(k int) (float64, float64, int) { return 1e-4, 5, max(0, k-43) },
			false, "nothing is known of the specimen since 0.450 s after the start; it read 0.1 mm, 5 N then"},
		"a short silence, then end": {stroke, 0, 0, func(k int) (float64, float64, int) { return 0, 0, max(0, k-44) }, true,
			""},
		// of 5 standard errors, 0.07 mm
		"away, noise": {stroke, 0, 0, func(k int) (float64, float64,
			int) {
			return 0.53e-3 + 0.1e-3*float64(1-2*(k%2))*float64(1-k/25), 0, 0
		}, true, ""},
		"away, noise later": {stroke, 0, 0, func(k int) (float64, float64,
			int) {
			return 0.53e-3 + 0.1e-3*float64(1-2*(k%2))*float64(k/25), 0, 0
		}, true, ""},
		"too far for its noise": {stroke, 0, 0, func(k int) (float64, float64,
			int) {
			return 0.6e-3 + 0.1e-3*float64(1-2*(k%2))*float64(k/25), 0, 0
		}, false, "stands at 0.598 mm"},
		"not a number": {stroke, 0, 0, still(math.NaN(), 0), false, "stands at NaN mm"},
		"force is not a number": {stroke, 0, 0, still(0, math.NaN()), false,
			"the force of the load cell still changes, by NaN N"},
	} {
		s := newStood(c.stroke).after(size, force)
		s.offset[0], s.tape.command[0] = c.offset, c.command
		if s.rest() != nil || s.moving() {
			t.Fatalf("%s: something is said before a window is over", name)
		}
		s.window(c.read)
		r := s.rest()
		if r.AtRest != c.rest || s.moving() == c.rest || !strings.Contains(r.Text, c.text) {
			t.Errorf("%s: at rest %t, %q: want %t, %q", name, r.AtRest, r.Text, c.rest, c.text)
		}
		if s.windows != 1 || len(r.X) != 1 || len(r.F) != 1 || float64(r.Command[0]) != c.command {
			t.Errorf("%s: %d windows, %+v", name, s.windows, r)
		}
	}
}

// The tolerance about a command is 5 % of the largest displacement, between a thousandth and a hundredth of the stroke.
func TestNear(t *testing.T) {
	for _, c := range []struct{ stroke, most, want float64 }{
		// not finite: no size
		{0.1, 0.01, 0.5e-3}, {0.1, 0.1, 1e-3}, {0.1, 1e-4, 0.1e-3}, {0, 0.1, 5e-3}, {0, 1e-5, 0.05e-3},
		{0.1, math.Inf(1), 0.1e-3},
	} {
		if got := newStood(c.stroke).after(c.most, 0).tolerance(0); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("stroke %g, largest %g m: %g: want %g", c.stroke, c.most, got, c.want)
		}
	}
}

// The speed and the change of force in words are those of what was read.
func TestStandstillNumbers(t *testing.T) {
	s := newStood(0.1).after(0.01, 1000)
	s.window(func(k int) (float64, float64, int) { return 1e-5 * float64(k), 4 * float64(k), 0 }) // 1 mm/s, 400 N/s
	var speed, force, time float64
	r := s.rest()
	_, text, _ := strings.Cut(r.Text, "still moves at ")
	_, change, _ := strings.Cut(r.Text, "still changes, by ")
	if _, err := fmt.Sscanf(text, "%g mm/s", &speed); err != nil {
		t.Fatalf("%q: %v", r.Text, err)
	}
	if _, err := fmt.Sscanf(change, "%g N in %g s", &force, &time); err != nil {
		t.Fatalf("%q: %v", r.Text, err)
	}
	// The changes from reading to reading are taken for noise of 7.1 µm a reading: 5 standard errors
	// of a difference, 10 µm of 250.
	if math.Abs(speed-1) > 0.05 || math.Abs(force-100) > 5 || time != 0.25 {
		t.Errorf("%g mm/s, %g N in %g s: want 1, 100, 0.25", speed, force, time)
	}
	if x := float64(r.X[0]); math.Abs(x-24.5e-5) > 1e-12 || math.Abs(float64(r.F[0])-98) > 1e-9 ||
		math.Abs(float64(r.KnownS)-0.51) > 1e-12 {
		t.Errorf("%g m, %g N, known %g s", x, r.F[0], r.KnownS)
	}
}

// A specimen that stands is at rest for any noise of its sensors, and one that creeps by several tolerances is not.
func TestStandstillInNoise(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 9))
		noise := math.Pow(10, -6+3*r.Float64()) // 1 µm to 1 mm
		for creeps, by := range map[bool]float64{false: 0, true: 2e-3 + 8*noise} {
			s := newStood(0.1).after(0.01, 1000)
			s.window(func(k int) (float64, float64, int) {
				return noise*r.NormFloat64() + by*(float64(k)/50-0.5), 1e4 * noise * r.NormFloat64(), 0
			})
			if s.rest().AtRest == creeps {
				t.Fatalf("seed %d: noise of %g m, creep of %g m: at rest %t", seed, noise, by, s.rest().AtRest)
			}
		}
	}
}

// A command that moves begins the count of windows anew, and a rest of before is not one of now.
func TestStandstillBeginsAnew(t *testing.T) {
	s := newStood(0.1).after(0.01, 1000)
	for range 30 {
		s.tick(5e-3, 0, 0)
		s.addStill(s.tape)
	}
	s.moves()
	s.window(func(int) (float64, float64, int) { return 0, 0, 0 })
	if s.windows != 1 || !s.rest().AtRest {
		t.Errorf("%d windows, %+v: want one, of what came behind the motion", s.windows, s.rest())
	}
	s.window(func(int) (float64, float64, int) { return 5e-3, 0, 0 })
	if s.windows != 2 || s.rest().AtRest {
		t.Errorf("%d windows, %+v: want two, and no rest", s.windows, s.rest())
	}
	if s.moves(); s.windows != 0 {
		t.Errorf("%d windows behind a motion", s.windows)
	}
}

// A test with a specimen that does not come to rest waits for it, and not for ever.
func TestRestIsWaitedFor(t *testing.T) {
	for name, c := range map[string]struct {
		until int // windows in which the actuator is away
		want  int // windows at the end
	}{"at once": {0, 1}, "later": {2, 3}, "never": {100, mostWindows}} {
		l := &liar{}
		l.reads = func(of *course, out *rths.Reading) error {
			if of.phase >= after && of.still.windows < c.until {
				out.X[0] += 5e-3
			}
			return nil
		}
		test, _ := started(t, l, reading(0, 0), 0, false)
		if test.to(t, ended); test.still.windows != c.want || test.still.rest().AtRest != (c.want < mostWindows) {
			t.Errorf("%s: %d windows, %s: want %d", name, test.still.windows, test.still.rest().Text, c.want)
		}
	}
}

// A manifest says that a specimen is not at rest: a complete test has failed, and a test that
// had ended for a cause keeps it.
func TestRestless(t *testing.T) {
	at, away := &record.Rest{AtRest: true, Text: "at rest"}, &record.Rest{Text: "it moves"}
	for _, c := range []struct {
		status, reason, cause string
		rest                  *record.Rest
		want                  [3]string
	}{
		{rths.Completed, "", "", nil, [3]string{rths.Completed, "", ""}},
		{rths.Completed, "", "", at, [3]string{rths.Completed, "", ""}},
		{rths.Completed, "", "", away, [3]string{rths.Failed, "the run is complete, but it moves",
			"rig: the specimen has not come to rest at its command"}},
		{rths.Tripped, "error_m", "guard: error_m", away, [3]string{rths.Tripped, "error_m; it moves", "guard: error_m"}},
		{rths.Lost, "", "", away, [3]string{rths.Lost, "it moves", "rig: the specimen has not come to rest at its command"}},
	} {
		m := record.Manifest{Status: c.status, Reason: c.reason, Test: &record.Test{Cause: c.cause}}
		restless(&m, c.rest)
		if got := [3]string{m.Status, m.Reason, m.Test.Cause}; got != c.want || m.Test.Rest != c.rest {
			t.Errorf("%+v: %q: want %q", c, got, c.want)
		}
	}
}

// The mean of readings while nothing moves is of the last ones, with their spread, the shortest
// trip and the largest age.
func TestIdle(t *testing.T) {
	d := newIdle(4, rths.Sensors{X: 2, F: 1})
	for k, x := range []float64{100, 200, 1, 2, 3, 4} { // the first two are pushed out
		r := rths.Reading{Motion: rths.Motion{X: []float64{x, -x}}, F: []float64{10 * x}, Age: map[int]int{3: 2}[k]}
		if err := d.take(&r, []time.Duration{9000, 8000, 5000, 7000, 6000, 9000}[k]); err != nil {
			t.Fatal(err)
		}
		if k == 0 {
			if m := d.means(); m.Readings != 1 || m.X[0] != 100 || m.SpreadX[0] != 0 {
				t.Errorf("of one reading: %+v", m)
			}
		}
	}
	m := d.means()
	if !slices.Equal(m.X, []float64{2.5, -2.5}) || !slices.Equal(m.F, []float64{25}) || m.Readings != 4 || m.Age != 2 ||
		m.TripUs != 5 {
		t.Errorf("%+v", m)
	}
	if want := math.Sqrt(5.0 / 3); math.Abs(m.SpreadX[0]-want) > 1e-12 || math.Abs(m.SpreadX[1]-want) > 1e-12 {
		t.Errorf("spread %g: want %g", m.SpreadX, want)
	}
	for want, r := range map[string]rths.Reading{
		"displacement 2 of the rig reads NaN: want a finite number": {Motion: rths.Motion{X: []float64{0, math.NaN()}},
			F: []float64{0}},
		"force 1 of the rig reads +Inf: want a finite number": {Motion: rths.Motion{X: []float64{0, 0}},
			F: []float64{math.Inf(1)}},
	} {
		if err := d.take(&r, 1); err == nil || err.Error() != want {
			t.Errorf("%v: want %q", err, want)
		}
	}
}

// A rig that has acted by itself is at rest where it stands, if it stands.
func TestStandstillOfARigAlone(t *testing.T) {
	for _, c := range []struct {
		status wire.Status
		creeps float64 // m a sample
		rest   bool
		text   string
	}{
		{wire.Status(wire.Running), 0, false, "the specimen is NOT at its command: the actuator stands at 5 mm"},
		{wire.Status(wire.Running) | wire.Watchdog, 0, true,
			"the specimen is at rest at 5 mm, 7 N, where the rig has gone by itself"},
		{wire.Status(wire.Running) | wire.OwnLimit, 8e-6, false, "the specimen is NOT at rest: the actuator still moves at "},
	} {
		s := newStood(0.1).after(0.01, 1000)
		s.tape.values[atStatus] = float64(c.status)
		s.window(func(k int) (float64, float64, int) { return 5e-3 + c.creeps*float64(k), 7, 0 })
		if r := s.rest(); r.AtRest != c.rest || !strings.HasPrefix(r.Text, c.text) || s.quiet() != c.rest {
			t.Errorf("%s: at rest %t, %q: want %q", c.status, r.AtRest, r.Text, c.text)
		}
	}
}

// A force that swings from window to window says nothing against rest, but is waited for; one that goes on in one
// direction does, and a command that moves forgets both.
func TestStandstillOfASwingingForce(t *testing.T) {
	for name, c := range map[string]struct {
		means []float64 // of the windows, N
		swing bool
	}{
		"rises":            {[]float64{0, 10, 20, 30}, false},
		"falls":            {[]float64{0, -10, -20, -30}, false},
		"swings":           {[]float64{0, 10, 5, 8}, true},
		"one window alone": {[]float64{10}, false},
		"rises once":       {[]float64{0, 10}, false},
	} {
		s := newStood(0.1).after(0.01, 1000)
		for range 2 { // the second time after a motion
			s.moves()
			for _, mean := range c.means {
				s.window(func(k int) (float64, float64, int) { return 0, mean + 2*float64(k-25), 0 })
			}
			r := s.rest()
			if r.AtRest != c.swing || s.quiet() || s.moving() == c.swing ||
				strings.HasSuffix(r.Text, "s: it swings") != c.swing ||
				!strings.Contains(r.Text, "the force of the load cell still changes, by ") {
				t.Errorf("%s: at rest %t, %q: want it to swing: %t", name, r.AtRest, r.Text, c.swing)
			}
		}
	}
}

// Numbers below 1 mm or 1 N are said without digits that no sensor has.
func TestNumbersInWords(t *testing.T) {
	for x, want := range map[float64]string{0: "0 mm", 1.23456789e-6: "0.001235 mm", -4.4e-10: "-0 mm", 6e-10: "1e-06 mm",
		0.9999e-3: "0.9999 mm", 12.34567e-3: "12.35 mm"} {
		if got := millimetres(x); strings.TrimPrefix(got, "-0 mm") != strings.TrimPrefix(want, "-0 mm") {
			t.Errorf("%g m: %q: want %q", x, got, want)
		}
	}
	if v := about(1.23456789); v != 1.23456789 {
		t.Errorf("%g: want all digits from 1 on", v)
	}
}

// A half of a window without readings tells nothing: no mean is taken of it.
func TestStandstillWithHalfOfTheReadings(t *testing.T) {
	for name, lost := range map[string]func(k int) bool{
		"the first half":              func(k int) bool { return k < 25 },
		"the second half but its end": func(k int) bool { return k >= 25 && k < 46 },
	} {
		s, age := newStood(0.1).after(0.01, 1000), 0
		s.window(func(k int) (float64, float64, int) {
			if age++; !lost(k) {
				age = 0
			}
			return 0.02, 300, age
		})
		if r := s.rest(); r.AtRest || float64(r.X[0]) != 0.02 || float64(r.F[0]) != 300 ||
			!strings.Contains(r.Text, "nothing is known") {
			t.Errorf("%s was lost: %+v", name, r)
		}
	}
}

// At a low rate a half of a window may have a single new reading, which has no noise: a
// specimen that stands is at rest.
func TestStandstillOfSingleReadings(t *testing.T) {
	s := &stood{newStandstill(8, 0.1, 1, 1), newTape(&scripted{}, wire.Expectation{Sensors: rths.Sensors{X: 1, F: 1}, RateHz: 8}, 0)}
	s.certain = true
	s.after(0.01, 1000)
	s.moves()
	for _, age := range []int{1, 0, 1, 0} {
		s.tick(1e-5, 5, age)
		s.addStill(s.tape)
	}
	if r := s.rest(); r == nil || !r.AtRest {
		t.Errorf("%+v: want at rest", r)
	}
}

// What is known last of a specimen that moves on while it is held stands in place of what was known before.
func TestRestIsSaidOnce(t *testing.T) {
	for status, want := range map[string]string{
		rths.Completed: "the run is complete, but it stands at 2 mm",
		rths.Stopped:   "stopped at t = 1 s; it stands at 2 mm",
	} {
		m := record.Manifest{Status: status, Test: new(record.Test)}
		if status == rths.Stopped {
			m.Reason = "stopped at t = 1 s"
		}
		for _, text := range []string{"it stands at 1 mm", "it stands at 2 mm", "it stands at 2 mm"} {
			restless(&m, &record.Rest{Text: text})
		}
		if m.Reason != want {
			t.Errorf("%q: want %q", m.Reason, want)
		}
	}
}
