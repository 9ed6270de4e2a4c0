package compensate_test

import (
	"math"
	"math/cmplx"
	"strings"
	"testing"

	"rths"
	"rths/method/compensate"
)

func silvaPI(t *testing.T) *compensate.PI {
	t.Helper()
	row, err := rths.Find(compensate.Kinds, "pi")
	if err != nil {
		t.Fatal(err)
	}
	return row.Defaults().(*compensate.PI)
}

// With the measurement held at zero the command is PI(lead(d)). At low frequency its
// response equals the continuous functions', and the lead is 5.81 ms
// (docs/reference/benchmark-siso.md, Compensators as published).
func TestPIFrequencyResponse(t *testing.T) {
	p := silvaPI(t)
	p.Quantum, p.Range = 0, 0
	const hz = 8.0
	w := 2 * math.Pi * hz
	s := complex(0, w)
	lead := (complex(50.83163360273612, 0)*s + 8570.397339444286) / (s + 8570.397339444286)
	if ms := 1e3 * cmplx.Phase((complex(50.83163360273612, 0)*complex(0, 1)+8570.397339444286)/(complex(0, 1)+
		8570.397339444286)); math.Abs(ms-5.81) > 0.01 {
		t.Errorf("lead of %.3f ms at low frequency, want 5.81", ms)
	}
	want := lead * (2 + 95/s)
	c := made(t, p)
	target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
	const cycles = 8
	n := int(cycles * rate / hz)
	var fit complex128
	for k := range n {
		// A cosine has no mean to leave in the integrator's output.
		phase := w * float64(k) / rate
		target.X[0] = math.Cos(phase)
		c.Step(u, &target, &read)
		if k >= n/2 {
			fit += complex(u[0], 0) * cmplx.Exp(complex(0, -phase)) * complex(4/float64(n), 0)
		}
	}
	if cmplx.Abs(fit-want) > 0.002*cmplx.Abs(want) {
		t.Errorf("response %.5g at %g Hz, want %.5g", fit, hz, want)
	}
}

// The converters inside the controller quantize its target and error.
func TestPIConverters(t *testing.T) {
	p := silvaPI(t)
	p.Ki, p.Kp, p.LeadNum, p.LeadDen, p.Quantum, p.Range = 0, 1, []float64{1}, []float64{1}, 1e-3, 2e-3
	c := made(t, p)
	target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
	for _, tc := range []struct{ d, x, want float64 }{
		{0.0004, 0, 0}, {0.0006, 0, 0.001}, {0.0016, 0.0004, 0.002}, {0.010, 0, 0.002}, {-0.010, 0, -0.002},
	} {
		target.X[0], read.X[0] = tc.d, tc.x
		c.Step(u, &target, &read)
		if math.Abs(u[0]-tc.want) > 1e-12 {
			t.Errorf("target %g, measured %g: command %g, want %g", tc.d, tc.x, u[0], tc.want)
		}
	}
	c.(rths.Idealiser).Idealise(true)
	target.X[0], read.X[0] = 0.0104, 0
	c.Step(u, &target, &read)
	if math.Abs(u[0]-0.0104) > 1e-12 {
		t.Errorf("idealised command %g, want 0.0104", u[0])
	}
}

func TestPIWrongInput(t *testing.T) {
	p := silvaPI(t)
	p.LeadNum = []float64{1, 2, 3}
	if _, err := p.Make(compensate.At{RateHz: rate}); err == nil ||
		!strings.Contains(err.Error(), "want a proper function") {
		t.Errorf("an improper lead: %v", err)
	}
	p = silvaPI(t)
	p.Quantum = -1
	if _, err := p.Make(compensate.At{RateHz: rate}); err == nil || !strings.Contains(err.Error(), "want 0 or more") {
		t.Errorf("a negative quantum: %v", err)
	}
}
