package stability_test

import (
	"fmt"

	"rths/method/stability"
)

// Half of an oscillator's stiffness is tested: how much delay of the actuator does the loop tolerate? Its damping, 2 %
// of critical, and the delayed spring decide: about c/k_e for short delays.
func ExampleHybrid_Critical() {
	// 1000 kg, 2 % of 4e5 N/m in all: c = 2·0.02·√(4e5·1000) = 800 N·s/m; the specimen is 2e5 N/m.
	h := stability.SDOF(1000, 800, 2e5, 0, 0, 2e5)
	c, err := h.Critical()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f ms, at %.2f Hz\n", 1e3*c.Delay, c.Omega/(2*3.141592653589793))
	// Output: 4.00 ms, at 3.18 Hz
}
