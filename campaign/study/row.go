package study

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"rths"
	"rths/scenario"
	"rths/scenario/syntax"
	"rths/scenario/verdict"
)

// Row is the result of one run.
type Row struct {
	Run        int    // from 0
	Status     string // completed, tripped, diverged, failed, refused: the scenario cannot be built
	Reason     string // of a status other than completed
	Verdict    string // good, poor, lost, or empty (verdict.Of)
	Warnings   string // what spoils a run, and expectations that it misses
	WallS      float64
	SimulatedS float64
	// criteria, indicators, learnt parameters, and what a random plant has drawn; none of a run that was refused or has
	// failed
	Values []rths.Value
}

// Bench makes runs. Several goroutines may use one Bench.
type Bench struct {
	RecordsDir string // of named ground motions
	Shared     *scenario.Shared
	Radii      bool // every run also looks at the spectral radius of its loop, at its start and end
}

// NewBench is a bench whose runs share what they have in common.
func NewBench(recordsDir string) *Bench {
	return &Bench{RecordsDir: recordsDir, Shared: scenario.NewShared()}
}

// askStride is how many ticks pass between looks at the context. A tick of a large structure, or of a method of the
// user's own, may take tenths of a second.
const askStride = 2

// Play runs a scenario with some settings to its end. A run that diverges, trips, cannot be
// built or panics is a row with its reason; an error means that ctx has ended.
func (b *Bench) Play(ctx context.Context, t *scenario.Template, settings []syntax.Setting) (row Row, err error) {
	start := time.Now()
	defer func() {
		if r := recover(); r != nil {
			row.Status, row.Values = rths.Failed, nil
			row.Reason = fmt.Sprintf("panic: %v, at %s", r, place(string(debug.Stack())))
		}
		row.WallS = time.Since(start).Seconds()
	}()
	s, err := t.With(settings...)
	var run *scenario.Run
	if err == nil {
		run, err = s.Build(ctx, scenario.Options{RecordsDir: b.RecordsDir, Shared: b.Shared})
	}
	if ctx.Err() != nil {
		return row, context.Cause(ctx)
	}
	if err != nil {
		row = Row{Status: rths.Refused, Reason: oneLine(err.Error())}
		if s != nil {
			row.addDrawn(s.DrawnPlant())
		}
		return row, nil
	}
	goOn := func() bool { return ctx.Err() == nil }
	failed := run.Loop.Run(askStride, goOn)
	if failed == nil && !run.Loop.Done() {
		return row, context.Cause(ctx)
	}
	row.judge(ctx, run, failed)
	if b.Radii && row.Status == rths.Completed {
		row.look(ctx, run)
	}
	if ctx.Err() != nil { // a verdict may be missing
		return row, context.Cause(ctx)
	}
	return row, nil
}

// look adds the spectral radii of the loop. A loop whose radius cannot be found has failed.
func (r *Row) look(ctx context.Context, run *scenario.Run) {
	start, end, err := radii(ctx, run)
	if err != nil {
		r.Status, r.Reason = rths.Failed, "spectral radius of the loop: "+oneLine(err.Error())
		return
	}
	r.Values = append(r.Values, rths.Value{Name: RadiusStart, V: start}, rths.Value{Name: RadiusEnd, V: end})
}

// judge takes the results of a run that has ended.
func (r *Row) judge(ctx context.Context, run *scenario.Run, failed error) {
	r.Status, r.Reason = run.Status(failed)
	r.Reason = oneLine(r.Reason)
	r.SimulatedS = float64(run.Loop.Ticks()) / run.Scenario.RateHz
	if r.Status == rths.Failed {
		return
	}
	r.Values = run.Values()
	r.addDrawn(run.Drawn)
	var unstable string
	var spoilt []string
	if r.Verdict, unstable = verdict.Of(ctx, run, r.Status); unstable != "" {
		spoilt = append(spoilt, unstable)
	}
	if r.Status == rths.Completed {
		spoilt = slices.Concat(spoilt, verdict.Spoilt(run), verdict.Unmet(run))
	}
	r.Warnings = oneLine(strings.Join(spoilt, "; "))
}

// addDrawn adds what a random plant has drawn.
func (r *Row) addDrawn(values []rths.Value) {
	for _, v := range values {
		r.Values = append(r.Values, rths.Value{Name: drawn + v.Name, V: v.V})
	}
}

// drawn stands before the keys of the scenario for which a random plant has drawn a value.
const drawn = "drawn."

// oneLine makes one line of a message.
func oneLine(text string) string { return cut(strings.Join(strings.Fields(text), " ")) }

// place is the function that has panicked, of a stack.
func place(stack string) string {
	_, after, found := strings.Cut(stack, "panic(")
	lines := strings.Split(after, "\n")
	if !found || len(lines) < 4 {
		return "an unknown place"
	}
	at, _, _ := strings.Cut(strings.TrimSpace(lines[3]), " ")
	return at[strings.LastIndex(at, "/")+1:]
}

// Value is the value of a name, and whether the row has it.
func (r *Row) Value(name string) (float64, bool) {
	for _, v := range r.Values {
		if v.Name == name {
			return v.V, true
		}
	}
	return 0, false
}
