package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"rths"
	"rths/method/criteria"
	"rths/result/plotting"
	"rths/result/record"
)

// shape is how a figure is laid out.
type shape int

const (
	wide   shape = iota // over time, full width
	square              // one quantity over another
	small               // over time, one of several beside each other
	loop                // one quantity over another, one of several beside each other
	strip               // over time, full width, low
	half                // a list over another, half the width
	broad               // a list over another, full width
)

// curve is one line of a figure. X and Y are places in figures.traces; X is
// overTime where the line is drawn over time.
type curve struct {
	name   string
	x, y   int
	less   int    // the curve less that of comparison (differences); 0: it is that curve
	band   [2]int // lower and upper end of a band over time that belongs to it; zeros: none
	colour string
	dashed bool
}

const overTime = -1

func (f *figure) overTime() bool { return len(f.curves) > 0 && f.curves[0].x == overTime }

// figure is one plot, drawn by Page and by Plots.
type figure struct {
	id             string // also the name of the image file; figures with the same id share a file
	title          string
	channel        string // of a figure of one channel: it takes this name too
	xLabel, yLabel string
	shape          shape
	diagonal       bool       // equal axes with the ideal 45° line
	logX, logY     bool       // over a quantity above 0, in decades
	from, to       float64    // the time that is shown, s; all of it if equal
	least          float64    // length of the vertical axis at least, so that no axis shows nothing but rounding
	most           float64    // magnitude where the vertical axis ends; 0: where the curves end
	box            [2]float64 // largest magnitude across and up; zeros: where the curves end
	level          float64    // to be seen on both sides of 0; 0: none
	levelName      string
	bounds         []float64 // levels that are drawn where the curves come near them
	curves         []curve
}

// ofParameters is the id of figures of one channel each, which share a file.
const ofParameters = "parameters"

// section is the figures of one axis, or of one subject.
type section struct {
	title   string
	figures []figure
}

// figures is everything there is to draw of one or several runs.
type figures struct {
	traces   []trace
	sections []section
	marks    []mark  // in every figure over time
	several  bool    // of several runs
	moving   *moving // of one run; nil: nothing moves
	added    string  // what control errors did to the damping of one run; "": not known
}

const timeLabel = "time, s"

// newFigures lists the figures of one run, or the figures that compare several runs.
func newFigures(runs []*record.Archive, names []string) *figures {
	fs := &figures{marks: marks(runs), several: len(runs) > 1}
	sources := make([]source, 0, len(runs))
	axes := 0
	for _, a := range runs {
		s := newSource(a)
		sources = append(sources, s)
		axes = max(axes, s.count("measured", "m"), s.count("target", "m"))
	}
	for i := range axes {
		id, title := axisNames(i, axes)
		if len(sources) == 1 {
			fs.section(title, fs.axis(sources[0], i, id))
		} else {
			fs.section(title, fs.compare(sources, names, i, id))
		}
	}
	if len(sources) > 1 {
		fs.beside(sources, names, axes)
	} else {
		s := sources[0]
		fs.moving = fs.newMoving(s)
		fs.section("Ground motion", fs.groundMotion(s))
		fs.section("Coupling of the actuators", fs.coupling(s, axes))
		fs.section("Targets of the analysis", fs.targets(s))
		fs.section("Forces", fs.forces(s, axes))
		for i := range axes {
			fs.section(limitsTitle(i, axes), fs.capacity(s, i, axes))
		}
		fs.section("Node and storeys against both references", fs.points(s))
		fs.section("Numerical part against the reference", fs.floors(s))
		fs.section("Yielding storeys", fs.yielding(s))
		fs.section(fs.devices(s))
		fs.section(learningTitle, fs.learning(s))
		fs.section("Floors", fs.responses(s))
		fs.section("Damping and frequency that control errors changed", fs.damping(s.archive))
		fs.section("Energy and stability", fs.energies(s))
		fs.section("Parameters and indicators", fs.parameters(s))
		fs.section("Messages between loop and rig", fs.messages(s))
		fs.section("Instants of the loop", fs.instants(s.archive))
	}
	fs.section("Fourier amplitude spectra", fs.fourier(sources, names, axes))
	return fs
}

// axisNames are the end of the ids and the title of the figures of axis i.
func axisNames(i, axes int) (id, title string) {
	if axes == 1 {
		return "", "Tracking"
	}
	return fmt.Sprintf("-%d", i+1), fmt.Sprintf("Axis %d", i+1)
}

