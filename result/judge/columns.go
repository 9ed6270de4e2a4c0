package judge

import (
	"fmt"
	"slices"
	"strings"

	"rths/model/ground"
	"rths/result/record"
	"rths/result/tables"
)

// Roles lists the roles of columns. A test needs target, measured displacement, and time
// or a rate.
var Roles = []tables.Role{tables.TimeRole, tables.TargetRole, tables.MeasuredRole, tables.CommandRole, tables.ForceRole}

// groundRole is the ground motion, which is taken only where it is named.
var groundRole = tables.Role{Name: "ground", Quantity: ground.Acceleration}

// shortest is the least number of samples for delays of up to 49 samples.
const shortest = 103

// nodeRoles are pairs of columns of the node that several actuators hold.
var nodeRoles = []tables.Role{
	{Name: "numerical_x", Usual: []string{"numerical_x"}, Quantity: ground.Length},
	{Name: "measured_x", Usual: []string{"measured_x"}, Quantity: ground.Length},
	{Name: "numerical_theta", Usual: []string{"numerical_theta"}, Quantity: ground.Angle},
	{Name: "measured_theta", Usual: []string{"measured_theta"}, Quantity: ground.Angle},
}

// mostAxes is the largest number of actuators.
const mostAxes = 16

// numbered are the roles of actuator i of several, from 1: target_1 for target.
func numbered(i int) (out []tables.Role) {
	for _, r := range Roles[1:] {
		n := tables.Role{Name: fmt.Sprintf("%s_%d", r.Name, i), Quantity: r.Quantity}
		for _, usual := range r.Usual {
			n.Usual = append(n.Usual, fmt.Sprintf("%s_%d", usual, i))
		}
		out = append(out, n)
	}
	return out
}

// countAxes is the number of numbered targets, in columns or in the table; 0: one target
// without number.
func countAxes(table *tables.Table, columns string) (n int) {
	given := map[string]bool{}
	for _, item := range strings.Split(columns, ",") {
		role, _, _ := strings.Cut(item, "=")
		given[strings.TrimSpace(role)] = true
	}
	if given["target"] {
		return 0
	}
	c, err := tables.NewChooser(table, Roles, "", "")
	if err != nil {
		return 0
	}
	found := func(r tables.Role) bool { return given[r.Name] || c.Has(r) }
	if found(Roles[1]) && !given["target_1"] {
		return 0
	}
	for n < mostAxes && found(numbered(n + 1)[0]) {
		n++
	}
	return n
}

// rolesOf n numbered actuators, or of one.
func rolesOf(n int) []tables.Role {
	if n == 0 {
		return append(slices.Clone(Roles), groundRole)
	}
	out := []tables.Role{Roles[0], groundRole}
	for i := range n {
		out = append(out, numbered(i+1)...)
	}
	return append(out, nodeRoles...)
}

// New makes a test from the columns of a table. columns names the columns, as in
// "time=t,target=xt[mm],measured=xm,force=F[kN]"; of several actuators "target_1=…" and so
// on, of their common node "numerical_x=…,measured_x=…" and theta. New finds other columns
// by their usual names. The unit comes from columns, else from the file, else from the
// name (force_kN), else lengthUnit for lengths, else SI. Without a time column New needs
// rateHz; times have to agree with it. Forces count only if every actuator has one. Errors: a missing column, columns
// of different lengths, times that are not uniform, fewer than 103 samples.
func New(table *tables.Table, columns, lengthUnit string, rateHz float64) (*Test, error) {
	n := countAxes(table, columns)
	c, err := tables.NewChooser(table, rolesOf(n), columns, lengthUnit)
	if err != nil {
		return nil, err
	}
	if rateHz != 0 && !(rateHz > 0 && rateHz <= 1e9) {
		return nil, fmt.Errorf("rate %g Hz: want more than 0", rateHz)
	}
	t := &Test{RateHz: rateHz, Axes: make([]Axis, max(n, 1))}
	var times record.Signal
	if rateHz == 0 {
		err = t.take(c, Roles[0], &times)
	} else {
		err = c.AgreeRate(rateHz)
	}
	if err != nil {
		return nil, err
	}
	if err := t.takeAxes(c, n); err != nil {
		return nil, err
	}
	if err := t.takeNode(c, n); err != nil {
		return nil, err
	}
	if err := t.take(c, groundRole, &t.Ground); err != nil {
		return nil, err
	}
	if err := t.check(c, times); err != nil {
		return nil, err
	}
	if rateHz == 0 {
		t.StartS = times.At(0)
		t.RateHz, err = tables.UniformRate(times, t.Used[0])
	}
	return t, err
}

