package papers

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"rths"
	"rths/result/record"
)

func wangConditions(ctx context.Context, e *Evidence) ([]Finding, error) {
	s, err := newADM().prepare(ctx, e.Lab, "sdof")
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, c := range []string{"adm2", "adm3", "adm4"} {
		out = append(out, Finding{What: "condition of Φ, " + c, Ours: fmt.Sprintf("%.3g", s.fits[c].Condition),
			Published: none,
			Limit:     "no warning of the fit", Holds: s.fits[c].Warning() == ""})
	}
	return out, nil
}

// wangRows are the medians of some groups.
func (e *Evidence) wangRows(ctx context.Context, take func(admGroup) bool) ([]admRow, error) {
	rows, err := onceFor(e, "adm", func() ([]admRow, error) {
		rows, _, err := newADM().rows(ctx, e.Lab)
		return rows, err
	})
	return slices.DeleteFunc(admMedians(rows), func(r admRow) bool { return !take(r.admGroup) }), err
}

func wangExact(ctx context.Context, e *Evidence) ([]Finding, error) {
	rows, err := e.wangRows(ctx, func(g admGroup) bool {
		return g.Compensator == "adm4" && g.System == "sdof" && g.Plant == "fixed" && g.NoiseMM == 0
	})
	if err != nil {
		return nil, err
	}
	j := rows[0].J1
	return []Finding{says("J1 of four parameters without noise", fmt.Sprintf("%.1g mm", j), "exact", "< 1e-6 mm",
		j < 1e-6)}, nil
}

func wangTable(plant string, noise float64) func(context.Context, *Evidence) ([]Finding, error) {
	return wangCompare(func(g admGroup) bool { return g.System == "sdof" && g.Plant == plant && g.NoiseMM == noise })
}

func wangLab(loop string) func(context.Context, *Evidence) ([]Finding, error) {
	return wangCompare(func(g admGroup) bool { return g.Loop == loop && g.NoiseMM > 0 })
}

// wangCompare puts J1 to J4 beside the printed ones.
func wangCompare(take func(admGroup) bool) func(context.Context, *Evidence) ([]Finding, error) {
	return func(ctx context.Context, e *Evidence) ([]Finding, error) {
		rows, err := e.wangRows(ctx, take)
		if err != nil {
			return nil, err
		}
		var out []Finding
		for _, r := range rows {
			ours := wangFigures(record.Flat(r.wangJ))
			if math.IsNaN(r.J1) && r.Status != rths.Completed {
				ours = r.Status
			}
			_, published := r.Below()
			out = append(out, Finding{What: r.Compensator, Ours: ours, Published: wangFigures(published), Limit: none,
				Figures: len(published)})
		}
		return out, nil
	}
}

// wangFigures are the indicators of a row, NaN left out.
func wangFigures(j record.Row) string {
	var out []string
	for _, c := range j {
		switch name, unit, _ := strings.Cut(c.Key, "_"); {
		case math.IsNaN(c.V.(float64)):
		case unit == "mm":
			out = append(out, fmt.Sprintf("%s %.4g mm", name, c.V))
		default:
			out = append(out, fmt.Sprintf("%s %.3g %%", name, c.V))
		}
	}
	return strings.Join(out, ", ")
}

// wangFig9 wants lower indicators of all three models than of the extrapolation, on the
// varying plant with noise.
func wangFig9(ctx context.Context, e *Evidence) ([]Finding, error) {
	rows, err := e.wangRows(ctx, func(g admGroup) bool {
		return g.System == "3dof" && g.Plant == "varying" &&
			g.NoiseMM > 0
	})
	if err != nil {
		return nil, err
	}
	pe := rows[0].J4
	var out []Finding
	for _, r := range rows[1:] {
		out = append(out, says("J4 of "+r.Compensator, fmt.Sprintf("%.3g %%, extrapolation %.3g %%", r.J4, pe),
			"outperforms it", "< a fifth", r.J4 < pe/5))
	}
	return out, nil
}
