package judge

import (
	"fmt"

	"rths/record"
)

// Roles are what a column can be. Target and measured displacement are needed, and
// time or a rate.
var Roles = []record.Role{record.TimeRole, record.TargetRole, record.MeasuredRole, record.CommandRole, record.ForceRole}

// shortest is the least number of samples delays of 49 are looked for in.
const shortest = 103

// New makes a test of the columns of a table. columns says which they are, as in
// "time=t,target=xt[mm],measured=xm,force=F[kN]"; what it does not name is looked
// for under usual names. A unit is that of columns, else the file's, else the
// name's (force_kN), else lengthUnit for lengths, else SI. rateHz is needed where
// there is no time, and stands in its place.
func New(table *record.Table, columns, lengthUnit string, rateHz float64) (*Test, error) {
	c, err := record.NewChooser(table, Roles, columns, lengthUnit)
	if err != nil {
		return nil, err
	}
	if rateHz != 0 && !(rateHz > 0 && rateHz <= 1e9) {
		return nil, fmt.Errorf("rate %g Hz: want more than 0", rateHz)
	}
	t := &Test{RateHz: rateHz}
	var times []float64
	for i, to := range []*[]float64{&times, &t.Target, &t.Measured, &t.Command, &t.Force} {
		if i == 0 && rateHz > 0 {
			continue
		}
		values, used, err := c.Take(Roles[i])
		if err != nil {
			return nil, err
		}
		if *to = values; values != nil {
			t.Used = append(t.Used, used)
		}
	}
	if err := t.check(c, times); err != nil {
		return nil, err
	}
	if rateHz == 0 {
		t.StartS = times[0]
		t.RateHz, err = record.UniformRate(times)
	}
	return t, err
}

// check wants the columns that are needed, of one length.
func (t *Test) check(c *record.Chooser, times []float64) error {
	switch {
	case t.Target == nil:
		return c.Missing("target")
	case t.Measured == nil:
		return c.Missing("measured")
	case t.RateHz == 0 && times == nil:
		return fmt.Errorf("%w, or --rate HZ", c.Missing("time"))
	case len(t.Target) < shortest:
		return fmt.Errorf("%d samples: want at least %d, in which delays of up to 49 are looked for", len(t.Target), shortest)
	}
	for _, other := range [][]float64{times, t.Measured, t.Command, t.Force} {
		if other != nil && len(other) != len(t.Target) {
			return fmt.Errorf("columns of %d and %d values: want one length", len(t.Target), len(other))
		}
	}
	return nil
}
