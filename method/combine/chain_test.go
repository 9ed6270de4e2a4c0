package combine

import (
	"errors"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/kit/rthstest"
	"rths/maths/lti"
	"rths/method/compensate"
	"rths/method/kalman"
)

const chainRate = 1024

// kindOf is a row of the table with its defaults.
func kindOf(name string) compensate.Maker {
	return rthstest.Must(rths.Find(compensate.Kinds, name)).Defaults()
}

// partsOf are rows of the table with their defaults.
func partsOf(kinds ...string) (out []Part) {
	for _, kind := range kinds {
		out = append(out, Part{Kind: kind, Maker: kindOf(kind)})
	}
	return out
}

// plainPI is pi without lead and converters, on the tracking error alone.
func plainPI(kp, ki float64) Part {
	return Part{Kind: "pi", Maker: &compensate.PI{Kp: kp, Ki: ki, LeadNum: []float64{1}, LeadDen: []float64{1}}}
}

func peOf(tauMs float64, order int) Part {
	return Part{Kind: "pe", Maker: &compensate.PE{Lag: compensate.Lag{TauMs: tauMs}, Order: order, Spacing: 1}}
}

func mbcOf(a ...float64) Part {
	return Part{Kind: "mbc", Maker: &compensate.MBC{Derivatives: "target", A: a}}
}

func firOf(c ...float64) Part {
	return Part{Kind: "fir", Maker: &compensate.FIR{Coefficients: c, Spacing: 1}}
}

