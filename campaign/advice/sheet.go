package advice

import (
	"context"
	"fmt"
	"math"

	"rths/result/record"
)

// Sheet has every trial of the three streams: stream, motion, method, settings, why it has failed, condition,
// seed and random plant, and what came out.
func (a *Advice) Sheet() *record.Sheet {
	s := &record.Sheet{Name: a.base.Scenario.Name}
	text := map[string]*record.SheetColumn{}
	number := map[string]*record.SheetColumn{}
	texts, numbers := []string{"stream", "motion", "method", "label", "settings", "why_failed"},
		[]string{"condition", "seed", "perturbed", "J2_true_pct", "global_error_pct", "roughness_um", "loop_radius"}
	for _, name := range texts {
		text[name] = &record.SheetColumn{Name: name, Texts: []string{}}
	}
	for _, name := range numbers {
		number[name] = &record.SheetColumn{Name: name, Numbers: []float64{}}
	}
	put := func(c *Candidate, stream, i int) {
		t, of := c.trials[stream][i], a.condition(stream, i)
		seed, _ := of[0].Float()
		plant, _ := of[1].Float()
		motion := "the scenario's"
		if len(of) > 3 {
			motion = of[3].Text()
		}
		for name, v := range map[string]string{"stream": streamNames[stream], "motion": motion, "method": c.Method.Kind,
			"label": c.Label, "settings": c.describe(), "why_failed": t.Why} {
			text[name].Texts = append(text[name].Texts, v)
		}
		for name, v := range map[string]float64{"condition": float64(i + 1), "seed": seed, "perturbed": plant,
			"J2_true_pct": t.J2, "global_error_pct": t.Global, "roughness_um": t.Rough, "loop_radius": t.Radius} {
			number[name].Numbers = append(number[name].Numbers, v)
		}
	}
	for stream := range streams {
		for _, m := range a.Methods {
			for _, c := range m.Candidates {
				for i := range c.trials[stream] {
					if c.trials[stream][i].there {
						put(c, stream, i)
					}
				}
			}
		}
	}
	for _, name := range texts {
		s.Columns = append(s.Columns, *text[name])
	}
	for _, name := range numbers {
		s.Columns = append(s.Columns, *number[name])
	}
	return s
}

// Recommended is the scenario with the winner for a file in a folder, all settings spelled out, with the advice in
// comments.
func (a *Advice) Recommended(ctx context.Context, folder string) (string, error) {
	s, err := a.winning(ctx)
	if err != nil {
		return "", err
	}
	whole, err := s.YAMLIn(folder)
	p90 := score(a.Winner.trials[final]).P90
	if math.IsInf(p90, 0) {
		p90 = math.NaN()
	}
	return fmt.Sprintf("# Recommended by rths advise: %s. The 90th percentile of J2_true is %s %% in %d runs.\n",
		named(a.Winner.Method.Kind, settingsOf(a.Winner)), num(rounded(p90)), len(a.Winner.trials[final])) + whole, err
}
