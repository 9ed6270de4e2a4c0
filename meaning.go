package rths

import (
	"fmt"
	"strings"
)

// Meaning says what a number of a run is, for values, channels and the columns of a record. NameIn makes names from it,
// and nothing reads it back from a name.
type Meaning struct {
	// Quantity is as in J2, delay, measured or command_rate; "": a signal of one part with a name of its own.
	Quantity   string `json:"quantity,omitempty"`
	Axis       int    `json:"axis,omitempty"`       // actuator or other component of several, from 1; 0: the only one
	Coordinate string `json:"coordinate,omitempty"` // of a node or storey that several actuators move, as in x or theta2
	Floor      int    `json:"floor,omitempty"`      // floor, storey or degree of freedom, from 1; 0: of none
	Against    string `json:"against,omitempty"`    // what it is compared with, where that is not the usual thing: mono
	Exact      bool   `json:"exact,omitempty"`      // without sensor noise, as a virtual rig alone knows it
}

// NameIn is the name in a unit: floor, quantity, axis or coordinate, what it is compared with, exactness, unit, with
// strokes between them, as in J2_1_true_pct, J7_x_mono_pct or floor1_acc_peak_m_s2. Names that are not made so stand
// beside the fields, in Name of Value, Channel and column: FEI_1_delay_ms, drift1_peak_mm, num_x1_m, storey1_force_N,
// true_1_m and force_true_1_N, and channels whose unit is in the field alone, as floor1_acc, ref_x1 or a0.
func (m Meaning) NameIn(unit string) string {
	var b strings.Builder
	if m.Floor > 0 {
		fmt.Fprintf(&b, "floor%d_", m.Floor)
	}
	b.WriteString(m.Quantity)
	if m.Axis > 0 {
		fmt.Fprintf(&b, "_%d", m.Axis)
	}
	for _, part := range []string{m.Coordinate, m.Against} {
		if part != "" {
			b.WriteString("_" + part)
		}
	}
	if m.Exact {
		b.WriteString("_true")
	}
	return b.String() + ending(unit)
}

// endings are the ends of names, the longest first, and the units that they stand for; the last three are of keys of a
// scenario alone.
var endings = []struct{ end, unit string }{
	{"_rad_s", "rad/s"}, {"_m_s2", "m/s²"}, {"_m_s", "m/s"}, {"_pct", "%"}, {"_ms", "ms"}, {"_mm", "mm"}, {"_um", "µm"},
	{"_kN", "kN"}, {"_hz", "Hz"}, {"_m2", "m²"}, {"_s2", "s²"}, {"_s3", "s³"}, {"_s", "s"}, {"_m", "m"}, {"_g", "g"},
	{"_V", "V"}, {"_N", "N"}, {"_J", "J"},
	{"_v", "V"}, {"_n", "N"}, {"_j", "J"},
}

// moreEndings are the ends of names of units that CutUnit does not know.
var moreEndings = map[string]string{"%/s": "_pct_s", "N·s/m": "_N_s_m", "us": "_us", "W": "_W", "bar": "_bar", "l/min": "_l_min"}

// ending is what a name in a unit ends in; "" without a unit.
func ending(unit string) string {
	for _, e := range endings {
		if e.unit == unit {
			return e.end
		}
	}
	return moreEndings[unit]
}

// WithoutUnit is a name without the unit at its end, if the name has it there.
func WithoutUnit(name, unit string) string {
	if bare, ok := strings.CutSuffix(name, ending(unit)); ok && bare != "" {
		return bare
	}
	return name
}

// CutUnit is a name without the unit at its end, and the unit; "": none. CutUnit is for names that come without fields:
// keys of a scenario, and columns of a study, whose rows keep names alone.
func CutUnit(name string) (bare, unit string) {
	for _, e := range endings {
		if bare, ok := strings.CutSuffix(name, e.end); ok {
			return bare, e.unit
		}
	}
	return name, ""
}

// Component is the Axis of component i (from 0) of several: 0 of a single one.
func Component(i, of int) int {
	if of == 1 {
		return 0
	}
	return i + 1
}

// ColumnName is the name of the column of component i (from 0) of several: measured_1_m, measured_2_m, …; of a single
// one measured_m. With several, measured_m may be there too: a limit on the largest of them has this channel.
func ColumnName(quantity, unit string, i, of int) string {
	return Meaning{Quantity: quantity, Axis: Component(i, of)}.NameIn(unit)
}

// Named gives values that have none the names that their fields make.
func Named(values []Value) []Value {
	for i := range values {
		if v := &values[i]; v.Name == "" {
			v.Name = v.NameIn(v.Unit)
		}
	}
	return values
}

// NamedChannels is Named for channels.
func NamedChannels(channels []Channel) []Channel {
	for i := range channels {
		if c := &channels[i]; c.Name == "" {
			c.Name = c.NameIn(c.Unit)
		}
	}
	return channels
}
