package study

import (
	"fmt"
	"math"

	"rths/stability"
)

// Sentence is the verdict in one sentence.
func (v *Verdict) Sentence() string {
	hz := v.At()
	tolerates := fmt.Sprintf("The test tolerates a delay of %.2f ms (at %.2f Hz)", 1e3*v.Exact.Delay, hz)
	switch {
	case v.Note != "":
		tolerates = "The delay the test tolerates is not known, as " + v.why
	case math.IsInf(v.Exact.Omega, 1):
		tolerates = fmt.Sprintf("The test tolerates no delay, the specimen's mass being %.2f of the numerical part's", v.MassRatio)
	case v.Exact.Delay < 1e-6:
		tolerates = "The test tolerates no delay, the structure being undamped or unstable as a whole"
	case !v.Exact.Exists():
		tolerates = "The test tolerates any delay"
	}
	for i, l := range v.Loops {
		who := "without compensator"
		if l.Case == "compensated" {
			who = "with " + v.Compensator
		}
		joint := ";"
		if i > 0 {
			joint = ","
		}
		tolerates += fmt.Sprintf("%s the loop %s %sis %s", joint, who, l.Delay(hz).leaves(), l.word())
	}
	return tolerates + "."
}

// leaves is the delay in words: that of the whole loop, or else that of the actuator,
// or nothing where neither is known.
func (d ModeDelay) leaves() string {
	switch {
	case !math.IsNaN(d.LoopMs):
		return fmt.Sprintf("leaves %.2f ms and ", hundredths(d.LoopMs))
	case !math.IsNaN(d.LeftMs):
		return fmt.Sprintf("leaves %.2f ms at %.2f Hz and ", hundredths(d.LeftMs), d.FreqHz)
	}
	return ""
}

// hundredths rounds, so that nothing is printed as −0.00.
func hundredths(x float64) float64 { return math.Round(100*x)/100 + 0 }

// word says stable or not, and how fast.
func (l *LoopVerdict) word() string {
	if l.Stable() && l.Moving >= 1-1e-12 {
		return "on the verge (motion neither grows nor decays)"
	}
	if l.Stable() {
		return fmt.Sprintf("stable (motion decays by %.3g 1/s at least)", -l.Growth)
	}
	return fmt.Sprintf("unstable (motion grows by %.3g 1/s)", l.Growth)
}

// Row is the verdict as one flat object.
func (v *Verdict) Row() Row {
	out := Row{{"name", v.Name}, {"compensator", v.Compensator}, {"verdict", v.Sentence()}}
	for _, m := range []struct {
		name string
		c    stability.Critical
	}{{"exact", v.Exact}, {"tracked", v.Tracked}, {fmt.Sprintf("pade%d", v.Order), v.Pade}, {"modal", v.Modal}} {
		out = append(out, Cell{"critical_delay_" + m.name + "_ms", 1e3 * m.c.Delay}, Cell{"critical_" + m.name + "_hz", critHz(m.c)})
	}
	out = append(out, Cell{"psi", v.Exact.PSI()}, Cell{"mass_ratio", v.MassRatio}, Cell{"note", orNull(v.Note)})
	for i := range v.Loops {
		l := &v.Loops[i]
		for _, c := range l.cells(v) {
			out = append(out, Cell{l.Case + "_" + c.Key, c.V})
		}
	}
	if len(v.Plants) > 0 {
		unstable, radius, distance := v.Envelope()
		out = append(out, Cell{"perturbed_plants", len(v.Plants)}, Cell{"perturbed_unstable", unstable},
			Cell{"perturbed_spectral_radius_max", radius}, Cell{"perturbed_distance_min", distance})
	}
	return out
}

// orNull is the text, null if there is none.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func critHz(c stability.Critical) float64 {
	if !c.Exists() || math.IsNaN(c.Delay) {
		return math.NaN()
	}
	return c.Omega / (2 * math.Pi)
}

// cells are the numbers of a loop. Margins of an unstable one mean nothing.
func (l *LoopVerdict) cells(v *Verdict) []Cell {
	d, m := l.Delay(v.At()), l.Margins
	if !l.Stable() {
		m = noMargins()
		m.Distance, m.DistanceHz = l.Margins.Distance, l.Margins.DistanceHz
	}
	out := []Cell{
		{"stable", l.Stable()}, {"note", orNull(l.Note)}, {"spectral_radius", l.Radius}, {"growth_per_s", l.Growth}, {"states", l.States}, {"states_at_rest", l.Still},
		{"worst_hz", l.slowest().FreqHz}, {"worst_damping_ratio", l.slowest().Ratio},
		{"delay_left_ms", d.LeftMs}, {"loop_delay_ms", d.LoopMs}, {"loop_gain", d.Gain},
	}
	out = append(out, Cell{"gain_margin", m.GainUp}, Cell{"gain_margin_down", m.GainDown}, Cell{"phase_margin_deg", m.PhaseDeg},
		Cell{"delay_margin_ms", 1e3 * m.Delay}, Cell{"distance", m.Distance}, Cell{"distance_hz", m.DistanceHz})
	if v.Weight != nil {
		var robust any // null where there is no curve
		if !math.IsNaN(l.Robust) {
			robust = l.Stable() && l.Robust < 1
		}
		out = append(out, Cell{"robust_wt_max", l.Robust}, Cell{"robust_wt_hz", l.WorstHz}, Cell{"robustly_stable", robust})
	}
	return out
}

// Envelope is the worst of the random plants: how many are unstable, the largest
// spectral radius, the smallest distance of a Nyquist curve from −1.
func (v *Verdict) Envelope() (unstable int, radius, distance float64) {
	distance = math.Inf(1)
	for i := range v.Plants {
		p := &v.Plants[i]
		radius, distance = max(radius, p.Radius), min(distance, p.Margins.Distance)
		if !p.Stable() {
			unstable++
		}
	}
	return unstable, radius, distance
}

// PlantRows are the random plants, one flat row each.
func (v *Verdict) PlantRows() []Row {
	var out []Row
	for i := range v.Plants {
		p := &v.Plants[i]
		out = append(out, Row{{"plant", i + 1}, {"stable", p.Stable()}, {"spectral_radius", p.Radius}, {"growth_per_s", p.Growth},
			{"worst_hz", p.slowest().FreqHz}, {"delay_margin_ms", 1e3 * p.stableDelay()}, {"distance", p.Margins.Distance}})
	}
	return out
}

func (l *LoopVerdict) stableDelay() float64 {
	if !l.Stable() {
		return math.NaN()
	}
	return l.Margins.Delay
}

// ModeRows are the delays at the structure's frequencies, one flat row each.
func (v *Verdict) ModeRows() []Row {
	var out []Row
	for _, hz := range v.ModesHz {
		row := Row{{"freq_hz", hz}}
		for i := range v.Loops {
			l := &v.Loops[i]
			x := l.Delay(hz)
			row = append(row, Cell{l.Case + "_left_ms", x.LeftMs}, Cell{l.Case + "_loop_ms", x.LoopMs}, Cell{l.Case + "_loop_gain", x.Gain})
		}
		out = append(out, row)
	}
	return out
}

// NyquistRows are the curves of the loops, one row per frequency.
func (v *Verdict) NyquistRows() []Row {
	out := []Row{}
	for _, l := range v.Loops {
		for i, hz := range l.Curve.Hz {
			out = append(out, Row{{"loop", l.Case}, {"freq_hz", hz}, {"re", real(l.Curve.L[i])}, {"im", imag(l.Curve.L[i])}})
		}
	}
	return out
}
