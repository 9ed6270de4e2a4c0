package compensate

import (
	"fmt"
	"math/cmplx"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
	"rths/maths/signal"
)

// Linear compensators from numbers. Systems in s are Tustin-discretised at the loop's
// rate; systems in z are for one rate only.

// TF is a transfer function from target to command.
type TF struct {
	Domain string    `yaml:"domain" doc:"s: continuous, Tustin-discretised; z: discrete, at the loop's rate"`
	Num    []float64 `yaml:"num" doc:"numerator in descending powers"`
	Den    []float64 `yaml:"den" doc:"denominator in descending powers, of at least the numerator's order"`
}

// Make checks and discretises it.
func (p *TF) Make(at At) (rths.Compensator, error) {
	dt, err := sampleTime("tf", p.Domain, at)
	if err != nil {
		return nil, err
	}
	g, err := lti.NewTF(p.Num, p.Den, dt)
	if err != nil {
		return nil, fmt.Errorf("tf: %w", err)
	}
	m, n := len(g.Num)-1, len(g.Den)-1
	switch {
	case m > n:
		return nil, improper("tf", m, n)
	case n > largestOrder:
		return nil, fmt.Errorf("tf: denominator of order %d: want at most %d", n, largestOrder)
	}
	ss, err := g.SS()
	if err != nil {
		return nil, fmt.Errorf("tf: %w", err)
	}
	return newLinear("tf", ss, at)
}

// largestOrder of a given system: polynomials above lose accuracy.
const largestOrder = 12

func improper(name string, m, n int) error {
	return fmt.Errorf(
		"%s: improper, numerator of order %d over denominator of order %d: want at most %d; add poles above the band", name,
		m, n, n)
}

// ZPK is a transfer function from target to command by its roots.
type ZPK struct {
	Domain string      `yaml:"domain" doc:"s: continuous (rad/s), Tustin-discretised; z: discrete, at the loop's rate"`
	Zeros  [][]float64 `yaml:"zeros,omitempty" doc:"zeros, each [re, im]; complex ones in pairs"`

	Poles [][]float64 `yaml:"poles,omitempty" doc:"poles, each [re, im]; complex ones in pairs; at least as many as zeros"`
	Gain  float64     `yaml:"gain" doc:"factor of the highest powers, not the static gain"`
}

// Make checks and discretises it.
func (p *ZPK) Make(at At) (rths.Compensator, error) {
	dt, err := sampleTime("zpk", p.Domain, at)
	if err != nil {
		return nil, err
	}
	zeros, err := roots("zeros", p.Zeros)
	if err != nil {
		return nil, err
	}
	poles, err := roots("poles", p.Poles)
	if err != nil {
		return nil, err
	}
	g, err := lti.NewZPK(zeros, poles, p.Gain, dt)
	switch {
	case err != nil:
		return nil, fmt.Errorf("zpk: %w", err)
	case len(zeros) > len(poles):
		return nil, improper("zpk", len(zeros), len(poles))
	case len(poles) > largestOrder:
		return nil, fmt.Errorf("zpk: %d poles: want at most %d", len(poles), largestOrder)
	}
	ss, err := g.SS()
	if err != nil {
		return nil, fmt.Errorf("zpk: %w", err)
	}
	return newLinear("zpk", ss, at)
}

func roots(name string, pairs [][]float64) ([]complex128, error) {
	var out []complex128
	for i, p := range pairs {
		if len(p) != 2 {
			return nil, fmt.Errorf("zpk: number %d of %s has %d numbers: want two, [re, im]", i+1, name, len(p))
		}
		out = append(out, complex(p[0], p[1]))
	}
	return out, nil
}

// SS is a system in state space with the target, or target and measured
// displacement, as inputs and the command as output.
type SS struct {
	Domain string      `yaml:"domain" doc:"s: continuous, Tustin-discretised; z: discrete, at the loop's rate"`
	A      [][]float64 `yaml:"a,omitempty" doc:"state matrix by rows; left out: no states"`
	B      [][]float64 `yaml:"b,omitempty" doc:"input matrix by rows, one column (target) or two (target, measured displacement)"`
	C      [][]float64 `yaml:"c,omitempty" doc:"output matrix, one row"`
	D      [][]float64 `yaml:"d" doc:"feedthrough, one row of one number per input"`
}

// Make checks and discretises it.
func (p *SS) Make(at At) (rths.Compensator, error) {
	dt, err := sampleTime("ss", p.Domain, at)
	if err != nil {
		return nil, err
	}
	if len(p.D) != 1 || len(p.D[0]) < 1 || len(p.D[0]) > 2 {
		return nil, fmt.Errorf("ss: d %v: want one row of one number (target) or two (target, measured)", p.D)
	}
	n, inputs := len(p.A), len(p.D[0])
	if n > largestOrder {
		return nil, fmt.Errorf("ss: %d states: want at most %d", n, largestOrder)
	}
	rows := 0
	if n > 0 {
		rows = 1
	}
	for _, m := range []struct {
		name          string
		v             [][]float64
		high, wide    int
		wantedBecause string
	}{{"a", p.A, n, n, "as a has rows"}, {"b", p.B, n, inputs, "as a and d say"},
		{"c", p.C, rows, n, "as a has columns"}} {
		if len(m.v) != m.high {
			return nil, fmt.Errorf("ss: %s has %d rows: want %d, %s", m.name, len(m.v), m.high, m.wantedBecause)
		}
		for i, row := range m.v {
			if len(row) != m.wide {
				return nil, fmt.Errorf("ss: row %d of %s has %d numbers: want %d, %s", i+1, m.name, len(row), m.wide,
					m.wantedBecause)
			}
		}
	}
	d := mat.NewDense(1, inputs, append([]float64(nil), p.D[0]...))
	if n == 0 {
		return newLinear("ss", lti.SS{A: new(mat.Dense), B: new(mat.Dense), C: new(mat.Dense), D: d, Dt: dt}, at)
	}
	ss, err := lti.NewSS(dense(p.A), dense(p.B), dense(p.C), d, dt)
	if err != nil {
		return nil, fmt.Errorf("ss: %w", err)
	}
	return newLinear("ss", ss, at)
}

