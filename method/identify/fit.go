package identify

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Fit is the off-line phase of ADM (paper 000 section 2.4 and eq. 4): standard least
// squares of the discrete model (1) on a loading test,
//
//	θ0 = (Φ'Φ)⁻¹ Φ'Y,  P0 = (Φ'Φ)⁻¹,
//
// by the QR factorisation of Φ, which loses half as many digits as Φ'Φ.
//
// Noise in the measurement biases θ0 towards a smaller inverse (errors in variables):
// mildly with 2 parameters, markedly with 3, ruinously with 4. Fit 3 and 4 parameters to a
// test without noise, or filter.
type Fit struct {
	P, Q, Spacing int
	Theta         []float64 // p for past commands, then q for displacements
	P0            []float64 // by rows, 1/m²
	Rows          int       // of Φ
	Residual      float64   // rms of Y − Φθ, m
	Condition     float64   // largest over smallest singular value of Φ
}

// Bounds of the condition number: above illConditioned Φ'Φ, and with it P0, has no
// correct digit, above singular neither has θ0.
const (
	illConditioned = 1 / 1.5e-8  // ε^−½
	singular       = 1 / 2.2e-15 // 1/10ε
)

// FitADM fits p past commands and q displacements, spacing samples apart, to command
// and measurement of the same instants (m): with the command counted from the
// instant it aims at.
func FitADM(p, q, spacing int, command, measured []float64) (*Fit, error) {
	n, first := p+q, max(p, q-1)*spacing
	switch {
	case p < 0 || p > MaxOrder || q < 1 || q > MaxOrder || spacing < 1:
		return nil, fmt.Errorf("least squares: p %d, q %d, spacing %d: want 0 to %d, 1 to %d, 1 or more", p, q, spacing,
			MaxOrder, MaxOrder)
	case len(command) != len(measured):
		return nil, fmt.Errorf("least squares: %d commands and %d measurements: want equal numbers", len(command),
			len(measured))
	case len(command)-first < 2*n:
		return nil, fmt.Errorf("least squares: %d samples: want at least %d for %d parameters %d samples apart", len(command),
			first+2*n, n, spacing)
	}
	f := &Fit{P: p, Q: q, Spacing: spacing, Rows: len(command) - first}
	phi, y := mat.NewDense(f.Rows, n, nil), mat.NewVecDense(f.Rows, nil)
	for r := range f.Rows {
		i := first + r
		for j := range p {
			phi.Set(r, j, command[i-(j+1)*spacing])
		}
		for k := range q {
			phi.Set(r, p+k, measured[i-k*spacing])
		}
		y.SetVec(r, command[i])
	}
	return f, f.solve(phi, y)
}

func (f *Fit) solve(phi *mat.Dense, y *mat.VecDense) error {
	n := f.P + f.Q
	var qr mat.QR
	qr.Factorize(phi)
	var all, inv, p0 mat.Dense
	qr.RTo(&all)
	r := all.Slice(0, n, 0, n)
	f.Condition = mat.Cond(r, 2)
	if !(f.Condition < singular) {
		return fmt.Errorf(
			"least squares: condition number %.2g of %d parameters: the regressor is singular (want below %.2g): the data do "+
				"not tell the parameters apart, want more motion or fewer parameters", f.Condition, n, singular)
	}
	var theta mat.VecDense
	// Ill-conditioned numbers come with an error and are computed all the same:
	// Warning tells of them.
	var warning mat.Condition
	if err := qr.SolveVecTo(&theta, false, y); err != nil && !errors.As(err, &warning) {
		return fmt.Errorf("least squares: %w", err)
	}
	if err := inv.Inverse(r); err != nil && !errors.As(err, &warning) {
		return fmt.Errorf("least squares: %w", err)
	}
	p0.Mul(&inv, inv.T()) // (R'R)⁻¹
	f.Theta, f.P0 = theta.RawVector().Data, p0.RawMatrix().Data
	var left mat.VecDense
	left.MulVec(phi, &theta)
	left.SubVec(y, &left)
	f.Residual = mat.Norm(&left, 2) / math.Sqrt(float64(f.Rows))
	return nil
}

// Warning describes an ill-conditioned fit; "" if the fit is sound.
func (f *Fit) Warning() string {
	if f.Condition < illConditioned {
		return ""
	}
	return fmt.Sprintf(
		"ill-conditioned: the regressor of %d parameters has condition number %.2g (want below %.2g): P0 has no correct "+
			"digit, θ0 few", f.P+f.Q, f.Condition, illConditioned)
}

// Outside says whether the model has a pole or a zero outside the unit circle (see ADM):
// "", "a pole", "a zero" or "a pole and a zero".
func (f *Fit) Outside() string {
	w := NewWatch(f.P, f.Q, 1)
	w.Look(f.Theta)
	return w.What()
}
