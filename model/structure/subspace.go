package structure

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rths/maths/lti"
	"rths/maths/portable"
)

// lowestModes finds modes of lowest frequency of K φ = ω² M φ by subspace iteration (Bathe, Finite Element
// Procedures, section 11.6) with one banded factorisation of K: φᵀMφ = 1. M may be any positive
// semidefinite matrix, with coordinates without mass; K is positive definite. Modes of equal
// frequency are all found. Of a mass matrix of lower rank there are fewer modes.
func lowestModes(m, k *lti.CSR, count int) (omega []float64, shapes [][]float64, err error) {
	factor, err := lti.NewBanded(k)
	if err != nil {
		return nil, nil, fmt.Errorf("stiffness: %w", err)
	}
	s := &subspace{m: m, k: k, factor: factor}
	s.begin(min(massive(m), max(2*count, count+8)))
	if err := s.iterate(count); err != nil {
		return nil, nil, err
	}
	for j, x := range s.x[:min(count, len(s.x))] {
		omega = append(omega, 1/math.Sqrt(s.inverse[j]))
		scaleTo(x, omega[j])
		shapes = append(shapes, x)
	}
	return omega, shapes, nil
}

// massive is the number of coordinates with mass.
func massive(m *lti.CSR) (n int) {
	for i := range m.Rows() {
		if m.At(i, i) > 0 {
			n++
		}
	}
	return n
}

// subspace is a set of vectors x with xᵀKx = 1 that turn towards the lowest modes.
type subspace struct {
	m, k    *lti.CSR
	factor  *lti.Banded
	x       [][]float64
	inverse []float64 // 1/ω², largest first
}

// begin takes random vectors, from a fixed seed.
func (s *subspace) begin(size int) {
	r := rand.New(rand.NewPCG(1, 1))
	for range size {
		x := make([]float64, s.m.Rows())
		for i := range x {
			x[i] = r.NormFloat64()
		}
		s.x, s.inverse = append(s.x, x), append(s.inverse, 1)
	}
}

// The iteration is over when the vectors change by less than subspaceFine, or by less than subspaceCoarse and no
// less than subspacePatience iterations before: there rounding is reached.
const (
	subspaceFine     = 1e-11
	subspaceCoarse   = 1e-6
	subspacePatience = 20
	subspaceMost     = 2000
)

func (s *subspace) iterate(count int) error {
	best, since := math.Inf(1), 0
	for range subspaceMost {
		y := s.products()
		change := s.change(y, min(count, len(s.x)))
		if since++; change < best/2 {
			best, since = change, 0
		}
		if err := s.turn(y); err != nil {
			return err
		}
		if change < subspaceFine || since > subspacePatience && best < subspaceCoarse {
			return nil
		}
	}
	return errors.New("modes: the subspace iteration did not converge")
}

// products are K⁻¹ M x.
func (s *subspace) products() (y [][]float64) {
	for _, x := range s.x {
		v := make([]float64, len(x))
		s.m.MulVec(v, x)
		s.factor.Solve(v)
		y = append(y, v)
	}
	return y
}

// change is the largest |x − ω² K⁻¹ M x| of the first vectors, in the norm of K.
func (s *subspace) change(y [][]float64, count int) (most float64) {
	for j := range count {
		d := make([]float64, len(y[j]))
		floats.AddScaledTo(d, s.x[j], -1/s.inverse[j], y[j])
		most = max(most, math.Sqrt(s.square(d)))
	}
	return most
}

func (s *subspace) square(x []float64) float64 {
	y := make([]float64, len(x))
	s.k.MulVec(y, x)
	return math.Max(0, portable.Dot(x, y))
}

// turn makes the vectors the modes within the span of y.
func (s *subspace) turn(y [][]float64) error {
	q := s.orthonormal(y)
	if len(q) == 0 {
		return errors.New("modes: the mass matrix is zero")
	}
	small := mat.NewSymDense(len(q), nil)
	push := make([]float64, len(q[0]))
	for i := range q {
		s.m.MulVec(push, q[i])
		for j := range i + 1 {
			small.SetSym(i, j, portable.Dot(q[j], push))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(small, true) {
		return errors.New("modes: the eigenvalue iteration did not converge")
	}
	var v mat.Dense
	e.VectorsTo(&v)
	values := e.Values(nil)
	s.x, s.inverse = nil, nil
	for j := len(q) - 1; j >= 0; j-- {
		if !(values[j] > epsilon*values[len(q)-1]) {
			break
		}
		x := make([]float64, len(push))
		for i := range q {
			floats.AddScaled(x, v.At(i, j), q[i])
		}
		s.x, s.inverse = append(s.x, x), append(s.inverse, values[j])
	}
	return nil
}

// orthonormal is a basis of the vectors with qᵀKq = 1, without those that the others span.
func (s *subspace) orthonormal(vectors [][]float64) (q [][]float64) {
	var kq [][]float64
	for _, v := range vectors {
		size := math.Sqrt(s.square(v))
		if !(size > 0) {
			continue
		}
		scaleTo(v, 1/size)
		for range 2 {
			for i := range q {
				floats.AddScaled(v, -portable.Dot(v, kq[i]), q[i])
			}
		}
		left := math.Sqrt(s.square(v))
		if left < 1e-10 {
			continue
		}
		scaleTo(v, 1/left)
		push := make([]float64, len(v))
		s.k.MulVec(push, v)
		q, kq = append(q, v), append(kq, push)
	}
	return q
}
