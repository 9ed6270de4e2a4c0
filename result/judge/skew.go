package judge

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rths/result/record"
	"rths/result/tables"
)

// The growth of a delay with time that a note tells: in samples over the test, in standard errors of the
// slope, and as part of what the delays vary by.
const (
	driftSamples = 1.0
	driftErrors  = 5.0
	driftPart    = 0.9
)

// mostCondition is of the normal equations of a force on displacement, velocity and acceleration, each of size 1.
const mostCondition = 1e4

// clocks says that the delay of an axis grows or falls evenly: two recorders whose clocks differ leave that, and no
// actuator does.
func (t *Test) clocks(a *Axis, of string) []string {
	list := passings(a.Target, a.Measured)
	n := float64(len(list))
	if n < 10 {
		return nil
	}
	var at, delay float64
	for _, p := range list {
		at, delay = at+p.at/n, delay+p.delay/n
	}
	var tt, td, dd float64
	for _, p := range list {
		tt += (p.at - at) * (p.at - at)
		td += (p.at - at) * (p.delay - delay)
		dd += (p.delay - delay) * (p.delay - delay)
	}
	slope := td / tt
	left := max(0, dd-slope*td)
	grows := slope * float64(t.Samples())
	if math.Abs(grows) < driftSamples || math.Abs(slope) < driftErrors*math.Sqrt(left/(n-2)/tt) ||
		left > (1-driftPart)*dd {
		return nil
	}
	ms := 1e3 / t.RateHz
	first := delay - slope*at
	return []string{fmt.Sprintf("the delay of the measured motion%s goes evenly from %.3g to %.3g ms in the test: "+
		"so do two "+
		"recorders whose clocks differ by %.3g ppm: record target and measurement by one clock, or resample one of them", of,
		first*ms, (first+grows)*ms, 1e6*slope)}
}

// twice says how far apart in time two files have one signal: the skew of two recorders.
func (t *Test) twice(table *tables.Table) (notes []string) {
	for _, pair := range table.Twins() {
		a, b, err := pair.Signals()
		if err != nil || a.Len() != b.Len() {
			continue
		}
		samples := -lead(a, b)
		whole := int(math.Round(samples))
		_, correlation := compare(shifted(a, -whole), shifted(b, whole))
		if math.Abs(samples) < 0.1 || !(correlation > 0.9) {
			continue
		}
		if math.Abs(samples) > most-1 {
			notes = append(notes, fmt.Sprintf("%s and %s look like one signal, %d samples or more apart: align the files first",
				pair.A, pair.B, most-1))
			continue
		}
		notes = append(notes, fmt.Sprintf("%s comes %.3g ms (%.3g samples) after %s, and both are one signal "+
			"(correlation %.4f): "+
			"a skew of two recorders, which the delays contain", pair.B, 1e3*samples/t.RateHz, samples, pair.A,
			correlation))
	}
	return notes
}

// shifted is x without its first n samples, or its last -n.
func shifted(x record.Signal, n int) record.Signal {
	if n >= 0 {
		return x.From(n)
	}
	return x.First(x.Len() + n)
}

// forceSign says that a force is that of the specimen on the actuator. The largest of its parts with displacement,
// velocity and acceleration, by least squares, goes against the motion then.
func (t *Test) forceSign(a *Axis, of string) []string {
	if a.Force.None() {
		return nil
	}
	x := a.Measured
	mf, mx := mean(a.Force), mean(x)
	normal, right := mat.NewSymDense(3, nil), mat.NewVecDense(3, nil)
	for k := 1; k+1 < x.Len(); k++ {
		row := [3]float64{x.At(k) - mx, x.At(k+1) - x.At(k-1), x.At(k+1) - 2*x.At(k) + x.At(k-1)}
		for i := range row {
			for j := i; j < 3; j++ {
				normal.SetSym(i, j, normal.At(i, j)+row[i]*row[j])
			}
			right.SetVec(i, right.AtVec(i)+row[i]*(a.Force.At(k)-mf))
		}
	}
	var size [3]float64
	for i := range size {
		size[i] = math.Sqrt(normal.At(i, i))
		right.SetVec(i, right.AtVec(i)/size[i])
	}
	for i := range 3 {
		for j := i; j < 3; j++ {
			normal.SetSym(i, j, normal.At(i, j)/size[i]/size[j])
		}
	}
	var chol mat.Cholesky
	var c mat.VecDense
	if !chol.Factorize(normal) || chol.Cond() > mostCondition || chol.SolveVecTo(&c, right) != nil {
		return nil // a motion of one frequency: acceleration and displacement are one column
	}
	largest, sign, explained := 0.0, 1.0, 0.0
	for i := range 3 {
		explained += c.AtVec(i) * right.AtVec(i)
		if part := math.Abs(c.AtVec(i)); part > largest {
			largest, sign = part, math.Copysign(1, c.AtVec(i))
		}
	}
	total := deviation(a.Force)
	if sign > 0 || !(explained > 0.5*total*total*float64(x.Len())) {
		return nil
	}
	return []string{fmt.Sprintf("the force%s goes against the motion: it is that of the specimen on the actuator, "+
		"so works and "+
		"energies have the other sign: change the sign of the column",
		of)}
}
