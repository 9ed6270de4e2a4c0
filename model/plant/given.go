package plant

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
)

// GivenTF is a transfer system identified or given as a transfer function,
// stiff against any specimen:
//
//	x/u = e^{−sτ} (b₀ sᵐ + b₁ sᵐ⁻¹ + …)/(a₀ sⁿ + a₁ sⁿ⁻¹ + …)
//
// The system must be stable and proper, m ≤ n. The delay τ (s) acts on commands and need
// not be whole samples. A held command makes the velocity jump where m = n − 1 and the
// displacement jump where m = n; velocity, acceleration and force leave the jump out.
// Where the specimen acts back on the actuator, use silva2020 instead.
type GivenTF struct {
	Num     []float64 `yaml:"num" doc:"numerator, descending powers of s"`
	Den     []float64 `yaml:"den" doc:"denominator, descending powers of s"`
	DelayMs float64   `yaml:"delay_ms" doc:"pure delay of the command, ms"`
	Rating  `yaml:",inline"`
}

// Make makes the plant; the specimen follows the displacement.
func (p *GivenTF) Make(at At) (Plant, error) { return makeStiff(p, at) }

// Model is the plant with a linear specimen, or without.
func (p *GivenTF) Model(specimen Specimen) (Model, error) { return modelStiff(p, specimen) }

// BareInverse has the first n coefficients of e^{sτ}/G(s) in powers of s.
func (p *GivenTF) BareInverse(n int) ([]float64, error) {
	g, err := givenTF("tf", p.Num, p.Den)
	if err != nil {
		return nil, err
	}
	return inverseBehind(g, p.DelayMs/1e3, n)
}

func (p *GivenTF) stiff() (*stiff, error) {
	g, err := givenTF("tf", p.Num, p.Den)
	if err != nil {
		return nil, err
	}
	return stiffTF("tf", g, p.DelayMs/1e3)
}

// GivenZPK is GivenTF with zeros, poles and gain:
//
//	x/u = e^{−sτ} gain Π (s − zᵢ)/Π (s − pᵢ)
type GivenZPK struct {
	Zeros   [][]float64 `yaml:"zeros" doc:"zeros [re, im], rad/s, complex ones with their conjugates; [] for none"`
	Poles   [][]float64 `yaml:"poles" doc:"poles [re, im], rad/s, complex ones with their conjugates"`
	Gain    float64     `yaml:"gain" doc:"factor before the products (not the static gain), (rad/s)^(poles − zeros)"`
	DelayMs float64     `yaml:"delay_ms" doc:"pure delay of the command, ms"`
	Rating  `yaml:",inline"`
}

// Make makes the plant; the specimen follows the displacement.
func (p *GivenZPK) Make(at At) (Plant, error) { return makeStiff(p, at) }

// Model is the plant with a linear specimen, or without.
func (p *GivenZPK) Model(specimen Specimen) (Model, error) { return modelStiff(p, specimen) }

// BareInverse has the first n coefficients of e^{sτ}/G(s) in powers of s.
func (p *GivenZPK) BareInverse(n int) ([]float64, error) {
	g, err := p.transfer()
	if err != nil {
		return nil, err
	}
	return inverseBehind(g, p.DelayMs/1e3, n)
}

func (p *GivenZPK) stiff() (*stiff, error) {
	g, err := p.transfer()
	if err != nil {
		return nil, err
	}
	return stiffTF("zpk", g, p.DelayMs/1e3)
}

func (p *GivenZPK) transfer() (lti.TF, error) {
	num, err := fromRoots("zero", p.Zeros)
	if err != nil {
		return lti.TF{}, err
	}
	den, err := fromRoots("pole", p.Poles)
	if err != nil {
		return lti.TF{}, err
	}
	return givenTF("zpk", lti.PolyMul([]float64{p.Gain}, num), den)
}

