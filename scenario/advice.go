package scenario

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"rths"
	"rths/method/combine"
	"rths/method/compensate"
	"rths/method/criteria"
	"rths/scenario/syntax"
)

// advise warns beforehand of settings that do not work where they are used.
func (b *builder) advise() error {
	blocks := []syntax.Choice[compensate.Maker]{b.s.Compensator}
	if b.s.eachCompensates() {
		blocks = nil
		for _, a := range b.s.Each {
			blocks = append(blocks, a.Compensator)
		}
	}
	for _, c := range blocks {
		if _, ok := c.Params.(*compensate.LQG); ok {
			b.run.Warnings = append(b.run.Warnings,
				"compensator: lqg alone is a correction without a command to correct: want it in a chain with join: parallel, "+
					"beside a feedforward")
		}
	}
	for _, c := range withParts(blocks) {
		for _, text := range b.s.adviceFor(c.Kind, c.Params) {
			if text = "compensator: " + text; !slices.Contains(b.run.Warnings, text) {
				b.run.Warnings = append(b.run.Warnings, text)
			}
		}
	}
	for _, f := range b.s.fallbacks() {
		for _, text := range b.s.adviceFor(f.Kind, f.Params) {
			if text = "fallback: " + text; !slices.Contains(b.run.Warnings, text) {
				b.run.Warnings = append(b.run.Warnings, text)
			}
		}
	}
	if b.s.innerLeft {
		b.run.Notes = append(b.run.Notes, fmt.Sprintf(
			"compensator: %s closes the loop itself, so the file's inner_loop is left out; --set inner_loop={…} keeps one",
			b.s.Compensator.Kind))
	}
	if text := b.lagAdvice(); text != "" {
		b.run.Warnings = append(b.run.Warnings, "compensator: "+text)
	}
	return nil
}

// lagAdvice warns of a lag that the design of the compensator leaves, where it makes a
// tracking error of a lost run (criteria.LostJ2) at the lowest frequency of the structure.
func (b *builder) lagAdvice() string {
	late, ok := rths.As[compensate.Late](b.comp)
	if !ok || b.run.Whole == nil || b.run.Whole.Sparse != nil {
		return ""
	}
	modes, err := b.run.Whole.Modes()
	if err != nil {
		return ""
	}
	hz, lag := modes[0].FreqHz, late.SlowLag()
	pct := 100 * 2 * math.Pi * hz * lag
	if pct <= criteria.LostJ2 {
		return ""
	}
	return fmt.Sprintf(
		"%s leaves a lag of %.3g ms, a tracking error of %.2g %% at the structure's %.3g Hz: want adm-msmc, which removes it",
		b.s.Compensator.Kind, 1e3*lag, pct, hz)
}

// withParts puts the parts of chains in place of the chains.
func withParts(blocks []syntax.Choice[compensate.Maker]) (out []syntax.Choice[compensate.Maker]) {
	for _, c := range blocks {
		chain, ok := c.Params.(*Chain)
		if !ok {
			out = append(out, c)
			continue
		}
		for _, p := range chain.Of {
			out = append(out, p.Choice)
		}
	}
	return out
}

// benchmarkRate is the sampling rate of the single-actuator benchmark, Hz.
const benchmarkRate = 4096

// elsewhere says that the settings of a kind are published ones for another test, or "".
func (s *Scenario) elsewhere(kind string) string {
	own := map[string]string{"amb-galmez2021": "amb", "kf-ning2020": "kf", "kf-table5": "kf", "kf-literal": "kf"}[kind]
	if own == "" || s.RateHz == benchmarkRate && strings.HasPrefix(s.Transfer.Kind, "silva2020") {
		return ""
	}
	return fmt.Sprintf(
		"%s has published settings, for the single-actuator benchmark at %d Hz: want %s, which takes its settings from "+
			"plant and rate", kind, benchmarkRate, own)
}

// Misfit is why a kind of compensator by itself is no answer for this scenario, although a test
// with it can be built; "" where it may be one.
func (s *Scenario) Misfit(kind string) string {
	switch kind {
	case "tf", "zpk", "ss", "fir":
		return "its numbers are the user's own: none follow from the scenario"
	case "lqg":
		return "a correction without a command to correct: part of a chain with join: parallel"
	}
	return s.elsewhere(kind)
}

func (s *Scenario) adviceFor(kind string, maker compensate.Maker) (out []string) {
	if text := s.elsewhere(kind); text != "" {
		out = append(out, text)
	}
	if _, ok := maker.(compensate.OwnLoop); ok && s.Inner != (combine.InnerPI{}) {
		out = append(out,
			fmt.Sprintf("%s closes the loop itself, on a model of the plant without inner_loop: want no inner_loop", kind))
	}
	if s.TwoRate == nil || s.TwoRate.MainStep == 1 {
		return out
	}
	if order, want := bent(maker); order > 1 {
		out = append(out,
			fmt.Sprintf("%s: the target bends with every main step, and differences of order %d make pulses of the bends, "+
				"which a delay passes on: want %s", kind, order, want))
	}
	return out
}

// bent is the order of the differences of the target that a method takes one sample apart,
// and what to take where the target has bends.
func bent(maker compensate.Maker) (order int, want string) {
	const first = "order: 1"
	switch p := maker.(type) {
	case *compensate.AMB:
		return p.Order, first
	case *compensate.ATS:
		return p.Order, first
	case *compensate.CATS:
		return p.Order, first
	case *compensate.PE:
		return p.Order, first
	case *compensate.ADM:
		if p.Spacing == 1 {
			return p.Q - 1, "adm2, or no spacing and no theta0"
		}
	case *compensate.RoDeAC:
		return len(p.Theta0[0]) - 1, "adm"
	}
	return 0, ""
}
