package session

import (
	"math"
	"math/rand/v2"
	"testing"

	"rths/kit/rthstest"
)

// A rig takes the newest command at its ticks; the loop stalls, hurries and wants to go anywhere. From one
// tick of the rig to the next the command stays within the rate, and a loop in time gets what it wants.
func TestPaceOnARandomRig(t *testing.T) {
	const step, h = 0.002, 1.0 / 256
	for seed := range uint64(rthstest.Draws(200, 3000)) {
		r := rand.New(rand.NewPCG(seed, 3))
		p := newPace(1, step/h, 1/h)
		p.startAt([]float64{0})
		acting, acted := 0.0, -1.0 // at the rig
		var sent []float64         // commands of the loop
		want := 0.0
		k := 0 // next reading that the loop takes
		stalled, stalls := 0, seed%2 == 1
		type reading struct{ acted float64 }
		var queue []reading
		for tick := range 300 {
			queue = append(queue, reading{acted})
			if stalls && stalled == 0 && r.Float64() < 0.02 {
				stalled = r.IntN(40)
			}
			if stalled > 0 {
				stalled--
			} else {
				for ; k < len(queue); k++ { // what waits is taken at once
					now := float64(tick) * h
					p.see(float64(k), queue[k].acted, now)
					want += step * 2 * (r.Float64() - 0.5)
					if r.Float64() < 0.01 {
						want += 0.05 * (r.Float64() - 0.5)
					}
					if !stalls {
						want = acting + step*2*(r.Float64()-0.5)
					}
					command := []float64{want}
					p.hold(command, now)
					if !stalls && command[0] != want {
						t.Fatalf("seed %d: a loop in time wants %g and sends %g", seed, want, command[0])
					}
					sent = append(sent, command[0])
				}
			}
			if n := len(sent) - 1; n >= 0 { // the newest acts from the next tick on
				if d := math.Abs(sent[n] - acting); d > step*(1+1e-6) {
					t.Fatalf("seed %d, tick %d: the command moves by %g m in a sample: want at most %g", seed, tick, d, step)
				}
				acting, acted = sent[n], float64(n)
			}
		}
	}
}

// A command that acts is known by its number as long as it is among those that are kept; one that was
// overwritten, or not sent, is not.
func TestPaceKnowsCommandsByTheirNumbers(t *testing.T) {
	p := newPace(1, 0, 256)
	for k := range pastCommands + 2 {
		if k == pastCommands {
			if p.see(1, 0, 1); p.acted != 0 || p.acts[0] != 1 {
				t.Errorf("the oldest that is kept: number %g, %g m: want 0 and 1", p.acted, p.acts[0])
			}
		}
		p.hold([]float64{float64(k + 1)}, 1)
	}
	for number, c := range []struct{ acted, want float64 }{{1, 0}, {2, 2}, {1, 2}, {pastCommands + 2, 2},
		{pastCommands + 1, pastCommands + 1}} {
		if p.see(float64(number+2), c.acted, 1); p.acted != c.want || p.acts[0] != c.want+1 {
			t.Errorf("number %g: number %g acts, at %g m: want %g", c.acted, p.acted, p.acts[0], c.want)
		}
	}
}
