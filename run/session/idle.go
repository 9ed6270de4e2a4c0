package session

import (
	"fmt"
	"math"
	"time"

	"rths"
)

// idle keeps the last readings of a rig while nothing moves.
type idle struct {
	x, f  [][]float64 // of the last readings, m and N
	l     [][]float64 // m
	at    int
	taken int
	trip  time.Duration // the shortest
	age   int           // the largest, samples
}

func newIdle(n int, of rths.Sensors) *idle {
	out := &idle{trip: math.MaxInt64}
	for range n {
		r := of.Reading()
		out.x, out.f, out.l = append(out.x, r.X), append(out.f, r.F), append(out.l, r.L)
	}
	return out
}

// take takes a reading, and refuses one that is not finite.
func (d *idle) take(r *rths.Reading, trip time.Duration) error {
	for i, list := range [][]float64{r.X, r.F, r.L} {
		for j, v := range list {
			if !rths.Finite(v) {
				return fmt.Errorf("%s %d of the rig reads %g: want a finite number", []string{"displacement", "force", "length"}[i], j+1, v)
			}
		}
	}
	copy(d.x[d.at], r.X)
	copy(d.f[d.at], r.F)
	copy(d.l[d.at], r.L)
	d.at = (d.at + 1) % len(d.x)
	d.taken = min(d.taken+1, len(d.x))
	d.trip, d.age = min(d.trip, trip), max(d.age, r.Age)
	return nil
}

// means are of the last readings.
func (d *idle) means() *checked {
	out := &checked{TripUs: float64(d.trip) / 1e3, Age: d.age, Readings: d.taken}
	out.X, out.SpreadX = meanOf(d.x[:d.taken])
	out.F, _ = meanOf(d.f[:d.taken])
	out.L, _ = meanOf(d.l[:d.taken])
	return out
}

// meanOf is the mean and the standard deviation of vectors.
func meanOf(list [][]float64) (mean, spread []float64) {
	mean, spread = make([]float64, len(list[0])), make([]float64, len(list[0]))
	for i, v := range list { // Welford
		for j, x := range v {
			d := x - mean[j]
			mean[j] += d / float64(i+1)
			spread[j] += d * (x - mean[j])
		}
	}
	for j := range spread {
		spread[j] = math.Sqrt(spread[j] / float64(max(1, len(list)-1)))
	}
	return mean, spread
}
