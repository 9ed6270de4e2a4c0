package compensate

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"strings"
	"testing"

	"rths"
	"rths/method/identify"
)

// The delay of the exact model is the held plant's, 2ζ/ω + h/2, less the sample by which
// the command is ahead; the images of the hold add 3 µs. It is the slope of
// the model's phase.
func TestWatchedDelay(t *testing.T) {
	const h = 1 / wangRate
	exact := newHeldPlant(50, 0.8, h).exact()
	w := identify.NewWatch(1, 3, h)
	w.Lag(exact)
	if want := 2*0.8/50 - h/2; math.Abs(delayOf(w)-want) > 5e-6 {
		t.Errorf("delay %.12g s: want %.12g", delayOf(w), want)
	}
	r := rand.New(rand.NewPCG(2, 2))
	for range 50 {
		m := ADM{P: 2, Q: 4, Spacing: 3}
		theta := []float64{0.3 * r.NormFloat64(), 0.1, 5 + r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), 0.4}
		w := identify.NewWatch(2, 4, 3*h)
		w.Lag(theta)
		const hz = 1e-4
		slope := -cmplx.Phase(m.PlantModel(wangRate, theta)(hz)/m.PlantModel(wangRate, theta)(-hz)) / (4 * math.Pi * hz)
		if math.Abs(delayOf(w)-slope) > 1e-6*math.Abs(slope)+1e-9 {
			t.Errorf("θ = %g: delay %.9g s, slope of the phase %.9g", theta, delayOf(w), slope)
		}
	}
}

// delayOf is the channel of the delay.
func delayOf(w identify.Watch) float64 { return *w.Channels()[2].V }

// A reading that teaches a model with a pole outside moves the parameters in
// use only where nothing is held; both count it. The estimate runs on, so that a
// sound one is taken up again.
func TestADMHoldsTheLastSoundModel(t *testing.T) {
	for _, hold := range []bool{false, true} {
		m := ADM{Q: 2, Initial: "given", Theta0: []float64{3, -2}, P0: []float64{1e12}, History: "measured", Spacing: 1,
			Forgetting: 0.9, HoldUnstable: hold}
		c := madeADM(t, m, At{RateHz: wangRate, Lead: 1})
		target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
		x, worst := 0.0, 0.0
		for k := range 300 {
			target.X[0] = 0.01 * math.Sin(0.3*float64(k))
			old := x
			x = (u[0] + 2*x) / 3 // the model of θ(0)
			if read.X[0] = x; k > 100 && k < 110 {
				read.X[0] = -1.5 * old // nothing like it
			}
			c.Step(u, &target, &read)
			worst = max(worst, math.Abs(c.theta[1]/c.theta[0])) // the pole
		}
		outside, steps := *c.watch.Channels()[0].V, *c.watch.Channels()[1].V
		if steps == 0 || outside != 0 {
			t.Errorf("hold %v: %g steps with a pole outside, %g at the end: want some, none", hold, steps, outside)
		}
		if (worst < 1) != hold {
			t.Errorf("hold %v: the largest pole in use was %.3g", hold, worst)
		}
	}
}

func TestADMHoldWantsASoundStart(t *testing.T) {
	for what, theta := range map[string][]float64{"a pole": {0.2, 1, -2}, "a zero": {-1.2, 3, -2},
		"a pole and a zero": {1.2, 1, -2}} {
		m := ADM{P: 1, Q: 2, Initial: "given", Theta0: theta, History: "measured", Spacing: 1, Forgetting: 1,
			HoldUnstable: true}
		_, err := m.Make(At{RateHz: wangRate})
		if err == nil || !strings.Contains(err.Error(), "already has "+what+" outside the unit circle") {
			t.Errorf("θ(0) = %g: error %v, want one that says %q", theta, err, what)
		}
	}
}
