package plant

import (
	"errors"
	"fmt"
	"math"

	"rths/maths/signal"
)

// Converters between computer and rig. The benchmark's code and paper 002
// disagree about them (docs/reference/benchmark-siso.md, Converters), so both readings are offered:
//
//	metres  the code's: the numbers of the converter, 2^-bits and ±span, are
//	        applied to the command in metres; readings are not converted
//	volts   the paper's: steps of 2·span/2^bits volts within ±span volts, at
//	        mm_per_v on command and displacement and n_per_v on the force
//	none    no converters
type Converters struct {
	Reading   string  `yaml:"reading" doc:"metres (the benchmark's code), volts (Ning et al. 2020) or none"`
	Bits      int     `yaml:"bits" doc:"resolution, 1 to 32"`
	Span      float64 `yaml:"span_v" doc:"largest magnitude, ±V (or ±m for metres)"`
	MmPerVolt float64 `yaml:"mm_per_v" doc:"displacement per volt, mm/V (volts only)"`
	NPerVolt  float64 `yaml:"n_per_v" doc:"force per volt, N/V (volts only); 0: force is not converted"`
}

// NoConverters are the benchmark's numbers, switched off. Its 1096 N/V would
// cut forces off at 4165 N, less than the benchmark's peak, and is left out.
func NoConverters() Converters {
	return Converters{Reading: "none", Bits: 18, Span: 3.8, MmPerVolt: 7.89}
}

// Conversion has the converters of command (m), displacement (m) and force (N).
type Conversion struct{ Command, Displacement, Force signal.Converter }

// Make checks the numbers.
func (c *Converters) Make() (Conversion, error) {
	if c.Bits < 1 || c.Bits > 32 || !(c.Span > 0) || math.IsInf(c.Span, 0) {
		return Conversion{}, fmt.Errorf("%d bits over ±%g: want 1 to 32 bits and a span above 0", c.Bits, c.Span)
	}
	switch c.Reading {
	case "none":
		if *c != NoConverters() {
			return Conversion{}, errors.New("numbers of a converter with reading none: want reading metres or volts")
		}
		return Conversion{}, nil
	case "metres":
		return Conversion{Command: signal.Converter{Quantum: math.Ldexp(1, -c.Bits), Range: c.Span}}, nil
	case "volts":
		if !(c.MmPerVolt > 0) || !(c.NPerVolt >= 0) || math.IsInf(c.MmPerVolt+c.NPerVolt, 0) {
			return Conversion{}, fmt.Errorf("mm_per_v %g, n_per_v %g: want finite numbers, more than 0, and 0 or more",
				c.MmPerVolt, c.NPerVolt)
		}
		step := 2 * c.Span * math.Ldexp(1, -c.Bits)
		m := c.MmPerVolt / 1e3
		x := signal.Converter{Quantum: step * m, Range: c.Span * m}
		return Conversion{Command: x, Displacement: x, Force: signal.Converter{Quantum: step * c.NPerVolt,
			Range: c.Span * c.NPerVolt}}, nil
	}
	return Conversion{}, fmt.Errorf("reading %q: want metres, volts or none", c.Reading)
}
