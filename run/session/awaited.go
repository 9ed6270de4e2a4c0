package session

import (
	"fmt"

	"rths/scenario"
)

// awaited tells the operator of a test that its analysis in another program gives no target, and when it goes on.
type awaited struct {
	say                 func(string)
	reached, came, over int // places in a row; say nil: the structure is here
	rateHz              float64
	waits, told         bool
	samples             int // since the answer
}

// tellAwaitedS is the time without a target after which the operator is told, s.
const tellAwaitedS = 2

func newAwaited(s *scenario.Scenario, at map[string]int, say func(string)) awaited {
	if s.External() == nil {
		return awaited{}
	}
	return awaited{say: say, reached: at["at_target"], came: at["new_target"], over: at["client_ended"], rateHz: s.RateHz}
}

// see takes the next tick of the run.
func (a *awaited) see(row []float64) {
	if a.say == nil {
		return
	}
	if row[a.reached] != 0 {
		a.waits, a.samples = true, 0
	}
	switch {
	case row[a.came] != 0 || row[a.over] != 0:
		if a.told && row[a.came] != 0 {
			a.say("the analysis goes on")
		}
		a.waits, a.told = false, false
	case a.waits:
		if a.samples++; !a.told && float64(a.samples) >= tellAwaitedS*a.rateHz {
			a.told = true
			a.say(fmt.Sprintf("the analysis has given no target for %d s: the path stands until one comes; Ctrl-C ends the test",
				tellAwaitedS))
		}
	}
}
