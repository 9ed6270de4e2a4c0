package structure

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"rths/maths/lti"
	"rths/maths/portable"
)

// leastModal is the damping ratio of a mode from which on damping beside the damping matrix is
// more than the digits of OpenSees.
const leastModal = 1e-7

// mostUnexplained is the part of the damping force that damping of modes may leave.
const mostUnexplained = 1e-5

// readAnswer reads the damping force at the velocities v = Σ φ_j/ω_j. The part beyond C v is modal damping, Σ 2 ζ_j M
// φ_j with φ_jᵀMφ_j = 1, which OpenSees has in no matrix: C gets it.
func (o *OpenSees) readAnswer(f *fields) error {
	n, err := f.count("answer", 0, len(o.At))
	if err != nil {
		return err
	}
	if o.Unasked = n == 0; o.Unasked {
		return nil
	}
	if n != len(o.At) {
		return f.refuse("answer of %d equations: want %d, or 0", n, len(o.At))
	}
	beyond, size := make([]float64, n), 0.0
	for i := range beyond {
		if err := f.next("the damping force of an equation"); err != nil {
			return err
		}
		if len(f.words) != 1 {
			return f.wrong("the damping force of an equation")
		}
		if beyond[i], err = f.number(0); err != nil {
			return err
		}
		size = max(size, math.Abs(beyond[i]))
	}
	if !o.addModal(beyond) {
		o.Unasked, o.Less = true, true
		return nil
	}
	if rest := floats.Norm(beyond, math.Inf(1)); rest > mostUnexplained*size {
		return f.refuse(
			"%.2g of the damping force of OpenSees is neither in its damping matrix nor damping of the %d modes: want "+
				"rths_export with all modes that modalDamping has, or elements without damping of their own (-damp)", rest/size,
			len(o.Modes))
	}
	return nil
}

// addModal adds to C what the answer has beyond it, mode by mode, and takes it from the answer. It adds nothing, and
// reports so, where the answer has less than C v in a mode: part of the damping of C answers in a step only, or
// OpenSees damps more modes than are exported.
func (o *OpenSees) addModal(answer []float64) bool {
	n := len(o.At)
	v, push := make([]float64, n), make([]float64, n)
	phi, mass := make([][]float64, len(o.Modes)), make([][]float64, len(o.Modes))
	for j, mode := range o.Modes {
		floats.AddScaled(v, 1/mode.Omega, mode.Shape)
		phi[j], mass[j] = normalised(o.M, mode.Shape), make([]float64, n)
		o.M.MulVec(mass[j], phi[j])
	}
	o.C.MulVec(push, v)
	floats.Sub(answer, push)
	ratios, found := make([]float64, len(o.Modes)), false
	for j, mode := range o.Modes {
		a := portable.Dot(mass[j], mode.Shape) // φ_j = a of the shape with φᵀMφ = 1
		ratios[j] = portable.Dot(phi[j], answer) / (2 * a)
		if ratios[j] < -leastModal {
			return false
		}
		found = found || ratios[j] > leastModal
	}
	if !found {
		return true
	}
	var entries []lti.Entry
	o.C.Each(func(i, j int, c float64) { entries = append(entries, lti.Entry{Row: i, Col: j, V: c}) })
	for k, mode := range o.Modes {
		floats.AddScaled(answer, -2*ratios[k]*portable.Dot(mass[k], mode.Shape), mass[k])
	}
	for i := range n {
		for j := range n {
			c := 0.0
			for k, mode := range o.Modes {
				c += 2 * ratios[k] * mode.Omega * (mass[k][i] * mass[k][j]) // symmetric to the bit
			}
			if c != 0 {
				entries = append(entries, lti.Entry{Row: i, Col: j, V: c})
			}
		}
	}
	o.C, o.Modal = lti.NewCSR(n, entries), ratios
	return true
}
