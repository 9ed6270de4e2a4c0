package realtime

import "sync/atomic"

// Tick is when the parts of a tick happened, ns of Now.
type Tick struct {
	Due   int64 // its instant
	Begun int64 // it began: with the loop's clock it woke, with the rig's it had its reading
	Taken int64 // it had its reading
	Left  int64 // its command left
	Done  int64 // its row was written
	Slept bool  // there was time to wait for the instant
	Late  bool  // it missed its deadline
}

// The numbers of Ticks beside the histograms.
const (
	ticksAll = iota
	ticksSlept
	ticksLate
	ticksLateSlept
	tickCounts
)

// TicksWords is how many numbers Ticks need.
const TicksWords = tickCounts + 3*HistogramWords

// Ticks count how a loop keeps its instants. The first ticks are left out: the machine has not met
// them before.
type Ticks struct {
	words                          []atomic.Uint64
	leaveOut                       int
	lateness, execution, departure Histogram
}

// LeftOut is how many ticks at the start are not counted.
const LeftOut = 64

// NewTicks counts in TicksWords numbers, which it does not clear.
func NewTicks(words []atomic.Uint64) *Ticks {
	t := &Ticks{words: words[:TicksWords], leaveOut: LeftOut}
	next := func(i int) Histogram { return NewHistogram(words[tickCounts+i*HistogramWords:]) }
	t.lateness, t.execution, t.departure = next(0), next(1), next(2)
	return t
}

// See counts a tick. It belongs to one goroutine.
func (t *Ticks) See(k *Tick) {
	if t.leaveOut > 0 {
		t.leaveOut--
		return
	}
	t.count(ticksAll, true)
	t.count(ticksSlept, k.Slept)
	t.count(ticksLate, k.Late)
	t.count(ticksLateSlept, k.Late && k.Slept)
	if k.Slept {
		t.lateness.Add(k.Begun - k.Due)
	}
	t.execution.Add(k.Done - k.Taken)
	t.departure.Add(k.Left - k.Due)
}

func (t *Ticks) count(what int, yes bool) {
	if yes {
		t.words[what].Store(t.words[what].Load() + 1)
	}
}

// Timing is how a loop has kept its instants.
type Timing struct {
	LeftOut   int          `json:"left_out"`   // ticks at the start that are not counted
	Ticks     uint64       `json:"ticks"`      // counted
	Slept     uint64       `json:"slept"`      // that had time to wait for their instant
	Late      uint64       `json:"late"`       // that missed their deadline
	LateSlept uint64       `json:"late_slept"` // of them, that had had time to wait: those of a catch-up had not
	Lateness  Distribution `json:"lateness"`   // from the instant to the beginning, of ticks that slept
	Execution Distribution `json:"execution"`  // from the reading to the end of the tick
	Departure Distribution `json:"departure"`  // from the instant to the command's leaving
}

// Timing is what has been counted so far.
func (t *Ticks) Timing() Timing {
	n := func(what int) uint64 { return t.words[what].Load() }
	return Timing{
		LeftOut: LeftOut, Ticks: n(ticksAll), Slept: n(ticksSlept), Late: n(ticksLate), LateSlept: n(ticksLateSlept),
		Lateness: t.lateness.Distribution(), Execution: t.execution.Distribution(), Departure: t.departure.Distribution(),
	}
}
