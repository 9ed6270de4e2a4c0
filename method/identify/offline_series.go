package identify

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rths/maths/signal"
)

// OfflineSeries returns the n coefficients a_i of the inverse of an actuator, command =
// Σ a_i dⁱx/dtⁱ, from a recorded test: the commands, or the references of the loop around
// the actuator, and its measured displacements x, m, both at rateHz. Both pass a low-pass of
// fourth order at 20 Hz first; derivatives are backward differences. compensate.ATS starts there.
func OfflineSeries(command, measured []float64, n int, rateHz float64) ([]float64, error) {
	b, a, err := signal.Butterworth(4, offlineHz, rateHz)
	if err != nil {
		return nil, fmt.Errorf("off-line test: filter: %w", err)
	}
	u, x := signal.NewFilter(b, a), signal.NewFilter(b, a)
	r, y := make([]float64, len(command)), make([]float64, len(measured))
	for k := range command {
		r[k], y[k] = u.Step(command[k]), x.Step(measured[k])
	}
	normal, right := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for k := n; k < len(y); k++ {
		d := make([]float64, n)
		for i := range n {
			for j, c := range signal.Difference(i, 1/rateHz) {
				d[i] += c * y[k-j]
			}
		}
		for i := range n {
			right.SetVec(i, right.AtVec(i)+d[i]*r[k])
			for j := range i + 1 {
				normal.SetSym(i, j, normal.At(i, j)+d[i]*d[j])
			}
		}
	}
	var c mat.Cholesky
	if !c.Factorize(normal) {
		return nil, errors.New("off-line test: normal equations are singular: want a motion with more than one frequency")
	}
	var out mat.VecDense
	if err := c.SolveVecTo(&out, right); err != nil && !onlyIllConditioned(err) {
		return nil, err
	}
	return out.RawVector().Data, nil
}
