package study

import (
	"rths"
	"rths/signal"
)

// extrapolation is paper 000 eq. 7 with errata 3: the cubic through the last four
// targets, η = τ/Δt samples ahead of the newest.
type extrapolation struct {
	c    [4]float64
	past *signal.Line
}

func newExtrapolation(eta float64) *extrapolation {
	e, e2, e3 := eta, eta*eta, eta*eta*eta
	return &extrapolation{past: signal.NewLine(4), c: [4]float64{
		1 + 11./6*e + e2 + e3/6, -(3*e + 5./2*e2 + e3/2), 3./2*e + 2*e2 + e3/2, -(e/3 + e2/2 + e3/6),
	}}
}

// Step is (7).
func (p *extrapolation) Step(command []float64, target *rths.Motion, _ *rths.Reading) {
	p.past.Push(target.X[0])
	command[0] = 0
	for j, c := range p.c {
		command[0] += c * p.past.At(j)
	}
}
