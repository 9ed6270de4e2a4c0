package plant

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// drifting is the benchmark's actuator with three parameters that vary.
var drifting = func() Silva2020 {
	p := silvaCode
	p.Varies = []Variation{
		{Parameter: "alpha1_beta0", Drift: -0.4, DriftTau: 0.5},
		{Parameter: "beta2", Swing: 0.1, SwingRate: 8},
		{Parameter: "alpha3", Swing: 0.5, SwingRate: 30, Drift: 0.2, DriftTau: 0.1},
	}
	return p
}()

// The numbers of kit/independent/varying_actuator.py: displacement and force after 256,
// 512, 768 and 1024 samples.
var variedNumbers = map[string][]float64{
	"after256":  {-0.0007838511965343002, -916.8462962976026},
	"after512":  {0.0007143806597847425, 809.4261993842405},
	"after768":  {0.0007406512130015214, 873.5949671056873},
	"after1024": {-0.0007140971342406524, -817.1435548265557},
}

// Parameters vary inside the sample as in the equations, integrated by another program. The
// fastest rate is about 420 rad/s; in sub-steps of 1/4096 s the error of a step is
// (0.1)⁵/120 = 1e-7 of the motion.
func TestVaryingActuatorIsItsEquations(t *testing.T) {
	const hz = 1024
	u := make([]float64, 1024)
	for k := range u {
		at := 2 * math.Pi * float64(k) / hz
		u[k] = 1e-3*math.Sin(3*at) + 0.5e-3*math.Sin(11*at)
	}
	p := rthstest.Must(drifting.Make(At{RateHz: hz, Specimen: benchmarkSpecimen()}))
	got := drive(p, u)
	still := drive(rthstest.Must(silvaCode.Make(At{RateHz: hz, Specimen: benchmarkSpecimen()})), u)
	for k := 256; k <= 1024; k += 256 {
		want := variedNumbers[fmt.Sprintf("after%d", k)]
		rthstest.Near(t, fmt.Sprintf("x after %d", k), got.x[k-1], want[0], 1e-6*peak(got.x))
		rthstest.Near(t, fmt.Sprintf("F after %d", k), got.f[k-1], want[1], 1e-6*peak(got.f))
	}
	if d := apart(got.x, still.x); !(d > 0.1*peak(still.x)) {
		t.Errorf("the variation moves the plant by %.2g m of %.2g m: want a test of it", d, peak(still.x))
	}
}

func TestProgramOfVaryingActuator(t *testing.T) {
	got := rthstest.Independent(t, "varying_actuator.py")
	for name, want := range variedNumbers {
		rthstest.NearAll(t, name, got[name], want, 1e-10)
	}
}

// A variation of no width is the plant without. Sub-steps λh are at most 0.2, mostly 0.1,
// and the kit holds integrated and exact plants together to 1e-6 (TestSubStepsAreEnough).
func TestVaryingActuatorWithoutVariation(t *testing.T) {
	u := wander(91, 1500, 1e-3)
	p := silvaCode
	p.Varies = []Variation{{Parameter: "beta1", Swing: 1e-300, SwingRate: 3},
		{Parameter: "gain", Drift: 1e-300, DriftTau: 1}}
	for name, s := range specimens(t) {
		if refused(&p, s) {
			continue
		}
		want := drive(rthstest.Must(silvaCode.Make(At{RateHz: rate, Specimen: s})), u)
		same(t, name, drive(rthstest.Must(p.Make(At{RateHz: rate, Specimen: s})), u), want, 1e-6)
	}
}

// Once a drift has ended, the plant is the one with the parameters of the end: 10 T after
// the start of drift e⁻²⁰⁰ is left of it, and of the start's motion e^(−8·1.5) at 8 1/s.
func TestVaryingActuatorDriftsToItsEnd(t *testing.T) {
	p, end := silvaCode, silvaCode
	p.Varies = []Variation{{Parameter: "alpha1_beta0", Drift: -0.4, DriftTau: 0.01},
		{Parameter: "gain", Drift: 0.2, DriftTau: 0.01}}
	end.Alpha1Beta *= 0.6
	end.Gain *= 1.2
	u := wander(92, 4*rate, 1e-3)
	got := drive(rthstest.Must(p.Make(At{RateHz: rate, Specimen: benchmarkSpecimen()})), u)
	want := drive(rthstest.Must(end.Make(At{RateHz: rate, Specimen: benchmarkSpecimen()})), u)
	if d := apart(got.x[3*rate:], want.x[3*rate:]); !(d <= 1e-6*peak(want.x)) {
		t.Errorf("after the drift %.2g m from the plant of its end, largest %.2g", d, peak(want.x))
	}
	if d := apart(got.x[:rate/100], want.x[:rate/100]); !(d > 1e-3*peak(want.x[:rate/100])) {
		t.Errorf("at the start %.2g m from the plant of the end: want a test of the drift", d)
	}
}

