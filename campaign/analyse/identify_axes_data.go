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

// NewIdentifyAxes takes commands and measurements of several actuators from a table: columns command_1, measured_1,
// command_2, …, or as columns says, "time=t,command_1=u1[mm],…". It is nil, without an error, where the table or
// columns have fewer than two commands: then NewIdentify takes them.
func NewIdentifyAxes(t *tables.Table, columns, unit string, rateHz float64) (*IdentifyAxes, error) {
	named := slices.ContainsFunc(strings.Split(columns, ","), func(item string) bool {
		return strings.HasPrefix(strings.TrimSpace(item), "command_")
	})
	roles := []tables.Role{tables.TimeRole}
	for i := range 2 * mostAxes {
		name := fmt.Sprintf("%s_%d", []string{"command", "measured"}[i%2], i/2+1)
		roles = append(roles, tables.Role{Name: name, Usual: []string{name}, Quantity: ground.Length})
	}
	if columns != "" && !named {
		return nil, nil
	}
	c, err := tables.NewChooser(t, roles, columns, unit)
	if err != nil {
		return nil, err
	}
	n := 0
	for n < mostAxes && c.Has(roles[1+2*n]) {
		n++
	}
	if n < 2 && !named {
		return nil, nil
	}
	values, used, rate, err := takeTest(t, roles[:1+2*max(n, 2)], columns, unit, rateHz)
	s := &IdentifyAxes{RateHz: rate, Used: used}
	for i := 0; i < len(values); i += 2 {
		s.Command, s.Measured = append(s.Command, values[i]), append(s.Measured, values[i+1])
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
