package criteria

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Every coefficient equals the one of whole records, whatever their length.
func TestPearsonIsTheDefinition(t *testing.T) {
	for sort, make := range sorts {
		for _, n := range lengths {
			if n < 103 {
				continue // no delay is looked for in so few
			}
			r := make(rand.New(rand.NewPCG(uint64(n), 19)), n)
			got := r.judge()
			c := got.lag.behind.pearson(measured, &got.tally.sums[target])
			for i, want := range correlations(r.x, r.want) {
				near(t, fmt.Sprintf("%s, %d samples: coefficient of lag %d", sort, n, i+minLag), c[i], want, 1e-9)
			}
		}
	}
}
