package plant

import (
	"math"

	"rths"
)

// embedded integrates by the method of Bogacki and Shampine (1989), of order 3 with an error estimate of order 2, and makes
// steps so short that the estimate stays below its tolerance. After a number of evaluations it goes on in steps as long as
// they are stable, at most lastSteps of them, whatever their error, and counts the call.
type embedded struct {
	y, trial  []float64
	k         [4][]float64
	sizes     []float64 // of the states: an error counts in (size + |state|), or in |size| below 0; 0: no error control
	longest   float64   // s, of a step
	allowed   int       // evaluations of a call
	tolerance float64
	bounded   int // calls that wanted more
	worst     int // evaluations of a call so far
}

const (
	embeddedTolerance = 2e-6
	mostEvaluations   = 240 // of a tick at 4096 Hz
	lastSteps         = 60
)

// smoothODE gives dy, and is told of a step that is made; then it says whether it changed y.
type smoothODE interface {
	rate(dy, y []float64)
	accepted(y []float64) bool
}

func newEmbedded(n int) embedded {
	e := embedded{y: make([]float64, n), trial: make([]float64, n), sizes: make([]float64, n), tolerance: embeddedTolerance,
		allowed: mostEvaluations}
	for i := range e.k {
		e.k[i] = make([]float64, n)
	}
	return e
}

// advance goes over a time h, beginning with a step that is not longer than first.
func (e *embedded) advance(o smoothODE, h, first float64) {
	o.rate(e.k[0], e.y)
	evaluations := 1
	step, least := min(e.longest, first), 0.0
	for left := h; left > 0; {
		if evaluations >= e.allowed {
			if least == 0 {
				e.bounded++
				least = max(left/lastSteps, min(e.longest, first))
			}
			step = least
		}
		last := step >= left*(1-1e-12)
		if last {
			step = left
		} else if 2*step > left && least == 0 {
			step = left / 2
		}
		e.try(o, step)
		evaluations += 3
		err := e.err(step)
		if !(err <= 1) && evaluations < e.allowed {
			step *= max(0.2, 0.9/math.Cbrt(err))
			if !rths.Finite(step) || step < h*1e-9 {
				step = h * 1e-9
			}
			continue
		}
		e.y, e.trial = e.trial, e.y
		left -= step
		if last {
			left = 0
		}
		if o.accepted(e.y) {
			o.rate(e.k[0], e.y)
			evaluations++
		} else {
			e.k[0], e.k[3] = e.k[3], e.k[0]
		}
		step = min(e.longest, step*min(5, 0.9/math.Cbrt(max(err, 1e-3))))
	}
	e.worst = max(e.worst, evaluations)
}

// try makes a step into trial.
func (e *embedded) try(o smoothODE, h float64) {
	k1, k2, k3, k4 := e.k[0], e.k[1], e.k[2], e.k[3]
	y, to := e.y, e.trial
	for i := range to {
		to[i] = y[i] + h/2*k1[i]
	}
	o.rate(k2, to)
	for i := range to {
		to[i] = y[i] + 3*h/4*k2[i]
	}
	o.rate(k3, to)
	for i := range to {
		to[i] = y[i] + h*(2*k1[i]+3*k2[i]+4*k3[i])/9
	}
	o.rate(k4, to)
}

// err is the largest estimated error of the step in trial, in tolerances.
func (e *embedded) err(h float64) (most float64) {
	k1, k2, k3, k4 := e.k[0], e.k[1], e.k[2], e.k[3]
	for i, size := range e.sizes {
		if size == 0 {
			continue
		}
		err := math.Abs(h / 72 * (-5*k1[i] + 6*k2[i] + 8*k3[i] - 9*k4[i]))
		if size < 0 {
			size = -size
		} else {
			size += math.Abs(e.trial[i])
		}
		if err > most*size || err != err {
			most = err / size
		}
	}
	return most / e.tolerance
}
