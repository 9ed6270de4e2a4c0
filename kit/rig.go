package kit

import (
	"math"

	"rths"
)

// Rig is a rig under test: a virtual one, or what is put around it. Every tick is one
// Read and one Write.
type Rig struct {
	Axes, Forces   int
	Accelerometers int // Axes, or 0
	Ticks          int // how long to run it; 0: Ticks
	Size           float64
	RateHz         float64
	Make           func() rths.Rig
}

// NeedsNoTruth is the name of a promise of rigs.
const NeedsNoTruth = "the measured values are the same in a reading without true values"

// part: the inputs are the command; the outputs X, F, TrueX, TrueF, A, TrueA and the age of
// the reading before it, and 1 where an error came. Without truth the true ones stay as they are.
func (c *Rig) part(truth bool) *part {
	made := c.Make()
	return &part{made, func(command, out []float64) func() {
		n, m := c.Axes, c.Forces
		read := rths.Reading{Motion: rths.Motion{X: out[:n:n]}, F: out[n : n+m : n+m], TrueX: out[n+m : 2*n+m : 2*n+m],
			TrueF: out[2*n+m : 2*n+2*m : 2*n+2*m]}
		tail, a := out[2*n+2*m:], c.Accelerometers
		read.A, read.TrueA, tail = tail[:a:a], tail[a:2*a:2*a], tail[2*a:]
		if !truth {
			read = read.WithoutTruth()
		}
		return func() {
			read.Age = 0
			first := made.Read(&read)
			second := made.Write(command)
			tail[0], tail[1] = float64(read.Age), 0
			if first != nil || second != nil {
				tail[1] = 1
			}
		}
	}}
}

// Broken are the promises that it breaks.
func (c *Rig) Broken() []Broken {
	ticks := length(c.Ticks)
	commands := &Plant{Axes: c.Axes, Size: c.Size, RateHz: c.RateHz}
	s := &script{fresh: func() *part { return c.part(true) }, ins: c.Axes, outs: 2*(c.Axes+c.Forces+c.Accelerometers) + 2,
		given: commands.commands(ticks)}
	r := s.shared()
	if s.erratic {
		return r
	}
	idealBack(&r, s)
	c.withoutTruth(&r, s)
	return r
}

// withoutTruth compares what is measured with and without room for true values.
func (c *Rig) withoutTruth(r *report, s *script) {
	from := 2 * (c.Axes + c.Forces) // of A
	to := from + c.Accelerometers
	s.run(c.part(false), 0, s.ticks(), func(k int, _, out []float64) bool {
		want, n := s.answer(k), c.Axes+c.Forces
		same := sameBits(out[:n], want[:n]) && sameBits(out[from:to], want[from:to]) &&
			sameBits(out[to+c.Accelerometers:], want[to+c.Accelerometers:])
		if !same {
			r.add(NeedsNoTruth, "tick %d: %g: want %g but for the true values", k, out, want)
		}
		return same
	})
}

// Coupler are the promises that a coupler breaks which joins as many actuators to as
// many coordinates of the interface. size is the largest motion, m and rad.
func Coupler(axes, forces int, size float64, made func() rths.Coupler) []Broken {
	s := &script{ins: 3*axes + forces, outs: 4*axes + forces}
	s.fresh = func() *part { return couplerPart(made(), axes) }
	for k := range Ticks {
		for i := range s.ins {
			s.given = append(s.given, size*math.Sin(float64(k)*0.01*float64(i+1)))
		}
	}
	r := s.shared()
	if s.erratic {
		return r
	}
	s.still(&r, 1)
	for k := range Ticks {
		in, out := s.input(k), s.answer(k)
		for i := range axes {
			if back := out[3*axes+i]; !(math.Abs(back-in[i]) <= 1e-12*max(size, 1)) {
				r.add(ThereBack, "coordinate %d is %g: want %g", i+1, back, in[i])
				return r
			}
		}
	}
	return r
}

// couplerPart: the inputs are X, V, A of the interface, then the forces; the outputs X, V,
// A of the actuators, then what Interface makes of their X and of the forces.
func couplerPart(c rths.Coupler, n int) *part {
	return &part{c, func(in, out []float64) func() {
		view := func(s []float64, i int) []float64 { return s[i*n : (i+1)*n : (i+1)*n] }
		iface := rths.Motion{X: view(in, 0), V: view(in, 1), A: view(in, 2)}
		axes := rths.Motion{X: view(out, 0), V: view(out, 1), A: view(out, 2)}
		read := rths.Reading{Motion: rths.Motion{X: make([]float64, n)}, F: in[3*n:]}
		felt := rths.Reading{Motion: rths.Motion{X: view(out, 3)}, F: out[4*n:]}
		return func() {
			c.Axes(&axes, &iface)
			copy(read.X, axes.X)
			c.Interface(&felt, &read)
		}
	}}
}
