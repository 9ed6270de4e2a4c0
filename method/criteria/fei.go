package criteria

import (
	"math"
	"math/cmplx"

	"rths"
	"rths/maths/signal"
)

// Index is the frequency-domain evaluation index of a displacement y_O that
// should follow y_I (Guo et al. 2014): with the discrete Fourier transforms Y of
// both and l = 2,
//
//	FEI = Σ_f (Y_O/Y_I) |Y_I|^l / Σ_f |Y_I|^l
//	A = |FEI|,  φ = arg FEI,  f_eq = Σ_f |Y_I|^l f / Σ_f |Y_I|^l,  d = −φ/(2π f_eq)
//
// over the positive frequencies, so that means do not count. A pure delay of one
// frequency is found exactly; over a band, A is less than 1 by about half the
// variance of the phase 2πfd, and d is off by its skewness. φ lies within ±π: a
// delay above half a period of f_eq reads as a lead. The transform takes the
// record for periodic: a record that does not begin and end near rest has a step
// there that the index sees.
type Index struct {
	A    float64 // amplitude, 1 where there is no error
	FEq  float64 // equivalent frequency, Hz
	DelS float64 // delay, s; negative leads
}

// NewIndex compares two whole records of the same length. Its values are NaN
// where the desired one is constant or shorter than 3 samples.
func NewIndex(desired, measured []float64, rateHz float64) Index {
	return IndexOf(len(desired), func(k int) float64 { return desired[k] }, func(k int) float64 { return measured[k] },
		rateHz)
}

// IndexOf is NewIndex of n samples that stand in a file: their spectra alone are in memory.
func IndexOf(n int, desired, measured func(k int) float64, rateHz float64) Index {
	power := 0.0 // Σ|Y|² over all frequencies, by Parseval
	for k := range n {
		power += desired(k) * desired(k)
	}
	power *= float64(n)
	in, out := signal.Spectra(n, desired, measured)
	var sum complex128
	var weight, moment float64
	for k, y := range in {
		w := real(y)*real(y) + imag(y)*imag(y)
		sum += out[k] * cmplx.Conj(y) // (Y_O/Y_I) |Y_I|²
		weight += w
		moment += w * float64(k+1)
	}
	if !(weight > silent*power) {
		return Index{math.NaN(), math.NaN(), math.NaN()}
	}
	fei := sum / complex(weight, 0)
	fEq := moment / weight * rateHz / float64(n)
	return Index{A: cmplx.Abs(fei), FEq: fEq, DelS: -cmplx.Phase(fei) / (2 * math.Pi * fEq)}
}

// silent is the part of a record's power, its mean counted, below which a
// spectrum is rounding.
const silent = 1e-24

// Values are the index as results of an actuator, from 1; 0: the only one. Its number stands behind FEI in their names.
func (i Index) Values(actuator int) []rths.Value {
	fei := rths.Meaning{Quantity: "FEI", Axis: actuator}.NameIn("")
	of := func(quantity string) rths.Meaning { return rths.Meaning{Quantity: "FEI_" + quantity, Axis: actuator} }
	return ofFamily("fei", []rths.Value{
		{Name: fei + "_A", Meaning: of("A"), V: i.A,
			Doc: "amplitude of measured over target displacement, frequency-domain evaluation index (Guo et al. 2014)"},
		{Name: fei + "_f_eq_hz", Meaning: of("f_eq"), Unit: "Hz", V: i.FEq,
			Doc: "equivalent frequency of the target, weighted by its power"},
		{Name: fei + "_delay_ms", Meaning: of("delay"), Unit: "ms", V: 1e3 * i.DelS,
			Doc: "delay of the frequency-domain evaluation index at the equivalent frequency; negative: the displacement " +
				"leads"},
	})
}

// feiHz is about the rate FEI keeps values at.
const feiHz = 256

// FEI is the index of a run of one axis. It keeps means over blocks of samples
// at about 256 Hz: 4 kB for each second of the run, allocated before. Both signals pass the
// same block mean, so their ratio is unchanged well below 128 Hz, and aliases of higher
// frequencies are damped. A hybrid test moves below 50 Hz.
type FEI struct {
	rateHz            float64 // of the blocks
	axis, every       int
	number            int // of the actuator, from 1; 0: the only one
	desired, measured []float64
	n                 int // blocks
	in                int // samples in the present block
	sumD, sumM        float64
}

// FEIKeys are the keys of FEI.
type FEIKeys struct {
	On bool `yaml:"fei" doc:"frequency-domain evaluation index: amplitude, equivalent frequency, delay (Guo et al. 2014)"`
}

// Make makes the index of every actuator.
func (k *FEIKeys) Make(at At) ([]Criterion, error) {
	if !k.On {
		return nil, nil
	}
	return each(at, func(i int) Criterion { return NewFEI(at.RateHz, at.Samples, i, at.Actuators) }), nil
}

// NewFEI judges the given axis (from 0) of a loop with axes of them, in a run of
// so many samples.
func NewFEI(rateHz float64, samples, axis, axes int) *FEI {
	every := max(1, int(math.Round(rateHz/feiHz)))
	blocks := samples / every
	return &FEI{
		rateHz: rateHz / float64(every), axis: axis, number: rths.Component(axis, axes), every: every,
		desired: make([]float64, blocks), measured: make([]float64, blocks),
	}
}

// Observe adds a tick; the tick that failed is left out, and so is a last block
// that is not full.
func (e *FEI) Observe(f *rths.Frame) {
	if f.Err != nil || e.n == len(e.desired) {
		return
	}
	e.sumD += f.Desired[e.axis]
	e.sumM += f.Read.X[e.axis]
	if e.in++; e.in < e.every {
		return
	}
	e.desired[e.n], e.measured[e.n] = e.sumD/float64(e.every), e.sumM/float64(e.every)
	e.n++
	e.in, e.sumD, e.sumM = 0, 0, 0
}

// Summary is amplitude, equivalent frequency and delay.
func (e *FEI) Summary() []rths.Value {
	return NewIndex(e.desired[:e.n], e.measured[:e.n], e.rateHz).Values(e.number)
}

// VisitState visits the blocks and the sums of the present one.
func (e *FEI) VisitState(v *rths.StateVisitor) {
	v.Int(&e.n, &e.in)
	v.Float(&e.sumD, &e.sumM)
	v.Floats(e.desired, e.measured)
}
