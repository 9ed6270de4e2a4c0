package analyse

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/maths/lti"
	"rths/scenario"
)

// twoOnAFrame are actuators that feel what they move, a frame whose storeys a brace connects.
const twoOnAFrame = `name: two on a frame
rate_hz: 256
loop: open
timing: {target: next}
target: {kind: multisine, duration_s: 60, period_s: 20, from_hz: 0.2, to_hz: 12, amplitude_m: 0.004}
interface: [1, 2]
specimens:
  - {along: [1, 0], specimen: {kind: linear, mass: 29, damping: 114.6, stiffness: 4e5}}
  - {along: [0, 1], specimen: {kind: linear, mass: 40, damping: 200, stiffness: 6e5}}
  - {along: [-1, 1], specimen: {kind: linear, mass: 5, damping: 500, stiffness: 3e5}}
transfer: {kind: silva2020}
compensator: {kind: none}
limits: none
`

// axesTest runs a scenario and keeps commands and measurements, in which noise may be.
func axesTest(t *testing.T, text string, noise float64, sets ...string) (*IdentifyAxes, *scenario.Scenario) {
	t.Helper()
	s := rthstest.Must(scenario.Parse("axes.yaml", []byte(text), ".", sets))
	r := rthstest.Must(s.Build(t.Context(), scenario.Options{}))
	n, draw := s.Axes(), rand.New(rand.NewPCG(7, 8))
	out := &IdentifyAxes{RateHz: s.RateHz, PeriodS: 20, Command: make([][]float64, n), Measured: make([][]float64, n)}
	for !r.Loop.Done() {
		if err := r.Loop.Step(); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			f := r.Loop.Frame()
			out.Command[i] = append(out.Command[i], f.Command[i])
			out.Measured[i] = append(out.Measured[i], f.Read.X[i]+noise*draw.NormFloat64())
		}
	}
	return out, s
}

// exactly is the frequency response of the scenario's plant under held commands.
func exactly(t *testing.T, s *scenario.Scenario) func(hz float64, i, j int) complex128 {
	t.Helper()
	m := rthstest.Must(s.PlantModel(rthstest.Must(s.MakeSpecimen())))
	held := rthstest.Must(lti.C2D(m.SS, 1/s.RateHz, lti.ZOH))
	return func(hz float64, i, j int) complex128 {
		return rthstest.Must(held.At(cmplx.Exp(complex(0, 2*math.Pi*hz/s.RateHz)))).At(i, j)
	}
}

// The matrix of two actuators that act on each other is that of the plant; gain, delay and bandwidth of each too.
func TestIdentifyAxesFindsThePlant(t *testing.T) {
	data, s := axesTest(t, twoOnAFrame, 0)
	r := rthstest.Must(data.Run())
	g, worst := exactly(t, s), [2]float64{}
	for k, hz := range r.Hz {
		for c, got := range r.G[k] {
			i, j := c/2, c%2
			worst[0] = max(worst[0], cmplx.Abs(got-g(hz, i, j)))
			if hz < r.Axes[j].BandwidthHz && i != j {
				worst[1] = max(worst[1], cmplx.Abs(g(hz, i, j)/g(hz, j, j)))
			}
		}
	}
	if len(r.Hz) != 237 || r.Periods != 2 || worst[0] > 1e-5 {
		t.Errorf("%d lines, %d periods, off by %.2g: want 237, 2, at most 1e-5", len(r.Hz), r.Periods, worst[0])
	}
	const slow = 0.01 // Hz
	for i, a := range r.Axes {
		name := fmt.Sprintf("actuator %d: ", i+1)
		still := g(slow, i, i)
		rthstest.Near(t, name+"gain", a.Gain, cmplx.Abs(still), 2e-4)
		rthstest.Near(t, name+"delay, ms", a.DelayMS, -1e3*cmplx.Phase(still)/(2*math.Pi*slow), 0.03)
		if f := a.BandwidthHz; cmplx.Abs(g(f, i, i)) > a.Gain/math.Sqrt2 || cmplx.Abs(g(f-0.05, i, i)) < a.Gain/math.Sqrt2 {
			t.Errorf("%sbandwidth %g Hz: want the first line beyond it", name, f)
		}
		at := r.Hz[0]
		whole := g(at, 0, 0) * g(at, 1, 1)
		rthstest.Near(t, name+"relative gain", a.RelativeGain, real(whole/(whole-g(at, 0, 1)*g(at, 1, 0))), 1e-5)
	}
	rthstest.Near(t, "largest interaction, %", r.Pairs[0].Pct, 100*worst[1], 1e-3)
	if answer, _ := r.Apart(); answer != "no" || r.Pairs[0].Pct < 5 {
		t.Errorf("%+v can be compensated one by one: %s: want no", r.Pairs, answer)
	}
}

