package ground_test

import (
	"fmt"
	"strings"

	"rths/model/ground"
)

// A text with times and a unit in its titles.
func ExampleReadCSV() {
	text := "time (s),acceleration (g)\n0,0\n0.01,0.1\n0.02,-0.2\n0.03,0\n"
	m, err := ground.ReadCSV(strings.NewReader(text), "quake.csv", ground.Want{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d samples, step %g s, PGA %.3f m/s²\n", len(m.A), m.Dt, m.PGA())
	// Output: 4 samples, step 0.01 s, PGA 1.961 m/s²
}

// A file that does not say its unit is read only with one.
func ExampleReadCSV_unit() {
	text := "time (s),acceleration (furlongs)\n0,0\n0.01,1\n0.02,0\n"
	_, err := ground.ReadCSV(strings.NewReader(text), "quake.csv", ground.Want{})
	fmt.Println(err != nil)
	// Output: true
}
