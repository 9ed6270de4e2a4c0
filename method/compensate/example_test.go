package compensate_test

import (
	"fmt"

	"rths"
	"rths/method/compensate"
)

// The rows of the table are what a scenario can choose. "none" passes the target on.
func ExampleKinds() {
	kind, err := rths.Find(compensate.Kinds, "none")
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := kind.Defaults().Make(compensate.At{RateHz: 1024})
	if err != nil {
		fmt.Println(err)
		return
	}
	target, read, command := rths.NewMotion(1), rths.NewReading(1, 1), make([]float64, 1)
	target.X[0] = 0.01
	c.Step(command, &target, &read)
	fmt.Println(kind.Doc)
	fmt.Println(command)
	// Output:
	// no compensation: the command is the target
	// [0.01]
}
