package report

import (
	"fmt"

	"rths"
	"rths/model/integrate"
	"rths/result/plotting"
)

// yielding is force over drift of every yielding storey of the numerical part.
func (fs *figures) yielding(s source) (list []figure) {
	for _, c := range s.channels() {
		if c.Quantity != integrate.StoreyDrift {
			continue
		}
		drift, _ := s.trace(c.Name, 1000)
		force, ok := s.of(rths.Meaning{Quantity: integrate.StoreyForce, Floor: c.Floor}, 1e-3)
		f := figure{id: "storeys", xLabel: "drift, mm", yLabel: "force, kN", shape: loop}
		f.title = fmt.Sprintf("Storey %d of the numerical part", c.Floor)
		f.line(ok, "storey", fs.add(drift), fs.add(force), plotting.Colours[1])
		list = append(list, f)
	}
	return list
}
