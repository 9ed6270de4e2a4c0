//go:build !js

package report

import (
	"fmt"
	"os"
	"path/filepath"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths/result/plotting"
	"rths/result/record"
)

// Plots draws each figure of a run into a file of dir and returns their paths.
// The format is "png" or "svg". Small figures, and the floors, share one file.
func Plots(dir string, a *record.Archive, format string) ([]string, error) {
	if format != "png" && format != "svg" {
		return nil, fmt.Errorf("report: format %q: want png or svg", format)
	}
	if a.Rows() == 0 {
		return nil, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	fs := newFigures([]*record.Archive{a}, runNames([]*record.Archive{a}))
	var paths []string
	for _, list := range fs.images() {
		path := filepath.Join(dir, list[0].id+"."+format)
		if err := fs.save(path, list, format); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, unread([]*record.Archive{a})
}

// images groups the figures by file.
func (fs *figures) images() [][]figure {
	var images [][]figure
	for _, s := range fs.sections {
		for _, f := range s.figures {
			if n := len(images); n > 0 && images[n-1][0].id == f.id {
				images[n-1] = append(images[n-1], f)
				continue
			}
			images = append(images, []figure{f})
		}
	}
	return images
}

// size is the width and height of a figure.
func (f figure) size() (w, h vg.Length) {
	switch f.shape {
	case square:
		return 13 * vg.Centimeter, 13 * vg.Centimeter
	case small:
		return 9 * vg.Centimeter, 6 * vg.Centimeter
	default:
		return 20 * vg.Centimeter, 8 * vg.Centimeter
	}
}

// perRow is how many small figures stand beside each other in an image.
const perRow = 2

// save draws the figures of one file, which have one shape, in rows.
func (fs *figures) save(path string, list []figure, format string) error {
	columns := 1
	if list[0].shape == small {
		columns = min(perRow, len(list))
	}
	rows := (len(list) + columns - 1) / columns
	w, h := list[0].size()
	sheet, to := plotting.NewSheet(w*vg.Length(columns), h*vg.Length(rows), format, plotting.PNGDPI)
	for i, f := range list {
		x, y := vg.Length(i%columns)*w, vg.Length(rows-1-i/columns)*h
		cell := draw.Canvas{Canvas: sheet, Rectangle: vg.Rectangle{Min: vg.Point{X: x, Y: y},
			Max: vg.Point{X: x + w, Y: y + h}}}
		if err := fs.draw(f, cell); err != nil {
			return fmt.Errorf("report: %s: %w", path, err)
		}
	}
	return plotting.WriteSheet(path, to)
}
