package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"rths"
	"rths/method/learn"
	"rths/model/integrate"
	"rths/result/plotting"
	"rths/result/record"
)

// beside are the figures that compare runs, beyond the tracking of each axis: floors,
// hysteresis and parameters.
func (fs *figures) beside(sources []source, names []string, axes int) {
	fs.section("Hysteresis", fs.hysteresis(sources, names, axes))
	fs.section("Numerical part", fs.compareFloors(sources, names))
	for _, c := range []struct {
		title, channel, name, label string
		scale                       float64
	}{
		{"Absolute floor accelerations", "floor%d_acc", "Floor %d", "acceleration, m/s²", 1},
		{"Inter-storey drifts", "drift%d", "Storey %d", "drift, mm", 1000},
	} {
		var list []figure
		for i := 1; anyHas(sources, fmt.Sprintf(c.channel, i)); i++ {
			list = append(list, fs.compareChannel(sources, names, fmt.Sprintf(c.channel, i), fmt.Sprintf(c.name, i), c.label,
				c.scale))
		}
		fs.section(c.title, list)
	}
	if anyHas(sources, warning) {
		fs.section("Stability", []figure{fs.compareIn(ofWarning(), sources, names, warning, 1)})
	}
	fs.section("Energies", fs.compareChannels(sources, names, func(c record.Column) bool { return c.Unit == energyUnit }))
	fs.section("Devices", fs.compareDevices(sources, names))
	fs.section("Learning", fs.compareChannels(sources, names,
		func(c record.Column) bool { return c.Quantity == learn.Learned }))
	fs.section("Parameters and indicators", fs.compareChannels(sources, names, func(c record.Column) bool {
		storey := c.Quantity == integrate.StoreyDrift || c.Quantity == integrate.StoreyForce
		return c.Name != warning && c.Unit != energyUnit && (storey || !slices.Contains(ofDevices, c.Quantity))
	}))
}

// compare is the figures of axis i with a curve for each run.
func (fs *figures) compare(sources []source, names []string, i int, id string) []figure {
	displacement := figure{id: "displacement" + id, title: "Measured displacement", xLabel: timeLabel,
		yLabel: "measured, mm"}
	tracking := figure{id: "error" + id, title: "Tracking error: target − measured", xLabel: timeLabel,
		yLabel: "error, mm"}
	sync := subspace(id)
	firstTarget := -1
	for r, s := range sources {
		measured, ok := fs.column(s, "measured", "m", i, 1000)
		displacement.run(ok, names, r, overTime, measured)
		target, hasTarget := fs.column(s, "target", "m", i, 1000)
		if !ok || !hasTarget {
			continue
		}
		tracking.run(true, names, r, overTime, fs.add(difference(fs.traces[target], fs.traces[measured])))
		sync.run(true, names, r, target, measured)
		if firstTarget < 0 || r == firstOf(sources) {
			firstTarget = target
		}
	}
	fs.cut(sources, names, &displacement, &tracking, &sync)
	list := []figure{displacement}
	if firstTarget >= 0 {
		tracking.least = errorAxis * peakOf(fs.traces[firstTarget])
		list = append(list, fs.detail(displacement, firstTarget, id)...)
		list = append(list, tracking, sync)
	}
	return slices.DeleteFunc(list, func(f figure) bool { return len(f.curves) == 0 })
}

// firstOf is the first run that did not diverge, or the first of all.
func firstOf(sources []source) int {
	return max(0, slices.IndexFunc(sources, func(s source) bool { return !s.diverged() }))
}

// run adds the curve of run r, dashed when the colours are used up, and for a rehearsal, so
// that the equal curve of the test stays visible.
func (f *figure) run(there bool, names []string, r, x, y int) {
	f.line(there, names[r], x, y, plotting.Colour(r))
	if there {
		f.curves[len(f.curves)-1].dashed = r >= len(plotting.Colours) || names[r] == rehearsalName
	}
}

// cutAt is how far a run that diverged is drawn beyond the runs that did not.
const cutAt = 1.5

// cut ends the curves of runs that diverged where they leave the range of the others: drawn
// to their ends they would leave nothing of the others to be seen.
func (fs *figures) cut(sources []source, names []string, list ...*figure) {
	for _, f := range list {
		calm := 0.0
		var wild []*curve
		for i, c := range f.curves {
			if sources[slices.Index(names, c.name)].diverged() {
				wild = append(wild, &f.curves[i])
				continue
			}
			calm = max(calm, peakOf(fs.traces[c.y]))
		}
		for _, c := range wild {
			if t := fs.traces[c.y]; calm > 0 && peakOf(t) > cutAt*calm {
				leaves := 0
				for math.Abs(t.values.At(leaves)) <= cutAt*calm { // its peak is beyond
					leaves++
				}
				c.y = fs.add(t.first(leaves))
				if c.x != overTime {
					c.x = fs.add(fs.traces[c.x].first(leaves))
				}
				f.title = strings.TrimSuffix(f.title, cutNote) + cutNote
			}
		}
	}
}

