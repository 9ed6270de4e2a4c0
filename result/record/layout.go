package record

import (
	"errors"
	"fmt"
	"slices"

	"rths"
)

// Layout is the columns of a loop's ticks. It writes a tick as one row of numbers: to a Writer
// in the same process, or to a place from which another process takes it. A part of a loop that writes
// rows must be a rths.RateUser, as Recorder is: without one the velocities and accelerations of the
// numerical part are zero.
type Layout struct {
	Columns []Column

	frame   *rths.Frame
	sources []*float64 // where the value of each column is at the end of a tick
	// components of the tick's ground acceleration and force histories: the frame's window moves, this does not
	ground []float64
	age    float64 // of the tick's reading, samples
	late   float64 // 1: the tick was late
}

// NewLayout lists the columns of a frame and of the channels. The frame must be the one
// whose ticks are written: its slices give the number of axes, forces and degrees of freedom
// and are read in every tick. The number of ground components is len(f.Ground)/3, or 1
// while f.Ground is empty.
func NewLayout(f *rths.Frame, channels []rths.Channel) (*Layout, error) {
	l := &Layout{frame: f, ground: make([]float64, max(1, len(f.Ground)/3))}
	l.one(rths.Meaning{Quantity: "time"}, "s", "time of the tick", &f.T)
	motions := len(l.ground) - f.Histories
	l.vector("ground", "m/s²", "ground acceleration at the tick", l.ground[:motions])
	l.vector("applied", "N", "force history at the tick", l.ground[motions:])
	l.vector("target", "m", "target displacement at the instant of the reading", f.Desired)
	l.vector("measured", "m", "measured displacement", f.Read.X)
	l.exact("true", "measured", "m", "displacement without sensor noise (virtual rig)", f.Read.TrueX)
	l.vector("acceleration", "m/s²", "measured acceleration, mean over the sample before", f.Read.A)
	l.exact("acceleration_true", "acceleration", "m/s²", "acceleration without sensor noise (virtual rig)", f.Read.TrueA)
	l.vector("length", "m", "measured length of an instrument beside the actuators, from rest", f.Read.L)
	l.vector("command", "m", "command that left", f.Command)
	l.vector("force", "N", "measured restoring force", f.Read.F)
	l.exact("force_true", "force", "N", "restoring force without sensor noise (virtual rig)", f.Read.TrueF)
	l.vector("force_used", "N", "force the integrator used in the tick's step", f.Force)
	l.one(rths.Meaning{Quantity: "age"}, "-", "samples since the reading was measured", &l.age)
	l.one(rths.Meaning{Quantity: "late"}, "-",
		"1: no reading of this instant had come in time, or the command left after its deadline", &l.late)
	if f.Num != nil && len(f.Num.X) <= mostRecorded {
		l.numbered("num_x", "m", "numerical part: displacement of degree of freedom", f.Num.X)
		l.numbered("num_v", "m/s", "numerical part: velocity of degree of freedom", f.Num.V)
		l.numbered("num_a", "m/s²", "numerical part: acceleration of degree of freedom", f.Num.A)
	}
	for _, c := range channels {
		if c.V == nil {
			return nil, fmt.Errorf("record: channel %q has no value to point at", c.Name)
		}
		l.add(Column{Name: c.Name, Unit: c.Unit, Source: "channel", Meaning: c.Meaning}, c.V)
	}
	return l, unique(l.Columns)
}

// mostRecorded is the number of degrees of freedom of a numerical part up to
// which all are recorded: a finite-element model would fill a disk.
const mostRecorded = 64

// Row writes the tick into dst, a number for each column. dst is left alone after an error:
// the frame is not the one of the layout, or its ground motion has other components.
func (l *Layout) Row(dst []float64, f *rths.Frame) error {
	if err := l.take(f); err != nil {
		return err
	}
	for i, source := range l.sources {
		dst[i] = *source
	}
	return nil
}

// take copies what moves or is no float64 in the frame.
func (l *Layout) take(f *rths.Frame) error {
	switch n := len(f.Ground) / 3; {
	case f != l.frame:
		return errors.New("observed another frame than the one the archive was created with")
	case n != len(l.ground) && n > 0:
		return fmt.Errorf("tick %d has %d ground components: the archive was created with %d", f.K, n, len(l.ground))
	}
	copy(l.ground, f.Ground)
	l.age, l.late = float64(f.Read.Age), 0
	if f.Read.Late {
		l.late = 1
	}
	return nil
}

func (l *Layout) add(c Column, source *float64) {
	l.Columns = append(l.Columns, c)
	l.sources = append(l.sources, source)
}

// leaveOut takes the columns of quantities out.
func (l *Layout) leaveOut(quantities ...string) {
	columns, sources := l.Columns, l.sources
	l.Columns, l.sources = nil, nil
	for i, c := range columns {
		if !slices.Contains(quantities, c.Quantity) {
			l.add(c, sources[i])
		}
	}
}

// one adds a column of the frame.
func (l *Layout) one(of rths.Meaning, unit, doc string, v *float64) {
	l.add(Column{Name: of.NameIn(unit), Unit: unit, Doc: doc, Source: "frame", Meaning: of}, v)
}

// vector adds a column for each component of a quantity, which have numbers when there are several.
func (l *Layout) vector(quantity, unit, doc string, v []float64) {
	l.components(quantity, rths.Meaning{Quantity: quantity}, unit, doc, v)
}

// exact is vector for a quantity without sensor noise. Its names begin with a stem, and the number stands behind that.
func (l *Layout) exact(stem, quantity, unit, doc string, v []float64) {
	l.components(stem, rths.Meaning{Quantity: quantity, Exact: true}, unit, doc, v)
}

func (l *Layout) components(stem string, of rths.Meaning, unit, doc string, v []float64) {
	for i := range v {
		of.Axis = rths.Component(i, len(v))
		words := doc
		if of.Axis > 0 {
			words = fmt.Sprintf("%s, number %d", doc, of.Axis)
		}
		l.add(Column{Name: rths.ColumnName(stem, unit, i, len(v)), Unit: unit,
			Doc: words, Source: "frame", Meaning: of}, &v[i])
	}
}

// numbered adds a column for each degree of freedom, whose number stands at the quantity: num_x1_m, num_x2_m, …
func (l *Layout) numbered(quantity, unit, doc string, v []float64) {
	for i := range v {
		l.add(Column{
			Name: rths.ColumnName(fmt.Sprintf("%s%d", quantity, i+1), unit, 0, 1), Unit: unit,
			Doc: fmt.Sprintf("%s %d", doc, i+1), Source: "frame", Meaning: rths.Meaning{Quantity: quantity, Floor: i + 1},
		}, &v[i])
	}
}

// unique wants a name of its own for each column.
func unique(columns []Column) error {
	seen := map[string]bool{}
	for _, c := range columns {
		if c.Name == "" || seen[c.Name] {
			return fmt.Errorf("record: column name %q (unit %q, from a %s) is empty or taken: want a name of its own", c.Name,
				c.Unit, c.Source)
		}
		seen[c.Name] = true
	}
	return nil
}
