package kit

import (
	"math/rand/v2"
	"slices"

	"rths"
)

// Names of the promises of integrators.
const (
	ForceOnly    = "of what is felt a step uses the force only"
	RatesAside   = "a step without rates gives the same displacements"
	OneDirection = "Closing and Period stay as they are"
)

// Integrator is an integrator under test.
type Integrator struct {
	Actions   int  // components of the ground acceleration
	Interface int  // coordinates of the interface
	Ticks     int  // how long to run it; 0: Ticks
	FeelsX    bool // its step uses the displacement felt too
	FeelsAge  bool // and the age of what is felt
	Moves     bool // it moves by itself, without ground and force
	Make      func() rths.Integrator
}

func (c *Integrator) ins() int { return 3*c.Actions + 6*c.Interface + 1 }

// part: the inputs are the ground's window, then felt F, X, V, A, TrueX, TrueF and the age.
// The outputs are X, V and A of the target, the corrected force, if there is one, then X, V
// and A of the shown state.
func (c *Integrator) part() *part {
	made := c.Make()
	show, _ := rths.As[rths.NumericalState](made)
	corrected := correctedBy(made)
	return &part{made, func(in, out []float64) func() {
		n, g := c.Interface, 3*c.Actions
		view := func(s []float64, i int) []float64 { return s[i*n : (i+1)*n : (i+1)*n] }
		target := rths.Motion{X: view(out, 0), V: view(out, 1), A: view(out, 2)}
		f := in[g:]
		felt := rths.Reading{F: view(f, 0), Motion: rths.Motion{X: view(f, 1), V: view(f, 2), A: view(f, 3)},
			TrueX: view(f, 4), TrueF: view(f, 5)}
		derive, _ := rths.As[rths.Deriver](made)
		return func() {
			felt.Age = int(in[len(in)-1])
			made.Step(&target, in[:g:g], &felt)
			if derive != nil {
				derive.Derive(&target)
			}
			shown := out[3*n:]
			shown = shown[copy(shown, corrected):]
			if show != nil {
				for _, s := range [3][]float64{show.State().X, show.State().V, show.State().A} {
					shown = shown[copy(shown, s):]
				}
			}
		}
	}}
}

// outs: what the state shows has as many numbers as it has after a first step.
func (c *Integrator) outs() int {
	made, n := c.Make(), 3*c.Interface
	target, felt := rths.NewMotion(c.Interface), rths.NewReading(c.Interface, c.Interface)
	made.Step(&target, make([]float64, 3*c.Actions), &felt)
	n += len(correctedBy(made))
	if show, ok := rths.As[rths.NumericalState](made); ok {
		n += len(show.State().X) + len(show.State().V) + len(show.State().A)
	}
	return n
}

// correctedBy is the force that an integrator corrects, nil of any other.
func correctedBy(made rths.Integrator) []float64 {
	if c, ok := rths.As[rths.ForceCorrector](made); ok {
		return c.Corrected()
	}
	return nil
}

// Broken are the promises that it breaks.
func (c *Integrator) Broken() []Broken {
	ticks := length(c.Ticks)
	s := &script{fresh: c.part, ins: c.ins(), outs: c.outs(), given: shaking(c.ins(), ticks)}
	r := s.shared()
	if s.erratic {
		return r
	}
	if !c.Moves {
		s.still(&r, ticks/4)
	}
	from := 3*c.Actions + c.Interface
	if c.FeelsX {
		from += c.Interface
	}
	var others []int
	to := c.ins()
	if c.FeelsAge {
		to-- // it is the last
	}
	for i := from; i < to; i++ {
		others = append(others, i)
	}
	s.blind(&r, ForceOnly, others...)
	c.underived(&r, s)
	c.directed(&r, s)
	return r
}

// shaking is a script of n numbers in a tick: noise, with rest, blows of a thousand times
// its size and a stretch that stays as it is.
func shaking(n, ticks int) []float64 {
	given, r := make([]float64, n*ticks), rand.New(rand.NewPCG(1, uint64(n)))
	for k := range ticks {
		row := given[k*n : (k+1)*n]
		for i := range row[:n-1] {
			row[i] = float64(1+9*i) * r.NormFloat64()
			switch at := float64(k) / float64(ticks); {
			case at > 0.25 && at < 0.3:
				row[i] = 0
			case at > 0.5 && at < 0.51:
				row[i] *= 1e3
			case at > 0.7 && at < 0.75:
				row[i] = given[(k-1)*n+i]
			}
		}
	}
	return given
}

// underived: a loop that needs no rates gets the same displacements.
func (c *Integrator) underived(r *report, s *script) {
	made := c.Make()
	target, felt := rths.NewMotion(c.Interface), rths.NewReading(c.Interface, c.Interface)
	g := 3 * c.Actions
	for k := range s.ticks() / 4 {
		in := s.input(k)
		copy(felt.F, in[g:])
		copy(felt.X, in[g+c.Interface:])
		made.Step(&target, in[:g:g], &felt)
		if !sameBits(target.X, s.answer(k)[:c.Interface]) {
			r.add(RatesAside, "tick %d: %g: want %g", k, target.X, s.answer(k)[:c.Interface])
			return
		}
	}
}

// directed: which way a step leads, and how often it repeats, is settled when it is made.
func (c *Integrator) directed(r *report, s *script) {
	p := c.part()
	in := p.self.(rths.Integrator)
	closing, periods := in.Closing(), []int{}
	period, ok := rths.As[rths.Periodic](p.self)
	s.run(p, 0, s.ticks()/4, func(k int, _, _ []float64) bool {
		if in.Closing() != closing {
			r.add(OneDirection, "tick %d: Closing is %t: want %t", k, in.Closing(), closing)
			return false
		}
		if ok {
			periods = append(periods, period.Period())
		}
		return true
	})
	if ok && (periods[0] < 1 || len(slices.Compact(periods)) != 1) {
		r.add(OneDirection, "periods %d: want one, 1 or more", slices.Compact(periods))
	}
}
