package analyse

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"rths/model/plant"
)

// knob is a number of the actuator that a test may show.
type knob struct {
	cause  Cause
	of     func(*Actuator) *float64
	size   float64                          // a step of 1: of the logarithm, or where absolute of the value
	trust  float64                          // standard deviation of the value in steps
	trials func(f *explainFit) []float64    // values from which a fit begins; nil: the rehearsal's
	whole  func(f *explainFit, a *Actuator) // gives the actuator what the knob wants besides
	least  float64                          // of an absolute value
	added  bool                             // absolute
}

// knobs are delay, flow and oil, which every fit has, and those that are tried.
var knobs = []knob{
	{cause: constantDelay, of: func(a *Actuator) *float64 { return &a.DelayS }, size: 2e-3, trust: 20, added: true},
	{cause: resonance, of: func(a *Actuator) *float64 { return &a.RatedFlow }, size: 0.3, trust: 2},
	{cause: resonance, of: func(a *Actuator) *float64 { return &a.BulkModulus }, size: 0.5, trust: 3},
	{cause: amplitudeDelay, of: func(a *Actuator) *float64 { return &a.Overlap }, size: 0.01, trust: 10, added: true, least: -0.5,
		trials: func(f *explainFit) (list []float64) {
			for _, v := range []float64{-0.02, 0.02, 0.06, 0.2} {
				list = append(list, min(f.Rehearsed.Overlap+v, 0.5))
			}
			return list
		}},
	{cause: saturation, of: func(a *Actuator) *float64 { return &a.ValveSlew }, size: 0.5, trust: 8,
		trials: func(f *explainFit) []float64 { // close ones: a little too slow a spool swings
			return multiples(f.run.speed, 0.08, 0.11, 0.16, 0.22, 0.32, 0.45, 0.64, 0.9)
		}},
	{cause: saturation, of: func(a *Actuator) *float64 { return &a.PumpFlow }, size: 0.5, trust: 8,
		trials: func(f *explainFit) []float64 {
			if f.Rehearsed.PumpFlow == 0 {
				return nil
			}
			return multiples(f.Rehearsed.PumpFlow, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64)
		}},
	{cause: friction, of: func(a *Actuator) *float64 { return &a.CoulombForce }, size: 0.5, trust: 8, whole: seals,
		trials: func(f *explainFit) []float64 {
			full := f.Rehearsed.PistonArea * 1e-4 * f.Rehearsed.SupplyPressure * 1e5
			return []float64{max(0.01*full, f.Rehearsed.CoulombForce), max(0.03*full, 3*f.Rehearsed.CoulombForce),
				max(0.1*full, 6*f.Rehearsed.CoulombForce)}
		}},
	{cause: backlash, of: func(a *Actuator) *float64 { return &a.ClevisPlay }, size: 0.5, trust: 8, whole: clevis,
		trials: func(f *explainFit) []float64 {
			return multiples(1e3*rms(centred(f.Target, make([]float64, len(f.Target)))), 0.02, 0.06, 0.2, 0.6)
		}},
	{cause: backlash, of: func(a *Actuator) *float64 { return &a.ClevisDamping }, size: 0.5, trust: 8,
		trials: func(f *explainFit) []float64 {
			if f.at.ClevisPlay == 0 || f.Rehearsed.ClevisStiffness > 0 {
				return nil
			}
			return multiples(f.at.ClevisDamping, 0.4, 2.5)
		}},
}

// Places of knobs.
const (
	alwaysFitted = 3 // of the first; friction too, where the rehearsal has some
	frictionKnob = 6
)

// multiples are those of a value.
func multiples(of float64, by ...float64) []float64 {
	for i := range by {
		by[i] *= of
	}
	return by
}