func (fs *figures) section(title string, list []figure) {
	if len(list) > 0 {
		fs.sections = append(fs.sections, section{title, list})
	}
}

// add keeps a trace, equal ones once, and returns its place.
func (fs *figures) add(t trace) int {
	if t.of != "" {
		for i, kept := range fs.traces {
			if kept.of == t.of && kept.largest == t.largest {
				return i
			}
		}
	}
	fs.traces = append(fs.traces, t)
	return len(fs.traces) - 1
}

// column keeps the trace of a column and returns its place, or false where
// there is no such column.
func (fs *figures) column(s source, quantity, unit string, i int, scale float64) (int, bool) {
	t, ok := s.trace(s.numbered(quantity, unit, i), scale)
	if !ok {
		return 0, false
	}
	return fs.add(t), true
}

// axis is the figures of axis i of one run.
func (fs *figures) axis(s source, i int, id string) []figure {
	target, hasTarget := fs.column(s, "target", "m", i, 1000)
	measured, hasMeasured := fs.column(s, "measured", "m", i, 1000)
	command, hasCommand := fs.column(s, "command", "m", i, 1000)
	both := hasTarget && hasMeasured

	displacement := figure{id: "displacement" + id, title: "Displacement", xLabel: timeLabel, yLabel: "displacement, mm"}
	displacement.line(hasMeasured, "measured", overTime, measured, plotting.Colours[0])
	displacement.over(hasTarget, "target", target)
	list := []figure{displacement}
	if both {
		list = append(list, fs.detail(displacement, target, id)...)
		e := fs.add(difference(fs.traces[target], fs.traces[measured]))
		f := figure{id: "error" + id, title: "Tracking error: target − measured", xLabel: timeLabel, yLabel: "error, mm",
			least: errorAxis * peakOf(fs.traces[target])}
		f.line(true, "as measured", overTime, e, plotting.Colours[1])
		if exact, ok := fs.column(s, "true", "m", i, 1000); ok {
			f.line(true, "without sensor noise", overTime, fs.add(difference(fs.traces[target], fs.traces[exact])), plotting.Ink)
		}
		list = append(list, f)
	}
	if hasCommand {
		f := figure{id: "command" + id, title: "Command", xLabel: timeLabel, yLabel: "displacement, mm"}
		f.line(true, "command", overTime, command, plotting.Colours[2])
		if sent, ok := fs.column(s, "guard_command", "m", i, 1000); ok {
			f.line(true, "what the limits let through", overTime, sent, plotting.Colours[1])
		}
		if got, ok := fs.column(s, "arrived", "m", i, 1000); ok {
			f.line(true, "what the rig got", overTime, got, plotting.Colours[3])
		}
		f.over(hasTarget, "target", target)
		list = append(list, f)
	}
	if both {
		f := subspace(id)
		f.line(true, "measured", target, measured, plotting.Colours[0])
		list = append(list, f)
	}
	if force, ok := fs.column(s, "force", "N", i, 1e-3); ok && hasMeasured &&
		s.count("force", "N") == s.count("measured", "m") {
		f := figure{id: "force-displacement" + id, title: "Force over displacement", xLabel: "measured displacement, mm",
			yLabel: "measured force, kN", shape: square}
		f.line(true, "specimen", measured, force, plotting.Colours[1])
		list = append(list, f)
	}
	return list
}

// detailS is the length of a detail, s: a few cycles of a building.
const detailS = 2

// detail is a part of the displacement around the largest target, long enough to tell the
// curves apart. A short run needs none.
func (fs *figures) detail(displacement figure, target int, id string) []figure {
	t := fs.traces[target]
	if t.duration() < 2*detailS {
		return nil
	}
	f := displacement
	f.id, f.title = "detail"+id, strings.TrimSuffix(displacement.title, cutNote)+" around the largest target"
	at := t.start + float64(largestAt(t.values))/t.rate
	end := t.start + t.duration()
	f.from = max(t.start, min(at, end-detailS/2)-detailS/2)
	f.to = min(end, f.from+detailS)
	return []figure{f}
}

func subspace(id string) figure {
	return figure{id: "subspace" + id, title: "Synchronisation subspace", xLabel: "target, mm", yLabel: "measured, mm",
		shape: square, diagonal: true}
}

