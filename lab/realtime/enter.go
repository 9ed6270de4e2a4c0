package realtime

import (
	"math"
	"runtime"
	"runtime/debug"
	"slices"
)

// Priorities of a loop's process (SCHED_FIFO): of the thread of the loop, and of its other threads. Where
// only the loop's thread has one, the rest of the process has held it up for more than 15 ms.
const (
	LoopPriority      = 80
	numericalPriority = 60 // of a numerical part in a process of its own
	OtherPriority     = 50
)

// Grant is a thing that real time wants of the machine, and whether the machine has given it.
type Grant struct {
	Name    string `json:"name"`
	Granted bool   `json:"granted"`
	Needed  bool   `json:"needed"`         // there is no real time without it
	Text    string `json:"text"`           // what was granted, or why not
	Mend    string `json:"mend,omitempty"` // what grants it
}

// Process is a process in real time.
type Process struct {
	CPU    int // of the thread of the loop; -1: any
	Grants []Grant
	rank   int   // priority of the thread of the loop
	others []int // processors of the other threads
	held   func()
}

// Missing are the things that real time needs and that were not granted.
func Missing(list []Grant) []Grant {
	return slices.DeleteFunc(slices.Clone(list), func(g Grant) bool { return g.Granted || !g.Needed })
}

// warmBytes of heap are there before the start. A loop needs none; what the runtime allocates beside it, and the texts
// of a trip, find their pages there.
const (
	warmBytes  = 32 << 20
	pieceBytes = 8 << 10 // a span of the heap
)

// Enter makes the calling goroutine the loop of a process in real time: it stays on its thread, that thread on
// one processor and all others on the others; priorities are fixed; memory stays where it is; the garbage
// collector rests until the heap has grown by warmBytes beyond what is warm. Enter takes whatever the machine
// grants. Call it when everything is built.
func Enter(cpu int) *Process { return enter(cpu, LoopPriority) }

// EnterNumerical does the same in the process of a numerical part: its priority is below the loop's, and below
// the one of a rig beside them.
func EnterNumerical(cpu int) *Process { return enter(cpu, numericalPriority) }

func enter(cpu, rank int) *Process {
	runtime.LockOSThread()
	warm()
	p := &Process{CPU: cpu, rank: rank}
	p.Grants = append(p.Grants, Grant{Name: "garbage collector", Granted: true, Needed: true, Text: "off"})
	p.enter()
	return p
}

// warm fills a reserve of the heap, in many pieces, for which the runtime then has its own records too, and has the
// collector rest until the reserve is used up.
func warm() {
	reserve := make([][]byte, warmBytes/pieceBytes)
	for i := range reserve {
		reserve[i] = make([]byte, pieceBytes)
		reserve[i][0], reserve[i][pieceBytes/2] = 1, 1
	}
	runtime.KeepAlive(reserve)
	reserve = nil
	runtime.GC()
	debug.SetGCPercent(-1)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	debug.SetMemoryLimit(int64(m.Sys-m.HeapReleased) + warmBytes)
}

// Relax ends what only a moving loop needs: the collector works again. Priorities stay: a thread without one that
// the collector waits for would hold up the loop, which shares the runtime with it.
func (p *Process) Relax() {
	debug.SetGCPercent(100)
	debug.SetMemoryLimit(math.MaxInt64)
}
