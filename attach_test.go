package rths_test

import (
	"errors"
	"slices"
	"testing"

	"rths"
)

// traveller is an integrator whose displacement is k², in mm, and whose rates are known
// only when they are derived: 2k and 2.
type traveller struct {
	k       int
	now     rths.Motion
	derived int
}

func (s *traveller) Step(target *rths.Motion, _ []float64, _ *rths.Reading) {
	s.k++
	s.now.X[0] = float64((s.k - 1) * (s.k - 1))
	target.X[0] = 1e-3 * float64(s.k*s.k)
}

func (s *traveller) Closing() bool       { return false }
func (s *traveller) State() *rths.Motion { return &s.now }

func (s *traveller) Derive(target *rths.Motion) {
	s.derived++
	target.V[0], target.A[0] = 1e-3*float64(2*s.k), 2e-3
	s.now.V[0], s.now.A[0] = float64(2*(s.k-1)), 2
}

// speeds keeps what a tick shows of velocities, and whether it failed.
type speeds struct {
	name        string
	order       *[]string
	num, target []float64
	errs        []error
}

func (s *speeds) Observe(f *rths.Frame) {
	*s.order = append(*s.order, s.name)
	s.num, s.target, s.errs = append(s.num, f.Num.V[0]), append(s.target, f.Target.V[0]), append(s.errs, f.Err)
}

// hungry is an observer that looks at velocities.
type hungry struct{ speeds }

func (*hungry) UsesRates() {}

// behind is a wrapper about an observer.
type behind struct{ inside rths.Observer }

func (w behind) Observe(f *rths.Frame) { w.inside.Observe(f) }
func (w behind) Unwrap() any           { return w.inside }

// An observer that uses rates gets them when it is attached after the loop was made, wrapped or
// not; without one the integrator is not asked for rates and all observers see none.
func TestAttachedObserverGetsRates(t *testing.T) {
	for _, timing := range []rths.TargetTime{rths.Current, rths.Next} {
		for what, attach := range map[string]func(l *rths.Loop, h *hungry){
			"nothing":          func(*rths.Loop, *hungry) {},
			"without rates":    func(l *rths.Loop, h *hungry) { l.Attach(&h.speeds) },
			"with rates":       func(l *rths.Loop, h *hungry) { l.Attach(h) },
			"wrapped":          func(l *rths.Loop, h *hungry) { l.Attach(behind{h}) },
			"with two of them": func(l *rths.Loop, h *hungry) { l.Attach(h); l.Attach(&hungry{speeds{order: h.order}}) },
		} {
			var order []string
			in := &traveller{now: rths.NewMotion(1)}
			first := &speeds{name: "first", order: &order}
			l, err := rths.NewLoop(rths.Config{
				RateHz: 10, Samples: 5, Axes: 1, Forces: 1, Timing: rths.Timing{Target: timing},
				Integrator: in, Compensator: &copier{&trace{}}, Rig: &meter{trace: &trace{}}, Observers: []rths.Observer{first},
			})
			if err != nil {
				t.Fatal(err)
			}
			h := &hungry{speeds{name: "attached", order: &order}}
			attach(l, h)
			for !l.Done() {
				if err := l.Step(); err != nil {
					t.Fatal(err)
				}
			}
			rates := what == "with rates" || what == "wrapped" || what == "with two of them"
			num, target, derived := make([]float64, 5), make([]float64, 5), 0
			if rates {
				num, derived = []float64{0, 2, 4, 6, 8}, 5
				target = []float64{0, 2e-3, 4e-3, 6e-3, 8e-3}
				if timing == rths.Next {
					target = []float64{2e-3, 4e-3, 6e-3, 8e-3, 10e-3}
				}
			}
			if in.derived != derived || !slices.Equal(first.num, num) || !slices.Equal(first.target, target) {
				t.Errorf("timing %d, %s attached: %d derivations, velocities %v and of the target %v: want %d, %v, %v", timing, what, in.derived, first.num, first.target, derived, num, target)
			}
			if rates && (!slices.Equal(h.num, num) || !slices.Equal(h.target, target)) {
				t.Errorf("timing %d, %s: the attached observer sees %v and %v: want %v and %v", timing, what, h.num, h.target, num, target)
			}
			if what != "nothing" && !slices.Equal(order[:2], []string{"first", "attached"}) {
				t.Errorf("%s attached: observed in the order %v: want the attached one behind", what, order[:2])
			}
		}
	}
}

// An attached observer looks at the tick that failed too.
func TestAttachedObserverSeesTheFailure(t *testing.T) {
	var order []string
	h := &hungry{speeds{order: &order}}
	l, err := rths.NewLoop(rths.Config{
		RateHz: 10, Samples: 5, Axes: 1, Forces: 1,
		Integrator: &traveller{now: rths.NewMotion(1)}, Compensator: &copier{&trace{}}, Rig: &meter{trace: &trace{}, fail: 2},
	})
	if err != nil {
		t.Fatal(err)
	}
	l.Attach(h)
	var failed error
	for failed == nil {
		failed = l.Step()
	}
	if n := len(h.errs); n != 3 || h.errs[0] != nil || h.errs[1] != nil || !errors.Is(h.errs[2], failed) {
		t.Errorf("the attached observer saw the errors %v: want the third tick's, %v", h.errs, failed)
	}
}
