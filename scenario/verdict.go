package scenario

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"rths"
	"rths/compensate"
)

// Levels of the verdict.
const (
	soundJ2  = 5.0  // %, without noise: up to here nobody compares with no compensation
	farJ2    = 20.0 // %: a command may be large where the motion is tracked
	runaway  = 3.0  // largest command over largest target
	stillPct = 5.0  // %, of the target's standard deviation
)

// askStride is how many ticks pass between questions whether to go on.
const askStride = 4096

// extent is how far target, command and displacement of every actuator go.
type extent struct {
	n                         float64
	target, command           []float64 // largest, m
	sumTarget, sumTarget2     []float64
	sumMeasured, sumMeasured2 []float64
}

func newExtent(axes int) *extent {
	list := func() []float64 { return make([]float64, axes) }
	return &extent{target: list(), command: list(), sumTarget: list(), sumTarget2: list(), sumMeasured: list(), sumMeasured2: list()}
}

// Observe adds a tick; the tick that failed is left out.
func (e *extent) Observe(f *rths.Frame) {
	if f.Err != nil {
		return
	}
	e.n++
	for i, u := range f.Command {
		want, x := f.Desired[i], f.Read.TrueX[i]
		e.target[i], e.command[i] = max(e.target[i], math.Abs(want)), max(e.command[i], math.Abs(u))
		e.sumTarget[i] += want
		e.sumTarget2[i] += want * want
		e.sumMeasured[i] += x
		e.sumMeasured2[i] += x * x
	}
}

func (e *extent) lists() [][]float64 {
	return [][]float64{e.target, e.command, e.sumTarget, e.sumTarget2, e.sumMeasured, e.sumMeasured2}
}

// AppendState appends all sums.
func (e *extent) AppendState(dst []float64) []float64 {
	dst = append(dst, e.n)
	for _, l := range e.lists() {
		dst = append(dst, l...)
	}
	return dst
}

// SetState restores what AppendState appended.
func (e *extent) SetState(src []float64) []float64 {
	e.n, src = src[0], src[1:]
	for _, l := range e.lists() {
		src = src[copy(l, src):]
	}
	return src
}

// moved is the standard deviation of actuator i's displacement over the target's, %.
func (e *extent) moved(i int) float64 {
	std := func(sum, square float64) float64 { return math.Sqrt(max(square-sum*sum/e.n, 0)) }
	return 100 * std(e.sumMeasured[i], e.sumMeasured2[i]) / std(e.sumTarget[i], e.sumTarget2[i])
}

// Verdict says in plain words what spoils a completed run, although nothing stopped it: a
// specimen at rest, a command that runs away, a measured motion that leads, parameters at
// their bounds, and tracking that would be better without compensation. For the last one
// the run is made again without compensator, where J2 is above 5 %; goOn is asked on the
// way whether to go on with it.
func (r *Run) Verdict(goOn func() bool) (out []string) {
	values := map[string]float64{}
	for _, v := range r.Summary() {
		values[v.Name] = v.V
	}
	axes := len(r.extent.target)
	for i := range axes {
		who, suffix := "", ""
		if axes > 1 {
			who, suffix = fmt.Sprintf(" of actuator %d", i+1), fmt.Sprintf("_%d", i+1)
		}
		j2, lead := values["J2"+suffix+"_true_pct"], -values["delay"+suffix+"_true_ms"]
		e := r.extent
		if e.moved(i) < stillPct {
			out = append(out, fmt.Sprintf("the specimen%s stands still: its displacement is %.2g %% of the target", who, e.moved(i)))
		} else if lead > 1e3/r.Scenario.RateHz {
			out = append(out, fmt.Sprintf("the measured motion%s leads the target by %.2f ms, more than a sample: the compensator overcompensates", who, lead))
		}
		if e.command[i] > runaway*e.target[i] && j2 > farJ2 {
			out = append(out, fmt.Sprintf("the command%s runs away: up to %.3g mm for a target of %.3g mm", who, 1e3*e.command[i], 1e3*e.target[i]))
		}
	}
	if b, ok := rths.As[compensate.Bounded](r.compensator); ok {
		if names := b.AtBounds(); len(names) == 1 {
			out = append(out, fmt.Sprintf("the parameter %s ends at its bound: the adaptation would go further", names[0]))
		} else if len(names) > 1 {
			out = append(out, fmt.Sprintf("the parameters %s end at their bounds: the adaptation would go further", strings.Join(names, ", ")))
		}
	}
	return append(out, r.withoutCompensation(values, goOn)...)
}

// withoutCompensation compares J2 with a run without compensator.
func (r *Run) withoutCompensation(values map[string]float64, goOn func() bool) (out []string) {
	var names []string
	for name, v := range values {
		if strings.HasPrefix(name, "J2") && strings.HasSuffix(name, "_true_pct") && v > soundJ2 {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	s := r.Scenario.clone()
	if s.Each = nil; s.Compensator.Kind == "none" || s.Compensator.Use("none") != nil {
		return nil
	}
	s.Limits, s.Expect = Limits{}, nil
	without, err := s.Build(Options{Shaking: r.shaking})
	if err != nil {
		return nil
	}
	if status, _ := without.Status(without.Loop.Run(askStride, goOn)); status != "completed" || !without.Loop.Done() {
		return nil // it would not have come to an end
	}
	slices.Sort(names)
	for _, v := range without.Summary() {
		if got, ok := values[v.Name]; ok && slices.Contains(names, v.Name) && v.V < got {
			out = append(out, fmt.Sprintf("tracking is worse than without compensation: %s without noise is %.3g %% and would be %.3g %%", strings.TrimSuffix(v.Name, "_true_pct"), got, v.V))
		}
	}
	return out
}