// fromRoots is the monic polynomial with the roots [re, im]: a factor s − re for
// each real one, and s² − 2 re s + re² + im² for each with im > 0, beside which
// its conjugate must stand.
func fromRoots(what string, roots [][]float64) ([]float64, error) {
	p, open := []float64{1}, map[[2]float64]int{}
	for i, r := range roots {
		if len(r) != 2 || !rths.Finite(r[0]+r[1]) {
			return nil, fmt.Errorf("zpk transfer system: %s %d is %v: want [re, im], two finite numbers", what, i+1, r)
		}
		switch re, im := r[0], r[1]; {
		case im == 0:
			p = lti.PolyMul(p, []float64{1, -re})
		case im > 0:
			p = lti.PolyMul(p, []float64{1, -2 * re, re*re + im*im})
			open[[2]float64{re, im}]++
		default:
			open[[2]float64{re, -im}]--
		}
	}
	for i, r := range roots {
		if open[[2]float64{r[0], math.Abs(r[1])}] != 0 {
			return nil, fmt.Errorf("zpk transfer system: %s %d, %s rad/s, has no conjugate: want %s beside it", what, i+1,
				lti.PoleText(complex(r[0], r[1])), lti.PoleText(complex(r[0], -r[1])))
		}
	}
	return p, nil
}

// GivenSS is a transfer system given in state space, stiff against any specimen:
//
//	ż = A z + B u(t − τ),  x = C z + D u(t − τ)
//
// with one command and one displacement for each axis; on every axis stands a
// specimen of the same kind.
type GivenSS struct {
	A       [][]float64 `yaml:"a" doc:"A, rows of n×n"`
	B       [][]float64 `yaml:"b" doc:"B, rows of n×axes"`
	C       [][]float64 `yaml:"c" doc:"C, rows of axes×n"`
	D       [][]float64 `yaml:"d" doc:"D, rows of axes×axes; [] for zeros"`
	DelayMs float64     `yaml:"delay_ms" doc:"pure delay of all commands, ms"`
	Rating  `yaml:",inline"`
}

// Make makes the plant; each specimen follows the displacement of its axis.
func (p *GivenSS) Make(at At) (Plant, error) { return makeStiff(p, at) }

// Model is the plant with a linear specimen on each axis, or without.
func (p *GivenSS) Model(specimen Specimen) (Model, error) { return modelStiff(p, specimen) }

// Axes is the number of commands and displacements.
func (p *GivenSS) Axes() int { return len(p.C) }

// BareInverse has the first n coefficients of e^{sτ}/G(s), for one axis, from the moments
// G = D − C A⁻¹ B − C A⁻² B s − ….
func (p *GivenSS) BareInverse(n int) ([]float64, error) {
	ss, err := p.ss()
	if err != nil {
		return nil, err
	}
	if p.Axes() != 1 {
		return nil, fmt.Errorf("inverse series of %d axes: want one", p.Axes())
	}
	moments := make([]float64, max(n, 1)) // in descending powers
	moments[len(moments)-1] = ss.D.At(0, 0)
	z := mat.VecDenseCopyOf(ss.B.ColView(0))
	for i := len(moments) - 1; i >= 0; i-- {
		next := new(mat.VecDense)
		if err := next.SolveVec(ss.A, z); err != nil && !conditioned(err) {
			return nil, fmt.Errorf("inverse series: %w", err)
		}
		moments[i] -= mat.Dot(ss.C.RowView(0), next)
		z = next
	}
	g, err := lti.NewTF(moments, []float64{1}, 0)
	if err != nil {
		return nil, fmt.Errorf("inverse series: %w", err)
	}
	return inverseBehind(g, p.DelayMs/1e3, n)
}

// conditioned reports a warning about badly scaled equations: the solution exists, and
// callers check it.
func conditioned(err error) bool { _, ok := err.(mat.Condition); return ok }

func (p *GivenSS) stiff() (*stiff, error) {
	ss, err := p.ss()
	if err != nil {
		return nil, err
	}
	return newStiff("ss", ss, p.DelayMs/1e3), nil
}

