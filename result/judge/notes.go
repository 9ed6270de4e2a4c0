package judge

import (
	"fmt"
	"math"

	"rths"
	"rths/method/criteria"
	"rths/result/record"
	"rths/result/tables"
)

// most is the largest delay or lead, samples, that J1 finds.
const most = 49

// Notes warns of criteria at their limits, and asks about columns that no test has so.
func (t *Test) Notes(criteria []rths.Value) []string {
	notes := append([]string{}, tables.TimeDoubts(t.Used, t.RateHz, t.Samples())...)
	for _, v := range criteria {
		if v.Number == 1 && math.Abs(v.V) >= (most-0.5)*1e3/t.RateHz {
			notes = append(notes,
				fmt.Sprintf("%s is at its limit of %d samples, and delay_ms is out of its range: read FEI_delay_ms and "+
					"delay_zero_ms", v.Name, most))
		}
	}
	for i := range t.Axes {
		notes = append(notes, t.questions(i, criteria)...)
	}
	return notes
}

// questions asks about the columns of an actuator.
func (t *Test) questions(i int, values []rths.Value) (notes []string) {
	a, of, steady := &t.Axes[i], "", steadinessIn(values, rths.Component(i, len(t.Axes)), t.Samples())
	if len(t.Axes) > 1 {
		of = fmt.Sprintf(" of actuator %d", i+1)
	}
	notes = append(notes, t.unsteady(i, of, steady, values)...)
	if samples := lead(a.Target, steady.of(a.Measured)); samples > 1 {
		notes = append(notes,
			fmt.Sprintf("the measured motion%s leads the target by %.3g ms (%.3g samples), which no actuator does by itself: "+
				"are the two columns swapped, or did a compensator predict too far?", of, 1e3*samples/t.RateHz, samples))
	}
	gain, correlation := compare(a.Target, a.Measured)
	if gain > farOff || gain < 1/farOff {
		notes = append(notes,
			fmt.Sprintf("the measured motion%s is %.4g times as large as the target: are the units of the two columns right?",
				of, gain))
	}
	if correlation < -0.5 {
		notes = append(notes,
			fmt.Sprintf("the measured motion%s goes against the target (correlation %.2f): is its sign right?", of, correlation))
	}
	return append(append(notes, t.clocks(a, of)...), t.forceSign(a, of)...)
}

// farOff is a ratio of measured and target motion that no working actuator has.
const farOff = 5.0

// lead is how far the measured motion leads the target, samples; negative lags.
func lead(target, measured record.Signal) float64 {
	one := &Test{RateHz: 1e3, Axes: []Axis{{Target: target, Measured: measured}}} // a sample is 1 ms
	// as of two actuators: their delay has a sign
	track := criteria.NewTracking(one.RateHz, 0, 2, false)
	one.replay(track.Observe)
	return -valueOf(track.Summary(), rths.Meaning{Quantity: "delay", Axis: 1})
}

// compare is the standard deviation of x over that of target, and their correlation; NaN
// where one of them does not move.
func compare(target, x record.Signal) (gain, correlation float64) {
	mt, mx := mean(target), mean(x)
	var tt, xx, tx float64
	for k := range target.Len() {
		dt, dx := target.At(k)-mt, x.At(k)-mx
		tt, xx, tx = tt+dt*dt, xx+dx*dx, tx+dt*dx
	}
	return math.Sqrt(xx / tt), tx / math.Sqrt(tt*xx)
}

// deviation is the standard deviation of x.
func deviation(x record.Signal) float64 {
	m, sum := mean(x), 0.0
	for k := range x.Len() {
		sum += (x.At(k) - m) * (x.At(k) - m)
	}
	return math.Sqrt(sum / float64(x.Len()))
}

func mean(x record.Signal) float64 {
	sum := 0.0
	for k := range x.Len() {
		sum += x.At(k)
	}
	return sum / float64(x.Len())
}