// A slow variation is the plant frozen at that instant, but for a remainder in proportion to
// the rate: half the rate, half the remainder. All runs end at the same phase b t = 1 of
// the swing, under the same last second of commands.
func TestSlowVariationIsTheFrozenPlant(t *testing.T) {
	left := func(seconds int) float64 {
		p, frozen := silvaCode, silvaCode
		p.Varies = []Variation{{Parameter: "beta2", Swing: 0.2, SwingRate: 1 / float64(seconds)}}
		frozen.Beta2 *= 1 + 0.2*math.Sin(1)
		u := make([]float64, seconds*rate)
		for k := range u {
			u[k] = 1e-3 * math.Sin(2*math.Pi*5*float64(k)/rate)
		}
		got := drive(rthstest.Must(p.Make(At{RateHz: rate, Specimen: benchmarkSpecimen()})), u)
		want := drive(rthstest.Must(frozen.Make(At{RateHz: rate, Specimen: benchmarkSpecimen()})), u)
		n := len(u) - rate/100 // the last 10 ms
		return apart(got.x[n:], want.x[n:]) / peak(want.x)
	}
	a, b, c := left(4), left(8), left(16)
	t.Logf("from the frozen plant, of the largest displacement: %.3g, %.3g, %.3g", a, b, c)
	if !(a < 5e-3) || !(math.Abs(a/b-2) < 0.2) || !(math.Abs(b/c-2) < 0.1) {
		t.Errorf("from the frozen plant %.3g, at half the rate %.3g, at a quarter %.3g: want half each time", a, b, c)
	}
}

// Idealised, the plant is the linear one of the start of the run, limit lifted.
func TestVaryingActuatorIdealised(t *testing.T) {
	u := wander(93, 2000, 1e-2)
	p := drifting
	p.ForceLimit = 300
	ideal := rthstest.Must(p.Make(At{RateHz: rate, Specimen: benchmarkSpecimen()}))
	ideal.(rths.Idealiser).Idealise(true)
	same(t, "ideal", drive(ideal, u), drive(rthstest.Must(silvaCode.Make(At{RateHz: rate, Specimen: benchmarkSpecimen()})),
		u), 1e-6)
	limited := drive(rthstest.Must(p.Make(At{RateHz: rate, Specimen: benchmarkSpecimen()})), u)
	rthstest.Near(t, "limited force", peak(limited.f), 300, 0)
}

func TestVaryingActuatorErrors(t *testing.T) {
	make := func(v ...Variation) error {
		p := silvaCode
		p.Varies = v
		_, err := p.Make(At{RateHz: rate, Specimen: benchmarkSpecimen()})
		return err
	}
	for want, v := range map[string]Variation{
		`varies[1]: parameter "beta": want one of gain, alpha1_beta0, alpha2`: {Parameter: "beta", Swing: 0.1, SwingRate: 1},
		"the parameter falls to 0 of itself": {Parameter: "beta2", Swing: 0.5, SwingRate: 1,
			Drift: -0.5, DriftTau: 1},
		"swing NaN, swing_rate_rad_s 0, drift 0: want finite": {Parameter: "beta2", Swing: math.NaN()},
		"swing_rate_rad_s +Inf": {Parameter: "beta2", Swing: 0.1,
			SwingRate: math.Inf(1)},
		"swing 0.1 without a rate":                       {Parameter: "beta2", Swing: 0.1},
		"drift 0.1 in drift_tau_s 0: want more than 0 s": {Parameter: "beta2", Drift: 0.1},
		"damping; varies: alpha1_beta0 2.128e+14": {Parameter: "alpha1_beta0", Drift: 9,
			DriftTau: 1},
	} {
		rthstest.WantError(t, make(v), want)
	}
	v := Variation{Parameter: "beta2", Swing: 0.1, SwingRate: 1}
	rthstest.WantError(t, make(v, v), "varies[2]: beta2 varies twice")
	_, err := drifting.Model(benchmarkSpecimen())
	rthstest.WantError(t, err, "no linear model of a plant that varies with time")
}

// What compensators are made for is the plant of the start, which does not vary.
func TestVaryingActuatorAtTheStart(t *testing.T) {
	p := drifting
	at, ok := p.Start().(*Silva2020)
	if !ok || !reflect.DeepEqual(*at, silvaCode) || len(p.Varies) != len(drifting.Varies) {
		t.Errorf("the start of %+v is %+v: want the plant without variations, and the other as it was", p, at)
	}
}
