package plant

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
	"rths/maths/signal"
)

// system is a linear plant in continuous time, ż = A z + B u, with one row over
// [z; u] for displacement, velocity, acceleration and force of every axis. A
// transfer system by itself has no force.
type system struct {
	a, b         *mat.Dense
	x, v, acc, f [][]float64
}

// inputs is the number of inputs u.
func (s *system) inputs() int { _, m := s.b.Dims(); return m }

// model is the system in state space: displacements, then forces.
func (s *system) model(delays []float64) (Model, error) {
	n, m := s.b.Dims()
	rows := append(append([][]float64(nil), s.x...), s.f...)
	c, d := mat.NewDense(len(rows), n, nil), mat.NewDense(len(rows), m, nil)
	for i, row := range rows {
		c.SetRow(i, row[:n])
		d.SetRow(i, row[n:])
	}
	ss, err := lti.NewSS(s.a, s.b, c, d, 0)
	if err != nil {
		return Model{}, fmt.Errorf("transfer system: %w", err)
	}
	return Model{SS: ss, Delays: delays}, nil
}

// places of the outputs of every axis in Out.
type places struct{ x, v, a, f []int }

// recursion stacks the rows next = [Φ Γ …] of the states, then rows of the outputs that
// are no states, at the end of the sample with the command still held. Columns: states,
// then commands. An output
// c z(t_k+1) + d u_k is over [z_k; u_k; …] the row c [Φ Γ …] + [0 d 0].
func (s *system) recursion(next *mat.Dense) (*lti.Recursion, places, error) {
	nz, nw := next.Dims()
	var rows [][]float64
	for i := range nz {
		rows = append(rows, next.RawRowView(i))
	}
	place := func(list [][]float64) (at []int) {
		for _, c := range list {
			if i := onlyState(c, nz); i >= 0 {
				at = append(at, i)
				continue
			}
			out := make([]float64, nw)
			copy(out[nz:], c[nz:])
			for i := range nz {
				for j := range out {
					out[j] += c[i] * next.At(i, j)
				}
			}
			at, rows = append(at, len(rows)), append(rows, out)
		}
		return at
	}
	p := places{x: place(s.x), v: place(s.v), f: place(s.f), a: place(s.acc)}
	m := mat.NewDense(len(rows), nw, nil)
	for i, row := range rows {
		m.SetRow(i, row)
	}
	return lti.NewRecursion(m, nz), p, finiteNumbers(m)
}

func finiteNumbers(m *mat.Dense) error {
	for _, v := range m.RawMatrix().Data {
		if !rths.Finite(v) {
			return errors.New(
				"transfer system: its numbers are too large or too small to compute with: want time constants and stiffnesses of " +
					"a real actuator")
		}
	}
	return nil
}

// onlyState is the state that a row over [z; u] picks, or −1.
func onlyState(c []float64, nz int) int {
	at := -1
	for i, v := range c {
		switch {
		case v == 0:
		case v == 1 && at < 0 && i < nz:
			at = i
		default:
			return -1
		}
	}
	return at
}

// held is a linear plant of one axis under a held command: [z'; …] = M [z; u],
// with the outputs that are no states below z'. It is exact, so a finer step changes nothing.
type held struct {
	*lti.Recursion
	x, v, a, f int // places in Out
}

// newHeld discretises a system of one axis.
func newHeld(s *system, h float64) (*held, error) {
	next, err := holdOver(s.a, s.b, h)
	if err != nil {
		return nil, err
	}
	r, at, err := s.recursion(next)
	if err != nil {
		return nil, err
	}
	return &held{Recursion: r, x: at.x[0], v: at.v[0], a: at.a[0], f: at.f[0]}, nil
}

// quickest bounds |p| h of the poles p of a plant held over h. The exponential squares
// exp(a h/2ˢ) s = log₂(|p| h) times and loses digits with each: second-order at
// |p| h = 1e5 tracks 7 % worse than the ideal actuator it then is, and at 1e6 diverges.
const quickest = 1e4

