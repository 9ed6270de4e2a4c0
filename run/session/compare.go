package session

import (
	"math"

	"rths"
	"rths/result/record"
)

// comparison compares the rows of a test with the same ticks of its rehearsal.
type comparison struct {
	quantities []quantity
	tick       int
	rateHz     float64
}

// quantity is one axis or load cell.
type quantity struct {
	place   int       // in a row
	force   bool      // N; else m
	before  []float64 // of the rehearsal
	peak    float64   // of the rehearsal
	now     float64   // largest magnitude in the test
	error   float64   // sum of squares of the difference
	size    float64   // and of the rehearsal
	partedS float64   // s; NaN: not
}

func (r *rehearsal) compare(at map[string]int, rateHz float64) *comparison {
	c := &comparison{rateHz: rateHz}
	for _, q := range []struct {
		name, unit string
		columns    [][]float64
	}{{"measured", "m", r.x}, {"force", "N", r.f}} {
		for i, v := range q.columns {
			place, ok := at[rths.ColumnName(q.name, q.unit, i, len(q.columns))]
			if !ok {
				continue
			}
			c.quantities = append(c.quantities, quantity{place: place, force: q.unit == "N", before: v, peak: most(v),
				partedS: math.NaN()})
		}
	}
	return c
}

// see takes the next tick of the run.
func (c *comparison) see(row []float64) {
	for i := range c.quantities {
		q := &c.quantities[i]
		if c.tick >= len(q.before) {
			continue
		}
		now, before := row[q.place], q.before[c.tick]
		q.now = max(q.now, math.Abs(now))
		q.error += (now - before) * (now - before)
		q.size += before * before
		if math.IsNaN(q.partedS) && math.Abs(now-before) > record.PartsAt*q.peak {
			q.partedS = float64(c.tick) / c.rateHz
		}
	}
	c.tick++
}

// put writes the numbers of the comparison into what the manifest says of the rehearsal.
func (c *comparison) put(r *record.Rehearsal) {
	var x, f quantity
	parted := math.NaN()
	for _, q := range c.quantities {
		of := &x
		if q.force {
			of = &f
		}
		of.error += q.error
		of.size += q.size
		of.now, of.peak = max(of.now, q.now), max(of.peak, q.peak)
		if !q.force && !(parted <= q.partedS) {
			parted = q.partedS
		}
	}
	pct := func(q quantity) record.Number { return record.Number(100 * math.Sqrt(q.error/q.size)) }
	r.DisplacementPct, r.ForcePct, r.PartedS = pct(x), pct(f), record.Number(parted)
	r.PeakM, r.RehearsedPeakM = record.Number(x.now), record.Number(x.peak)
	r.PeakN, r.RehearsedPeakN = record.Number(f.now), record.Number(f.peak)
}
