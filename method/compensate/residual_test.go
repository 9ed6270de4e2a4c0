package compensate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/method/kalman"
)

// With the exact model of the plant the residual is what the noise of the sensor makes of it:
// its mean square over a long test is the one that Residual states. Without noise it is 0.
func TestResidualOfTheExactModelIsNoise(t *testing.T) {
	exact := func(m Maker) {
		theta := []float64{1 + 0.010*chainRate, -0.010 * chainRate}
		switch p := m.(type) {
		case *AMB:
			p.A = []float64{1, 0.010}
		case *ATS:
			p.A = []float64{1, 0.010}
		case *CATS:
			p.A = []float64{1, 0.010}
		case *KF:
			p.X0 = theta
		case *ADM:
			p.Theta0 = append(make([]float64, p.P), theta...)
		case *RoDeAC:
			p.Theta0 = [][]float64{theta}
		}
	}
	const sd, seconds = 16e-6, 60
	for name, maker := range learners() {
		exact(maker)
		for _, sigma := range []float64{0, sd} {
			c := rthstest.Must(maker.Make(At{RateHz: chainRate, Lead: 1, Noise: sd}))
			c.(rths.Adaptive).Freeze(true)
			plant, r := rthstest.NewLagPlant(1, chainRate), rand.New(rand.NewPCG(5, 6))
			target, read, u := rths.NewMotion(1), rths.NewReading(1, 0), make([]float64, 1)
			var sum, stated float64
			for k := range seconds * chainRate {
				rthstest.Sine(&target, k+1, chainRate)
				c.Step(u, &target, &read)
				left, noise := c.(Watched).Residual()
				sum, stated = sum+left*left, noise
				read.X[0] = plant.Step(u[0]) + sigma*r.NormFloat64()
			}
			got := math.Sqrt(sum / (seconds * chainRate))
			if sigma == 0 && !(got < 1e-3*stated) {
				t.Errorf("%s: residual of %.3g m without noise, stated for %g m of noise: %.3g m", name, got, sd, stated)
			}
			// 2 · 20 Hz · 60 s = 2400 independent values: 1.4 % is one standard deviation
			if ratio := got / stated; sigma > 0 && !(math.Abs(ratio-1) < 0.06) {
				t.Errorf("%s: residual of %.4g m, stated %.4g m", name, got, stated)
			} else if sigma > 0 {
				t.Logf("%s: residual of %.4g m, stated %.4g m", name, got, stated)
			}
		}
	}
}

// Pinned says in a tick what AtBounds says with names. Every parameter stays within the bounds that its channel states,
// and one that a bound holds is on it.
func TestPinnedIsAtBounds(t *testing.T) {
	kalman := kalman.Defaults()
	kalman.Bare = []float64{0.97456, 0.019354, 8.2255e-5, 1.9354e-7} // of the benchmark
	for name, m := range map[string]Maker{
		"kalman":   kalman,
		"amb":      &AMB{A: []float64{1.3, 0.007}, Upper: []float64{1.2, 9}, FilterOrder: 4, FilterHz: 20},
		"amb free": &AMB{A: []float64{1.3, 0.007}, FilterOrder: 4, FilterHz: 20},
		"ats": &ATS{A: []float64{1.3, 0.007}, Lower: []float64{1.25, 0}, MaxRate: []float64{9, 9}, Window: 1,
			FilterOrder: 4, FilterHz: 20},
		"cats": &CATS{A: []float64{1.3, 0.007}, Lower: []float64{1.25, 0}, Forgetting: 1, FilterOrder: 4, FilterHz: 20},
		"kf": &KF{X0: []float64{8.2, -7.2}, Lower: []float64{8, -8}, Spacing: 1, QF: 1e3, R: 1e-9, FilterOrder: 4,
			FilterHz: 20},
		"adm": &ADM{Q: 2, Theta0: []float64{8.2, -7.2}, Lower: []float64{8, -8}, P0: []float64{1e12}, History: "target",
			Forgetting: 1, FilterOrder: 4, FilterHz: 20},
		"forward": &ForwardPrediction{Order: 1, TauMs: 10, Gain: 1.9, TauRate: 0.2, GainRate: 1, MaxTauMs: 60},
	} {
		c := rthstest.Must(m.Make(At{RateHz: chainRate, Lead: 1}))
		plant := rthstest.NewLagPlant(1, chainRate)
		target, read, u := rths.NewMotion(1), rths.NewReading(1, 0), make([]float64, 1)
		held := 0
		for k := range 3 * chainRate {
			rthstest.Sine(&target, k+1, chainRate)
			c.Step(u, &target, &read)
			names := c.(Bounded).AtBounds()
			if got := c.(Pinned).Pinned(); got != (len(names) > 0) {
				t.Fatalf("%s, tick %d: pinned %v, at bounds %v", name, k, got, names)
			}
			if len(names) > 0 {
				held++
			}
			for _, ch := range c.(rths.Channeler).Channels() {
				low, high := ch.Lower != nil && *ch.V <= *ch.Lower, ch.Upper != nil && *ch.V >= *ch.Upper
				if low && *ch.V < *ch.Lower || high && *ch.V > *ch.Upper || slices.Contains(names, ch.Name) && !low && !high {
					t.Fatalf("%s, tick %d: %s is %v: bounds %v, at bounds %v", name, k, ch.Name, *ch.V, bounds(ch), names)
				}
			}
			read.X[0] = plant.Step(u[0])
		}
		if want := name != "amb free" && name != "forward"; (held > 0) != want {
			t.Errorf("%s: at a bound in %d ticks", name, held)
		}
	}
}

func bounds(ch rths.Channel) (out [2]float64) {
	for i, b := range []*float64{ch.Lower, ch.Upper} {
		if out[i] = math.NaN(); b != nil {
			out[i] = *b
		}
	}
	return out
}
