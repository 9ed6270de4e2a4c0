package papers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"rths"
	"rths/campaign/suite"
	"rths/lab/rig"
	"rths/method/criteria"
	"rths/method/stability"
	"rths/model/integrate"
	"rths/scenario"
)

// This part of the stability suite runs tests: case IV of the benchmark under Kobe × 0.4 with
// constant delays (paper 001, section 7.4.1) and with the benchmark's actuator and first-order
// adaptive compensation of four gain sets (section 7.4.2, Table 7.6).
const caseIV = "galmez-case4.yaml"

// stabilityDelays are the delays of Figs 7.25 to 7.28 in samples: 0, 0.98, 7.1, 9 ms.
var stabilityDelays = []int{0, 4, 29, 37}

// stabilityGains is Table 7.6.
var stabilityGains = []struct {
	name  string
	gamma [2]float64
}{
	{"gamma-a", [2]float64{0, 0}},
	{"gamma-b", [2]float64{10, 5}},
	{"gamma-c", [2]float64{1e5, 1e4}},
	{"gamma-d", [2]float64{2.4e6, 1.1e5}},
}

// stabilityPublished has the numbers of section 7.4; "near 10 s" is 10.
var stabilityPublished = map[string]float64{
	"nrmse_pct d29":      144,
	"sw_cross_s d37":     10,
	"sw_cross_s gamma-a": 10,
	"sw_cross_s gamma-b": 10,
}

// simulated is one test of the suite.
type simulated struct {
	name     string
	status   string
	values   []rths.Value
	printed  []rths.Value   // energies by trapezoids
	trip     *rig.TripError // of the same test with SW limited to 100 %
	atTripM  float64        // displacement of the specimen when SW crossed, m
	beforeM  float64        // largest up to then, m
	largestM float64        // largest of all, with the way down, m
	peakM    float64        // of the reference over the whole record, m
}

// rows are the rows of a test.
func (r *simulated) rows() (rows []stabilityRow) {
	for _, q := range []struct{ quantity, key, unit string }{
		{"nrmse_pct", "J4_rms_pct", "%"}, {"sw_max_pct", "sw_max_pct", "%"}, {"sw_cross_s", "sw_cross_s", "s"},
		{"eei_max_pct", "eei_max_pct", "%"},
		{"a0_final", "a0", "-"}, {"a1_final_ms", "a1", "ms"},
	} {
		if !slices.ContainsFunc(r.values, func(v rths.Value) bool { return v.Name == q.key }) {
			continue
		}
		row := stabilityRow{Quantity: q.quantity, Case: r.name, Method: "simulation", Value: suite.Value(r.values, q.key),
			Unit: q.unit, system: r.name}
		switch {
		case q.key == "a1":
			row.Value *= 1e3
		case q.key == "J4_rms_pct" && r.status == rths.Diverged:
			row.Value = math.NaN() // of a part of the record
		}
		if v, ok := stabilityPublished[q.quantity+" "+r.name]; ok {
			row.Published = &v
		}
		rows = append(rows, row)
	}
	return rows
}

// simulate runs all tests.
func simulate(ctx context.Context, lab suite.Lab) ([]*simulated, error) {
	sc, err := scenario.Shipped(caseIV)
	if err != nil {
		return nil, err
	}
	shaking, err := sc.Shake(lab.RecordsDir)
	if err != nil {
		return nil, err
	}
	out := make([]*simulated, len(stabilityDelays)+len(stabilityGains))
	return out, lab.Each(ctx, len(out), func(i int) (err error) {
		if i < len(stabilityDelays) {
			out[i], err = delayed(shaking, stabilityDelays[i])
		} else {
			g := stabilityGains[i-len(stabilityDelays)]
			out[i], err = adapted(ctx, shaking, g.name, g.gamma)
		}
		return err
	})
}

// adapted runs a gain set, and again with SW limited to 100 %.
func adapted(ctx context.Context, shaking *scenario.Shaking, name string, gamma [2]float64) (*simulated, error) {
	out := &simulated{name: name}
	for _, limited := range []bool{false, true} {
		sets := []string{fmt.Sprintf("compensator.gamma=[%g, %g]", gamma[0], gamma[1])}
		if limited {
			sets = append(sets, "limits=[{channel: sw_pct, warn: 80, trip: 100, action: ramp}]")
		}
		sc, err := scenario.Shipped(caseIV, sets...)
		if err != nil {
			return nil, err
		}
		run, err := sc.Build(ctx, scenario.Options{Shaking: shaking})
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(run.Channels, func(c rths.Channel) bool { return c.Name == "ref_x1" })
		peaks := &peaks{state: run.Channels[i].V}
		literal, err := trapezoids(sc)
		if err != nil {
			return nil, err
		}
		run.Loop.Attach(peaks)
		run.Loop.Attach(literal)
		out.note(limited, run.Loop.Run(0, nil), peaks)
		if !limited {
			out.values = slices.Concat(run.Summary(), run.Indicators(), run.Parameters())
			out.printed = literal.Summary()
		}
	}
	return out, nil
}

