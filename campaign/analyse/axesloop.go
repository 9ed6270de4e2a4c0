package analyse

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rths/maths/lti"
	"rths/method/stability"
	"rths/result/record"
	"rths/scenario"
	"rths/scenario/growth"
)

// axesLoop is the whole loop of a scenario, opened where the commands leave for the actuators: the matrix L, for which
// det(I + L) has the roots of the closed loop, from the loop's Jacobian. With one actuator L is that of forceLoop,
// unless the compensator feeds measured motion back, which then is behind the cut too.
type axesLoop struct {
	g *lti.Refined // from commands that leave to commands computed
	h float64      // s
}

func newAxesLoop(ctx context.Context, s *scenario.Scenario) (*axesLoop, error) {
	if err := notInvariant(s); err != nil {
		return nil, err
	}
	run, err := s.AtRest(ctx)
	if err != nil {
		return nil, err
	}
	g, err := growth.Opened(ctx, run)
	if err != nil {
		return nil, err
	}
	return &axesLoop{g.Refined(), 1 / s.RateHz}, nil
}

// Response is L(e^{jωh}).
func (l *axesLoop) Response(hz float64) (*mat.CDense, error) {
	g, err := l.g.At(cmplx.Exp(complex(0, 2*math.Pi*hz*l.h)))
	if err != nil {
		return nil, err
	}
	n, _ := g.Dims()
	for i := range n * n {
		g.Set(i/n, i%n, -g.At(i/n, i%n))
	}
	return g, nil
}

// ofAxes reads the margins of several actuators. A loop without them says why in Note.
func (l *LoopVerdict) ofAxes(ctx context.Context, s *scenario.Scenario, resonances []float64) error {
	opened, err := newAxesLoop(ctx, s)
	if err != nil {
		l.none("no margins: " + err.Error())
		return ctx.Err()
	}
	watched := func(hz float64) (*mat.CDense, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return opened.Response(hz)
	}
	m, err := stability.NewAxesMargins(watched, s.Axes(), lowestHz(s), s.RateHz/2, resonances)
	if err != nil {
		return fmt.Errorf("%s: %w", l.Case, err)
	}
	l.Margins, l.Alone = m.Together, m.Alone
	l.Robust, l.WorstHz = math.NaN(), math.NaN()
	return nil
}

// known: the margins of every loop of several actuators are.
func (v *Verdict) known() bool {
	return !slices.ContainsFunc(v.Loops, func(l LoopVerdict) bool { return len(l.Alone) == 0 })
}

// tolerates is the delay that a stable loop of several actuators bears, as the end of a sentence, or "".
func (l *LoopVerdict) tolerates() string {
	if len(l.Alone) == 0 || !l.Stable() {
		return ""
	}
	more := func(delay float64) string {
		if math.IsInf(delay, 1) {
			return "any delay"
		}
		return fmt.Sprintf("%.2f ms more", 1e3*delay)
	}
	least := 0
	for i, m := range l.Alone {
		if m.Delay < l.Alone[least].Delay {
			least = i
		}
	}
	return fmt.Sprintf(" and tolerates %s in every actuator, %s in actuator %d alone", more(l.Margins.Delay),
		more(l.Alone[least].Delay), least+1)
}

// judged is the sentence of several actuators.
func (v *Verdict) judged() string {
	var out []string
	for i := range v.Loops {
		l := &v.Loops[i]
		out = append(out, fmt.Sprintf("the loop %s is %s%s", v.with(l), l.word(), l.tolerates()))
	}
	return "T" + strings.Join(out, "; ")[1:]
}

// axisRow is a change in one actuator of a loop.
type axisRow struct {
	Loop       string  `col:"loop"`
	Actuator   int     `col:"actuator"`
	GainUp     float64 `col:"gain_margin"`
	GainDown   float64 `col:"gain_margin_down"`
	PhaseDeg   float64 `col:"phase_margin_deg"`
	DelayMs    float64 `col:"delay_margin_ms"`
	Distance   float64 `col:"distance"`
	DistanceHz float64 `col:"distance_hz"`
}

// AxisRows are the margins of each actuator alone, one flat row each; none with one actuator.
func (v *Verdict) AxisRows() (out []record.Row) {
	for i := range v.Loops {
		l := &v.Loops[i]
		for a, m := range l.Alone {
			m = l.whereStable(m)
			out = append(out, record.Flat(axisRow{l.Case, a + 1, m.GainUp, m.GainDown, m.PhaseDeg, 1e3 * m.Delay, m.Distance,
				m.DistanceHz}))
		}
	}
	return out
}

// whereStable keeps the distance alone of the margins of an unstable loop, in which the others mean nothing.
func (l *LoopVerdict) whereStable(m stability.Margins) stability.Margins {
	if l.Stable() {
		return m
	}
	out := noMargins()
	out.Distance, out.DistanceHz = m.Distance, m.DistanceHz
	return out
}
