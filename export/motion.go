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
		rths.Reading{Motion: rths.Motion{X: clone(f.Read.X)}, F: clone(f.Read.F), Age: f.Read.Age, Late: f.Read.Late},
	})
}

// Sine is a motion of a second where there is no run: 10 mm at 2 Hz, and a measurement that is 10 ms late.
func (m *Motion) Sine(axes int, rateHz float64) {
	w := 4 * math.Pi
	for k := range int(rateHz) {
		t := float64(k) / rateHz
		in := tickOf{rths.NewMotion(axes), rths.NewReading(axes, axes)}
		for i := range axes {
			in.target.X[i], in.target.V[i], in.target.A[i] = 0.01*math.Sin(w*t), 0.01*w*math.Cos(w*t), -0.01*w*w*math.Sin(w*t)
			in.read.X[i] = 0.01 * math.Sin(w*(t-0.01))
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

// window are the samples around the largest target. Behind limits they are those where the motion begins: a start in its middle is a jump.
func (m *Motion) window(limits bool) []tickOf {
	at, largest := m.largest()
	from := at - testTicks/2
	if limits {
		from = slices.IndexFunc(m.ticks, func(t tickOf) bool { return t.size() >= largest/1000 }) - 1
	}
	from = max(0, min(from, len(m.ticks)-testTicks))
	return m.ticks[from:min(from+testTicks, len(m.ticks))]
}

// Vectors are samples of the motion, and the commands of a Go object that starts there, behind the limits of the source.
// nil without samples.
func (m *Motion) Vectors(s *Source, c rths.Compensator) (*Vectors, error) {
	window := m.window(s.Limits != nil)
	if len(window) == 0 {
		return nil, nil
	}
	out := &Vectors{}
	for _, t := range window {
		command := make([]float64, s.Axes)
		c.Step(command, &t.target, &t.read)
		out.Inputs = append(out.Inputs, inputs(&t, s.Axes, s.Forces))
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
func inputs(t *tickOf, axes, forces int) (out []float64) {
	put := func(v []float64, n int) {
		for i := range n {
			x := 0.0
			if i < len(v) {
				x = v[i]
			}
			out = append(out, x)
		}
	}
	put(t.target.X, axes)
	put(t.target.V, axes)
	put(t.target.A, axes)
	put(t.read.X, axes)
	put(t.read.F, forces)
	late := 0.0
	if t.read.Late {
		late = 1
	}
	return append(out, float64(t.read.Age), late)
}