// holdOver is [Φ Γ] over h.
func holdOver(a, b *mat.Dense, h float64) (*mat.Dense, error) {
	phi, gamma, err := lti.ZOHInputs(a, b, h)
	if err != nil {
		return nil, fmt.Errorf("transfer system: %w", err)
	}
	var e mat.Eigen
	if !e.Factorize(a, mat.EigenNone) {
		return nil, errors.New("transfer system: its poles are not found: want parameters of an actuator")
	}
	for _, p := range e.Values(nil) {
		if cmplx.Abs(p)*h > quickest {
			return nil, fmt.Errorf("transfer system: a pole of %.3g rad/s, with the specimen, at a step of %.3g s: want at "+
				"most %.3g rad/s; take transfer kind ideal for so quick an actuator, or a softer specimen", cmplx.Abs(p), h,
				quickest/h)
		}
	}
	var next mat.Dense
	next.Augment(phi, gamma)
	return &next, nil
}

func (p *held) Step(now *rths.Reading, command []float64) {
	p.U[0] = command[0]
	p.Recursion.Step()
	p.read(now)
}

func (p *held) read(now *rths.Reading) {
	now.X[0], now.F[0] = p.Out[p.x], p.Out[p.f]
	if len(now.V) > 0 {
		now.V[0] = p.Out[p.v]
	}
	if len(now.A) > 0 {
		now.A[0] = p.Out[p.a]
	}
}

func (p *held) VisitState(v *rths.StateVisitor) { v.Floats(p.State()) }

// heldAxes is held with any number of axes and a pure delay of the commands.
type heldAxes struct {
	*lti.Recursion // inputs: the commands on at the end of the sample, then those before
	past           lines
	at             places
	rates          *lti.Map // [z; u] to velocities and accelerations, of a system without rows for them
	w, r           []float64
}

// newHeldAxes discretises a system with as many inputs as axes. A delay of n
// samples and a part of one splits the sample where the command changes:
//
//	z[k+1] = Φ z[k] + Γ₁ u[k−n−1] + Γ₂ u[k−n]
//
// Γ₂ of a command belongs to the rest of the sample, after the change, and Γ₁ + Γ₂ to the whole
// sample.
func newHeldAxes(s *system, h float64, delays []float64) (*heldAxes, error) {
	past := newLines(delays, h)
	next, err := holdOver(s.a, s.b, h)
	if err != nil {
		return nil, err
	}
	if past.split() {
		if next, err = s.splitAt(past.parts, next, h); err != nil {
			return nil, err
		}
	}
	r, at, err := s.recursion(next)
	if err != nil {
		return nil, err
	}
	p := &heldAxes{Recursion: r, past: past, at: at}
	if len(s.v) == 0 {
		p.rates = s.rates()
		p.w, p.r = make([]float64, s.b.RawMatrix().Rows+s.inputs()), make([]float64, p.rates.Rows())
	}
	return p, nil
}

// splitAt is [Φ Γ₂ Γ₁] from [Φ Γ] of the whole sample, where every command changes after its
// part of the sample.
func (s *system) splitAt(parts []float64, whole *mat.Dense, h float64) (*mat.Dense, error) {
	nz, m := s.b.Dims()
	out := mat.NewDense(nz, nz+2*m, nil)
	out.Slice(0, nz, 0, nz+m).(*mat.Dense).Copy(whole)
	for j, part := range parts {
		if part == 0 {
			continue
		}
		rest, err := holdOver(s.a, s.b, h*(1-part))
		if err != nil {
			return nil, err
		}
		for i := range nz {
			behind := rest.At(i, nz+j)
			out.Set(i, nz+j, behind)
			out.Set(i, nz+m+j, whole.At(i, nz+j)-behind)
		}
	}
	return out, nil
}

