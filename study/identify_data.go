package study

import (
	"fmt"

	"rths/record"
)

// identifyRoles are the columns of a loading test.
var identifyRoles = []record.Role{
	{Name: "time", Usual: []string{"time", "t"}, Quantity: record.Time},
	{Name: "command", Usual: []string{"command", "cmd", "u", "xc", "x_c"}, Quantity: record.Length},
	{Name: "measured", Usual: []string{"measured", "x", "xm", "x_m", "feedback", "achieved", "disp", "displacement"}, Quantity: record.Length},
}

// NewIdentify takes the columns of a loading test from a table: columns as
// "time=t,command=u[mm],measured=x[mm]", what it leaves out by usual names; unit is
// that of lengths without one, "" is m. The rate is found from the times unless it is given.
func NewIdentify(t *record.Table, columns, unit string, rateHz float64) (*Identify, error) {
	c, err := record.NewChooser(t, identifyRoles, columns, unit)
	if err != nil {
		return nil, err
	}
	s := &Identify{RateHz: rateHz}
	var times []float64
	for i, to := range []*[]float64{&times, &s.Command, &s.Measured} {
		if i == 0 && rateHz != 0 {
			continue
		}
		if *to, _, err = c.Take(identifyRoles[i]); err != nil {
			return nil, err
		}
		switch {
		case *to == nil && i == 0:
			return nil, fmt.Errorf("%w, or --rate HZ", c.Missing("time"))
		case *to == nil:
			return nil, c.Missing(identifyRoles[i].Name)
		}
	}
	if rateHz == 0 {
		s.RateHz, err = record.UniformRate(times)
	}
	return s, err
}
