package compensate_test

import (
	"math"
	"math/cmplx"
	"strings"
	"testing"

	"rths"
	"rths/method/compensate"
)

// delayed is a plant of so many samples of delay with a gain, under the command of
// a compensator whose target is lead samples ahead of the reading. It returns the
// compensator and the largest tracking error of the last second.
func delayed(t *testing.T, p *compensate.ForwardPrediction, lead, samples int, gain,
	seconds float64) (c rths.Compensator, worst float64) {
	t.Helper()
	const rate = 1024
	c, err := p.Make(compensate.At{RateHz: rate, Lead: lead})
	if err != nil {
		t.Fatal(err)
	}
	at := func(k int) float64 {
		s := float64(k) / rate
		return 3e-3*math.Sin(2*math.Pi*1.3*s) + 1e-3*math.Sin(2*math.Pi*3.1*s)
	}
	issued := make([]float64, samples+lead) // the command that aims at t_k leaves at k − lead
	target, read, command := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
	for k := range int(seconds * rate) {
		read.X[0] = gain * issued[k]
		target.X[0] = at(k + lead)
		c.Step(command, &target, &read)
		issued = append(issued, command[0])
		if k > int((seconds-1)*rate) {
			worst = max(worst, math.Abs(read.X[0]-at(k)))
		}
	}
	return c, worst
}

// A plant that is a delay and a gain is recovered, in either timing, from above and
// below, and tracked to the error of the polynomial.
func TestForwardPredictionRecoversDelayAndGain(t *testing.T) {
	for lead := range 2 {
		for _, start := range []float64{1e-6, 20} {
			p := &compensate.ForwardPrediction{Order: 3, Points: 4, TauMs: start, Gain: 1, TauRate: 0.3, GainRate: 0.3,
				MaxTauMs: 50, SuspendBelow: 1e-5}
			c, worst := delayed(t, p, lead, 10, 0.92, 40)
			got := channels(c)
			if tau := 10.0 / 1024; math.Abs(got[0]-tau) > 0.01*tau || math.Abs(got[1]-1/0.92) > 0.005 {
				t.Errorf("lead %d from τ = %g ms: τ = %.5f s, k = %.5f: want %.5f, %.5f", lead, start, got[0], got[1], tau, 1/0.92)
			}
			if worst > 1e-5 {
				t.Errorf("lead %d: tracked to %.2g m: want 10 µm", lead, worst)
			}
		}
	}
}

// The polynomial is exact: a target of its order is met τ ahead, whatever the
// number of points.
func TestForwardPredictionIsThePolynomial(t *testing.T) {
	const rate, tau = 1024, 0.013
	for order := 1; order <= 4; order++ {
		for _, points := range []int{order + 1, 16, 40} {
			p := &compensate.ForwardPrediction{Order: order, Points: points, TauMs: 1e3 * tau, Gain: 1.1, MaxTauMs: 50}
			c, err := p.Make(compensate.At{RateHz: rate})
			if err != nil {
				t.Fatal(err)
			}
			at := func(s float64) float64 { return 1e-3 * (1 + 3*math.Pow(s, float64(order))) }
			target, read, command := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
			for k := range 200 {
				target.X[0] = at(float64(k) / rate)
				c.Step(command, &target, &read)
			}
			if want := 1.1 * at(199.0/rate+tau); math.Abs(command[0]-want) > 1e-10 {
				t.Errorf("order %d, %d points: command %.12g m, want %.12g", order, points, command[0], want)
			}
		}
	}
}

func TestForwardPredictionModel(t *testing.T) {
	m := (&compensate.ForwardPrediction{}).PlantModel(rate, []float64{0.01, 1.25})
	if got, want := m(12.5), 0.8*cmplx.Exp(complex(0, -2*math.Pi*12.5*0.01)); cmplx.Abs(got-want) > 1e-15 {
		t.Errorf("%v, want %v", got, want)
	}
	if (&compensate.ForwardPrediction{}).PlantModel(rate, []float64{1}) != nil {
		t.Error("a model of too few parameters")
	}
}