func dense(rows [][]float64) *mat.Dense {
	m := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		m.SetRow(i, row)
	}
	return m
}

// FIR is a weighted sum of past targets.
type FIR struct {
	Coefficients []float64 `yaml:"coefficients" doc:"weights of the targets, newest first"`
	Spacing      int       `yaml:"spacing" doc:"distance of the targets, samples"`
}

// Make checks the weights.
func (p *FIR) Make(At) (rths.Compensator, error) {
	if n := len(p.Coefficients); n < 1 || n > 1e4 {
		return nil, fmt.Errorf("fir: %d coefficients: want 1 to 10000", n)
	}
	for _, c := range p.Coefficients {
		if !rths.Finite(c) {
			return nil, fmt.Errorf("fir: a coefficient of %g: want finite numbers", c)
		}
	}
	if p.Spacing < 1 || p.Spacing > 1e5 {
		return nil, fmt.Errorf("fir: spacing %d samples: want 1 to 100000", p.Spacing)
	}
	return newTaps(append([]float64(nil), p.Coefficients...), p.Spacing), nil
}

// sampleTime is 0 for the domain s, the loop's sample for z.
func sampleTime(name, domain string, at At) (float64, error) {
	switch domain {
	case "s":
		return 0, nil
	case "z":
		return 1 / at.RateHz, nil
	}
	return 0, fmt.Errorf("%s: domain %q: want s or z", name, domain)
}

// newLinear makes the compensator of a system, discretised if it is continuous.
// One on the target alone has to be stable; one with feedback may integrate.
func newLinear(name string, ss lti.SS, at At) (rths.Compensator, error) {
	n, inputs := 0, 1
	if _, inputs = ss.D.Dims(); !ss.A.IsEmpty() {
		n, _ = ss.A.Dims()
	}
	c := &linear{n: n, inputs: inputs}
	if n > 0 {
		if err := checkStable(name, ss, inputs == 2); err != nil {
			return nil, err
		}
		if ss.Dt == 0 {
			var err error
			if ss, err = lti.C2D(ss, 1/at.RateHz, lti.Tustin); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	m := mat.NewDense(n+1, n+inputs, nil)
	if n > 0 {
		m.Slice(0, n, 0, n).(*mat.Dense).Copy(ss.A)
		m.Slice(0, n, n, n+inputs).(*mat.Dense).Copy(ss.B)
		m.Slice(n, n+1, 0, n).(*mat.Dense).Copy(ss.C)
	}
	m.Slice(n, n+1, n, n+inputs).(*mat.Dense).Copy(ss.D)
	for _, v := range m.RawMatrix().Data {
		if !rths.Finite(v) {
			return nil, fmt.Errorf("%s: holds %g: want finite numbers", name, v)
		}
	}
	c.m = lti.NewPlainMap(m)
	c.w, c.y = make([]float64, n+inputs), make([]float64, c.m.Rows())
	return c, nil
}

// checkStable wants all poles inside the stable region; integrating allows those
// on its edge.
func checkStable(name string, ss lti.SS, integrating bool) error {
	poles, err := ss.Poles()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, p := range poles {
		out := real(p) // how far outside
		if ss.Dt > 0 {
			out = cmplx.Abs(p) - 1
		}
		if out > 0 || out == 0 && !integrating {
			where := " rad/s: want all in the left half plane"
			if ss.Dt > 0 {
				where = ": want all inside the unit circle"
			}
			return fmt.Errorf("%s: unstable, a pole at %s%s", name, lti.PoleText(p), where)
		}
	}
	return nil
}

// linear is [z'; u] = M [z; d; x_m].
type linear struct {
	n, inputs int
	m         *lti.Map
	w, y      []float64
	xm, out   signal.Sane
}

func (c *linear) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	if c.inputs == 2 {
		c.w[c.n+1] = c.xm.Of(read.X[0])
	}
	command[0] = c.of(target.X[0])
}

// of is the output for the first input.
func (c *linear) of(d float64) float64 {
	c.w[c.n] = d
	c.m.Apply(c.y, c.w)
	for i := range c.n {
		c.w[i] = c.y[i]
	}
	return c.out.Of(c.y[c.n])
}

func (c *linear) VisitState(v *rths.StateVisitor) {
	v.Floats(c.w[:c.n])
	v.State(&c.xm, &c.out)
}
