package papers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"rths/campaign/suite"
	"rths/model/plant"
	"rths/scenario"
)

func ningTrue(context.Context, *Evidence) ([]Finding, error) {
	x := ningTrueParameters()
	var out []Finding
	for i, want := range []float64{0.6777e4, -1.3422e4, 0.6646e4} {
		out = append(out, within(fmt.Sprintf("x%d", i+1), x[i], want, 0.5, ""))
	}
	return out, nil
}

func ningFig4(ctx context.Context, e *Evidence) ([]Finding, error) {
	s, err := ningSweep(20, 1, 1, 1)
	if err != nil {
		return nil, err
	}
	out, err := e.Lab.Play(ctx, s, nil, nil)
	if err != nil {
		return nil, err
	}
	j2 := suite.Value(out.Values, "J2_pct")
	return []Finding{says("J2", fmt.Sprintf("%.2f %%", j2), "almost identical (Fig. 6: below 5 %)", "< 5 %", j2 < 5)}, nil
}

// ningFig5 is the sweep within 1 s: how far the parameters are from the true ones, 14 % at the start.
func ningFig5(ctx context.Context, _ *Evidence) ([]Finding, error) {
	s, err := ningSweep(20, 1, 1, 1, "target.duration_s=1")
	if err != nil {
		return nil, err
	}
	run, err := s.Build(ctx, scenario.Options{})
	if err != nil {
		return nil, err
	}
	start := parametersOf(run)
	at := func(t float64) (off, moved float64, err error) {
		err = run.Loop.Run(1, func() bool { return run.Loop.Frame().T < t })
		x := parametersOf(run)
		return farthest(x, ningTrueParameters()), farthest(x, start), err
	}
	early, moved, err1 := at(0.1)
	then, _, err2 := at(0.5)
	last, _, err3 := at(1)
	return []Finding{
		says("at 0.1 s off the true ones by", fmt.Sprintf("%.2f %%, off the initial ones by %.2f %%", early, moved),
			"vary slightly", "< 1 % off the initial ones", moved < 1),
		says("at 0.5 s off by", fmt.Sprintf("%.2f %%", then), "move rapidly toward the true ones", "< a fifth of 14 %",
			then < 14./5),
		says("at 1 s off by", fmt.Sprintf("%.2f %%", last), "almost identical to the true ones", "< 1.5 %", last < 1.5),
	}, errors.Join(err1, err2, err3)
}

// kalman runs the suite of section 4 once.
func (e *Evidence) kalman(ctx context.Context) ([]kalmanRow, error) {
	return onceFor(e, "kalman", func() ([]kalmanRow, error) { return Kalman{}.rows(ctx, e.Lab) })
}

func ningTable4(ctx context.Context, e *Evidence) ([]Finding, error) {
	rows, err := e.kalman(ctx)
	if err != nil {
		return nil, err
	}
	least, most := math.Inf(1), math.Inf(-1)
	for _, r := range rows {
		if r.Quantity == "x0" {
			least, most = min(least, r.DelayMs), max(most, r.DelayMs)
		}
	}
	return []Finding{says("39 runs", fmt.Sprintf("%.2f to %.2f ms", least, most), "0.1 to 0.2 ms", "0.05 to 0.25 ms",
		least >= 0.05 && most < 0.25)}, nil
}

// ningWorst is the largest of a column for a quantity, by stop frequency.
func (e *Evidence) ningWorst(ctx context.Context, quantity string, of func(kalmanRow) float64) (worst [3]float64,
	err error) {
	rows, err := e.kalman(ctx)
	for _, r := range rows {
		if r.Quantity == quantity {
			i := slices.Index(kalmanStops, r.StopHz)
			worst[i] = max(worst[i], of(r))
		}
	}
	return worst, err
}

// ningRMSE wants J2 below 5 % for every factor.
func ningRMSE(vary ...string) func(context.Context, *Evidence) ([]Finding, error) {
	return ningBelow("at most", func(r kalmanRow) float64 { return r.RMSE }, "below 5 %", 5, vary)
}

// ningFig6 wants of J2 over the factor on x0 that it falls first and then rises, too, and is largest to 30 Hz.
func ningFig6(ctx context.Context, e *Evidence) ([]Finding, error) {
	out, err := ningRMSE("x0")(ctx, e)
	if err != nil {
		return nil, err
	}
	rows, err := e.kalman(ctx)
	j2 := map[float64][]float64{} // by stop frequency, over the factors
	for _, r := range rows {
		if r.Quantity == "x0" {
			j2[r.StopHz] = append(j2[r.StopHz], r.RMSE)
		}
	}
	least, turns := []string{}, true
	for _, stop := range kalmanStops {
		low := slices.Index(j2[stop], slices.Min(j2[stop]))
		left, right := slices.Clone(j2[stop][:low+1]), j2[stop][low:]
		slices.Reverse(left)
		turns = turns && len(left) > 1 && len(right) > 1 && slices.IsSorted(left) && slices.IsSorted(right)
		least = append(least, fmt.Sprintf("%.2f", j2[stop][low]))
	}
	largest, factors := 0, len(j2[30])
	for i, v := range j2[30] {
		if v >= j2[10][i] && v >= j2[20][i] {
			largest++
		}
	}
	return append(out,
		Finding{What: "between 0.7 and 1.3 down to", Ours: strings.Join(least, ", ") + " %", Published: "falls, then rises",
			Limit: "at every stop frequency", Figures: len(kalmanStops), Holds: turns},
		says("largest at 30 Hz", fmt.Sprintf("with %d of %d factors", largest, factors),
			"largest at the highest stop frequency", "with every factor", largest == factors)), err
}

