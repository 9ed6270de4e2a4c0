package compensate

import (
	"math"
	"testing"

	"rths"
)

// band is a target of three sines, m.
func band(at float64) float64 {
	return 1e-3 * (math.Sin(2*math.Pi*1.3*at) + math.Sin(2*math.Pi*2.9*at+1) + 0.5*math.Sin(2*math.Pi*4.3*at+2))
}

// On an actuator that is the law's own, x = (u + (α* − 1) x before)/α*, τ goes to the actuator's delay from above and
// below, whatever it begins with, and the error vanishes.
func TestWFEIFindsAFirstOrderActuator(t *testing.T) {
	const rate, tau = 1024.0, 0.012
	for _, first := range []float64{0.1, 6, 12, 25} {
		for _, window := range []float64{1, 2, 4} {
			p := wfeiDefaults()
			p.TauMs, p.WindowS = first, window
			c, err := p.Make(At{RateHz: rate})
			if err != nil {
				t.Fatal(err)
			}
			alpha, x, worst := 1+tau*rate, 0.0, 0.0
			command, target, read := make([]float64, 1), rths.Motion{X: make([]float64, 1)}, rths.NewReading(1, 0)
			u := 0.0
			for k := range int(30 * rate) {
				d := band(float64(k) / rate)
				x = (u + (alpha-1)*x) / alpha // the answer to the last command
				target.X[0] = d
				read.X[0] = x
				c.Step(command, &target, &read)
				u = command[0]
				if k > int(25*rate) {
					worst = max(worst, math.Abs(x-band(float64(k-1)/rate)))
				}
			}
			// The reading is a sample late: in the mean this is found too.
			got := 1e3 * *c.(rths.Channeler).Channels()[0].V
			if math.Abs(got-1e3*(tau+1/rate)) > 0.1 {
				t.Errorf("from %g ms, window %g s: τ = %.4f ms: want %.4f", first, window, got, 1e3*(tau+1/rate))
			}
			if worst > 0.1*2.5e-3 {
				t.Errorf("from %g ms, window %g s: error %.3g mm at the end", first, window, 1e3*worst)
			}
		}
	}
}

// τ holds at rest, in noise without motion, while it is frozen, and in lost readings; it stays within its bounds.
func TestWFEIHolds(t *testing.T) {
	const rate = 512.0
	for _, tc := range []struct {
		name           string
		scale          float64 // of the motion
		lost, frozen   bool
		lag            float64 // s, of the reading
		least, most    float64 // ms, of τ at the end
		maxTau, before float64 // ms
	}{
		{"at rest", 0, false, false, 0, 10, 10, 60, 10},
		{"small motion", 1e-3, false, false, 0.02, 10, 10, 60, 10},
		{"frozen", 1, false, true, 0.02, 10, 10, 60, 10},
		{"all readings lost", 1, true, false, 0.02, 10, 10, 60, 10},
		{"too late for the bound", 1, false, false, 0.05, 15, 15, 15, 10},
		{"early", 1, false, false, -0.02, 0, 0, 60, 10},
	} {
		p := wfeiDefaults()
		p.TauMs, p.MaxTauMs = tc.before, tc.maxTau
		c, err := p.Make(At{RateHz: rate})
		if err != nil {
			t.Fatal(err)
		}
		c.(rths.Adaptive).Freeze(tc.frozen)
		command, target, read := make([]float64, 1), rths.Motion{X: make([]float64, 1)}, rths.NewReading(1, 0)
		for k := range int(40 * rate) {
			at := float64(k) / rate
			target.X[0], read.X[0] = tc.scale*band(at), tc.scale*band(at-tc.lag)
			if tc.lost {
				read.Age = 1
			}
			c.Step(command, &target, &read)
		}
		if got := 1e3 * *c.(rths.Channeler).Channels()[0].V; got < tc.least || got > tc.most {
			t.Errorf("%s: τ = %g ms: want %g to %g", tc.name, got, tc.least, tc.most)
		}
	}
}

// One reading of ten that is lost at random leaves the delay that is found: both sides of the pair hold.
func TestWFEIBearsLostReadings(t *testing.T) {
	const rate, lag = 1024.0, 0.015
	p := wfeiDefaults()
	p.TauMs, p.Rate = 15, 1
	c, err := p.Make(At{RateHz: rate})
	if err != nil {
		t.Fatal(err)
	}
	command, target, read := make([]float64, 1), rths.Motion{X: make([]float64, 1)}, rths.NewReading(1, 0)
	for k := range int(30 * rate) {
		at := float64(k) / rate
		target.X[0], read.X[0], read.Age = band(at), band(at), 0
		if k*7919%10 == 0 {
			read.X[0], read.Age = 1, 3
		}
		c.Step(command, &target, &read)
	}
	if got := 1e3 * *c.(rths.Channeler).Channels()[0].V; math.Abs(got-15) > 0.05 {
		t.Errorf("τ = %g ms without any delay to find: want 15", got)
	}
}

func TestWFEIWrongInput(t *testing.T) {
	for _, change := range []func(p *WFEI){
		func(p *WFEI) { p.WindowS = 0.1 }, func(p *WFEI) { p.WindowS = math.NaN() }, func(p *WFEI) { p.Rate = 1.1 },
		func(p *WFEI) { p.MaxTauMs = -1 }, func(p *WFEI) { p.TauMs = 170 }, func(p *WFEI) { p.SuspendBelow = -1 },
	} {
		p := wfeiDefaults()
		change(p)
		if _, err := p.Make(At{RateHz: 1024}); err == nil {
			t.Errorf("%+v: want an error", p)
		}
	}
}