// take takes the column of a role, if there is one.
func (t *Test) take(c *tables.Chooser, role tables.Role, to *record.Signal) error {
	values, used, err := c.Take(role)
	if err != nil {
		return err
	}
	if *to = values; !values.None() {
		t.Used = append(t.Used, used)
	}
	return nil
}

// takeAxes takes the columns of n numbered actuators, or of one.
func (t *Test) takeAxes(c *tables.Chooser, n int) error {
	for i := range t.Axes {
		roles, a := Roles[1:], &t.Axes[i]
		if n > 0 {
			roles = numbered(i + 1)
		}
		for j, to := range []*record.Signal{&a.Target, &a.Measured, &a.Command, &a.Force} {
			if err := t.take(c, roles[j], to); err != nil {
				return err
			}
		}
		if a.Target.None() {
			return c.Missing(roles[0].Name)
		}
		if a.Measured.None() {
			return c.Missing(roles[1].Name)
		}
	}
	return nil
}

// takeNode takes the coordinates of the node of n actuators, each a pair of columns.
func (t *Test) takeNode(c *tables.Chooser, n int) error {
	for i := 0; n > 0 && i < len(nodeRoles); i += 2 {
		var q Coordinate
		for j, to := range []*record.Signal{&q.Numerical, &q.Measured} {
			if err := t.take(c, nodeRoles[i+j], to); err != nil {
				return err
			}
		}
		switch _, q.Name, _ = strings.Cut(nodeRoles[i].Name, "_"); {
		case q.Numerical.None() && q.Measured.None():
		case q.Numerical.None():
			return c.Missing(nodeRoles[i].Name)
		case q.Measured.None():
			return c.Missing(nodeRoles[i+1].Name)
		default:
			t.Node = append(t.Node, q)
		}
	}
	return nil
}

// check wants time and equally long columns. check drops commands and forces unless every
// actuator has exactly one.
func (t *Test) check(c *tables.Chooser, times record.Signal) error {
	if t.RateHz == 0 && times.None() {
		return c.Missing("time")
	}
	if n := t.Samples(); n < shortest {
		return fmt.Errorf("%d samples: want at least %d, for delays of up to 49 samples", n, shortest)
	}
	columns := []record.Signal{times, t.Ground}
	commands, forces := true, !t.moreForces(c)
	for _, a := range t.Axes {
		columns = append(columns, a.Target, a.Measured, a.Command, a.Force)
		commands, forces = commands && !a.Command.None(), forces && !a.Force.None()
	}
	for _, q := range t.Node {
		columns = append(columns, q.Numerical, q.Measured)
	}
	for _, other := range columns {
		if !other.None() && other.Len() != t.Samples() {
			return fmt.Errorf("columns of %d and %d values: want one length", t.Samples(), other.Len())
		}
	}
	for i := range t.Axes {
		if !commands {
			t.drop(&t.Axes[i].Command, numbered(i + 1)[2].Name)
		}
		if !forces {
			t.drop(&t.Axes[i].Force, numbered(i + 1)[3].Name)
		}
	}
	return nil
}

// moreForces reports whether a table has more forces than actuators: then the forces belong
// to other coordinates, unless --columns names them as forces of the actuators.
func (t *Test) moreForces(c *tables.Chooser) bool {
	n := len(t.Axes)
	named := slices.ContainsFunc(t.Used, func(u tables.Used) bool {
		return !u.Guess &&
			strings.HasPrefix(u.Role, "force")
	})
	if n == 1 || named {
		return false
	}
	more, _, _ := c.Take(numbered(n + 1)[3])
	return !more.None()
}

func (t *Test) drop(column *record.Signal, role string) {
	*column = record.Signal{}
	t.Used = slices.DeleteFunc(t.Used, func(u tables.Used) bool { return u.Role == role })
}