// delayed runs a constant delay, and again with SW limited to 100 %.
func delayed(shaking *scenario.Shaking, d int) (*simulated, error) {
	out := &simulated{name: fmt.Sprintf("d%d", d)}
	for _, limited := range []bool{false, true} {
		t, err := newDelayTest(shaking, d, limited)
		if err != nil {
			return nil, err
		}
		out.note(limited, t.loop.Run(0, nil), t.peaks)
		if !limited {
			out.values = append(t.response.Summary(), t.energies.Summary()...)
			out.printed = t.literal.Summary()
		}
	}
	return out, nil
}

// trapezoids watches SW with W_F by (5.18) as printed, trapezoids of the force: half
// a sample of delay less than the force does that RK4 holds over its step.
func trapezoids(sc *scenario.Scenario) (*stability.Energies, error) {
	part, _, _, _, err := sc.Partition()
	if err != nil {
		return nil, err
	}
	return stability.NewEnergies(part, stability.Config{RateHz: sc.RateHz, SW: 1, EEI: 1})
}

// note keeps how a run ended.
func (r *simulated) note(limited bool, err error, p *peaks) {
	status, _ := scenario.Status(err)
	if !limited {
		r.status, r.peakM = status, p.reference
		return
	}
	if r.largestM = p.upTo(len(p.measured)); errors.As(err, &r.trip) {
		at := r.trip.Cause.K
		r.atTripM, r.beforeM = p.measured[at], p.upTo(at+1)
	}
}

// peaks are the measured displacement of every tick and the largest of the
// reference, m.
type peaks struct {
	state     *float64
	measured  []float64
	reference float64
}

// upTo is the largest displacement of the first n ticks.
func (p *peaks) upTo(n int) float64 {
	if n == 0 {
		return 0
	}
	return slices.Max(p.measured[:n])
}

// Observe appends |x_m| without noise.
func (p *peaks) Observe(f *rths.Frame) {
	if f.Err == nil {
		p.measured = append(p.measured, math.Abs(f.Read.TrueX[0]))
		p.reference = max(p.reference, math.Abs(*p.state))
	}
}

// delayTest is a run of section 7.4.1.
type delayTest struct {
	loop     *rths.Loop
	response *criteria.Response
	energies *stability.Energies
	literal  *stability.Energies // with trapezoids
	peaks    *peaks
}

func newDelayTest(shaking *scenario.Shaking, d int, limited bool) (*delayTest, error) {
	sc, err := scenario.Shipped(caseIV)
	if err != nil {
		return nil, err
	}
	part, m, c, k, err := sc.Partition()
	if err != nil {
		return nil, err
	}
	ref, err := integrate.NewReference(part.Whole, 1/sc.RateHz)
	if err != nil {
		return nil, err
	}
	rigged, err := newPureDelay(part, m, c, k, 1/sc.RateHz, d, shaking.Half[:3])
	if err != nil {
		return nil, err
	}
	t := &delayTest{response: criteria.NewResponse(ref, part.N(), 0, true)}
	t.energies, err = stability.NewEnergies(part, stability.Config{RateHz: sc.RateHz, Held: true, SW: 1, EEI: 1})
	if err != nil {
		return nil, err
	}
	if t.literal, err = trapezoids(sc); err != nil {
		return nil, err
	}
	t.peaks = &peaks{state: t.response.Channels()[0].V}
	return t, t.assemble(shaking, rigged, sc.RateHz, limited)
}

// assemble makes the loop, without a divergence check: the growth of a linear loop has
// finite numbers to the end of the record. The limit stops the run: a ramp would have no
// effect, because the specimen ignores commands.
func (t *delayTest) assemble(shaking *scenario.Shaking, r *pureDelay, rate float64, limited bool) (err error) {
	c := rths.Config{
		RateHz: rate, Samples: shaking.Samples, Ground: shaking.Half, DivergedM: math.MaxFloat64, Axes: 1, Forces: 1,
		Truth:      true,
		Integrator: r, Compensator: exactly{}, Rig: r, Observers: []rths.Observer{t.response, t.energies, t.literal, t.peaks},
	}
	if limited {
		g, err := rig.NewGuard(r, rig.GuardConfig{
			RateHz: rate, Axes: 1, Forces: 1, Channels: t.energies.Channels(),
			Limits:  []rig.Limit{{Channel: "sw_pct", Trip: 100, Action: rig.Stop}},
			Profile: rig.Profile{Velocity: 0.02, Acceleration: 0.5, WithinS: 30},
		})
		if err != nil {
			return err
		}
		if err := g.Arm(); err != nil {
			return err
		}
		c.Rig, c.Observers = g, append(c.Observers, g.Observer())
	}
	t.loop, err = rths.NewLoop(c)
	return err
}

// exactly commands the target.
type exactly struct{}

func (exactly) Step(command []float64, target *rths.Motion, _ *rths.Reading) {
	copy(command, target.X)
}
