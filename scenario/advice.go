package scenario

import (
	"fmt"
	"slices"
	"strings"

	"rths/compensate"
)

// advise warns beforehand of settings that do not work where they are used.
func (b *builder) advise() error {
	blocks := []*Choice[compensate.Maker]{&b.s.Compensator}
	for i := range b.s.Each {
		blocks = append(blocks, &b.s.Each[i].Compensator)
	}
	if len(b.s.Each) > 0 {
		blocks = blocks[1:]
	}
	for _, c := range blocks {
		for _, text := range b.s.adviceFor(c) {
			if text = "compensator: " + text; !slices.Contains(b.run.Warnings, text) {
				b.run.Warnings = append(b.run.Warnings, text)
			}
		}
	}
	return nil
}

// benchmarkRate is the sampling rate of the single-actuator benchmark, Hz.
const benchmarkRate = 4096

func (s *Scenario) adviceFor(c *Choice[compensate.Maker]) (out []string) {
	own := map[string]string{"amb-galmez2021": "amb", "kf-ning2020": "kf", "kf-table5": "kf"}[c.Kind]
	if own != "" && (s.RateHz != benchmarkRate || !strings.HasPrefix(s.Transfer.Kind, "silva2020")) {
		out = append(out, fmt.Sprintf("%s has published settings, for the single-actuator benchmark at %d Hz: want %s, which takes its settings from plant and rate", c.Kind, benchmarkRate, own))
	}
	if s.TwoRate == nil {
		return out
	}
	const jumps = "the target jumps with every main step, and differences of order %d pass the jumps on: want %s"
	switch p := c.Params.(type) {
	case *compensate.ATS:
		if p.Order > 1 {
			out = append(out, fmt.Sprintf("%s: "+jumps, c.Kind, p.Order, "order: 1"))
		}
	case *compensate.ADM:
		if p.Q > 2 {
			out = append(out, fmt.Sprintf("%s: "+jumps, c.Kind, p.Q-1, "adm2"))
		}
	}
	return out
}
