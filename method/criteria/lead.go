package criteria

import "rths"

// delays finds by how much a displacement lags its target, measured and true. For one actuator
// a lead counts as 0, as in the single-actuator benchmark. For several it is negative, as in
// the multi-axial benchmark: the lag from −49 to 49 samples with the largest correlation.
type delays struct {
	behind lagged // measured and true relative to the target
	ahead  []lead // the target relative to measured and true; none where a lead counts as 0
}

// lead is a lagged of the target relative to a displacement, with the moments of the
// displacement.
type lead struct {
	lag lagged
	of  moments
}

func newDelays(truth, signed bool) delays {
	signals := 1
	if truth {
		signals = 2
	}
	d := delays{behind: newLagged(signals)}
	for range signals {
		if signed {
			d.ahead = append(d.ahead, lead{lag: newLagged(1)})
		}
	}
	return d
}

// add takes a sample of the target, of the measured and of the true displacement.
func (d *delays) add(target, x, truth float64) {
	d.behind.add(target, x, truth)
	for i := range d.ahead {
		v := x
		if i == exact {
			v = truth
		}
		a := &d.ahead[i]
		if a.lag.total == 0 {
			a.of.first = v
		}
		a.of.add(v)
		a.lag.add(v, target, 0)
	}
}

// delay is the delay of a signal relative to the target in samples: whole, and between samples.
// mx is the moments of the target.
func (d *delays) delay(signal int, mx *moments) (whole, fine float64) {
	whole, fine, r := d.behind.best(signal, mx)
	if len(d.ahead) == 0 {
		return whole, fine
	}
	a := &d.ahead[signal]
	if early, between, e := a.lag.best(0, &a.of); early > 0 && e > r {
		return -early, -between
	}
	return whole, fine
}

func (d *delays) visit(v *rths.StateVisitor) {
	d.behind.visit(v)
	for i := range d.ahead {
		d.ahead[i].lag.visit(v)
		d.ahead[i].of.visit(v)
	}
}
