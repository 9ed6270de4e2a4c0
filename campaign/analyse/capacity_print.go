package analyse

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"
)

// Sentence is the answer.
func (c *Capacity) Sentence() string {
	first := c.First.Name()
	switch c.First.What {
	case ofComplete:
		first = fmt.Sprintf("the run with this actuator, which does not complete (%s),", c.First.Why)
	case ofValve:
		first = "the valve" + c.First.of() + ", which opens fully in the run,"
	case ofSupply:
		first = "the oil of pump and accumulator" + c.First.of()
	}
	at := fmt.Sprintf("%s at %.3g s", first, c.First.T)
	switch {
	case c.Fits && c.AtLeast:
		return fmt.Sprintf("Yes, with more than %.0f %% in hand: %g times the motion fits too", c.MarginPct, c.AmplitudePct/100)
	case c.Fits:
		return fmt.Sprintf("Yes, with %.0f %% in hand; the first limit is %s", math.Floor(c.MarginPct), at)
	}
	slower := fmt.Sprintf("or at time scale %.2g", c.TimeScale)
	if c.Unslowed {
		slower = fmt.Sprintf("and at no time scale up to %d", mostSlow)
	}
	if c.AmplitudePct == 0 {
		return fmt.Sprintf("No: %s; it fits at no amplitude above %g %%, %s", at, 100*leastFactor, slower)
	}
	return fmt.Sprintf("No: %s; it fits at %.0f %% of the amplitude, %s", at, math.Floor(c.AmplitudePct), slower)
}

// what is the limit in words: where no speed is left, the force is too large.
func (l *Limit) what() string {
	if l.What == ofSpeed && l.Has == 0 {
		return "force"
	}
	return l.What
}

// used is its use in %.
func (l *Limit) used() string {
	if math.IsInf(float64(l.Pct), 0) {
		return "above 100"
	}
	return fmt.Sprintf("%.3g", float64(l.Pct))
}

// Print writes the answer, the table of limits, and what says how they come about.
func (c *Capacity) Print(out io.Writer) {
	fmt.Fprintf(out, "%s.\n\n", c.Sentence())
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprint(t, "limit\twanted\thas\tused, %\tat, s\n")
	for _, l := range c.Limits {
		unit, scale := l.Unit, 1.0
		if unit == "m" || unit == "m/s" {
			unit, scale = "m"+unit, 1e3
		}
		fmt.Fprintf(t, "%s\t%.4g %s\t%.4g %s\t%s\t%.4g\n", l.Name(), scale*l.Wanted, unit, scale*l.Has, unit, l.used(), l.T)
	}
	t.Flush()
	fmt.Fprintf(out, "\nWith a perfect actuator: up to %.3g kN at the specimen, %.3g m/s²; 99 %% of the velocity below %.3g Hz.\n",
		c.Demand.Largest/1e3, c.AccelerateMS, c.TopHz)
	follows := fmt.Sprintf("up to %.0f %%", math.Floor(c.PerfectPct))
	switch c.PerfectPct {
	case 0:
		follows = fmt.Sprintf("less than %g %%", 100*leastFactor)
	case 100 * mostFactor:
		follows = fmt.Sprintf("%d %% and more", 100*mostFactor)
	}
	fmt.Fprintf(out, "It follows %s of the motion: what no compensator can pass.\n", follows)
	fmt.Fprintf(out, "The valve reaches 90° at %.3g Hz; piston and specimen on the oil column: %.3g Hz.\n", c.ValveHz, c.ColumnHz)
	fmt.Fprintf(out, "Inertia of the mass beyond the load cell: up to %.3g %% of the largest force; noise of the displacement: "+
		"%.2g %% of the motion (rms).\n", c.InertiaPct, c.NoisePct)
	if c.PayloadKg > 0 {
		fmt.Fprintf(out, "With its payload of %.4g kg the force of the actuator leaves %.4g m/s², without it %.4g m/s².\n",
			c.PayloadKg, c.PayloadMS, c.BareMS)
	}
	for _, doubt := range c.Doubts() {
		fmt.Fprintf(out, "warning: %s\n", doubt)
	}
}

// Doubts are what the limits do not hold.
func (c *Capacity) Doubts() (out []string) {
	if c.TopHz > c.ValveHz/2 || c.TopHz > c.ColumnHz/2 {
		out = append(out, fmt.Sprintf("the motion reaches up to %.3g Hz, half-way to the valve (%.3g Hz) or to the oil column "+
			"(%.3g Hz): no compensator makes up for both", c.TopHz, c.ValveHz, c.ColumnHz))
	}
	first := 0.0
	for _, d := range c.Demand.All() {
		largest := 0.0
		for _, v := range d.V {
			largest = max(largest, math.Abs(v))
		}
		if at := math.Abs(d.V[0]); at > 0.1*largest {
			first = max(first, at)
		}
	}
	if first > 0 {
		out = append(out, fmt.Sprintf("the motion begins with %.3g m/s at once, which no actuator does and the limits leave out: want "+
			"a target that begins at rest", first))
	}
	if c.NoisePct > 5 {
		out = append(out, fmt.Sprintf("the sensor's noise is %.2g %% of the motion: want a better sensor, or a larger motion",
			c.NoisePct))
	}
	if c.Unresolved {
		out = append(out, "in some samples the equations of the actuator wanted more evaluations than a tick has: look at the "+
			"column unresolved of the run")
	}
	return out
}
