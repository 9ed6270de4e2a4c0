package record

import (
	"fmt"

	"rths"
)

// layout is the columns of an archive and where each value is found at the end
// of a tick.
type layout struct {
	columns []Column
	sources []*float64
	ground  []float64 // components of the tick's ground acceleration and force histories: the frame's window moves, this does not
}

// newLayout lists the columns of a frame and of the channels. It points into
// the frame's slices.
func newLayout(f *rths.Frame, channels []rths.Channel) (*layout, error) {
	l := &layout{ground: make([]float64, max(1, len(f.Ground)/3))}
	l.add(Column{"time_s", "s", "time of the tick", "frame"}, &f.T)
	shaken := len(l.ground) - f.Pushes
	l.vector("ground", "m_s2", "m/s²", "ground acceleration at the tick", l.ground[:shaken])
	l.vector("applied", "N", "N", "force history at the tick", l.ground[shaken:])
	l.vector("target", "m", "m", "target displacement at the instant of the reading", f.Desired)
	l.vector("measured", "m", "m", "measured displacement", f.Read.X)
	l.vector("true", "m", "m", "displacement without sensor noise (virtual rig)", f.Read.TrueX)
	l.vector("acceleration", "m_s2", "m/s²", "measured acceleration, mean over the sample before", f.Read.A)
	l.vector("acceleration_true", "m_s2", "m/s²", "acceleration without sensor noise (virtual rig)", f.Read.TrueA)
	l.vector("command", "m", "m", "command that left", f.Command)
	l.vector("force", "N", "N", "measured restoring force", f.Read.F)
	l.vector("force_true", "N", "N", "restoring force without sensor noise (virtual rig)", f.Read.TrueF)
	l.vector("force_used", "N", "N", "force the integrator used in the tick's step", f.Force)
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
	return l, l.unique()
}

// mostRecorded is the number of degrees of freedom of a numerical part up to
// which all are recorded: a finite-element model would fill a disk.
const mostRecorded = 64

func (l *layout) add(c Column, source *float64) {
	l.columns = append(l.columns, c)
	l.sources = append(l.sources, source)
}

// vector adds name_suffix, or name_1_suffix, name_2_suffix, … when there are
// several.
func (l *layout) vector(name, suffix, unit, doc string, v []float64) {
	if len(v) == 1 {
		l.add(Column{name + "_" + suffix, unit, doc, "frame"}, &v[0])
		return
	}
	for i := range v {
		l.add(Column{fmt.Sprintf("%s_%d_%s", name, i+1, suffix), unit, fmt.Sprintf("%s, number %d", doc, i+1), "frame"}, &v[i])
	}
}

// numbered adds name1_suffix, name2_suffix, …
func (l *layout) numbered(name, suffix, unit, doc string, v []float64) {
	for i := range v {
		l.add(Column{fmt.Sprintf("%s%d_%s", name, i+1, suffix), unit, fmt.Sprintf("%s %d", doc, i+1), "frame"}, &v[i])
	}
}

func (l *layout) unique() error {
	seen := map[string]bool{}
	for _, c := range l.columns {
		if c.Name == "" || seen[c.Name] {
			return fmt.Errorf("record: column name %q (unit %q, from a %s) is empty or taken: want a name of its own", c.Name, c.Unit, c.Source)
		}
		seen[c.Name] = true
	}
	return nil
}
