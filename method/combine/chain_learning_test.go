package combine

import (
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/method/compensate"
	"rths/method/identify"
)

// ownCommands tell a method of its own commands alone.
func ownCommands() []identify.Sent {
	sent := make([]identify.Sent, 1)
	sent[0].Set(1, 0)
	return sent
}

// difference is the backward difference over h.
func difference(hz float64) complex128 {
	return (1 - cmplx.Exp(complex(0, -2*math.Pi*hz/chainRate))) * chainRate
}

// learners are the methods that learn from their commands, from a start 30 % beside the plant.
func learners() map[string]Part {
	start, wide := []float64{1.3, 0.007}, []float64{9, 9}
	theta := []float64{start[0] + start[1]*chainRate, -start[1] * chainRate}
	return map[string]Part{
		"amb": {Kind: "amb", Maker: &compensate.AMB{A: start, FilterOrder: 4, FilterHz: 20}},
		"ats": {Kind: "ats", Maker: &compensate.ATS{A: start, Lower: []float64{0, 0}, Upper: wide, MaxRate: wide, Window: 1,
			FilterOrder: 4, FilterHz: 20}},
		"cats": {Kind: "cats", Maker: &compensate.CATS{A: start, Lower: []float64{0, 0}, Upper: wide, P0: []float64{1e12},
			Forgetting: 1, FilterOrder: 4, FilterHz: 20}},
		"kf": {Kind: "kf", Maker: &compensate.KF{X0: theta, Spacing: 1, QF: 1e3, R: 1e-9, FilterOrder: 4, FilterHz: 20}},
		"kf, late": {Kind: "kf", Maker: &compensate.KF{X0: theta, Spacing: 1, QF: 1e3, R: 1e-9, FilterOrder: 4, FilterHz: 20,
			ExtraSamples: 2}},
		"adm": {Kind: "adm", Maker: &compensate.ADM{P: 0, Q: 2, Theta0: theta, P0: []float64{1e12}, History: "target",
			Forgetting: 1, FilterOrder: 4, FilterHz: 20}},
		"adm, p 1": {Kind: "adm", Maker: &compensate.ADM{P: 1, Q: 2, Theta0: append([]float64{0.1}, theta...),
			P0: []float64{1e12}, History: "target", Forgetting: 1, FilterOrder: 4, FilterHz: 20}},
		"rodeac": {Kind: "rodeac", Maker: &compensate.RoDeAC{Theta0: [][]float64{theta}, P0: [][]float64{{1e12}},
			Forgetting:  1,
			FilterOrder: 4, FilterHz: 20}},
	}
}

// learn runs a chain on the plant for some seconds, and returns the channels.
func learn(c rths.Compensator, lead, seconds int) (channels []float64) {
	plant := rthstest.NewLagPlant(lead, chainRate)
	target, read, u := rths.NewMotion(1), rths.NewReading(1, 0), make([]float64, 1)
	for k := range seconds * chainRate {
		rthstest.Sine(&target, k+lead, chainRate)
		c.Step(u, &target, &read)
		read.X[0] = plant.Step(u[0])
	}
	for _, ch := range c.(rths.Channeler).Channels() {
		channels = append(channels, *ch.V)
	}
	return channels
}

// Beside feedback, too, a method that learns from its commands finds the plant, because it
// learns from the sum that the rig got: the models of all methods are exact here. From its own
// commands alone each finds another plant, and comes the nearer, the sooner it forgets.
func TestAdaptiveBesideFeedbackFindsThePlant(t *testing.T) {
	for _, lead := range []int{1, 3} {
		for name, part := range learners() {
			besideFeedback(t, name, part, lead)
		}
	}
}

