package judge

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/method/criteria"
	"rths/result/record"
)

// leastOffset is the offset, or the drift in the test, that a note tells: a part of the target's standard deviation.
const leastOffset = 0.02

// steadiness is the straight line in time that a measured displacement has beside its target.
type steadiness struct {
	offset float64 // m, at the first sample
	drift  float64 // m a sample
	known  bool    // false: the target does not move, and both are 0
}

// steadinessOf fits x_k = g t_(k−lag) + v t'_(k−lag) + w t”_(k−lag) + offset + drift k by least squares, the
// derivatives as central differences: gain, the rest of the delay and the slow dynamics are free, so that the motion
// does not count as an offset. lag is the lag of the motion, samples; NaN where the target does not move.
func steadinessOf(target, x record.Signal, lagSamples float64) (s steadiness) {
	if math.IsNaN(lagSamples) {
		return s
	}
	lag := int(math.Round(lagSamples))
	first, last := max(0, lag+1), min(x.Len(), x.Len()-1+lag)
	n := float64(last - first)
	var squares [5][6]float64
	for k := first; k < last; k++ {
		before, now, after := target.At(k-lag-1), target.At(k-lag), target.At(k-lag+1)
		row := [6]float64{1, float64(k)/n - 0.5, now, after - before, after - 2*now + before, x.At(k)}
		for i := range squares {
			for j := range squares[i] {
				squares[i][j] += row[i] * row[j]
			}
		}
	}
	a, b := mat.NewDense(5, 5, nil), mat.NewVecDense(5, nil)
	for i := range squares { // each column of size 1
		size := math.Sqrt(squares[i][i])
		for j := range squares {
			a.Set(i, j, squares[i][j]/size/math.Sqrt(squares[j][j]))
		}
		b.SetVec(i, squares[i][5]/size)
	}
	var c mat.VecDense
	if err := c.SolveVec(a, b); err != nil || !rths.Finite(mat.Norm(&c, 1)) {
		return steadiness{}
	}
	slope := c.AtVec(1) / math.Sqrt(squares[1][1])
	return steadiness{offset: c.AtVec(0)/math.Sqrt(squares[0][0]) - slope/2, drift: slope / n, known: true}
}

// of is x without offset and drift.
func (s steadiness) of(x record.Signal) record.Signal {
	return record.SignalBy(x.Len(), func(k int) float64 { return x.At(k) - s.offset - s.drift*float64(k) })
}

// offsetStart and offsetEnd are what values tell of an actuator.
func offsetStart(number int) rths.Meaning {
	return rths.Meaning{Quantity: "offset_start", Axis: number}
}
func offsetEnd(number int) rths.Meaning { return rths.Meaning{Quantity: "offset_end", Axis: number} }

// values tell offset and drift of an actuator, from 1 (0: the only one), over n samples; steadinessIn reads them.
func (s steadiness) values(number, n int) []rths.Value {
	if !s.known {
		s.offset = math.NaN()
	}
	return []rths.Value{
		{Meaning: offsetStart(number), Unit: "mm", V: 1e3 * s.offset,
			Doc: "offset of the measured displacement from its target at the first sample"},
		{Meaning: offsetEnd(number), Unit: "mm", V: 1e3 * (s.offset + s.drift*float64(n-1)),
			Doc: "the same at the last sample: the sensor drifts from one to the other"},
	}
}

func steadinessIn(values []rths.Value, number, n int) steadiness {
	start, end := valueOf(values, offsetStart(number))/1e3, valueOf(values, offsetEnd(number))/1e3
	return steadiness{offset: start, drift: (end - start) / float64(n-1)}
}

// unsteady says what offset and drift of an axis make of the criteria, which count them by definition.
func (t *Test) unsteady(i int, of string, s steadiness, values record.Values) (notes []string) {
	n, least := float64(t.Samples()), leastOffset*deviation(t.Axes[i].Target)
	var what []string
	if math.Abs(s.offset) > least {
		what = append(what, fmt.Sprintf("is %.3g mm off its target at the start", 1e3*s.offset))
	}
	if math.Abs(s.drift)*n > least {
		what = append(what, fmt.Sprintf("drifts by %.3g µm/s, %.3g mm in the test", 1e6*s.drift*t.RateHz, 1e3*s.drift*n))
	}
	if len(what) == 0 {
		return nil
	}
	return []string{fmt.Sprintf(
		"the measured motion%s %s: zero the sensor before a test. J1 to J3 and delay count this by their definition, "+
			"delay_zero does not. Without it: %s",
		of, strings.Join(what, " and "), strings.Join(t.without(i, s, values), ", "))}
}

// without lists J1 to J3 and delay of an axis without offset and drift beside what they are.
func (t *Test) without(i int, s steadiness, values record.Values) (out []string) {
	steady := *t
	steady.Axes = slices.Clone(t.Axes)
	steady.Axes[i].Measured = s.of(t.Axes[i].Measured)
	track := criteria.NewTracking(t.RateHz, i, len(t.Axes), false)
	steady.replay(track.Observe)
	for _, v := range track.Summary() {
		if v.Number > 0 || v.Quantity == "delay" {
			out = append(out, fmt.Sprintf("%s %.4g in place of %.4g", v.Name, v.V, values.Of(v.Name)))
		}
	}
	return out
}
