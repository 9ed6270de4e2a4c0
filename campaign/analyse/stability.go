package analyse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"rths/maths/lti"
	"rths/method/stability"
	"rths/model/structure"
	"rths/scenario"
	"rths/scenario/growth"
)

// Stability computes critical delays, margins and spectral radii of a scenario (paper 001,
// sections 5.1 and 5.2; paper 002, section 2.2). Its fields are the settings.
type Stability struct {
	Order     int               // of the Padé approximation
	Weight    *stability.Weight // unstructured uncertainty; nil: none given
	Perturbed int               // random plants
}

// Verdict is the result of Stability.
type Verdict struct {
	Name        string
	Compensator string // kind
	Note        string // why there are no critical delays, or ""
	why         string // Note as the end of a sentence that has "as" before it
	MassRatio   float64
	Exact       stability.Critical
	Pade        stability.Critical
	Modal       stability.Critical
	Tracked     stability.Critical // by following the roots of the undivided structure
	Reduced     *structure.Reduced // nil: the structure is not reduced
	// modes of the undivided structure below 100 Hz, or up_to_hz of a reduction, and the frequency of the critical delay
	ModesHz   []float64
	ModalUpTo float64       // longest delay that the modal method tries, s
	Loops     []LoopVerdict // without compensator and, if there is one, with it
	Plants    []LoopVerdict // random plants, with the compensator
	Learned   []LoopVerdict // corners of what devices may learn, and points within, with the compensator
	Poles     *Poles        // of the partition with the delays that the loops leave; nil: they are not known
	Weight    *stability.Weight
	Order     int
}

// LoopVerdict is the stability of one loop as it would run, linearised.
type LoopVerdict struct {
	Case    string // "uncompensated", "compensated" or "perturbed n"
	Note    string // why margins, or delays and margins, are missing; or ""
	States  int
	Still   int     // states with a root at 1, which keep their value
	Radius  float64 // spectral radius of a tick
	Moving  float64 // spectral radius without these states
	Growth  float64 // growth rate of the fastest growing or slowest decaying motion, 1/s
	Worst   []Motion
	Curve   stability.Curve
	Margins stability.Margins   // several actuators: of the same change in all, and Distance the least σ of I + L
	Alone   []stability.Margins // several actuators: of a change in one of them; else nil
	Robust  float64             // largest |W T|; 0 without weight, NaN without curve
	WorstHz float64             // frequency of Robust, Hz
	Delays  []ModeDelay

	grows bool
	cut   *forceLoop // nil: there is none
}

// Stable reports whether free motion does not grow, up to rounding.
func (l *LoopVerdict) Stable() bool { return !l.grows }

// Motion is a root of the loop as an oscillation.
type Motion struct{ FreqHz, Ratio, Growth float64 } // Hz, damping ratio, 1/s

// ModeDelay is the remaining delay of a loop at one frequency. Left: from the target to
// the measured displacement, as in rths bode. Loop: from the motion of the numerical part
// to its force, with force delay, hold and integrator.
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
		if _, err := s.PerturbedPlant(1).MakeSpecimen(); err != nil {
			return nil, err
		}
	}
	v := &Verdict{Name: s.Name, Compensator: s.CompensatorKind(), Weight: st.Weight, Order: st.Order}
	h, err := v.critical(ctx, s)
	if err != nil {
		return nil, err
	}
	at, err := v.frequencies(ctx, s)
	if err != nil {
		return nil, err
	}
	v.ModesHz = at
	if err := st.loops(ctx, v, s, h, at); err != nil {
		return nil, err
	}
	if h != nil {
		if v.Poles, err = v.poles(h); err != nil {
			return nil, err
		}
	}
	at = v.ModesHz
	for n := 1; n <= st.Perturbed; n++ {
		l, err := st.loop(ctx, s.PerturbedPlant(n), fmt.Sprintf("perturbed %d", n), at)
		if err != nil {
			return nil, err
		}
		v.Plants = append(v.Plants, *l)
	}
	keys := s.LearnedKeys()
	for _, point := range boxPoints(keys) {
		there, err := s.Where(point)
		if err != nil {
			return nil, err
		}
		l, err := st.loop(ctx, there, pointOf(keys, point), at)
		if err != nil {
			return nil, err
		}
		v.Learned = append(v.Learned, *l)
	}
	return v, nil
}