func TestForwardPredictionErrors(t *testing.T) {
	good := compensate.ForwardPrediction{Order: 3, Points: 8, TauMs: 5, Gain: 1, MaxTauMs: 10}
	for want, spoil := range map[string]func(p *compensate.ForwardPrediction){
		"order 0: want 1 to 6":                            func(p *compensate.ForwardPrediction) { p.Order = 0 },
		"3 points for a polynomial of order 3: want 4 to": func(p *compensate.ForwardPrediction) { p.Points = 3 },
		"a delay of 11 ms at first, more than":            func(p *compensate.ForwardPrediction) { p.TauMs = 11 },
		"tau_ms NaN":                                      func(p *compensate.ForwardPrediction) { p.TauMs = math.NaN() },
		"max_tau_ms -1: want 0 to 1000":                   func(p *compensate.ForwardPrediction) { p.MaxTauMs = -1 },
		"gain 3: want 0.5 to 2":                           func(p *compensate.ForwardPrediction) { p.Gain = 3 },
		"tau_rate -1, gain_rate 0: want 0 to 1":           func(p *compensate.ForwardPrediction) { p.TauRate = -1 },
		"gain_rate 2: want 0 to 1":                        func(p *compensate.ForwardPrediction) { p.GainRate = 2 },
		"suspend_below_m NaN: want 0 or more": func(p *compensate.ForwardPrediction) {
			p.SuspendBelow = math.NaN()
		},
	} {
		p := good
		spoil(&p)
		if _, err := p.Make(compensate.At{RateHz: rate}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v: want %q", err, want)
		}
	}
}

// A plant that is later than the largest delay is refused with its delay.
func TestForwardPredictionOfASlowPlant(t *testing.T) {
	p := forwardDefaults(t)
	p.TauMs, p.MaxTauMs = 0, 60
	slow := func(hz float64) (complex128, error) { return cmplx.Exp(complex(0, -2*math.Pi*hz*0.08)), nil }
	const want = "a delay of 80 ms at first, more than max_tau_ms, 60: want a larger max_tau_ms"
	if _, err := p.Make(compensate.At{RateHz: rate, Plant: slow}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v: want %q", err, want)
	}
}

// A crest of 0.1 mm between half waves of 5 mm teaches nothing, whatever is measured there.
func TestForwardPredictionLeavesSmallCrestsAlone(t *testing.T) {
	c, err := forwardDefaults(t).Make(compensate.At{RateHz: 1000})
	if err != nil {
		t.Fatal(err)
	}
	target, read, command := rths.NewMotion(1), rths.NewReading(1, 1), make([]float64, 1)
	half := func(size, wrong float64) {
		for k := range 100 {
			target.X[0] = size * math.Sin(math.Pi*float64(k)/100)
			read.X[0] = target.X[0] + wrong
			c.Step(command, &target, &read)
		}
	}
	half(5e-3, 0)
	half(-5e-3, 0)
	before := rths.AppendAdaptation(nil, c)
	half(1e-4, 1e-4)
	if v := rths.AppendAdaptation(nil, c)[1]; v != before[1] {
		t.Errorf("the gain moved from %g to %g", before[1], v)
	}
	half(-5e-3, 1e-3)
	if v := rths.AppendAdaptation(nil, c)[1]; v == before[1] {
		t.Errorf("the gain stayed at %g after a crest as large as ever", v)
	}
}

// The defaults magnify what is wrong with a target alike at every rate: by the sum of
// the weights' magnitudes, about 3 (τ + τ/8)/(τ/4) = 13.5 for a line through the
// time τ/4 that is evaluated τ ahead.
func TestForwardPredictionMagnifiesNoMoreAtHighRates(t *testing.T) {
	for _, rate := range []float64{400, 1024, 2048, 4096, 20480} {
		p := forwardDefaults(t)
		c, err := p.Make(compensate.At{RateHz: rate, Lead: 1})
		if err != nil {
			t.Fatal(err)
		}
		if want := int(math.Round(0.005 * rate)); p.Points != max(want, 2) {
			t.Errorf("%g Hz: %d points, want %d", rate, p.Points, max(want, 2))
		}
		c.(rths.Adaptive).Freeze(true)
		target, read, command := rths.NewMotion(1), rths.NewReading(1, 1), make([]float64, 1)
		sum := 0.0
		for k := range p.Points {
			target.X[0] = 0
			if k == 0 {
				target.X[0] = 1
			}
			c.Step(command, &target, &read)
			sum += math.Abs(command[0])
		}
		if sum > 30 || sum < 5 {
			t.Errorf("%g Hz: an error of the target comes out %g times as large, want 5 to 30", rate, sum)
		}
	}
}

// forwardDefaults are the defaults with a delay of 20 ms: there is no plant.
func forwardDefaults(t *testing.T) *compensate.ForwardPrediction {
	t.Helper()
	for _, k := range compensate.Kinds {
		if p, ok := k.Defaults().(*compensate.ForwardPrediction); ok {
			p.TauMs, p.Gain = 20, 1
			return p
		}
	}
	t.Fatal("no forward-prediction in the table")
	return nil
}
