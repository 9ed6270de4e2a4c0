package record

import (
	"errors"
	"fmt"

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
	ground  []float64  // components of the tick's ground acceleration and force histories: the frame's window moves, this does not
	age     float64    // of the tick's reading, samples
	late    float64    // 1: the tick was late
}

// NewLayout lists the columns of a frame and of the channels. The frame must be the one
// whose ticks are written: its slices give the number of axes, forces and degrees of freedom
// and are read in every tick. The number of ground components is len(f.Ground)/3, or 1
// while f.Ground is empty.
func NewLayout(f *rths.Frame, channels []rths.Channel) (*Layout, error) {
	l := &Layout{frame: f, ground: make([]float64, max(1, len(f.Ground)/3))}
	l.add(Column{"time_s", "s", "time of the tick", "frame"}, &f.T)
	motions := len(l.ground) - f.Histories
	l.vector("ground", "m_s2", "m/s²", "ground acceleration at the tick", l.ground[:motions])
	l.vector("applied", "N", "N", "force history at the tick", l.ground[motions:])
	l.vector("target", "m", "m", "target displacement at the instant of the reading", f.Desired)
	l.vector("measured", "m", "m", "measured displacement", f.Read.X)
	l.vector("true", "m", "m", "displacement without sensor noise (virtual rig)", f.Read.TrueX)
	l.vector("acceleration", "m_s2", "m/s²", "measured acceleration, mean over the sample before", f.Read.A)
	l.vector("acceleration_true", "m_s2", "m/s²", "acceleration without sensor noise (virtual rig)", f.Read.TrueA)
	l.vector("command", "m", "m", "command that left", f.Command)
	l.vector("force", "N", "N", "measured restoring force", f.Read.F)
	l.vector("force_true", "N", "N", "restoring force without sensor noise (virtual rig)", f.Read.TrueF)
	l.vector("force_used", "N", "N", "force the integrator used in the tick's step", f.Force)
	l.add(Column{"age", "-", "samples since the reading was measured", "frame"}, &l.age)
	l.add(Column{"late", "-", "1: no reading of this instant had come in time, or the command left after its deadline", "frame"}, &l.late)
	if f.Num != nil && len(f.Num.X) <= mostRecorded {
		l.numbered("num_x", "m", "m", "numerical part: displacement of degree of freedom", f.Num.X)
		l.numbered("num_v", "m_s", "m/s", "numerical part: velocity of degree of freedom", f.Num.V)
		l.numbered("num_a", "m_s2", "m/s²", "numerical part: acceleration of degree of freedom", f.Num.A)
	}
	for _, c := range channels {
		if c.V == nil {
			return nil, fmt.Errorf("record: channel %q has no value to point at", c.Name)
		}
		l.add(Column{c.Name, c.Unit, "", "channel"}, c.V)
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

// vector adds name_suffix, or name_1_suffix, name_2_suffix, … when there are
// several.
func (l *Layout) vector(name, suffix, unit, doc string, v []float64) {
	if len(v) == 1 {
		l.add(Column{name + "_" + suffix, unit, doc, "frame"}, &v[0])
		return
	}
	for i := range v {
		l.add(Column{rths.ColumnName(name, suffix, i, len(v)), unit, fmt.Sprintf("%s, number %d", doc, i+1), "frame"}, &v[i])
	}
}

// numbered adds name1_suffix, name2_suffix, …
func (l *Layout) numbered(name, suffix, unit, doc string, v []float64) {
	for i := range v {
		l.add(Column{fmt.Sprintf("%s%d_%s", name, i+1, suffix), unit, fmt.Sprintf("%s %d", doc, i+1), "frame"}, &v[i])
	}
}

// unique wants a name of its own for each column.
func unique(columns []Column) error {
	seen := map[string]bool{}
	for _, c := range columns {
		if c.Name == "" || seen[c.Name] {
			return fmt.Errorf("record: column name %q (unit %q, from a %s) is empty or taken: want a name of its own", c.Name, c.Unit, c.Source)
		}
		seen[c.Name] = true
	}
	return nil
}
