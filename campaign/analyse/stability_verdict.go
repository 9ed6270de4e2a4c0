package analyse

import (
	"fmt"
	"math"

	"rths/method/stability"
	"rths/result/record"
)

// Sentence is the verdict in one sentence.
func (v *Verdict) Sentence() string {
	if len(v.Loops) > 0 && v.known() {
		return v.judged() + "."
	}
	hz := v.At()
	tolerates := fmt.Sprintf("The test tolerates a delay of %.2f ms (at %.2f Hz%s)", 1e3*v.Exact.Delay, hz, v.whose(hz))
	switch {
	case v.Note != "":
		tolerates = "The delay the test tolerates is not known, as " + v.why
	case math.IsInf(v.Exact.Omega, 1):
		tolerates = fmt.Sprintf("The test tolerates no delay, the specimen's mass being %.2f of the numerical part's",
			v.MassRatio)
	case v.Exact.Delay < 1e-6:
		tolerates = "The test tolerates no delay, the structure being undamped or unstable as a whole"
	case !v.Exact.Exists():
		tolerates = "The test tolerates any delay"
	}
	for i, l := range v.Loops {
		joint := ";"
		if i > 0 {
			joint = ","
		}
		tolerates += fmt.Sprintf("%s the loop %s %sis %s", joint, v.with(&l), l.Delay(hz).leaves(), l.word())
	}
	return tolerates + "."
}

// with names the compensator of a loop.
func (v *Verdict) with(l *LoopVerdict) string {
	if l.Case == "compensated" {
		return "with " + v.Compensator
	}
	return "without compensator"
}

// whose says that a frequency is not the structure's.
func (v *Verdict) whose(hz float64) string {
	if !v.Beyond(hz) {
		return ""
	}
	return ", above up_to_hz: the reduction's, not the structure's"
}

// CriticalText is a critical delay and its frequency.
func (v *Verdict) CriticalText(c stability.Critical) string {
	switch {
	case !c.Exists():
		return "none"
	case math.IsInf(c.Omega, 1):
		return "0 ms: motion of high frequency grows with any delay"
	}
	hz := c.Omega / (2 * math.Pi)
	return fmt.Sprintf("%.3f ms at %.3f Hz%s", 1e3*c.Delay, hz, v.whose(hz))
}

// Notes say what a reduction has kept, and which critical delays are not the structure's.
func (v *Verdict) Notes() []string {
	if v.Reduced == nil {
		return nil
	}
	out := v.Reduced.Notes()
	for _, m := range v.criticals() {
		if hz := critHz(m.c); v.Beyond(hz) {
			out = append(out, fmt.Sprintf("critical_delay_%s_ms: %s", m.name, v.CriticalText(m.c)))
		}
	}
	return append(out, v.Scope())
}

// Scope is what holds for the whole verdict of a reduced structure.
func (v *Verdict) Scope() string {
	return fmt.Sprintf(
		"the structure is reduced: roots, margins and delays above up_to_hz %g Hz are the reduction's, not the structure's",
		v.Reduced.UpToHz)
}

// named is a critical delay and its method.
type named struct {
	name string
	c    stability.Critical
}

func (v *Verdict) criticals() []named {
	return []named{{"exact", v.Exact}, {"tracked", v.Tracked}, {fmt.Sprintf("pade%d", v.Order), v.Pade},
		{"modal", v.Modal}}
}

// leaves is the remaining delay in words: of the whole loop, or else of the actuator, or
// "" where neither is known.
func (d ModeDelay) leaves() string {
	switch {
	case !math.IsNaN(d.LoopMs):
		return fmt.Sprintf("leaves %s ms and ", record.Text("%.2f", d.LoopMs))
	case !math.IsNaN(d.LeftMs):
		return fmt.Sprintf("leaves %s ms at %.2f Hz and ", record.Text("%.2f", d.LeftMs), d.FreqHz)
	}
	return ""
}

// word says stable or not, and how fast.
func (l *LoopVerdict) word() string {
	if l.Stable() && l.Moving >= 1-1e-12 {
		return "at the limit of stability (motion neither grows nor decays)"
	}
	if l.Stable() {
		return fmt.Sprintf("stable (motion decays by %.3g 1/s at least)", -l.Growth)
	}
	return fmt.Sprintf("unstable (motion grows by %.3g 1/s)", l.Growth)
}

// Row is the verdict as one flat object.
func (v *Verdict) Row() record.Row {
	var out record.Row
	out.Put("name", v.Name)
	out.Put("compensator", v.Compensator)
	out.Put("verdict", v.Sentence())
	for _, m := range v.criticals() {
		out.Put("critical_delay_"+m.name+"_ms", 1e3*m.c.Delay)
		out.Put("critical_"+m.name+"_hz", critHz(m.c))
	}
	out.Put("psi", v.Exact.PSI())
	out.Put("mass_ratio", v.MassRatio)
	out.Put("note", orNull(v.Note))
	for i := range v.Loops {
		l := &v.Loops[i]
		for _, c := range record.Flat(l.row(v)) {
			out.Put(l.Case+"_"+c.Key, c.V)
		}
	}
	if len(v.Plants) > 0 {
		unstable, radius, distance := v.Envelope()
		out.Put("perturbed_plants", len(v.Plants))
		out.Put("perturbed_unstable", unstable)
		out.Put("perturbed_spectral_radius_max", radius)
		out.Put("perturbed_distance_min", distance)
	}
	return out
}

// orNull is the text, null if there is none.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func critHz(c stability.Critical) float64 {
	if !c.Exists() || math.IsNaN(c.Delay) {
		return math.NaN()
	}
	return c.Omega / (2 * math.Pi)
}

