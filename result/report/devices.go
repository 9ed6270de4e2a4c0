package report

import (
	"cmp"
	"fmt"
	"slices"

	"rths"
	"rths/method/learn"
	"rths/model/integrate"
	"rths/result/plotting"
	"rths/scenario"
)

// mostDevices is how many devices are drawn: those that deform most.
const mostDevices = 12

// ofDevices are the quantities of channels in the figures of devices and of what they learn.
var ofDevices = []string{
	integrate.StoreyDrift, integrate.StoreyForce, integrate.DeviceDeformation, integrate.DeviceForce,
	learn.Learned, learn.LearnedSD, learn.Residual, learn.ResidualSD, learn.ResidualOdd, learn.FellBackName,
}

// devices is force over deformation of the devices of the numerical part, on the same axes where they are of one group.
// Those that learn, or would without by: none, follow the device in the laboratory, which they are copies of.
func (fs *figures) devices(s source) (title string, list []figure) {
	groups := groupsOf(s)
	var found []deviceFigure
	for _, c := range s.channels() {
		force, ok := s.of(rths.Meaning{Quantity: integrate.DeviceForce, Floor: c.Floor}, 1e-3)
		if c.Quantity != integrate.DeviceDeformation || !ok {
			continue
		}
		deformation, _ := s.trace(c.Name, 1000)
		of := deviceFigure{number: c.Floor, title: fmt.Sprintf("Device %d", c.Floor), x: deformation, y: force}
		of.colour = plotting.Colours[1]
		if c.Floor <= len(groups) {
			of.devicePlace = groups[c.Floor-1]
			of.title += of.between
		}
		found = append(found, of)
	}
	title = "Devices"
	if n := len(found); n > mostDevices {
		title = fmt.Sprintf("Devices: the %d of %d that deform most", mostDevices, n)
		slices.SortStableFunc(found, func(a, b deviceFigure) int { return cmp.Compare(peakOf(b.x), peakOf(a.x)) })
		found = found[:mostDevices]
	}
	copies := slices.ContainsFunc(groups, func(p devicePlace) bool { return p.group == 0 })
	if x, ok := s.trace(s.numbered("measured", "m", 0), 1000); ok && copies && len(found) > 0 {
		y, _ := s.trace(s.numbered("force", "N", 0), 1e-3)
		tested := deviceFigure{title: "The tested device, as measured", x: x, y: y, colour: plotting.Colours[0]}
		found = append(found, tested)
	}
	slices.SortFunc(found, func(a, b deviceFigure) int { return cmp.Or(a.group-b.group, a.number-b.number) })
	begun := 0
	for i, d := range found {
		f := loopOf(d.title)
		f.line(true, "force", fs.add(d.x), fs.add(d.y), d.colour)
		if list = append(list, f); i+1 == len(found) || found[i+1].group != d.group {
			fs.sameAxes(list[begun:])
			begun = len(list)
		}
	}
	return title, list
}

// loopOf is a figure of a device without its curves.
func loopOf(title string) figure {
	return figure{id: "devices", title: title, xLabel: "deformation, mm", yLabel: "force, kN", shape: loop}
}

// deviceFigure is force over deformation of a device.
type deviceFigure struct {
	devicePlace
	number        int // 0: the device in the laboratory
	title, colour string
	x, y          trace
}

// devicePlace is where a device stands, in words, and its group; 0: it learns.
type devicePlace struct {
	between string
	group   int
}

// groupsOf are the places of the devices, by their numbers; none where the scenario cannot be read again.
func groupsOf(s source) (out []devicePlace) {
	read, err := scenario.ParseResolved("", []byte(s.archive.Scenario), s.archive.Folder, nil)
	if err != nil {
		return nil
	}
	for i, g := range read.Devices {
		at := devicePlace{group: i + 1}
		if g.Learn != nil {
			at.group = 0
		}
		for _, pair := range g.Between {
			from := "the ground"
			if pair[0] > 0 {
				from = fmt.Sprint(pair[0])
			}
			at.between = fmt.Sprintf(", between %s and %d", from, pair[1])
			out = append(out, at)
		}
	}
	return out
}

// compareDevices is force over deformation of the first devices with a curve for each run.
func (fs *figures) compareDevices(sources []source, names []string) (list []figure) {
	for n := 1; n <= mostDevices; n++ {
		f := loopOf(fmt.Sprintf("Device %d", n))
		for r, s := range sources {
			x, ok := s.of(rths.Meaning{Quantity: integrate.DeviceDeformation, Floor: n}, 1000)
			y, also := s.of(rths.Meaning{Quantity: integrate.DeviceForce, Floor: n}, 1e-3)
			if ok && also {
				f.run(true, names, r, fs.add(x), fs.add(y))
			}
		}
		if fs.cut(sources, names, &f); len(f.curves) > 1 {
			list = append(list, f)
		}
	}
	return list
}
