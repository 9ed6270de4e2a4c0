package plant_test

import (
	"fmt"

	"rths"
	"rths/model/plant"
)

// An actuator of second order, 25 Hz, pulls a spring of 1e5 N/m: 1 mm is commanded, and 1 s later it is there.
func ExampleSecondOrder() {
	specimen, err := (&plant.LinearSpecimen{Mass: 20, Damping: 300, Stiffness: 1e5}).Make()
	if err != nil {
		fmt.Println(err)
		return
	}
	actuator := plant.SecondOrder{Omega: 150, DampingRatio: 0.8, Gain: 1}
	p, err := actuator.Make(plant.At{RateHz: 1024, Specimen: specimen})
	if err != nil {
		fmt.Println(err)
		return
	}
	now := rths.NewReading(1, 1)
	for k := range 1024 {
		if p.Step(&now, []float64{0.001}); k == 9 {
			fmt.Printf("after 10 samples %.2f mm\n", 1e3*now.X[0])
		}
	}
	fmt.Printf("after 1 s %.2f mm, %.0f N\n", 1e3*now.X[0], now.F[0])
	// Output:
	// after 10 samples 0.48 mm
	// after 1 s 1.00 mm, 100 N
}
