package analyse

import (
	"cmp"
	"slices"

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
	values, used, rate, err := takeTest(t, identifyRoles, columns, unit, rateHz)
	if err != nil {
		return nil, err
	}
	return &Identify{Command: values[0], Measured: values[1], RateHz: rate, Used: used}, nil
}

// takeTest takes the columns of roles, of which the first is the time, and the rate. Columns of further roles may be
// missing.
func takeTest(t *tables.Table, roles []tables.Role, columns, unit string, rateHz float64,
	further ...tables.Role) (values [][]float64, used []tables.Used, rate float64, err error) {
	needed := len(roles)
	roles = slices.Concat(roles, further)
	c, err := tables.NewChooser(t, roles, columns, unit)
	if err != nil {
		return nil, nil, 0, err
	}
	if rateHz != 0 {
		if err := c.AgreeRate(rateHz); err != nil {
			return nil, nil, 0, err
		}
		roles, needed = roles[1:], needed-1
	}
	var signals []record.Signal
	for i, role := range roles {
		signal, of, err := c.Take(role)
		if err != nil {
			return nil, nil, 0, err
		}
		if signal.None() && i >= needed {
			continue
		}
		if signal.None() {
			return nil, nil, 0, c.Missing(role.Name)
		}
		signals, used = append(signals, signal), append(used, of)
	}
	rate = rateHz
	if rateHz == 0 {
		rate, err = tables.UniformRate(signals[0], used[0])
		signals = signals[1:]
	}
	for _, signal := range signals {
		values = append(values, signal.Values())
	}
	return values, used, rate, cmp.Or(t.Err(), err)
}
