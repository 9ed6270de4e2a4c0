package scenario

import (
	"fmt"
	"slices"
	"strings"

	"rths/compensate"
)

// advise warns beforehand of settings that do not work where they are used.
func (b *builder) advise() error {
	blocks := []Choice[compensate.Maker]{b.s.Compensator}
	if b.s.eachCompensates() {
		blocks = nil
		for _, a := range b.s.Each {
			blocks = append(blocks, a.Compensator)
		}
	}
	for _, c := range blocks {
		for _, text := range b.s.adviceFor(c.Kind, c.Params) {
			if text = "compensator: " + text; !slices.Contains(b.run.Warnings, text) {
				b.run.Warnings = append(b.run.Warnings, text)
			}
		}
	}
	return nil
}

// benchmarkRate is the sampling rate of the single-actuator benchmark, Hz.
const benchmarkRate = 4096

func (s *Scenario) adviceFor(kind string, maker compensate.Maker) (out []string) {
	own := map[string]string{"amb-galmez2021": "amb", "kf-ning2020": "kf", "kf-table5": "kf"}[kind]
	if own != "" && (s.RateHz != benchmarkRate || !strings.HasPrefix(s.Transfer.Kind, "silva2020")) {
		out = append(out, fmt.Sprintf("%s has published settings, for the single-actuator benchmark at %d Hz: want %s, which takes its settings from plant and rate", kind, benchmarkRate, own))
	}
	if s.TwoRate == nil {
		return out
	}
	const jumps = "the target jumps with every main step, and differences of order %d pass the jumps on: want %s"
	switch p := maker.(type) {
	case *compensate.ATS:
		if p.Order > 1 {
			out = append(out, fmt.Sprintf("%s: "+jumps, kind, p.Order, "order: 1"))
		}
	case *compensate.ADM:
		if p.Q > 2 && p.Spacing == 1 {
			out = append(out, fmt.Sprintf("%s: "+jumps, kind, p.Q-1, "adm2, or no spacing and no theta0"))
		}
	case *compensate.RoDeAC:
		out = append(out, fmt.Sprintf("%s: "+jumps, kind, len(p.Theta0[0])-1, "adm"))
	}
	return out
}