// ningFig7 wants of the parameters of the sweeps to 10 Hz that they rise with the factor on x0, too.
func ningFig7(ctx context.Context, e *Evidence) ([]Finding, error) {
	out, err := ningConverged("x0")(ctx, e)
	if err != nil {
		return nil, err
	}
	rows, err := e.kalman(ctx)
	x0 := slices.DeleteFunc(slices.Clone(rows), func(r kalmanRow) bool { return r.Quantity != "x0" || r.StopHz != 10 })
	first, last := x0[0], x0[len(x0)-1]
	rises := slices.IsSortedFunc(x0, func(a, b kalmanRow) int { return cmp.Compare(a.X1, b.X1) })
	return append(out, says("x1 of the sweeps to 10 Hz", fmt.Sprintf("%.0f to %.0f", first.X1, last.X1),
		"rises with the factor", "at every factor", rises)), err
}

// ningConverged wants the last parameters within 1 % of the ones that the paper calls true.
func ningConverged(vary ...string) func(context.Context, *Evidence) ([]Finding, error) {
	return ningBelow("off the true ones by at most", func(r kalmanRow) float64 { return r.OffTrue }, "within 1 %", 1, vary)
}

func ningBelow(what string, of func(kalmanRow) float64, published string, limit float64,
	vary []string) func(context.Context, *Evidence) ([]Finding, error) {
	return func(ctx context.Context, e *Evidence) ([]Finding, error) {
		var out []Finding
		for _, quantity := range vary {
			w, err := e.ningWorst(ctx, quantity, of)
			if err != nil {
				return nil, err
			}
			f := says(fmt.Sprintf("%s, sweep to 10, 20, 30 Hz: %s", quantity, what),
				fmt.Sprintf("%.2f, %.2f, %.2f %%", w[0], w[1], w[2]), published, fmt.Sprintf("≤ %g %%", limit),
				slices.Max(w[:]) <= limit)
			f.Figures = len(w)
			out = append(out, f)
		}
		return out, nil
	}
}

// ningPSI are the critical delays of the four cases, with the printed specimen.
func ningPSI(context.Context, *Evidence) ([]Finding, error) {
	var delays, psi []string
	holds := true
	for i := range 4 {
		rows, err := caseDelays(i+1, "", galmezStiffness)
		if err != nil {
			return nil, err
		}
		ms := rows[0].Value
		holds = holds && ms > 3.5 && ms < 11.5
		delays, psi = append(delays, fmt.Sprintf("%.1f", ms)), append(psi, fmt.Sprintf("%.2f", math.Log10(ms)))
	}
	return []Finding{
		says("cases I to IV", strings.Join(delays, ", ")+" ms", "4 to 11 ms", "3.5 to 11.5 ms", holds),
		says("PSI", strings.Join(psi, ", "), "0.6 to 1.05", none, holds),
	}, nil
}

// silvaPSI are log10 of the critical delays in ms with a specimen of 1.5e6 N/m, beside those read off Fig. 6 of
// the preprint of Silva 2020.
func silvaPSI(context.Context, *Evidence) ([]Finding, error) {
	var out []Finding
	for i, read := range []float64{1.06, 0.985, 0.895, 0.84} {
		rows, err := caseDelays(i+1, "", 1.5e6)
		if err != nil {
			return nil, err
		}
		out = append(out, within(fmt.Sprintf("case %d", i+1), math.Log10(rows[0].Value), read, 0.005, ""))
	}
	return out, nil
}

// ningFig2 are the delays of the plant with the paper's parameters.
func ningFig2(context.Context, *Evidence) ([]Finding, error) {
	s := scenario.New()
	if err := errors.Join(s.Specimen.Use("linear"), s.Transfer.Use("silva2020-paper")); err != nil {
		return nil, err
	}
	*s.Specimen.Params.(*plant.LinearSpecimen) = plant.LinearSpecimen{Mass: 29.12, Damping: 114.6, Stiffness: 1.19e6}
	m, err := s.ControlPlant()
	if err != nil {
		return nil, err
	}
	b, err := m.SS.Response(0, 0).Bode([]float64{0.1, 10, 60, 150}, m.Delay(0))
	if err != nil {
		return nil, err
	}
	d := b.DelayMs
	return []Finding{
		within("towards 0 Hz", d[0], 25, 0.5, "ms"),
		says("at 10, 60 and 150 Hz", fmt.Sprintf("%.1f, %.1f, %.1f ms", d[1], d[2], d[3]), "falls to 8 ms",
			"< 8.5 ms at 150 Hz", d[3] < 8.5),
	}, nil
}
