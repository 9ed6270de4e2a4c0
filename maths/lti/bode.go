package lti

import (
	"fmt"
	"math"
	"math/cmplx"
)

// Response is a frequency response: the complex gain at a frequency in Hz. It is
// NaN at a pole.
type Response func(hz float64) complex128

// Response is G(jω), or G(e^{jω Dt}) of a discrete system, from one input to one
// output.
func (s SS) Response(output, input int) Response {
	return func(hz float64) complex128 {
		z := complex(0, 2*math.Pi*hz)
		if s.Dt > 0 {
			z = cmplx.Exp(z * complex(s.Dt, 0))
		}
		g, err := s.At(z)
		if err != nil {
			return cmplx.NaN()
		}
		return g.At(output, input)
	}
}

// Impulse is a discrete system by its response to a unit sample at time 0,
// y[k] = Σ H[j] u[k-j].
type Impulse struct {
	H  []float64
	Dt float64 // sample time, s
}

// At returns the value Σ H[j] z^-j, by Horner's rule for blocks of eight samples with the
// powers of 1/z of a block at hand: four times as fast as sample by sample, where each step
// waits for the last one's product.
func (h Impulse) At(z complex128) complex128 {
	const block = 8
	back, power := 1/z, complex(1, 0)
	var re, im [block]float64
	for i := range block {
		re[i], im[i] = real(power), imag(power)
		power *= back
	}
	whole := len(h.H) - len(h.H)%block
	var sum complex128
	for j := len(h.H) - 1; j >= whole; j-- {
		sum = sum*back + complex(h.H[j], 0)
	}
	for j := whole; j > 0; j -= block {
		var x, y float64
		for i, v := range (*[block]float64)(h.H[j-block : j]) {
			x += v * re[i]
			y += v * im[i]
		}
		sum = sum*power + complex(x, y)
	}
	return sum
}

// Response is the value at z = e^{jω Dt}.
func (h Impulse) Response(hz float64) complex128 {
	return h.At(cmplx.Exp(complex(0, 2*math.Pi*hz*h.Dt)))
}

// Centroid is the mean time of the response, weighted by its energy, s. Use it as the delay
// of Bode.
func (h Impulse) Centroid() float64 {
	moment, energy := 0.0, 0.0
	for j, v := range h.H {
		moment += float64(j) * v * v
		energy += v * v
	}
	if energy == 0 {
		return 0
	}
	return h.Dt * moment / energy
}

// Bode is a frequency response as it is drawn, at increasing frequencies.
type Bode struct {
	Hz       []float64
	MagDB    []float64 // 20 log10 |G|, dB
	PhaseDeg []float64 // φ in degrees, continuous from 0 Hz on
	DelayMs  []float64 // -φ/ω in ms: how late a sine arrives
}

// Bode evaluates the response at increasing frequencies (Hz) above 0. It follows the phase
// from 1 mHz, where the phase lies within ±180°, in steps of less than 45°. A pure delay of
// more than some tenths of a second turns too fast: pass it as delay (s) and Bode removes
// it while following. delay affects the steps, not the result.
func (g Response) Bode(hz []float64, delay float64) (Bode, error) {
	b := Bode{Hz: hz}
	var w walk
	for i, f := range hz {
		if !(f > 0) || math.IsInf(f, 1) || i > 0 && f <= hz[i-1] {
			return Bode{}, fmt.Errorf("frequency %g Hz: want increasing frequencies above 0", f)
		}
		if i == 0 {
			w = newWalk(g, delay, min(f, 1e-3))
		}
		w.to(f)
		v := w.v.g // without the delay taken out and put back
		phase := w.phase - 2*math.Pi*f*delay
		if cmplx.IsNaN(v) || cmplx.IsInf(v) || v == 0 || math.IsNaN(phase) {
			return Bode{},
				fmt.Errorf("at %g Hz the gain is %g: want a finite one other than 0, and none that is not below that frequency", f,
					v)
		}
		b.MagDB = append(b.MagDB, 20*math.Log10(cmplx.Abs(v)))
		b.PhaseDeg = append(b.PhaseDeg, 180/math.Pi*phase)
		b.DelayMs = append(b.DelayMs, -1e3*phase/(2*math.Pi*f))
	}
	return b, nil
}

// walk follows the phase of a response from frequency to frequency.
type walk struct {
	at    func(hz float64) walked
	hz    float64
	v     walked
	phase float64 // rad
}

// walked is a value of a response, and the same with the pure delay taken out.
type walked struct{ g, still complex128 }

func newWalk(g Response, delay, hz float64) walk {
	w := walk{hz: hz, at: func(hz float64) walked {
		v := g(hz)
		return walked{v, v * cmplx.Exp(complex(0, 2*math.Pi*hz*delay))}
	}}
	w.v = w.at(hz)
	w.phase = cmplx.Phase(w.v.still)
	return w
}

// to goes on to hz, by at most a twentieth of the frequency and 1 Hz at once.
func (w *walk) to(hz float64) {
	for w.hz < hz {
		next := min(hz, 1.05*w.hz, w.hz+1)
		w.step(next, w.at(next))
	}
}

// step goes on to hz, where the response is v, in halves while the phase turns by more than
// 45°, as near a resonance. At an undamped resonance the phase jumps however short the
// step.
func (w *walk) step(hz float64, v walked) {
	turn := cmplx.Phase(v.still / w.v.still)
	if math.Abs(turn) > math.Pi/4 && hz-w.hz > 1e-9*hz {
		middle := (w.hz + hz) / 2
		w.step(middle, w.at(middle))
		w.step(hz, v)
		return
	}
	w.hz, w.v, w.phase = hz, v, w.phase+turn
}
