package analyse

import (
	"errors"
	"math"
	"math/cmplx"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/maths/lti"
	"rths/maths/signal"
	"rths/method/compensate"
	"rths/model/plant"
	"rths/scenario"
)

var testHz = []float64{0.1, 1, 3.6, 10, 20, 49}

func z(hz, h float64) complex128 { return cmplx.Exp(complex(0, 2*math.Pi*hz*h)) }

// held is the response of the plant under a held command, by an exact ZOH of
// its continuous model.
func held(t *testing.T, s *scenario.Scenario) lti.Response {
	t.Helper()
	specimen, err := s.MakeSpecimen()
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.PlantModel(specimen)
	if err != nil {
		t.Fatal(err)
	}
	if m.Delay(0) != 0 {
		t.Fatalf("delay %g s: this test wants none", m.Delay(0))
	}
	d, err := lti.C2D(m.SS, 1/s.RateHz, lti.ZOH)
	if err != nil {
		t.Fatal(err)
	}
	return d.Response(0, 0)
}

func open(t *testing.T, text string, sets ...string) (*scenario.Scenario, *OpenLoop) {
	t.Helper()
	s := parsed(t, text, sets...)
	o, err := NewOpenLoop(s)
	if err != nil {
		t.Fatal(err)
	}
	return s, o
}

func same(t *testing.T, what string, s *scenario.Scenario, o *OpenLoop, want lti.Response) {
	t.Helper()
	for _, hz := range testHz {
		if got, want := o.Response(hz), want(hz); cmplx.Abs(got-want) > 1e-7*cmplx.Abs(want) {
			t.Errorf("%s of %s at %g Hz: %.9g, want %.9g", what, s.Name, hz, got, want)
		}
	}
}

// Without compensator the open loop is the held plant, a sample earlier with
// timing next and later with a command delay. Records are not needed.
func TestOpenLoopIsTheHeldPlant(t *testing.T) {
	for _, text := range []string{rthstest.Small, rthstest.Silva} {
		for set, samples := range map[string]float64{"timing.target=current": 0, "timing.target=next": 1,
			"timing.command_delay=3": -3, "loop=open": 0} {
			s, o := open(t, text, set)
			g := held(t, s)
			same(t, set, s, o, func(hz float64) complex128 { return g(hz) * cmplx.Pow(z(hz, 1/s.RateHz), complex(samples, 0)) })
			if len(o.V.H)+len(o.A.H) > 0 {
				t.Errorf("%s: rates have responses of %d and %d samples: want none", s.Name, len(o.V.H), len(o.A.H))
			}
		}
	}
}

