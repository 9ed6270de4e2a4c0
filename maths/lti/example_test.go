package lti_test

import (
	"fmt"

	"rths/maths/lti"
)

// An actuator with 20 ms of lag, sampled at 100 Hz under a held command.
func ExampleC2DTF() {
	g, _ := lti.NewTF([]float64{1}, []float64{0.02, 1}, 0)
	d, _ := lti.C2DTF(g, 0.01, lti.ZOH)
	fmt.Printf("%.4f / %.4f, DC gain %.4f\n", d.Num, d.Den, real(d.At(1)))
	// Output: [0.3935] / [1.0000 -0.6065], DC gain 1.0000
}

// The command that makes the actuator follow x is x + 0.02 dx/dt.
func ExampleTF_InverseSeries() {
	g, _ := lti.NewTF([]float64{1}, []float64{0.02, 1}, 0)
	c, _ := g.InverseSeries(3)
	fmt.Println(c)
	// Output: [1 0.02 0]
}
