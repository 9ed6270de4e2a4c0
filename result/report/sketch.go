package report

import (
	"fmt"
	"slices"

	"rths/result/record"
)

// Sketch is the main figures of runs, tracking and energies, each curve of at most so many points: JSON as the script
// of a page draws it. It is for a run that is looked at and forgotten; Page has all figures.
func Sketch(runs []*record.Archive, names []string, points int) ([]byte, error) {
	fs := &figures{marks: marks(runs), several: len(runs) > 1}
	var sources []source
	axes := 0
	for _, a := range runs {
		s := newSource(a)
		sources = append(sources, s)
		axes = max(axes, s.count("measured", "m"))
	}
	for i := range axes {
		id, title := axisNames(i, axes)
		if fs.several {
			fs.section(title, fs.compare(sources, names, i, id))
		} else {
			fs.section(title, fs.axis(sources[0], i, id))
		}
	}
	if fs.several {
		fs.section("Hysteresis", fs.hysteresis(sources, names, axes))
	} else {
		fs.moving = fs.newMoving(sources[0])
		fs.section("Energy and stability", fs.energies(sources[0]))
	}
	for i := range fs.sections {
		s := &fs.sections[i]
		s.figures = slices.DeleteFunc(s.figures, func(f figure) bool { return f.to > f.from })
	}
	data, err := fs.sketch(points)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return data, unread(runs)
}

// Sketch is the figures of the motion, as Sketch has those of runs.
func (g Ground) Sketch(points int) ([]byte, error) {
	return newGroundFigures(g).sketch(points)
}

func (fs *figures) sketch(points int) ([]byte, error) {
	g := newGrid(fs.traces, float64(points))
	g.plain = true
	return fs.encode(g)
}
