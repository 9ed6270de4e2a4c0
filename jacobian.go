package rths

import (
	"errors"
	"fmt"
	"math"
)

// Jacobian is one tick of a loop linearised about rest: s[k+1] = J s[k], with
// zero ground motion, adaptation frozen at what it has learnt, and no noise,
// quantizer or saturation. Its spectral radius says whether the whole loop
// (numerical part, integrator, compensator, transfer system, specimen, delays)
// is stable: below 1 motion decays. If the loop is Periodic, J spans one period:
// s[k+Ticks] = J s[k], from the start of a period.
type Jacobian struct {
	N     int       // states kept
	Ticks int       // spanned
	J     []float64 // N × N, row-major
	Index []int     // place of each kept state in Loop.AppendState
}

// probe is the size of the probing step of a state. The idealised tick is linear for the
// linear parts, and for others this is close to rest. A state may count 1e10 times as much in
// the displacement (as in a transfer function's state space): where the step moves the actuators
// by more than farProbe, it is made so much smaller that they move by probe. Flusher gives zeros,
// so that nothing is lost in differences.
const (
	probe    = 1e-12
	farProbe = 1e-9 // m

	refusedProbe = 1e-6 // of a step that a part refuses, down to leastProbe
	leastProbe   = 1e-30
)

// Jacobian probes one tick state by state. States no target or command ever
// depends on (filters that serve only adaptation, the generators of noise,
// accelerations of massless coordinates) are left out: they cannot make the
// loop unstable. The loop goes on afterwards as if nothing had happened.
// Every part must be Stateful or without memory.
func (l *Loop) Jacobian() (*Jacobian, error) {
	saved, numbers, frame := l.Checkpoint(), l.copyFrame(), l.frame
	limit, frozen, ideal := l.limit, l.frozen, l.ideal
	l.limit = math.Inf(1)
	l.Freeze(true)
	l.Idealise(true)
	defer func() {
		l.limit = limit
		l.Freeze(frozen)
		l.Idealise(ideal)
		_ = l.Resume(saved) // of this very loop: it fits
		l.frame = frame     // its slices are the same; their values follow
		l.restoreFrame(numbers)
	}()
	return l.probeStates()
}

// probeStates builds the full matrix column by column, with target and command as extra rows.
func (l *Loop) probeStates() (*Jacobian, error) {
	n := len(l.AppendState(nil))
	if n == 0 {
		return nil, errors.New("jacobian: the loop has no states")
	}
	rest := make([]float64, n)
	base, _, err := l.image(nil, rest)
	if err != nil {
		return nil, fmt.Errorf("jacobian: at rest: %w", err)
	}
	rows := len(base) // states, then targets and commands of every tick
	full, image := make([]float64, n*rows), make([]float64, 0, rows)
	for j := range rest {
		step, far := probe, 0.0
		for scaled := false; ; {
			rest[j] = step
			image, far, err = l.image(image[:0], rest)
			if err != nil && step > leastProbe { // so far that a part refuses it
				step *= refusedProbe
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("jacobian: state %d: %w", j, err)
			}
			if !(far > farProbe) || scaled {
				break
			}
			scaled = true
			step *= probe / far
		}
		rest[j] = 0
		column := full[j*rows : (j+1)*rows]
		for i, v := range image {
			column[i] = (v - base[i]) / step
		}
	}
	j := reduce(full, n, rows)
	j.Ticks = l.period()
	return j, nil
}

// period is the number of ticks after which the loop does the same again.
func (l *Loop) period() int {
	if p, ok := As[Periodic](l.c.Integrator); ok {
		return p.Period()
	}
	return 1
}

// image appends to dst the state after a period from s without ground motion, followed by
// targets and commands of its ticks. far is the largest displacement that was measured in them and in the tick after.
func (l *Loop) image(dst, s []float64) (image []float64, far float64, err error) {
	l.SetState(s)
	f := &l.frame
	f.K, f.T, f.Ground = l.k, 0, l.noGround
	period := l.period()
	shown := make([]float64, 0, 2*l.c.Axes*(period+1))
	for k := range period + 1 {
		if k == period {
			dst = append(l.AppendState(dst), shown...)
		}
		if err := l.tick(f); err != nil {
			return nil, 0, err
		}
		for _, x := range f.Read.X {
			far = max(far, math.Abs(x))
		}
		shown = append(append(shown, f.Target.X...), f.Command...)
	}
	return dst, far, nil
}

// reduce keeps the states from which a path leads to an output row.
func reduce(full []float64, n, rows int) *Jacobian {
	seen := make([]bool, n)
	var visit func(row int)
	visit = func(row int) {
		for j := range n {
			if full[j*rows+row] != 0 && !seen[j] {
				seen[j] = true
				visit(j)
			}
		}
	}
	for row := n; row < rows; row++ {
		visit(row)
	}
	out := &Jacobian{}
	for i, keep := range seen {
		if keep {
			out.Index = append(out.Index, i)
		}
	}
	out.N = len(out.Index)
	out.J = make([]float64, 0, out.N*out.N)
	for _, i := range out.Index {
		for _, j := range out.Index {
			out.J = append(out.J, full[j*rows+i])
		}
	}
	return out
}

// copyFrame and restoreFrame keep what the probing ticks overwrite in the frame.
func (l *Loop) copyFrame() []float64 {
	var out []float64
	for _, s := range l.frameVectors() {
		out = append(out, *s...)
	}
	return out
}

func (l *Loop) restoreFrame(saved []float64) {
	for _, s := range l.frameVectors() {
		saved = saved[copy(*s, saved):]
	}
}

func (l *Loop) frameVectors() []*[]float64 {
	vectors := l.frame.Vectors()
	if num := l.frame.Num; num != nil {
		return append(vectors[:], &num.X, &num.V, &num.A)
	}
	return vectors[:]
}
