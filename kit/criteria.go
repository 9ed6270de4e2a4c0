package kit

import (
	"math"
	"slices"
	"strings"

	"rths"
)

// Criterion is the interface of a criterion in the kit.
type Criterion interface {
	rths.Observer
	rths.Summarizer
}

// Rate and length of the kit's run, and the degrees of freedom of its numerical part.
const (
	CriteriaHz    = 1024
	CriteriaTicks = 8192
	CriteriaDOFs  = 4
)

// ratioEnd ends the name of a value without unit: the amplitude of an index.
const ratioEnd = "_A"

// CheckCriterion finds the promises that a criterion breaks, of a run of so many
// actuators, with or without true values; none is a good criterion. family is its row of the
// table; make returns a fresh one each time, its references fresh too.
func CheckCriterion(actuators int, truth bool, family string, make func() Criterion) []Broken {
	k := &criterionKit{actuators: actuators, truth: truth, make: make}
	for _, promise := range []struct {
		what string
		keep func()
	}{
		{"values", func() { k.values(family) }}, {"equal frames", k.equalBits}, {"a summary at any time", k.summaryAnyTime},
		{"the failed tick", k.failedTick}, {"lost readings", k.lostReadings}, {"an unchanged frame", k.unchangedFrame},
		{"stop and resume", k.resumed}, {"no allocation", k.noAllocation},
	} {
		k.promise = promise.what
		func() {
			defer func() {
				if p := recover(); p != nil {
					k.breaks("it panics: %v", p)
				}
			}()
			promise.keep()
		}()
	}
	return k.report
}

// criterionKit is the kit at work.
type criterionKit struct {
	actuators int
	truth     bool
	make      func() Criterion
	promise   string                   // the one that is looked at
	ticks     [CriteriaTicks][]float64 // the numbers of each tick, once it was filled
	report
}

func (k *criterionKit) breaks(format string, args ...any) {
	k.add(k.promise, format, args...)
}

// frame is an empty frame with as many interface coordinates as actuators.
func (k *criterionKit) frame() *rths.Frame {
	num, node := rths.NewMotion(CriteriaDOFs), k.actuators
	f := &rths.Frame{
		Ground: make([]float64, 3), Num: &num, Force: make([]float64, node),
		Target: rths.NewMotion(k.actuators), Desired: make([]float64, k.actuators),
		Read:            rths.NewReading(k.actuators, k.actuators),
		InterfaceTarget: rths.NewMotion(node), InterfaceRead: rths.NewReading(node, node),
		Command: make([]float64, k.actuators),
	}
	f.Read.A, f.Read.TrueA = make([]float64, k.actuators), make([]float64, k.actuators)
	if !k.truth {
		f.Read, f.InterfaceRead = f.Read.WithoutTruth(), f.InterfaceRead.WithoutTruth()
	}
	return f
}

// fill is tick n of the kit's run. Its numbers are computed once.
func (k *criterionKit) fill(f *rths.Frame, n int) {
	f.K, f.T, f.Err = n, float64(n)/CriteriaHz, nil
	if n >= CriteriaTicks {
		compute(f, n)
		return
	}
	if k.ticks[n] == nil {
		compute(f, n)
		views := views(f)
		k.ticks[n] = slices.Concat(views[:]...)
		return
	}
	rest := k.ticks[n]
	for _, view := range views(f) {
		rest = rest[copy(view, rest):]
	}
}

// compute is tick n: every measured motion is late by three samples and has a little
// ripple.
func compute(f *rths.Frame, n int) {
	for i := range f.Ground {
		f.Ground[i] = math.Sin(0.01 * (float64(n) + float64(i)/2))
	}
	Sine(f.Num, n, CriteriaHz)
	Sine(&f.Target, n, CriteriaHz)
	Sine(&f.InterfaceTarget, n, CriteriaHz)
	copy(f.Desired, f.Target.X)
	copy(f.Command, f.Target.X)
	read(&f.Read, f.Target.X, n)
	read(&f.InterfaceRead, f.InterfaceTarget.X, n)
	for i, a := range f.Target.A {
		f.Read.A[i] = 0.9*a + 1e-2*math.Sin(float64(5*n+i))
	}
	for i := range f.Read.TrueA {
		f.Read.TrueA[i] = 0.9 * f.Target.A[i]
	}
	copy(f.Force, f.InterfaceRead.F)
}

func read(r *rths.Reading, target []float64, n int) {
	for i, x := range target {
		exact := 0.97*x + 1e-5*math.Sin(0.02*float64(n))
		r.X[i] = exact + 1e-6*math.Sin(float64(7*n+i))
		r.F[i] = 1e6 * r.X[i]
		if len(r.TrueX) > 0 {
			r.TrueX[i], r.TrueF[i] = exact, 1e6*exact
		}
	}
}

// show shows the ticks from one to before another; change may alter the frame.
func (k *criterionKit) show(c Criterion, from, to int, change func(f *rths.Frame)) {
	f := k.frame()
	for n := from; n < to; n++ {
		k.fill(f, n)
		if change != nil {
			change(f)
		}
		c.Observe(f)
	}
}

// whole is a criterion that has seen the whole run.
func (k *criterionKit) whole() Criterion {
	c := k.make()
	k.show(c, 0, CriteriaTicks, nil)
	return c
}