// loops judges the loop without compensator and with it.
func (st *Stability) loops(ctx context.Context, v *Verdict, s *scenario.Scenario, h *stability.Hybrid,
	at []float64) error {
	bare, err := s.Uncompensated()
	if err != nil {
		return err
	}
	for _, run := range []struct {
		name string
		s    *scenario.Scenario
	}{{"uncompensated", bare}, {"compensated", s}} {
		if run.name == "compensated" && s.CompensatorKind() == "none" {
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
		if s.Axes() == 1 { // rths bode has a delay for each of several
			if err := l.delays(run.s, h, at); err != nil {
				l.Note = "no delays and margins: " + err.Error()
			}
		}
		v.Loops = append(v.Loops, *l)
	}
	return nil
}

// critical finds the critical delay by every method, or notes why the partition has none.
// The modal method looks up to a quarter of the longest period, where its expansion is
// already far off. Roots are followed up to a whole period.
func (v *Verdict) critical(ctx context.Context, s *scenario.Scenario) (*stability.Hybrid, error) {
	unknown := stability.Critical{Delay: math.NaN()}
	v.MassRatio, v.Exact, v.Tracked, v.Pade, v.Modal = math.NaN(), unknown, unknown, unknown, unknown
	p, m, c, k, err := s.Partition()
	var none *scenario.NoTangent
	if errors.As(err, &none) {
		v.Note, v.why = err.Error(), none.Why
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if v.why = tooLarge(p); v.why != "" {
		v.Note = "not computed, as " + v.why
		return nil, nil
	}
	h, err := stability.NewHybrid(p, m, c, k)
	if err != nil {
		v.Note, v.why = err.Error(), "a mass matrix cannot be inverted"
		return nil, nil
	}
	return h, v.delaysOf(ctx, h)
}

// tooLarge says why a partition is too large for critical delays and maps, or "". These
// take all roots and modes of dense matrices: ten to thirty seconds for 100 degrees of
// freedom, and 8 times as long for twice as many.
func tooLarge(p *structure.Partition) string {
	switch {
	case p.N() > structure.DenseUpTo:
		return fmt.Sprintf("the structure has %d degrees of freedom, more than %d", p.N(), structure.DenseUpTo)
	case p.Sparse != nil:
		return "the structure is held as sparse matrices"
	}
	return ""
}

// delaysOf fills in the critical delays and the mass ratio of a partition.
func (v *Verdict) delaysOf(ctx context.Context, h *stability.Hybrid) error {
	modes, err := h.Whole().Modes()
	if err != nil {
		return err
	}
	v.ModalUpTo = ModalRange(modes)
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

// ModalRange is the longest delay that the modal method tries, a quarter of the longest
// period, s.
func ModalRange(modes []structure.Mode) float64 {
	for _, m := range modes {
		if m.FreqHz > 0 {
			return 0.25 / m.FreqHz
		}
	}
	return 0.1
}

// frequencies are the modes of the undivided structure below 100 Hz, or up_to_hz of its reduction, and
// the frequency of the critical delay, Hz.
func (v *Verdict) frequencies(ctx context.Context, s *scenario.Scenario) ([]float64, error) {
	run, err := s.AtRest(ctx)
	if err != nil {
		return nil, err
	}
	v.Reduced = run.Reduced
	modes, err := run.Whole.Modes()
	if err != nil {
		return nil, nil // massless degrees of freedom, or too many: the loop gives its frequencies
	}
	var out []float64
	for _, m := range modes {
		if m.FreqHz > 0 && m.FreqHz < 100 && !v.Beyond(m.FreqHz) {
			out = append(out, m.FreqHz)
		}
	}
	if w := v.Exact.Omega; w > 0 && !math.IsInf(w, 0) {
		out = append(out, w/(2*math.Pi))
	}
	slices.Sort(out)
	return slices.CompactFunc(out, func(a, b float64) bool { return math.Abs(a-b) < 1e-6*b }), nil
}

// Beyond reports whether a frequency lies above up_to_hz of a reduction, where motion is the reduction's, not the
// structure's.
func (v *Verdict) Beyond(hz float64) bool {
	return v.Reduced != nil && hz > v.Reduced.UpToHz*(1+1e-9)
}

// At is the frequency of the verdict's sentence, Hz: the frequency of the critical delay,
// or else the lowest mode of the structure.
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
	roots, err := rootsAtRest(ctx, s)
	var many *growth.TooManyStates
	switch {
	case errors.As(err, &many):
		return nil, fmt.Errorf("%w (rths bode shows the delay from target to displacement)", err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	l.motions(roots, s.RateHz)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	resonances := slices.Clone(at)
	for _, m := range l.Worst {
		resonances = append(resonances, m.FreqHz)
	}
	if s.Axes() != 1 {
		return l, l.ofAxes(ctx, s, resonances)
	}
	if l.cut, err = newForceLoop(ctx, s); err != nil {
		l.none("no margins: " + err.Error())
		return l, nil
	}
	l.Curve, err = stability.NewCurve(l.cut.Response, lowestHz(s), s.RateHz/2, resonances)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	l.Margins = l.Curve.Margins()
	if st.Weight != nil {
		l.Robust, l.WorstHz = l.Curve.Robust(*st.Weight)
	}
	return l, nil
}

// lowestHz is where the curves of a scenario begin, Hz.
func lowestHz(s *scenario.Scenario) float64 { return min(0.05, s.RateHz/100) }

// none: the loop has no Nyquist curve.
func (l *LoopVerdict) none(why string) {
	l.cut, l.Note, l.Margins = nil, why, noMargins()
	l.Robust, l.WorstHz = math.NaN(), math.NaN()
}

// rootsAtRest are the roots of the loop (growth.Roots) of the scenario's test at rest.
func rootsAtRest(ctx context.Context, s *scenario.Scenario) ([]complex128, error) {
	run, err := s.AtRest(ctx)
	if err != nil {
		return nil, err
	}
	roots, err := growth.Roots(ctx, run)
	if err == nil && len(roots) == 0 {
		err = errors.New("the loop has no states, and so no motion to judge: want a structure that moves")
	}
	return roots, err
}

// worstMotions is how many roots are named.
const worstMotions = 3

// motions sorts the roots by growth.
func (l *LoopVerdict) motions(roots []complex128, rate float64) {
	l.States, l.Still, l.Worst = len(roots), 0, nil
	l.grows, l.Moving = growth.Grows(roots)
	for i := len(roots) - 1; i >= 0; i-- {
		l.Radius = max(l.Radius, cmplx.Abs(roots[i]))
		switch {
		case growth.Remembers(roots[i]):
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

// delays computes the remaining delay at some frequencies, Hz.
func (l *LoopVerdict) delays(s *scenario.Scenario, h *stability.Hybrid, at []float64) error {
	opened, err := NewOpenLoop(s)
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

// Delay is the remaining delay at a frequency of Delays, Hz.
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
	return stability.Margins{GainUp: nan, GainUpHz: nan, GainDown: nan, GainDownHz: nan, Delay: nan, DelayHz: nan,
		PhaseDeg: nan, Distance: nan, DistanceHz: nan}
}