// line adds a curve if there is one.
func (f *figure) line(there bool, name string, x, y int, colour string) {
	if there {
		f.curves = append(f.curves, curve{name: name, x: x, y: y, colour: colour})
	}
}

// over adds a curve for comparison: dashed and on top, so that an equal curve cannot hide
// it.
func (f *figure) over(there bool, name string, y int) {
	f.line(there, name, overTime, y, plotting.Ink)
	if there {
		f.curves[len(f.curves)-1].dashed = true
	}
}

// forces draws forces over time that do not belong to one actuator each: a figure for each
// coordinate of the interface, since force and moment share no axis.
func (fs *figures) forces(s source, axes int) []figure {
	n := s.count("force", "N")
	if n == 0 || n == axes {
		return nil
	}
	var list []figure
	for i := range n {
		f := figure{id: fmt.Sprintf("force-%d", i+1), title: fmt.Sprintf("Force on interface coordinate %d", i+1),
			xLabel: timeLabel, yLabel: "kN, or kN·m of a rotation"}
		force, ok := fs.column(s, "force", "N", i, 1e-3)
		f.line(ok, "measured", overTime, force, plotting.Colour(i))
		list = append(list, f)
	}
	return list
}

// floors compares the numerical part with the reference structure.
func (fs *figures) floors(s source) []figure {
	var list []figure
	for i := 0; ; i++ {
		reference, ok := s.reference(i)
		if !ok {
			return list
		}
		f := figure{id: "floors", title: fmt.Sprintf("Floor %d", i+1), xLabel: timeLabel, yLabel: "displacement, mm"}
		if t, ok := s.of(rths.Meaning{Quantity: "num_x", Floor: i + 1}, 1000); ok {
			f.line(true, "hybrid", overTime, fs.add(t), plotting.Colours[0])
		}
		f.over(true, "reference", fs.add(reference))
		list = append(list, f)
	}
}

// responses is the figures of criteria.Floors and of the floor spectra.
func (fs *figures) responses(s source) []figure {
	accelerations := figure{id: "floor-accelerations", title: "Absolute floor accelerations", yLabel: "acceleration, m/s²"}
	drifts := figure{id: "drifts", title: "Inter-storey drifts", yLabel: "drift, mm"}
	list := []figure{
		fs.channelsOf(s, accelerations, criteria.FloorAcceleration, "floor %d", 1),
		fs.channelsOf(s, drifts, criteria.Drift, "storey %d", 1000),
	}
	shear := figure{id: "base-shear", title: "Base shear", xLabel: timeLabel, yLabel: "base shear, kN"}
	if t, ok := s.of(rths.Meaning{Quantity: criteria.BaseShear}, 1e-3); ok {
		shear.line(true, "numerical part and specimen", overTime, fs.add(t), plotting.Colours[0])
	}
	list = append(list, shear, fs.spectra(s.archive.Spectra))
	return slices.DeleteFunc(list, func(f figure) bool { return len(f.curves) == 0 })
}

// channelsOf adds the channels of all floors to a figure over time, the one that
// moves most first, so that it does not hide the others.
func (fs *figures) channelsOf(s source, f figure, quantity, name string, scale float64) figure {
	f.xLabel = timeLabel
	peaks := map[int]float64{} // by trace
	for i := 0; ; i++ {
		t, ok := s.of(rths.Meaning{Quantity: quantity, Floor: i + 1}, scale)
		if !ok {
			break
		}
		place := fs.add(t)
		for k := range t.values.Len() {
			peaks[place] = max(peaks[place], math.Abs(t.values.At(k)))
		}
		f.line(true, fmt.Sprintf(name, i+1), overTime, place, plotting.Colour(i))
	}
	slices.SortStableFunc(f.curves, func(a, b curve) int { return cmp.Compare(peaks[b.y], peaks[a.y]) })
	return f
}

// spectra is the response spectra of the floors over period.
func (fs *figures) spectra(list []record.Spectrum) figure {
	f := figure{id: "floor-spectra", title: "Floor response spectra", xLabel: "period, s",
		yLabel: "pseudo-acceleration, m/s²", shape: square, logX: true, logY: true}
	for i, s := range list {
		if i == 0 {
			f.title += fmt.Sprintf(", damping ratio %g", s.DampingRatio)
		}
		f.line(true, s.Name, fs.add(listed(s.PeriodS)), fs.add(listed(s.Sa)), plotting.Colour(i))
	}
	return f
}

