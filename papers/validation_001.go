package papers

import (
	"fmt"
	"math"

	"rths/scenario"
)

// galmezCritical is the oscillator of section 5.1.
func galmezCritical(*Evidence) ([]Finding, error) {
	h := oscillator(100, 2, 0.03, 0.1, 0.4, 0.4)
	exact, err := h.Critical()
	if err != nil {
		return nil, err
	}
	pade, err := h.CriticalPade(2)
	if err != nil {
		return nil, err
	}
	return []Finding{Within("Padé of order 2", 1e3*pade.Delay, 16, 0.5, "ms"), Within("exact", 1e3*exact.Delay, 16, 0.5, "ms")}, nil
}

// galmezFig54 checks the text on Fig. 5.4: at a stiffness ratio of 0.2 neither system has a
// critical delay up to 100 ms, and S2 tolerates more than S1.
func galmezFig54(*Evidence) ([]Finding, error) {
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
		{"at a ratio of 0.2", "S1 " + delayText(delays[0][0]) + ", S2 " + delayText(delays[1][0]), "none up to 100 ms", min(delays[0][0], delays[1][0]) > 100},
		{"at a ratio of 0.5", "S1 " + delayText(delays[0][1]) + ", S2 " + delayText(delays[1][1]), "S2 allows more than S1", delays[1][1] > delays[0][1]},
	}, nil
}

func delayText(ms float64) string {
	if math.IsInf(ms, 1) {
		return "none"
	}
	return fmt.Sprintf("%.3g ms", ms)
}

// galmezModal is case IV by the modal method.
func galmezModal(*Evidence) ([]Finding, error) {
	rows, err := caseDelays(4, "case IV")
	if err != nil {
		return nil, err
	}
	return []Finding{Within("case IV", rows[1].Value, 8.5, 0.05, "ms"), {"exact equation", fmt.Sprintf("%.4g ms", rows[0].Value), "–", true}}, nil
}

// galmezFig714 is case I under El Centro × 0.6 with amb.
func galmezFig714(e *Evidence) ([]Finding, error) {
	s, err := scenario.Shipped("benchmark-siso.yaml", "ground.scale=0.6")
	if err != nil {
		return nil, err
	}
	out, err := e.Lab.play(s, nil, nil)
	if err != nil {
		return nil, err
	}
	v := out.values
	noisy := value(v, "J2_pct")
	return []Finding{{"J2", fmt.Sprintf("%.2f %% (%.2f %% without noise)", noisy, value(v, "J2_true_pct")), "under 2 %", noisy < 2}}, nil
}

// galmezNonlinear is the largest J2 of the specimens A to D with amb.
func galmezNonlinear(e *Evidence) ([]Finding, error) {
	s := newNonlinear()
	s.Compensators = []string{"amb"}
	rows, err := s.rows(e.Context, e.Lab)
	if err != nil {
		return nil, err
	}
	var worst, still float64
	holds := true
	for _, r := range rows {
		worst, still = max(worst, r.J2), max(still, r.TrueJ2)
		holds = holds && r.Status == "completed" && r.J2 < 4
	}
	return []Finding{{"J2 at most", fmt.Sprintf("%.2f %% (%.2f %% without noise)", worst, still), "under 4 %", holds}}, nil
}

// galmezFig719 is the largest J2 of the perturbed plants of the suite.
func galmezFig719(e *Evidence) ([]Finding, error) {
	rows, err := e.siso("amb")
	if err != nil {
		return nil, err
	}
	var worst, still float64
	for _, r := range rows {
		if r.Run != nil && r.Run.Perturbed > 0 {
			worst, still = max(worst, r.J2), max(still, r.TrueJ2)
		}
	}
	return []Finding{{"cases I to IV, three records × 0.4: at most", fmt.Sprintf("%.2f %% (%.2f %% without noise)", worst, still), "below 3 %", worst < 3}}, nil
}

// simulated runs section 7.4 once.
func (e *Evidence) simulated() (map[string]*simulated, error) {
	return onceFor(e, "section 7.4", func() (map[string]*simulated, error) {
		runs, err := simulate(e.Context, e.Lab)
		out := map[string]*simulated{}
		for _, r := range runs {
			out[r.name] = r
		}
		return out, err
	})
}

// galmezDelays is section 7.4.1.
func galmezDelays(e *Evidence) ([]Finding, error) {
	runs, err := e.simulated()
	if err != nil {
		return nil, err
	}
	eei, cross := value(runs["d4"].values, "eei_max_pct"), value(runs["d37"].values, "sw_cross_s")
	return []Finding{
		Within("NRMSE, 7.1 ms", value(runs["d29"].values, "J4_rms_pct"), 144, 0.5, "%"),
		{"largest EEI, 0.98 ms", fmt.Sprintf("%.1f %%", eei), "under 15 %", eei < 15},
		{"SW reaches 100 %, 9 ms", fmt.Sprintf("%.2f s", cross), "near 10 s", cross > 9 && cross < 11},
		below100(runs, "SW of 0, 0.98, 7.1 ms", "d0", "d4", "d29"),
	}, nil
}

// galmezGains is section 7.4.2.
func galmezGains(e *Evidence) ([]Finding, error) {
	runs, err := e.simulated()
	if err != nil {
		return nil, err
	}
	a, b := value(runs["gamma-a"].values, "sw_cross_s"), value(runs["gamma-b"].values, "sw_cross_s")
	end := value(runs["gamma-b"].values, "sw_end_pct")
	eei := value(runs["gamma-c"].values, "eei_max_pct")
	return []Finding{
		{"SW reaches 100 %, Γa", fmt.Sprintf("%.2f s", a), "near 10 s", a > 9 && a < 11},
		{"Γb", fmt.Sprintf("%.2f s", b), "near 10 s", b > 9 && b < 11},
		{"SW at the end, Γb", fmt.Sprintf("%.1f %%", end), "below 100 %", end < 100},
		below100(runs, "SW of Γc, Γd", "gamma-c", "gamma-d"),
		{"largest EEI, Γc", fmt.Sprintf("%.0f %%", eei), "reaches 100 %", eei >= 100},
	}, nil
}

// below100 wants the largest SW of each run below 100 %.
func below100(runs map[string]*simulated, what string, names ...string) Finding {
	f := Finding{What: what, Published: "stays below 100 %", Holds: true}
	for i, name := range names {
		v := value(runs[name].values, "sw_max_pct")
		if i > 0 {
			f.Ours += ", "
		}
		f.Ours += fmt.Sprintf("%.1f", v)
		f.Holds = f.Holds && v < 100
	}
	f.Ours += " %"
	return f
}
