package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"rths/lti"
	"rths/scenario"
	"rths/stability"
	"rths/structure"
)

// Stability describes what is asked about the stability of a scenario before the
// test (paper 001, sections 5.1 and 5.2; paper 002, section 2.2).
type Stability struct {
	Order     int               // of the Padé approximation
	Weight    *stability.Weight // unstructured uncertainty; nil: none given
	Perturbed int               // random plants
}

// Verdict is the answer.
type Verdict struct {
	Name        string
	Compensator string // kind
	Note        string // why there are no critical delays, or ""
	why         string // the same within a sentence, behind "as"
	MassRatio   float64
	Exact       stability.Critical
	Pade        stability.Critical
	Modal       stability.Critical
	Tracked     stability.Critical // by following the roots of the undivided structure
	ModesHz     []float64          // of the undivided structure, below 100 Hz, and that of the critical delay
	ModalUpTo   float64            // longest delay tried, s
	Loops       []LoopVerdict      // without compensator and, if there is one, with it
	Plants      []LoopVerdict      // random plants, with the compensator
	Weight      *stability.Weight
	Order       int
}

// LoopVerdict is the stability of one loop as it would run, linearised.
type LoopVerdict struct {
	Case    string // "uncompensated", "compensated" or "perturbed n"
	Note    string // why there are no margins, or no delays and margins, or ""
	States  int
	Still   int     // of them with a root at 1, which keep what they have
	Radius  float64 // spectral radius of a tick
	Moving  float64 // the same without those that keep what they have
	Growth  float64 // of the fastest growing or slowest decaying motion, 1/s
	Worst   []Motion
	Curve   stability.Curve
	Margins stability.Margins
	Robust  float64 // largest |W T|; 0 without weight, NaN without curve
	WorstHz float64 // where it is
	Delays  []ModeDelay

	grows bool
	cut   *scenario.ForceLoop // nil: there is none
}

// Stable reports whether free motion does not grow, up to rounding.
func (l *LoopVerdict) Stable() bool { return !l.grows }

// Motion is a root of the loop as an oscillation.
type Motion struct{ FreqHz, Ratio, Growth float64 } // Hz, damping ratio, 1/s

// ModeDelay is what a loop leaves of a sine: Left from the target to the measured
// displacement (as rths bode shows it), Loop from the numerical part's motion to its
// force, which adds force delay, hold and integrator and takes off what they lead.
type ModeDelay struct {
	FreqHz         float64
	LeftMs, LoopMs float64
	Gain           float64 // of the whole loop against the ideal one
}

// Run examines the scenario.
func (st *Stability) Run(ctx context.Context, s *scenario.Scenario) (*Verdict, error) {
	if st.Order == 0 {
		st.Order = 2
	}
	if st.Perturbed > 0 { // refused before the long work
		if _, err := st.plant(s, 1); err != nil {
			return nil, err
		}
	}
	v := &Verdict{Name: s.Name, Compensator: s.Compensator.Kind, Weight: st.Weight, Order: st.Order}
	h, err := v.critical(ctx, s)
	if err != nil {
		return nil, err
	}
	at, err := v.frequencies(s)
	if err != nil {
		return nil, err
	}
	v.ModesHz = at
	if err := st.loops(ctx, v, s, h, at); err != nil {
		return nil, err
	}
	at = v.ModesHz
	for n := 1; n <= st.Perturbed; n++ {
		drawn, err := st.plant(s, n)
		if err != nil {
			return nil, err
		}
		l, err := st.loop(ctx, drawn, fmt.Sprintf("perturbed %d", n), at)
		if err != nil {
			return nil, err
		}
		v.Plants = append(v.Plants, *l)
	}
	return v, nil
}

// plant is the scenario with its n-th random plant, drawn.
func (st *Stability) plant(s *scenario.Scenario, n int) (*scenario.Scenario, error) {
	drawn, err := s.PerturbedPlant(n)
	if err != nil {
		return nil, err
	}
	_, err = drawn.MakeSpecimen()
	return drawn, err
}

// loops judges the loop without compensator and with it.
func (st *Stability) loops(ctx context.Context, v *Verdict, s *scenario.Scenario, h *stability.Hybrid, at []float64) error {
	bare, err := s.With("compensator.kind=none")
	if err != nil {
		return err
	}
	for _, run := range []struct {
		name string
		s    *scenario.Scenario
	}{{"uncompensated", bare}, {"compensated", s}} {
		if run.name == "compensated" && s.Compensator.Kind == "none" {
			continue
		}
		l, err := st.loop(ctx, run.s, run.name, at)
		if err != nil {
			return err
		}
		if len(at) == 0 && l.slowest().Ratio < 1 {
			at = []float64{l.slowest().FreqHz}
			v.ModesHz = at
		}
		if !s.Coupler.Given() {
			if err := l.delays(run.s, h, at); err != nil {
				l.Note = "no delays and margins: " + err.Error()
			}
		}
		v.Loops = append(v.Loops, *l)
	}
	return nil
}

