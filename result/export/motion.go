package export

import (
	"math"
	"slices"

	"rths"
)

// Motion is what a compensator has got in a run: an Observer that keeps samples of it for a self-test.
type Motion struct {
	ticks []tickOf
}

// tickOf is a sample: target and reading.
type tickOf struct {
	target rths.Motion
	read   rths.Reading
}

// mostTicks that are kept: 40 s at 4096 Hz.
const mostTicks = 200_000

// Observe keeps a sample.
func (m *Motion) Observe(f *rths.Frame) {
	if len(m.ticks) == mostTicks || f.Err != nil {
		return
	}
	clone := func(v []float64) []float64 { return append([]float64(nil), v...) }
	m.ticks = append(m.ticks, tickOf{
		rths.Motion{X: clone(f.Target.X), V: clone(f.Target.V), A: clone(f.Target.A)},
		rths.Reading{Motion: rths.Motion{X: clone(f.Read.X), A: clone(f.Read.A)}, F: clone(f.Read.F),
			Age: f.Read.Age, Late: f.Read.Late},
	})
}

// Swing is a motion of a second where there is no run: from rest to the peak (m) and back, twice, and a
// measurement that is 10 ms late.
func (m *Motion) Swing(axes int, rateHz, peak float64) {
	w, a := 4*math.Pi, peak/2
	for k := range int(rateHz) {
		t := float64(k) / rateHz
		in := tickOf{rths.NewMotion(axes), rths.NewReading(axes, axes)}
		in.read.A = make([]float64, axes)
		for i := range axes {
			in.target.X[i], in.target.V[i], in.target.A[i] = a*(1-math.Cos(w*t)), a*w*math.Sin(w*t), a*w*w*math.Cos(w*t)
			late := max(0, t-0.01)
			in.read.X[i], in.read.A[i] = a*(1-math.Cos(w*late)), a*w*w*math.Cos(w*late)
			in.read.F[i] = 1e6 * in.read.X[i]
		}
		m.ticks = append(m.ticks, in)
	}
}

// testTicks is the length of a self-test.
const testTicks = 1000

// largest is the sample of the largest target, and how large it is.
func (m *Motion) largest() (at int, size float64) {
	for k := range m.ticks {
		if x := m.ticks[k].size(); x > size {
			at, size = k, x
		}
	}
	return at, size
}

// size is the largest target of all actuators.
func (t *tickOf) size() (x float64) {
	for _, v := range t.target.X {
		x = max(x, math.Abs(v))
	}
	return x
}

// Peak is the largest displacement of a Swing and of the example, m: 10 mm, or a quarter of a
// short stroke (m; 0: not known).
func Peak(stroke float64) float64 {
	const usual = 0.01
	if stroke == 0 {
		return usual
	}
	return min(usual, stroke/4)
}

// fadeTicks are the samples in which a window begins: the compensator starts at rest, and so must the motion.
const fadeTicks = testTicks * 2 / 5

// faded is the motion times a polynomial that rises from 0 to 1, with zero first and second derivatives at both ends: a
// motion from rest that is no larger. Velocity and acceleration are its derivatives.
func faded(window []tickOf, rateHz float64) []tickOf {
	out := slices.Clone(window)
	length := fadeTicks / rateHz
	for k := range min(fadeTicks, len(out)) {
		s := float64(k) / fadeTicks
		w := s * s * s * (10 + s*(6*s-15))
		dw := 30 * s * s * (s - 1) * (s - 1) / length
		ddw := 60 * s * (s - 1) * (2*s - 1) / (length * length)
		t, in := rths.NewMotion(len(out[k].target.X)), window[k]
		for i, x := range in.target.X {
			v, a := in.target.V[i], in.target.A[i]
			t.X[i], t.V[i], t.A[i] = w*x, w*v+dw*x, w*a+2*dw*v+ddw*x
		}
		out[k].target = t
		out[k].read.X, out[k].read.F = times(w, in.read.X), times(w, in.read.F)
		out[k].read.A = times(w, in.read.A)
	}
	return out
}

func times(w float64, v []float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = w * x
	}
	return out
}

// window are the samples around the largest target, faded in. With limits they are those where the motion begins.
func (m *Motion) window(limits bool, rateHz float64) []tickOf {
	at, largest := m.largest()
	from := at - testTicks/2
	if limits {
		from = slices.IndexFunc(m.ticks, func(t tickOf) bool { return t.size() >= largest/1000 }) - 1
	}
	from = max(0, min(from, len(m.ticks)-testTicks))
	window := m.ticks[from:min(from+testTicks, len(m.ticks))]
	if limits {
		return window
	}
	return faded(window, rateHz)
}

// Vectors are samples of the motion, and the commands of a Go object that starts there, downstream of the limits of the
// source. They are nil without samples.
func (m *Motion) Vectors(s *Source, c rths.Compensator) (*Vectors, error) {
	window := m.window(s.Limits != nil, s.RateHz)
	if len(window) == 0 {
		return nil, nil
	}
	out := &Vectors{}
	for _, t := range window {
		command := make([]float64, s.Axes)
		c.Step(command, &t.target, &t.read)
		out.Inputs = append(out.Inputs, inputs(&t, s))
		out.Commands = append(out.Commands, command)
	}
	if s.Limits == nil {
		return out, nil
	}
	return out, s.Limits.act(window, out.Commands, s.RateHz)
}

// prescribed is a rig of prescribed readings, which keeps the commands.
type prescribed struct {
	at   []tickOf
	k    int
	sent []float64
}

func (p *prescribed) Read(r *rths.Reading) error {
	copy(r.X, p.at[p.k].read.X)
	r.Age = p.at[p.k].read.Age
	p.k++
	return nil
}

func (p *prescribed) Write(command []float64) error {
	copy(p.sent, command)
	return nil
}

// act replaces commands by those that leave the guard of these limits.
func (l *Limits) act(window []tickOf, commands [][]float64, rateHz float64) error {
	axes := len(commands[0])
	p := &prescribed{at: window, sent: make([]float64, axes)}
	g, err := l.guard(p, axes, rateHz)
	if err != nil {
		return err
	}
	read := rths.NewReading(axes, 0)
	for _, command := range commands {
		if err := g.Read(&read); err != nil {
			return err
		}
		if err := g.Write(command); err != nil {
			return err
		}
		copy(command, p.sent)
	}
	return nil
}

// inputs are those of a sample, in the order of the self-test.
func inputs(t *tickOf, s *Source) (out []float64) {
	put := func(v []float64, n int) {
		for i := range n {
			x := 0.0
			if i < len(v) {
				x = v[i]
			}
			out = append(out, x)
		}
	}
	put(t.target.X, s.Axes)
	put(t.target.V, s.Axes)
	put(t.target.A, s.Axes)
	put(t.read.X, s.Axes)
	put(t.read.F, s.Forces)
	if s.Accelerated {
		put(t.read.A, s.Axes)
	}
	late := 0.0
	if t.read.Late {
		late = 1
	}
	return append(out, float64(t.read.Age), late)
}