// besideFeedback compares a method that is told the feedback with one that is not.
func besideFeedback(t *testing.T, name string, part Part, lead int) {
	made := func() *parallelChain {
		return chained(t, &Chain{Join: Parallel, Of: []Part{part, plainPI(0.5, 20)}},
			compensate.At{RateHz: chainRate, Lead: lead}).(*parallelChain)
	}
	off := func(parameters []float64) (worst float64) {
		model := part.Maker.(compensate.Identified).PlantModel(chainRate, parameters)
		for _, hz := range []float64{1.1, 3.6} {
			plant := 1 / (1 + 0.010*difference(hz))
			worst = max(worst, cmplx.Abs(model(hz)/plant-1))
		}
		return worst
	}
	told := off(learn(made(), lead, 3))
	blind := made()
	blind.forward.(compensate.Sharer).Share(ownCommands())
	untold := off(learn(blind, lead, 3))
	t.Logf("%s: %.2g beside the plant, from its own commands alone %.2g", name, told, untold)
	// A gradient has its rate; with p 1 there is a parameter too many, and P(0) counts.
	if limit := map[string]float64{"amb": 1e-4, "adm, p 1": 1e-4}[name]; !(told < max(limit, 1e-6)) {
		t.Errorf("%s: the model is %.3g beside the plant", name, told)
	}
	if !(untold > 20*told) {
		t.Errorf("%s: from its own commands alone %.3g beside the plant: want more than 20 times %.3g", name, untold, told)
	}
}

// To look at the response of a part leaves the part as it was: its state, and able to learn.
func TestLinearisedPartsGoOn(t *testing.T) {
	c, twin := rthstest.Must(kindOf("adm").Make(benchAt(chainRate, 1, 0))),
		rthstest.Must(kindOf("adm").Make(benchAt(chainRate, 1, 0)))
	start := rths.AppendAdaptation(nil, c)
	ride(1, 2000, func(k int, u [][]float64) {
		if k == 1000 {
			rthstest.Must(linearised(c, chainRate))
		}
		if u[0][0] != u[1][0] && !t.Failed() {
			t.Errorf("tick %d: %g, without a look %g", k, u[0][0], u[1][0])
		}
	}, c, twin)
	if slices.Equal(start, rths.AppendAdaptation(nil, c)) {
		t.Error("nothing is learnt")
	}
}

// Converters do not make a feedforward of a feedback.
func TestFeedbackWithConverters(t *testing.T) {
	pi := kindOf("pi").(*compensate.PI)
	pi.LeadNum, pi.LeadDen = []float64{1}, []float64{1}
	chained(t, &Chain{Join: Parallel, Of: append(partsOf("amb"), Part{Kind: "pi", Maker: pi})},
		benchAt(chainRate, 1, 0))
}

// Idealise reaches the parts: without converters a command of less than a step is not 0.
func TestChainIdealises(t *testing.T) {
	for _, join := range []string{Series, Parallel} {
		c := chained(t, &Chain{Join: join, Of: partsOf("pi")}, benchAt(chainRate, 1, 0))
		target, read, u := rths.NewMotion(1), rths.NewReading(1, 0), make([]float64, 1)
		target.X[0] = 1e-9
		for _, on := range []bool{false, true, false} {
			c.(rths.Idealiser).Idealise(on)
			state := rths.AppendState(nil, c)
			if c.Step(u, &target, &read); (u[0] != 0) != on {
				t.Errorf("%s, idealised %v: command %g of a target of 1e-9 m", join, on, u[0])
			}
			rths.SetState(state, c)
		}
	}
}

// Bounds are told by the names of the channels.
func TestChainAtBounds(t *testing.T) {
	part := Part{Name: "forward", Kind: "amb", Maker: &compensate.AMB{A: []float64{1.3, 0.007}, Lower: []float64{1.2, 0},
		FilterOrder: 4, FilterHz: 20}}
	c := chained(t, &Chain{Join: Parallel, Of: []Part{part, plainPI(0.5, 20)}}, compensate.At{RateHz: chainRate, Lead: 1})
	if c.(compensate.Pinned).Pinned() {
		t.Error("pinned before it has learnt anything")
	}
	learn(c, 1, 3)
	got, pinned := c.(compensate.Bounded).AtBounds(), c.(compensate.Pinned).Pinned()
	if len(got) != 1 || got[0] != "forward_a0" || !pinned {
		t.Errorf("at bounds: %v, pinned %t: want forward_a0", got, pinned)
	}
}

