package picture

import (
	"rths/campaign/analyse"
	"rths/campaign/diagram"
	"rths/result/panels"
)

// Capacity draws force and speed in the envelope of each actuator, and flow and pressure of each supply over time, into
// capacity.png and capacity.svg of a folder, and returns their paths. The motion is that of perfect actuators. Of a shake
// table it draws capacity-performance.png and .svg too.
func Capacity(dir, title string, c *analyse.Capacity) ([]string, error) {
	files, err := panels.Draw(dir, "capacity", title, diagram.Capacity(c))
	if err != nil || c.Performance == nil {
		return files, err
	}
	more, err := panels.Draw(dir, "capacity-performance", title, []panels.Panel{diagram.Tripartite(c.Performance)})
	return append(files, more...), err
}
