package analyse

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"rths/model/ground"
	"rths/model/plant"
	"rths/model/rigidbody"
	"rths/result/record"
	"rths/result/tables"
	"rths/scenario"
)

// Calibration finds where the actuators of a rigid body stand, from slow moves that surveyed instruments have measured
// too (rigidbody.Calibrate).
type Calibration struct {
	Body        *plant.RigidBody
	Used        []tables.Used
	Measurement rigidbody.Calibration
	Samples     int // of the data; rows at equal distances were taken of them

	found *rigidbody.Calibrated
}

// rowsTaken is the number of rows that are taken of the data: more say hardly more, in slow moves.
const rowsTaken = 500

// NewCalibration takes the lengths of a scenario's actuators and instruments from a table: columns measured_1,
// measured_2, … and length_1, length_2, …, or as columns says, "measured_1=x1[mm],…". All count from the body at rest.
// unit is the unit of lengths without one ("": m).
func NewCalibration(t *tables.Table, s *scenario.Scenario, columns, unit string) (*Calibration, error) {
	p, ok := s.Coupler.Params.(*plant.RigidBody)
	if !ok {
		return nil, s.At("coupler", errors.New("no rigid-body: want a scenario whose actuators hold one"))
	}
	links, coordinates, err := p.Links()
	if err != nil {
		return nil, s.At("coupler", err)
	}
	c := &Calibration{Body: p, Measurement: rigidbody.Calibration{Links: links, Coords: coordinates,
		Actuators: len(p.Actuators)}}
	var roles []tables.Role
	for i := range links {
		name, n := "measured", i
		if i >= len(p.Actuators) {
			name, n = "length", i-len(p.Actuators)
		}
		name = fmt.Sprintf("%s_%d", name, n+1)
		roles = append(roles, tables.Role{Name: name, Usual: []string{name}, Quantity: ground.Length})
	}
	choose, err := tables.NewChooser(t, roles, columns, unit)
	if err != nil {
		return nil, err
	}
	var all []record.Signal
	for _, role := range roles {
		signal, used, err := choose.Take(role)
		if err != nil {
			return nil, err
		}
		if signal.None() {
			return nil, choose.Missing(role.Name)
		}
		all, c.Used = append(all, signal), append(c.Used, used)
	}
	c.Samples = all[0].Len()
	for k := range min(c.Samples, rowsTaken) {
		row := make([]float64, len(all))
		for i, signal := range all {
			row[i] = signal.At(k * c.Samples / min(c.Samples, rowsTaken))
		}
		c.Measurement.Lengths = append(c.Measurement.Lengths, row)
	}
	return c, t.Err()
}

// Run finds the geometry. Data that leave combinations of points open are refused, with their names.
func (c *Calibration) Run() (err error) {
	if c.found, err = rigidbody.Calibrate(c.Measurement); err != nil {
		if n := len(c.Measurement.Lengths); n < c.Samples {
			err = fmt.Errorf("%w (rows are those taken of the data: %d of %d, at equal distances)", err, n, c.Samples)
		}
		return err
	}
	if m := &c.Measurement; m.SurveyM == 0 || m.PinM == 0 {
		c.found.Doubts = append(c.found.Doubts, "pins of all links and base points of instruments are taken as exact, "+
			"where no standard deviation is stated: 0.1 mm in the pins may move the pose by 0.5 mm, and the standard errors do "+
			"not show it: want --pins-mm and --survey-mm")
	}
	if len(c.found.Weak) > 0 {
		return fmt.Errorf("calibrate: the poses do not show %s: want larger moves in every coordinate, or more instruments",
			strings.Join(c.found.Weak, "; nor "))
	}
	return nil
}

// point is a place of the calibrated geometry in the axes of the scenario, m.
func (c *Calibration) point(key string, i int) [3]float64 {
	l := c.found.Links[i]
	if key == "base_m" {
		return c.Body.InSpace(l.Base)
	}
	return c.Body.InSpace(l.Pin)
}

