package plant

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"rths/kit/rthstest"
	"rths/maths/lti"
)

// The specimen of paper 001, Table 4.1: specimen and piston.
var carrionSpecimen = linear{m: 4.03, c: 1665, k: 4.10e4}

// The closed form (4.15) to (4.21), with (4.18) corrected, equals the loop of
// (4.1), (4.3), (4.6), (4.7) and (4.10), block by block, and the model that
// the plant is held by. The stiffness goes as in Fig. 4.3.
func TestServoHydraulicClosedFormIsTheLoop(t *testing.T) {
	p := carrion
	c := func(v float64) complex128 { return complex(v, 0) }
	for _, factor := range []float64{0.5, 1, 5, 10} {
		sp := carrionSpecimen
		sp.k *= factor
		g := rthstest.Must(p.Transfer(sp.m, sp.c, sp.k))
		m := rthstest.Must(p.Model(&sp))
		for _, hz := range []float64{0.1, 1, 10, 50, 300} {
			s := complex(0, 2*math.Pi*hz)
			valve := c(p.ValveGain) / (1 + c(p.ValveTauMs/1e3)*s) // Q = K_q/(1+τs) i_c − K_c p_L
			piston := c(p.PistonArea) / (c(p.FlowPressure) + c(p.FluidVolume/(4*p.BulkModulus))*s)
			specimen := 1 / (c(sp.m)*s*s + c(sp.c)*s + c(sp.k))
			inner := piston * specimen / (1 + piston*specimen*c(p.PistonArea)*s) // x over the valve's flow
			ahead := c(p.ProportionalGain) * valve * inner
			want := ahead / (1 + ahead)
			for what, got := range map[string]complex128{"closed form": g.At(s), "model": rthstest.Must(m.SS.At(s)).At(0, 0)} {
				if d := cmplx.Abs(got - want); !(d <= 1e-9*cmplx.Abs(want)) {
					t.Errorf("%s, k × %g at %g Hz: %v, want %v", what, factor, hz, got, want)
				}
			}
		}
	}
}

// As printed, (4.18) has the k on the third term: D₁ = c + V/(4βK_c) + A²/K_c k + kτ.
// Table 4.1's plant then has a pole in the right half-plane; corrected it has none
// (errata 001.1).
func TestServoHydraulicMisprint(t *testing.T) {
	p, sp := carrion, carrionSpecimen
	good := rthstest.Must(p.Transfer(sp.m, sp.c, sp.k))
	printed := append([]float64(nil), good.Den...)
	area, oil := p.PistonArea*p.PistonArea/p.FlowPressure, p.FluidVolume/(4*p.BulkModulus*p.FlowPressure)
	// of the polynomial as stored
	scale := printed[4] / (sp.k + p.ProportionalGain*p.ValveGain*p.PistonArea/p.FlowPressure)
	rthstest.Near(t, "corrected D1", printed[3]/scale, sp.c+oil*sp.k+area+sp.k*p.ValveTauMs/1e3, 1e-9*area)
	printed[3] = scale * (sp.c + oil + area*sp.k + sp.k*p.ValveTauMs/1e3)
	worst := func(g lti.TF) float64 {
		most := math.Inf(-1)
		for _, pole := range rthstest.Must(g.Poles()) {
			most = max(most, real(pole))
		}
		return most
	}
	if w := worst(good); !(w < 0) {
		t.Errorf("corrected, a pole at %g 1/s: want none in the right half-plane", w)
	}
	if w := worst(rthstest.Must(lti.NewTF(good.Num, printed, 0))); !(w > 0) {
		t.Errorf("as printed, poles at most at %g 1/s: want the misprint to be unstable", w)
	}
}

// (4.11) to (4.13) are the lumped actuator of Fig. 4.2: the same plant.
func TestServoHydraulicLumped(t *testing.T) {
	a1, a2, a3 := carrion.lumped()
	rthstest.Near(t, "a1", a1, 4*6.62e8*3.77e-4*4.84e-4/7.97e-4, 1e-9*a1)
	rthstest.Near(t, "a2", a2, 4*6.62e8*4.84e-4*4.84e-4/7.97e-4, 1e-9*a2)
	rthstest.Near(t, "a3", a3, 4*6.62e8*4.63e-14/7.97e-4, 1e-9*a3)
	sp, tau := carrionSpecimen, carrion.ValveTauMs/1e3
	g := rthstest.Must(carrion.Transfer(sp.m, sp.c, sp.k))
	for _, hz := range []float64{0.5, 5, 50} {
		s := complex(0, 2*math.Pi*hz)
		specimen := complex(sp.m, 0)*s*s + complex(sp.c, 0)*s + complex(sp.k, 0)
		kp := complex(carrion.ProportionalGain*a1, 0)
		want := kp / ((1+complex(tau, 0)*s)*((s+complex(a3, 0))*specimen+complex(a2, 0)*s) + kp)
		if d := cmplx.Abs(g.At(s) - want); !(d <= 1e-9) {
			t.Errorf("at %g Hz: %v, lumped %v", hz, g.At(s), want)
		}
	}
}