// values: a name of its own with a unit, words and a family for each, the same before
// the first tick and after the last.
func (k *criterionKit) values(family string) {
	names := map[string]bool{}
	before, after := k.make().Summary(), k.whole().Summary()
	for _, v := range after {
		isRatio := v.Unit == "" && strings.HasSuffix(v.Name, ratioEnd)
		if rths.WithoutUnit(v.Name, v.Unit) == v.Name && !isRatio {
			k.breaks("value %q: want its unit, %q, at the end of its name", v.Name, v.Unit)
		}
		if v.Quantity == "" {
			k.breaks("value %q: want the quantity that it is", v.Name)
		}
		if v.Doc == "" {
			k.breaks("value %q: want words that say what it is", v.Name)
		}
		if v.Family != family {
			k.breaks("value %q: family %q: want %q", v.Name, v.Family, family)
		}
		if names[v.Name] {
			k.breaks("value %q comes twice", v.Name)
		}
		names[v.Name] = true
	}
	if len(after) == 0 || !slices.EqualFunc(before, after, sameMeaning) {
		k.breaks("%d values before the first tick, %d after the last: want the same ones, and one at least", len(before),
			len(after))
	}
}

// sameMeaning compares two values but for their numbers, sameValue with them.
func sameMeaning(a, b rths.Value) bool {
	a.V, b.V = 0, 0
	return a == b
}

func sameValue(a, b rths.Value) bool {
	return sameMeaning(a, b) && math.Float64bits(a.V) == math.Float64bits(b.V)
}

func sameSummary(a, b Criterion) bool { return slices.EqualFunc(a.Summary(), b.Summary(), sameValue) }

func (k *criterionKit) equalBits() {
	if !sameSummary(k.whole(), k.whole()) {
		k.breaks("equal frames give other bits")
	}
}

// summaryAnyTime: to look changes nothing.
func (k *criterionKit) summaryAnyTime() {
	c := k.make()
	for n := 0; n < CriteriaTicks; n += CriteriaTicks / 16 {
		if first := c.Summary(); !slices.EqualFunc(first, c.Summary(), sameValue) {
			k.breaks("a second summary after %d ticks differs from the first", n)
			return
		}
		k.show(c, n, n+CriteriaTicks/16, nil)
	}
	if !sameSummary(c, k.whole()) {
		k.breaks("summaries on the way change the last one")
	}
}

// failedTick: the tick that failed counts for nothing.
func (k *criterionKit) failedTick() {
	c := k.whole()
	before := c.Summary()
	k.show(c, CriteriaTicks, CriteriaTicks+1, func(f *rths.Frame) {
		f.Err = &rths.DivergedError{}
		f.Read.X[0], f.Read.A[0], f.InterfaceRead.X[0], f.Command[0], f.Num.X[0], f.Num.A[0] = 1, 1e3, 1, 1, 1, 1e3
	})
	if !slices.EqualFunc(before, c.Summary(), sameValue) {
		k.breaks("the tick that failed changes the summary")
	}
}

// lostReadings: a reading that is not a number ends no run.
func (k *criterionKit) lostReadings() {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		c := k.make()
		k.show(c, 0, CriteriaTicks, func(f *rths.Frame) {
			if f.K%1000 == 0 {
				f.Read.X[k.actuators-1], f.Read.A[0], f.Read.F[0], f.InterfaceRead.X[0], f.Force[0] = bad, bad, bad, bad, bad
			}
		})
		if !slices.EqualFunc(k.make().Summary(), c.Summary(), sameMeaning) {
			k.breaks("other values after readings of %g", bad)
		}
	}
}

// views are the slices of a frame.
func views(f *rths.Frame) (out [27][]float64) {
	n := copy(out[:], [][]float64{f.Ground, f.Num.X, f.Num.V, f.Num.A})
	for i, v := range f.Vectors() {
		out[n+i] = *v
	}
	return out
}

// numbers are all numbers of a frame.
func numbers(f *rths.Frame) []float64 {
	views := views(f)
	return slices.Concat([]float64{float64(f.K), f.T}, slices.Concat(views[:]...))
}

func (k *criterionKit) unchangedFrame() {
	c, f := k.make(), k.frame()
	for n := range 1000 {
		k.fill(f, n)
		before := numbers(f)
		c.Observe(f)
		if !sameBits(before, numbers(f)) {
			k.breaks("Observe changes the frame of tick %d", n)
			return
		}
	}
}

// resumed: a criterion stopped in the middle and set into a fresh one goes on with the
// same bits.
func (k *criterionKit) resumed() {
	const cut = CriteriaTicks/2 + 3
	c := k.make()
	s, ok := rths.As[rths.Stateful](c)
	if !ok {
		k.breaks("it has no state to stop and resume with: want VisitState")
		return
	}
	k.show(c, 0, cut, nil)
	state, fresh := rths.AppendState(nil, s), k.make()
	if rest := rths.SetState(state, fresh); len(rest) > 0 {
		k.breaks("VisitState restores other numbers than it appends: %d of %d are left", len(rest), len(state))
	}
	k.show(c, cut, CriteriaTicks, nil)
	k.show(fresh, cut, CriteriaTicks, nil)
	if !sameSummary(c, fresh) {
		k.breaks("the resumed criterion differs from the one that went on")
	}
}

func (k *criterionKit) noAllocation() {
	allocations, goroutines := Least(func() func() {
		c, f := k.make(), k.frame()
		return func() {
			for tick := range CriteriaTicks {
				k.fill(f, tick)
				c.Observe(f)
			}
		}
	})
	if allocations > 0 || goroutines > 0 {
		k.breaks("%d allocations and %d goroutines in %d ticks", allocations, goroutines, CriteriaTicks)
	}
}