// loopRow are the numbers of a loop.
type loopRow struct {
	Stable       bool       `col:"stable"`
	Note         *string    `col:"note"`
	Radius       float64    `col:"spectral_radius"`
	Growth       float64    `col:"growth_per_s"`
	States       int        `col:"states"`
	Still        int        `col:"states_at_rest"`
	WorstHz      float64    `col:"worst_hz"`
	WorstDamping float64    `col:"worst_damping_ratio"`
	LeftMs       float64    `col:"delay_left_ms"`
	LoopMs       float64    `col:"loop_delay_ms"`
	LoopGain     float64    `col:"loop_gain"`
	GainUp       float64    `col:"gain_margin"`
	GainDown     float64    `col:"gain_margin_down"`
	PhaseDeg     float64    `col:"phase_margin_deg"`
	DelayMs      float64    `col:"delay_margin_ms"`
	Distance     float64    `col:"distance"`
	DistanceHz   float64    `col:"distance_hz"`
	Robust       *robustRow `col:"-"` // nil: no uncertainty given
}

type robustRow struct {
	WT     float64 `col:"robust_wt_max"`
	Hz     float64 `col:"robust_wt_hz"`
	Stable *bool   `col:"robustly_stable"` // nil: there is no curve
}

// row of a loop. Margins of an unstable one mean nothing.
func (l *LoopVerdict) row(v *Verdict) loopRow {
	d, m, worst := l.Delay(v.At()), l.whereStable(l.Margins), l.slowest()
	out := loopRow{
		Stable: l.Stable(), Note: orNull(l.Note), Radius: l.Radius, Growth: l.Growth, States: l.States, Still: l.Still,
		WorstHz: worst.FreqHz, WorstDamping: worst.Ratio, LeftMs: d.LeftMs, LoopMs: d.LoopMs, LoopGain: d.Gain,
		GainUp: m.GainUp, GainDown: m.GainDown, PhaseDeg: m.PhaseDeg, DelayMs: 1e3 * m.Delay, Distance: m.Distance,
		DistanceHz: m.DistanceHz,
	}
	if v.Weight != nil {
		out.Robust = &robustRow{WT: l.Robust, Hz: l.WorstHz}
		if !math.IsNaN(l.Robust) {
			out.Robust.Stable = new(l.Stable() && l.Robust < 1)
		}
	}
	return out
}

// Envelope is the worst case of the random plants: number of unstable plants, largest
// spectral radius, the smallest distance of a Nyquist curve from −1.
func (v *Verdict) Envelope() (unstable int, radius, distance float64) { return envelope(v.Plants) }

func envelope(loops []LoopVerdict) (unstable int, radius, distance float64) {
	distance = math.Inf(1)
	for i := range loops {
		p := &loops[i]
		radius, distance = max(radius, p.Radius), min(distance, p.Margins.Distance)
		if !p.Stable() {
			unstable++
		}
	}
	return unstable, radius, distance
}

// plantRow is a random plant.
type plantRow struct {
	Plant    int     `col:"plant"`
	Stable   bool    `col:"stable"`
	Radius   float64 `col:"spectral_radius"`
	Growth   float64 `col:"growth_per_s"`
	WorstHz  float64 `col:"worst_hz"`
	DelayMs  float64 `col:"delay_margin_ms"`
	Distance float64 `col:"distance"`
}

// PlantRows are the random plants, one flat row each.
func (v *Verdict) PlantRows() []record.Row {
	var out []record.Row
	for i := range v.Plants {
		p := &v.Plants[i]
		out = append(out, record.Flat(plantRow{i + 1, p.Stable(), p.Radius, p.Growth, p.slowest().FreqHz,
			1e3 * p.stableDelay(), p.Margins.Distance}))
	}
	return out
}

// learnedRow is a point of what devices may learn.
type learnedRow struct {
	Where    string  `col:"where"`
	Stable   bool    `col:"stable"`
	Radius   float64 `col:"spectral_radius"`
	DelayMs  float64 `col:"delay_margin_ms"`
	Distance float64 `col:"distance"`
}

// LearnedRows are the points of what devices may learn, one flat row each.
func (v *Verdict) LearnedRows() (out []record.Row) {
	for i := range v.Learned {
		l := &v.Learned[i]
		out = append(out, record.Flat(learnedRow{l.Case, l.Stable(), l.Radius, 1e3 * l.stableDelay(), l.Margins.Distance}))
	}
	return out
}

func (l *LoopVerdict) stableDelay() float64 { return l.whereStable(l.Margins).Delay }

// ModeRows are the delays at the structure's frequencies, one flat row each.
func (v *Verdict) ModeRows() []record.Row {
	var out []record.Row
	for _, hz := range v.ModesHz {
		var row record.Row
		row.Put("freq_hz", hz)
		for i := range v.Loops {
			l := &v.Loops[i]
			x := l.Delay(hz)
			row.Put(l.Case+"_left_ms", x.LeftMs)
			row.Put(l.Case+"_loop_ms", x.LoopMs)
			row.Put(l.Case+"_loop_gain", x.Gain)
		}
		out = append(out, row)
	}
	return out
}

// nyquistRow is a point of a loop's curve.
type nyquistRow struct {
	Loop   string  `col:"loop"`
	FreqHz float64 `col:"freq_hz"`
	Re     float64 `col:"re"`
	Im     float64 `col:"im"`
}

// NyquistRows are the curves of the loops, one row per frequency.
func (v *Verdict) NyquistRows() []record.Row {
	out := []record.Row{}
	for _, l := range v.Loops {
		for i, hz := range l.Curve.Hz {
			out = append(out, record.Flat(nyquistRow{l.Case, hz, real(l.Curve.L[i]), imag(l.Curve.L[i])}))
		}
	}
	return out
}
