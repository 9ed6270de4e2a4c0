package session

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/lab/rig"
	"rths/lab/rig/wire"
	"rths/result/record"
)

// liar is a virtual rig that may go wrong: what it reads and what it is told pass through a function of the course.
type liar struct {
	rths.Rig
	course *course
	reads  func(c *course, out *rths.Reading) error
	told   func(c *course, command []float64)
}

func (l *liar) Read(out *rths.Reading) error {
	err := l.Rig.Read(out)
	if l.reads != nil && l.course != nil && err == nil {
		err = l.reads(l.course, out)
	}
	return err
}

func (l *liar) Write(command []float64) error {
	u := append([]float64(nil), command...)
	if l.told != nil && l.course != nil {
		l.told(l.course, u)
	}
	return l.Rig.Write(u)
}

// drill is a test on a rig that may go wrong, without a clock, to its end and held for a while.
func drill(t *testing.T, l *liar, sets ...string) (*record.Manifest, *course) {
	t.Helper()
	c, _ := started(t, l, reading(0, 0), 0, false, sets...)
	return concluded(t, c), c
}

// concluded goes on to the end of a test, and says what it has come to.
func concluded(t *testing.T, c *course) *record.Manifest {
	t.Helper()
	c.to(t, ended)
	m := rthstest.Must(newManifest(c.run, ""))
	m.Test = &record.Test{Cause: c.cause()}
	finish(&m, c.run, c.err)
	restless(&m, c.still.rest())
	for range 300 {
		c.tick()
	}
	return &m
}

// ran is the number of ticks of the run.
func ran(c *course) int { return c.run.Loop.Ticks() }

// silent makes a rig that gives its last reading from a tick on, older with each.
func silent(from int) *liar {
	var last rths.Reading
	return &liar{reads: func(c *course, out *rths.Reading) error {
		if ran(c) < from {
			last.X, last.F = append(last.X[:0], out.X...), append(last.F[:0], out.F...)
			last.Age = 0
			return nil
		}
		last.Age++
		copy(out.X, last.X)
		copy(out.F, last.F)
		out.Age, out.Late = last.Age, true
		return nil
	}}
}

// runaway makes an actuator that goes to one side at a rate from a tick on, whatever it is told.
func runaway(from int, step float64) *liar {
	away := 0.0
	return &liar{told: func(c *course, u []float64) {
		if ran(c) >= from {
			away = min(away+step, 0.05)
			u[0] = away
		}
	}}
}

// atTheEnd changes the readings after the run, from the first on, k = 1.
func atTheEnd(change func(k float64, out *rths.Reading)) *liar {
	k := 0.0
	return &liar{reads: func(c *course, out *rths.Reading) error {
		if c.phase >= after {
			k++
			change(k, out)
		}
		return nil
	}}
}

// lastWords is a rig that ends a test in its way, and what is said of the specimen.
type lastWords struct {
	rig    *liar
	sets   []string
	status string
	cause  string
	rest   string // "": at rest
	says   string // more of what is said
}

func endings() map[string]lastWords {
	return map[string]lastWords{
		"sound":      {rig: &liar{}, status: rths.Completed},
		"small gain": {rig: &liar{told: func(_ *course, u []float64) { u[0] *= 0.97 }}, status: rths.Completed},
		"yielding": {rig: &liar{}, sets: []string{"specimen={kind: bilinear, stiffness: 1e5, yield_displacement: 0.0005}"},
			status: rths.Completed},
		"runs away": {rig: runaway(100, 0.5/256), status: rths.Tripped, cause: "guard: error_m is 0.05",
			rest: "NOT at its command: the actuator stands at 50 mm, and the command is 0 mm"},
		"silent": {rig: silent(100), status: rths.Tripped,
			cause: "rig: no reading since t = 0.3867 s (age is 21, limit 20)",
			rest:  "nothing is known of the specimen since 0.38"},
		"stuck on its way home": {status: rths.Failed, rest: "stands at ", rig: &liar{told: func() func(*course, []float64) {
			at := math.NaN()
			return func(c *course, u []float64) {
				switch {
				case c.phase != after:
					at = 0.003
				default:
					u[0] = at
				}
			}
		}()}},
		"silent on its way home": {status: rths.Tripped, rest: "nothing is known of the specimen since ",
			cause: "rig: no reading since",
			rig:   atTheEnd(func(k float64, out *rths.Reading) { out.Age = int(k) })},
		"drifts at the end": {status: rths.Failed, rest: "still moves at ",
			rig: atTheEnd(func(k float64, out *rths.Reading) { out.X[0] += 5e-6 * k })}, // 1.3 mm/s
		"force that grows at the end": {status: rths.Failed, rest: "the force of the load cell still changes, by ",
			rig: atTheEnd(func(k float64, out *rths.Reading) { out.F[0] += k })},
		"a specimen that swings": {status: rths.Completed, says: ": it swings",
			rig: atTheEnd(func(k float64, out *rths.Reading) {
				out.F[0] += 200 * math.Exp(-k/400) * math.Sin(2*math.Pi*2.75*k/256)
			})},
		"tripped by itself, at rest elsewhere": {status: rths.Tripped, cause: "rig: its own limit acted",
			says: "where the rig has gone by itself", rig: func() *liar {
				return &liar{told: func(c *course, u []float64) {
					if ran(c) >= 100 {
						u[0] = 0.004
						c.tape.values[atStatus] = float64(wire.Tripped | wire.OwnLimit)
					}
				}, reads: func(c *course, out *rths.Reading) error {
					if ran(c) == 101 {
						return errors.New("it takes no commands any more, it is tripped (own limit)")
					}
					return nil
				}}
			}()},
		"a sensor that is not a number": {status: rths.Tripped, cause: "guard: non_finite",
			rig: &liar{reads: func(c *course, out *rths.Reading) error {
				if ran(c) > 50 {
					out.X[0] = math.NaN()
				}
				return nil
			}}, rest: "the actuator stands at NaN mm"},
		"says that its watchdog acted": {status: rths.Tripped,
			cause: "rig: it takes no commands any more, it is running (watchdog)",
			rig: &liar{reads: func() func(c *course, out *rths.Reading) error {
				told := false
				return func(c *course, out *rths.Reading) error {
					if told || ran(c) < 100 {
						return nil
					}
					told = true
					return errors.New("it takes no commands any more, it is running (watchdog)")
				}
			}()}},
	}
}

