package rths_test

import (
	"testing"

	"rths"
)

// delayedNum is an integrator whose State is the tick number of three ticks before.
type delayedNum struct {
	state rths.Motion
	k     int
}

func (d *delayedNum) Step(target *rths.Motion, _ []float64, _ *rths.Reading) {
	d.state.X[0] = float64(d.k - 3)
	d.k++
	target.X[0] = 1e-6 * float64(d.k)
}
func (d *delayedNum) Closing() bool       { return false }
func (d *delayedNum) State() *rths.Motion { return &d.state }
func (d *delayedNum) Delay() (int, int)   { return 3, 3 }
func (d *delayedNum) StateAt(k int) *rths.Motion {
	if k >= d.k-2 {
		return nil
	}
	return &rths.Motion{X: []float64{float64(k)}}
}

// numUser sets the state against the other values of its frame.
type numUser struct {
	t    *testing.T
	seen int
	of   map[int]seenFrame // as another observer saw them
}

type seenFrame struct {
	t, ground, command, measured, force float64
	targetK                             int
}

func seenOf(f *rths.Frame) seenFrame {
	return seenFrame{f.T, f.Ground[0], f.Command[0], f.Read.X[0], f.Force[0], f.TargetK}
}

func (u *numUser) UsesNumerical() {}
func (u *numUser) Observe(f *rths.Frame) {
	if f.Num.X[0] != float64(f.K) {
		u.t.Errorf("frame of tick %d with the state of tick %g", f.K, f.Num.X[0])
	}
	if want := u.of[f.K]; seenOf(f) != want {
		u.t.Errorf("tick %d: %+v: want %+v, as it was then", f.K, seenOf(f), want)
	}
	u.seen++
}

// bystander sees frames as they are.
type bystander struct{ of map[int]seenFrame }

func (w *bystander) Observe(f *rths.Frame) { w.of[f.K] = seenOf(f) }

// An observer that sets the numerical part against other values gets the frame of the instant of a state that comes
// late; others get the frame as it is.
func TestNumUserGetsTheFrameOfItsInstant(t *testing.T) {
	for _, target := range []rths.TargetTime{rths.Current, rths.Next} {
		w := &bystander{of: map[int]seenFrame{}}
		u := &numUser{t: t, of: w.of}
		b := newTestbed(t, false, rths.Timing{Target: target}, func(c *rths.Config) {
			c.Integrator = &delayedNum{state: rths.NewMotion(1)}
			c.Observers = []rths.Observer{w, u}
		})
		if err := b.loop.Run(0, nil); err != nil {
			t.Fatal(err)
		}
		if n := len(w.of); u.seen != n-3 || n < 5 {
			t.Errorf("%d frames for the one, %d for the other: want three fewer", u.seen, n)
		}
	}
}

// Lost readings are old until a fresh one comes; a constant age is none; a reading that overtakes others is new.
func TestNewest(t *testing.T) {
	for name, of := range map[string]struct {
		ages string
		want string // n: new
	}{
		"fresh":        {"0000", "nnnn"},
		"lost":         {"001230", "nn---n"},
		"constant age": {"222222", "--nnnn"},
		"late, later":  {"0123210", "n---nnn"},
		"failed":       {"00xx0", "nn--n"},
	} {
		var n rths.FreshReadings
		for i, age := range of.ages {
			if got := n.IsNew(int(age-'0'), age == 'x'); got != (of.want[i] == 'n') {
				t.Errorf("%s: reading %d of %s is new: %t", name, i, of.ages, got)
			}
		}
	}
}
