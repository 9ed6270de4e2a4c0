package structure

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rths/maths/lti"
)

// Damping says how a structure is damped: exactly one of modal, rayleigh and
// matrix, or none of them for an undamped structure.
type Damping struct {
	ModalRatio []float64 `yaml:"modal_ratio,omitempty" doc:"modal damping ratio: one for all modes, or one per mode; at most 500 degrees of freedom"`
	Rayleigh   *Rayleigh `yaml:"rayleigh,omitempty" doc:"C = aM + bK with a given ratio at two frequencies"`
	Matrix     Matrix    `yaml:"matrix,omitempty" doc:"damping matrix by rows, N·s/m, or {file: …}"`
}

// Rayleigh is C = a M + b K with the given damping ratio at two frequencies, given in Hz
// or as two modes.
type Rayleigh struct {
	Ratio  float64   `yaml:"ratio" doc:"damping ratio at both frequencies"`
	Modes  []int     `yaml:"modes,omitempty" doc:"two modes, counted from 1; default 1 and 2"`
	FreqHz []float64 `yaml:"freq_hz,omitempty" doc:"two frequencies, Hz, in place of modes"`
}

// damp damps an undamped structure. Sparse matrices stay sparse if the structure has more
// than DenseUpTo degrees of freedom and Rayleigh damping or none; all others become dense.
func (d Damping) damp(s *Structure) (*Structure, error) {
	if err := d.check(s.N); err != nil {
		return nil, err
	}
	if s.Sparse != nil && s.N > DenseUpTo && d.ModalRatio == nil {
		if done, err := d.dampSparse(s); done || err != nil {
			return s, err
		}
	}
	s = s.Dense()
	c, err := d.make(s.M, s.K)
	if err != nil {
		return nil, err
	}
	out, err := newStructure(s.M, c, s.K, s.Gamma)
	if err == nil && d.Matrix.Given() {
		_, err = semidefinite("damping", sparseOf(c), asymmetry)
	}
	return out, err
}

// dampSparse damps sparse matrices, if they can hold the damping: C = diag(C) + a₁ K. A matrix with all its numbers
// makes the structure a dense one.
func (d Damping) dampSparse(s *Structure) (done bool, err error) {
	switch {
	case d.Rayleigh != nil:
		return true, s.Sparse.rayleigh(d.Rayleigh)
	case !d.Matrix.Given():
		return true, nil
	case !d.Matrix.isSparse():
		return false, nil
	}
	c, err := d.Matrix.definite("damping", s.N)
	if err != nil {
		return false, err
	}
	if done = s.Sparse.takeDamping(c); !done && s.N*s.N > mostFull {
		return false, fmt.Errorf("the damping matrix is no sum of a diagonal and a multiple of the stiffness; %w", errTooFull)
	}
	return done, nil
}

// likeStiffness is how far, relative to the largest entry, a damping matrix may be from
// diag(C) + a₁ K to be held as that.
const likeStiffness = 1e-9

// takeDamping takes a damping matrix that is diag(C) + a₁ K, and reports whether it is: a₁ comes from least squares
// over the entries beside the diagonal.
func (s *Sparse) takeDamping(c *lti.CSR) bool {
	ck, kk, largest := 0.0, 0.0, 0.0
	c.Each(func(i, j int, v float64) {
		largest = max(largest, math.Abs(v))
		if i != j {
			ck += v * s.K.At(i, j)
		}
	})
	s.K.Each(func(i, j int, v float64) {
		if i != j {
			kk += v * v
		}
	})
	a1 := 0.0
	if kk > 0 {
		a1 = ck / kk
	}
	off := 0.0
	beside := func(i, j int, v float64) {
		if i != j {
			off = max(off, math.Abs(c.At(i, j)-a1*s.K.At(i, j)))
		}
	}
	c.Each(beside)
	s.K.Each(beside)
	if off > likeStiffness*largest {
		return false
	}
	s.A1 = a1
	for i := range s.C {
		s.C[i] = c.At(i, i) - a1*s.K.At(i, i)
	}
	return true
}

// mostModal is the largest number n of degrees of freedom with modal damping. The damping
// matrix is full: a step takes 4 n² products whatever the band of K.
const mostModal = 500

