package analyse

import (
	"fmt"
	"slices"
	"strings"

	"rths/model/ground"
	"rths/result/record"
	"rths/result/tables"
	"rths/scenario"
)

// axisRoles are command and measurement of actuator i, from 0.
func axisRoles(i int) []tables.Role {
	var out []tables.Role
	for _, of := range []string{"command", "measured"} {
		name := fmt.Sprintf("%s_%d", of, i+1)
		out = append(out, tables.Role{Name: name, Usual: []string{name}, Quantity: ground.Length})
	}
	return out
}

// NewIdentifyAxes takes commands and measurements of several actuators from a table: columns command_1, measured_1,
// command_2, …, or as columns says, "time=t,command_1=u1[mm],…". It is nil, without an error, where the table or columns
// have fewer than two commands: then NewIdentify takes them.
func NewIdentifyAxes(t *tables.Table, columns, unit string, rateHz float64) (*IdentifyAxes, error) {
	named := slices.ContainsFunc(strings.Split(columns, ","), func(item string) bool {
		return strings.HasPrefix(strings.TrimSpace(item), "command_")
	})
	if columns != "" && !named {
		return nil, nil
	}
	roles := []tables.Role{tables.TimeRole}
	for i := range mostAxes {
		roles = append(roles, axisRoles(i)...)
	}
	c, err := tables.NewChooser(t, roles, columns, unit)
	if err != nil {
		return nil, err
	}
	n := 0
	for n < mostAxes && c.Has(axisRoles(n)[0]) {
		n++
	}
	if n < 2 && !named {
		return nil, nil
	}
	s := &IdentifyAxes{RateHz: rateHz}
	take := func(role tables.Role) (record.Signal, error) {
		v, used, err := c.Take(role)
		if err == nil && v.None() {
			err = c.Missing(role.Name)
		}
		s.Used = append(s.Used, used)
		return v, err
	}
	if rateHz != 0 {
		err = c.AgreeRate(rateHz)
	} else if times, e := take(tables.TimeRole); e != nil {
		err = e
	} else {
		s.RateHz, err = tables.UniformRate(times, s.Used[0])
	}
	for i := 0; i < max(n, 2) && err == nil; i++ {
		var command, measured record.Signal
		if command, err = take(axisRoles(i)[0]); err == nil {
			measured, err = take(axisRoles(i)[1])
		}
		s.Command, s.Measured = append(s.Command, command.Values()), append(s.Measured, measured.Values())
	}
	if err == nil {
		err = t.Err()
	}
	return s, err
}

// PeriodOf is the period of the target multisine of a run, s, from its folder; 0: it has none.
func PeriodOf(dir string) float64 {
	m, err := record.LoadManifest(dir)
	if err != nil {
		return 0
	}
	s, err := scenario.ParseResolved(dir, []byte(m.Scenario), m.Folder, nil)
	if err != nil {
		return 0
	}
	if target, ok := s.Target.Params.(*ground.TargetMultisine); ok {
		return target.Period
	}
	return 0
}
