package signal_test

import (
	"fmt"

	"rths/maths/signal"
)

// A low-pass of second order at a quarter of the sampling rate passes what is slow.
func ExampleButterworth() {
	b, a, err := signal.Butterworth(2, 25, 100)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("b = %.4f, a = %.4f, DC gain %.4f\n", b, a, (b[0]+b[1]+b[2])/(a[0]+a[1]+a[2]))
	// Output: b = [0.2929 0.5858 0.2929], a = [1.0000 0.0000 0.1716], DC gain 1.0000
}
