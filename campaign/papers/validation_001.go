package papers

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"

	"rths"
	"rths/campaign/suite"
	"rths/maths/lti"
	"rths/scenario"
)

// galmezCritical is the oscillator of section 5.1.
func galmezCritical(context.Context, *Evidence) ([]Finding, error) {
	h := oscillator(100, 2, 0.03, 0.1, 0.4, 0.4)
	exact, err := h.Critical()
	if err != nil {
		return nil, err
	}
	pade, err := h.CriticalPade(2)
	if err != nil {
		return nil, err
	}
	return []Finding{within("Padé of order 2", 1e3*pade.Delay, 16, 0.5, "ms"),
		within("exact", 1e3*exact.Delay, 16, 0.5, "ms")}, nil
}

// galmezFig54 checks the text on Fig. 5.4: at a stiffness ratio of 0.2 neither system has a
// critical delay up to 100 ms, and S2 tolerates more than S1.
func galmezFig54(context.Context, *Evidence) ([]Finding, error) {
	var delays [2][2]float64 // S1, S2; at ratios of 0.2 and 0.5
	for i, ratio := range []float64{0.03, 0.06} {
		for j, ke := range []float64{0.2, 0.5} {
			c, err := oscillator(500, 5, ratio, 0.2, 0.2, ke).CriticalPade(2)
			if err != nil {
				return nil, err
			}
			delays[i][j] = 1e3 * c.Delay
		}
	}
	return []Finding{
		says("at a ratio of 0.2", "S1 "+delayText(delays[0][0])+", S2 "+delayText(delays[1][0]), "none up to 100 ms",
			"> 100 ms", min(delays[0][0], delays[1][0]) > 100),
		says("at a ratio of 0.5", "S1 "+delayText(delays[0][1])+", S2 "+delayText(delays[1][1]), "S2 allows more than S1",
			"S2 > S1", delays[1][1] > delays[0][1]),
	}, nil
}

func delayText(ms float64) string {
	if math.IsInf(ms, 1) {
		return "none"
	}
	return fmt.Sprintf("%.3g ms", ms)
}

// galmezModal is case IV by the modal method, in whole samples of 1/4096 s.
func galmezModal(context.Context, *Evidence) ([]Finding, error) {
	rows, err := caseDelays(4, "case IV", galmezStiffness)
	if err != nil {
		return nil, err
	}
	samples := math.Floor(4.096 * rows[1].Value)
	return []Finding{
		within(fmt.Sprintf("the last stable of case IV, %.0f samples", samples), samples/4.096, 8.5, 0.05, "ms"),
		note("these equations", fmt.Sprintf("%.4g ms", rows[1].Value)),
		note("exact equation", fmt.Sprintf("%.4g ms", rows[0].Value)),
	}, nil
}

// galmezFig714 is case I under El Centro × 0.6 with amb.
func galmezFig714(ctx context.Context, e *Evidence) ([]Finding, error) {
	s, err := scenario.Shipped("benchmark-siso.yaml", "ground.scale=0.6")
	if err != nil {
		return nil, err
	}
	out, err := e.Lab.Play(ctx, s, nil, nil)
	if err != nil {
		return nil, err
	}
	v := out.Values
	noisy := suite.Value(v, "J2_pct")
	return []Finding{says("J2", fmt.Sprintf("%.2f %% (%.2f %% without noise)", noisy, suite.Value(v, "J2_true_pct")),
		"under 2 %", "< 2 %", noisy < 2)}, nil
}

// galmezNonlinear is the largest J2 of the specimens A to D with amb.
func galmezNonlinear(ctx context.Context, e *Evidence) ([]Finding, error) {
	s := newNonlinear()
	s.Compensators = []string{"amb"}
	rows, err := s.rows(ctx, e.Lab)
	if err != nil {
		return nil, err
	}
	var worst, still float64
	holds := true
	for _, r := range rows {
		worst, still = max(worst, r.J2), max(still, r.TrueJ2)
		holds = holds && r.Status == rths.Completed && r.J2 < 4
	}
	return []Finding{says("J2 at most", fmt.Sprintf("%.2f %% (%.2f %% without noise)", worst, still), "under 4 %", "< 4 %",
		holds)}, nil
}

// simulated runs section 7.4 once.
func (e *Evidence) simulated(ctx context.Context) (map[string]*simulated, error) {
	return onceFor(e, "section 7.4", func() (map[string]*simulated, error) {
		runs, err := simulate(ctx, e.Lab)
		out := map[string]*simulated{}
		for _, r := range runs {
			out[r.name] = r
		}
		return out, err
	})
}

// galmezDelays is section 7.4.1.
func galmezDelays(ctx context.Context, e *Evidence) ([]Finding, error) {
	runs, err := e.simulated(ctx)
	if err != nil {
		return nil, err
	}
	eei, cross := suite.Value(runs["d4"].values, "eei_max_pct"), suite.Value(runs["d37"].values, "sw_cross_s")
	return []Finding{
		within("NRMSE, 7.1 ms", suite.Value(runs["d29"].values, "J4_rms_pct"), 144, 0.5, "%"),
		says("largest EEI, 0.98 ms", fmt.Sprintf("%.1f %%", eei), "under 15 %", "< 15 %", eei < 15),
		within("SW reaches 100 %, 9 ms", cross, 10, 1, "s"),
		below100(runs, "SW of 0, 0.98, 7.1 ms", "d0", "d4", "d29"),
		note("NRMSE, 0 ms", fmt.Sprintf("%.2f %%", suite.Value(runs["d0"].values, "J4_rms_pct"))),
	}, nil
}

