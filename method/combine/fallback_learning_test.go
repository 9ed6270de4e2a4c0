package combine

import (
	"fmt"
	"math/cmplx"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/method/compensate"
)

// offThePlant is how far a model is from the plant of learn.
func offThePlant(id compensate.Identified, parameters []float64) (worst float64) {
	model := id.PlantModel(chainRate, parameters)
	for _, hz := range []float64{1.1, 3.6} {
		plant := 1 / (1 + 0.010*difference(hz))
		worst = max(worst, cmplx.Abs(model(hz)/plant-1))
	}
	return worst
}

// A method that does not command learns from what the rig got: before the trip the safe one,
// after it the adaptive one, as exactly as if it commanded. From its own commands it finds
// another plant.
func TestBothMethodsLearnFromWhatTheRigGot(t *testing.T) {
	for _, lead := range []int{1, 3} {
		for name, part := range learners() {
			for _, safe := range []bool{true, false} {
				told, untold := learntAside(t, part, lead, safe, true), learntAside(t, part, lead, safe, false)
				t.Logf("%s, lead %d, safe %v: %.2g beside the plant, from its own commands %.2g", name, lead, safe, told, untold)
				if limit := map[string]float64{"amb": 1e-4, "adm, p 1": 1e-4}[name]; !(told < max(limit, 1e-6)) {
					t.Errorf("%s: the model is %.3g beside the plant", name, told)
				}
				if !(untold > 20*told) {
					t.Errorf("%s: from its own commands %.3g beside the plant: want more than 20 times %.3g", name, untold, told)
				}
			}
		}
	}
}

// learntAside is how far a method is from the plant after 4 s in which another method, whose
// commands are a tenth too large, commands: the adaptive method of a fallback, or, after a trip
// in the first tick, the safe one.
func learntAside(t *testing.T, part Part, lead int, safe, told bool) float64 {
	at := compensate.At{RateHz: chainRate, Lead: lead}
	method := rthstest.Must(part.Maker.Make(at))
	p := Fallback{BlendS: 0.05, AtBoundsS: 2e-3, StaleS: 1}
	var c *fallback
	if safe {
		other := rthstest.Must((&compensate.AMB{A: []float64{1.1, 0.011}, Gamma: []float64{0, 0}, FilterOrder: 4,
			FilterHz: 20}).Make(at))
		c = rthstest.Must(p.Around(other, method, at)).(*fallback)
	} else {
		c = rthstest.Must(p.Around(method, rthstest.Must(firOf(1.1).Maker.Make(at)), at)).(*fallback)
		c.change(stale)
	}
	aside := 1 - c.in
	if !told {
		method.(compensate.Sharer).Share(ownCommands())
	}
	learn(c, lead, 4)
	if c.in == aside {
		t.Fatal("the method commands")
	}
	var parameters []float64
	for _, ch := range method.(rths.Channeler).Channels() {
		parameters = append(parameters, *ch.V)
	}
	return offThePlant(part.Maker.(compensate.Identified), parameters)
}

// A method that cannot be told is held while another commands, and learns again afterwards.
func TestMethodsThatCannotBeToldAreHeld(t *testing.T) {
	at := benchAt(chainRate, 1, 0)
	for name, maker := range map[string]compensate.Maker{
		"forward-prediction": &compensate.ForwardPrediction{Order: 1, TauMs: 10, Gain: 1, TauRate: 0.2,
			GainRate: 0.2, MaxTauMs: 60},
		"chain": &Chain{Of: partsOf("pe", "adm")},
	} {
		method := rthstest.Must(maker.Make(at))
		p := Fallback{BlendS: 0.1, StaleS: 1}
		c := rthstest.Must(p.Around(method, rthstest.Must(firOf(1).Maker.Make(at)), at)).(*fallback)
		learnt := func() string { return fmt.Sprint(rths.AppendAdaptation(nil, method)) }
		var last, now string
		for k, want := range []struct {
			act   func()
			moves bool
		}{{func() {}, true}, {func() { c.change(stale) }, false}, {c.Return, true}} {
			want.act()
			last = learnt()
			learn(c, 1, 2)
			if now = learnt(); (now != last) != want.moves {
				t.Errorf("%s, stage %d: it learns: %v, want %v", name, k+1, now != last, want.moves)
			}
		}
	}
}