func chained(t *testing.T, c *Chain, at compensate.At) rths.Compensator {
	t.Helper()
	made, err := c.Make(at)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// benchAt is the test on the kit's rig: two lags of 10 ms in series.
func benchAt(rateHz float64, axes, lead int) compensate.At {
	return compensate.At{
		RateHz: rateHz, Axes: axes, Lead: lead, Accelerometer: true,
		Model: func() (lti.SS, error) { return rthstest.BenchModel(axes) },
		Plant: func(hz float64) (complex128, error) {
			s := complex(0, 2*math.Pi*hz)
			return cmplx.Exp(s*complex((float64(lead)-0.5)/rateHz, 0)) / cmplx.Pow(1+0.01*s, 2), nil
		},
		BareInverse: func(n int) ([]float64, error) {
			return append([]float64{1, 0.02, 1e-4}, make([]float64, 8)...)[:n], nil
		},
	}
}

// A chain wants the acceleration with the force of its tick where a part that sees the target does: in
// series the first, in parallel any.
func TestChainUsesCurrentForce(t *testing.T) {
	prompt := kindOf("kalman-inverse").(*kalman.Inverse)
	prompt.Bare = []float64{1, 0.02, 1e-4}
	for _, tc := range []struct {
		c    Chain
		want bool
	}{
		{Chain{Of: []Part{{Kind: "kalman-inverse", Maker: prompt}, firOf(1)}}, true},
		{Chain{Of: []Part{mbcOf(1, 0.01), firOf(1)}}, false},
		{Chain{Join: Parallel, Of: partsOf("kalman-inverse", "lqg")}, true},
		{Chain{Join: Parallel, Of: partsOf("mbc", "lqg")}, false},
	} {
		user, ok := rths.As[rths.CurrentForceUser](chained(t, &tc.c, benchAt(chainRate, 1, 0)))
		if got := ok && user.UsesCurrentForce(); got != tc.want {
			t.Errorf("%s of %s and %s: %t", tc.c.Join, tc.c.Of[0].Kind, tc.c.Of[1].Kind, got)
		}
	}
}

// Chains of every sort keep what every compensator must keep.
func TestChainConformance(t *testing.T) {
	for name, c := range map[string]func() *Chain{
		"one part":         func() *Chain { return &Chain{Of: partsOf("amb")} },
		"none":             func() *Chain { return &Chain{Of: partsOf("none")} },
		"parallel none":    func() *Chain { return &Chain{Join: Parallel, Of: partsOf("none", "lqg")} },
		"linear in series": func() *Chain { return &Chain{Of: append(partsOf("phase-lead"), firOf(0.5, 0.5))} },
		"rates first": func() *Chain {
			return &Chain{Of: []Part{mbcOf(1, 0.01), plainPI(1.5, 20)}}
		},
		"around an inner PI": func() *Chain { return &Chain{Of: append(partsOf("amb"), plainPI(1.5, 20))} },
		"amb and lqg":        func() *Chain { return &Chain{Join: Parallel, Of: partsOf("amb", "lqg")} },
		"ats and pi": func() *Chain {
			return &Chain{Join: Parallel,
				Of: append(partsOf("ats"), plainPI(0.3, 5))}
		},
		"cats, lqg and pi": func() *Chain {
			return &Chain{Join: Parallel,
				Of: append(partsOf("lqg", "cats"), plainPI(0.1, 2))}
		},
		"kf and pi": func() *Chain {
			return &Chain{Join: Parallel,
				Of: append(partsOf("kf-table5"), plainPI(0.3, 5))}
		},
		"adm4 and pi": func() *Chain {
			return &Chain{Join: Parallel,
				Of: append(partsOf("adm4"), plainPI(0.3, 5))}
		},
		"mbc and lqg":         func() *Chain { return &Chain{Join: Parallel, Of: partsOf("mbc", "lqg")} },
		"prediction and lqg":  func() *Chain { return &Chain{Join: Parallel, Of: partsOf("forward-prediction", "lqg")} },
		"feedback only":       func() *Chain { return &Chain{Join: Parallel, Of: append(partsOf("lqg"), plainPI(2, 20))} },
		"two-stage":           func() *Chain { return &Chain{Of: partsOf("pe", "adm")} },
		"two-stage, by rates": func() *Chain { return &Chain{Of: partsOf("linear-acceleration", "amb")} },
		"two-stage, kf":       func() *Chain { return &Chain{Of: partsOf("pe", "kf")} },
	} {
		for lead := range 2 {
			if (len(name)+lead)%2 > 0 && rthstest.Draws(0, 1) == 0 {
				continue // the other lead does the same
			}
			t.Run(name, func(t *testing.T) {
				chain := c()
				k := rthstest.Compensator{Axes: 1, RateHz: 4096, Limit: 0.1,
					Make: func() rths.Compensator { return chained(t, chain, benchAt(4096, 1, lead)) }}
				rthstest.Keeps(t, k.Broken())
			})
		}
	}
}

func TestChainConformanceOfSeveralAxes(t *testing.T) {
	for _, kinds := range [][]string{{"rodeac", "msmc"}, {"none", "msmc"}, {"none", "none"}} {
		chain := &Chain{Of: partsOf(kinds...)}
		for i := range chain.Of {
			chain.Of[i].Name = string(rune('a' + i))
		}
		k := rthstest.Compensator{Axes: 2, RateHz: chainRate, Limit: 0.1,
			Make: func() rths.Compensator { return chained(t, chain, benchAt(chainRate, 2, 0)) }}
		rthstest.Keeps(t, k.Broken())
	}
}

// ride steps compensators on the kit's sine with some reading, and calls see with their
// commands.
func ride(axes, ticks int, see func(k int, commands [][]float64), parts ...rths.Compensator) {
	target, read := rths.NewMotion(axes), rths.NewReading(axes, axes)
	commands := make([][]float64, len(parts))
	r := rand.New(rand.NewPCG(1, 2))
	for k := range ticks {
		rthstest.Sine(&target, k, chainRate)
		for i := range read.X {
			read.X[i] = 0.9*target.X[i] + 1e-4*r.NormFloat64()
		}
		for i, c := range parts {
			commands[i] = make([]float64, axes)
			c.Step(commands[i], &target, &read)
		}
		see(k, commands)
	}
}

// A chain of one part is the part to the bit, and so is a part beside none in series.
func TestChainOfOnePart(t *testing.T) {
	for _, kind := range compensate.Kinds {
		made := func(c *Chain, lead int) rths.Compensator { return chained(t, c, benchAt(chainRate, 1, lead)) }
		for lead := range 2 {
			alone, err := kind.Defaults().Make(benchAt(chainRate, 1, lead))
			if err != nil {
				t.Fatal(err)
			}
			all := []rths.Compensator{alone}
			if kind.Name != "lqg" { // refused in series
				all = append(all, made(&Chain{Of: partsOf(kind.Name)}, lead))
			}
			if kind.Name != "none" && kind.Name != "lqg" {
				all = append(all, made(&Chain{Of: partsOf(kind.Name, "none")}, lead),
					made(&Chain{Of: partsOf("none", kind.Name)}, lead))
			}
			// with lead 1 feedback in parallel is given the target of its reading
			if kind.Name != "pi" && kind.Name != "lqg" || lead == 0 {
				all = append(all, made(&Chain{Join: Parallel, Of: partsOf(kind.Name)}, lead))
			}
			ride(1, 3000, func(k int, u [][]float64) {
				for i := range u {
					if u[i][0] != u[0][0] && !t.Failed() {
						t.Errorf("%s, lead %d, tick %d: chain %d commands %g, the part alone %g", kind.Name, lead, k, i, u[i][0], u[0][0])
					}
				}
			}, all...)
		}
	}
}

// In series the weights of two FIR are convolved, in parallel the feedback is added to the
// feedforward.
func TestChainsOfFIR(t *testing.T) {
	feedback := Part{Kind: "ss", Maker: &compensate.SS{Domain: "z", D: [][]float64{{3, -3}}}}
	series := chained(t, &Chain{Of: []Part{firOf(2, -1),
		{Name: "b", Kind: "fir", Maker: &compensate.FIR{Coefficients: []float64{1, 0.5}, Spacing: 1}}}},
		compensate.At{RateHz: chainRate})
	parallel := chained(t, &Chain{Join: Parallel, Of: []Part{feedback, firOf(2, -1)}}, compensate.At{RateHz: chainRate})
	late := chained(t, &Chain{Join: Parallel, Of: []Part{feedback, firOf(2, -1)}},
		compensate.At{RateHz: chainRate, Lead: 2})
	x := []float64{1, 0, 4, -2, 8, 0.5, 0}
	at := func(k int) float64 {
		if k < 0 {
			return 0
		}
		return x[k]
	}
	target, read, u := rths.NewMotion(1), rths.NewReading(1, 0), make([]float64, 1)
	for k := range x {
		target.X[0], read.X[0] = x[k], float64(k)
		forward := 2*at(k) - at(k-1)
		for name, c := range map[string]struct {
			rths.Compensator
			want float64
		}{
			"series":           {series, 2*at(k) - 0.5*at(k-2)},
			"parallel":         {parallel, forward + 3*(at(k)-float64(k))},
			"parallel, lead 2": {late, forward + 3*(at(k-2)-float64(k))},
		} {
			if c.Step(u, &target, &read); u[0] != c.want {
				t.Errorf("%s, tick %d: %g, want %g", name, k, u[0], c.want)
			}
		}
	}
}

// A chain of linear parts has the product of their responses, and of both sides of their
// inputs: looked at as one part. The pole of the integrator is 2e-3 from 0.3 Hz: 1e-8.
func TestSeriesIsTheProduct(t *testing.T) {
	parts := append(partsOf("phase-lead", "inverse"),
		Part{Kind: "tf", Maker: &compensate.TF{Domain: "s", Num: []float64{50}, Den: []float64{1, 50}}}, plainPI(2, 95))
	at := benchAt(chainRate, 1, 0)
	parts[1].Maker = &compensate.Inverse{Lag: compensate.Lag{TauMs: 7}}
	whole := rthstest.Must(linearised(chained(t, &Chain{Of: parts}, at), chainRate))
	for _, hz := range []float64{0.3, 4, 60, 400} {
		f := complex(1, 0)
		var b complex128
		for _, p := range parts {
			r := rthstest.Must(linearised(rthstest.Must(p.Maker.Make(at)), chainRate))
			fi, bi, err := r.at(hz)
			if err != nil {
				t.Fatal(err)
			}
			f, b = f*fi, b*fi+bi
		}
		gotF, gotB, err := whole.at(hz)
		if err != nil || cmplx.Abs(gotF-f) > 1e-8*cmplx.Abs(f) || cmplx.Abs(gotB-b) > 1e-8*cmplx.Abs(b) {
			t.Errorf("%g Hz: F %v, B %v, %v: want %v, %v", hz, gotF, gotB, err, f, b)
		}
	}
}

// Responses that are known: a phase lead, the trapezoidal PI on both sides.
func TestLinearisedParts(t *testing.T) {
	at := compensate.At{RateHz: chainRate}
	for _, hz := range []float64{0.1, 5, 200} {
		z := cmplx.Exp(complex(0, 2*math.Pi*hz/chainRate))
		c := 2 + complex(95.0/2/chainRate, 0)*(z+1)/(z-1)
		f, b, err := rthstest.Must(linearised(rthstest.Must(plainPI(2, 95).Maker.Make(at)), chainRate)).at(hz)
		if err != nil || cmplx.Abs(f-c) > 1e-9*cmplx.Abs(c) || cmplx.Abs(b+c) > 1e-9*cmplx.Abs(c) {
			t.Errorf("pi at %g Hz: %v and %v, %v: want ±%v", hz, f, b, err, c)
		}
		want := 3 - 2/(z*z)
		f, b, err = rthstest.Must(linearised(rthstest.Must(firOf(3, 0, -2).Maker.Make(at)),
			chainRate)).at(hz)
		if err != nil || cmplx.Abs(f-want) > 1e-12 || b != 0 {
			t.Errorf("fir at %g Hz: %v and %v, %v: want %v and 0", hz, f, b, err, want)
		}
	}
	f, b, err := rthstest.Must(linearised(rthstest.Must((&compensate.SS{Domain: "z", D: [][]float64{{3, -2}}}).Make(at)),
		chainRate)).at(7)
	if f != 3 || b != -2 || err != nil {
		t.Errorf("a system without states: %v and %v, %v: want 3 and -2", f, b, err)
	}
	if _, _, err := rthstest.Must(linearised(rthstest.Must(plainPI(2, 95).Maker.Make(at)), chainRate)).at(0); err == nil {
		t.Error("an integrator has a response at 0 Hz")
	}
	if _, err := linearised(bent{}, chainRate); err == nil {
		t.Error("a part that is not linear has a response")
	}
	if _, err := linearised(rthstest.Must((&compensate.FIR{Coefficients: make([]float64, 5000), Spacing: 1}).Make(at)),
		chainRate); err == nil {
		t.Error("5000 states are looked at")
	}
}

// Whether a step is linear does not depend on the size of its numbers: what differs by a part in a million is not, what
// differs by rounding is.
func TestLinearAtEverySize(t *testing.T) {
	for _, size := range []float64{1e-9, 1, 1e9} {
		// a state and a command of a state, a target and a reading
		m := mat.NewDense(2, 3, []float64{0.5 * size, -size, 0.25 * size, size, 2 * size, 0.75 * size})
		for off, want := range map[float64]bool{0: true, 1e-12: true, 1e-6: false} {
			got := isLinear(m, []int{0}, func(in []float64) []float64 {
				var out mat.VecDense
				out.MulVec(m, mat.NewVecDense(3, in))
				out.ScaleVec(1+off, &out)
				return out.RawVector().Data
			})
			if got != want {
				t.Errorf("numbers of %g, off by a part of %g: linear %t: want %t", size, off, got, want)
			}
		}
	}
}

type bent struct{}

func (bent) Step(u []float64, d *rths.Motion, _ *rths.Reading) {
	u[0] = math.Abs(d.X[0]) + d.X[0]*d.X[0]
}

// spy keeps the test that it is made for.
type spy struct{ at *compensate.At }

func (p *spy) Make(at compensate.At) (rths.Compensator, error) {
	*p.at = at
	return (&compensate.None{}).Make(at)
}

// A part sees the rig with the parts downstream of it: H F₁ F₂ for feedforward, C h/(1 + C h)
// for a PI, where h is the rig in ticks, and zⁿ H after an extrapolation of n samples, whose
// lead grows by n.
func TestPlantSeenInAChain(t *testing.T) {
	for lead := range 2 {
		at := benchAt(chainRate, 1, lead)
		var seen compensate.At
		watch := Part{Kind: "spy", Maker: &spy{&seen}}
		two := Part{Name: "b", Kind: "fir", Maker: &compensate.FIR{Coefficients: []float64{1, 0.5}, Spacing: 1}}
		for _, tc := range []struct {
			name        string
			of          []Part
			lead, ahead int
			want        func(h, z complex128) complex128
		}{
			{"alone", []Part{watch}, lead, 0, func(h, _ complex128) complex128 { return h }},
			{"last", []Part{firOf(2), watch}, lead, 0, func(h, _ complex128) complex128 { return h }},
			{"before none", append([]Part{watch}, partsOf("none")...), lead, 0,
				func(h, _ complex128) complex128 { return h }},
			{"before two FIR", []Part{watch, firOf(2, -1), two}, lead, 0,
				func(h, z complex128) complex128 { return h * (2 - 1/z) * (1 + 0.5/z) }},
			{"before PI", []Part{watch, plainPI(2, 95)}, lead, 0, func(h, z complex128) complex128 {
				late := cmplx.Pow(z, complex(float64(-lead), 0))
				g := h * late * (2 + complex(95.0/2/chainRate, 0)*(z+1)/(z-1))
				return g / (1 + g) / late
			}},
			{"behind 5 samples", []Part{peOf(5e3/chainRate, 3), watch},
				lead + 5, 5, func(h, z complex128) complex128 { return h * cmplx.Pow(z, 5) }},
			{"behind 5 samples, before FIR",
				[]Part{peOf(5e3/chainRate, 3), watch, firOf(1, 0.5)},
				lead + 5, 5, func(h, z complex128) complex128 { return h * cmplx.Pow(z, 5) * (1 + 0.5/z) }},
		} {
			chained(t, &Chain{Of: tc.of}, at)
			if seen.Lead != tc.lead || seen.Ahead != tc.ahead {
				t.Errorf("%s: lead %d, %d of it ahead: want %d, %d", tc.name, seen.Lead, seen.Ahead, tc.lead, tc.ahead)
			}
			for _, hz := range []float64{0, 0.5, 7, 20} {
				h, _ := at.Plant(hz)
				want := tc.want(h, cmplx.Exp(complex(0, 2*math.Pi*max(hz, slowest)/chainRate)))
				if got, err := seen.Plant(hz); err != nil || cmplx.Abs(got-want) > 1e-6 { // the integrator's pole is 6e-9 away
					t.Errorf("%s, lead %d, %g Hz: %v, %v: want %v", tc.name, lead, hz, got, err, want)
				}
			}
		}
	}
}

// A part in front of PI in series is inside the scenario's inner_loop: both commands agree.
func TestSeriesBeforePIIsTheInnerLoop(t *testing.T) {
	at := benchAt(chainRate, 1, 0)
	chain := chained(t, &Chain{Of: append(partsOf("phase-lead"), plainPI(2, 95))}, at)
	outer := rthstest.Must(partsOf("phase-lead")[0].Maker.Make(at))
	inner := rthstest.Must((&InnerPI{Kp: 2, Ki: 95}).Around(outer, at))
	ride(1, 4000, func(k int, u [][]float64) {
		if math.Abs(u[0][0]-u[1][0]) > 1e-12 && !t.Failed() {
			t.Errorf("tick %d: %g, in an inner loop %g", k, u[0][0], u[1][0])
		}
	}, chain, inner)
}

// Sliding-mode control downstream of the inverse of each actuator is adm-msmc, to the bit.
func TestRoDeACBeforeMSMCIsADMMSMC(t *testing.T) {
	at := benchAt(chainRate, 2, 0)
	p := kindOf("adm-msmc").(*compensate.ADMMSMC)
	whole := rthstest.Must(p.Make(at))
	sliding := p.MSMC
	chain := chained(t, &Chain{Of: []Part{
		{Kind: "rodeac", Maker: &compensate.RoDeAC{Theta0: p.Theta0, P0: p.P0, Forgetting: p.Forgetting,
			FilterOrder: p.FilterOrder, FilterHz: p.FilterHz, SuspendBelow: p.SuspendBelow}},
		{Kind: "msmc", Maker: &sliding},
	}}, at)
	start := rths.AppendAdaptation(nil, whole)
	ride(2, 4000, func(k int, u [][]float64) {
		if !slices.Equal(u[0], u[1]) && !t.Failed() {
			t.Errorf("tick %d: %g, adm-msmc %g", k, u[1], u[0])
		}
	}, whole, chain)
	if learnt := rths.AppendAdaptation(nil, chain); slices.Equal(start, learnt) {
		t.Error("nothing is learnt on the way")
	}
}

func TestChainWrongInput(t *testing.T) {
	at := benchAt(chainRate, 1, 0)
	named := func(name string, p Part) Part { p.Name = name; return p }
	for _, tc := range []struct {
		chain Chain
		at    func(at *compensate.At)
		part  int
		want  string
	}{
		{Chain{}, nil, 0, "of is empty: want a list of parts"},
		{Chain{Join: "crossed", Of: partsOf("amb")}, nil, 0, `join "crossed": want series or parallel`},
		{Chain{Of: partsOf("amb", "phase-lead", "amb")}, nil, 3,
			"name amb is taken by part 1: want a name of its own, as in {kind: amb, name: amb_3}"},
		{Chain{Of: []Part{named("phase_lead", firOf(1)), partsOf("phase-lead")[0]}}, nil, 2,
			"name phase_lead is taken by part 1"},
		{Chain{Of: []Part{named("2nd", firOf(1))}}, nil, 1, `name "2nd": want a letter and then`},
		{Chain{Of: []Part{named("a-b", firOf(1))}}, nil, 1, `name "a-b": want`},
		{Chain{Of: []Part{named(strings.Repeat("n", 41), firOf(1))}}, nil, 1, "40 at most"},
		{Chain{Of: append(partsOf("amb", "pi"), firOf())}, nil, 3, "0 coefficients"},
		{Chain{Of: partsOf("amb", "lqg")}, nil, 2, "want join: parallel"},
		{Chain{Of: partsOf("amb", "mbc")}, nil, 2, "uses the target's velocity"},
		{Chain{Join: Parallel, Of: partsOf("amb", "lqg", "pe")}, nil, 3, "feedforward as part 1 is"},
		{Chain{Join: Parallel, Of: partsOf("amb", "pi")}, nil, 2, "pi with lead_num: [1]"}, // its lead is a feedforward
		{Chain{Join: Parallel, Of: partsOf("adm-msmc", "lqg")}, nil, 1, "learns from its own commands"},
		{Chain{Of: append(partsOf("pe"), plainPI(2, 95))}, nil, 1, "want tau_ms"},
		{Chain{Of: append(partsOf("pe"), Part{Kind: "ss",
			Maker: &compensate.SS{Domain: "z", D: [][]float64{{3, -2}}}})}, nil, 1,
			"want tau_ms"},
		{Chain{Of: append([]Part{peOf(7, 1)}, partsOf("adm")...)},
			nil, 1, "7.168 samples of 1024 Hz: in front of another part want a whole number, as 6.8359375 or 7.8125 ms"},
		{Chain{Of: append(partsOf("inverse"), plainPI(2, 95))}, nil, 1,
			"between this part and the transfer system: want numbers"},
		{Chain{Of: partsOf("pe", "mbc-lqg")}, nil, 2, "want mbc after an extrapolation"},
		{Chain{Of: partsOf("msmc", "pe")}, nil, 1, "no linear model of its plant"},
		{Chain{Of: []Part{partsOf("amb")[0], firOf(make([]float64, 5000)...)}},
			nil, 1, "response of fir"},
		{Chain{Of: partsOf("amb", "pe")}, func(at *compensate.At) { at.Plant = nil }, 1, "no linear model to start from"},
		{Chain{Of: partsOf("amb", "msmc")}, func(at *compensate.At) { at.Axes = 2 }, 1, "as rodeac in front of msmc"},
	} {
		with := at
		if tc.at != nil {
			tc.at(&with)
		}
		_, err := tc.chain.Make(with)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v: want %q", err, tc.want)
			continue
		}
		var e *PartError
		if part := 0; errors.As(err, &e) || tc.part > 0 {
			if e != nil {
				part = e.Part
			}
			if part != tc.part {
				t.Errorf("error %v of part %d: want part %d", err, part, tc.part)
			}
		}
	}
}