const cutNote = " (runs that diverged are cut off)"

func (s source) diverged() bool { return s.archive.Status == rths.Diverged }

// hysteresis is the force over the displacement of all runs in one figure, and of each run in a figure of its own, all
// on the same axes.
func (fs *figures) hysteresis(sources []source, names []string, axes int) []figure {
	var together, list []figure
	for i := range axes {
		id, of := "", ""
		if axes > 1 {
			id, of = fmt.Sprintf("-%d", i+1), fmt.Sprintf(", axis %d", i+1)
		}
		all := figure{id: "hysteresis" + id, title: "All runs" + of, xLabel: "measured displacement, mm",
			yLabel: "measured force, kN", shape: square}
		for r, s := range sources {
			measured, ok := fs.column(s, "measured", "m", i, 1000)
			force, hasForce := fs.column(s, "force", "N", i, 1e-3)
			if !ok || !hasForce || s.count("force", "N") != s.count("measured", "m") {
				continue
			}
			all.run(true, names, r, measured, force)
		}
		fs.cut(sources, names, &all)
		for _, c := range all.curves {
			f := figure{id: "force-displacement", title: c.name + of, xLabel: "measured displacement, mm",
				yLabel: "measured force, kN", shape: loop, curves: []curve{c}}
			f.curves[0].dashed = false
			list = append(list, f)
		}
		if len(all.curves) > 1 {
			together = append(together, all)
		}
	}
	list = append(together, list...)
	fs.sameAxes(list)
	return list
}

// sameAxes gives figures of one quantity over another the axes that all need.
func (fs *figures) sameAxes(list []figure) {
	across, up := 0.0, 0.0
	for _, f := range list {
		for _, c := range f.curves {
			across, up = max(across, peakOf(fs.traces[c.x])), max(up, peakOf(fs.traces[c.y]))
		}
	}
	for i := range list {
		list[i].box = [2]float64{across, up}
	}
}

// compareFloors is a figure for each floor of the numerical part, with the reference of the
// first run, if all runs have the same floors.
func (fs *figures) compareFloors(sources []source, names []string) []figure {
	var list []figure
	for i := 0; ; i++ {
		reference, ok := sources[firstOf(sources)].reference(i)
		if !ok {
			return list
		}
		f := fs.compareChannel(sources, names, fmt.Sprintf("num_x%d_m", i+1), fmt.Sprintf("Floor %d", i+1),
			"displacement, mm", 1000)
		f.over(true, "reference of "+names[firstOf(sources)], fs.add(reference))
		list = append(list, f)
	}
}

// compareChannel is one channel over time with a curve for each run that has it.
func (fs *figures) compareChannel(sources []source, names []string, channel, title, label string,
	scale float64) figure {
	f := figure{id: channel, title: title, xLabel: timeLabel, yLabel: label}
	return fs.compareIn(f, sources, names, channel, scale)
}

// compareIn adds to a figure a curve of the channel for each run that has it.
func (fs *figures) compareIn(f figure, sources []source, names []string, channel string, scale float64) figure {
	for r, s := range sources {
		if t, ok := s.trace(channel, scale); ok {
			f.run(true, names, r, overTime, fs.add(t))
		}
	}
	fs.cut(sources, names, &f)
	return f
}

func anyHas(sources []source, name string) bool {
	return slices.ContainsFunc(sources, func(s source) bool { return s.has(name) })
}

// compareChannels is a figure for each of the channels that are wanted and that at least two runs have.
func (fs *figures) compareChannels(sources []source, names []string, wanted func(record.Column) bool) []figure {
	var list []figure
	var seen []string
	for _, s := range sources {
		for _, c := range s.channels() {
			if slices.Contains(seen, c.Name) {
				continue
			}
			seen = append(seen, c.Name)
			if !wanted(c) {
				continue
			}
			scale, unit := fs.readable(sources, c)
			f := fs.compareChannel(sources, names, c.Name, readableName(c), unit, scale)
			f.id, f.channel, f.shape = ofParameters, c.Name, small
			fs.bound(&f, c)
			if len(f.curves) > 1 {
				list = append(list, f)
			}
		}
	}
	return list
}