// Feedback: x = G C (L d − x) gives G C L/(1 + G C), with lead L and controller
// C discretised by Tustin's rule.
func TestOpenLoopWithFeedback(t *testing.T) {
	s, o := open(t, rthstest.Silva, "compensator.kind=pi")
	p := s.Compensator.Params.(*compensate.PI)
	tustin := func(num, den []float64) lti.TF {
		c, err := lti.NewTF(num, den, 0)
		if err == nil {
			c, err = lti.C2DTF(c, 1/s.RateHz, lti.Tustin)
		}
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	lead, pi := tustin(p.LeadNum, p.LeadDen), tustin([]float64{p.Kp, p.Ki}, []float64{1, 0})
	g := held(t, s)
	same(t, "pi", s, o, func(hz float64) complex128 {
		z := z(hz, 1/s.RateHz)
		c := pi.At(z)
		return g(hz) * c * lead.At(z) / (1 + g(hz)*c)
	})
}

// The inverse by backward differences multiplies the held plant.
func TestOpenLoopWithInverse(t *testing.T) {
	s, o := open(t, rthstest.Silva, "compensator.kind=amb",
		"ground={kind: sine, duration_s: 1, frequency_hz: 1, amplitude_m_s2: 1}")
	r, err := s.Build(t.Context(), scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := r.Scenario.Compensator.Params.(*compensate.AMB).A
	g := held(t, s)
	same(t, "amb", s, o, func(hz float64) complex128 {
		var c complex128
		for i := range a {
			for j, d := range signal.Difference(i, 1/s.RateHz) {
				c += complex(a[i]*d, 0) * cmplx.Pow(z(hz, 1/s.RateHz), complex(-float64(j), 0))
			}
		}
		return g(hz) * c
	})
}

// The response with a specimen that yields is that in small motion, as well as it
// is integrated.
func TestOpenLoopOfAYieldingSpecimen(t *testing.T) {
	_, linear := open(t, rthstest.Small, "transfer.kind=silva2020", "specimen.stiffness=2e5")
	_, bilinear := open(t, rthstest.Small, "transfer.kind=silva2020",
		"specimen={kind: bilinear, mass: 10, damping: 100, stiffness: 2e5}")
	for _, hz := range []float64{0.1, 5, 50} {
		if got, want := bilinear.Response(hz), linear.Response(hz); !(cmplx.Abs(got-want) <= 2e-6) {
			t.Errorf("at %g Hz %v, linear %v", hz, got, want)
		}
	}
}

// Every transfer system without compensator is its model under a held command.
// Delays give the displacement at the end of the held sample, and interpolate
// between samples.
func TestOpenLoopOfTheTable(t *testing.T) {
	for _, k := range plant.Transfers {
		if k.Name == "marths" {
			continue // of two actuators
		}
		s, o := open(t, rthstest.Small, "transfer.kind="+k.Name, "specimen.damping=3000")
		if k.Name != "delay" && k.Name != "ideal" {
			same(t, k.Name, s, o, held(t, s))
			continue
		}
		m, err := s.PlantModel(nil)
		if err != nil {
			t.Fatal(err)
		}
		const hz = 0.5
		want := m.SS.Response(0, 0)(hz) * z(hz, -m.Delay(0)-1/s.RateHz)
		if got := o.Response(hz); cmplx.Abs(got-want) > 1e-6*cmplx.Abs(want) {
			t.Errorf("%s: %.8g, late model %.8g", k.Name, got, want)
		}
	}
}

// Every compensator has a response, or the error says that it is not linear.
func TestOpenLoopOfCompensators(t *testing.T) {
	rthstest.Long(t)
	for _, set := range rthstest.Compensators(compensate.Kinds) {
		s := parsed(t, rthstest.Silva, set, "sensors.acceleration=true")
		o, err := NewOpenLoop(s)
		if err != nil {
			if !strings.Contains(err.Error(), "is not linear and has no frequency response") {
				t.Errorf("%s: %v", set, err)
			}
			continue
		}
		if set == "compensator.kind=lqg" {
			continue // a feedback alone
		}
		if gain := cmplx.Abs(o.Response(0.5)); !(gain > 0.9 && gain < 1.1) {
			t.Errorf("%s: gain %g at 0.5 Hz: want about 1", set, gain)
		}
	}
}

// taylor commands where a target with velocity and acceleration will be.
type taylor struct{ tau float64 }

func (p taylor) Make(compensate.At) (rths.Compensator, error) { return p, nil }
func (p taylor) UsesRates()                                   {}
func (p taylor) Step(u []float64, d *rths.Motion, _ *rths.Reading) {
	u[0] = d.X[0] + p.tau*d.V[0] + p.tau*p.tau/2*d.A[0]
}

func TestOpenLoopWithRates(t *testing.T) {
	s := parsed(t, rthstest.Silva)
	const tau = 0.02
	s.Compensator.Params = taylor{tau}
	o, err := NewOpenLoop(s)
	if err != nil {
		t.Fatal(err)
	}
	g := held(t, s)
	same(t, "taylor", s, o, func(hz float64) complex128 {
		jwt := complex(0, 2*math.Pi*hz*tau)
		return g(hz) * (1 + jwt + jwt*jwt/2)
	})
}

// lopsided is not linear, however small the motion; runaway is, and unstable.
type lopsided struct{}

func (p lopsided) Make(compensate.At) (rths.Compensator, error) { return p, nil }
func (p lopsided) Step(u []float64, d *rths.Motion, _ *rths.Reading) {
	u[0] = d.X[0] + math.Abs(d.X[0])/2
}

type runaway struct{ gain float64 }

func (p runaway) Make(compensate.At) (rths.Compensator, error) { return p, nil }
func (p runaway) Step(u []float64, d *rths.Motion, r *rths.Reading) {
	u[0] = d.X[0] + p.gain*r.X[0]
}

// deaf is a transfer system without a model; it never moves.
type deaf struct{}

func (deaf) Make(plant.At) (plant.Plant, error)  { return deaf{}, nil }
func (deaf) Step(now *rths.Reading, _ []float64) { now.X[0] = 0 }

func TestOpenLoopWrongInput(t *testing.T) {
	for _, tc := range []struct {
		change func(s *scenario.Scenario)
		want   string
	}{
		{func(s *scenario.Scenario) { s.Compensator.Params = lopsided{} }, "is not linear and has no frequency response"},
		{func(s *scenario.Scenario) { s.Compensator.Params = runaway{1.5} }, "unstable or hardly damped"},
		{func(s *scenario.Scenario) { s.Compensator.Params = runaway{1e300} }, "diverged at t ="},
		{func(s *scenario.Scenario) { s.Transfer.Params = deaf{} }, "no response within 2048 s of an impulse"},
		{func(s *scenario.Scenario) { s.Perturbed = 1 }, "small.yaml: perturbed: 1: neither"},
	} {
		s := parsed(t, rthstest.Small)
		tc.change(s)
		if _, err := NewOpenLoop(s); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v: want %q", err, tc.want)
		}
	}
}

func TestModelsWrongInput(t *testing.T) {
	s := parsed(t, rthstest.Small)
	s.Transfer.Params = deaf{}
	const want = "small.yaml:6:1: transfer: second-order has no linear model, and so no frequency response"
	if _, err := s.PlantModel(nil); err == nil || err.Error() != want {
		t.Errorf("error %v: want %q", err, want)
	}
	if _, err := s.CompensatorChannels(); err == nil || !strings.Contains(err.Error(), "none has no parameters") {
		t.Errorf("error %v", err)
	}
}

// The n-th random plant is the one perturbed: n in the scenario gives, and the
// scenario it comes from stays as it is.
func TestPerturbedPlant(t *testing.T) {
	for n := 1; n <= 3; n++ {
		nominal := parsed(t, rthstest.Silva)
		drawn := nominal.PerturbedPlant(n)
		asked := parsed(t, rthstest.Silva, "perturbed="+string(rune('0'+n)))
		a, b, c := held(t, drawn)(3.6), held(t, asked)(3.6), held(t, nominal)(3.6)
		if a != b || a == c {
			t.Errorf("plant %d: %g, by the scenario %g, nominal %g", n, a, b, c)
		}
	}
}

// A coupler that no structure of the scenario holds is refused, not run.
func TestOpenLoopWantsOneActuator(t *testing.T) {
	s := parsed(t, rthstest.Silva, "coupler.kind=frame")
	if _, err := NewOpenLoop(s); !errors.Is(err, errSeveral) {
		t.Errorf("two axes: %v", err)
	}
	if _, err := openLoopBetween(s, 0, 1); err == nil || !strings.Contains(err.Error(), "want both of kind marths") {
		t.Errorf("coupler without its structure: %v", err)
	}
}

// spy keeps what a compensator is told of its plant, and commands the target.
type spy struct {
	compensate.None
	at *compensate.At
}

func (p spy) Make(at compensate.At) (rths.Compensator, error) {
	*p.at = at
	return p.None.Make(at)
}

// The plant that compensators start from is the plant as the loop holds it: the opened loop
// without compensator.
func TestPlantThatCompensatorsSee(t *testing.T) {
	for _, sets := range [][]string{
		{"transfer.kind=second-order"}, {"transfer.kind=first-order"}, {"transfer.kind=silva2020", "specimen.stiffness=2e5"},
		{"transfer.kind=silva2020", "specimen={kind: bilinear, mass: 10, damping: 100, stiffness: 2e5}"},
		{"transfer={kind: delay, delay_ms: 7.8125}"}, {"transfer.kind=ideal"}, // 8 samples: nothing is interpolated
		{"transfer.kind=second-order", "timing.target=next"}, {"transfer.kind=second-order", "timing.command_delay=3"},
		{"transfer.kind=second-order", "inner_loop={kp: 0.8}"},
		{"transfer.kind=second-order", "inner_loop={kp: 0.5, ki: 10}"},
	} {
		var at compensate.At
		s := parsed(t, rthstest.Small, sets...)
		s.Compensator.Params = spy{at: &at}
		o, err := NewOpenLoop(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, hz := range []float64{0, 0.5, 5, 19} {
			got, err := at.Plant(hz)
			if want := o.Response(hz); err != nil || cmplx.Abs(got-want) > 1e-5*(1+cmplx.Abs(want)) {
				t.Errorf("%q, %g Hz: compensators see %.6g (%v), the opened loop has %.6g", sets, hz, got, err, want)
			}
		}
	}
}