// galmezGains is section 7.4.2.
func galmezGains(ctx context.Context, e *Evidence) ([]Finding, error) {
	runs, err := e.simulated(ctx)
	if err != nil {
		return nil, err
	}
	a, b := suite.Value(runs["gamma-a"].values, "sw_cross_s"), suite.Value(runs["gamma-b"].values, "sw_cross_s")
	end := suite.Value(runs["gamma-b"].values, "sw_end_pct")
	eei := suite.Value(runs["gamma-c"].values, "eei_max_pct")
	s, err := scenario.Shipped(caseIV, "rate_hz=8192", "compensator.gamma=[10, 5]")
	if err != nil {
		return nil, err
	}
	faster, err := e.Lab.Play(ctx, s, nil, nil)
	if err != nil {
		return nil, err
	}
	return []Finding{
		within("SW reaches 100 %, Γa", a, 10, 1, "s"),
		within("Γb", b, 10, 1, "s"),
		says("SW at the end, Γb", fmt.Sprintf("%.1f %%", end), "below 100 %", "< 100 %", end < 100),
		below100(runs, "SW of Γc, Γd", "gamma-c", "gamma-d"),
		says("largest EEI, Γc", fmt.Sprintf("%.0f %%", eei), "reaches 100 %", "≥ 100 %", eei >= 100),
		note("NRMSE, Γb", fmt.Sprintf("%.0f %%, at 8192 Hz %.0f %%", suite.Value(runs["gamma-b"].values, "J4_rms_pct"),
			suite.Value(faster.Values, "J4_rms_pct"))),
	}, nil
}

// below100 wants the largest SW of each run below 100 %.
func below100(runs map[string]*simulated, what string, names ...string) Finding {
	f := Finding{What: what, Published: "stays below 100 %", Limit: "< 100 %", Figures: len(names), Holds: true}
	for i, name := range names {
		v := suite.Value(runs[name].values, "sw_max_pct")
		if i > 0 {
			f.Ours += ", "
		}
		f.Ours += fmt.Sprintf("%.1f", v)
		f.Holds = f.Holds && v < 100
	}
	f.Ours += " %"
	return f
}

// galmezEnergies are the residuals of the energy balance in section 7.4, with the work of the
// held force and with trapezoids (5.18). Tests whose SW stays below 100 % have a limit.
func galmezEnergies(ctx context.Context, e *Evidence) ([]Finding, error) {
	runs, err := e.simulated(ctx)
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, test := range [][2]string{
		{"d0", "0 samples"}, {"d4", "4"}, {"d29", "29"}, {"d37", "37"}, {"gamma-a", "Γa"}, {"gamma-b", "Γb"},
		{"gamma-c", "Γc"}, {"gamma-d", "Γd"},
	} {
		r := runs[test[0]]
		held, trapezoids := suite.Value(r.values, "energy_residual_pct"), suite.Value(r.printed, "energy_residual_pct")
		f := below("left of the input work, "+test[1]+":", held, 0.01, "%")
		if suite.Value(r.values, "sw_max_pct") >= 100 {
			f.Limit, f.Holds = none, true
		}
		f.Ours += fmt.Sprintf(", trapezoids %.3g %%", trapezoids)
		out = append(out, f)
	}
	return out, nil
}

// galmezIdentified compares the plant that the means of the parameters from 10 to 35 s stand
// for with the true one below 20 Hz, in the run of Fig. 7.14.
func galmezIdentified(ctx context.Context, e *Evidence) ([]Finding, error) {
	s, err := scenario.Shipped("benchmark-siso.yaml", "ground.scale=0.6")
	if err != nil {
		return nil, err
	}
	mean, err := e.meanParameters(ctx, s)
	if err != nil {
		return nil, err
	}
	initial, err := paperPlant()
	if err != nil {
		return nil, err
	}
	start, err := initial.BareInverse(4)
	if err != nil {
		return nil, err
	}
	model, err := s.ControlPlant()
	if err != nil {
		return nil, err
	}
	found, before := farthestBelow20Hz(model.SS.Response(0, 0), mean[:]), farthestBelow20Hz(model.SS.Response(0, 0), start)
	return []Finding{note("identified plant, 0.5 to 20 Hz: off by at most",
		fmt.Sprintf("%.1f %% (initial model %.1f %%)", found, before))}, nil
}

// meanParameters are the means of a0 to a3 from 10 to 35 s.
func (e *Evidence) meanParameters(ctx context.Context, s *scenario.Scenario) (a [4]float64, err error) {
	n := 0.0
	_, err = e.Lab.Play(ctx, s, nil, func(run *scenario.Run) {
		run.Loop.Attach(suite.Watch(func(f *rths.Frame) {
			if f.T < 10 || f.T >= 35 {
				return
			}
			n++
			for i, v := range run.Parameters()[:len(a)] {
				a[i] += (v.V - a[i]) / n
			}
		}))
	})
	return a, err
}

// farthestBelow20Hz is the largest distance of 1/(a0 + a1 s + …) from a response, in percent.
func farthestBelow20Hz(plant lti.Response, a []float64) float64 {
	worst := 0.0
	for hz := 0.5; hz <= 20; hz += 0.5 {
		s, inverse := complex(0, 2*math.Pi*hz), complex(0, 0)
		for i := len(a) - 1; i >= 0; i-- {
			inverse = inverse*s + complex(a[i], 0)
		}
		worst = max(worst, 100*cmplx.Abs(1/(inverse*plant(hz))-1))
	}
	return worst
}
