package structure_test

import (
	"fmt"

	"rths/model/structure"
)

// The modes of a two-storey shear frame, and its partition: the first storey's spring is the specimen.
func ExampleShear() {
	frame := structure.Shear{Masses: []float64{1000, 1000}, Stiffnesses: []float64{2e6, 2e6}}
	s, err := frame.Make()
	if err != nil {
		fmt.Println(err)
		return
	}
	modes, err := s.Modes()
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, m := range modes {
		fmt.Printf("mode %d: %.3f Hz\n", i+1, m.FreqHz)
	}
	p, err := s.Divide(0, 0, 0, 1e5)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("numerical stiffness of the first floor: %.2g N/m\n", p.K.At(0, 0))
	// Output:
	// mode 1: 4.399 Hz
	// mode 2: 11.517 Hz
	// numerical stiffness of the first floor: 3.9e+06 N/m
}