// rates are velocities v = c A z and accelerations a = c A² z + c A B u of displacements
// c z that jump neither themselves nor in their velocity with the command: c B = 0.
func (s *system) rates() *lti.Map {
	nz, nu := s.b.Dims()
	n := len(s.x)
	rows := mat.NewDense(2*n, nz+nu, nil)
	for i, c := range s.x {
		var v, a, direct mat.VecDense
		v.MulVec(s.a.T(), mat.NewVecDense(nz, c[:nz]))
		a.MulVec(s.a.T(), &v)
		direct.MulVec(s.b.T(), &v)
		copy(rows.RawRowView(i), v.RawVector().Data)
		copy(rows.RawRowView(n+i), append(a.RawVector().Data, direct.RawVector().Data...))
	}
	return lti.NewMap(rows)
}

func (p *heldAxes) Step(now *rths.Reading, command []float64) {
	p.past.push(command)
	m := len(command)
	p.past.until(1, p.U[:m])
	if len(p.U) > m {
		p.past.until(0, p.U[m:])
	}
	p.Recursion.Step()
	take(now.X, p.Out, p.at.x)
	take(now.F, p.Out, p.at.f)
	if p.rates != nil {
		p.derive(now)
		return
	}
	take(now.V, p.Out, p.at.v)
	take(now.A, p.Out, p.at.a)
}

// derive fills velocity and acceleration at the end of the sample, the command still on,
// where there is room for them.
func (p *heldAxes) derive(now *rths.Reading) {
	if len(now.V)+len(now.A) == 0 {
		return
	}
	copy(p.w[copy(p.w, p.State()):], p.U)
	p.rates.Apply(p.r, p.w)
	n := len(now.X)
	copy(now.V, p.r[:n])
	copy(now.A, p.r[n:2*n])
}

// take fills dst, which may be empty, with the values at some places.
func take(dst, src []float64, at []int) {
	for i := range dst {
		dst[i] = src[at[i]]
	}
}

func (p *heldAxes) VisitState(v *rths.StateVisitor) {
	v.Floats(p.State())
	p.past.VisitState(v)
}

// lines remember the commands of all axes, each for its delay of n samples and a part
// of one.
type lines struct {
	axes  []*signal.Line
	n     []int
	parts []float64 // of a sample; the command changes so late in it
}

// newLines rounds a delay (s) within rounding of whole samples: the number of whole samples
// decides which command acts at the end of a sample.
func newLines(delays []float64, h float64) lines {
	var l lines
	for _, delay := range delays {
		samples := delay / h
		if whole := math.Round(samples); math.Abs(samples-whole) < 1e-9 {
			samples = whole
		}
		n := int(samples)
		part, length := samples-float64(n), n+1
		if part > 0 {
			length++
		}
		l.n, l.parts, l.axes = append(l.n, n), append(l.parts, part), append(l.axes, signal.NewLine(length))
	}
	return l
}

// split reports whether a command changes inside the sample.
func (l *lines) split() bool {
	return slices.ContainsFunc(l.parts, func(part float64) bool { return part > 0 })
}

// changes are the parts of the sample at which commands change, and 1, its end.
func (l *lines) changes() []float64 {
	all := slices.DeleteFunc(slices.Clone(l.parts), func(part float64) bool { return part == 0 })
	slices.Sort(all)
	return slices.Compact(append(all, 1))
}

func (l *lines) push(command []float64) {
	for i, line := range l.axes {
		line.Push(command[i])
	}
}

// until are the commands that act just before a part of the sample: at its end for part 1.
func (l *lines) until(part float64, u []float64) {
	for i, line := range l.axes {
		n := l.n[i]
		if part <= l.parts[i] && l.parts[i] > 0 {
			n++ // the command before
		}
		u[i] = line.At(n)
	}
}

func (l *lines) VisitState(v *rths.StateVisitor) {
	for _, line := range l.axes {
		v.State(line)
	}
}