// ss checks shapes and poles.
func (p *GivenSS) ss() (ss lti.SS, err error) {
	n, axes := len(p.A), len(p.C)
	if n < 1 || n > largestOrder || axes < 1 || axes > largestOrder {
		return ss, fmt.Errorf("ss transfer system: a of %d rows, c of %d: want 1 to %d states and axes", n, axes,
			largestOrder)
	}
	d := p.D
	if len(d) == 0 {
		d = make([][]float64, axes)
		for i := range d {
			d[i] = make([]float64, axes)
		}
	}
	for _, m := range []struct {
		name       string
		rows       [][]float64
		to         **mat.Dense
		high, wide int
	}{{"a", p.A, &ss.A, n, n}, {"b", p.B, &ss.B, n, axes}, {"c", p.C, &ss.C, axes, n}, {"d", d, &ss.D, axes, axes}} {
		if *m.to, err = givenMatrix(m.name, m.rows, m.high, m.wide); err != nil {
			return ss, fmt.Errorf("ss transfer system: %w (%d states and %d axes, as a and c have rows)", err, n, axes)
		}
	}
	poles, err := ss.Poles()
	if err != nil {
		return ss, fmt.Errorf("ss transfer system: %w", err)
	}
	return ss, checkPoles("ss", poles)
}

func givenMatrix(name string, rows [][]float64, high, wide int) (*mat.Dense, error) {
	if len(rows) != high {
		return nil, fmt.Errorf("%s has %d rows: want %d", name, len(rows), high)
	}
	m := mat.NewDense(high, wide, nil)
	for i, row := range rows {
		if len(row) != wide {
			return nil, fmt.Errorf("row %d of %s has %d numbers: want %d", i+1, name, len(row), wide)
		}
		for _, v := range row {
			if !rths.Finite(v) {
				return nil, fmt.Errorf("row %d of %s holds %g: want finite numbers", i+1, name, v)
			}
		}
		m.SetRow(i, row)
	}
	return m, nil
}

// largestOrder of a given system: polynomials above lose accuracy.
const largestOrder = 12

// givenTF checks a transfer function: proper, stable and not zero.
func givenTF(name string, num, den []float64) (lti.TF, error) {
	g, err := lti.NewTF(num, den, 0)
	if err != nil {
		return lti.TF{}, fmt.Errorf("%s transfer system: %w", name, err)
	}
	m, n := len(g.Num)-1, len(g.Den)-1
	switch {
	case n > largestOrder:
		return lti.TF{}, fmt.Errorf("%s transfer system: denominator of order %d: want at most %d", name, n, largestOrder)
	case m > n:
		return lti.TF{},
			fmt.Errorf("%s transfer system: improper, numerator of order %d over denominator of order %d: want at most %d", name,
				m, n, n)
	case g.Num[0] == 0:
		return lti.TF{}, fmt.Errorf("%s transfer system: the numerator is zero: want a displacement", name)
	}
	poles, err := g.Poles()
	if err != nil {
		return lti.TF{}, fmt.Errorf("%s transfer system: %w", name, err)
	}
	return g, checkPoles(name, poles)
}

func checkPoles(name string, poles []complex128) error {
	for _, p := range poles {
		if !(real(p) < 0) {
			return fmt.Errorf("%s transfer system: unstable, a pole at %s rad/s: want negative real parts", name,
				lti.PoleText(p))
		}
	}
	return nil
}

func stiffTF(name string, g lti.TF, delay float64) (*stiff, error) {
	ss, err := g.SS()
	if err != nil {
		return nil, fmt.Errorf("%s transfer system: %w", name, err)
	}
	return newStiff(name, ss, delay), nil
}

// inverseBehind is the first n coefficients of e^{sτ}/G.
func inverseBehind(g lti.TF, tau float64, n int) ([]float64, error) {
	c, err := g.InverseSeries(n)
	if err != nil {
		return nil, err
	}
	ahead := advance(tau, n)
	out := make([]float64, n)
	for i := range out {
		for j := range i + 1 {
			out[i] += ahead[j] * c[i-j]
		}
	}
	return out, nil
}