func (d Damping) check(n int) error {
	given := 0
	for _, is := range []bool{d.ModalRatio != nil, d.Rayleigh != nil, d.Matrix.Given()} {
		if is {
			given++
		}
	}
	switch {
	case given > 1:
		return errors.New("damping: want only one of modal_ratio, rayleigh and matrix")
	case d.ModalRatio != nil && n > mostModal:
		return fmt.Errorf(
			"damping: modal_ratio makes a full matrix of %d × %d entries: want rayleigh, whose matrix is as narrow as the "+
				"stiffness, or at most %d degrees of freedom", n, n, mostModal)
	}
	return nil
}

// make returns the damping matrix of the given mass and stiffness.
func (d Damping) make(m, k *mat.Dense) (*mat.Dense, error) {
	switch {
	case d.ModalRatio != nil:
		return modal(m, k, d.ModalRatio)
	case d.Rayleigh != nil:
		return d.Rayleigh.make(m, k)
	case d.Matrix.Given():
		return d.Matrix.dense("damping")
	}
	n, _ := m.Dims()
	return mat.NewDense(n, n, nil), nil
}

// modal builds C = Φ⁻ᵀ diag(2ζω) Φ⁻¹ with mass-normalised Φ. As Φ⁻¹ = ΦᵀM, that
// is C = M Φ diag(2ζω) Φᵀ M, without an inverse.
func modal(m, k *mat.Dense, ratio []float64) (*mat.Dense, error) {
	n, _ := m.Dims()
	if len(ratio) != 1 && len(ratio) != n {
		return nil, fmt.Errorf("damping: %d modal ratios: want 1 or %d", len(ratio), n)
	}
	omega, phi, err := eigen(m, k)
	if err != nil {
		return nil, err
	}
	d := mat.NewDense(n, n, nil)
	for i := range n {
		z := ratio[min(i, len(ratio)-1)]
		if err := checkRatio(z); err != nil {
			return nil, err
		}
		d.Set(i, i, 2*z*omega[i])
	}
	var mp, c mat.Dense
	mp.Mul(m, phi)
	c.Product(&mp, d, mp.T())
	return &c, nil
}

func checkRatio(z float64) error {
	if !(z >= 0 && z < 1) {
		return fmt.Errorf("damping ratio %g: want 0 to below 1, as in 0.02 for 2 %%", z)
	}
	return nil
}

func (r *Rayleigh) make(m, k *mat.Dense) (*mat.Dense, error) {
	if err := checkRatio(r.Ratio); err != nil {
		return nil, err
	}
	w1, w2, err := r.frequencies(func(int) ([]float64, error) {
		omega, _, err := eigen(m, k)
		return omega, err
	})
	if err != nil {
		return nil, err
	}
	a, b := r.factors(w1, w2)
	var c, bk mat.Dense
	c.Scale(a, m)
	bk.Scale(b, k)
	c.Add(&c, &bk)
	return &c, nil
}

// factors are a and b of C = a M + b K.
func (r *Rayleigh) factors(w1, w2 float64) (a, b float64) {
	return 2 * r.Ratio * w1 * w2 / (w1 + w2), 2 * r.Ratio / (w1 + w2)
}

// frequencies are the two circular frequencies, rad/s. lowest finds the frequencies of at
// least so many modes, or of all modes.
func (r *Rayleigh) frequencies(lowest func(modes int) ([]float64, error)) (w1, w2 float64, err error) {
	if r.FreqHz != nil {
		if len(r.FreqHz) != 2 || !(r.FreqHz[0] > 0) || !(r.FreqHz[1] > 0) || r.Modes != nil {
			return 0, 0, fmt.Errorf("rayleigh damping: freq_hz %g: want two positive frequencies, and no modes beside them",
				r.FreqHz)
		}
		return 2 * math.Pi * r.FreqHz[0], 2 * math.Pi * r.FreqHz[1], nil
	}
	modes := r.Modes
	if modes == nil {
		modes = []int{1, 2}
	}
	highest := 1
	for _, m := range modes {
		highest = max(highest, m)
	}
	omega, err := lowest(highest)
	if err != nil {
		return 0, 0, err
	}
	n := len(omega)
	if len(modes) != 2 || modes[0] < 1 || modes[1] < 1 || modes[0] > n || modes[1] > n {
		return 0, 0, fmt.Errorf("rayleigh damping: modes %d: want two of 1 to %d, counted from 1, or freq_hz", modes, n)
	}
	w1, w2 = omega[modes[0]-1], omega[modes[1]-1]
	if !(w1 > 0) || !(w2 > 0) {
		return 0, 0, fmt.Errorf("rayleigh damping: modes %d have frequencies %g and %g rad/s: want more than 0", modes, w1,
			w2)
	}
	return w1, w2, nil
}