// seals have the ratio of breakaway to Coulomb force of the rehearsal.
func seals(f *explainFit, a *Actuator) {
	ratio := 1.0
	if r := &f.Rehearsed; r.CoulombForce > 0 && r.StaticForce > 0 {
		ratio = r.StaticForce / r.CoulombForce
	}
	a.StaticForce = ratio * a.CoulombForce
	if f.Rehearsed.CoulombForce == 0 && a.BristleDamping == 0 {
		a.BristleDamping = a.CoulombForce / 10
	}
	settle(&a.Hydraulic)
}

// stiffClevis is the deflection of clevises under the full force, m, where the rehearsal's are rigid.
const stiffClevis = 5e-5

// clevis has a stiffness where there is play.
func clevis(f *explainFit, a *Actuator) {
	if a.ClevisStiffness == 0 {
		a.ClevisStiffness = a.PistonArea * 1e-4 * a.SupplyPressure * 1e5 / stiffClevis
		a.ClevisDamping = 2 * 0.05 * math.Sqrt(a.ClevisStiffness*a.MovingMass)
	}
}

// Rules of the fit.
const (
	softOil        = 0.35 // of the rehearsal's bulk modulus
	littleFriction = 0.15 // of the rehearsal's
	slope          = 0.02 // step for derivatives
	worthIt        = 0.9  // mean square of what is left with one knob more, of that before
	mostKnobs      = 4    // that are tried and stay
	mostTrials     = 3    // knobs that are fitted, of those that promise most
	closer         = 2    // halvings between the values of a trial
	hope           = 0.97 // of what is left, that knobs after the first one promise to leave
	littleLeft     = 0.05 // of the error: with less left no knob is tried
	raceRounds     = 4
	nextRounds     = 8
	lastRounds     = 25
	still          = 1e-3 // relative fall of the cost that ends a fit
	unseen         = 1e-6 // mean square, of what is left, that a step of a knob changes: with less it hardly moves
)

// explainFit is an actuator that follows the commands.
type explainFit struct {
	*Explain
	commands []float64
	slots    chan struct{}
	at       Actuator
	used     []int // knobs
	run      *explainRun
	promise  float64  // m, rms that an attempt may leave
	relaxed  Actuator // that of an attempt which may
}

// explainRun is the fitted actuator's motion.
type explainRun struct {
	x, r           []float64 // displacement, and what it leaves of the measured one, less its mean
	opening, speed float64
}

// follow moves an actuator by commands.
func (f *explainFit) follow(a *Actuator, commands []float64) (*explainRun, error) {
	f.slots <- struct{}{}
	defer func() { <-f.slots }()
	specimen, err := f.Specimen.Make()
	if err != nil {
		return nil, err
	}
	late := shifted(commands, a.DelayS*f.RateHz)
	out, err := playHydraulic(&a.Hydraulic, plant.At{RateHz: f.RateHz, Specimen: specimen}, late)
	if err != nil {
		return nil, err
	}
	return &explainRun{out.x, centred(f.Measured, out.x), out.opening, out.speed}, nil
}

// shifted is a signal so many samples later, straight between them.
func shifted(v []float64, samples float64) []float64 {
	out := make([]float64, len(v))
	last := len(v) - 1
	for k := range out {
		at := min(max(float64(k)-samples, 0), float64(last))
		i := min(int(at), last-1)
		out[k] = v[i] + (at-float64(i))*(v[i+1]-v[i])
	}
	return out
}

// heldCommands are the commands where a late tick leaves the one before for a sample.
func (e *Explain) heldCommands() []float64 {
	out := slices.Clone(e.Command)
	for k := 1; k < len(out) && e.Late != nil; k++ {
		if e.Late[k] != 0 {
			out[k] = out[k-1]
		}
	}
	return out
}

// rehearsed is the actuator of the rehearsal.
func (e *Explain) rehearsed() Actuator { return Actuator{e.Rehearsed, e.WireS} }