// Two stages on a pure delay of 20 samples: pe removes 16, the discrete model finds 4. The
// model starts from zⁿ H, learns with the lead of 16 samples, and shows the delay of 4
// samples. Both stages together leave no delay.
func TestTwoStages(t *testing.T) {
	const whole, known = 20, 16
	at := compensate.At{RateHz: chainRate, Plant: func(hz float64) (complex128, error) {
		return cmplx.Exp(complex(0, -2*math.Pi*hz*whole/chainRate)), nil
	}}
	adm := kindOf("adm")
	c := chained(t, &Chain{Of: []Part{
		{Kind: "pe", Maker: &compensate.PE{Lag: compensate.Lag{TauMs: 1e3 * known / chainRate}, Order: 3, Spacing: 1}},
		{Kind: "adm", Maker: adm},
	}}, at)
	delay := func() float64 {
		for _, ch := range c.(rths.Channeler).Channels() {
			if ch.Name == "adm_model_delay" {
				return *ch.V * chainRate
			}
		}
		t.Fatal("no channel adm_model_delay")
		return 0
	}
	if d := delay(); math.Abs(d-4) > 0.1 {
		t.Errorf("the model starts with a delay of %g samples: want 4", d)
	}
	var late [whole]float64
	target, read, u := rths.NewMotion(1), rths.NewReading(1, 0), make([]float64, 1)
	past := []float64{}
	missed, size := 0.0, 0.0
	for k := range 4 * chainRate {
		rthstest.Sine(&target, k, chainRate)
		past = append(past, target.X[0])
		read.X[0] = late[k%whole] // the command of tick k − 20
		c.Step(u, &target, &read)
		late[k%whole] = u[0]
		if k > 2*chainRate {
			missed, size = missed+math.Pow(read.X[0]-past[k], 2), size+past[k]*past[k]
		}
	}
	t.Logf("delay %.4f samples, rms error %.3g", delay(), math.Sqrt(missed/size))
	if d := delay(); math.Abs(d-4) > 0.1 {
		t.Errorf("the model has a delay of %g samples after learning: want 4", d)
	}
	// A cubic through neighbouring samples misses (η(η+1)(η+2)(η+3)/24) (ωh)⁴ of a sine, 9.2e-4 of
	// 3.6 Hz for 16 samples. Both stages together lead by the delay: nothing else is left.
	if e := math.Sqrt(missed / size); !(e < 1e-3) {
		t.Errorf("rms error %.3g of the target: want less than 1e-3", e)
	}
}

// After an extrapolation the delay that is left is compensated once: the transfer system's
// delay of 20 ms and half a sample for the hold, less the extrapolation.
func TestDelayIsTakenOnce(t *testing.T) {
	at := benchAt(chainRate, 1, 0)
	front := Part{Kind: "pe", Maker: &compensate.PE{Lag: compensate.Lag{TauMs: 8e3 / chainRate}, Order: 3, Spacing: 1}}
	behind := &compensate.Inverse{}
	chained(t, &Chain{Of: []Part{front, {Kind: "inverse", Maker: behind}}}, at)
	if want := 20 + 0.5e3/chainRate - 8e3/chainRate; math.Abs(behind.TauMs-want) > 1e-9 {
		t.Errorf("inverse removes %g ms behind pe: want %g ms", behind.TauMs, want)
	}
	open := &compensate.PE{Order: 3, Spacing: 1} // rounds 20.98 samples
	chained(t, &Chain{Of: []Part{{Kind: "pe", Maker: open}, {Kind: "inverse", Maker: behind}}}, at)
	if n := open.TauMs * chainRate / 1e3; math.Abs(n-21) > 1e-9 {
		t.Errorf("pe extrapolates %g samples: want 21", n)
	}
	series := &compensate.AMB{Order: 2, Initial: "bare-transfer", FilterOrder: 4, FilterHz: 20}
	chained(t, &Chain{Of: []Part{front, {Kind: "amb", Maker: series}}}, at)
	d := 8.0 / chainRate // (1 + 0.02 s + 1e-4 s²)(1 − d s + d²/2 s²)
	for i, want := range []float64{1, 0.02 - d, 1e-4 - 0.02*d + d*d/2} {
		if math.Abs(series.A[i]-want) > 1e-15 {
			t.Errorf("a%d is %g behind pe: want %g", i, series.A[i], want)
		}
	}
}