// Section 4.2: gain close to 1 at low frequency, hardly any difference between k/2
// and k, and more delay the stiffer the specimen is.
func TestServoHydraulicSpecimenStiffness(t *testing.T) {
	sp := carrionSpecimen
	delay := func(factor float64) float64 {
		g := rthstest.Must(carrion.Transfer(sp.m, sp.c, factor*sp.k))
		rthstest.Near(t, "static gain", real(g.At(0)), 1, 1e-3)
		return -cmplx.Phase(g.At(complex(0, 2*math.Pi))) / (2 * math.Pi) * 1e3
	}
	var ms []float64
	for _, factor := range []float64{0.5, 1, 5, 10} {
		ms = append(ms, delay(factor))
	}
	if !(ms[0] < ms[1] && ms[1] < ms[2] && ms[2] < ms[3]) || !(ms[1]-ms[0] < 0.5) || !(ms[3]-ms[2] > 2) {
		t.Errorf("delays at 1 Hz of k × 0.5, 1, 5, 10: %.3g ms", ms)
	}
	t.Logf("delays at 1 Hz of k × 0.5, 1, 5, 10: %.4g ms", ms)
}

// The inverse without specimen: 1 + A/(K_p K_q) (s + τ s²).
func TestServoHydraulicBareInverse(t *testing.T) {
	c := rthstest.Must(carrion.BareInverse(4))
	lag := carrion.PistonArea / (carrion.ProportionalGain * carrion.ValveGain)
	for i, want := range []float64{1, lag, lag * carrion.ValveTauMs / 1e3, 0} {
		rthstest.Near(t, fmt.Sprintf("s^%d", i), c[i], want, 1e-12*lag)
	}
}

// With a specimen that yields, actuator and specimen are integrated together;
// before yielding the plant equals the linear one.
func TestServoHydraulicWithAYieldingSpecimen(t *testing.T) {
	p := Bilinear{Stiffness: 4.1e4, PostStiffness: 4e3, YieldDisplacement: 0.02, Damping: 1665, Mass: 4.03}
	u := wander(71, 2000, 3e-3)
	want := drive(rthstest.Must(carrion.Make(At{RateHz: rate, Specimen: &carrionSpecimen})), u)
	got := drive(rthstest.Must(carrion.Make(At{RateHz: rate, Specimen: rthstest.Must(p.Make())})), u)
	same(t, "before yielding", got, want, 1e-6)
	p.YieldDisplacement = 1e-3
	if got := drive(rthstest.Must(carrion.Make(At{RateHz: rate, Specimen: rthstest.Must(p.Make())})),
		u); !(apart(got.f, want.f) > 20) {
		t.Errorf("yielding changes the force by %g N: want a test of it", apart(got.f, want.f))
	}
}

func TestServoHydraulicErrors(t *testing.T) {
	for want, spoil := range map[string]func(p *ServoHydraulic){
		"servo-hydraulic transfer system: proportional_gain 0 mA/m: want more than 0": func(p *ServoHydraulic) {
			p.ProportionalGain = 0
		},
		"valve_tau_ms -1 ms: want more than 0":               func(p *ServoHydraulic) { p.ValveTauMs = -1 },
		"valve_gain NaN m³/s/mA":                             func(p *ServoHydraulic) { p.ValveGain = math.NaN() },
		"flow_pressure 0 m³/s/Pa":                            func(p *ServoHydraulic) { p.FlowPressure = 0 },
		"piston_area +Inf m²":                                func(p *ServoHydraulic) { p.PistonArea = math.Inf(1) },
		"fluid_volume -1 m³":                                 func(p *ServoHydraulic) { p.FluidVolume = -1 },
		"bulk_modulus 0 Pa":                                  func(p *ServoHydraulic) { p.BulkModulus = 0 },
		"integral_gain -1 mA/(m·s): want 0 (none) or more":   func(p *ServoHydraulic) { p.IntegralGain = -1 },
		"derivative_gain +Inf mA·s/m: want 0 (none) or more": func(p *ServoHydraulic) { p.DerivativeGain = math.Inf(1) },
		"servo-hydraulic transfer system: unstable":          func(p *ServoHydraulic) { p.IntegralGain = 1e6 },
		"unstable with this specimen, a pole at":             func(p *ServoHydraulic) { p.ProportionalGain *= 20 },
	} {
		p := carrion
		spoil(&p)
		_, err := p.Make(At{RateHz: rate, Specimen: &carrionSpecimen})
		rthstest.WantError(t, err, want)
	}
	_, err := carrion.Make(At{RateHz: rate, Specimen: &linear{c: 1, k: 1}})
	rthstest.WantError(t, err, "servo-hydraulic transfer system: the specimen's mass is 0 kg")
	// the benchmark's specimen is too heavy and too little damped for it
	for _, s := range []Specimen{benchmarkSpecimen(),
		rthstest.Must((&Bilinear{Stiffness: 1.19e6, YieldDisplacement: 1e-3, Mass: 29.13, Damping: 114}).Make())} {
		_, err = carrion.Make(At{RateHz: rate, Specimen: s})
		rthstest.WantError(t, err, "unstable with this specimen")
	}
}
