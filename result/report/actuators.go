package report

import (
	"fmt"

	"rths"
	"rths/result/plotting"
)

// coupling draws, for two actuators, the displacement of each over the command of the
// other: a straight line through the origin is a static coupling, an ellipse a lagging
// one.
func (fs *figures) coupling(s source, axes int) []figure {
	if axes != 2 {
		return nil
	}
	var list []figure
	for i := range axes {
		command, hasCommand := fs.column(s, "command", "m", 1-i, 1000)
		measured, hasMeasured := fs.column(s, "measured", "m", i, 1000)
		if !hasCommand || !hasMeasured {
			return nil
		}
		f := figure{
			id: fmt.Sprintf("coupling-%d", i+1), title: fmt.Sprintf("Actuator %d moves with the command of actuator %d", i+1,
				2-i),
			xLabel: fmt.Sprintf("command of actuator %d, mm", 2-i),
			yLabel: fmt.Sprintf("measured displacement of actuator %d, mm", i+1), shape: square,
		}
		f.line(true, "measured", command, measured, plotting.Colours[i])
		list = append(list, f)
	}
	return list
}

// points draws the motions of criteria.Frame beside both references: displacement and
// rotation of the node, measured and numerical, and the motions of the upper storeys.
func (fs *figures) points(s source) []figure {
	var list []figure
	for _, p := range []struct{ name, title, label string }{
		{"x", "Displacement of the node", "displacement, mm"}, {"theta", "Rotation of the node", "rotation, mrad"},
		{"x2", "Displacement of storey 2", "displacement, mm"}, {"theta2", "Rotation of storey 2", "rotation, mrad"},
		{"x3", "Displacement of storey 3", "displacement, mm"}, {"theta3", "Rotation of storey 3", "rotation, mrad"},
	} {
		f := figure{id: "node-" + p.name, title: p.title, xLabel: timeLabel, yLabel: p.label}
		for i, c := range []struct{ quantity, name string }{
			{"measured", "measured, from both actuators"}, {"numerical", "numerical part"},
			{"monolithic", "numerical part and specimen as one"},
		} {
			if t, ok := s.of(rths.Meaning{Quantity: c.quantity, Coordinate: p.name}, 1000); ok {
				f.line(true, c.name, overTime, fs.add(t), plotting.Colours[i])
			}
		}
		if t, ok := s.of(rths.Meaning{Quantity: "undivided", Coordinate: p.name}, 1000); ok {
			f.over(true, "undivided structure", fs.add(t))
		}
		if len(f.curves) > 0 {
			list = append(list, f)
		}
	}
	return list
}
