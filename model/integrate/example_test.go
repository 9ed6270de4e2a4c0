package integrate_test

import (
	"fmt"
	"math"

	"rths"
	"rths/model/integrate"
	"rths/model/structure"
)

// An oscillator of 1 Hz after a push of one sample: it swings back through zero half a period later.
func ExampleNewmarkExplicit() {
	k := 4 * math.Pi * math.Pi // N/m of 1 kg
	s, err := (&structure.Shear{Masses: []float64{1}, Stiffnesses: []float64{k}}).Make()
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := s.Attach(0, 0) // the specimen stands on the floor, and has no mass of the structure
	if err != nil {
		fmt.Println(err)
		return
	}
	const h = 0.001 // s
	in, err := (&integrate.NewmarkExplicit{}).Make(p, h)
	if err != nil {
		fmt.Println(err)
		return
	}
	target, felt := rths.NewMotion(1), rths.NewReading(1, 1)
	largest := 0.0
	for n := range 1000 {
		ground := []float64{0, 0, 0}
		if n == 0 {
			ground[0] = -1000 // m/s² over one sample: a velocity of 1 m/s
		}
		in.Step(&target, ground, &felt)
		largest = max(largest, target.X[0])
	}
	fmt.Printf("largest displacement %.4f m, in closed form v/ω = %.4f m\n", largest, 1/(2*math.Pi))
	// Output: largest displacement 0.1592 m, in closed form v/ω = 0.1592 m
}