// Actuators that follow their commands whatever they carry do not act on each other, also where the lines are of
// coordinates that a coupler mixes.
func TestIdentifyAxesUnderACoupler(t *testing.T) {
	data, s := axesTest(t, strings.Replace(twoOnAFrame, "kind: silva2020", "kind: second-order", 1), 0,
		"coupler={kind: linear, matrix: [[1, -0.8], [1, 0.7]]}")
	r := rthstest.Must(data.Run())
	g := exactly(t, s)
	for k, hz := range r.Hz {
		for c, got := range r.G[k] {
			if d := cmplx.Abs(got - g(hz, c/2, c%2)); d > 2e-6 {
				t.Fatalf("at %g Hz, %d: off by %.2g", hz, c, d)
			}
		}
	}
	if answer, text := r.Apart(); answer != "yes" || r.Pairs[0].Pct > 4e-4 {
		t.Errorf("%s, %s: want yes", answer, text)
	}
}

// Of all parts of the matrix under noise, nine in ten are within two standard errors.
func TestIdentifyAxesKnowsItsErrors(t *testing.T) {
	data, s := axesTest(t, twoOnAFrame, 2e-5)
	r := rthstest.Must(data.Run())
	g, within, parts, most := exactly(t, s), 0, 0, 0.0
	for k, hz := range r.Hz {
		for c, got := range r.G[k] {
			d, sd := got-g(hz, c/2, c%2), r.SD[k][c]
			for _, part := range []float64{real(d), imag(d)} {
				parts++
				if math.Abs(part) <= 2*sd {
					within++
				}
			}
			most = max(most, sd)
		}
	}
	if share := float64(within) / float64(parts); share < 0.9 || share > 0.985 || most > 0.01 {
		t.Errorf("%.3g of %d parts are within two standard errors of at most %.2g: want 0.9 to 0.985, 0.01", share, parts,
			most)
	}
}

func TestIdentifyAxesRefuses(t *testing.T) {
	data, _ := axesTest(t, twoOnAFrame, 0)
	still := make([]float64, len(data.Command[0]))
	for _, c := range []struct {
		change func(*IdentifyAxes)
		want   string
	}{
		{func(s *IdentifyAxes) { s.Command = [][]float64{s.Command[0], s.Command[0]} },
			"the commands move together, most of all 1 and 2: their condition number is"},
		{func(s *IdentifyAxes) { s.Command = [][]float64{s.Command[0], still} },
			"actuator 2: identify: the command is 0 throughout"},
		{func(s *IdentifyAxes) { s.PeriodS = 0 }, "identify: commands of 2 actuators: want --period S"},
		{func(s *IdentifyAxes) { s.PeriodS = 20.0001 },
			"identify: a period of 20.0001 s is 5120.03 samples: want a whole number"},
		{func(s *IdentifyAxes) { s.PeriodS = 15 }, "the commands repeat themselves after 15 s within 5 % over 0"},
		{func(s *IdentifyAxes) { s.PeriodS = 100 },
			"a period of 100 s is 25600 samples: want a whole number, at most half of the"},
		{func(s *IdentifyAxes) { s.PeriodS = math.Inf(1) }, "a period of +Inf s is +Inf samples: want a whole number"},
		{func(s *IdentifyAxes) { s.PeriodS = 1e300 }, "want a whole number, at most half of the"},
		{func(s *IdentifyAxes) { s.PeriodS = -20 }, "a period of -20 s is -5120 samples: want a whole number"},
		{func(s *IdentifyAxes) { s.ToHz = 0.2 },
			"the commands of 2 actuators have 1 lines, 0.05 Hz apart: want more than 2"},
	} {
		s := *data
		c.change(&s)
		if _, err := s.Run(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: want %q", err, c.want)
		}
	}
}

// Noise that hides an interaction leaves the question open.
func TestApartMayBeOpen(t *testing.T) {
	for want, p := range map[string]Interaction{"yes": {Pct: 4.9}, "open": {Pct: 8, SDPct: 2},
		"no": {Pct: 8, SDPct: 0.5}} {
		if got, text := (&AxesIdentification{Pairs: []Interaction{p}}).Apart(); got != want {
			t.Errorf("%+v: %s, %s: want %s", p, got, text, want)
		}
	}
}
