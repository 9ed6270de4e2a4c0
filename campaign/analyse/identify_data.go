package analyse

import (
	"rths/result/record"
	"rths/result/tables"
)

// identifyRoles are the columns of a loading test.
var identifyRoles = []tables.Role{tables.TimeRole, tables.CommandRole, tables.MeasuredRole}

// NewIdentify takes the columns of a loading test from a table: columns as
// "time=t,command=u[mm],measured=x[mm]"; other columns are found by their usual names. unit
// is the unit of lengths without one ("": m). rateHz 0 takes the rate from the times; times have to agree
// with another.
func NewIdentify(t *tables.Table, columns, unit string, rateHz float64) (*Identify, error) {
	c, err := tables.NewChooser(t, identifyRoles, columns, unit)
	if err != nil {
		return nil, err
	}
	s := &Identify{RateHz: rateHz}
	var times, command, measured record.Signal
	for i, to := range []*record.Signal{&times, &command, &measured} {
		if i == 0 && rateHz != 0 {
			if err := c.AgreeRate(rateHz); err != nil {
				return nil, err
			}
			continue
		}
		var used tables.Used
		if *to, used, err = c.Take(identifyRoles[i]); err != nil {
			return nil, err
		}
		if to.None() {
			return nil, c.Missing(identifyRoles[i].Name)
		}
		s.Used = append(s.Used, used)
	}
	s.Command, s.Measured = command.Values(), measured.Values()
	if err := t.Err(); err != nil {
		return nil, err
	}
	if rateHz == 0 {
		s.RateHz, err = tables.UniformRate(times, s.Used[0])
	}
	return s, err
}
