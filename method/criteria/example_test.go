package criteria_test

import (
	"fmt"
	"math"

	"rths/method/criteria"
)

// The frequency-domain evaluation index of 10 s at 2 Hz that come 5 ms late and 3 % too small.
func ExampleNewIndex() {
	const rate = 1000.0
	desired, measured := make([]float64, 10000), make([]float64, 10000)
	for k := range desired {
		t := float64(k) / rate
		desired[k] = math.Sin(2 * math.Pi * 2 * t)
		measured[k] = 0.97 * math.Sin(2*math.Pi*2*(t-0.005))
	}
	i := criteria.NewIndex(desired, measured, rate)
	fmt.Printf("A = %.3f, delay %.3f ms at %.2f Hz\n", i.A, 1e3*i.DelS, i.FEq)
	// Output: A = 0.970, delay 5.000 ms at 2.00 Hz
}
