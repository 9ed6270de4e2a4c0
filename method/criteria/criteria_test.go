package criteria

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The sums of one signal say what the whole record does.
func TestMomentsAreTheDefinition(t *testing.T) {
	for sort, make := range sorts {
		for _, n := range lengths {
			x, all := make(rand.New(rand.NewPCG(uint64(n), 5)), n).x, newTally(1)
			all.start(x[0])
			for _, v := range x {
				all.n++
				all.sums[0].add(v)
			}
			m, count := &all.sums[0], all.n
			what := fmt.Sprintf("%s, %d samples: ", sort, n)
			near(t, what+"mean", m.mean(count), mean(x), 1e-10)
			near(t, what+"std", m.std(count)/std(x), 1, 1e-9)
			near(t, what+"rms", m.rms(count)/rms(x), 1, 1e-9)
			near(t, what+"peak", m.peak(0), peak(x, 0), 1e-15)
			near(t, what+"peak about the mean", m.peak(m.mean(count)), peak(x, mean(x)), 1e-10)
		}
	}
}
