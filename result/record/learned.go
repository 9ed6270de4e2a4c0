package record

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
)

// Learned is what a group of devices of the numerical part has learned from the specimen.
type Learned struct {
	Devices    int                `json:"devices"` // the group, from 1
	Parameters []LearnedParameter `json:"parameters"`
	FellBack   int                `json:"fell_back"` // times that parameters at a bound went back to sound ones
	NotWhite   bool               `json:"not_white"` // the residual of the force at the end: the law leaves something out
}

// LearnedParameter is a parameter of a law, in its own unit.
type LearnedParameter struct {
	Name  string `json:"name"` // of its column
	Key   string `json:"key"`  // of the scenario
	Unit  string `json:"unit"`
	Began Number `json:"began"` // at the start
	Value Number `json:"value"` // at the end
	SD    Number `json:"sd"`    // standard deviation of the value
	Lower Number `json:"lower"`
	Upper Number `json:"upper"`
}

// WithSD is the value at the end with its standard deviation, both in two digits of the latter: 3890 ± 25.
func (p *LearnedParameter) WithSD() string {
	v, sd := float64(p.Value), float64(p.SD)
	last := 1 - int(math.Floor(math.Log10(sd))) // decimals of the second digit of sd
	if !(sd > 0 && sd < math.Abs(v)) || last > 8 || last < -8 {
		return Text("%.4g", v) + " ± " + Text("%.2g", sd)
	}
	if last < 0 {
		unit := math.Pow10(-last)
		v, sd, last = math.Round(v/unit)*unit, math.Round(sd/unit)*unit, 0
	}
	return fmt.Sprintf("%.*f ± %.*f", last, v, last, sd)
}

// Start is the value at the start as people chose it.
func (p *LearnedParameter) Start() string { return Text("%.9g", float64(p.Began)) }

// Bounds are the bounds in words, as in "1500 to 8000".
func (p *LearnedParameter) Bounds() string {
	return Text("%.9g", float64(p.Lower)) + " to " + Text("%.9g", float64(p.Upper))
}

// printLearned prints a line for each parameter that devices have learned.
func printLearned(out io.Writer, groups []Learned) {
	if len(groups) == 0 {
		return
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, g := range groups {
		for _, p := range g.Parameters {
			value := strings.TrimSuffix(p.WithSD()+" "+p.Unit, " -")
			fmt.Fprintf(t, "learned: %s\t%s\t(began at %s, bounds %s)\n", p.Key, value, p.Start(), p.Bounds())
		}
	}
	t.Flush()
	fmt.Fprintln(out)
}
