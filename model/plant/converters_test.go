package plant

import (
	"math"
	"testing"

	"rths/kit/rthstest"
	"rths/maths/signal"
)

// The code's reading (docs/reference/benchmark-siso.md, Converters): quantum 2⁻¹⁸ and ±3.8, applied to the
// command in metres, and nothing to the readings.
func TestConvertersInMetres(t *testing.T) {
	c := NoConverters()
	c.Reading = "metres"
	got := rthstest.Must(c.Make())
	if want := (Conversion{Command: signal.Converter{Quantum: 1.0 / (1 << 18), Range: 3.8}}); got != want {
		t.Errorf("%+v: want %+v", got, want)
	}
	rthstest.Near(t, "quantum", got.Command.Quantum, 3.81e-6, 0.005e-6)
	rthstest.Near(t, "5 µm", got.Command.DA(5e-6), math.Ldexp(1, -18), 0)
	rthstest.Near(t, "7 m", got.Command.DA(7), 3.8, 0)
}

// Paper 002's reading: 7.6 V/2¹⁸ at 7.89 mm/V, that is
// 0.2287 µm and ±29.98 mm, on command and displacement alike; 1096 N/V on the
// force, if it is given.
func TestConvertersInVolts(t *testing.T) {
	c := NoConverters()
	c.Reading = "volts"
	got := rthstest.Must(c.Make())
	rthstest.Near(t, "quantum", got.Command.Quantum, 0.2287e-6, 0.00005e-6)
	rthstest.Near(t, "range", got.Command.Range, 29.98e-3, 0.005e-3)
	if got.Displacement != got.Command {
		t.Errorf("displacement %+v: want the command's, %+v", got.Displacement, got.Command)
	}
	if got.Force != (signal.Converter{}) {
		t.Errorf("force %+v: want none", got.Force)
	}
	c.NPerVolt = 1096
	got = rthstest.Must(c.Make())
	rthstest.Near(t, "force quantum", got.Force.Quantum, 7.6/(1<<18)*1096, 1e-15)
	rthstest.Near(t, "force range", got.Force.Range, 3.8*1096, 1e-9) // 4165 N
	if got.Displacement != got.Command {
		t.Error("converting the force changes the displacement")
	}
}

// Readings pass the converters after the sensor's own range.
func TestReadingsAreConverted(t *testing.T) {
	c := Converters{Reading: "volts", Bits: 4, Span: 8, MmPerVolt: 1e3, NPerVolt: 10}
	s := PerfectSensors()
	s.DisplacementOffset, s.DisplacementRange = 0.25, 5.7
	x, f, err := s.Gauges(1, 1, dt, 1, rthstest.Must(c.Make()))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ truth, x, f float64 }{{0, 0, 0}, {0.3, 1, 0}, {-2.8, -3, 0}, {5.0, 5, 10}, {100, 6, 80},
		{-100, -6, -80}} {
		if got := x[0].Read(c.truth); got != c.x {
			t.Errorf("displacement %g m reads %g: want %g", c.truth, got, c.x)
		}
		if got := f[0].Read(c.truth); got != c.f {
			t.Errorf("force %g N reads %g: want %g", c.truth, got, c.f)
		}
	}
}

func TestNoConverters(t *testing.T) {
	c := NoConverters()
	if got := rthstest.Must(c.Make()); got != (Conversion{}) {
		t.Errorf("%+v: want none", got)
	}
}

func TestConverterErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		c    Converters
		want string
	}{
		{Converters{Reading: "metres", Bits: 0, Span: 3.8}, "0 bits over ±3.8: want 1 to 32 bits and a span above 0"},
		{Converters{Reading: "none", Bits: 33, Span: 3.8}, "33 bits over ±3.8"},
		{Converters{Reading: "metres", Bits: 18, Span: 0}, "18 bits over ±0"},
		{Converters{Reading: "metres", Bits: 18, Span: nan}, "18 bits over ±NaN"},
		{Converters{Reading: "metres", Bits: 18, Span: inf}, "18 bits over ±+Inf"},
		{Converters{Reading: "volts", Bits: 18, Span: 3.8},
			"mm_per_v 0, n_per_v 0: want finite numbers, more than 0, and 0 or more"},
		{Converters{Reading: "volts", Bits: 18, Span: 3.8, MmPerVolt: nan}, "mm_per_v NaN"},
		{Converters{Reading: "volts", Bits: 18, Span: 3.8, MmPerVolt: inf}, "mm_per_v +Inf"},
		{Converters{Reading: "volts", Bits: 18, Span: 3.8, MmPerVolt: 7.89, NPerVolt: -1}, "n_per_v -1"},
		{Converters{Reading: "volts", Bits: 18, Span: 3.8, MmPerVolt: 7.89, NPerVolt: inf}, "n_per_v +Inf"},
		{Converters{Reading: "inches", Bits: 18, Span: 3.8}, `reading "inches": want metres, volts or none`},
		{Converters{Bits: 18, Span: 3.8}, `reading "": want metres, volts or none`},
	} {
		_, err := c.c.Make()
		rthstest.WantError(t, err, c.want)
	}
}