// critical finds the critical delay in every way, or leaves a note why the partition
// has none. The modal method looks as far as a quarter of the longest period: its
// expansion is far off there already. Roots are followed up to a whole one.
func (v *Verdict) critical(ctx context.Context, s *scenario.Scenario) (*stability.Hybrid, error) {
	unknown := stability.Critical{Delay: math.NaN()}
	v.MassRatio, v.Exact, v.Tracked, v.Pade, v.Modal = math.NaN(), unknown, unknown, unknown, unknown
	if s.Coupler.Given() {
		v.Note = "the delay equation is of one actuator: with several, the whole loop below is what tells"
		v.why = "it has several actuators"
		return nil, nil
	}
	p, m, c, k, err := s.Partition()
	if errors.Is(err, scenario.ErrNoTangent) {
		v.Note, v.why = err.Error(), "the specimen has states of its own"
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	h, err := stability.NewHybrid(p, m, c, k)
	if err != nil {
		v.Note, v.why = err.Error(), "a mass matrix cannot be inverted"
		return nil, nil
	}
	return h, v.delaysOf(ctx, h)
}

// delaysOf fills in the critical delays and the mass ratio of a partition.
func (v *Verdict) delaysOf(ctx context.Context, h *stability.Hybrid) error {
	modes, err := h.Whole().Modes()
	if err != nil {
		return err
	}
	v.ModalUpTo = modalRange(modes)
	for _, find := range []func() error{
		func() (err error) { v.MassRatio, err = h.MassRatio(); return err },
		func() (err error) { v.Exact, err = h.Critical(); return err },
		func() (err error) { v.Pade, err = h.CriticalPade(v.Order); return err },
		func() (err error) { v.Tracked, err = h.CriticalTracked(4 * v.ModalUpTo); return err },
		func() (err error) { v.Modal, err = h.CriticalModal(v.ModalUpTo); return err },
	} {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := find(); err != nil {
			return err
		}
	}
	return nil
}

// modalRange is a quarter of the longest period, s.
func modalRange(modes []structure.Mode) float64 {
	for _, m := range modes {
		if m.FreqHz > 0 {
			return 0.25 / m.FreqHz
		}
	}
	return 0.1
}

// frequencies are those of the undivided structure below 100 Hz, Hz, and that of the
// critical delay.
func (v *Verdict) frequencies(s *scenario.Scenario) ([]float64, error) {
	run, err := s.AtRest()
	if err != nil {
		return nil, err
	}
	modes, err := run.Whole.Modes()
	if err != nil {
		return nil, nil // massless degrees of freedom, or too many: those of the loop
	}
	var out []float64
	for _, m := range modes {
		if m.FreqHz > 0 && m.FreqHz < 100 {
			out = append(out, m.FreqHz)
		}
	}
	if w := v.Exact.Omega; w > 0 && !math.IsInf(w, 0) {
		out = append(out, w/(2*math.Pi))
	}
	slices.Sort(out)
	return slices.CompactFunc(out, func(a, b float64) bool { return math.Abs(a-b) < 1e-6*b }), nil
}

// At is the frequency the verdict speaks of, Hz: that of the critical delay, or else
// the lowest of the structure.
func (v *Verdict) At() float64 {
	if w := v.Exact.Omega; w > 0 && !math.IsInf(w, 0) && len(v.ModesHz) > 0 {
		hz := w / (2 * math.Pi)
		return slices.MinFunc(v.ModesHz, func(a, b float64) int { return cmp.Compare(math.Abs(a-hz), math.Abs(b-hz)) })
	}
	for _, l := range v.Loops {
		if len(l.Delays) > 0 {
			return l.Delays[0].FreqHz
		}
	}
	return 0
}

// loop linearises the loop and reads its Nyquist curve.
func (st *Stability) loop(ctx context.Context, s *scenario.Scenario, name string, at []float64) (*LoopVerdict, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l := &LoopVerdict{Case: name}
	roots, err := LoopRoots(s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	l.motions(roots, s.RateHz)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch l.cut, err = s.ForceLoop(); {
	case s.Coupler.Given():
		l.none("no delays and margins: they are of one actuator, and here are several")
		return l, nil
	case err != nil:
		l.none("no margins: " + err.Error())
		return l, nil
	}
	resonances := slices.Clone(at)
	for _, m := range l.Worst {
		resonances = append(resonances, m.FreqHz)
	}
	l.Curve, err = stability.NewCurve(l.cut.Response, min(0.05, s.RateHz/100), s.RateHz/2, resonances)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	l.Margins = l.Curve.Margins()
	if st.Weight != nil {
		l.Robust, l.WorstHz = l.Curve.Robust(*st.Weight)
	}
	return l, nil
}

// none: the loop has no Nyquist curve.
func (l *LoopVerdict) none(why string) {
	l.cut, l.Note, l.Margins = nil, why, noMargins()
	l.Robust, l.WorstHz = math.NaN(), math.NaN()
}

// LoopRoots are those of the scenario's loop at rest: scenario.Run.LoopRoots.
func LoopRoots(s *scenario.Scenario) ([]complex128, error) {
	run, err := s.AtRest()
	if err != nil {
		return nil, err
	}
	roots, err := run.LoopRoots()
	if err == nil && len(roots) == 0 {
		err = errors.New("the loop has no states: want one with a motion to judge")
	}
	return roots, err
}

// worstMotions is how many roots are named.
const worstMotions = 3

// motions sorts the roots by growth.
func (l *LoopVerdict) motions(roots []complex128, rate float64) {
	l.States, l.Still, l.Worst = len(roots), 0, nil
	l.grows, l.Moving = scenario.Grows(roots)
	for i := len(roots) - 1; i >= 0; i-- {
		l.Radius = max(l.Radius, cmplx.Abs(roots[i]))
		switch {
		case scenario.Remembers(roots[i]):
			l.Still++
			continue
		case imag(roots[i]) < 0 || len(l.Worst) == worstMotions:
			continue // the partner of one that is counted
		}
		s := cmplx.Log(roots[i]) * complex(rate, 0)
		l.Worst = append(l.Worst, Motion{cmplx.Abs(s) / (2 * math.Pi), -real(s) / cmplx.Abs(s), real(s)})
	}
	l.Growth = math.Log(l.Moving) * rate
}

// slowest is the motion that decays slowest or grows fastest.
func (l *LoopVerdict) slowest() Motion {
	if len(l.Worst) == 0 {
		return Motion{math.NaN(), math.NaN(), math.NaN()}
	}
	return l.Worst[0]
}

// delays measures what the loop leaves at some frequencies.
func (l *LoopVerdict) delays(s *scenario.Scenario, h *stability.Hybrid, at []float64) error {
	opened, err := s.OpenLoop()
	if err != nil {
		return err
	}
	left, err := lti.Response(opened.Response).Bode(at, opened.X.Centroid())
	if err != nil {
		return fmt.Errorf("%s: %w", l.Case, err)
	}
	if h == nil || l.cut == nil {
		for i, hz := range at {
			l.Delays = append(l.Delays, ModeDelay{hz, left.DelayMs[i], math.NaN(), math.NaN()})
		}
		return nil
	}
	ideal, err := h.Loop()
	if err != nil {
		return err
	}
	// The loop against g E without any delay.
	ratio := lti.Response(func(hz float64) complex128 {
		return l.cut.Response(hz) / ideal.At(complex(0, 2*math.Pi*hz))
	})
	whole, err := ratio.Bode(at, opened.X.Centroid())
	if err != nil {
		return fmt.Errorf("%s: %w", l.Case, err)
	}
	for i, hz := range at {
		l.Delays = append(l.Delays, ModeDelay{hz, left.DelayMs[i], whole.DelayMs[i], math.Pow(10, whole.MagDB[i]/20)})
	}
	return nil
}

// Delay is what the loop leaves at a frequency it was measured at.
func (l *LoopVerdict) Delay(hz float64) ModeDelay {
	for _, d := range l.Delays {
		if d.FreqHz == hz {
			return d
		}
	}
	return ModeDelay{FreqHz: hz, LeftMs: math.NaN(), LoopMs: math.NaN(), Gain: math.NaN()}
}

func noMargins() stability.Margins {
	nan := math.NaN()
	return stability.Margins{GainUp: nan, GainUpHz: nan, GainDown: nan, GainDownHz: nan, Delay: nan, DelayHz: nan, PhaseDeg: nan, Distance: nan, DistanceHz: nan}
}

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