// fit finds the actuator.
func (e *Explain) fit() (*explainFit, error) {
	f := &explainFit{Explain: e, commands: e.Command, at: e.rehearsed(), used: []int{0, 1, 2},
		slots: make(chan struct{}, runtime.GOMAXPROCS(0))}
	var err error
	if f.run, err = f.follow(&f.at, f.commands); err != nil {
		return nil, fmt.Errorf("the rehearsal's actuator: %w", err)
	}
	starts := f.starts()
	if late := e.lateTicks(); late > 0 && float64(late) < mostlyLate*float64(len(e.Late)) {
		f.commands = e.heldCommands()
		starts = append(starts, f.starts()...)
	}
	if f = bestOf(starts, raceRounds); f == nil {
		return nil, errors.New("the rehearsal's actuator does not follow the commands: want the rehearsal of this test")
	}
	f.descend(nextRounds)
	for range mostKnobs {
		if rms(f.run.r) < littleLeft*rms(centred(f.Measured, f.Target)) {
			break
		}
		better, err := f.oneMore()
		if err != nil {
			return nil, err
		}
		if better == nil {
			break
		}
		*f = *better
	}
	f.descend(lastRounds)
	return f, nil
}

// starts are the rehearsal's actuator, one with a resonance far from its own, and such with little and much friction: the
// rehearsal's friction is seldom that of the test.
func (f *explainFit) starts() (out []*explainFit) {
	add := func(oil, force float64) {
		t := *f
		t.at.BulkModulus *= oil
		if f.Rehearsed.CoulombForce > 0 {
			t.used = append(slices.Clone(f.used), frictionKnob)
			t.at.CoulombForce = force
			t.complete(&t.at)
		}
		out = append(out, &t)
	}
	force := f.Rehearsed.CoulombForce
	add(1, force)
	add(softOil, force)
	if force > 0 {
		add(1, littleFriction*force)
		add(softOil, littleFriction*force)
		add(1, knobs[frictionKnob].trials(f)[1])
	}
	return out
}

// bestOf goes some rounds with each, and returns the one that leaves least; nil: none follows the commands.
func bestOf(fits []*explainFit, rounds int) (best *explainFit) {
	together(fits, func(t *explainFit) error { return t.begin(rounds) })
	for _, t := range fits {
		if t.run != nil && (best == nil || rms(t.run.r) < rms(best.run.r)) {
			best = t
		}
	}
	return best
}

func (e *Explain) lateTicks() (n int) {
	for _, late := range e.Late {
		if late != 0 {
			n++
		}
	}
	return n
}

// together does some work on all at once. A fit that fails has no run.
func together(fits []*explainFit, work func(*explainFit) error) {
	var wait sync.WaitGroup
	for _, t := range fits {
		wait.Go(func() {
			if work(t) != nil {
				t.run = nil
			}
		})
	}
	wait.Wait()
}

// begin follows the commands with the numbers of a trial, and goes some rounds on.
func (f *explainFit) begin(rounds int) (err error) {
	if f.run, err = f.follow(&f.at, f.commands); err == nil {
		f.descend(rounds)
	}
	return err
}

// complete gives the actuator what its knobs want besides.
func (f *explainFit) complete(a *Actuator) {
	for _, i := range f.used {
		if whole := knobs[i].whole; whole != nil {
			whole(f, a)
		}
	}
	settle(&a.Hydraulic)
}

// moved is the actuator after steps of its knobs, inside their bounds.
func (f *explainFit) moved(steps []float64) Actuator {
	a := f.at
	for j, i := range f.used {
		k := &knobs[i]
		if v := k.of(&a); k.added {
			*v = max(*v+k.size*steps[j], k.least)
		} else {
			*v *= math.Exp(k.size * steps[j])
		}
	}
	f.complete(&a)
	return a
}

// distance is the sum of squares of the steps from the rehearsal, in trusts.
func (f *explainFit) distance(a *Actuator) (sum float64) {
	from := f.rehearsed()
	for _, i := range f.used[:alwaysFitted] {
		z := knobs[i].steps(&from, a) / knobs[i].trust
		sum += z * z
	}
	return sum
}

