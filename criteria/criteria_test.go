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
			x, m := make(rand.New(rand.NewPCG(uint64(n), 5)), n).x, &moments{}
			for _, v := range x {
				m.add(v)
			}
			what := fmt.Sprintf("%s, %d samples: ", sort, n)
			near(t, what+"mean", m.mean(), mean(x), 1e-10)
			near(t, what+"std", m.std()/std(x), 1, 1e-9)
			near(t, what+"rms", m.rms()/rms(x), 1, 1e-9)
			near(t, what+"peak", m.peak(0), peak(x, 0), 0)
			near(t, what+"peak about the mean", m.peak(m.mean()), peak(x, mean(x)), 1e-10)
		}
	}
}