// energies is the stability warning indicator, and the energies of the numerical
// part with the works done on it, all in one, and the works at the specimen.
func (fs *figures) energies(s source) []figure {
	sw, ok := s.trace(warning, 1)
	if !ok {
		return nil
	}
	first := ofWarning()
	first.line(true, "SW", overTime, fs.add(sw), plotting.Colours[1])
	for i, w := range errorWorks {
		share, _ := s.trace(w.channel, 1)
		first.line(true, w.name, overTime, fs.add(share), plotting.Colours[2+i])
	}
	all := figure{id: "energies", title: "Energies of the numerical part and work done on it", xLabel: timeLabel,
		yLabel: "energy, J"}
	list := []figure{first, all, {id: "specimen-work",
		title: "Work that the specimen takes, and that tracking error and delay of the force feed", xLabel: timeLabel,
		yLabel: "work, J"}}
	for _, c := range s.channels() {
		if c.Unit == energyUnit {
			f, name := &list[1], rths.WithoutUnit(c.Name, c.Unit)
			if slices.Contains(specimenWorks, c.Name) {
				f = &list[2]
			}
			t, _ := s.trace(c.Name, 1)
			f.line(true, strings.ReplaceAll(name, "_", " "), overTime, fs.add(t), plotting.Colour(len(f.curves)))
		}
	}
	return list
}

// ofWarning is the figure of SW, without curves.
func ofWarning() figure {
	return figure{id: "sw", title: "Stability warning indicator: 100 % is all that damping takes",
		xLabel: timeLabel, yLabel: "SW, %", least: leastPct, most: mostPct}
}

// energyUnit is the unit of the channels that share the figures of energies.
const energyUnit = "J"

// warning is the channel of the stability warning indicator.
const warning = "sw_pct"

// errorWorks are the channels that stand in the figure with it.
var errorWorks = []struct{ channel, name string }{
	{"error_work_pct", "error work"}, {"error_work_2s_pct", "error work of the last 2 s"},
}

// specimenWorks are the channels of the figure of the works at the specimen.
var specimenWorks = []string{"specimen_work_J", "error_work_J"}

// parameters is a small figure for each other channel: the magnitudes differ too much for
// a common figure.
func (fs *figures) parameters(s source) []figure {
	var list []figure
	for _, c := range s.channels() {
		share := c.Name == warning || c.Name == errorWorks[0].channel || c.Name == errorWorks[1].channel
		if slices.Contains(ofDevices, c.Quantity) || slices.Contains(ofHydraulics, c.Quantity) || share || c.Unit == energyUnit {
			continue
		}
		scale, label := fs.readable([]source{s}, c)
		t, _ := s.trace(c.Name, scale)
		f := figure{id: ofParameters, title: readableName(c), channel: c.Name, xLabel: timeLabel, yLabel: label, shape: small}
		f.line(true, c.Name, overTime, fs.add(t), plotting.Colours[2])
		fs.bound(&f, c)
		list = append(list, f)
	}
	return list
}

// messages is the age of the readings and the late ticks, where there are any. Each point shows the largest of the
// samples around it: a single late tick is seen.
func (fs *figures) messages(s source) []figure {
	var list []figure
	shape := small
	if s.archive.Manifest.Test != nil {
		shape = strip
	}
	for _, m := range []struct {
		column, title, label,
		colour string
	}{{"age", "Age of the reading, samples", "samples", plotting.Colours[2]},
		{"late", "Late ticks", "1: late", plotting.Colours[1]}} {
		t, ok := s.trace(m.column, 1)
		if !ok || peakOf(t) == 0 { // !ok: a judged test of another program
			continue
		}
		t.largest = true
		f := figure{id: "messages", title: m.title, xLabel: timeLabel, yLabel: m.label, shape: shape}
		f.line(true, m.column, overTime, fs.add(t), m.colour)
		list = append(list, f)
	}
	return slices.Concat(list, fs.departures(s), fs.missing(s))
}

// channelLabel is the unit alone: the name stands above the figure.
func channelLabel(c record.Column) string {
	if c.Unit == "-" {
		return ""
	}
	return c.Unit
}