// steps are those from one actuator to another.
func (k *knob) steps(from, to *Actuator) float64 {
	if k.added {
		return (*k.of(to) - *k.of(from)) / k.size
	}
	return math.Log(*k.of(to) / *k.of(from)) / k.size
}

// descend goes to less of what is left by the method of Levenberg and Marquardt. Derivatives follow the steps (Broyden
// 1965), and are found again where a step brings nothing.
func (f *explainFit) descend(rounds int) {
	lambda, n, m := 1e-2, float64(len(f.Command)), len(f.used)
	from := f.rehearsed()
	j, fresh := f.slopes(), true
	for range rounds {
		sigma := max(rms(f.run.r), 1e-12)
		cost := func(a *Actuator, run *explainRun) float64 {
			part := rms(run.r) / sigma
			return n*part*part + f.distance(a)
		}
		h, g := mat.NewSymDense(m, nil), mat.NewVecDense(m, nil)
		h.SymOuterK(1/(sigma*sigma), j)
		g.MulVec(j, mat.NewVecDense(len(f.run.r), f.run.r))
		g.ScaleVec(1/(sigma*sigma), g)
		for i := range m {
			w := unseen * n // a knob that nothing shows stays
			if i < alwaysFitted {
				k := &knobs[f.used[i]]
				w = 1 / (k.trust * k.trust)
				g.SetVec(i, g.AtVec(i)-w*k.steps(&from, &f.at))
			}
			h.SetSym(i, i, h.At(i, i)+w)
		}
		now, fell := cost(&f.at, f.run), 0.0
		for tries := 0; tries < 4 && fell == 0; tries++ {
			step, ok := boxed(h, g, lambda)
			if !ok {
				lambda *= 10
				continue
			}
			to := f.moved(step)
			next, err := f.follow(&to, f.commands)
			if err == nil && cost(&to, next) < now {
				fell = now - cost(&to, next)
				f.broyden(j, &to, next)
				f.at, f.run, lambda = to, next, max(lambda/10, 1e-9)
			} else {
				lambda *= 10
			}
		}
		switch {
		case fell >= still*n:
			fresh = false
		case fresh:
			return
		default:
			j, fresh, lambda = f.slopes(), true, 1e-2
		}
	}
}

// broyden corrects derivatives by what a step has done.
func (f *explainFit) broyden(j *mat.Dense, to *Actuator, next *explainRun) {
	steps, square := make([]float64, len(f.used)), 0.0
	for i, u := range f.used {
		steps[i] = knobs[u].steps(&f.at, to)
		square += steps[i] * steps[i]
	}
	if square == 0 {
		return
	}
	for k := range f.run.r {
		over := f.run.r[k] - next.r[k]
		for i, s := range steps {
			over -= j.At(i, k) * s
		}
		for i, s := range steps {
			j.Set(i, k, j.At(i, k)+over*s/square)
		}
	}
}

// slopes are the derivatives of the displacement by steps of the knobs, less their means. An actuator at the edge of
// stability has a derivative to one side alone, or none.
func (f *explainFit) slopes() *mat.Dense {
	m := len(f.used)
	out := mat.NewDense(m, len(f.Command), nil)
	var wait sync.WaitGroup
	for i := range m {
		wait.Go(func() {
			steps := make([]float64, m)
			for _, steps[i] = range []float64{slope, -slope} {
				a := f.moved(steps)
				taken := knobs[f.used[i]].steps(&f.at, &a)
				if taken == 0 {
					continue // a bound
				}
				run, err := f.follow(&a, f.commands)
				if err != nil {
					continue
				}
				row := out.RawRowView(i)
				for k := range row {
					row[k] = (f.run.r[k] - run.r[k]) / taken
				}
				return
			}
		})
	}
	wait.Wait()
	return out
}