// The state of a specimen at the end is measured: a test whose specimen is not at rest is not complete, and
// says where the specimen stands, since when its state is unknown, and what a person must do.
func TestRestIsMeasured(t *testing.T) {
	for name, tc := range endings() {
		t.Run(name, func(t *testing.T) {
			m, c := drill(t, tc.rig, tc.sets...)
			at := m.Test.Rest
			if m.Status != tc.status || at.AtRest != (tc.rest == "") || !strings.HasPrefix(m.Test.Cause, tc.cause) {
				t.Errorf("%s, %s; cause %q; at rest %t: want %s, cause %q", m.Status, m.Reason, m.Test.Cause, at.AtRest, tc.status,
					tc.cause)
			}
			if !strings.Contains(at.Text, tc.rest) || !strings.Contains(at.Text, tc.says) ||
				(tc.rest != "" || strings.Contains(tc.says, "by itself")) != strings.Contains(at.Text, mustDo) {
				t.Errorf("%q: want %q, and what a person must do", at.Text, tc.rest)
			}
			if tc.rest != "" && !strings.Contains(m.Reason, at.Text) {
				t.Errorf("reason %q: want where the specimen stands", m.Reason)
			}
			if x := float64(at.X[0]); tc.rest == "" && math.Abs(x) > 1e-3 && c.guard.State() != 5 {
				t.Errorf("at rest at %g m", x)
			}
		})
	}
}

// The test says the truth about a sensor with another zero, a rig whose readings have a constant age, and a rig
// that does not come to the first command.
func TestRestOfOtherRigs(t *testing.T) {
	const off = 0.08
	shifted := func(stuck bool) *liar {
		return &liar{
			reads: func(c *course, out *rths.Reading) error { out.X[0] += off; return nil },
			told: func(c *course, u []float64) {
				if u[0] -= off; stuck && c.phase >= after {
					u[0] = 0.003
				}
			},
		}
	}
	zero := "rig.start={zero: both, move_m: 0, settle_s: 0.1}"
	for name, tc := range map[string]struct {
		rig    *liar
		sets   []string
		status string
	}{
		"another zero":        {shifted(false), []string{zero}, rths.Completed},
		"another zero, stuck": {shifted(true), []string{zero}, rths.Failed},
		"readings of a constant age": {&liar{reads: func(_ *course, out *rths.Reading) error { out.Age = 1; return nil }},
			[]string{"rig.late={hold_after: 20, ramp_after: 60}"}, rths.Completed},
	} {
		at := reading(0, 0)
		if slices.Contains(tc.sets, zero) {
			at.X[0] = off
		}
		c, _ := started(t, tc.rig, at, 0, false, tc.sets...)
		m := concluded(t, c)
		if m.Status != tc.status {
			t.Errorf("%s: %s, %s: want %s", name, m.Status, m.Reason, tc.status)
		}
	}
	dead := &liar{reads: func(c *course, out *rths.Reading) error { out.X[0] = 0.0005; clear(out.F); return nil }}
	c, _ := started(t, dead, reading(0, 0), 0.02, true)
	if c.to(t, ended); c.guard.State() != rig.Tripped || ran(c) != 0 ||
		!strings.Contains(c.cause(),
			"rig: the rig has not come to the first command: actuator 1 reads 0.5 mm, and the command is 20 mm") {
		t.Errorf("guard %s, %d ticks, cause %q: want a rig that does not move to stop the test before the run",
			c.guard.State(), ran(c), c.cause())
	}
}

// The error of a mean by noise: half the mean square of the changes, over the number of samples.
func TestErrorOfAMean(t *testing.T) {
	for _, c := range []struct {
		of           []float64
		mean, error2 float64
	}{{nil, 0, 0}, {[]float64{7}, 7, 0}, {[]float64{1, -1}, 0, 1}, {[]float64{1, -1, 1, -1}, 0, 0.5},
		{[]float64{1, 2, 4}, 7.0 / 3, 5.0 / 12}} {
		var m moments
		for _, x := range c.of {
			m.add(x)
		}
		if math.Abs(m.mean-c.mean) > 1e-15 || math.Abs(m.error2()-c.error2) > 1e-15 {
			t.Errorf("%g: mean %g, squared error %g: want %g, %g", c.of, m.mean, m.error2(), c.mean, c.error2)
		}
	}
}