// Print prints the block to paste, and how well it is known.
func (c *Calibration) Print(out io.Writer) {
	f := c.found
	fmt.Fprintf(out, "%d of %d rows; residual %.3g mm (root of the mean square)\n", len(c.Measurement.Lengths), c.Samples,
		1e3*f.Residual)
	fmt.Fprintf(out, "pose from the actuators alone, standard error in the worst of them: %.2g mm, %.2g mrad\n\n",
		1e3*f.Displacement, 1e3*f.Rotation)
	fmt.Fprintf(out, "coupler: # other keys but setup stay\n  kind: rigid-body\n  coordinates: [%s]\n"+
		"  actuators: # standard errors of base_m, mm; moved from what the scenario says, mm\n",
		strings.Join(c.Body.Coordinates, ", "))
	for i := range c.Body.Actuators {
		of, more := &c.Body.Actuators[i], ""
		if of.ZeroLength > 0 {
			more += fmt.Sprintf(", zero_length_m: %g", of.ZeroLength)
		}
		if of.Stroke > 0 {
			more += fmt.Sprintf(", stroke_m: %g", of.Stroke)
		}
		if len(of.Base) == 0 {
			fmt.Fprintf(out, "    - {direction: %s, pin_m: %s%s} # no base\n", yamlList(of.Direction),
				c.numbers(c.point("pin_m", i)), more)
			continue
		}
		was, is := c.Measurement.Links[i].Base, f.Links[i].Base
		moved := math.Hypot(math.Hypot(is[0]-was[0], is[1]-was[1]), is[2]-was[2])
		e := f.BaseErrors[i]
		fmt.Fprintf(out, "    - {base_m: %s, pin_m: %s%s} # %.2g, %.2g, %.2g; %.2g\n", c.numbers(c.point("base_m", i)),
			c.numbers(c.point("pin_m", i)), more, 1e3*e[0], 1e3*e[1], 1e3*e[2], 1e3*moved)
	}
	fmt.Fprintln(out)
	for i, x := range f.Offsets[:len(c.Body.Actuators)] {
		fmt.Fprintf(out, "actuator %d reads %.3g mm (± %.2g) with the body at rest\n", i+1, 1e3*x, 1e3*f.OffsetErrors[i])
	}
	for _, doubt := range f.Doubts {
		fmt.Fprintln(out, "warning:", doubt)
	}
}

// numbers is a place in a scenario, to a µm.
func (c *Calibration) numbers(v [3]float64) string {
	n := 3
	if c.Body.Plane() {
		n = 2
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Round(1e6*v[i])/1e6 + 0
	}
	return yamlList(out)
}

// Document is what rths identify --geometry --json prints of the files data.
func (c *Calibration) Document(data string) record.Row {
	type link struct {
		Base      [3]float64 `json:"base_m"`
		BaseError [3]float64 `json:"base_standard_error_m"`
		Pin       [3]float64 `json:"pin_m"`
		Offset    float64    `json:"reads_at_rest_m"`
		Error     float64    `json:"reads_at_rest_standard_error_m"`
	}
	var actuators []link
	for i := range c.Body.Actuators {
		actuators = append(actuators, link{c.point("base_m", i), c.found.BaseErrors[i], c.point("pin_m", i), c.found.Offsets[i],
			c.found.OffsetErrors[i]})
	}
	return record.Row{
		{Key: "data", V: data}, {Key: "columns", V: c.Used}, {Key: "rows", V: len(c.Measurement.Lengths)},
		{Key: "residual_m", V: c.found.Residual}, {Key: "pose_standard_error_m", V: c.found.Displacement},
		{Key: "pose_standard_error_rad", V: c.found.Rotation}, {Key: "actuators", V: actuators},
		{Key: "warnings", V: append([]string{}, c.found.Doubts...)},
	}
}
