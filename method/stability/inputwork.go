package stability

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"rths"
)

// Reference is the response of the undivided structure: after Step with the
// window of tick k, State is the motion at t_k.
type Reference interface {
	Step(ground []float64)
	State() *rths.Motion
}

// LargestInputWork is the largest |W_I| (J) of a reference run of so many samples. load is
// structure.Partition.Load, k the stiffness for the strain energy at the start, wave the
// actions at half steps (rths.Config.Ground).
func LargestInputWork(ref Reference, load, k *mat.Dense, wave []float64, samples int) float64 {
	n, actions := load.Dims()
	x, w := make([]float64, n), make([]float64, actions)
	var e Energies
	e.load, e.w, e.change = flat(load), w, make([]float64, n)
	most := 0.0
	Respond(ref, wave, actions, samples, func(i int, window []float64) {
		now := ref.State().X
		if i == 0 {
			copy(x, now)
			copy(w, window)
			e.input = half(flat(k), x)
		}
		for j := range x {
			e.change[j] = now[j] - x[j]
		}
		e.input -= e.loaded(e.change, window)
		copy(x, now)
		most = max(most, math.Abs(e.input))
	})
	return most
}

// Respond steps a reference response through the samples of a wave of some actions at half steps, nil for none; each
// sees its window.
func Respond(ref Reference, wave []float64, actions, samples int, each func(i int, window []float64)) {
	window := make([]float64, 3*actions)
	rest := rths.NewFlusher()
	if s, ok := ref.(rths.Stateful); ok {
		rest.Add(s)
	}
	for i := range samples {
		if len(wave) > 0 {
			window = wave[2*i*actions:][:3*actions]
		}
		rest.At(i)
		ref.Step(window)
		each(i, window)
	}
}
