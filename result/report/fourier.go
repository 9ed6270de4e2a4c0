package report

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"rths"
	"rths/maths/signal"
	"rths/method/criteria"
	"rths/result/plotting"
)

const (
	fourierHz     = 1024    // about the rate at which a spectrum is taken, Hz
	fourierBlocks = 1 << 19 // of one spectrum at most
	fourierTop    = 100     // where spectra end, Hz, and at most 0.4 of their rate
	fourierPart   = 24      // an octave has so many points at most
	fourierFall   = 1e-6    // of the peak: where the vertical axis ends
	rounding      = 1e-12   // of ∫|x| dt
)

// fourier is the Fourier amplitude spectra (paper 003, Figs 8 to 18): of displacement and acceleration of each axis and
// of the floors' accelerations.
func (fs *figures) fourier(sources []source, names []string, axes int) (list []figure) {
	for i := range axes {
		id, of := "", ""
		if axes > 1 {
			id, of = fmt.Sprintf("-%d", i+1), fmt.Sprintf(" of axis %d", i+1)
		}
		column := func(quantity, unit string, scale float64) tracer {
			return func(s source) (trace, bool) { return s.trace(s.numbered(quantity, unit, i), scale) }
		}
		list = append(list,
			fs.spectrum(sources, names, figure{id: "displacement-spectrum" + id, title: "Spectrum of the displacement" + of,
				yLabel: "amplitude, mm·s"}, "measured", column("measured", "m", 1e3), column("target", "m", 1e3)),
			fs.spectrum(sources, names, figure{id: "acceleration-spectrum" + id, title: "Spectrum of the acceleration" + of,
				yLabel: "amplitude, m/s"}, "measured", column("acceleration", "m/s²", 1),
				channel(rths.Meaning{Quantity: criteria.TargetAcceleration, Axis: rths.Component(i, axes)})))
	}
	for i := 1; ; i++ {
		of := rths.Meaning{Quantity: criteria.FloorAcceleration, Floor: i}
		f := fs.spectrum(sources, names, figure{id: "floor-acceleration-spectra",
			title:  fmt.Sprintf("Spectrum of the acceleration of floor %d", i),
			yLabel: "amplitude, m/s"}, "hybrid", channel(of), nil)
		if len(f.curves) == 0 {
			break
		}
		list = append(list, f)
	}
	return slices.DeleteFunc(list, func(f figure) bool { return len(f.curves) == 0 })
}

// tracer is one quantity of a run.
type tracer func(s source) (trace, bool)

// channel is the quantity of that meaning.
func channel(of rths.Meaning) tracer { return func(s source) (trace, bool) { return s.of(of, 1) } }

// spectrum adds to a figure the spectrum of a quantity of each run, and the one that it should have of the first run.
// The only run's curve has the given name.
func (fs *figures) spectrum(sources []source, names []string, f figure, only string, own, wanted tracer) figure {
	f.xLabel, f.shape, f.logX, f.logY = "frequency, Hz", half, true, true
	add := func(s source, of tracer, name, colour string, dashed bool) {
		if of == nil {
			return
		}
		t, ok := of(s)
		if !ok {
			return
		}
		if hz, amplitude := amplitudes(t); len(hz) > 0 {
			f.curves = append(f.curves, curve{name: name, x: fs.add(listed(hz)), y: fs.add(listed(amplitude)), colour: colour,
				dashed: dashed})
		}
	}
	for r, s := range sources {
		name := names[r]
		if len(sources) == 1 {
			name = only
		}
		add(s, own, name, plotting.Colour(r), r >= len(plotting.Colours))
	}
	if len(f.curves) > 0 {
		name := "target"
		if len(sources) > 1 {
			name += " of " + names[firstOf(sources)]
		}
		add(sources[firstOf(sources)], wanted, name, plotting.Ink, true)
	}
	return f
}

// amplitudes is the Fourier amplitude spectrum |∫ x(t) e^(−iωt) dt| of a trace over frequency, Hz, from one over its
// duration to fourierTop: the root mean square of the lines of each 24th of an octave. Long traces are taken as means
// over blocks of samples, by whose transfer function sin(nωh/2)/(n sin(ωh/2)) the lines are divided. Values below
// fourierFall of the peak are left out. There is none of a trace that does not move or that has left all bounds.
func amplitudes(t trace) (hz, amplitude []float64) {
	every := max(1, int(t.rate/fourierHz), (t.values.Len()-1)/fourierBlocks+1)
	x := make([]float64, t.values.Len()/every)
	size := 0.0
	for i := range x {
		for k := range every {
			x[i] += t.values.At(i*every + k)
		}
		if x[i] /= float64(every); !rths.Finite(x[i]) {
			return nil, nil
		}
		size += math.Abs(x[i])
	}
	lines := signal.Spectrum(x)
	rate := t.rate / float64(every)
	step := rate / float64(len(x))
	last := min(len(lines), int(min(fourierTop, 0.4*rate)/step))
	peak := 0.0
	for from := 0; from < last; {
		to := from + 1
		for to < last && float64(to+1) < float64(from+1)*math.Exp2(1./fourierPart) {
			to++
		}
		sum := 0.0
		for k := from; k < to; k++ {
			a := cmplx.Abs(lines[k]) / rate / blockMean(float64(k+1)*step/t.rate, every)
			sum += a * a
		}
		hz = append(hz, math.Sqrt(float64((from+1)*to))*step)
		amplitude = append(amplitude, math.Sqrt(sum/float64(to-from)))
		peak = max(peak, amplitude[len(amplitude)-1])
		from = to
	}
	return above(hz, amplitude, max(fourierFall*peak, rounding*size/rate))
}

// blockMean is the gain of a mean over n samples at a frequency in cycles per sample.
func blockMean(frequency float64, n int) float64 {
	return math.Sin(math.Pi*frequency*float64(n)) / (float64(n) * math.Sin(math.Pi*frequency))
}

// above are the points whose value is above a floor.
func above(x, y []float64, floor float64) (xs, ys []float64) {
	for i, v := range y {
		if v > floor {
			xs, ys = append(xs, x[i]), append(ys, v)
		}
	}
	return xs, ys
}
