package report

import (
	"fmt"
	"strings"

	"rths/result/plotting"
)

// yielding is force over drift of every yielding storey of the numerical part.
func (fs *figures) yielding(s source) (list []figure) {
	for _, c := range s.channels() {
		storey, ok := storeyOf(c.Name)
		if !ok || !strings.HasSuffix(c.Name, "_drift_m") {
			continue
		}
		drift, _ := s.trace(c.Name, 1000)
		force, ok := s.trace(fmt.Sprintf("storey%d_force_N", storey), 1e-3)
		f := figure{id: "storeys", title: fmt.Sprintf("Storey %d of the numerical part", storey), xLabel: "drift, mm", yLabel: "force, kN", shape: loop}
		f.line(ok, "storey", fs.add(drift), fs.add(force), plotting.Colours[1])
		list = append(list, f)
	}
	return list
}

// storeyOf is the storey that a channel of a yielding storey belongs to.
func storeyOf(channel string) (storey int, ok bool) {
	_, err := fmt.Sscanf(channel, "storey%d_", &storey)
	return storey, err == nil
}
