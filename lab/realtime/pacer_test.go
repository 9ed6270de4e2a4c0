package realtime_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"rths/lab/realtime"
)

// Instants are never closer than a period, however long the ticks take, and no tick begins before its
// instant. Where there was time to wait they are exactly a period apart: an overrun moves them, a tick that is merely
// late does not.
func TestPacer(t *testing.T) {
	const rate = 1999. // Hz: the period is no whole number of ns
	random := rand.New(rand.NewPCG(1, 1))
	p := realtime.NewPacer(rate)
	last, slept := p.Wait()
	if slept {
		t.Error("the first tick has waited")
	}
	first, since := last, 0.
	for k := range 200 {
		switch {
		case k%20 == 19: // an overrun
			time.Sleep(time.Duration(2+random.IntN(2)) * time.Millisecond)
		case k%3 == 0:
			time.Sleep(time.Duration(random.IntN(200)) * time.Microsecond)
		}
		due, slept := p.Wait()
		if now := realtime.Now(); now < due {
			t.Fatalf("tick %d begins %d ns early", k, due-now)
		}
		if float64(due-last) < 1e9/rate-1 {
			t.Fatalf("tick %d is due %d ns after the one before: want a period, %.1f ns", k, due-last, 1e9/rate)
		}
		if k%20 == 19 && slept {
			t.Errorf("tick %d has waited, after an overrun", k)
		}
		if since++; !slept {
			first, since = due, 0
		} else if off := float64(due-first) - since*1e9/rate; math.Abs(off) > 1 {
			t.Fatalf("tick %d is %g ns off a whole number of periods", k, off)
		}
		last = due
	}
	before := realtime.Now()
	p.Restart()
	after := realtime.Now()
	if due, slept := p.Wait(); slept && (float64(due-before) < 1e9/rate-1 || float64(due-after) > 1e9/rate) {
		t.Errorf("the next tick is due %d ns after Restart: want a period", due-before)
	}
	if n := testing.AllocsPerRun(20, func() { p.Wait() }); n != 0 {
		t.Errorf("%g allocations per tick", n)
	}
}

// An instant that has passed is no sleep, and one to come is slept out.
func TestSleepUntil(t *testing.T) {
	realtime.SleepUntil(realtime.Now() - 1e9)
	at := realtime.Now() + 3e6
	if realtime.SleepUntil(at); realtime.Now() < at {
		t.Errorf("awake %d ns early", at-realtime.Now())
	}
}
